/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The client's calls: where each is allowed, what it needs, and what follows from it. */
#include "iwcm_fixture.h"

static void test_R114_connect_and_a_reply_make_a_connection(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x);
    struct weft_iwcm_event ev;

    (void)state;
    assert_int_equal(cx_state(x, id), WEFT_IWCM_IDLE);
    cx_connect(x, id, 1);
    assert_int_equal(cx_state(x, id), WEFT_IWCM_CONN_SENT);
    cx_serve(x, id, WEFT_IWCM_CMD_CONNECT);
    cx_done_event(x, id, WEFT_IWCM_CALL_CONNECT, WEFT_IWCM_OK);
    assert_int_equal(cx_state(x, id), WEFT_IWCM_CONN_SENT);
    cx_up(x, id, WEFT_IWCM_UP_REPLY, WEFT_IWCM_OK);
    assert_int_equal(cx_state(x, id), WEFT_IWCM_ESTABLISHED);
    ev = cx_event(x, id, WEFT_IWCM_EVENT_REPLY);
    assert_int_equal(ev.status, WEFT_IWCM_OK);
    assert_int_equal(ev.peer.ird, 7);
    assert_int_equal(ev.peer.ord, 9);
    assert_int_equal(ev.peer.qpn, 0);
    assert_memory_equal(&ev.local, &cx_here, sizeof(cx_here));
    assert_memory_equal(&ev.remote, &cx_there, sizeof(cx_there));
    cx_free(x);
}

static void test_a_reply_that_rejects_leads_back_to_IDLE(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x);

    (void)state;
    cx_connect(x, id, 1);
    cx_serve(x, id, WEFT_IWCM_CMD_CONNECT);
    cx_up(x, id, WEFT_IWCM_UP_REPLY, WEFT_IWCM_REJECTED);
    assert_int_equal(cx_state(x, id), WEFT_IWCM_IDLE);
    cx_done_event(x, id, WEFT_IWCM_CALL_CONNECT, WEFT_IWCM_OK);
    assert_int_equal(cx_event(x, id, WEFT_IWCM_EVENT_REPLY).status, WEFT_IWCM_REJECTED);
    cx_no_event(x);
    cx_free(x);
}

static void test_R115_listen_and_a_request_make_an_id_in_CONN_RECV(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id listener = cx_id(x), child;
    struct weft_iwcm_event ev;

    (void)state;
    cx_listen(x, listener);
    assert_int_equal(cx_state(x, listener), WEFT_IWCM_LISTEN);
    cx_serve(x, listener, WEFT_IWCM_CMD_LISTEN);
    ev = cx_event(x, listener, WEFT_IWCM_EVENT_DONE);
    assert_int_equal(ev.local.port, cx_here.port);
    child = cx_request(x, listener);
    ev = cx_event(x, child, WEFT_IWCM_EVENT_REQUEST);
    assert_int_equal(ev.listener.v, listener.v);
    assert_int_equal(ev.peer.ird, 7);
    assert_memory_equal(&ev.remote, &cx_there, sizeof(cx_there));
    assert_int_equal(cx_state(x, child), WEFT_IWCM_CONN_RECV);
    assert_int_equal(cx_state(x, listener), WEFT_IWCM_LISTEN);
    cx_free(x);
}

static void test_R116_R117_accept_stays_until_the_client_is_told_ESTABLISHED(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_child(x, cx_listener(x));
    struct weft_iwcm_param p = cx_param(2);

    (void)state;
    cx_accept(x, id, 1);
    assert_int_equal(cx_state(x, id), WEFT_IWCM_CONN_RECV);
    assert_int_equal(weft_iwcm_accept(x->cm, id, &p), WEFT_ERR_STATE);
    assert_int_equal(weft_iwcm_reject(x->cm, id, NULL, 0), WEFT_ERR_STATE);
    cx_serve(x, id, WEFT_IWCM_CMD_ACCEPT);
    cx_done_event(x, id, WEFT_IWCM_CALL_ACCEPT, WEFT_IWCM_OK);
    assert_int_equal(cx_state(x, id), WEFT_IWCM_CONN_RECV);
    assert_int_equal(weft_iwcm_accept(x->cm, id, &p), WEFT_ERR_STATE);
    assert_int_equal(weft_iwcm_reject(x->cm, id, NULL, 0), WEFT_ERR_STATE);
    cx_up(x, id, WEFT_IWCM_UP_ESTABLISHED, WEFT_IWCM_OK);
    assert_int_equal(cx_state(x, id), WEFT_IWCM_ESTABLISHED);
    assert_int_equal(cx_event(x, id, WEFT_IWCM_EVENT_ESTABLISHED).peer.ord, 9);
    cx_free(x);
}

static void test_R118_reject_goes_to_IDLE_without_an_event(void **state)
{
    static const enum weft_iwcm_status ends[] = {WEFT_IWCM_OK, WEFT_IWCM_RESET};

    (void)state;
    for (uint32_t i = 0; i < COUNT(ends); i++) {
        struct cx *x = cx_new();
        weft_iwcm_id id = cx_child(x, cx_listener(x));

        cx_reject(x, id);
        assert_int_equal(cx_state(x, id), WEFT_IWCM_IDLE);
        (void)cx_take(x, id, WEFT_IWCM_CMD_REJECT);
        cx_answer(x, id, ends[i]);
        cx_done_event(x, id, WEFT_IWCM_CALL_REJECT, ends[i]);
        cx_no_event(x);
        /* it can be used for something else */
        cx_connect(x, id, 1);
        cx_free(x);
    }
}

static void test_R125_R132_disconnect_in_good_order_and_abruptly(void **state)
{
    (void)state;
    for (int abrupt = 0; abrupt < 2; abrupt++) {
        struct cx *x = cx_new();
        weft_iwcm_id id = cx_connected(x, 1);

        cx_disconnect(x, id, abrupt);
        assert_int_equal(cx_state(x, id), WEFT_IWCM_CLOSING);
        cx_serve(x, id, abrupt ? WEFT_IWCM_CMD_ABORT : WEFT_IWCM_CMD_CLOSE);
        cx_done_event(x, id, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
        cx_no_event(x);
        assert_true(cx_bound(x, 1, id));
        /* in good order, or a protocol error while closing: CLOSE ends both */
        cx_up(x, id, WEFT_IWCM_UP_CLOSE, abrupt ? WEFT_IWCM_RESET : WEFT_IWCM_OK);
        assert_int_equal(cx_state(x, id), WEFT_IWCM_IDLE);
        assert_int_equal(cx_event(x, id, WEFT_IWCM_EVENT_CLOSED).status,
                         abrupt ? WEFT_IWCM_RESET : WEFT_IWCM_OK);
        cx_no_event(x);
        cx_free(x);
    }
}

static void test_an_orderly_close_that_a_protocol_error_ends(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_connected(x, 1);

    (void)state;
    cx_disconnect(x, id, false);
    cx_serve(x, id, WEFT_IWCM_CMD_CLOSE);
    cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_PROTOCOL);
    cx_done_event(x, id, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    assert_int_equal(cx_event(x, id, WEFT_IWCM_EVENT_CLOSED).status, WEFT_IWCM_PROTOCOL);
    cx_free(x);
}

static void test_disconnect_where_the_peer_was_first_is_done_only(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_connected(x, 1);

    (void)state;
    cx_up(x, id, WEFT_IWCM_UP_DISCONNECT, WEFT_IWCM_OK);
    cx_disconnect(x, id, false);
    cx_done_event(x, id, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    cx_no_cmd(x);
    cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
    (void)cx_event(x, id, WEFT_IWCM_EVENT_CLOSED);
    cx_disconnect(x, id, true);
    cx_done_event(x, id, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    cx_no_cmd(x);
    cx_no_event(x);
    cx_free(x);
}

static void test_an_abrupt_disconnect_hastens_an_orderly_one(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_connected(x, 1);

    (void)state;
    cx_disconnect(x, id, false);
    cx_serve(x, id, WEFT_IWCM_CMD_CLOSE);
    cx_disconnect(x, id, true);
    cx_disconnect(x, id, true); /* nothing is left to hasten */
    cx_serve(x, id, WEFT_IWCM_CMD_ABORT);
    for (int i = 0; i < 3; i++)
        cx_done_event(x, id, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
    (void)cx_event(x, id, WEFT_IWCM_EVENT_CLOSED);
    cx_no_cmd(x);
    cx_no_event(x);
    cx_free(x);
}

static void test_an_abrupt_disconnect_hastens_the_peers_orderly_one(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_connected(x, 1);

    (void)state;
    cx_up(x, id, WEFT_IWCM_UP_DISCONNECT, WEFT_IWCM_OK);
    cx_disconnect(x, id, true);
    cx_serve(x, id, WEFT_IWCM_CMD_ABORT);
    cx_done_event(x, id, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
    (void)cx_event(x, id, WEFT_IWCM_EVENT_CLOSED);
    cx_free(x);
}

static void test_disconnect_needs_something_that_was_up(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id listener = cx_listener(x), child = cx_child(x, listener), id = cx_id(x);

    (void)state;
    cx_connect(x, id, 1);
    assert_int_equal(weft_iwcm_disconnect(x->cm, listener, false), WEFT_ERR_STATE);
    assert_int_equal(weft_iwcm_disconnect(x->cm, child, true), WEFT_ERR_STATE);
    assert_int_equal(weft_iwcm_disconnect(x->cm, id, true), WEFT_ERR_STATE);
    assert_int_equal(cx_state(x, child), WEFT_IWCM_CONN_RECV);
    assert_int_equal(cx_state(x, id), WEFT_IWCM_CONN_SENT);
    cx_free(x);
}

static const struct weft_iw_addr nowhere = {.family = 0}, odd = {.family = 5},
                                 six = {.family = 6, .port = 1};

static void test_addresses_lengths_and_QPs_out_of_range_are_refused(void **state)
{
    static const uint8_t bytes[WEFT_IWCM_PRIVATE_MAX + 1];
    static const struct {
        const struct weft_iw_addr *from, *to;
        struct weft_iwcm_param p;
    } bad[] = {
        {NULL, &nowhere, {.qpn = 1}},
        {NULL, &odd, {.qpn = 1}},
        {&odd, &cx_there, {.qpn = 1}},
        {&six, &cx_there, {.qpn = 1}},
        {NULL, &cx_there, {.qpn = 0}},
        {NULL, &cx_there, {.qpn = CX_QPS + 1}},
        {NULL, &cx_there, {bytes, WEFT_IWCM_PRIVATE_MAX + 1, 0, 0, 1}},
        {NULL, &cx_there, {NULL, 1, 0, 0, 1}},
    };
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x), child = cx_child(x, cx_listener(x));

    (void)state;
    for (uint32_t i = 0; i < COUNT(bad); i++) {
        assert_int_equal(weft_iwcm_connect(x->cm, id, bad[i].from, bad[i].to, &bad[i].p),
                         WEFT_ERR_INVALID);
        if (bad[i].to == &cx_there && !bad[i].from)
            assert_int_equal(weft_iwcm_accept(x->cm, child, &bad[i].p), WEFT_ERR_INVALID);
    }
    assert_int_equal(weft_iwcm_listen(x->cm, id, &nowhere, 1), WEFT_ERR_INVALID);
    assert_int_equal(weft_iwcm_reject(x->cm, child, bytes, WEFT_IWCM_PRIVATE_MAX + 1),
                     WEFT_ERR_INVALID);
    assert_int_equal(cx_state(x, id), WEFT_IWCM_IDLE);
    assert_int_equal(cx_state(x, child), WEFT_IWCM_CONN_RECV);
    cx_no_cmd(x);
    cx_connect(x, id, 1);
    cx_free(x);
}

static void test_both_families_and_an_own_address_are_taken(void **state)
{
    struct weft_iwcm_param p = cx_param(1);
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x);
    struct weft_iwcm_cmd cmd;

    (void)state;
    assert_int_equal(weft_iwcm_connect(x->cm, id, &six, &six, &p), 0);
    cx_called(x, id, WEFT_IWCM_CALL_CONNECT);
    cmd = cx_take(x, id, WEFT_IWCM_CMD_CONNECT);
    assert_int_equal(cmd.local.family, 6);
    assert_int_equal(cmd.remote.family, 6);
    cx_free(x);
}

static void test_calls_of_ids_that_are_gone_or_unknown_are_stale(void **state)
{
    struct weft_iwcm_param p = cx_param(1);
    struct cx *x = cx_new();
    weft_iwcm_id ids[3];

    (void)state;
    ids[0] = (weft_iwcm_id){0};
    ids[1] = cx_id(x);
    cx_destroy(x, ids[1]);
    cx_gone(x, ids[1]);
    ids[2] = cx_request(x, cx_listener(x)); /* its REQUEST was not polled */
    for (uint32_t i = 0; i < COUNT(ids); i++) {
        assert_int_equal(weft_iwcm_connect(x->cm, ids[i], NULL, &cx_there, &p), WEFT_ERR_STALE);
        assert_int_equal(weft_iwcm_listen(x->cm, ids[i], &cx_here, 0), WEFT_ERR_STALE);
        assert_int_equal(weft_iwcm_accept(x->cm, ids[i], &p), WEFT_ERR_STALE);
        assert_int_equal(weft_iwcm_reject(x->cm, ids[i], NULL, 0), WEFT_ERR_STALE);
        assert_int_equal(weft_iwcm_disconnect(x->cm, ids[i], true), WEFT_ERR_STALE);
        assert_int_equal(weft_iwcm_destroy(x->cm, ids[i]), WEFT_ERR_STALE);
    }
    cx_free(x);
}

static void test_an_id_is_not_used_again_before_its_command_is_done(void **state)
{
    struct weft_iwcm_param p = cx_param(1);
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_child(x, cx_listener(x));

    (void)state;
    cx_reject(x, id);
    (void)cx_take(x, id, WEFT_IWCM_CMD_REJECT);
    assert_int_equal(cx_state(x, id), WEFT_IWCM_IDLE);
    assert_int_equal(weft_iwcm_connect(x->cm, id, NULL, &cx_there, &p), WEFT_ERR_STATE);
    assert_int_equal(weft_iwcm_listen(x->cm, id, &cx_here, 0), WEFT_ERR_STATE);
    cx_answer(x, id, WEFT_IWCM_OK);
    cx_listen(x, id);
    cx_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_R114_connect_and_a_reply_make_a_connection),
        cmocka_unit_test(test_a_reply_that_rejects_leads_back_to_IDLE),
        cmocka_unit_test(test_R115_listen_and_a_request_make_an_id_in_CONN_RECV),
        cmocka_unit_test(test_R116_R117_accept_stays_until_the_client_is_told_ESTABLISHED),
        cmocka_unit_test(test_R118_reject_goes_to_IDLE_without_an_event),
        cmocka_unit_test(test_R125_R132_disconnect_in_good_order_and_abruptly),
        cmocka_unit_test(test_an_orderly_close_that_a_protocol_error_ends),
        cmocka_unit_test(test_disconnect_where_the_peer_was_first_is_done_only),
        cmocka_unit_test(test_an_abrupt_disconnect_hastens_an_orderly_one),
        cmocka_unit_test(test_an_abrupt_disconnect_hastens_the_peers_orderly_one),
        cmocka_unit_test(test_disconnect_needs_something_that_was_up),
        cmocka_unit_test(test_addresses_lengths_and_QPs_out_of_range_are_refused),
        cmocka_unit_test(test_both_families_and_an_own_address_are_taken),
        cmocka_unit_test(test_calls_of_ids_that_are_gone_or_unknown_are_stale),
        cmocka_unit_test(test_an_id_is_not_used_again_before_its_command_is_done),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
