/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Transmission: the send queue's depth and overflow, the engine's own packets, packet handles. */
#include "mad_fixture.h"

#include <string.h>

static struct fx *shallow(void)
{
    struct weft_mad_config c = fx_config();

    c.send_depth = 64;
    return fx_new(&c, FX_PERF);
}

static void test_the_host_holds_no_more_sends_than_the_queue_is_deep(void **state)
{
    struct fx *f = shallow();
    weft_mad_tx_id held[64];

    (void)state;
    fx_ask_all(f, 1, 100);
    assert_int_equal(fx_stats(f).tx_overflowed, 36);
    for (unsigned n = 0; n < 64; n++) {
        held[n] = fx_take(f);
        assert_int_equal(fx_packet_number(f), n + 1);
    }
    assert_true(fx_tx_empty(f));
    assert_int_equal(fx_stats(f).tx_held[1], 64);
    fx_done(f, held[7], true); /* in any order */
    fx_take(f);
    assert_int_equal(fx_packet_number(f), 65);
    assert_true(fx_tx_empty(f));
    fx_free(f);
}

static void test_a_failure_in_the_overflow_ends_that_send_only(void **state)
{
    struct fx *f = shallow();

    (void)state;
    fx_ask_all(f, 1, 66);
    for (unsigned n = 1; n <= 64; n++)
        fx_send(f);
    fx_send_fails(f);
    fx_send(f);
    assert_int_equal(fx_packet_number(f), 66);
    fx_expect_done(f, 65, WEFT_MAD_TX_ERROR);
    fx_expect_nothing(f);
    fx_free(f);
}

static void test_the_QPs_have_queues_of_their_own(void **state)
{
    struct fx *f = shallow();
    struct weft_mad_agent_req r = fx_agent_req(WEFT_CLASS_SUBN_LID);
    struct weft_mad_tx tx;

    (void)state;
    fx_ask_all(f, 1, 65);
    for (unsigned n = 1; n <= 64; n++)
        fx_take(f);
    assert_true(fx_tx_empty(f));
    f->agent = fx_agent(f, &r);
    f->mgmt_class = WEFT_CLASS_SUBN_LID;
    fx_ask(f, 70);
    assert_true(weft_mad_poll_tx(f->port, &tx));
    assert_int_equal(tx.qpn, 0);
    assert_int_equal(fx_stats(f).tx_held[0], 1);
    assert_int_equal(fx_stats(f).tx_held[1], 64);
    fx_free(f);
}

static void test_a_packet_is_reported_once(void **state)
{
    struct fx *f = shallow();
    weft_mad_tx_id first, second;
    const weft_mad_tx_id none = {0}, far = {POOL_HANDLE(100000, 1)};

    (void)state;
    fx_ask_all(f, 1, 3);
    first = fx_take(f);
    fx_done(f, first, true);
    assert_int_equal(weft_mad_tx_done(f->port, f->now, first, true), WEFT_ERR_STALE);
    second = fx_take(f);
    assert_int_equal((uint32_t)second.v, (uint32_t)first.v); /* the same slot */
    assert_int_equal(weft_mad_tx_done(f->port, f->now, first, true), WEFT_ERR_STALE);
    assert_int_equal(weft_mad_tx_done(f->port, f->now, none, true), WEFT_ERR_STALE);
    assert_int_equal(weft_mad_tx_done(f->port, f->now, far, true), WEFT_ERR_STALE);
    fx_done(f, second, true);
    fx_take(f);
    assert_int_equal(weft_mad_tx_done(f->port, f->now, first, true), WEFT_ERR_STALE);
    assert_int_equal(weft_mad_tx_done(f->port, f->now, second, true), WEFT_ERR_STALE);
    fx_free(f);
}

static void test_packets_and_addresses_stay_valid_until_they_are_done(void **state)
{
    struct fx *f = shallow();
    struct weft_mad_tx tx;
    uint8_t mad[WEFT_MAD_BYTES];

    (void)state;
    fx_ask(f, 1);
    assert_true(weft_mad_poll_tx(f->port, &tx));
    memcpy(mad, tx.data, sizeof(mad));
    fx_remove_agent(f, f->agent);
    assert_memory_equal(tx.data, mad, sizeof(mad));
    assert_int_equal(tx.to->lid, FX_PEER_LID);
    fx_done(f, tx.id, true);
    fx_expect_done(f, 1, WEFT_MAD_FLUSHED);
    fx_expect_idle(f);
    fx_free(f);
}

static weft_time take_wait(struct fx *f)
{
    struct weft_mad_tx tx;

    assert_true(weft_mad_poll_tx(f->port, &tx));
    fx_done(f, tx.id, true);
    return tx.wait;
}

static void test_a_packet_says_how_long_its_answer_is_waited_for(void **state)
{
    struct weft_mad_config c = fx_config();
    struct fx *f;
    struct weft_mad_send_req r;
    uint8_t mad[WEFT_MAD_BYTES];
    weft_time wait;

    (void)state;
    c.retry.kind = WEFT_MAD_RETRY_BACKOFF;
    f = fx_new(&c, FX_PERF);
    r = fx_request(f, 1);
    r.retries = 1;
    fx_post(f, &r);
    assert_int_equal(take_wait(f), FX_TIMEOUT);
    fx_advance(f, FX_TIMEOUT);
    wait = take_wait(f);
    assert_true(wait >= FX_TIMEOUT && wait <= FX_TIMEOUT + c.retry.base_ns);
    fx_advance(f, wait - 1);
    fx_expect_nothing(f);
    fx_advance(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_TIMEOUT);
    r = fx_request(f, 2);
    r.timeout = 0;
    fx_post(f, &r);
    assert_int_equal(take_wait(f), 0);
    fx_expect_done(f, 2, WEFT_MAD_OK);
    fx_mad(mad, WEFT_CLASS_BOARD, WEFT_METHOD_GET, 1000); /* answered "unsupported" */
    fx_rx(f, mad);
    assert_int_equal(take_wait(f), 0);
    fx_free(f);
}

static void test_the_engines_own_packets_go_first_and_have_room_for_32(void **state)
{
    struct fx *f = shallow();
    uint8_t mad[WEFT_MAD_BYTES];
    weft_mad_tx_id own;

    (void)state;
    fx_ask_all(f, 1, 64);
    for (unsigned n = 0; n < 40; n++) { /* answers "unsupported" */
        fx_mad(mad, WEFT_CLASS_BOARD, WEFT_METHOD_GET, 1000 + n);
        fx_rx(f, mad);
    }
    assert_int_equal(fx_stats(f).control_dropped, 8);
    assert_int_equal(fx_stats(f).unsupported, 32);
    own = fx_take(f);
    assert_int_equal(mad_tid(f->packet), 1000);
    fx_rx(f, mad); /* its slot is not free before it is done */
    assert_int_equal(fx_stats(f).control_dropped, 9);
    fx_done(f, own, false); /* whether it left or not */
    fx_rx(f, mad);
    assert_int_equal(fx_stats(f).control_dropped, 9);
    for (unsigned n = 1; n < 32; n++) {
        fx_send(f);
        assert_int_equal(mad_tid(f->packet), 1000 + n);
    }
    fx_send(f);
    assert_int_equal(mad_tid(f->packet), 1039);
    fx_send(f);
    assert_int_equal(fx_packet_number(f), 1);
    fx_free(f);
}

static void test_an_answer_of_the_device_that_finds_no_slot_can_be_given_again(void **state)
{
    struct weft_mad_config c = fx_config();
    uint8_t mad[WEFT_MAD_BYTES];
    weft_mad_recv_id device;
    struct fx *f;

    (void)state;
    c.device.bits[0] |= UINT64_C(1) << FX_PERF;
    f = fx_new(&c, 0);
    for (unsigned n = 0; n < 32; n++) {
        fx_mad(mad, WEFT_CLASS_BOARD, WEFT_METHOD_GET, n);
        fx_rx(f, mad);
    }
    fx_mad(mad, FX_PERF, WEFT_METHOD_GET, 5);
    fx_rx(f, mad);
    assert_true(fx_event(f));
    device = f->event.u.recv.id;
    assert_int_equal(weft_mad_recv_answer(f->port, f->now, device, mad), WEFT_ERR_FULL);
    assert_int_equal(fx_stats(f).recv_held, 1);
    fx_send_all(f);
    assert_int_equal(weft_mad_recv_answer(f->port, f->now, device, mad), 0);
    fx_send(f);
    fx_expect_idle(f);
    fx_free(f);
}

/* Keeps the last TX event of a trace. */
static void note_tx(void *ctx, const struct weft_trace_event *ev)
{
    if (ev->type == WEFT_TRACE_TX)
        *(struct weft_trace_event *)ctx = *ev;
}

static void test_every_packet_is_traced_with_its_send_if_it_has_one(void **state)
{
    struct weft_mad_config c = fx_config();
    struct weft_trace_event seen = {0};
    uint8_t mad[WEFT_MAD_BYTES];
    weft_mad_send_id id;
    struct fx *f;

    (void)state;
    c.trace = note_tx;
    c.trace_ctx = &seen;
    f = fx_new(&c, FX_PERF);
    id = fx_ask(f, 1);
    fx_send(f);
    assert_int_equal(seen.send.v, id.v);
    assert_int_equal(seen.agent.v, f->agent.v);
    assert_int_equal(seen.tid, fx_tid(f, 1));
    assert_int_equal(seen.u.packet.qpn, 1);
    assert_int_equal(seen.u.packet.len, WEFT_MAD_BYTES);
    fx_mad(mad, WEFT_CLASS_BOARD, WEFT_METHOD_GET, 77);
    fx_rx(f, mad);
    fx_send(f); /* the automatic answer */
    assert_int_equal(seen.send.v, 0);
    assert_int_equal(seen.agent.v, 0);
    assert_int_equal(seen.tid, 77);
    fx_free(f);
}

static void test_every_packet_of_a_send_leaves_on_its_index(void **state)
{
    struct fx *f = fx_new_rmpp(NULL, FX_SA);
    struct weft_mad_send_req r = fx_request(f, 1);
    uint8_t data[56 + 3 * 200] = {0};

    (void)state;
    memcpy(data, f->mads[1], WEFT_MAD_BYTES);
    mad_set_method(data, WEFT_METHOD_GET_MULTI);
    mad_set_tid(data, fx_tid(f, 1));
    data[24] = WEFT_RMPP_VERSION;
    data[26] = WEFT_RMPP_FLAG_ACTIVE;
    r.data = data;
    r.len = sizeof(data);
    r.retries = 1;
    r.to.pkey_index = 9;
    fx_post(f, &r);
    /* nobody answers: the first segment, its repetition, and an ABORT */
    for (int i = 0; i < 3; i++) {
        fx_send(f);
        assert_int_equal(f->packet_to.pkey_index, 9);
        assert_int_equal(rmpp_type(f->packet), i < 2 ? WEFT_RMPP_DATA : WEFT_RMPP_ABORT);
        if (i < 2)
            fx_advance(f, weft_mad_deadline(f->port) - f->now);
    }
    fx_drain(f, WEFT_MAD_RMPP_ABORTED);
    fx_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_host_holds_no_more_sends_than_the_queue_is_deep),
        cmocka_unit_test(test_a_failure_in_the_overflow_ends_that_send_only),
        cmocka_unit_test(test_the_QPs_have_queues_of_their_own),
        cmocka_unit_test(test_a_packet_is_reported_once),
        cmocka_unit_test(test_packets_and_addresses_stay_valid_until_they_are_done),
        cmocka_unit_test(test_a_packet_says_how_long_its_answer_is_waited_for),
        cmocka_unit_test(test_the_engines_own_packets_go_first_and_have_room_for_32),
        cmocka_unit_test(test_an_answer_of_the_device_that_finds_no_slot_can_be_given_again),
        cmocka_unit_test(test_every_packet_is_traced_with_its_send_if_it_has_one),
        cmocka_unit_test(test_every_packet_of_a_send_leaves_on_its_index),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
