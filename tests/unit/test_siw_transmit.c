/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a QP writes: which message comes when, how it is cut, and what wakes a silent peer. */
#include "core/base/prng.h"
#include "siw_fixture.h"

#define S WEFT_SIW_SIGNALED

static uint8_t memory[65536];

static void memory_fill(void)
{
    struct prng g = {5};

    for (size_t i = 0; i < sizeof(memory); i++)
        memory[i] = (uint8_t)prng_next(&g);
}

static struct siw_fixture *connected(const struct terms *t)
{
    struct siw_fixture *f = siw_fixture_new();

    memory_fill();
    siw_connect(f, t);
    return f;
}

static void test_headers_of_each_kind(void **state)
{
    static const struct {
        enum weft_siw_send_opcode opcode;
        uint8_t flags;
        uint8_t wire;
    } rows[] = {
        {WEFT_SIW_SEND, 0, RDMAP_SEND},
        {WEFT_SIW_SEND, WEFT_SIW_SOLICITED, RDMAP_SEND_SE},
        {WEFT_SIW_SEND, WEFT_SIW_INVALIDATING, RDMAP_SEND_INVALIDATE},
        {WEFT_SIW_SEND, WEFT_SIW_INVALIDATING | WEFT_SIW_SOLICITED, RDMAP_SEND_SE_INVALIDATE},
        {WEFT_SIW_WRITE, 0, RDMAP_WRITE},
        {WEFT_SIW_READ, 0, RDMAP_READ_REQUEST},
    };
    struct terms t = siw_terms();
    struct siw_fixture *f = connected(&t);
    uint32_t stag = siw_register(f, memory, sizeof(memory), WEFT_SIW_LOCAL_WRITE);

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        struct siw_fpdu fpdu;
        struct rdmap_read read;

        assert_int_equal(siw_post(f, i, rows[i].opcode, rows[i].flags, memory + 8, 5, stag), 0);
        siw_flush(f);
        fpdu = siw_next_fpdu(f);
        assert_int_equal(fpdu.h.opcode, rows[i].wire);
        assert_int_equal(fpdu.h.ddp_version, 1);
        assert_int_equal(fpdu.h.rdmap_version, 1);
        assert_true(fpdu.h.last);
        assert_int_equal(fpdu.h.tagged, rows[i].opcode == WEFT_SIW_WRITE);
        if (rows[i].opcode == WEFT_SIW_READ) {
            rdmap_read_read(fpdu.payload, &read);
            assert_int_equal(fpdu.h.queue, DDP_QUEUE_READ);
            assert_int_equal(fpdu.h.msn, 1);
            assert_int_equal(fpdu.bytes, RDMAP_READ_BYTES);
            assert_int_equal(read.bytes, 5);
            assert_int_equal(read.sink_stag, stag);
            assert_int_equal(read.sink_to, 0x1008);
            assert_int_equal(read.source_stag, 0x11223344);
            assert_int_equal(read.source_to, 0x5566778899);
            continue;
        }
        assert_int_equal(fpdu.bytes, 5);
        assert_memory_equal(fpdu.payload, memory + 8, 5);
        if (rows[i].opcode == WEFT_SIW_WRITE) {
            assert_int_equal(fpdu.h.stag, 0x11223344);
            assert_int_equal(fpdu.h.to, 0x5566778899);
        } else {
            assert_int_equal(fpdu.h.queue, DDP_QUEUE_SEND);
            assert_int_equal(fpdu.h.msn, i + 1);
            assert_int_equal(fpdu.h.mo, 0);
            assert_int_equal(fpdu.h.stag, rows[i].flags & WEFT_SIW_INVALIDATING ? stag : 0);
        }
    }
    siw_fixture_free(f);
}

static void test_messages_of_no_bytes(void **state)
{
    struct terms t = siw_terms();
    struct siw_fixture *f = connected(&t);

    (void)state;
    assert_int_equal(siw_post(f, 1, WEFT_SIW_SEND, S, NULL, 0, 0), 0);
    assert_int_equal(siw_post(f, 2, WEFT_SIW_WRITE, S, memory, 0, 0), 0);
    siw_flush(f);
    for (uint32_t i = 0; i < 2; i++) {
        struct siw_fpdu fpdu = siw_next_fpdu(f);

        assert_true(fpdu.h.last);
        assert_int_equal(fpdu.bytes, 0);
    }
    assert_true(siw_all_read(f));
    siw_expect_wc(f, 1, WEFT_SIW_WC_SEND, WEFT_SIW_WC_OK);
    siw_expect_wc(f, 2, WEFT_SIW_WC_WRITE, WEFT_SIW_WC_OK);
    siw_fixture_free(f);
}

/* A message that was posted, as its segments are expected. */
struct sent {
    enum weft_siw_send_opcode opcode;
    struct weft_siw_sge sge[WEFT_SIW_SGE_MAX];
    uint32_t bytes;
    uint32_t at; /* in its pieces: how much was seen */
};

static uint8_t sent_byte(const struct sent *m, uint32_t at)
{
    uint32_t i = 0;

    while (at >= m->sge[i].bytes)
        at -= m->sge[i++].bytes;
    return ((const uint8_t *)m->sge[i].addr)[at];
}

static void post_random(struct siw_fixture *f, struct prng *g, struct sent *m)
{
    struct weft_siw_send wr = {.sge = m->sge, .sge_count = WEFT_SIW_SGE_MAX};

    *m = (struct sent){.opcode = prng_up_to(g, 1) ? WEFT_SIW_SEND : WEFT_SIW_WRITE};
    for (uint32_t i = 0; i < WEFT_SIW_SGE_MAX; i++) {
        m->sge[i].bytes = (uint32_t)prng_up_to(g, prng_up_to(g, 2) ? 150 : 9000);
        m->sge[i].addr = memory + prng_up_to(g, sizeof(memory) - m->sge[i].bytes);
        m->bytes += m->sge[i].bytes;
    }
    wr.opcode = m->opcode;
    wr.remote_stag = 5;
    wr.remote_to = 1000;
    assert_int_equal(weft_siw_post_send(&f->s, 0, f->qpn, &wr), 0);
}

/* The next segment must be that of the message that is open, cut as a slow and obvious segmenter
 * would. Returns whether it was its last. */
static bool expect_segment(struct siw_fixture *f, struct sent *m, uint32_t msn, uint32_t ulpdu_max)
{
    struct siw_fpdu fpdu = siw_next_fpdu(f);
    bool write = m->opcode == WEFT_SIW_WRITE;
    uint32_t most = ulpdu_max - (write ? 14 : 18), left = m->bytes - m->at;

    assert_int_equal(fpdu.h.tagged, write);
    assert_int_equal(fpdu.h.opcode, write ? RDMAP_WRITE : RDMAP_SEND);
    assert_int_equal(fpdu.bytes, left < most ? left : most);
    assert_int_equal(fpdu.h.last, left <= most);
    if (write) {
        assert_int_equal(fpdu.h.stag, 5);
        assert_int_equal(fpdu.h.to, 1000 + m->at);
    } else {
        assert_int_equal(fpdu.h.msn, msn);
        assert_int_equal(fpdu.h.mo, m->at);
    }
    for (uint32_t i = 0; i < fpdu.bytes; i++)
        if (fpdu.payload[i] != sent_byte(m, m->at + i))
            fail_msg("byte %u of a message of %u bytes differs", m->at + i, m->bytes);
    m->at += fpdu.bytes;
    return fpdu.h.last;
}

static void test_messages_are_cut_as_a_slow_segmenter_cuts_them(void **state)
{
    static struct sent sent[16];
    struct prng g = {17};

    (void)state;
    for (uint32_t round = 0; round < 60; round++) {
        static const uint16_t maxima[] = {128, 1440, 1442, 9000, 65480, 65535};
        struct terms t = siw_terms();
        struct siw_fixture *f;
        uint32_t count = 0, msn = 1;

        t.crc = round % 2;
        t.ulpdu_max = maxima[round % COUNT(maxima)];
        f = connected(&t);
        while (count < COUNT(sent) || !transmit_idle(f->qp)) {
            if (count < COUNT(sent) && prng_up_to(&g, 2) > 0)
                post_random(f, &g, &sent[count++]);
            else if (prng_up_to(&g, 3) == 0)
                siw_flush(f);
            else
                siw_write(f, (size_t)prng_up_to(&g, 3000));
        }
        for (uint32_t i = 0; i < count; i++) {
            while (!expect_segment(f, &sent[i], msn, t.ulpdu_max))
                ;
            msn += sent[i].opcode == WEFT_SIW_SEND;
        }
        assert_true(siw_all_read(f));
        assert_int_equal(f->qp->fpdus_out, f->s.stats.fpdus_out);
        assert_int_equal(f->s.verbs.stagings.used, 0);
        siw_fixture_free(f);
    }
}

static void short_segments(struct weft_siw_config *c)
{
    c->segment_bytes = 257;
}

static void test_the_config_can_make_segments_shorter(void **state)
{
    struct siw_fixture *f = siw_fixture_new_with(short_segments);
    struct terms t = siw_terms();

    (void)state;
    siw_connect(f, &t);
    assert_int_equal(siw_post(f, 1, WEFT_SIW_SEND, 0, memory, 1000, 0), 0);
    siw_flush(f);
    /* length, ULPDU and CRC: 256 bytes, the longest that needs no pad */
    assert_int_equal(siw_next_fpdu(f).bytes, 256 - 2 - 18 - 4);
    siw_fixture_free(f);
}

static bool push_response(struct siw_fixture *f, uint32_t bytes)
{
    struct rdmap_read r = {.sink_stag = 3, .bytes = bytes};

    return response_push(&f->s, f->qp, &r, NULL, memory);
}

/* A letter for each message that was written, in their order; one that is cut into by another is
 * not one. */
static void expect_messages(struct siw_fixture *f, const char *wanted)
{
    while (*wanted) {
        struct siw_fpdu fpdu = siw_next_fpdu(f);
        char letter = "wrRssssT"[fpdu.h.opcode];

        assert_int_equal(letter, *wanted);
        if (fpdu.h.last)
            wanted++;
    }
    assert_true(siw_all_read(f));
}

static void test_requests_and_responses_take_turns(void **state)
{
    struct terms t = siw_terms();
    struct siw_fixture *f = connected(&t);

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(siw_post(f, i, WEFT_SIW_SEND, 0, memory, 2500, 0), 0);
        assert_true(push_response(f, 3500));
    }
    assert_int_equal(siw_post(f, 4, WEFT_SIW_WRITE, 0, memory, 10, 0), 0);
    siw_flush(f);
    expect_messages(f, "sRsRsRsRw");
    siw_fixture_free(f);
}

static void test_reads_wait_for_those_that_are_out(void **state)
{
    struct terms t = siw_terms();
    struct siw_fixture *f;
    uint32_t stag;

    (void)state;
    t.ord = 2;
    f = connected(&t);
    stag = siw_register(f, memory, sizeof(memory), WEFT_SIW_LOCAL_WRITE);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(siw_post(f, i, WEFT_SIW_READ, 0, memory, 10, stag), 0);
    assert_int_equal(siw_post(f, 3, WEFT_SIW_SEND, 0, memory, 10, 0), 0);
    siw_flush(f);
    expect_messages(f, "rr");
    /* what is in the way of a request is not in that of a response */
    assert_true(push_response(f, 5));
    siw_flush(f);
    expect_messages(f, "R");
    f->told.outputs = 0;
    read_complete(&f->s, f->qp);
    assert_true(f->told.outputs > 0);
    siw_flush(f);
    expect_messages(f, "rs");
    siw_fixture_free(f);
}

static void test_a_fence_waits_for_all_reads(void **state)
{
    struct terms t = siw_terms();
    struct siw_fixture *f = connected(&t);
    uint32_t stag = siw_register(f, memory, sizeof(memory), WEFT_SIW_LOCAL_WRITE);

    (void)state;
    assert_int_equal(siw_post(f, 1, WEFT_SIW_READ, 0, memory, 10, stag), 0);
    assert_int_equal(siw_post(f, 2, WEFT_SIW_READ, 0, memory, 10, stag), 0);
    assert_int_equal(siw_post(f, 3, WEFT_SIW_WRITE, 0, memory, 10, 0), 0);
    assert_int_equal(siw_post(f, 4, WEFT_SIW_SEND, WEFT_SIW_FENCE, memory, 10, 0), 0);
    siw_flush(f);
    expect_messages(f, "rrw");
    read_complete(&f->s, f->qp);
    siw_flush(f);
    expect_messages(f, "");
    read_complete(&f->s, f->qp);
    siw_flush(f);
    expect_messages(f, "s");
    siw_fixture_free(f);
}

static void test_a_local_invalidation_needs_no_tcp_but_its_turn(void **state)
{
    struct terms t = siw_terms();
    struct siw_fixture *f = connected(&t);
    uint32_t stag = siw_register(f, memory, 100, WEFT_SIW_LOCAL_WRITE);
    uint32_t sink = siw_register(f, memory, 100, WEFT_SIW_LOCAL_WRITE);

    (void)state;
    assert_int_equal(siw_post(f, 1, WEFT_SIW_LOCAL_INVALIDATE, S, NULL, 0, stag), 0);
    assert_false(weft_siw_region_valid(&f->s, stag));
    siw_expect_wc(f, 1, WEFT_SIW_WC_LOCAL_INVALIDATE, WEFT_SIW_WC_OK);

    assert_int_equal(siw_post(f, 2, WEFT_SIW_READ, S, memory, 10, sink), 0);
    assert_int_equal(siw_post(f, 3, WEFT_SIW_LOCAL_INVALIDATE, S | WEFT_SIW_FENCE, NULL, 0, sink),
                     0);
    siw_flush(f);
    assert_true(weft_siw_region_valid(&f->s, sink));
    read_complete(&f->s, f->qp);
    assert_false(weft_siw_region_valid(&f->s, sink));
    siw_expect_wc(f, 2, WEFT_SIW_WC_READ, WEFT_SIW_WC_OK);
    siw_expect_wc(f, 3, WEFT_SIW_WC_LOCAL_INVALIDATE, WEFT_SIW_WC_OK);

    assert_int_equal(siw_post(f, 4, WEFT_SIW_LOCAL_INVALIDATE, 0, NULL, 0, sink), 0);
    siw_expect_wc(f, 4, WEFT_SIW_WC_LOCAL_INVALIDATE, WEFT_SIW_WC_INVALIDATE);
    assert_int_equal(f->qp->state, WEFT_SIW_QP_TERMINATE);
    siw_fixture_free(f);
}

static void test_a_piece_outside_its_region_ends_it_behind_what_was_right(void **state)
{
    struct terms t = siw_terms();
    struct siw_fixture *f = connected(&t);
    uint32_t stag = siw_register(f, memory, 100, 0);

    (void)state;
    assert_int_equal(siw_post(f, 1, WEFT_SIW_SEND, S, memory, 100, stag), 0);
    assert_int_equal(siw_post(f, 2, WEFT_SIW_SEND, 0, memory, 101, stag), 0);
    assert_int_equal(siw_post(f, 3, WEFT_SIW_SEND, 0, memory, 1, stag), 0);
    siw_flush(f);
    expect_messages(f, "sT");
    siw_expect_wc(f, 1, WEFT_SIW_WC_SEND, WEFT_SIW_WC_OK);
    siw_expect_wc(f, 2, WEFT_SIW_WC_SEND, WEFT_SIW_WC_LOCAL);
    siw_expect_wc(f, 3, WEFT_SIW_WC_SEND, WEFT_SIW_WC_FLUSHED);
    assert_int_equal(f->qp->terminate_error, TERMINATE_RDMAP_LOCAL);
    assert_int_equal(f->told.terminates_due, 1);
    assert_int_equal(f->told.terminated, 1);
    siw_fixture_free(f);
}

static void test_a_read_needs_a_sink_it_may_write_to(void **state)
{
    struct terms t = siw_terms();
    struct siw_fixture *f = connected(&t);
    uint32_t stag = siw_register(f, memory, 100, WEFT_SIW_REMOTE_WRITE);

    (void)state;
    assert_int_equal(siw_post(f, 1, WEFT_SIW_READ, 0, memory, 10, stag), 0);
    siw_flush(f);
    siw_expect_wc(f, 1, WEFT_SIW_WC_READ, WEFT_SIW_WC_LOCAL);
    expect_messages(f, "T");
    siw_fixture_free(f);
}

static void test_a_responder_is_silent_until_the_peer_has_spoken(void **state)
{
    struct terms t = siw_terms();
    struct siw_fixture *f;

    (void)state;
    t.initiator = false;
    f = connected(&t);
    assert_int_equal(siw_post(f, 1, WEFT_SIW_SEND, 0, memory, 10, 0), 0);
    assert_int_equal(siw_write(f, SIZE_MAX), 0);
    assert_int_equal(f->told.outputs, 0);
    qp_heard(&f->s, f->qp);
    assert_int_equal(siw_write(f, SIZE_MAX), 0);
    qp_ready(&f->s, f->qp);
    assert_int_equal(f->told.ready, 1);
    assert_int_equal(f->told.outputs, 1);
    siw_flush(f);
    expect_messages(f, "s");
    siw_fixture_free(f);
}

static void test_the_rtr_frame_comes_first(void **state)
{
    static const struct {
        uint8_t rtr;
        uint8_t opcode;
    } rows[] = {
        {WEFT_SIW_RTR_SEND, RDMAP_SEND},
        {WEFT_SIW_RTR_WRITE, RDMAP_WRITE},
        {WEFT_SIW_RTR_READ, RDMAP_READ_REQUEST},
    };

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        struct terms t = siw_terms();
        struct siw_fixture *f;
        struct siw_fpdu fpdu;

        t.peer_to_peer = true;
        t.rtr = rows[i].rtr;
        t.ord = 1;
        f = connected(&t);
        assert_true(f->told.outputs > 0);
        assert_int_equal(siw_post(f, 1, WEFT_SIW_SEND, S, memory, 10, 0), 0);
        siw_flush(f);
        fpdu = siw_next_fpdu(f);
        assert_int_equal(fpdu.h.opcode, rows[i].opcode);
        assert_true(fpdu.h.last);
        if (rows[i].rtr == WEFT_SIW_RTR_READ) {
            struct rdmap_read read;

            rdmap_read_read(fpdu.payload, &read);
            assert_int_equal(read.bytes, 0);
            assert_int_equal(read.sink_stag, 1);
            assert_int_equal(read.source_stag, 1);
            assert_int_equal(read.sink_to, 0);
            assert_int_equal(read.source_to, 0);
            assert_int_equal(f->qp->reads_out, 1);
            siw_expect_no_wc(f);
            assert_int_equal(read_first(&f->s, f->qp)->sge[0].stag, 1);
            read_complete(&f->s, f->qp);
        } else {
            assert_int_equal(fpdu.bytes, 0);
            assert_int_equal(fpdu.h.stag, rows[i].rtr == WEFT_SIW_RTR_WRITE);
        }
        assert_int_equal(siw_next_fpdu(f).h.msn, rows[i].rtr == WEFT_SIW_RTR_SEND ? 2 : 1);
        siw_expect_wc(f, 1, WEFT_SIW_WC_SEND, WEFT_SIW_WC_OK);
        siw_expect_no_wc(f);
        assert_int_equal(f->s.verbs.requests.used, 0);
        siw_fixture_free(f);
    }
}

static void test_a_silent_peer_is_nudged_ever_less_often(void **state)
{
    struct terms t = siw_terms();
    struct siw_fixture *f = connected(&t);

    (void)state;
    f->s.now = 1000;
    assert_int_equal(f->told.deadline, WEFT_TIME_NEVER);
    assert_int_equal(siw_post(f, 1, WEFT_SIW_SEND, 0, memory, 10, 0), 0);
    assert_int_equal(siw_write(f, 10), 10);
    assert_int_equal(f->told.deadline, WEFT_TIME_NEVER);
    siw_flush(f);
    expect_messages(f, "s");
    for (uint32_t i = 0; i < 8; i++) {
        struct siw_fpdu fpdu;

        assert_int_equal(f->told.deadline, f->s.now + (20 * WEFT_MS << i));
        f->s.now = f->told.deadline;
        f->told.deadline = WEFT_TIME_NEVER;
        f->told.outputs = 0;
        qp_timer(&f->s, f->qp);
        assert_int_equal(f->told.outputs, 1);
        siw_flush(f);
        fpdu = siw_next_fpdu(f);
        assert_int_equal(fpdu.h.opcode, RDMAP_WRITE);
        assert_int_equal(fpdu.h.stag, 1);
        assert_int_equal(fpdu.bytes, 0);
        assert_true(siw_all_read(f));
        assert_int_equal(f->s.stats.nudges, i + 1);
    }
    assert_int_equal(f->told.deadline, WEFT_TIME_NEVER);
    qp_timer(&f->s, f->qp);
    assert_int_equal(siw_write(f, SIZE_MAX), 0);
    siw_fixture_free(f);
}

static void test_a_peer_that_was_heard_is_left_alone(void **state)
{
    struct terms t = siw_terms();
    struct siw_fixture *f = connected(&t);

    (void)state;
    assert_int_equal(siw_post(f, 1, WEFT_SIW_SEND, 0, memory, 10, 0), 0);
    siw_flush(f);
    assert_int_not_equal(f->told.deadline, WEFT_TIME_NEVER);
    qp_heard(&f->s, f->qp);
    assert_int_equal(f->told.deadline, WEFT_TIME_NEVER);
    assert_int_equal(siw_post(f, 2, WEFT_SIW_SEND, 0, memory, 10, 0), 0);
    siw_flush(f);
    assert_int_equal(f->told.deadline, WEFT_TIME_NEVER);
    qp_timer(&f->s, f->qp);
    expect_messages(f, "ss");
    assert_int_equal(f->s.stats.nudges, 0);
    siw_fixture_free(f);
}

static void never_nudge(struct weft_siw_config *c)
{
    c->nudge_ns = 0;
}

static void test_who_is_never_nudged(void **state)
{
    struct siw_fixture *f = siw_fixture_new_with(never_nudge);
    struct terms t = siw_terms();

    (void)state;
    siw_connect(f, &t);
    assert_int_equal(siw_post(f, 1, WEFT_SIW_SEND, 0, memory, 10, 0), 0);
    siw_flush(f);
    assert_int_equal(f->told.deadline, WEFT_TIME_NEVER);
    siw_fixture_free(f);

    t.initiator = false;
    f = connected(&t);
    qp_heard(&f->s, f->qp);
    qp_ready(&f->s, f->qp);
    assert_int_equal(siw_post(f, 1, WEFT_SIW_SEND, 0, memory, 10, 0), 0);
    siw_flush(f);
    assert_int_equal(f->told.deadline, WEFT_TIME_NEVER);
    siw_fixture_free(f);
}

static void test_the_longest_message_begins_well(void **state)
{
    struct terms t = siw_terms();
    struct siw_fixture *f;

    (void)state;
    t.ulpdu_max = 65480;
    f = connected(&t);
    /* all of it is within memory as far as this test reads: one fill */
    assert_int_equal(siw_post(f, 1, WEFT_SIW_WRITE, 0, memory, 65000, 0), 0);
    request_at(&f->s, f->qp->sends.first)->bytes = UINT32_MAX;
    request_at(&f->s, f->qp->sends.first)->sge[0].bytes = UINT32_MAX;
    f->qp->tx.sending = true;
    f->qp->tx.done = UINT32_MAX - 100;
    request_at(&f->s, f->qp->sends.first)->sge[0].addr =
        (void *)((uintptr_t)memory - (UINT32_MAX - 100));
    siw_flush(f);
    {
        struct siw_fpdu fpdu = siw_next_fpdu(f);

        assert_true(fpdu.h.last);
        assert_int_equal(fpdu.bytes, 100);
        assert_int_equal(fpdu.h.to, 0x5566778899 + (uint64_t)UINT32_MAX - 100);
        assert_memory_equal(fpdu.payload, memory, 100);
    }
    siw_fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers_of_each_kind),
        cmocka_unit_test(test_messages_of_no_bytes),
        cmocka_unit_test(test_messages_are_cut_as_a_slow_segmenter_cuts_them),
        cmocka_unit_test(test_the_config_can_make_segments_shorter),
        cmocka_unit_test(test_requests_and_responses_take_turns),
        cmocka_unit_test(test_reads_wait_for_those_that_are_out),
        cmocka_unit_test(test_a_fence_waits_for_all_reads),
        cmocka_unit_test(test_a_local_invalidation_needs_no_tcp_but_its_turn),
        cmocka_unit_test(test_a_piece_outside_its_region_ends_it_behind_what_was_right),
        cmocka_unit_test(test_a_read_needs_a_sink_it_may_write_to),
        cmocka_unit_test(test_a_responder_is_silent_until_the_peer_has_spoken),
        cmocka_unit_test(test_the_rtr_frame_comes_first),
        cmocka_unit_test(test_a_silent_peer_is_nudged_ever_less_often),
        cmocka_unit_test(test_a_peer_that_was_heard_is_left_alone),
        cmocka_unit_test(test_who_is_never_nudged),
        cmocka_unit_test(test_the_longest_message_begins_well),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
