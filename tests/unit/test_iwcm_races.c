/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The races of connect, close and destroy, as the connection manager sees them: a race between
 * threads is an order of calls here. docs/iwcm.md lists them by number. */
#include "iwcm_fixture.h"

static void test_race_1_the_reply_comes_before_connect_is_done(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x);

    (void)state;
    cx_connect(x, id, 1);
    (void)cx_take(x, id, WEFT_IWCM_CMD_CONNECT);
    cx_up(x, id, WEFT_IWCM_UP_REPLY, WEFT_IWCM_OK);
    cx_answer(x, id, WEFT_IWCM_OK);
    (void)cx_event(x, id, WEFT_IWCM_EVENT_REPLY);
    cx_done_event(x, id, WEFT_IWCM_CALL_CONNECT, WEFT_IWCM_OK);
    cx_no_event(x);
    cx_free(x);
}

static void test_race_1_a_rejection_and_a_whole_connection_come_before_connect_is_done(void **state)
{
    (void)state;
    for (int up = 0; up < 2; up++) {
        struct cx *x = cx_new();
        weft_iwcm_id id = cx_id(x);

        cx_connect(x, id, 1);
        (void)cx_take(x, id, WEFT_IWCM_CMD_CONNECT);
        cx_up(x, id, WEFT_IWCM_UP_REPLY, up ? WEFT_IWCM_OK : WEFT_IWCM_REJECTED);
        if (up)
            cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_RESET);
        assert_int_equal(cx_state(x, id), WEFT_IWCM_IDLE);
        assert_false(cx_bound(x, 1, id));
        cx_answer(x, id, WEFT_IWCM_OK);
        (void)cx_event(x, id, WEFT_IWCM_EVENT_REPLY);
        if (up)
            (void)cx_event(x, id, WEFT_IWCM_EVENT_CLOSED);
        cx_done_event(x, id, WEFT_IWCM_CALL_CONNECT, WEFT_IWCM_OK);
        cx_no_event(x);
        cx_free(x);
    }
}

static void test_race_3_destroy_while_connect_is_outstanding(void **state)
{
    static const enum weft_iwcm_status replies[] = {WEFT_IWCM_OK, WEFT_IWCM_REJECTED};

    (void)state;
    for (uint32_t i = 0; i < COUNT(replies); i++) {
        struct cx *x = cx_new();
        weft_iwcm_id id = cx_id(x);

        cx_connect(x, id, 1);
        (void)cx_take(x, id, WEFT_IWCM_CMD_CONNECT);
        cx_destroy(x, id);
        cx_up(x, id, WEFT_IWCM_UP_REPLY, replies[i]);
        cx_no_event(x);
        cx_no_cmd(x);
        cx_answer(x, id, WEFT_IWCM_OK);
        if (replies[i] == WEFT_IWCM_OK) {
            cx_serve(x, id, WEFT_IWCM_CMD_ABORT);
            cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
        }
        cx_gone(x, id);
        cx_no_event(x);
        cx_free(x);
    }
}

static void test_R135_R136_race_4_destroy_and_CLOSE_in_either_order(void **state)
{
    (void)state;
    for (int close_first = 0; close_first < 2; close_first++) {
        struct cx *x = cx_new();
        weft_iwcm_id id = cx_connected(x, 1);

        if (close_first) {
            cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
            cx_destroy(x, id);
            assert_int_equal(cx_stats(x).dropped, 1);
        } else {
            cx_destroy(x, id);
            cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
        }
        cx_no_cmd(x);
        cx_gone(x, id);
        cx_no_event(x);
        cx_free(x);
    }
}

/* 5 and 6: what a client does on hearing of an event; blocking is the facade's matter. */
static void test_R133_race_5_destroy_on_ESTABLISHED_waits_for_CLOSE(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_child(x, cx_listener(x));

    (void)state;
    cx_accept(x, id, 1);
    (void)cx_take(x, id, WEFT_IWCM_CMD_ACCEPT);
    cx_up(x, id, WEFT_IWCM_UP_ESTABLISHED, WEFT_IWCM_OK);
    (void)cx_event(x, id, WEFT_IWCM_EVENT_ESTABLISHED);
    cx_destroy(x, id);
    cx_answer(x, id, WEFT_IWCM_OK);
    cx_serve(x, id, WEFT_IWCM_CMD_ABORT);
    cx_no_event(x);
    cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
    cx_gone(x, id);
    cx_free(x);
}

static void test_race_6_disconnect_on_an_early_REPLY(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x);

    (void)state;
    cx_connect(x, id, 1);
    (void)cx_take(x, id, WEFT_IWCM_CMD_CONNECT);
    cx_up(x, id, WEFT_IWCM_UP_REPLY, WEFT_IWCM_OK);
    (void)cx_event(x, id, WEFT_IWCM_EVENT_REPLY);
    cx_disconnect(x, id, true);
    cx_answer(x, id, WEFT_IWCM_OK);
    cx_serve(x, id, WEFT_IWCM_CMD_ABORT);
    cx_done_event(x, id, WEFT_IWCM_CALL_CONNECT, WEFT_IWCM_OK);
    cx_done_event(x, id, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
    (void)cx_event(x, id, WEFT_IWCM_EVENT_CLOSED);
    cx_free(x);
}

static void test_race_8_both_sides_disconnect(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id listener = cx_listener(x), active = cx_connected(x, 1);
    weft_iwcm_id passive = cx_child(x, listener), both[2];

    (void)state;
    cx_accept(x, passive, 2);
    cx_serve(x, passive, WEFT_IWCM_CMD_ACCEPT);
    cx_up(x, passive, WEFT_IWCM_UP_ESTABLISHED, WEFT_IWCM_OK);
    cx_done_event(x, passive, WEFT_IWCM_CALL_ACCEPT, WEFT_IWCM_OK);
    (void)cx_event(x, passive, WEFT_IWCM_EVENT_ESTABLISHED);
    cx_disconnect(x, active, false);
    cx_disconnect(x, passive, false);
    both[0] = active;
    both[1] = passive;
    for (int i = 0; i < 2; i++) {
        cx_serve(x, both[i], WEFT_IWCM_CMD_CLOSE);
        cx_up(x, both[i], WEFT_IWCM_UP_DISCONNECT, WEFT_IWCM_OK);
        cx_up(x, both[i], WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
        cx_done_event(x, both[i], WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
        (void)cx_event(x, both[i], WEFT_IWCM_EVENT_CLOSED);
        assert_int_equal(cx_state(x, both[i]), WEFT_IWCM_IDLE);
    }
    cx_no_event(x);
    cx_free(x);
}

static void test_R122_race_9_calls_after_CLOSE_reach_no_provider(void **state)
{
    struct weft_iwcm_param p = cx_param(2);
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_accepted(x, 1);

    (void)state;
    cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_RESET);
    assert_int_equal(weft_iwcm_accept(x->cm, id, &p), WEFT_ERR_STATE);
    assert_int_equal(weft_iwcm_reject(x->cm, id, NULL, 0), WEFT_ERR_STATE);
    cx_disconnect(x, id, false);
    cx_disconnect(x, id, true);
    cx_no_cmd(x);
    cx_free(x);
}

static void test_race_12_connect_after_a_connect_that_failed(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x);

    (void)state;
    for (int i = 0; i < 3; i++) {
        cx_connect(x, id, 1);
        (void)cx_take(x, id, WEFT_IWCM_CMD_CONNECT);
        cx_answer(x, id, WEFT_IWCM_UNREACHABLE);
    }
    for (int i = 0; i < 3; i++)
        cx_done_event(x, id, WEFT_IWCM_CALL_CONNECT, WEFT_IWCM_UNREACHABLE);
    cx_connect(x, id, 1);
    cx_serve(x, id, WEFT_IWCM_CMD_CONNECT);
    cx_up(x, id, WEFT_IWCM_UP_REPLY, WEFT_IWCM_OK);
    cx_done_event(x, id, WEFT_IWCM_CALL_CONNECT, WEFT_IWCM_OK);
    (void)cx_event(x, id, WEFT_IWCM_EVENT_REPLY);
    cx_no_event(x);
    cx_free(x);
}

static void test_race_13_listen_after_a_listen_that_failed(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x);

    (void)state;
    cx_listen(x, id);
    (void)cx_take(x, id, WEFT_IWCM_CMD_LISTEN);
    cx_answer(x, id, WEFT_IWCM_ADDRESS);
    cx_done_event(x, id, WEFT_IWCM_CALL_LISTEN, WEFT_IWCM_ADDRESS);
    assert_int_equal(cx_state(x, id), WEFT_IWCM_IDLE);
    cx_listen(x, id);
    cx_serve(x, id, WEFT_IWCM_CMD_LISTEN);
    cx_done_event(x, id, WEFT_IWCM_CALL_LISTEN, WEFT_IWCM_OK);
    (void)cx_child(x, id);
    cx_free(x);
}

static void test_race_14_accept_with_a_wrong_QP_leaves_the_request(void **state)
{
    struct weft_iwcm_param unknown = cx_param(CX_QPS + 1), taken = cx_param(1);
    struct cx *x = cx_new();
    weft_iwcm_id first = cx_connected(x, 1), id = cx_child(x, cx_listener(x)), other;

    (void)state;
    assert_int_equal(weft_iwcm_accept(x->cm, id, &unknown), WEFT_ERR_INVALID);
    assert_int_equal(weft_iwcm_accept(x->cm, id, &taken), WEFT_ERR_CONFLICT);
    assert_int_equal(cx_state(x, id), WEFT_IWCM_CONN_RECV);
    cx_reject(x, id);
    cx_serve(x, id, WEFT_IWCM_CMD_REJECT);
    cx_done_event(x, id, WEFT_IWCM_CALL_REJECT, WEFT_IWCM_OK);
    cx_destroy(x, id);
    cx_gone(x, id);
    other = cx_id(x);
    assert_int_equal(weft_iwcm_connect(x->cm, other, NULL, &cx_there, &taken), WEFT_ERR_CONFLICT);
    assert_true(cx_bound(x, 1, first));
    cx_free(x);
}

static void test_race_15_16_the_peer_goes_before_or_while_it_is_accepted(void **state)
{
    (void)state;
    for (int established = 0; established < 2; established++) {
        struct cx *x = cx_new();
        weft_iwcm_id id = cx_child(x, cx_listener(x));

        /* TCP may have ended by now: no event says so */
        cx_misbehave(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_RESET, WEFT_ERR_STATE);
        cx_accept(x, id, 1);
        (void)cx_take(x, id, WEFT_IWCM_CMD_ACCEPT);
        cx_misbehave(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_RESET, WEFT_ERR_STATE);
        if (established) {
            cx_up(x, id, WEFT_IWCM_UP_ESTABLISHED, WEFT_IWCM_OK);
            cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_RESET);
            cx_answer(x, id, WEFT_IWCM_OK);
            (void)cx_event(x, id, WEFT_IWCM_EVENT_ESTABLISHED);
            (void)cx_event(x, id, WEFT_IWCM_EVENT_CLOSED);
            cx_done_event(x, id, WEFT_IWCM_CALL_ACCEPT, WEFT_IWCM_OK);
        } else {
            cx_answer(x, id, WEFT_IWCM_RESET);
            cx_done_event(x, id, WEFT_IWCM_CALL_ACCEPT, WEFT_IWCM_RESET);
        }
        assert_int_equal(cx_state(x, id), WEFT_IWCM_IDLE);
        assert_false(cx_bound(x, 1, id));
        cx_no_event(x);
        cx_free(x);
    }
}

/* A connection always has a QP here; what has none yet cannot be disconnected and is not stuck. */
static void test_race_18_disconnect_without_a_QP_changes_nothing(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_child(x, cx_listener(x));

    (void)state;
    assert_int_equal(weft_iwcm_disconnect(x->cm, id, true), WEFT_ERR_STATE);
    assert_int_equal(cx_state(x, id), WEFT_IWCM_CONN_RECV);
    cx_accept(x, id, 1);
    cx_free(x);
}

static void test_race_19_DISCONNECT_and_CLOSE_in_one_burst_and_a_late_DISCONNECT(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_connected(x, 1);

    (void)state;
    cx_up(x, id, WEFT_IWCM_UP_DISCONNECT, WEFT_IWCM_OK);
    cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
    cx_misbehave(x, id, WEFT_IWCM_UP_DISCONNECT, WEFT_IWCM_OK, WEFT_ERR_STATE);
    (void)cx_event(x, id, WEFT_IWCM_EVENT_CLOSED);
    cx_no_event(x);
    cx_free(x);
}

static void test_race_21_destroy_between_the_last_event_and_its_poll(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_connected(x, 1), other;

    (void)state;
    cx_destroy(x, id);
    cx_serve(x, id, WEFT_IWCM_CMD_ABORT);
    cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
    /* GONE waits: the id is not another's before it was polled */
    assert_int_equal(weft_iwcm_destroy(x->cm, id), WEFT_ERR_STATE);
    other = cx_id(x);
    assert_int_not_equal((uint32_t)other.v, (uint32_t)id.v);
    cx_gone(x, id);
    assert_int_equal(weft_iwcm_destroy(x->cm, id), WEFT_ERR_STALE);
    cx_no_event(x);
    cx_free(x);
}

static void test_race_22_a_child_outlives_its_listener(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id listener = cx_listener(x), id = cx_child(x, listener);

    (void)state;
    cx_accept(x, id, 1);
    (void)cx_take(x, id, WEFT_IWCM_CMD_ACCEPT);
    cx_destroy(x, listener);
    cx_serve(x, listener, WEFT_IWCM_CMD_UNLISTEN);
    cx_gone(x, listener);
    cx_answer(x, id, WEFT_IWCM_OK);
    cx_up(x, id, WEFT_IWCM_UP_ESTABLISHED, WEFT_IWCM_OK);
    cx_done_event(x, id, WEFT_IWCM_CALL_ACCEPT, WEFT_IWCM_OK);
    (void)cx_event(x, id, WEFT_IWCM_EVENT_ESTABLISHED);
    assert_int_equal(cx_state(x, id), WEFT_IWCM_ESTABLISHED);
    cx_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_race_1_the_reply_comes_before_connect_is_done),
        cmocka_unit_test(
            test_race_1_a_rejection_and_a_whole_connection_come_before_connect_is_done),
        cmocka_unit_test(test_race_3_destroy_while_connect_is_outstanding),
        cmocka_unit_test(test_R135_R136_race_4_destroy_and_CLOSE_in_either_order),
        cmocka_unit_test(test_R133_race_5_destroy_on_ESTABLISHED_waits_for_CLOSE),
        cmocka_unit_test(test_race_6_disconnect_on_an_early_REPLY),
        cmocka_unit_test(test_race_8_both_sides_disconnect),
        cmocka_unit_test(test_R122_race_9_calls_after_CLOSE_reach_no_provider),
        cmocka_unit_test(test_race_12_connect_after_a_connect_that_failed),
        cmocka_unit_test(test_race_13_listen_after_a_listen_that_failed),
        cmocka_unit_test(test_race_14_accept_with_a_wrong_QP_leaves_the_request),
        cmocka_unit_test(test_race_15_16_the_peer_goes_before_or_while_it_is_accepted),
        cmocka_unit_test(test_race_18_disconnect_without_a_QP_changes_nothing),
        cmocka_unit_test(test_race_19_DISCONNECT_and_CLOSE_in_one_burst_and_a_late_DISCONNECT),
        cmocka_unit_test(test_race_21_destroy_between_the_last_event_and_its_poll),
        cmocka_unit_test(test_race_22_a_child_outlives_its_listener),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
