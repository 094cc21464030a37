/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands: what they carry, their order, one at a time, and how they are answered. */
#include "iwcm_fixture.h"

static void test_R129_a_command_carries_what_the_client_said(void **state)
{
    static const char hello[] = "hello";
    struct weft_iwcm_param p = {hello, sizeof(hello), 3, 5, 2};
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x);
    struct weft_iwcm_cmd cmd;

    (void)state;
    assert_int_equal(weft_iwcm_connect(x->cm, id, &cx_here, &cx_there, &p), 0);
    cx_called(x, id, WEFT_IWCM_CALL_CONNECT);
    cmd = cx_take(x, id, WEFT_IWCM_CMD_CONNECT);
    assert_memory_equal(&cmd.local, &cx_here, sizeof(cx_here));
    assert_memory_equal(&cmd.remote, &cx_there, sizeof(cx_there));
    assert_int_equal(cmd.param.ird, 3);
    assert_int_equal(cmd.param.ord, 5);
    assert_int_equal(cmd.param.qpn, 2);
    assert_int_equal(cmd.param.private_bytes, sizeof(hello));
    assert_true(cmd.param.private_data != hello);
    assert_memory_equal(cmd.param.private_data, hello, sizeof(hello));
    cx_free(x);
}

static void test_private_data_of_a_command_last_until_it_is_done(void **state)
{
    static const uint8_t theirs[WEFT_IWCM_PRIVATE_MAX] = {9, 9, 9};
    uint8_t ours[WEFT_IWCM_PRIVATE_MAX] = {1, 2, 3};
    struct weft_iwcm_param p = {ours, sizeof(ours), 0, 0, 1};
    struct weft_iwcm_upcall u = cx_upcall(WEFT_IWCM_UP_REPLY, WEFT_IWCM_OK);
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x);
    struct weft_iwcm_cmd cmd;
    const uint8_t *seen;

    (void)state;
    assert_int_equal(weft_iwcm_connect(x->cm, id, NULL, &cx_there, &p), 0);
    cx_called(x, id, WEFT_IWCM_CALL_CONNECT);
    ours[0] = 0;
    cmd = cx_take(x, id, WEFT_IWCM_CMD_CONNECT);
    seen = cmd.param.private_data;
    u.peer.private_data = theirs;
    u.peer.private_bytes = sizeof(theirs);
    assert_int_equal(weft_iwcm_upcall(x->cm, id, &u, NULL), 0);
    books_said(cx_page(x, id), WEFT_IWCM_UP_REPLY, WEFT_IWCM_OK);
    assert_int_equal(seen[0], 1);
    assert_int_equal(seen[2], 3);
    cx_answer(x, id, WEFT_IWCM_OK);
    cx_free(x);
}

static void test_the_providers_name_comes_back_in_its_commands(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x), listener = cx_listener(x), child = cx_child(x, listener);

    (void)state;
    cx_connect(x, id, 1);
    assert_int_equal(cx_take(x, id, WEFT_IWCM_CMD_CONNECT).provider, 0);
    cx_answer(x, id, WEFT_IWCM_OK);
    cx_destroy(x, id);
    assert_int_equal(cx_take(x, id, WEFT_IWCM_CMD_ABORT).provider, CX_PROVIDER);
    cx_reject(x, child);
    assert_int_equal(cx_take(x, child, WEFT_IWCM_CMD_REJECT).provider, CX_PROVIDER);
    cx_destroy(x, listener);
    assert_int_equal(cx_take(x, listener, WEFT_IWCM_CMD_UNLISTEN).provider, CX_PROVIDER);
    cx_free(x);
}

static void test_commands_come_in_the_order_of_the_calls(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id a = cx_id(x), b = cx_id(x), c = cx_id(x);

    (void)state;
    cx_connect(x, b, 1);
    cx_listen(x, c);
    cx_connect(x, a, 2);
    (void)cx_take(x, b, WEFT_IWCM_CMD_CONNECT);
    assert_int_equal(cx_take(x, c, WEFT_IWCM_CMD_LISTEN).backlog, 2);
    (void)cx_take(x, a, WEFT_IWCM_CMD_CONNECT);
    cx_no_cmd(x);
    cx_free(x);
}

static void test_a_command_waits_for_the_one_before_it(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x);

    (void)state;
    cx_connect(x, id, 1);
    (void)cx_take(x, id, WEFT_IWCM_CMD_CONNECT);
    cx_up(x, id, WEFT_IWCM_UP_REPLY, WEFT_IWCM_OK);
    cx_disconnect(x, id, false);
    cx_no_cmd(x);
    cx_answer(x, id, WEFT_IWCM_OK);
    cx_serve(x, id, WEFT_IWCM_CMD_CLOSE);
    (void)cx_event(x, id, WEFT_IWCM_EVENT_REPLY);
    cx_done_event(x, id, WEFT_IWCM_CALL_CONNECT, WEFT_IWCM_OK);
    cx_done_event(x, id, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    cx_free(x);
}

/* A disconnect that waits is decided again when its turn comes: it may have become abrupt. */
static void test_what_waits_is_decided_when_its_turn_comes(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_child(x, cx_listener(x));

    (void)state;
    cx_accept(x, id, 1);
    (void)cx_take(x, id, WEFT_IWCM_CMD_ACCEPT);
    cx_up(x, id, WEFT_IWCM_UP_ESTABLISHED, WEFT_IWCM_OK);
    cx_disconnect(x, id, false);
    cx_disconnect(x, id, true);
    (void)cx_event(x, id, WEFT_IWCM_EVENT_ESTABLISHED);
    cx_done_event(x, id, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    cx_no_event(x);
    cx_answer(x, id, WEFT_IWCM_OK);
    cx_serve(x, id, WEFT_IWCM_CMD_ABORT);
    cx_done_event(x, id, WEFT_IWCM_CALL_ACCEPT, WEFT_IWCM_OK);
    cx_done_event(x, id, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    cx_no_cmd(x);
    cx_free(x);
}

/* The provider's end is gone with its CLOSE: a command that it has not taken would find nothing. */
static void test_a_command_that_CLOSE_overtakes_is_withdrawn(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_connected(x, 1);

    (void)state;
    cx_disconnect(x, id, false);
    cx_disconnect(x, id, true);
    cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_RESET);
    cx_no_cmd(x);
    cx_done_event(x, id, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    cx_done_event(x, id, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    (void)cx_event(x, id, WEFT_IWCM_EVENT_CLOSED);
    cx_connect(x, id, 1);
    cx_free(x);
}

static void test_DONE_of_a_disconnect_comes_before_CLOSED_and_once(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_connected(x, 1);

    (void)state;
    cx_disconnect(x, id, false);
    (void)cx_take(x, id, WEFT_IWCM_CMD_CLOSE);
    cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
    cx_done_event(x, id, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    (void)cx_event(x, id, WEFT_IWCM_EVENT_CLOSED);
    cx_answer(x, id, WEFT_IWCM_FAILED);
    cx_no_event(x);
    cx_free(x);
}

static void test_a_refused_command_is_told_and_leads_back(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x), child = cx_child(x, cx_listener(x));

    (void)state;
    cx_connect(x, id, 1);
    (void)cx_take(x, id, WEFT_IWCM_CMD_CONNECT);
    cx_answer(x, id, WEFT_IWCM_BAD_PARAM);
    cx_done_event(x, id, WEFT_IWCM_CALL_CONNECT, WEFT_IWCM_BAD_PARAM);
    assert_int_equal(cx_state(x, id), WEFT_IWCM_IDLE);
    cx_accept(x, child, 1);
    (void)cx_take(x, child, WEFT_IWCM_CMD_ACCEPT);
    cx_answer(x, child, WEFT_IWCM_NO_RESOURCES);
    cx_done_event(x, child, WEFT_IWCM_CALL_ACCEPT, WEFT_IWCM_NO_RESOURCES);
    assert_int_equal(cx_state(x, child), WEFT_IWCM_IDLE);
    cx_no_event(x);
    cx_no_cmd(x);
    cx_free(x);
}

static void done_is_refused(struct cx *x, weft_iwcm_id id, enum weft_iwcm_cmd_type type,
                            enum weft_iwcm_status status, int err)
{
    uint64_t violations = cx_stats(x).violations;

    assert_int_equal(weft_iwcm_cmd_done(x->cm, id, type, status, 1, &cx_here), err);
    assert_int_equal(cx_stats(x).violations, violations + 1);
    cx_sound(x);
}

static void test_answers_to_nothing_are_refused_and_counted(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x);

    (void)state;
    done_is_refused(x, id, WEFT_IWCM_CMD_CONNECT, WEFT_IWCM_OK, WEFT_ERR_STATE);
    cx_connect(x, id, 1);
    /* queued, but not taken */
    done_is_refused(x, id, WEFT_IWCM_CMD_CONNECT, WEFT_IWCM_OK, WEFT_ERR_STATE);
    (void)cx_take(x, id, WEFT_IWCM_CMD_CONNECT);
    done_is_refused(x, id, WEFT_IWCM_CMD_ACCEPT, WEFT_IWCM_OK, WEFT_ERR_STATE);
    done_is_refused(x, id, WEFT_IWCM_CMD_ABORT, WEFT_IWCM_OK, WEFT_ERR_STATE);
    done_is_refused(x, id, WEFT_IWCM_CMD_CONNECT, WEFT_IWCM_STATUSES, WEFT_ERR_INVALID);
    done_is_refused(x, id, WEFT_IWCM_CMDS, WEFT_IWCM_OK, WEFT_ERR_INVALID);
    done_is_refused(x, (weft_iwcm_id){77}, WEFT_IWCM_CMD_CONNECT, WEFT_IWCM_OK, WEFT_ERR_STALE);
    cx_answer(x, id, WEFT_IWCM_OK);
    done_is_refused(x, id, WEFT_IWCM_CMD_CONNECT, WEFT_IWCM_OK, WEFT_ERR_STATE);
    cx_done_event(x, id, WEFT_IWCM_CALL_CONNECT, WEFT_IWCM_OK);
    cx_no_event(x);
    cx_free(x);
}

static void test_a_late_error_never_reaches_the_client(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x), child = cx_child(x, cx_listener(x));

    (void)state;
    cx_connect(x, id, 1);
    (void)cx_take(x, id, WEFT_IWCM_CMD_CONNECT);
    cx_up(x, id, WEFT_IWCM_UP_REPLY, WEFT_IWCM_OK);
    done_is_refused(x, id, WEFT_IWCM_CMD_CONNECT, WEFT_IWCM_TIMEOUT, WEFT_ERR_STATE);
    assert_int_equal(cx_state(x, id), WEFT_IWCM_ESTABLISHED);
    cx_accept(x, child, 2);
    (void)cx_take(x, child, WEFT_IWCM_CMD_ACCEPT);
    cx_up(x, child, WEFT_IWCM_UP_ESTABLISHED, WEFT_IWCM_OK);
    done_is_refused(x, child, WEFT_IWCM_CMD_ACCEPT, WEFT_IWCM_RESET, WEFT_ERR_STATE);
    assert_int_equal(cx_state(x, child), WEFT_IWCM_ESTABLISHED);
    /* nor after destroy, when it would free the connection under the provider */
    cx_destroy(x, child);
    done_is_refused(x, child, WEFT_IWCM_CMD_ACCEPT, WEFT_IWCM_RESET, WEFT_ERR_STATE);
    (void)cx_event(x, id, WEFT_IWCM_EVENT_REPLY);
    cx_no_event(x);
    cx_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_R129_a_command_carries_what_the_client_said),
        cmocka_unit_test(test_private_data_of_a_command_last_until_it_is_done),
        cmocka_unit_test(test_the_providers_name_comes_back_in_its_commands),
        cmocka_unit_test(test_commands_come_in_the_order_of_the_calls),
        cmocka_unit_test(test_a_command_waits_for_the_one_before_it),
        cmocka_unit_test(test_what_waits_is_decided_when_its_turn_comes),
        cmocka_unit_test(test_a_command_that_CLOSE_overtakes_is_withdrawn),
        cmocka_unit_test(test_DONE_of_a_disconnect_comes_before_CLOSED_and_once),
        cmocka_unit_test(test_a_refused_command_is_told_and_leads_back),
        cmocka_unit_test(test_answers_to_nothing_are_refused_and_counted),
        cmocka_unit_test(test_a_late_error_never_reaches_the_client),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
