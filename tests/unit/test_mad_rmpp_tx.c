/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RMPP, the sender: geometry of segments, windows, ACKs, resending, and how transfers end. */
#include "core/mad/send.h"
#include "mad_fixture.h"

#include <stdlib.h>
#include <string.h>

#define METHOD WEFT_METHOD_GET_MULTI

/* A port whose SA agent sends one RMPP message, request number 1. */
struct sender {
    struct fx *f;
    uint8_t *data;
    uint32_t len;
    weft_mad_send_id id;
};

/* What a message is made of; the rest are defaults. */
struct made {
    uint32_t bytes; /* of user data */
    weft_time timeout;
    uint8_t retries;
    bool answer; /* it is a response */
};

static struct sender sender_of_class(uint8_t mgmt_class, const struct made *m)
{
    struct sender s = {.f = fx_new_rmpp(NULL, mgmt_class)};
    uint32_t head = mad_class_data_offset(mgmt_class);
    struct weft_mad_send_req r = fx_request(s.f, 1);

    s.len = head + m->bytes;
    s.data = malloc(s.len + 256);
    assert_non_null(s.data);
    memcpy(s.data, s.f->mads[1], head);
    mad_set_method(s.data, m->answer ? METHOD | WEFT_METHOD_RESPONSE : METHOD);
    mad_set_tid(s.data, fx_tid(s.f, 1));
    memset(s.data + 24, 0xff, 12); /* Active; the engine writes a header of its own */
    for (uint32_t i = 0; i < m->bytes; i++)
        s.data[head + i] = (uint8_t)(i * 7 + i / 200);
    r.data = s.data;
    r.len = s.len;
    r.timeout = m->timeout;
    r.retries = m->retries;
    s.id = fx_post(s.f, &r);
    return s;
}

static struct sender sender(struct made m)
{
    return sender_of_class(FX_SA, &m);
}

/* A message of this many segments, with an answer expected after FX_TIMEOUT. */
static struct sender asking(uint32_t segments, uint8_t retries)
{
    return sender(
        (struct made){.bytes = segments * 200, .timeout = FX_TIMEOUT, .retries = retries});
}

static void sender_free(struct sender *s)
{
    fx_free(s->f);
    free(s->data);
}

static struct fx_segment control(const struct sender *s, uint8_t type)
{
    return (struct fx_segment){.mgmt_class = s->f->mgmt_class,
                               .method = mad_method(s->data) ^ WEFT_METHOD_RESPONSE,
                               .tid = fx_tid(s->f, 1),
                               .type = type};
}

static enum weft_mad_verdict ack(struct sender *s, uint32_t segment, uint32_t window)
{
    struct fx_segment c = control(s, WEFT_RMPP_ACK);

    c.segment = segment;
    c.length = window;
    return fx_rx_segment(s->f, &c);
}

static enum weft_mad_verdict end(struct sender *s, uint8_t type, uint8_t status)
{
    struct fx_segment c = control(s, type);

    c.status = status;
    return fx_rx_segment(s->f, &c);
}

static void expect_segment(struct sender *s, uint32_t segment)
{
    fx_send(s->f);
    assert_int_equal(rmpp_type(s->f->packet), WEFT_RMPP_DATA);
    assert_int_equal(rmpp_segment(s->f->packet), segment);
}

static void expect_segments(struct sender *s, uint32_t first, uint32_t last)
{
    for (uint32_t n = first; n <= last; n++)
        expect_segment(s, n);
    assert_true(fx_tx_empty(s->f));
}

static void expect_abort(struct sender *s, uint8_t status)
{
    fx_send(s->f);
    assert_int_equal(rmpp_type(s->f->packet), WEFT_RMPP_ABORT);
    assert_int_equal(rmpp_status(s->f->packet), status);
}

/* The step-2 ACK of a double-sided transfer. */
static void expect_grant(struct sender *s)
{
    fx_send(s->f);
    assert_int_equal(rmpp_type(s->f->packet), WEFT_RMPP_ACK);
    assert_int_equal(rmpp_segment(s->f->packet), 0);
    assert_int_equal(rmpp_new_window(s->f->packet), 1);
    assert_int_equal(mad_method(s->f->packet), METHOD);
}

static void expect_aborted(struct sender *s, uint8_t status, bool local)
{
    fx_expect_done(s->f, 1, WEFT_MAD_RMPP_ABORTED);
    assert_int_equal(s->f->event.u.sent.rmpp_status, status);
    assert_int_equal(s->f->event.u.sent.rmpp_local, local);
    fx_expect_idle(s->f);
}

static enum weft_mad_state state_of(const struct sender *s)
{
    return fx_state(s->f, s->id);
}

/* Looks at one segment that was sent: header, data, zeroes behind it. */
static void check_segment(const struct sender *s, uint32_t segment, uint32_t segments)
{
    const uint8_t *packet = s->f->packet;
    uint32_t head = mad_class_data_offset(s->f->mgmt_class), per = WEFT_MAD_BYTES - head;
    uint32_t off = head + (segment - 1) * per, rest = s->len - off;
    uint32_t bytes = rest < per ? rest : per, class_header = head - 36;
    uint8_t flags = WEFT_RMPP_FLAG_ACTIVE;
    uint32_t length = 0;

    if (segment == segments) {
        flags |= WEFT_RMPP_FLAG_LAST;
        length = class_header + bytes;
    }
    if (segment == 1) {
        flags |= WEFT_RMPP_FLAG_FIRST;
        length = segments * class_header + s->len - head;
    }
    assert_int_equal(rmpp_version(packet), 1);
    assert_int_equal(rmpp_type(packet), WEFT_RMPP_DATA);
    assert_int_equal(rmpp_flags(packet), flags);
    assert_int_equal(rmpp_resp_time(packet), WEFT_RMPP_RESP_TIME_UNKNOWN);
    assert_int_equal(rmpp_status(packet), 0);
    assert_int_equal(rmpp_segment(packet), segment);
    assert_int_equal(rmpp_length(packet), length);
    assert_memory_equal(packet, s->data, 24);
    assert_memory_equal(packet + 36, s->data + 36, class_header);
    assert_memory_equal(packet + head, s->data + off, bytes);
    for (uint32_t i = head + bytes; i < WEFT_MAD_BYTES; i++)
        assert_int_equal(packet[i], 0);
}

static void check_geometry(uint8_t mgmt_class, uint32_t bytes)
{
    uint32_t per = WEFT_MAD_BYTES - mad_class_data_offset(mgmt_class);
    uint32_t segments = bytes == 0 ? 1 : (bytes + per - 1) / per;
    struct sender s = sender_of_class(mgmt_class, &(struct made){.bytes = bytes});

    for (uint32_t n = 1; n <= segments; n++) {
        fx_send(s.f);
        check_segment(&s, n, segments);
        assert_int_equal(ack(&s, n, n == segments ? n : n + 1), WEFT_MAD_ACCEPTED);
    }
    fx_expect_done(s.f, 1, WEFT_MAD_OK);
    fx_expect_idle(s.f);
    sender_free(&s);
}

static void test_geometry_of_every_size_around_segment_and_window_edges(void **state)
{
    static const uint8_t classes[] = {
        FX_SA, WEFT_CLASS_DEVICE, WEFT_CLASS_DEVICE_ADM, WEFT_CLASS_BIS, 0x30, 0x4f};

    (void)state;
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        uint32_t per = WEFT_MAD_BYTES - mad_class_data_offset(classes[i]);
        const uint32_t sizes[] = {0,        1,           2,
                                  per - 1,  per,         per + 1,
                                  per * 2,  per * 2 + 1, per * 64 - 1,
                                  per * 64, per * 65,    per * 65 + 1,
                                  per * 128};

        for (size_t n = 0; n < sizeof(sizes) / sizeof(sizes[0]); n++)
            check_geometry(classes[i], sizes[n]);
    }
}

static void test_R36_a_transfer_starts_in_SEND_START_with_one_segment(void **state)
{
    struct sender s = asking(3, 0);

    (void)state;
    assert_int_equal(state_of(&s), WEFT_MAD_SEND_START);
    expect_segments(&s, 1, 1);
    assert_int_equal(state_of(&s), WEFT_MAD_WAIT_RESP);
    assert_int_equal(weft_mad_deadline(s.f->port), s.f->now + FX_TIMEOUT);
    sender_free(&s);
}

static void test_the_wait_for_an_ACK_is_the_timeout_but_at_most_ack_ns(void **state)
{
    static const weft_time waits[][2] = {{0, 2 * WEFT_S},
                                         {1, 1},
                                         {2 * WEFT_S - 1, 2 * WEFT_S - 1},
                                         {2 * WEFT_S, 2 * WEFT_S},
                                         {2 * WEFT_S + 1, 2 * WEFT_S},
                                         {WEFT_TIME_NEVER, 2 * WEFT_S}};

    (void)state;
    for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
        struct sender s = sender((struct made){.bytes = 500, .timeout = waits[i][0]});

        fx_send(s.f);
        assert_int_equal(weft_mad_deadline(s.f->port), s.f->now + waits[i][1]);
        sender_free(&s);
    }
}

static void test_R14_the_window_of_an_ACK_is_sent_from_WAIT_RESP(void **state)
{
    struct sender s = asking(6, 0);

    (void)state;
    expect_segments(&s, 1, 1);
    assert_int_equal(ack(&s, 1, 4), WEFT_MAD_ACCEPTED);
    assert_int_equal(state_of(&s), WEFT_MAD_SEND_START);
    assert_int_equal(weft_mad_deadline(s.f->port), WEFT_TIME_NEVER);
    expect_segments(&s, 2, 4);
    assert_int_equal(state_of(&s), WEFT_MAD_WAIT_RESP);
    ack(&s, 4, 9);
    expect_segments(&s, 5, 6); /* no further than the message */
    sender_free(&s);
}

static void test_R35_a_window_opened_in_SEND_START_is_used_at_the_completion_and_once(void **state)
{
    struct sender s = asking(8, 0);
    weft_mad_tx_id tx = fx_take(s.f);

    (void)state;
    assert_int_equal(ack(&s, 1, 3), WEFT_MAD_ACCEPTED);
    assert_int_equal(state_of(&s), WEFT_MAD_SEND_START);
    assert_true(fx_tx_empty(s.f));
    fx_done(s.f, tx, true);
    expect_segments(&s, 2, 3);
    ack(&s, 3, 4);
    ack(&s, 3, 5); /* while 4 is due */
    expect_segments(&s, 4, 5);
    sender_free(&s);
}

static void test_old_ACKs_are_ignored(void **state)
{
    struct sender s = asking(8, 0);

    (void)state;
    expect_segments(&s, 1, 1);
    ack(&s, 1, 5);
    expect_segments(&s, 2, 5);
    ack(&s, 3, 5);
    assert_int_equal(ack(&s, 2, 7), WEFT_MAD_DROP_RMPP);
    assert_int_equal(ack(&s, 4, 4), WEFT_MAD_DROP_RMPP);
    fx_advance(s.f, FX_TIMEOUT / 2);
    assert_int_equal(ack(&s, 3, 5), WEFT_MAD_ACCEPTED); /* no progress: the wait goes on */
    assert_int_equal(weft_mad_deadline(s.f->port), s.f->now + FX_TIMEOUT / 2);
    assert_true(fx_tx_empty(s.f));
    assert_int_equal(ack(&s, 5, 6), WEFT_MAD_ACCEPTED);
    expect_segments(&s, 6, 6);
    sender_free(&s);
}

static void test_R16_without_an_answer_expected_the_last_ACK_ends_it(void **state)
{
    struct sender s = sender((struct made){.bytes = 400});

    (void)state;
    expect_segments(&s, 1, 1);
    ack(&s, 1, 2);
    expect_segments(&s, 2, 2);
    assert_int_equal(state_of(&s), WEFT_MAD_WAIT_RESP);
    assert_false(fx_event(s.f));
    ack(&s, 2, 2);
    fx_expect_done(s.f, 1, WEFT_MAD_OK);
    fx_expect_idle(s.f);
    sender_free(&s);
}

static void test_R15_R35_the_last_ACK_before_the_completion_arms_no_timer(void **state)
{
    (void)state;
    for (int ok = 0; ok < 2; ok++) {
        struct sender s = sender((struct made){.bytes = 100});
        weft_mad_tx_id tx = fx_take(s.f);

        assert_int_equal(ack(&s, 1, 1), WEFT_MAD_ACCEPTED);
        assert_int_equal(state_of(&s), WEFT_MAD_EARLY_RESP);
        assert_int_equal(weft_mad_deadline(s.f->port), WEFT_TIME_NEVER);
        assert_int_equal(ack(&s, 1, 1), WEFT_MAD_DROP_RMPP);
        fx_done(s.f, tx, ok != 0);
        fx_expect_done(s.f, 1, ok ? WEFT_MAD_OK : WEFT_MAD_TX_ERROR);
        fx_expect_idle(s.f);
        sender_free(&s);
    }
}

static void test_with_an_answer_expected_the_last_ACK_starts_the_clients_timeout(void **state)
{
    struct sender s = sender((struct made){.bytes = 100, .timeout = 30 * WEFT_S});

    (void)state;
    expect_segments(&s, 1, 1);
    fx_advance(s.f, WEFT_S);
    assert_int_equal(ack(&s, 1, 1), WEFT_MAD_ACCEPTED);
    assert_int_equal(weft_mad_deadline(s.f->port), s.f->now + 30 * WEFT_S);
    expect_grant(&s);
    /* each further ACK draws the grant again, in case it was lost */
    assert_int_equal(ack(&s, 1, 1), WEFT_MAD_ACCEPTED);
    expect_grant(&s);
    assert_int_equal(ack(&s, 0, 1), WEFT_MAD_DROP_RMPP); /* but a grant draws none */
    assert_true(fx_tx_empty(s.f));
    fx_advance(s.f, 30 * WEFT_S); /* not sent again: the peer has it */
    fx_expect_done(s.f, 1, WEFT_MAD_TIMEOUT);
    fx_expect_idle(s.f);
    sender_free(&s);
}

static void test_the_last_ACK_in_SEND_START_with_an_answer_expected(void **state)
{
    struct sender s = sender((struct made){.bytes = 100, .timeout = 30 * WEFT_S});
    weft_mad_tx_id tx = fx_take(s.f);

    (void)state;
    assert_int_equal(ack(&s, 1, 1), WEFT_MAD_ACCEPTED);
    assert_int_equal(state_of(&s), WEFT_MAD_SEND_START);
    assert_int_equal(weft_mad_deadline(s.f->port), WEFT_TIME_NEVER);
    fx_done(s.f, tx, true);
    expect_grant(&s);
    assert_int_equal(weft_mad_deadline(s.f->port), s.f->now + 30 * WEFT_S);
    sender_free(&s);
}

static void test_a_timeout_sends_again_from_the_first_segment_not_acknowledged(void **state)
{
    struct sender s = asking(8, 1);

    (void)state;
    expect_segments(&s, 1, 1);
    ack(&s, 1, 5);
    expect_segments(&s, 2, 5);
    ack(&s, 3, 5);
    fx_advance(s.f, FX_TIMEOUT);
    expect_segments(&s, 4, 5);
    assert_int_equal(fx_stats(s.f).rmpp_resent, 2);
    assert_int_equal(fx_agent_stats(s.f).retried, 1);
    sender_free(&s);
}

static void test_a_window_that_does_not_open_is_asked_for_and_not_passed(void **state)
{
    struct sender s = asking(5, 1);

    (void)state;
    expect_segments(&s, 1, 1);
    ack(&s, 1, 2);
    expect_segments(&s, 2, 2);
    ack(&s, 2, 2); /* the one with the next window is lost */
    fx_advance(s.f, FX_TIMEOUT);
    expect_segments(&s, 2, 2);
    ack(&s, 2, 4);
    expect_segments(&s, 3, 4);
    sender_free(&s);
}

static void test_retries_count_for_each_window(void **state)
{
    struct sender s = asking(3, 2);

    (void)state;
    for (uint32_t n = 1; n <= 3; n++) {
        for (int retry = 0; retry < 3; retry++) {
            expect_segments(&s, n, n);
            if (retry < 2)
                fx_advance(s.f, FX_TIMEOUT);
        }
        ack(&s, n, n + 1);
    }
    expect_grant(&s);
    fx_advance(s.f, FX_TIMEOUT);
    fx_expect_done(s.f, 1, WEFT_MAD_TIMEOUT);
    sender_free(&s);
}

static void test_giving_up_tells_the_receiver(void **state)
{
    struct sender s = asking(3, 1);

    (void)state;
    expect_segments(&s, 1, 1);
    fx_advance(s.f, FX_TIMEOUT);
    expect_segments(&s, 1, 1);
    fx_advance(s.f, FX_TIMEOUT);
    expect_abort(&s, WEFT_RMPP_STATUS_TMR);
    assert_int_equal(rmpp_flags(s.f->packet), WEFT_RMPP_FLAG_ACTIVE);
    assert_memory_equal(s.f->packet + 28, ((const uint8_t[8]){0}), 8); /* no segment, no length */
    assert_int_equal(mad_method(s.f->packet), METHOD); /* the direction of the segments */
    assert_int_equal(mad_tid(s.f->packet), fx_tid(s.f, 1));
    assert_int_equal(s.f->packet_to.lid, FX_PEER_LID);
    assert_int_equal(fx_stats(s.f).rmpp_aborts_sent, 1);
    assert_int_equal(fx_stats(s.f).retried, 1);
    fx_expect_done(s.f, 1, WEFT_MAD_TIMEOUT);
    assert_int_equal(s.f->event.u.sent.attempts, 2);
    fx_expect_idle(s.f);
    sender_free(&s);
}

static void test_kernel_defect_6_the_wait_for_an_ACK_stays_relative_window_by_window(void **state)
{
    struct sender s = asking(6, 3);

    (void)state;
    expect_segments(&s, 1, 1);
    for (uint32_t n = 1; n < 6; n++) {
        fx_advance(s.f, FX_TIMEOUT); /* each window once in vain */
        expect_segments(&s, n, n);
        ack(&s, n, n + 1);
        expect_segments(&s, n + 1, n + 1);
        assert_int_equal(weft_mad_deadline(s.f->port), s.f->now + FX_TIMEOUT);
    }
    sender_free(&s);
}

static void test_set_timeout_while_segments_and_while_the_answer_is_awaited(void **state)
{
    struct sender s = asking(2, 0);

    (void)state;
    expect_segments(&s, 1, 1);
    assert_int_equal(weft_mad_set_timeout(s.f->port, s.f->now, s.id, 9 * WEFT_S), 0);
    assert_int_equal(weft_mad_deadline(s.f->port), s.f->now + 2 * WEFT_S); /* for an ACK */
    ack(&s, 1, 2);
    expect_segments(&s, 2, 2);
    ack(&s, 2, 2);
    assert_int_equal(weft_mad_deadline(s.f->port), s.f->now + 9 * WEFT_S);
    assert_int_equal(weft_mad_set_timeout(s.f->port, s.f->now, s.id, 5 * WEFT_S), 0);
    assert_int_equal(weft_mad_deadline(s.f->port), s.f->now + 5 * WEFT_S);
    sender_free(&s);
}

static void test_a_late_ACK_overtakes_segments_that_are_due_again(void **state)
{
    /* after the rewind 2 is due; then an ACK says that all up to `acked` have arrived */
    static const struct {
        uint32_t acked, window, next, last;
    } rows[] = {
        {3, 5, 4, 5}, /* the rest of the window */
        {5, 5, 5, 5}, /* the packet that is due already repeats a segment: no further one may go */
        {5, 6, 6, 6},
        {2, 5, 3, 5},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sender s = asking(8, 2);

        expect_segments(&s, 1, 1);
        ack(&s, 1, 5);
        expect_segments(&s, 2, 5);
        fx_advance(s.f, FX_TIMEOUT);
        assert_int_equal(ack(&s, rows[i].acked, rows[i].window), WEFT_MAD_ACCEPTED);
        expect_segments(&s, rows[i].next, rows[i].last);
        sender_free(&s);
    }
}

static void test_a_late_last_ACK_does_not_send_beyond_the_message(void **state)
{
    struct sender s = asking(3, 2);

    (void)state;
    expect_segments(&s, 1, 1);
    ack(&s, 1, 5);
    expect_segments(&s, 2, 3);
    fx_advance(s.f, FX_TIMEOUT); /* 2 is due again */
    assert_int_equal(ack(&s, 3, 5), WEFT_MAD_ACCEPTED);
    expect_grant(&s);
    expect_segments(&s, 3, 3);
    check_segment(&s, 3, 3);
    assert_int_equal(weft_mad_deadline(s.f->port), s.f->now + FX_TIMEOUT);
    sender_free(&s);
}

static void test_an_ACK_of_more_than_was_sent_or_than_its_window_is_refused(void **state)
{
    static const struct {
        uint32_t segment, window;
        uint8_t status;
    } rows[] = {{2, 9, WEFT_RMPP_STATUS_S2B},
                {3, 9, WEFT_RMPP_STATUS_S2B},
                {4, 9, WEFT_RMPP_STATUS_S2B},
                {1, 0, WEFT_RMPP_STATUS_W2S}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sender s = asking(3, 2);

        expect_segments(&s, 1, 1);
        assert_int_equal(ack(&s, rows[i].segment, rows[i].window), WEFT_MAD_DROP_RMPP);
        expect_abort(&s, rows[i].status);
        expect_aborted(&s, rows[i].status, true);
        sender_free(&s);
    }
}

static void test_S2B_looks_at_what_was_really_sent(void **state)
{
    struct sender s = asking(8, 0);

    (void)state;
    expect_segments(&s, 1, 1);
    ack(&s, 1, 5);
    expect_segment(&s, 2); /* 3 is due, the window would allow it */
    assert_int_equal(ack(&s, 3, 5), WEFT_MAD_DROP_RMPP);
    expect_abort(&s, WEFT_RMPP_STATUS_S2B);
    assert_true(fx_tx_empty(s.f));
    expect_aborted(&s, WEFT_RMPP_STATUS_S2B, true);
    sender_free(&s);
}

static void test_an_ACK_with_a_status_is_answered_even_when_no_send_matches(void **state)
{
    struct sender s = asking(3, 2);
    struct fx_segment c = control(&s, WEFT_RMPP_ACK);

    (void)state;
    expect_segments(&s, 1, 1);
    c.status = 1;
    c.segment = c.length = 1;
    c.tid++;
    assert_int_equal(fx_rx_segment(s.f, &c), WEFT_MAD_DROP_RMPP);
    expect_abort(&s, WEFT_RMPP_STATUS_BAD_STATUS);
    assert_false(fx_event(s.f));
    c.tid--;
    assert_int_equal(fx_rx_segment(s.f, &c), WEFT_MAD_DROP_RMPP);
    expect_abort(&s, WEFT_RMPP_STATUS_BAD_STATUS);
    expect_aborted(&s, WEFT_RMPP_STATUS_BAD_STATUS, true);
    sender_free(&s);
}

static void test_an_ACK_that_matches_no_send_is_ignored(void **state)
{
    struct sender s = asking(3, 2);
    struct fx_segment c = control(&s, WEFT_RMPP_ACK);

    (void)state;
    expect_segments(&s, 1, 1);
    c.tid++;
    c.segment = c.length = 1;
    assert_int_equal(fx_rx_segment(s.f, &c), WEFT_MAD_DROP_RMPP);
    c.segment = 0;
    assert_int_equal(fx_rx_segment(s.f, &c), WEFT_MAD_DROP_RMPP);
    fx_expect_nothing(s.f);
    assert_int_equal(state_of(&s), WEFT_MAD_WAIT_RESP);
    sender_free(&s);
}

static void test_every_ABORT_status_in_range_ends_it_without_a_reply(void **state)
{
    (void)state;
    for (uint8_t status = 118; status <= 127; status++) {
        struct sender s = asking(3, 2);

        expect_segments(&s, 1, 1);
        assert_int_equal(end(&s, WEFT_RMPP_ABORT, status), WEFT_MAD_ACCEPTED);
        assert_int_equal(fx_stats(s.f).rmpp_aborts_seen, 1);
        assert_int_equal(fx_agent_stats(s.f).rmpp_aborted, 1);
        expect_aborted(&s, status, false);
        sender_free(&s);
    }
}

static void test_kernel_defect_4_an_ABORT_before_the_completion_is_remembered(void **state)
{
    struct sender s = asking(3, 2);
    weft_mad_tx_id tx = fx_take(s.f);

    (void)state;
    assert_int_equal(end(&s, WEFT_RMPP_ABORT, WEFT_RMPP_STATUS_UNSPEC), WEFT_MAD_ACCEPTED);
    assert_int_equal(state_of(&s), WEFT_MAD_EARLY_RESP);
    assert_false(fx_event(s.f));
    fx_done(s.f, tx, true);
    expect_aborted(&s, WEFT_RMPP_STATUS_UNSPEC, false);
    sender_free(&s);
}

static void test_an_ABORT_while_a_segment_is_due_skips_it(void **state)
{
    struct sender s = asking(3, 2);

    (void)state;
    expect_segments(&s, 1, 1);
    ack(&s, 1, 3);
    end(&s, WEFT_RMPP_STOP, WEFT_RMPP_STATUS_RESX);
    assert_true(fx_tx_empty(s.f));
    expect_aborted(&s, WEFT_RMPP_STATUS_RESX, false);
    sender_free(&s);
}

static void test_STOP_and_ABORT_with_an_illegal_status_are_answered(void **state)
{
    static const struct {
        uint8_t type, status;
    } rows[] = {{WEFT_RMPP_STOP, 0},   {WEFT_RMPP_STOP, 118},  {WEFT_RMPP_ABORT, 0},
                {WEFT_RMPP_ABORT, 1},  {WEFT_RMPP_ABORT, 117}, {WEFT_RMPP_ABORT, 128},
                {WEFT_RMPP_ABORT, 255}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sender s = asking(3, 2);

        expect_segments(&s, 1, 1);
        assert_int_equal(end(&s, rows[i].type, rows[i].status), WEFT_MAD_DROP_RMPP);
        expect_abort(&s, WEFT_RMPP_STATUS_BAD_STATUS);
        expect_aborted(&s, WEFT_RMPP_STATUS_BAD_STATUS, true);
        sender_free(&s);
    }
}

/* A packet of a type or version that does not exist. */
static enum weft_mad_verdict odd(struct sender *s, uint8_t version, uint8_t type)
{
    struct fx_segment c = control(s, type);
    uint8_t mad[WEFT_MAD_BYTES];

    fx_segment_mad(&c, mad);
    rmpp_set_version(mad, version);
    return fx_rx(s->f, mad);
}

static void test_unknown_versions_and_types_end_it(void **state)
{
    static const struct {
        uint8_t version, type, status;
    } rows[] = {{0, WEFT_RMPP_ACK, WEFT_RMPP_STATUS_UNV},
                {2, WEFT_RMPP_ABORT, WEFT_RMPP_STATUS_UNV},
                {2, WEFT_RMPP_DATA, WEFT_RMPP_STATUS_UNV},
                {1, 0, WEFT_RMPP_STATUS_BADT},
                {1, 5, WEFT_RMPP_STATUS_BADT},
                {1, 255, WEFT_RMPP_STATUS_BADT}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sender s = asking(3, 2);

        expect_segments(&s, 1, 1);
        assert_int_equal(odd(&s, rows[i].version, rows[i].type), WEFT_MAD_DROP_RMPP);
        expect_abort(&s, rows[i].status);
        assert_int_equal(rmpp_version(s.f->packet), 1);
        expect_aborted(&s, rows[i].status, true);
        sender_free(&s);
    }
}

static void test_a_transfer_that_is_over_is_left_alone(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        struct sender s = asking(1, 2);

        expect_segments(&s, 1, 1);
        if (how != 1) { /* all acknowledged */
            ack(&s, 1, 1);
            expect_grant(&s);
        }
        if (how != 0) {
            fx_cancel(s.f, s.id);
            assert_int_equal(ack(&s, 1, 1), WEFT_MAD_DROP_RMPP);
        }
        assert_int_equal(end(&s, WEFT_RMPP_ABORT, WEFT_RMPP_STATUS_UNSPEC), WEFT_MAD_DROP_RMPP);
        assert_int_equal(end(&s, WEFT_RMPP_STOP, WEFT_RMPP_STATUS_RESX), WEFT_MAD_DROP_RMPP);
        fx_expect_nothing(s.f);
        odd(&s, 1, 9); /* bad packets still draw an ABORT */
        expect_abort(&s, WEFT_RMPP_STATUS_BADT);
        odd(&s, 3, WEFT_RMPP_ACK);
        expect_abort(&s, WEFT_RMPP_STATUS_UNV);
        assert_false(fx_event(s.f));
        if (how == 0)
            assert_int_equal(state_of(&s), WEFT_MAD_WAIT_RESP);
        fx_advance(s.f, how == 0 ? FX_TIMEOUT : 0);
        fx_expect_done(s.f, 1, how == 0 ? WEFT_MAD_TIMEOUT : WEFT_MAD_FLUSHED);
        sender_free(&s);
    }
}

static void test_cancel_stops_at_the_next_completion(void **state)
{
    struct sender s = asking(5, 0);
    weft_mad_tx_id tx;

    (void)state;
    expect_segments(&s, 1, 1);
    ack(&s, 1, 5);
    tx = fx_take(s.f);
    fx_cancel(s.f, s.id);
    assert_int_equal(ack(&s, 2, 5), WEFT_MAD_DROP_RMPP);
    fx_done(s.f, tx, true);
    fx_expect_done(s.f, 1, WEFT_MAD_FLUSHED);
    fx_expect_idle(s.f);
    sender_free(&s);
}

static void test_kernel_defect_3_a_segment_that_cannot_be_sent_ends_it(void **state)
{
    struct sender s = asking(5, 3);

    (void)state;
    expect_segments(&s, 1, 1);
    ack(&s, 1, 5);
    expect_segment(&s, 2);
    fx_send_fails(s.f);
    fx_expect_done(s.f, 1, WEFT_MAD_TX_ERROR);
    fx_expect_idle(s.f);
    sender_free(&s);
}

static void test_an_answer_that_is_no_RMPP_ends_the_request(void **state)
{
    struct sender s = asking(1, 0);
    uint8_t mad[WEFT_MAD_BYTES];

    (void)state;
    expect_segments(&s, 1, 1);
    ack(&s, 1, 1);
    expect_grant(&s);
    memcpy(mad, s.data, 56);
    memset(mad + 56, 0, sizeof(mad) - 56);
    mad_set_method(mad, METHOD | WEFT_METHOD_RESPONSE);
    mad_set_tid(mad, fx_tid(s.f, 1));
    rmpp_set_flags(mad, 0);
    assert_int_equal(fx_rx(s.f, mad), WEFT_MAD_ACCEPTED);
    fx_expect_recv(s.f, 1);
    fx_expect_done(s.f, 1, WEFT_MAD_OK);
    fx_expect_idle(s.f);
    sender_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_geometry_of_every_size_around_segment_and_window_edges),
        cmocka_unit_test(test_R36_a_transfer_starts_in_SEND_START_with_one_segment),
        cmocka_unit_test(test_the_wait_for_an_ACK_is_the_timeout_but_at_most_ack_ns),
        cmocka_unit_test(test_R14_the_window_of_an_ACK_is_sent_from_WAIT_RESP),
        cmocka_unit_test(test_R35_a_window_opened_in_SEND_START_is_used_at_the_completion_and_once),
        cmocka_unit_test(test_old_ACKs_are_ignored),
        cmocka_unit_test(test_R16_without_an_answer_expected_the_last_ACK_ends_it),
        cmocka_unit_test(test_R15_R35_the_last_ACK_before_the_completion_arms_no_timer),
        cmocka_unit_test(test_with_an_answer_expected_the_last_ACK_starts_the_clients_timeout),
        cmocka_unit_test(test_the_last_ACK_in_SEND_START_with_an_answer_expected),
        cmocka_unit_test(test_a_timeout_sends_again_from_the_first_segment_not_acknowledged),
        cmocka_unit_test(test_a_window_that_does_not_open_is_asked_for_and_not_passed),
        cmocka_unit_test(test_retries_count_for_each_window),
        cmocka_unit_test(test_giving_up_tells_the_receiver),
        cmocka_unit_test(test_kernel_defect_6_the_wait_for_an_ACK_stays_relative_window_by_window),
        cmocka_unit_test(test_set_timeout_while_segments_and_while_the_answer_is_awaited),
        cmocka_unit_test(test_a_late_ACK_overtakes_segments_that_are_due_again),
        cmocka_unit_test(test_a_late_last_ACK_does_not_send_beyond_the_message),
        cmocka_unit_test(test_an_ACK_of_more_than_was_sent_or_than_its_window_is_refused),
        cmocka_unit_test(test_S2B_looks_at_what_was_really_sent),
        cmocka_unit_test(test_an_ACK_with_a_status_is_answered_even_when_no_send_matches),
        cmocka_unit_test(test_an_ACK_that_matches_no_send_is_ignored),
        cmocka_unit_test(test_every_ABORT_status_in_range_ends_it_without_a_reply),
        cmocka_unit_test(test_kernel_defect_4_an_ABORT_before_the_completion_is_remembered),
        cmocka_unit_test(test_an_ABORT_while_a_segment_is_due_skips_it),
        cmocka_unit_test(test_STOP_and_ABORT_with_an_illegal_status_are_answered),
        cmocka_unit_test(test_unknown_versions_and_types_end_it),
        cmocka_unit_test(test_a_transfer_that_is_over_is_left_alone),
        cmocka_unit_test(test_cancel_stops_at_the_next_completion),
        cmocka_unit_test(test_kernel_defect_3_a_segment_that_cannot_be_sent_ends_it),
        cmocka_unit_test(test_an_answer_that_is_no_RMPP_ends_the_request),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
