/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The event queue: order, what an event tells, and that it never overflows. */
#include "mad_fixture.h"

#include <string.h>

static void test_events_come_in_the_order_things_happened(void **state)
{
    struct fx *f = fx_new(NULL, FX_PERF);
    struct weft_mad_agent_req r = fx_agent_req(FX_PERF);
    uint8_t mad[WEFT_MAD_BYTES];

    (void)state;
    fx_own_method(&r, WEFT_METHOD_TRAP);
    fx_agent(f, &r);
    fx_ask_all(f, 1, 3);
    fx_send_all(f);
    fx_answer(f, 2);
    fx_mad(mad, FX_PERF, WEFT_METHOD_TRAP, 77);
    fx_rx(f, mad);
    fx_answer(f, 1);
    fx_advance(f, FX_TIMEOUT);
    fx_expect_recv(f, 2);
    fx_expect_done(f, 2, WEFT_MAD_OK);
    fx_expect_unsolicited(f, 77);
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    fx_expect_done(f, 3, WEFT_MAD_TIMEOUT);
    fx_expect_nothing(f);
    fx_free(f);
}

static void test_a_received_message_tells_where_it_came_from(void **state)
{
    struct fx *f = fx_new(NULL, 0);
    struct weft_mad_agent_req r = fx_agent_req(FX_PERF);
    uint8_t mad[WEFT_MAD_BYTES];
    struct weft_mad_rx rx = {.qpn = 1, .dlid = 0x1234, .data = mad, .len = WEFT_MAD_BYTES};
    weft_mad_agent_id a;

    (void)state;
    fx_own_method(&r, WEFT_METHOD_TRAP);
    a = fx_agent(f, &r);
    fx_mad(mad, FX_PERF, WEFT_METHOD_TRAP, 8);
    rx.from = (struct weft_mad_addr){
        .lid = 0x55, .sl = 3, .qpn = 0x123456, .pkey_index = 9, .has_grh = true};
    memset(rx.from.grh.sgid, 0x77, 16);
    fx_rx_from(f, &rx);
    fx_expect_unsolicited(f, 8);
    assert_int_equal(f->event.agent.v, a.v);
    assert_int_equal(f->event.u.recv.qpn, 1);
    assert_int_equal(f->event.u.recv.dlid, 0x1234);
    assert_int_equal(f->event.u.recv.len, WEFT_MAD_BYTES);
    assert_int_equal(f->event.u.recv.from.lid, 0x55);
    assert_int_equal(f->event.u.recv.from.sl, 3);
    assert_int_equal(f->event.u.recv.from.qpn, 0x123456);
    assert_int_equal(f->event.u.recv.from.pkey_index, 9);
    assert_true(f->event.u.recv.from.has_grh);
    assert_memory_equal(f->event.u.recv.from.grh.sgid, rx.from.grh.sgid, 16);
    assert_memory_equal(f->event.u.recv.mad, mad, WEFT_MAD_BYTES);
    fx_free(f);
}

static void test_a_finished_send_names_itself_its_agent_and_its_owner(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    struct weft_mad_send_req r = fx_request(f, 1);
    weft_mad_send_id id;

    (void)state;
    r.user_data = UINT64_MAX - 5;
    id = fx_post(f, &r);
    fx_send(f);
    fx_answer(f, 1);
    assert_true(fx_event(f));
    assert_true(f->event.user_data == UINT64_MAX - 5);
    assert_true(fx_event(f));
    assert_int_equal(f->event.type, WEFT_MAD_EVENT_SEND_DONE);
    assert_true(f->event.user_data == UINT64_MAX - 5);
    assert_int_equal(f->event.u.sent.id.v, id.v);
    assert_int_equal(f->event.agent.v, f->agent.v);
    assert_false(f->event.u.sent.busy);
    fx_free(f);
}

/* A port with one send, 64 buffers and so 65 places for events. */
static struct fx *tight(void)
{
    struct weft_mad_config c = fx_config();

    c.sends = 1;
    c.recv_depth = 64;
    return fx_new(&c, FX_PERF);
}

static void fill(struct fx *f, weft_mad_agent_id *ret)
{
    struct weft_mad_agent_req r = fx_agent_req(FX_PERF);
    uint8_t mad[WEFT_MAD_BYTES];

    fx_own_method(&r, WEFT_METHOD_TRAP);
    *ret = fx_agent(f, &r);
    for (unsigned n = 0; n < 64; n++) {
        fx_mad(mad, FX_PERF, WEFT_METHOD_TRAP, 100 + n);
        assert_int_equal(fx_rx(f, mad), WEFT_MAD_ACCEPTED);
    }
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_DROP_NO_BUFFER);
}

static void test_every_buffer_and_every_send_has_a_place(void **state)
{
    struct fx *f = tight();
    weft_mad_agent_id a;

    (void)state;
    for (int round = 0; round < 10; round++) {
        /* the ring begins somewhere else each time */
        for (int i = 0; i < 7 * round; i++) {
            fx_ask(f, 2);
            fx_send_fails(f);
            fx_expect_done(f, 2, WEFT_MAD_TX_ERROR);
        }
        fill(f, &a);
        fx_ask(f, 1);
        fx_send_fails(f);
        for (unsigned n = 0; n < 64; n++)
            weft_mad_recv_release(f->port, fx_expect_unsolicited(f, 100 + n));
        fx_expect_done(f, 1, WEFT_MAD_TX_ERROR);
        fx_expect_idle(f);
        fx_remove_agent(f, a);
    }
    fx_free(f);
}

static void test_messages_taken_back_at_removal_leave_their_places(void **state)
{
    struct fx *f = tight();
    weft_mad_agent_id a;

    (void)state;
    for (int round = 0; round < 5; round++) {
        fill(f, &a);
        fx_remove_agent(f, a);
    }
    fill(f, &a);
    fx_ask(f, 1);
    fx_send_fails(f);
    for (unsigned n = 0; n < 64; n++)
        weft_mad_recv_release(f->port, fx_expect_unsolicited(f, 100 + n));
    fx_expect_done(f, 1, WEFT_MAD_TX_ERROR);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_removal_keeps_the_order_of_what_stays(void **state)
{
    struct fx *f = fx_new(NULL, FX_PERF);
    struct weft_mad_agent_req r = fx_agent_req(FX_PERF);
    weft_mad_agent_id going;
    uint8_t mad[WEFT_MAD_BYTES];

    (void)state;
    fx_own_method(&r, WEFT_METHOD_TRAP);
    going = fx_agent(f, &r);
    r.class_version = 2;
    fx_agent(f, &r);
    for (unsigned n = 0; n < 6; n++) {
        fx_mad(mad, FX_PERF, WEFT_METHOD_TRAP, 100 + n);
        mad_set_class_version(mad, (uint8_t)(1 + n % 2));
        fx_rx(f, mad);
        fx_ask(f, n);
        fx_send_fails(f);
    }
    fx_remove_agent(f, going);
    for (unsigned n = 0; n < 6; n += 2) {
        fx_expect_done(f, n, WEFT_MAD_TX_ERROR);
        fx_expect_unsolicited(f, 101 + n);
        fx_expect_done(f, n + 1, WEFT_MAD_TX_ERROR);
    }
    fx_expect_nothing(f);
    fx_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events_come_in_the_order_things_happened),
        cmocka_unit_test(test_a_received_message_tells_where_it_came_from),
        cmocka_unit_test(test_a_finished_send_names_itself_its_agent_and_its_owner),
        cmocka_unit_test(test_every_buffer_and_every_send_has_a_place),
        cmocka_unit_test(test_messages_taken_back_at_removal_leave_their_places),
        cmocka_unit_test(test_removal_keeps_the_order_of_what_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
