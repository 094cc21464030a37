/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the provider has, and how destroy makes it let go, in every state. */
#include "iwcm_fixture.h"

static void test_an_id_that_nobody_else_holds_is_gone_at_once(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x);

    (void)state;
    cx_destroy(x, id);
    cx_no_cmd(x);
    assert_int_equal(weft_iwcm_destroy(x->cm, id), WEFT_ERR_STATE);
    cx_gone(x, id);
    cx_no_event(x);
    cx_free(x);
}

static void test_what_the_provider_has_not_taken_it_never_will(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id connecting = cx_id(x), listening = cx_id(x);

    (void)state;
    cx_connect(x, connecting, 1);
    cx_listen(x, listening);
    cx_destroy(x, connecting);
    cx_destroy(x, listening);
    cx_no_cmd(x);
    cx_gone(x, connecting);
    cx_gone(x, listening);
    cx_free(x);
}

static void test_R119_a_connection_is_aborted(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id ids[2];

    (void)state;
    ids[0] = cx_connected(x, 1);
    ids[1] = cx_accepted(x, 2);
    for (int i = 0; i < 2; i++) {
        cx_destroy(x, ids[i]);
        assert_int_equal(cx_state(x, ids[i]), WEFT_IWCM_DESTROYING);
        cx_serve(x, ids[i], WEFT_IWCM_CMD_ABORT);
        cx_no_event(x);
        cx_up(x, ids[i], WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
        cx_gone(x, ids[i]);
    }
    cx_free(x);
}

/* However the connection was being ended before, and however far that had come. */
static void test_destroy_while_closing_aborts_once(void **state)
{
    (void)state;
    for (int taken = 0; taken < 3; taken++) {
        struct cx *x = cx_new();
        weft_iwcm_id id = cx_connected(x, 1);

        cx_disconnect(x, id, false);
        if (taken > 0)
            (void)cx_take(x, id, WEFT_IWCM_CMD_CLOSE);
        if (taken > 1)
            cx_answer(x, id, WEFT_IWCM_OK);
        cx_destroy(x, id);
        if (taken == 1) {
            cx_no_cmd(x);
            cx_answer(x, id, WEFT_IWCM_OK);
        }
        cx_serve(x, id, WEFT_IWCM_CMD_ABORT);
        cx_no_cmd(x);
        cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
        cx_gone(x, id);
        cx_free(x);
    }
}

static void test_destroy_after_an_abrupt_disconnect_does_not_abort_again(void **state)
{
    (void)state;
    for (int answered = 0; answered < 2; answered++) {
        struct cx *x = cx_new();
        weft_iwcm_id id = cx_connected(x, 1);

        cx_disconnect(x, id, true);
        if (answered)
            cx_serve(x, id, WEFT_IWCM_CMD_ABORT);
        cx_destroy(x, id);
        if (!answered)
            cx_serve(x, id, WEFT_IWCM_CMD_ABORT);
        cx_no_cmd(x);
        cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
        cx_gone(x, id);
        cx_free(x);
    }
}

static void test_race_3_an_attempt_is_canceled(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x);

    (void)state;
    cx_connect(x, id, 1);
    (void)cx_take(x, id, WEFT_IWCM_CMD_CONNECT);
    cx_destroy(x, id);
    cx_no_cmd(x); /* CONNECT is not done */
    cx_answer(x, id, WEFT_IWCM_OK);
    cx_serve(x, id, WEFT_IWCM_CMD_ABORT);
    cx_no_event(x);
    cx_up(x, id, WEFT_IWCM_UP_REPLY, WEFT_IWCM_CANCELED);
    cx_gone(x, id);
    cx_no_event(x);
    cx_free(x);
}

static void test_an_attempt_that_fails_while_it_is_canceled_is_gone(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x);

    (void)state;
    cx_connect(x, id, 1);
    (void)cx_take(x, id, WEFT_IWCM_CMD_CONNECT);
    cx_destroy(x, id);
    cx_answer(x, id, WEFT_IWCM_UNREACHABLE);
    cx_no_cmd(x);
    cx_gone(x, id);
    cx_free(x);
}

/* Where the ABORT is when the peer's yes arrives. */
enum {
    QUEUED,
    TAKEN,
    ANSWERED
};

/* The peer's yes may cross the ABORT: what the provider had taken was about the attempt. */
static void test_an_attempt_that_succeeds_while_it_is_canceled_is_aborted(void **state)
{
    (void)state;
    for (int late = QUEUED; late <= ANSWERED; late++) {
        struct cx *x = cx_new();
        weft_iwcm_id id = cx_id(x);

        cx_connect(x, id, 1);
        cx_serve(x, id, WEFT_IWCM_CMD_CONNECT);
        cx_destroy(x, id);
        if (late > QUEUED)
            (void)cx_take(x, id, WEFT_IWCM_CMD_ABORT);
        if (late > TAKEN)
            cx_answer(x, id, WEFT_IWCM_OK);
        cx_up(x, id, WEFT_IWCM_UP_REPLY, WEFT_IWCM_OK);
        cx_no_event(x);
        if (late == TAKEN)
            cx_answer(x, id, WEFT_IWCM_OK);
        cx_serve(x, id, WEFT_IWCM_CMD_ABORT);
        cx_no_cmd(x);
        cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
        cx_gone(x, id);
        cx_free(x);
    }
}

static void test_a_request_is_rejected(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_child(x, cx_listener(x));
    struct weft_iwcm_cmd cmd;

    (void)state;
    cx_destroy(x, id);
    cmd = cx_take(x, id, WEFT_IWCM_CMD_REJECT);
    assert_int_equal(cmd.param.private_bytes, 0);
    cx_no_event(x);
    cx_answer(x, id, WEFT_IWCM_OK);
    cx_gone(x, id);
    cx_free(x);
}

static void test_destroy_keeps_the_clients_own_rejection(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_child(x, cx_listener(x));
    struct weft_iwcm_cmd cmd;

    (void)state;
    cx_reject(x, id);
    cx_destroy(x, id);
    cmd = cx_take(x, id, WEFT_IWCM_CMD_REJECT);
    assert_int_equal(cmd.param.private_bytes, 2);
    assert_memory_equal(cmd.param.private_data, "no", 2);
    cx_answer(x, id, WEFT_IWCM_OK);
    cx_gone(x, id);
    cx_no_cmd(x);
    cx_free(x);
}

static void test_an_accept_that_was_not_taken_becomes_a_rejection(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_child(x, cx_listener(x));

    (void)state;
    cx_accept(x, id, 1);
    cx_destroy(x, id);
    cx_serve(x, id, WEFT_IWCM_CMD_REJECT);
    cx_gone(x, id);
    cx_free(x);
}

/* ESTABLISHED may come before the CLOSE of an accept that is aborted, or may not. */
static void test_an_accept_is_aborted_before_or_after_it_is_up(void **state)
{
    (void)state;
    for (int established = 0; established < 2; established++) {
        struct cx *x = cx_new();
        weft_iwcm_id id = cx_child(x, cx_listener(x));

        cx_accept(x, id, 1);
        cx_serve(x, id, WEFT_IWCM_CMD_ACCEPT);
        cx_destroy(x, id);
        cx_misbehave(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK, WEFT_ERR_STATE);
        if (established)
            cx_up(x, id, WEFT_IWCM_UP_ESTABLISHED, WEFT_IWCM_OK);
        cx_serve(x, id, WEFT_IWCM_CMD_ABORT);
        cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
        cx_gone(x, id);
        cx_no_event(x);
        cx_free(x);
    }
}

static void test_R124_a_listener_is_gone_when_the_provider_acknowledges(void **state)
{
    struct weft_iwcm_upcall u = cx_upcall(WEFT_IWCM_UP_REQUEST, WEFT_IWCM_OK);
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_listener(x), other = cx_connected(x, 1), child;

    (void)state;
    cx_destroy(x, id);
    /* the device does not know it yet: the peer is rejected, that is no defect */
    assert_int_equal(weft_iwcm_upcall(x->cm, id, &u, &child), WEFT_ERR_FULL);
    (void)cx_take(x, id, WEFT_IWCM_CMD_UNLISTEN);
    assert_int_equal(weft_iwcm_upcall(x->cm, id, &u, &child), WEFT_ERR_FULL);
    assert_int_equal(cx_stats(x).violations, 0);
    cx_no_event(x);
    /* others go on meanwhile */
    cx_disconnect(x, other, true);
    cx_serve(x, other, WEFT_IWCM_CMD_ABORT);
    cx_done_event(x, other, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    cx_answer(x, id, WEFT_IWCM_OK);
    cx_misbehave(x, id, WEFT_IWCM_UP_REQUEST, WEFT_IWCM_OK, WEFT_ERR_STATE);
    cx_gone(x, id);
    cx_free(x);
}

static void test_a_listener_destroyed_before_LISTEN_is_done(void **state)
{
    (void)state;
    for (int refused = 0; refused < 2; refused++) {
        struct cx *x = cx_new();
        weft_iwcm_id id = cx_id(x);

        cx_listen(x, id);
        (void)cx_take(x, id, WEFT_IWCM_CMD_LISTEN);
        cx_destroy(x, id);
        cx_no_cmd(x);
        cx_answer(x, id, refused ? WEFT_IWCM_ADDRESS : WEFT_IWCM_OK);
        if (!refused)
            cx_serve(x, id, WEFT_IWCM_CMD_UNLISTEN);
        cx_gone(x, id);
        cx_no_cmd(x);
        cx_free(x);
    }
}

static void test_R123_nothing_but_GONE_comes_after_destroy(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_connected(x, 1);

    (void)state;
    cx_destroy(x, id);
    cx_up(x, id, WEFT_IWCM_UP_DISCONNECT, WEFT_IWCM_OK);
    cx_serve(x, id, WEFT_IWCM_CMD_ABORT);
    cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
    cx_gone(x, id);
    cx_no_event(x);
    cx_misbehave(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK, WEFT_ERR_STALE);
    cx_no_event(x);
    cx_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_id_that_nobody_else_holds_is_gone_at_once),
        cmocka_unit_test(test_what_the_provider_has_not_taken_it_never_will),
        cmocka_unit_test(test_R119_a_connection_is_aborted),
        cmocka_unit_test(test_destroy_while_closing_aborts_once),
        cmocka_unit_test(test_destroy_after_an_abrupt_disconnect_does_not_abort_again),
        cmocka_unit_test(test_race_3_an_attempt_is_canceled),
        cmocka_unit_test(test_an_attempt_that_fails_while_it_is_canceled_is_gone),
        cmocka_unit_test(test_an_attempt_that_succeeds_while_it_is_canceled_is_aborted),
        cmocka_unit_test(test_a_request_is_rejected),
        cmocka_unit_test(test_destroy_keeps_the_clients_own_rejection),
        cmocka_unit_test(test_an_accept_that_was_not_taken_becomes_a_rejection),
        cmocka_unit_test(test_an_accept_is_aborted_before_or_after_it_is_up),
        cmocka_unit_test(test_R124_a_listener_is_gone_when_the_provider_acknowledges),
        cmocka_unit_test(test_a_listener_destroyed_before_LISTEN_is_done),
        cmocka_unit_test(test_R123_nothing_but_GONE_comes_after_destroy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
