/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Serving the connection manager: each command, and what it hears. */
#include "siw_connection_fixture.h"

static const struct weft_iw_addr there = {.family = 4, .port = 7174, .ip = {127, 0, 0, 2}};

static void connect_to(struct lab *l, const struct weft_iwcm_param *p)
{
    assert_int_equal(weft_iwcm_connect(l->cm, l->id, NULL, &there, p), 0);
}

static void test_a_connect_that_cannot_be_is_refused_at_once_R118(void **state)
{
    struct weft_iwcm_param p = lab_param(129, 1);
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    connect_to(&l, &p);
    lab_no_op(&l);
    lab_done(&l, WEFT_IWCM_CALL_CONNECT, WEFT_IWCM_BAD_PARAM);
    p.ird = 1;
    lab_qp(1)->connectable = false;
    connect_to(&l, &p);
    lab_no_op(&l);
    lab_done(&l, WEFT_IWCM_CALL_CONNECT, WEFT_IWCM_BAD_PARAM);
    lab_qp(1)->exists = false;
    connect_to(&l, &p);
    lab_no_op(&l);
    lab_done(&l, WEFT_IWCM_CALL_CONNECT, WEFT_IWCM_BAD_PARAM);
    assert_int_equal(lab_state(&l), WEFT_IWCM_IDLE);
    lab_no_event(&l);
    lab_close(&l);
}

static void test_without_a_free_ep_there_is_no_connect_and_no_listen(void **state)
{
    struct weft_siw_config c = WEFT_SIW_CONFIG_INIT;
    struct weft_iwcm_param p = lab_param(1, 1);
    weft_iwcm_id second;
    struct lab l;

    (void)state;
    c.endpoints = 1;
    lab_open(&l, &c);
    assert_int_equal(weft_iwcm_create(l.cm, 0, &second), 0);
    lab_listen(&l);
    l.id = second;
    connect_to(&l, &p);
    lab_no_op(&l);
    lab_done(&l, WEFT_IWCM_CALL_CONNECT, WEFT_IWCM_NO_RESOURCES);
    assert_int_equal(weft_iwcm_listen(l.cm, second, &there, 0), 0);
    lab_no_op(&l);
    lab_done(&l, WEFT_IWCM_CALL_LISTEN, WEFT_IWCM_NO_RESOURCES);
    lab_close(&l);
}

static void test_a_listener_is_there_when_the_host_says_so_R115(void **state)
{
    static const struct weft_iw_addr bound = {.family = 4, .port = 33333, .ip = {127, 0, 0, 1}};
    struct weft_iw_addr any = {.family = 4};
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    assert_int_equal(weft_iwcm_listen(l.cm, l.id, &any, 9), 0);
    lab_op(&l, WEFT_SIW_OP_BIND);
    assert_int_equal(l.op.local.family, 4);
    assert_int_equal(l.op.backlog, 9);
    lab_no_event(&l);
    assert_int_equal(weft_siw_tcp_bound(l.siw, l.now, l.op.ep, &bound), 0);
    lab_done(&l, WEFT_IWCM_CALL_LISTEN, WEFT_IWCM_OK);
    assert_int_equal(l.event.local.port, 33333);
    lab_close(&l);
}

static void test_a_listener_that_fails_can_be_tried_again(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    assert_int_equal(weft_iwcm_listen(l.cm, l.id, &there, 0), 0);
    lab_op(&l, WEFT_SIW_OP_BIND);
    assert_int_equal(weft_siw_tcp_failed(l.siw, l.now, l.op.ep, WEFT_IWCM_ADDRESS), 0);
    lab_done(&l, WEFT_IWCM_CALL_LISTEN, WEFT_IWCM_ADDRESS);
    lab_op(&l, WEFT_SIW_OP_RELEASE);
    assert_int_equal(lab_state(&l), WEFT_IWCM_IDLE);
    lab_listen(&l);
    lab_close(&l);
}

/* No REQUEST after UNLISTEN is done; the host's late connections find nobody. */
static void test_unlisten_ends_the_listener_and_half_open_connections_R123_R124(void **state)
{
    static const struct weft_iw_addr peer = {.family = 4, .port = 1, .ip = {127, 0, 0, 1}};
    struct weft_siw_stats stats;
    weft_siw_ep child;
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_listen(&l);
    lab_incoming(&l);
    lab_incoming(&l);
    assert_int_equal(weft_iwcm_destroy(l.cm, l.id), 0);
    for (int i = 0; i < 3; i++) {
        lab_op(&l, WEFT_SIW_OP_RELEASE);
        assert_int_equal(l.op.reset, l.op.ep.v != l.listener.v);
    }
    lab_no_op(&l);
    lab_event(&l, WEFT_IWCM_EVENT_GONE);
    assert_int_equal(weft_siw_tcp_incoming(l.siw, l.now, l.listener, &there, &peer, 0, &child),
                     WEFT_ERR_STALE);
    weft_siw_stats(l.siw, &stats);
    assert_int_equal(stats.endpoints, 0);
    assert_int_equal(stats.half_open, 0);
    lab_close(&l);
}

static void test_a_request_that_the_client_has_outlives_its_listener_R123(void **state)
{
    struct weft_iwcm_param p = lab_param(1, 1);
    weft_iwcm_id listener;
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    listener = l.id;
    lab_requested(&l);
    assert_int_equal(weft_iwcm_destroy(l.cm, listener), 0);
    lab_op(&l, WEFT_SIW_OP_RELEASE);
    assert_int_equal(l.op.ep.v, l.listener.v);
    lab_event(&l, WEFT_IWCM_EVENT_GONE);
    assert_int_equal(weft_iwcm_accept(l.cm, l.id, &p), 0);
    lab_writes(&l, HEX_REP_V2);
    lab_done(&l, WEFT_IWCM_CALL_ACCEPT, WEFT_IWCM_OK);
    lab_event(&l, WEFT_IWCM_EVENT_ESTABLISHED);
    lab_close(&l);
}

static void test_accept_is_ESTABLISHED_at_once_without_an_RTR_R116_R117(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_accepted(&l);
    assert_int_equal(l.event.peer.ird, 1);
    assert_int_equal(l.event.peer.ord, 1);
    assert_int_equal(l.event.remote.port, 1000);
    assert_int_equal(lab_state(&l), WEFT_IWCM_ESTABLISHED);
    assert_true(lab_qp(1)->connected);
    assert_false(lab_qp(1)->terms.initiator);
    lab_close(&l);
}

static void test_an_accept_that_cannot_be_rejects_the_peer(void **state)
{
    struct weft_iwcm_param p = lab_param(1, 129);
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_requested(&l);
    assert_int_equal(weft_iwcm_accept(l.cm, l.id, &p), 0);
    lab_writes(&l, HEX_REP_KEY "30 02 0004 0000 0000");
    lab_done(&l, WEFT_IWCM_CALL_ACCEPT, WEFT_IWCM_BAD_PARAM);
    assert_int_equal(lab_state(&l), WEFT_IWCM_IDLE);
    lab_op(&l, WEFT_SIW_OP_SHUT);
    lab_fin(&l);
    lab_op(&l, WEFT_SIW_OP_RELEASE);
    lab_no_event(&l);
    assert_false(lab_qp(1)->connected);
    lab_close(&l);
}

static void test_a_peer_that_goes_before_accept_makes_it_fail(void **state)
{
    struct weft_iwcm_param p = lab_param(1, 1);
    struct lab l;

    (void)state;
    for (int lost = 0; lost < 2; lost++) {
        lab_open(&l, NULL);
        lab_requested(&l);
        assert_int_equal(weft_siw_tcp_end(l.siw, l.now, l.ep, lost), 0);
        lab_no_event(&l);
        if (lost) /* the slot may be somebody else's by then */
            lab_op(&l, WEFT_SIW_OP_RELEASE);
        assert_int_equal(weft_iwcm_accept(l.cm, l.id, &p), 0);
        if (lost)
            lab_no_op(&l);
        else
            lab_op(&l, WEFT_SIW_OP_RELEASE);
        lab_done(&l, WEFT_IWCM_CALL_ACCEPT, WEFT_IWCM_RESET);
        lab_no_event(&l);
        assert_int_equal(lab_state(&l), WEFT_IWCM_IDLE);
        assert_false(lab_qp(1)->connected);
        lab_close(&l);
    }
}

static void test_a_reject_of_a_peer_that_has_gone_is_done_R118(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_requested(&l);
    lab_rst(&l);
    lab_op(&l, WEFT_SIW_OP_RELEASE);
    assert_int_equal(weft_iwcm_reject(l.cm, l.id, NULL, 0), 0);
    lab_no_op(&l);
    lab_done(&l, WEFT_IWCM_CALL_REJECT, WEFT_IWCM_OK);
    lab_no_event(&l);
    lab_close(&l);
}

static void test_reject_data_that_do_not_fit_are_left_out_and_it_is_said(void **state)
{
    static const uint8_t much[509];
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_requested(&l);
    assert_int_equal(weft_iwcm_reject(l.cm, l.id, much, sizeof(much)), 0);
    lab_writes(&l, HEX_REP_KEY "30 02 0004 0000 0000");
    lab_done(&l, WEFT_IWCM_CALL_REJECT, WEFT_IWCM_BAD_PARAM);
    lab_close(&l);
}

static void test_a_request_beyond_the_backlog_is_rejected_on_the_wire(void **state)
{
    struct weft_siw_stats stats;
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_listen(&l);
    for (int i = 0; i < 7; i++) {
        lab_incoming(&l);
        lab_rx(&l, HEX_REQ_V2);
    }
    lab_no_op(&l);
    lab_incoming(&l);
    lab_rx(&l, HEX_REQ_V2);
    lab_writes(&l, HEX_REP_KEY "30 02 0004 0000 0000");
    lab_op(&l, WEFT_SIW_OP_SHUT);
    lab_fin(&l);
    lab_op(&l, WEFT_SIW_OP_RELEASE);
    weft_siw_stats(l.siw, &stats);
    assert_int_equal(stats.upcalls_refused, 1);
    /* the listener is well */
    lab_event(&l, WEFT_IWCM_EVENT_REQUEST);
    lab_incoming(&l);
    lab_rx(&l, HEX_REQ_V2);
    lab_no_op(&l);
    lab_close(&l);
}

static void test_an_attempt_is_canceled_in_both_of_its_states(void **state)
{
    struct weft_iwcm_param p = lab_param(1, 1);
    struct lab l;

    (void)state;
    for (int up = 0; up < 2; up++) {
        lab_open(&l, NULL);
        if (up) {
            lab_dial(&l, &p);
        } else {
            connect_to(&l, &p);
            lab_op(&l, WEFT_SIW_OP_DIAL);
        }
        assert_int_equal(weft_iwcm_destroy(l.cm, l.id), 0);
        lab_op(&l, WEFT_SIW_OP_RELEASE);
        assert_true(l.op.reset);
        lab_event(&l, WEFT_IWCM_EVENT_GONE);
        lab_no_event(&l);
        lab_close(&l);
    }
}

static void test_what_fails_before_the_reply_is_a_REPLY_and_never_CLOSE_R113(void **state)
{
    struct weft_iwcm_param p = lab_param(1, 1);
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    for (int way = 0; way < 4; way++) {
        enum weft_iwcm_status status = WEFT_IWCM_RESET;

        if (way == 0) {
            connect_to(&l, &p);
            lab_op(&l, WEFT_SIW_OP_DIAL);
            lab_done(&l, WEFT_IWCM_CALL_CONNECT, WEFT_IWCM_OK);
            status = WEFT_IWCM_REFUSED;
            assert_int_equal(weft_siw_tcp_failed(l.siw, l.now, l.op.ep, status), 0);
        } else if (way == 1) {
            connect_to(&l, &p);
            lab_op(&l, WEFT_SIW_OP_DIAL);
            lab_done(&l, WEFT_IWCM_CALL_CONNECT, WEFT_IWCM_OK);
            lab_wait(&l, 30 * WEFT_S);
            status = WEFT_IWCM_TIMEOUT;
        } else {
            lab_dial(&l, &p);
            assert_int_equal(weft_siw_tcp_end(l.siw, l.now, l.ep, way == 2), 0);
        }
        lab_event(&l, WEFT_IWCM_EVENT_REPLY);
        assert_int_equal(l.event.status, status);
        lab_no_event(&l);
        lab_op(&l, WEFT_SIW_OP_RELEASE);
        assert_int_equal(lab_state(&l), WEFT_IWCM_IDLE);
    }
    lab_close(&l);
}

/* A QP and an id serve again when they are free. */
static void test_connections_one_after_another(void **state)
{
    struct weft_siw_stats stats;
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    for (int i = 0; i < 3; i++) {
        lab_connected(&l);
        lab_rst(&l);
        lab_event(&l, WEFT_IWCM_EVENT_CLOSED);
        lab_op(&l, WEFT_SIW_OP_RELEASE);
    }
    weft_siw_stats(l.siw, &stats);
    assert_int_equal(stats.endpoints, 0);
    lab_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_connect_that_cannot_be_is_refused_at_once_R118),
        cmocka_unit_test(test_without_a_free_ep_there_is_no_connect_and_no_listen),
        cmocka_unit_test(test_a_listener_is_there_when_the_host_says_so_R115),
        cmocka_unit_test(test_a_listener_that_fails_can_be_tried_again),
        cmocka_unit_test(test_unlisten_ends_the_listener_and_half_open_connections_R123_R124),
        cmocka_unit_test(test_a_request_that_the_client_has_outlives_its_listener_R123),
        cmocka_unit_test(test_accept_is_ESTABLISHED_at_once_without_an_RTR_R116_R117),
        cmocka_unit_test(test_an_accept_that_cannot_be_rejects_the_peer),
        cmocka_unit_test(test_a_peer_that_goes_before_accept_makes_it_fail),
        cmocka_unit_test(test_a_reject_of_a_peer_that_has_gone_is_done_R118),
        cmocka_unit_test(test_reject_data_that_do_not_fit_are_left_out_and_it_is_said),
        cmocka_unit_test(test_a_request_beyond_the_backlog_is_rejected_on_the_wire),
        cmocka_unit_test(test_an_attempt_is_canceled_in_both_of_its_states),
        cmocka_unit_test(test_what_fails_before_the_reply_is_a_REPLY_and_never_CLOSE_R113),
        cmocka_unit_test(test_connections_one_after_another),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
