/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RMPP, the receiver: each row of its table, and its limits. */
#include "mad_fixture.h"

#define METHOD WEFT_METHOD_GET_MULTI
#define TID    0x1234500001
#define FIRST  WEFT_RMPP_FLAG_FIRST
#define LAST   WEFT_RMPP_FLAG_LAST

static struct fx_segment segment(uint32_t n, uint8_t flags)
{
    return (struct fx_segment){.mgmt_class = FX_SA,
                               .method = METHOD,
                               .tid = TID,
                               .type = WEFT_RMPP_DATA,
                               .flags = flags,
                               .segment = n,
                               .length = flags & LAST ? 220 : 0};
}

/* Segment n of a request arrives. */
static enum weft_mad_verdict data(struct fx *f, uint32_t n, uint8_t flags)
{
    struct fx_segment s = segment(n, flags);

    return fx_rx_segment(f, &s);
}

static void expect_ack(struct fx *f, uint32_t n, uint32_t window)
{
    fx_send(f);
    assert_int_equal(rmpp_type(f->packet), WEFT_RMPP_ACK);
    assert_int_equal(rmpp_segment(f->packet), n);
    assert_int_equal(rmpp_new_window(f->packet), window);
    assert_true(fx_tx_empty(f));
}

static void expect_reply(struct fx *f, uint8_t type, uint8_t status)
{
    fx_send(f);
    assert_int_equal(rmpp_type(f->packet), type);
    assert_int_equal(rmpp_status(f->packet), status);
    assert_true(fx_tx_empty(f));
}

/* The message of an unsolicited transfer, which is held. */
static weft_mad_recv_id expect_message(struct fx *f, uint32_t len)
{
    weft_mad_recv_id id = fx_expect_unsolicited(f, TID);

    assert_int_equal(f->event.u.recv.len, len);
    return id;
}

static struct fx *receiver(void)
{
    return fx_new_rmpp(NULL, FX_SA);
}

static void test_a_message_of_one_segment(void **state)
{
    struct fx *f = receiver();

    (void)state;
    assert_int_equal(data(f, 1, FIRST | LAST), WEFT_MAD_ACCEPTED);
    expect_ack(f, 1, 1); /* no further window */
    expect_message(f, 256);
    assert_false(fx_event(f));
    assert_int_equal(weft_mad_deadline(f->port), f->now + 10 * WEFT_S);
    fx_free(f);
}

static void test_windows_are_an_eighth_of_the_receive_queue(void **state)
{
    struct fx *f = receiver();

    (void)state;
    data(f, 1, FIRST);
    expect_ack(f, 1, 65);
    for (uint32_t n = 2; n < 65; n++) {
        assert_int_equal(data(f, n, 0), WEFT_MAD_ACCEPTED);
        assert_true(fx_tx_empty(f));
    }
    data(f, 65, 0);
    expect_ack(f, 65, 129);
    data(f, 66, LAST);
    expect_ack(f, 66, 129);
    expect_message(f, 56 + 66 * 200);
    fx_free(f);
}

static void test_segments_in_any_order_within_the_window(void **state)
{
    struct fx *f = receiver();
    weft_mad_recv_id id;
    uint8_t byte;

    (void)state;
    data(f, 1, FIRST);
    expect_ack(f, 1, 65);
    for (uint32_t n = 40; n > 2; n--) { /* descending */
        assert_int_equal(data(f, n, n == 40 ? LAST : 0), WEFT_MAD_ACCEPTED);
        assert_true(fx_tx_empty(f));
    }
    data(f, 2, 0); /* fills the gap */
    expect_ack(f, 40, 65);
    id = expect_message(f, 56 + 40 * 200);
    for (uint32_t n = 1; n <= 40; n++) {
        assert_int_equal(weft_mad_recv_read(f->port, id, 56 + (n - 1) * 200 + 7, &byte, 1), 0);
        assert_int_equal(byte, n);
    }
    fx_free(f);
}

static void test_duplicates_are_acknowledged_or_dropped(void **state)
{
    struct fx *f = receiver();

    (void)state;
    data(f, 1, FIRST);
    data(f, 2, 0);
    data(f, 4, 0);
    fx_send_all(f);
    assert_int_equal(data(f, 1, FIRST), WEFT_MAD_DROP_RMPP); /* in order: acknowledged again */
    expect_ack(f, 2, 65);
    assert_int_equal(data(f, 2, 0), WEFT_MAD_DROP_RMPP);
    expect_ack(f, 2, 65);
    assert_int_equal(data(f, 4, 0), WEFT_MAD_DROP_RMPP); /* stored but not in order yet: silence */
    assert_true(fx_tx_empty(f));
    assert_int_equal(data(f, 0, 0), WEFT_MAD_DROP_RMPP); /* there is no segment 0 */
    fx_send_all(f);
    assert_int_equal(fx_stats(f).rmpp_duplicates, 4);
    fx_free(f);
}

static void test_beyond_the_window_nothing_is_taken(void **state)
{
    struct fx *f = receiver();

    (void)state;
    data(f, 1, FIRST);
    expect_ack(f, 1, 65);
    assert_int_equal(data(f, 66, 0), WEFT_MAD_DROP_RMPP);
    assert_int_equal(data(f, UINT32_MAX, LAST), WEFT_MAD_DROP_RMPP);
    assert_true(fx_tx_empty(f));
    assert_int_equal(data(f, 2, LAST), WEFT_MAD_ACCEPTED);
    expect_ack(f, 2, 65);
    assert_int_equal(data(f, 66, 0), WEFT_MAD_DROP_RMPP); /* complete: the same */
    assert_true(fx_tx_empty(f));
    fx_free(f);
}

static void test_without_a_first_segment_nothing_begins(void **state)
{
    struct fx *f = receiver();

    (void)state;
    assert_int_equal(data(f, 2, 0), WEFT_MAD_DROP_RMPP);
    assert_int_equal(data(f, 0, 0), WEFT_MAD_DROP_RMPP);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_First_and_segment_1_belong_together(void **state)
{
    struct fx *f = receiver();

    (void)state;
    assert_int_equal(data(f, 1, 0), WEFT_MAD_DROP_RMPP);
    expect_reply(f, WEFT_RMPP_ABORT, WEFT_RMPP_STATUS_BAD_SEG);
    data(f, 1, FIRST);
    expect_ack(f, 1, 65);
    assert_int_equal(data(f, 2, FIRST), WEFT_MAD_DROP_RMPP);
    expect_reply(f, WEFT_RMPP_ABORT, WEFT_RMPP_STATUS_BAD_SEG);
    assert_int_equal(data(f, 2, LAST), WEFT_MAD_ACCEPTED); /* the transfer was not touched */
    expect_ack(f, 2, 65);
    expect_message(f, 456);
    fx_free(f);
}

static void test_a_status_in_a_segment_is_refused(void **state)
{
    struct fx *f = receiver();
    struct fx_segment s = segment(1, FIRST);

    (void)state;
    s.status = 1;
    assert_int_equal(fx_rx_segment(f, &s), WEFT_MAD_DROP_RMPP);
    expect_reply(f, WEFT_RMPP_ABORT, WEFT_RMPP_STATUS_BAD_STATUS);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_the_last_length_must_hold_the_class_header_and_fit(void **state)
{
    static const struct {
        uint32_t length;
        bool good;
    } rows[] = {{0, false},  {19, false},  {20, true},         {21, true},
                {220, true}, {221, false}, {UINT32_MAX, false}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (uint32_t n = 1; n <= 2; n++) {
            struct fx *f = receiver();
            struct fx_segment s = segment(n, n == 1 ? FIRST | LAST : LAST);

            if (n == 2) {
                data(f, 1, FIRST);
                fx_send_all(f);
            }
            s.length = rows[i].length;
            if (rows[i].good) {
                assert_int_equal(fx_rx_segment(f, &s), WEFT_MAD_ACCEPTED);
                expect_ack(f, n, n == 1 ? 1 : 65);
                expect_message(f, 56 + n * 200 - (220 - rows[i].length));
            } else {
                assert_int_equal(fx_rx_segment(f, &s), WEFT_MAD_DROP_RMPP);
                expect_reply(f, WEFT_RMPP_ABORT, WEFT_RMPP_STATUS_BAD_LEN);
                fx_expect_idle(f);
            }
            fx_free(f);
        }
    }
}

static void test_nothing_comes_behind_the_last_segment(void **state)
{
    static const struct {
        uint32_t last, then;
        uint8_t flags;
    } rows[] = {{5, 6, 0}, {5, 6, LAST}, {5, 4, LAST}, {5, 7, LAST}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fx *f = receiver();

        data(f, 1, FIRST);
        data(f, rows[i].last, LAST);
        fx_send_all(f);
        assert_int_equal(data(f, rows[i].then, rows[i].flags), WEFT_MAD_DROP_RMPP);
        expect_reply(f, WEFT_RMPP_ABORT, WEFT_RMPP_STATUS_BAD_SEG);
        fx_expect_idle(f);
        fx_free(f);
    }
}

static void test_a_Last_below_what_was_stored_is_refused(void **state)
{
    struct fx *f = receiver();

    (void)state;
    data(f, 1, FIRST);
    data(f, 9, 0);
    fx_send_all(f);
    assert_int_equal(data(f, 8, LAST), WEFT_MAD_DROP_RMPP);
    expect_reply(f, WEFT_RMPP_ABORT, WEFT_RMPP_STATUS_BAD_SEG);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_a_transfer_has_40_seconds_from_its_first_segment(void **state)
{
    struct fx *f = receiver();

    (void)state;
    data(f, 1, FIRST);
    fx_send_all(f);
    fx_advance(f, 30 * WEFT_S);
    data(f, 2, 0); /* later segments do not extend it */
    fx_advance(f, 10 * WEFT_S - 1);
    assert_int_equal(fx_stats(f).rmpp_transfers, 1);
    fx_advance(f, 1);
    expect_reply(f, WEFT_RMPP_ABORT, WEFT_RMPP_STATUS_T2L);
    assert_int_equal(mad_method(f->packet), METHOD | WEFT_METHOD_RESPONSE);
    assert_int_equal(f->packet_to.lid, FX_PEER_LID);
    fx_expect_idle(f);
    assert_int_equal(data(f, 3, LAST), WEFT_MAD_DROP_RMPP);
    fx_free(f);
}

/* A segment that came on an index of the port's P_Key table. */
static void data_on(struct fx *f, uint32_t n, uint8_t flags, uint16_t pkey_index)
{
    uint8_t mad[WEFT_MAD_BYTES];
    struct weft_mad_rx rx = {.qpn = 1,
                             .dlid = FX_LID,
                             .from = {.lid = FX_PEER_LID, .qpn = 1, .pkey_index = pkey_index},
                             .data = mad,
                             .len = WEFT_MAD_BYTES};
    struct fx_segment s = segment(n, flags);

    fx_segment_mad(&s, mad);
    (void)fx_rx_from(f, &rx);
}

static void test_R155_what_a_receiver_sends_leaves_on_the_index_of_what_it_answers(void **state)
{
    struct fx *f = receiver();

    (void)state;
    /* an ACK; an ABORT by the timer; the message's own index */
    data_on(f, 1, FIRST, 5);
    expect_ack(f, 1, 65);
    assert_int_equal(f->packet_to.pkey_index, 5);
    fx_advance(f, 40 * WEFT_S);
    expect_reply(f, WEFT_RMPP_ABORT, WEFT_RMPP_STATUS_T2L);
    assert_int_equal(f->packet_to.pkey_index, 5);
    data_on(f, 1, FIRST | LAST, 7);
    fx_send(f);
    assert_int_equal(f->packet_to.pkey_index, 7);
    assert_int_equal(weft_mad_recv_release(f->port, expect_message(f, 256)), 0);
    assert_int_equal(f->event.u.recv.from.pkey_index, 7);
    fx_free(f);
}

static void test_a_finished_transfer_is_remembered_for_10_seconds(void **state)
{
    struct fx *f = receiver();

    (void)state;
    data(f, 1, FIRST);
    data(f, 2, LAST);
    fx_send_all(f);
    weft_mad_recv_release(f->port, expect_message(f, 456));
    for (uint32_t n = 1; n <= 2; n++) {
        fx_advance(f, WEFT_S);
        assert_int_equal(data(f, n, n == 1 ? FIRST : LAST), WEFT_MAD_DROP_RMPP);
        expect_ack(f, 2, 65);
        assert_false(fx_event(f));
    }
    fx_advance(f, 8 * WEFT_S - 1);
    assert_int_equal(fx_stats(f).rmpp_transfers, 1);
    fx_advance(f, 1);
    fx_expect_idle(f);
    assert_int_equal(data(f, 2, LAST), WEFT_MAD_DROP_RMPP);
    data(f, 1, FIRST); /* a new transfer */
    expect_ack(f, 1, 65);
    fx_free(f);
}

static void test_nothing_is_remembered_when_keep_ns_is_0(void **state)
{
    struct weft_mad_config c = fx_config();
    struct fx *f;

    (void)state;
    c.rmpp.keep_ns = 0;
    f = fx_new_rmpp(&c, FX_SA);
    data(f, 1, FIRST | LAST);
    fx_send_all(f);
    weft_mad_recv_release(f->port, expect_message(f, 256));
    fx_advance(f, 0);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_transfers_are_told_apart_by_every_part_of_their_key(void **state)
{
    struct fx *f = receiver();
    struct fx_segment s = segment(1, FIRST);
    struct weft_mad_agent_req a = fx_agent_req(FX_SA);
    uint8_t mad[WEFT_MAD_BYTES];
    struct weft_mad_rx rx = {.qpn = 1, .dlid = FX_LID, .data = mad, .len = WEFT_MAD_BYTES};

    (void)state;
    rx.from = (struct weft_mad_addr){.lid = FX_PEER_LID, .qpn = 1};
    fx_segment_mad(&s, mad);
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_ACCEPTED);
    rx.from.lid++; /* two transfers with one TID from two nodes */
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_ACCEPTED);
    rx.from.qpn++;
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_ACCEPTED);
    mad_set_method(mad, WEFT_METHOD_SET);
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_ACCEPTED);
    mad_set_tid(mad, TID + 1);
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_ACCEPTED);
    assert_int_equal(fx_stats(f).rmpp_transfers, 5);
    a.class_version = 3;
    a.rmpp_version = 1;
    a.methods[0] = UINT64_MAX;
    fx_agent(f, &a);
    mad_set_class_version(mad, 3);
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_ACCEPTED);
    assert_int_equal(fx_stats(f).rmpp_transfers, 6);
    rx.from.sl = 3; /* no part of the key, nor is the attribute */
    mad_set_attr_id(mad, 0x99);
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_DROP_RMPP);
    assert_int_equal(fx_stats(f).rmpp_duplicates, 1);
    fx_free(f);
}

static void test_an_ABORT_or_STOP_discards_what_has_arrived(void **state)
{
    static const uint8_t types[] = {WEFT_RMPP_ABORT, WEFT_RMPP_STOP};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fx *f = receiver();
        struct fx_segment s = segment(0, 0);

        data(f, 1, FIRST);
        data(f, 2, 0);
        fx_send_all(f);
        s.type = types[i];
        s.status = types[i] == WEFT_RMPP_STOP ? WEFT_RMPP_STATUS_RESX : WEFT_RMPP_STATUS_UNSPEC;
        assert_int_equal(fx_rx_segment(f, &s), WEFT_MAD_ACCEPTED);
        assert_int_equal(fx_stats(f).rmpp_aborts_seen, 1);
        fx_expect_idle(f);
        fx_free(f);
    }
}

static void test_an_ABORT_leaves_a_finished_transfer_remembered(void **state)
{
    struct fx *f = receiver();
    struct fx_segment s = segment(0, 0);

    (void)state;
    data(f, 1, FIRST | LAST);
    fx_send_all(f);
    s.type = WEFT_RMPP_ABORT;
    s.status = WEFT_RMPP_STATUS_UNSPEC;
    assert_int_equal(fx_rx_segment(f, &s), WEFT_MAD_DROP_RMPP);
    data(f, 1, FIRST | LAST);
    expect_ack(f, 1, 1);
    expect_message(f, 256);
    fx_free(f);
}

static void test_removal_of_the_agent_frees_all_transfers(void **state)
{
    struct fx *f = receiver();
    struct fx_segment s = segment(1, FIRST | LAST);

    (void)state;
    data(f, 1, FIRST);
    data(f, 2, 0);
    s.tid++;
    fx_rx_segment(f, &s);
    fx_send_all(f);
    assert_int_equal(fx_stats(f).rmpp_transfers, 2);
    fx_remove_agent(f, f->agent);
    fx_expect_idle(f);
    fx_free(f);
}

/* Lets the first segment of transfer number i arrive. */
static enum weft_mad_verdict begin(struct fx *f, uint32_t i, uint8_t flags)
{
    struct fx_segment s = segment(1, flags);

    s.tid += i;
    return fx_rx_segment(f, &s);
}

static void test_when_all_transfers_are_active_further_ones_are_stopped(void **state)
{
    struct weft_mad_config c = fx_config();
    struct fx *f;

    (void)state;
    c.rmpp.transfers = 3;
    f = fx_new_rmpp(&c, FX_SA);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(begin(f, i, FIRST), WEFT_MAD_ACCEPTED);
    fx_send_all(f);
    assert_int_equal(begin(f, 3, FIRST), WEFT_MAD_DROP_RMPP);
    expect_reply(f, WEFT_RMPP_STOP, WEFT_RMPP_STATUS_RESX);
    assert_int_equal(fx_stats(f).rmpp_stops_sent, 1);
    assert_int_equal(fx_stats(f).recv_held, 3);
    fx_free(f);
}

static void test_the_oldest_finished_transfer_gives_way(void **state)
{
    struct weft_mad_config c = fx_config();
    struct fx *f;

    (void)state;
    c.rmpp.transfers = 3;
    f = fx_new_rmpp(&c, FX_SA);
    begin(f, 0, FIRST | LAST);
    begin(f, 1, FIRST | LAST);
    begin(f, 2, FIRST);
    fx_send_all(f);
    fx_drain(f, WEFT_MAD_OK);
    assert_int_equal(begin(f, 3, FIRST), WEFT_MAD_ACCEPTED);
    fx_send_all(f);
    begin(f, 1, FIRST | LAST); /* still remembered: acknowledged, not delivered */
    expect_ack(f, 1, 1);
    assert_false(fx_event(f));
    begin(f, 0, FIRST | LAST); /* forgotten, so new; number 1 goes for it */
    expect_ack(f, 1, 1);
    assert_true(fx_event(f));
    fx_free(f);
}

static void test_hostile_segments_never_take_more_memory_than_configured(void **state)
{
    struct weft_mad_config c = fx_config();
    uint64_t most = 0;
    struct fx *f;

    (void)state;
    c.rmpp.bytes_max = 100000;
    c.rmpp.window = 1024;
    f = fx_new_rmpp(&c, FX_SA);
    for (uint32_t i = 0; i < 32; i++) {
        begin(f, i, FIRST);
        for (uint32_t n = 2 + i % 2 * 990; n < 1026; n += 32) { /* each needs a block of its own */
            struct fx_segment s = segment(n, 0);

            s.tid += i;
            fx_rx_segment(f, &s);
            if (fx_stats(f).rmpp_bytes > most)
                most = fx_stats(f).rmpp_bytes;
            fx_send_all(f);
        }
    }
    assert_true(most > 90000 && most <= 100000);
    assert_true(fx_stats(f).rmpp_stops_sent > 0);
    fx_advance(f, 40 * WEFT_S);
    fx_send_all(f);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_memory_of_less_than_a_block_refuses_a_second_segment(void **state)
{
    struct weft_mad_config c = fx_config();
    struct fx_segment second = segment(2, LAST);
    struct fx *f;

    (void)state;
    c.rmpp.bytes_max = 0;
    f = fx_new_rmpp(&c, FX_SA);
    data(f, 1, FIRST | LAST);
    expect_ack(f, 1, 1);
    begin(f, 1, FIRST);
    fx_send_all(f);
    second.tid++;
    assert_int_equal(fx_rx_segment(f, &second), WEFT_MAD_DROP_RMPP);
    expect_reply(f, WEFT_RMPP_STOP, WEFT_RMPP_STATUS_RESX);
    assert_int_equal(fx_stats(f).rmpp_transfers, 1); /* the finished one */
    fx_free(f);
}

static void test_windows_of_every_size_keep_their_map(void **state)
{
    static const uint32_t windows[] = {1, 2, 63, 64, 65, 1023, 1024};

    (void)state;
    for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
        struct weft_mad_config c = fx_config();
        uint32_t granted = 1, total = 3 * windows[i] + 1;
        struct fx *f;

        c.rmpp.window = windows[i];
        f = fx_new_rmpp(&c, FX_SA);
        data(f, 1, FIRST);
        granted += windows[i];
        expect_ack(f, 1, granted);
        while (granted < total) { /* each window backwards */
            for (uint32_t n = granted; n > granted - windows[i]; n--)
                assert_int_equal(data(f, n, 0), WEFT_MAD_ACCEPTED);
            granted += windows[i];
            expect_ack(f, granted - windows[i], granted);
        }
        for (uint32_t n = granted; n > granted - windows[i]; n--)
            data(f, n, n == granted ? LAST : 0);
        fx_send_all(f);
        expect_message(f, 56 + granted * 200);
        fx_free(f);
    }
}

/* Counts the RMPP events of a trace and keeps the last. */
struct seen {
    int count;
    struct weft_trace_event last;
};

static void note_rmpp(void *ctx, const struct weft_trace_event *ev)
{
    struct seen *seen = ctx;

    if (ev->type != WEFT_TRACE_RMPP)
        return;
    seen->count++;
    seen->last = *ev;
}

static void expect_traced(const struct seen *seen, int count, enum weft_trace_rmpp what,
                          uint32_t segments, uint8_t status)
{
    assert_int_equal(seen->count, count);
    assert_int_equal(seen->last.tid, TID);
    assert_int_equal(seen->last.u.rmpp.what, what);
    assert_int_equal(seen->last.u.rmpp.segments, segments);
    assert_int_equal(seen->last.u.rmpp.status, status);
}

static void test_transfers_are_traced_from_begin_to_end(void **state)
{
    struct weft_mad_config c = fx_config();
    struct seen seen = {0};
    struct fx *f;

    (void)state;
    c.trace = note_rmpp;
    c.trace_ctx = &seen;
    f = fx_new_rmpp(&c, FX_SA);
    data(f, 1, FIRST);
    expect_traced(&seen, 1, WEFT_TRACE_RMPP_BEGIN, 0, 0);
    assert_int_equal(seen.last.agent.v, f->agent.v);
    data(f, 2, LAST);
    expect_traced(&seen, 2, WEFT_TRACE_RMPP_COMPLETE, 2, 0);
    fx_advance(f, 10 * WEFT_S);
    expect_traced(&seen, 3, WEFT_TRACE_RMPP_END, 2, 0);
    data(f, 1, FIRST);
    fx_advance(f, 40 * WEFT_S);
    expect_traced(&seen, 5, WEFT_TRACE_RMPP_END, 1, WEFT_RMPP_STATUS_T2L);
    fx_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_message_of_one_segment),
        cmocka_unit_test(test_windows_are_an_eighth_of_the_receive_queue),
        cmocka_unit_test(test_segments_in_any_order_within_the_window),
        cmocka_unit_test(test_duplicates_are_acknowledged_or_dropped),
        cmocka_unit_test(test_beyond_the_window_nothing_is_taken),
        cmocka_unit_test(test_without_a_first_segment_nothing_begins),
        cmocka_unit_test(test_First_and_segment_1_belong_together),
        cmocka_unit_test(test_a_status_in_a_segment_is_refused),
        cmocka_unit_test(test_the_last_length_must_hold_the_class_header_and_fit),
        cmocka_unit_test(test_nothing_comes_behind_the_last_segment),
        cmocka_unit_test(test_a_Last_below_what_was_stored_is_refused),
        cmocka_unit_test(test_a_transfer_has_40_seconds_from_its_first_segment),
        cmocka_unit_test(test_R155_what_a_receiver_sends_leaves_on_the_index_of_what_it_answers),
        cmocka_unit_test(test_a_finished_transfer_is_remembered_for_10_seconds),
        cmocka_unit_test(test_nothing_is_remembered_when_keep_ns_is_0),
        cmocka_unit_test(test_transfers_are_told_apart_by_every_part_of_their_key),
        cmocka_unit_test(test_an_ABORT_or_STOP_discards_what_has_arrived),
        cmocka_unit_test(test_an_ABORT_leaves_a_finished_transfer_remembered),
        cmocka_unit_test(test_removal_of_the_agent_frees_all_transfers),
        cmocka_unit_test(test_when_all_transfers_are_active_further_ones_are_stopped),
        cmocka_unit_test(test_the_oldest_finished_transfer_gives_way),
        cmocka_unit_test(test_hostile_segments_never_take_more_memory_than_configured),
        cmocka_unit_test(test_memory_of_less_than_a_block_refuses_a_second_segment),
        cmocka_unit_test(test_windows_of_every_size_keep_their_map),
        cmocka_unit_test(test_transfers_are_traced_from_begin_to_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
