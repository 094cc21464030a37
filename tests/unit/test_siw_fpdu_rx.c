/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* FPDUs out of a byte stream: CRC, every cut, windows, and random streams against a model. */
#include "core/base/prng.h"
#include "siw_receive_rows.h"

/* From captures: what Linux siw and a peer said in one rping exchange, and ready-to-receive
 * frames. */
static void test_frames_of_linux_siw_have_the_right_crc(void **state)
{
    static const uint8_t rtr[] = {0x00, 0x0e, 0xc1, 0x40, 0, 0, 0,    1,    0,    0,
                                  0,    0,    0,    0,    0, 0, 0xeb, 0xd3, 0x4c, 0x5f};
    static const uint8_t send[] = {0x00, 0x22, 0x41, 0x43, 0, 0,    0,    0,    0,    0,
                                   0,    0,    0,    0,    0, 1,    0,    0,    0,    0,
                                   0,    0,    0,    0x70, 0, 0,    0,    0,    0x11, 0x22,
                                   0x33, 0x00, 0,    0,    0, 0x40, 0x26, 0x6c, 0xd7, 0x0b};
    static const uint8_t read[] = {0x00, 0x2e, 0x41, 0x41, 0,    0,    0,    0,   0,    0,    0,
                                   1,    0,    0,    0,    1,    0,    0,    0,   0,    0x4b, 0xc3,
                                   0x96, 0x00, 0,    0,    0x7f, 0x75, 0xbc, 0,   0x0e, 0,    0,
                                   0,    0,    0x40, 0x11, 0x22, 0x33, 0,    0,   0,    0,    0x70,
                                   0,    0,    0,    0,    0x4f, 0x9f, 0x00, 0x23};
    struct terms t = {.crc = true, .rtr = WEFT_SIW_RTR_WRITE, .ird = 1};
    struct lab *lab = lab_new(&t);
    struct weft_siw_wc wc;

    (void)state;
    lab_recv(lab, 1, lab_at(lab, LAB_LOCAL), 64);
    qp_rx(&lab->s, lab->qp, rtr, sizeof(rtr));
    assert_int_equal(lab->ready, 1);
    qp_rx(&lab->s, lab->qp, send, sizeof(send));
    assert_true(weft_siw_cq_poll(&lab->s, lab->recv_cqn, &wc));
    assert_int_equal(wc.bytes, 16);
    assert_memory_equal(lab_at(lab, LAB_LOCAL), send + 20, 16);
    /* The STag that it reads is not ours: the frame passed, the request does not. */
    qp_rx(&lab->s, lab->qp, read, sizeof(read));
    assert_int_equal(lab->qp->terminate_error, TERMINATE_READ_STAG);
    assert_int_equal(lab->s.stats.crc_errors, 0);
    assert_int_equal(lab->s.stats.fpdus_in, 3);
    lab_free(lab);
}

/* Each bit of an FPDU is under the CRC, but for those that make it longer than what is there. */
static void test_a_wrong_bit_anywhere_places_nothing(void **state)
{
    (void)state;
    for (uint32_t bit = 16; bit < 8 * 28; bit++) {
        struct terms t = {.crc = true};
        struct lab *lab = lab_new(&t);
        struct peer p, expected;

        peer_init(&p, true);
        peer_init(&expected, true);
        peer_tagged(&p, 0, true, LAB_STAG(LAB_WRITE), LAB_TO, "seven!!", 7);
        assert_int_equal(p.count, 28);
        p.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        peer_feed(&p, lab);
        assert_int_equal(lab->failed, 1);
        assert_int_equal(lab->ready, 0);
        assert_int_equal(lab->s.stats.crc_errors, 1);
        assert_int_equal(lab->s.stats.fpdus_in, 0);
        assert_int_equal(lab_at(lab, LAB_WRITE)[0], LAB_FILL);
        lab_drain(lab);
        peer_terminate(&expected, TERMINATE_CRC, NOTHING, p.bytes + 2, 0);
        assert_int_equal(lab->out_bytes, expected.count);
        assert_memory_equal(lab->out, expected.bytes, expected.count);
        peer_free(&expected);
        peer_free(&p);
        lab_free(lab);
    }
}

static void test_without_crc_its_field_and_the_pad_may_be_anything(void **state)
{
    struct terms t = {.crc = false};
    struct lab *lab = lab_new(&t);
    struct peer p;

    (void)state;
    peer_init(&p, false);
    peer_tagged(&p, 0, true, LAB_STAG(LAB_WRITE), LAB_TO, "seven!!", 7);
    memset(p.bytes + 23, 0xEE, 5);
    peer_feed(&p, lab);
    assert_int_equal(lab->failed, 0);
    assert_memory_equal(lab_at(lab, LAB_WRITE), "seven!!", 7);
    assert_int_equal(lab_at(lab, LAB_WRITE)[7], LAB_FILL);
    peer_free(&p);
    lab_free(lab);
}

static void test_payload_with_a_crc_is_placed_when_the_crc_was_checked(void **state)
{
    struct terms t = {.crc = true};
    struct lab *lab = lab_new(&t);
    struct peer p;
    size_t bytes;

    (void)state;
    peer_init(&p, true);
    peer_tagged(&p, 0, true, LAB_STAG(LAB_WRITE), LAB_TO, "data", 4);
    for (size_t i = 0; i + 1 < p.count; i++) {
        qp_rx(&lab->s, lab->qp, p.bytes + i, 1);
        assert_null(qp_rx_window(&lab->s, lab->qp, &bytes));
        assert_int_equal(lab_at(lab, LAB_WRITE)[0], LAB_FILL);
        assert_int_equal(lab->s.verbs.partials.used, 1);
        assert_false(receiver_between(lab->qp));
    }
    qp_rx(&lab->s, lab->qp, p.bytes + p.count - 1, 1);
    assert_memory_equal(lab_at(lab, LAB_WRITE), "data", 4);
    assert_int_equal(lab->s.verbs.partials.used, 0);
    assert_true(receiver_between(lab->qp));
    peer_free(&p);
    lab_free(lab);
}

/* What a stream leads to, so that two ways of feeding it can be compared. */
struct outcome {
    uint8_t memory[sizeof(((struct lab *)NULL)->memory)];
    struct weft_siw_wc wcs[128];
    uint32_t wc_count, failed, ready, peer_terminated;
    uint16_t error;
    uint64_t fpdus;
    size_t out_bytes;
    uint8_t out[4096];
};

static void take_completions(struct lab *lab, uint32_t cqn, struct outcome *o)
{
    while (o->wc_count < COUNT(o->wcs) && weft_siw_cq_poll(&lab->s, cqn, &o->wcs[o->wc_count]))
        o->wc_count++;
}

static void take_outcome(struct lab *lab, struct outcome *o)
{
    memset(o, 0, sizeof(*o));
    memcpy(o->memory, lab->memory, sizeof(o->memory));
    take_completions(lab, lab->recv_cqn, o);
    take_completions(lab, lab->send_cqn, o);
    lab_drain(lab);
    o->failed = lab->failed;
    o->ready = lab->ready;
    o->peer_terminated = lab->peer_terminated;
    o->error = lab->qp->terminate_error;
    o->fpdus = lab->qp->fpdus_in;
    o->out_bytes = lab->out_bytes;
    lab_require(lab->out_bytes <= sizeof(o->out));
    memcpy(o->out, lab->out, lab->out_bytes);
}

/* A QP with receives of several pieces and two reads out. */
static struct lab *stream_lab(bool crc)
{
    struct terms t = {.initiator = true, .crc = crc, .ird = 8, .ord = 8};
    struct lab *lab = lab_new(&t);

    for (uint32_t i = 0; i < 4; i++) {
        struct weft_siw_sge sge[2] = {{lab_at(lab, LAB_LOCAL) + (size_t)64 * i, 5, 0},
                                      {lab_at(lab, LAB_LOCAL) + (size_t)64 * i + 8, 40, 0}};
        struct weft_siw_recv wr = {.wr_id = i, .sge = sge, .sge_count = 2};

        assert_int_equal(weft_siw_post_recv(&lab->s, lab->qpn, &wr), 0);
    }
    lab_read(lab, 100, LAB_LOCAL, 1000, 6);
    lab_read(lab, 101, LAB_LOCAL, 1010, 0);
    return lab;
}

/* One of everything. */
static void make_stream(struct peer *p)
{
    peer_tagged(p, 0, false, LAB_STAG(LAB_WRITE), LAB_TO, "write", 5);
    peer_untagged(p, 3, false, 0, 0, 1, 0, "a send ", 7);
    peer_tagged(p, 0, true, LAB_STAG(LAB_WRITE), LAB_TO + 5, "ten", 3);
    peer_untagged(p, 3, true, 0, 0, 1, 7, "of two", 6);
    peer_read_request(p, 1, 0x999, 3, 7, LAB_STAG(LAB_READ), LAB_TO + 1);
    peer_tagged(p, 2, false, LAB_STAG(LAB_LOCAL), LAB_TO + 1000, "si", 2);
    peer_untagged(p, 6, true, LAB_STAG(LAB_ALL), 0, 2, 0, NULL, 0);
    peer_tagged(p, 2, true, LAB_STAG(LAB_LOCAL), LAB_TO + 1002, "nked", 4);
    peer_tagged(p, 2, true, 0, 0, NULL, 0);
}

/* Feeds up to three parts. */
static void check_cuts(const struct peer *p, size_t first, size_t second,
                       const struct outcome *expected)
{
    static struct outcome o;
    struct lab *lab = stream_lab(p->crc);

    qp_rx(&lab->s, lab->qp, p->bytes, first);
    qp_rx(&lab->s, lab->qp, p->bytes + first, second - first);
    qp_rx(&lab->s, lab->qp, p->bytes + second, p->count - second);
    take_outcome(lab, &o);
    assert_memory_equal(&o, expected, sizeof(o));
    lab_free(lab);
}

/* One cut at each place of a stream, and a second one near it or farther off. */
static void check_all_cuts(bool crc, void (*end)(struct peer *p))
{
    static const size_t apart[] = {0, 1, 2, 3, 6, 19, 64};
    static struct outcome expected, o;
    struct lab *lab = stream_lab(crc);
    struct peer p;

    peer_init(&p, crc);
    make_stream(&p);
    if (end)
        end(&p);
    qp_rx(&lab->s, lab->qp, p.bytes, p.count);
    take_outcome(lab, &expected);
    assert_int_equal(expected.wc_count, end ? 6 : 4);
    lab_free(lab);
    for (size_t first = 0; first <= p.count; first++) {
        for (uint32_t i = 0; i < COUNT(apart) && first + apart[i] <= p.count; i++)
            check_cuts(&p, first, first + apart[i], &expected);
    }
    lab = stream_lab(crc);
    feed_in_parts(lab, p.bytes, p.count, 1);
    take_outcome(lab, &o);
    assert_memory_equal(&o, &expected, sizeof(o));
    lab_free(lab);
    peer_free(&p);
}

static void test_cuts_anywhere_change_nothing(void **state)
{
    (void)state;
    check_all_cuts(true, NULL);
    check_all_cuts(false, NULL);
}

static void end_by_bounds(struct peer *p)
{
    peer_tagged(p, 0, true, LAB_STAG(LAB_WRITE), LAB_TO + LAB_BYTES - 1, "xy", 2);
    peer_tagged(p, 0, true, LAB_STAG(LAB_WRITE), LAB_TO, "z", 1);
}

static void test_cuts_anywhere_do_not_change_a_failure(void **state)
{
    (void)state;
    check_all_cuts(true, end_by_bounds);
    check_all_cuts(false, end_by_bounds);
}

static void test_the_longest_fpdu(void **state)
{
    static uint8_t payload[FPDU_ULPDU_MAX - DDP_TAGGED_BYTES], place[sizeof(payload)];
    static const size_t parts[] = {SIZE_MAX, 1460, 1};

    (void)state;
    for (size_t i = 0; i < sizeof(payload); i++)
        payload[i] = (uint8_t)(i * 7 >> 3);
    for (uint32_t i = 0; i < 2 * COUNT(parts); i++) {
        struct terms t = {.crc = i % 2};
        struct lab *lab = lab_new(&t);
        struct weft_siw_region r = {
            .base = place, .bytes = sizeof(place), .pd = LAB_PD, .access = WEFT_SIW_REMOTE_WRITE};
        uint32_t stag;
        struct peer p;

        memset(place, 0, sizeof(place));
        assert_int_equal(weft_siw_region_register(&lab->s, &r, &stag), 0);
        peer_init(&p, t.crc);
        peer_tagged(&p, 0, true, stag, 0, payload, sizeof(payload));
        feed_in_parts(lab, p.bytes, p.count, parts[i / 2]);
        assert_int_equal(lab->failed, 0);
        assert_memory_equal(place, payload, sizeof(payload));
        peer_free(&p);
        lab_free(lab);
    }
}

static void test_the_window_is_the_rest_of_the_payload(void **state)
{
    struct terms t = {.crc = false};
    struct lab *lab = lab_new(&t);
    uint8_t *at = lab_at(lab, LAB_WRITE);
    size_t bytes = 99;
    struct peer p;

    (void)state;
    peer_init(&p, false);
    peer_tagged(&p, 0, true, LAB_STAG(LAB_WRITE), LAB_TO, "0123456789", 10);
    assert_null(qp_rx_window(&lab->s, lab->qp, &bytes));
    qp_rx(&lab->s, lab->qp, p.bytes, 15);
    assert_null(qp_rx_window(&lab->s, lab->qp, &bytes));
    assert_int_equal(bytes, 99);
    qp_rx(&lab->s, lab->qp, p.bytes + 15, 1);
    assert_ptr_equal(qp_rx_window(&lab->s, lab->qp, &bytes), at);
    assert_int_equal(bytes, 10);
    qp_rx_placed(&lab->s, lab->qp, 0);
    memcpy(at, "01234", 5);
    qp_rx_placed(&lab->s, lab->qp, 5);
    assert_ptr_equal(qp_rx_window(&lab->s, lab->qp, &bytes), at + 5);
    assert_int_equal(bytes, 5);
    memcpy(at + 5, "56789", 5);
    qp_rx_placed(&lab->s, lab->qp, 5);
    assert_null(qp_rx_window(&lab->s, lab->qp, &bytes));
    assert_int_equal(lab->ready, 0);
    qp_rx(&lab->s, lab->qp, p.bytes + 26, p.count - 26);
    assert_int_equal(lab->ready, 1);
    assert_memory_equal(at, "0123456789", 10);
    peer_free(&p);
    lab_free(lab);
}

static void test_a_qp_that_has_failed_has_no_window(void **state)
{
    struct terms t = {.crc = false};
    struct lab *lab = lab_new(&t);
    struct peer p;
    size_t bytes;

    (void)state;
    peer_init(&p, false);
    peer_tagged(&p, 0, true, LAB_STAG(LAB_WRITE), LAB_TO, "0123456789", 10);
    qp_rx(&lab->s, lab->qp, p.bytes, 16);
    qp_abort(&lab->s, lab->qp);
    assert_null(qp_rx_window(&lab->s, lab->qp, &bytes));
    qp_rx(&lab->s, lab->qp, p.bytes + 16, p.count - 16);
    assert_int_equal(lab_at(lab, LAB_WRITE)[0], LAB_FILL);
    peer_free(&p);
    lab_free(lab);
}

static void test_what_a_connection_left_unfinished_is_forgotten(void **state)
{
    struct terms t = {.crc = true};
    struct lab *lab = lab_new(&t);
    struct peer p;

    (void)state;
    lab_recv(lab, 1, lab_at(lab, LAB_LOCAL), 64);
    peer_init(&p, true);
    peer_untagged(&p, 3, false, 0, 0, 1, 0, "half", 4);
    peer_tagged(&p, 0, true, LAB_STAG(LAB_WRITE), LAB_TO, "data", 4);
    qp_rx(&lab->s, lab->qp, p.bytes, p.count - 1);
    assert_int_equal(lab->s.verbs.partials.used, 1);
    qp_unbind(&lab->s, lab->qp, false);
    assert_int_equal(lab->s.verbs.partials.used, 0);
    assert_int_equal(weft_siw_qp_reset(&lab->s, lab->qpn), 0);
    lab_recv(lab, 2, lab_at(lab, LAB_LOCAL), 64);
    qp_connect(&lab->s, lab->qp, &lab->ep, &t);
    p.count = 0;
    peer_send(&p, 1, "whole", 5);
    peer_feed(&p, lab);
    assert_int_equal(lab->failed, 0);
    assert_int_equal(lab->ready, 2);
    assert_memory_equal(lab_at(lab, LAB_LOCAL), "whole", 5);
    peer_free(&p);
    lab_free(lab);
}

/* A random stream that is right, and what it must lead to. */
struct plan {
    struct prng random;
    struct lab *lab;
    struct peer stream, answers;
    uint8_t memory[sizeof(((struct lab *)NULL)->memory)];
    struct weft_siw_wc recvs[LAB_RECVS], reads[8];
    uint32_t recv_count, read_count, request_count, reads_posted;
    struct {
        uint32_t at, bytes;
    } sinks[8];
};

static uint32_t draw(struct plan *t, uint32_t max)
{
    return (uint32_t)prng_up_to(&t->random, max);
}

static void draw_bytes(struct plan *t, uint8_t *out, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        out[i] = (uint8_t)prng_next(&t->random);
}

/* How much of what is left goes into the next segment. */
static uint32_t draw_segment(struct plan *t, uint32_t left)
{
    return draw(t, 2) == 0 ? left : draw(t, left);
}

static uint8_t *model_at(struct plan *t, enum lab_region region, uint32_t offset)
{
    return t->memory + (size_t)region * (LAB_GUARD + LAB_BYTES + LAB_GUARD) + LAB_GUARD + offset;
}

/* A Send into a receive of up to four pieces, which is posted for it. */
static void plan_send(struct plan *t)
{
    static const uint8_t kinds[] = {RDMAP_SEND, RDMAP_SEND_SE};
    uint32_t bytes = draw(t, 60), space = 64 * t->recv_count, sent = 0, left = bytes, n;
    uint8_t opcode = kinds[draw(t, 1)], data[64];
    struct weft_siw_sge sge[WEFT_SIW_SGE_MAX] = {{0}};
    struct weft_siw_recv wr = {.wr_id = t->recv_count, .sge = sge};

    if (t->recv_count == 32)
        return;
    draw_bytes(t, data, bytes);
    for (wr.sge_count = 0; wr.sge_count < WEFT_SIW_SGE_MAX; wr.sge_count++) {
        bool last = wr.sge_count == WEFT_SIW_SGE_MAX - 1;

        n = last ? left : draw(t, left);
        sge[wr.sge_count] = (struct weft_siw_sge){
            .addr = lab_at(t->lab, LAB_LOCAL) + space, .bytes = n, .stag = LAB_STAG(LAB_LOCAL)};
        memcpy(model_at(t, LAB_LOCAL, space), data + (bytes - left), n);
        space += n + (n > 0 && !last);
        left -= n;
    }
    assert_int_equal(weft_siw_post_recv(&t->lab->s, t->lab->qpn, &wr), 0);
    t->recvs[t->recv_count++] = (struct weft_siw_wc){
        .wr_id = wr.wr_id, .bytes = bytes, .solicited = opcode == RDMAP_SEND_SE};
    do {
        n = draw_segment(t, bytes - sent);
        peer_untagged(&t->stream, opcode, sent + n == bytes, 0, 0, t->recv_count, sent, data + sent,
                      n);
        sent += n;
    } while (sent < bytes);
}

/* Segments of a Write, at any places, with Sends in between. */
static void plan_write(struct plan *t)
{
    enum lab_region region = draw(t, 1) ? LAB_WRITE : LAB_ALL;
    bool last;

    do {
        uint32_t bytes = draw(t, 300), at = draw(t, LAB_BYTES - bytes);
        uint8_t data[300];

        last = draw(t, 2) == 0;
        draw_bytes(t, data, bytes);
        memcpy(model_at(t, region, at), data, bytes);
        peer_tagged(&t->stream, RDMAP_WRITE, last, LAB_STAG(region), LAB_TO + at, data, bytes);
        if (draw(t, 3) == 0)
            plan_send(t);
    } while (!last);
}

static void plan_read_request(struct plan *t)
{
    uint32_t bytes = draw(t, 500), at = draw(t, LAB_BYTES - bytes), sink = draw(t, UINT32_MAX - 1);

    if (t->request_count == 8)
        return;
    t->request_count++;
    peer_read_request(&t->stream, t->request_count, sink, at, bytes, LAB_STAG(LAB_READ),
                      LAB_TO + at);
    peer_tagged(&t->answers, RDMAP_READ_RESPONSE, true, sink, at, lab_at(t->lab, LAB_READ) + at,
                bytes);
}

static void plan_read_response(struct plan *t)
{
    uint32_t at, bytes, done = 0;
    uint8_t data[100];

    if (t->read_count == t->reads_posted)
        return;
    at = t->sinks[t->read_count].at;
    bytes = t->sinks[t->read_count].bytes;
    draw_bytes(t, data, bytes);
    memcpy(model_at(t, LAB_LOCAL, at), data, bytes);
    do {
        uint32_t n = draw_segment(t, bytes - done);

        peer_tagged(&t->stream, RDMAP_READ_RESPONSE, done + n == bytes, LAB_STAG(LAB_LOCAL),
                    LAB_TO + at + done, data + done, n);
        done += n;
    } while (done < bytes);
    t->reads[t->read_count] =
        (struct weft_siw_wc){.wr_id = t->read_count, .opcode = WEFT_SIW_WC_READ, .bytes = bytes};
    t->read_count++;
}

static void plan_stream(struct plan *t, uint64_t seed)
{
    struct terms terms = {.initiator = true, .crc = seed % 2, .ird = 8, .ord = 8};

    *t = (struct plan){.random = {seed}, .lab = lab_new(&terms)};
    peer_init(&t->stream, terms.crc);
    peer_init(&t->answers, terms.crc);
    draw_bytes(t, lab_at(t->lab, LAB_READ), LAB_BYTES);
    memcpy(t->memory, t->lab->memory, sizeof(t->memory));
    for (t->reads_posted = 0; t->reads_posted < draw(t, 8); t->reads_posted++) {
        uint32_t i = t->reads_posted;

        t->sinks[i].at = 3000 + 101 * i;
        t->sinks[i].bytes = draw(t, 100);
        lab_read(t->lab, i, LAB_LOCAL, t->sinks[i].at, t->sinks[i].bytes);
    }
    for (uint32_t i = 0; i < 40; i++) {
        switch (draw(t, 3)) {
        case 0:
            plan_send(t);
            break;
        case 1:
            plan_write(t);
            break;
        case 2:
            plan_read_request(t);
            break;
        default:
            plan_read_response(t);
            break;
        }
    }
}

/* Feeds the stream in parts of up to `most` bytes, through the window now and then. */
static void feed_plan(struct plan *t, uint32_t most)
{
    struct lab *lab = t->lab;
    size_t at = 0;

    while (at < t->stream.count) {
        size_t n = 1 + draw(t, most), room;
        uint8_t *window = draw(t, 3) ? qp_rx_window(&lab->s, lab->qp, &room) : NULL;

        if (n > t->stream.count - at)
            n = t->stream.count - at;
        if (window) {
            n = n < room ? n : room;
            memcpy(window, t->stream.bytes + at, n);
            qp_rx_placed(&lab->s, lab->qp, n);
        } else {
            qp_rx(&lab->s, lab->qp, t->stream.bytes + at, n);
        }
        at += n;
        if (draw(t, 1))
            lab_drain(lab);
    }
    lab_drain(lab);
}

static void check_completions(struct plan *t, uint32_t cqn, const struct weft_siw_wc *expected,
                              uint32_t count)
{
    struct weft_siw_wc wc;

    for (uint32_t i = 0; i < count; i++) {
        assert_true(weft_siw_cq_poll(&t->lab->s, cqn, &wc));
        assert_int_equal(wc.wr_id, expected[i].wr_id);
        assert_int_equal(wc.status, WEFT_SIW_WC_OK);
        assert_int_equal(wc.bytes, expected[i].bytes);
        assert_int_equal(wc.solicited, expected[i].solicited);
    }
    assert_false(weft_siw_cq_poll(&t->lab->s, cqn, &wc));
}

static void test_random_streams_in_random_parts_keep_to_the_model(void **state)
{
    static const uint32_t parts[] = {1, 5, 40, 1460, 65536};
    static struct plan t;

    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        plan_stream(&t, seed);
        feed_plan(&t, parts[seed / 2 % COUNT(parts)]);
        if (t.lab->failed || memcmp(t.lab->memory, t.memory, sizeof(t.memory)) != 0)
            print_error("seed %llu\n", (unsigned long long)seed);
        assert_int_equal(t.lab->failed, 0);
        assert_memory_equal(t.lab->memory, t.memory, sizeof(t.memory));
        check_completions(&t, t.lab->recv_cqn, t.recvs, t.recv_count);
        check_completions(&t, t.lab->send_cqn, t.reads, t.read_count);
        assert_int_equal(t.lab->out_bytes, t.answers.count);
        assert_memory_equal(t.lab->out, t.answers.bytes, t.answers.count);
        assert_true(receiver_between(t.lab->qp));
        peer_free(&t.answers);
        peer_free(&t.stream);
        lab_free(t.lab);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_of_linux_siw_have_the_right_crc),
        cmocka_unit_test(test_a_wrong_bit_anywhere_places_nothing),
        cmocka_unit_test(test_without_crc_its_field_and_the_pad_may_be_anything),
        cmocka_unit_test(test_payload_with_a_crc_is_placed_when_the_crc_was_checked),
        cmocka_unit_test(test_cuts_anywhere_change_nothing),
        cmocka_unit_test(test_cuts_anywhere_do_not_change_a_failure),
        cmocka_unit_test(test_random_streams_in_random_parts_keep_to_the_model),
        cmocka_unit_test(test_the_longest_fpdu),
        cmocka_unit_test(test_the_window_is_the_rest_of_the_payload),
        cmocka_unit_test(test_a_qp_that_has_failed_has_no_window),
        cmocka_unit_test(test_what_a_connection_left_unfinished_is_forgotten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
