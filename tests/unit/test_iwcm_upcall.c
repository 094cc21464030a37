/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a provider may say when; and one that misbehaves, of which the client never hears. */
#include "iwcm_fixture.h"

static void test_R120_DISCONNECT_closes_without_an_event(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_connected(x, 1);

    (void)state;
    cx_up(x, id, WEFT_IWCM_UP_DISCONNECT, WEFT_IWCM_OK);
    assert_int_equal(cx_state(x, id), WEFT_IWCM_CLOSING);
    cx_no_event(x);
    cx_no_cmd(x);
    cx_up(x, id, WEFT_IWCM_UP_DISCONNECT, WEFT_IWCM_OK); /* again: ignored */
    assert_int_equal(cx_state(x, id), WEFT_IWCM_CLOSING);
    cx_free(x);
}

static void test_R106_R121_CLOSE_ends_both_ways_in_one_CLOSED(void **state)
{
    (void)state;
    for (int orderly = 0; orderly < 2; orderly++) {
        struct cx *x = cx_new();
        weft_iwcm_id id = cx_accepted(x, 1);

        if (orderly)
            cx_up(x, id, WEFT_IWCM_UP_DISCONNECT, WEFT_IWCM_OK);
        cx_up(x, id, WEFT_IWCM_UP_CLOSE, orderly ? WEFT_IWCM_OK : WEFT_IWCM_RESET);
        assert_int_equal(cx_state(x, id), WEFT_IWCM_IDLE);
        assert_false(cx_bound(x, 1, id));
        assert_int_equal(cx_event(x, id, WEFT_IWCM_EVENT_CLOSED).status,
                         orderly ? WEFT_IWCM_OK : WEFT_IWCM_RESET);
        cx_no_event(x);
        cx_free(x);
    }
}

static void test_DISCONNECT_is_ignored_where_nothing_is_up(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id listener = cx_listener(x), child = cx_child(x, listener), id = cx_id(x);

    (void)state;
    cx_connect(x, id, 1);
    (void)cx_take(x, id, WEFT_IWCM_CMD_CONNECT);
    cx_up(x, listener, WEFT_IWCM_UP_DISCONNECT, WEFT_IWCM_OK);
    cx_up(x, child, WEFT_IWCM_UP_DISCONNECT, WEFT_IWCM_OK);
    cx_up(x, id, WEFT_IWCM_UP_DISCONNECT, WEFT_IWCM_OK);
    assert_int_equal(cx_state(x, listener), WEFT_IWCM_LISTEN);
    assert_int_equal(cx_state(x, child), WEFT_IWCM_CONN_RECV);
    assert_int_equal(cx_state(x, id), WEFT_IWCM_CONN_SENT);
    cx_no_event(x);
    cx_free(x);
}

static void test_R113_race_2_CLOSE_before_the_reply_is_refused(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x);

    (void)state;
    cx_connect(x, id, 1);
    cx_misbehave(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK, WEFT_ERR_STATE);
    (void)cx_take(x, id, WEFT_IWCM_CMD_CONNECT);
    cx_misbehave(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK, WEFT_ERR_STATE);
    cx_answer(x, id, WEFT_IWCM_OK);
    cx_misbehave(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK, WEFT_ERR_STATE);
    assert_int_equal(cx_state(x, id), WEFT_IWCM_CONN_SENT);
    cx_up(x, id, WEFT_IWCM_UP_REPLY, WEFT_IWCM_OK);
    cx_done_event(x, id, WEFT_IWCM_CALL_CONNECT, WEFT_IWCM_OK);
    (void)cx_event(x, id, WEFT_IWCM_EVENT_REPLY);
    cx_no_event(x);
    cx_free(x);
}

static void test_words_before_the_command_is_taken_are_refused(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id listener = cx_id(x), child = cx_child(x, cx_listener(x)), id = cx_id(x);

    (void)state;
    cx_listen(x, listener);
    cx_misbehave(x, listener, WEFT_IWCM_UP_REQUEST, WEFT_IWCM_OK, WEFT_ERR_STATE);
    cx_connect(x, id, 1);
    cx_misbehave(x, id, WEFT_IWCM_UP_REPLY, WEFT_IWCM_OK, WEFT_ERR_STATE);
    cx_misbehave(x, id, WEFT_IWCM_UP_DISCONNECT, WEFT_IWCM_OK, WEFT_ERR_STATE);
    cx_accept(x, child, 2);
    cx_misbehave(x, child, WEFT_IWCM_UP_ESTABLISHED, WEFT_IWCM_OK, WEFT_ERR_STATE);
    (void)cx_take(x, listener, WEFT_IWCM_CMD_LISTEN);
    /* LISTEN may still fail */
    cx_misbehave(x, listener, WEFT_IWCM_UP_REQUEST, WEFT_IWCM_OK, WEFT_ERR_STATE);
    cx_free(x);
}

static void test_double_events_are_refused(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id active = cx_connected(x, 1), passive = cx_accepted(x, 2);

    (void)state;
    cx_misbehave(x, active, WEFT_IWCM_UP_REPLY, WEFT_IWCM_OK, WEFT_ERR_STATE);
    cx_misbehave(x, active, WEFT_IWCM_UP_REPLY, WEFT_IWCM_REJECTED, WEFT_ERR_STATE);
    cx_misbehave(x, active, WEFT_IWCM_UP_ESTABLISHED, WEFT_IWCM_OK, WEFT_ERR_STATE);
    cx_misbehave(x, passive, WEFT_IWCM_UP_ESTABLISHED, WEFT_IWCM_OK, WEFT_ERR_STATE);
    cx_misbehave(x, passive, WEFT_IWCM_UP_REPLY, WEFT_IWCM_OK, WEFT_ERR_STATE);
    cx_up(x, active, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
    cx_misbehave(x, active, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK, WEFT_ERR_STATE);
    (void)cx_event(x, active, WEFT_IWCM_EVENT_CLOSED);
    cx_no_event(x);
    cx_free(x);
}

static void test_R122_after_CLOSE_nothing_is_said(void **state)
{
    static const enum weft_iwcm_upcall_type late[] = {WEFT_IWCM_UP_REQUEST, WEFT_IWCM_UP_REPLY,
                                                      WEFT_IWCM_UP_ESTABLISHED,
                                                      WEFT_IWCM_UP_DISCONNECT, WEFT_IWCM_UP_CLOSE};
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_connected(x, 1);

    (void)state;
    cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
    for (uint32_t i = 0; i < COUNT(late); i++)
        cx_misbehave(x, id, late[i], WEFT_IWCM_OK, WEFT_ERR_STATE);
    (void)cx_event(x, id, WEFT_IWCM_EVENT_CLOSED);
    cx_destroy(x, id);
    for (uint32_t i = 0; i < COUNT(late); i++)
        cx_misbehave(x, id, late[i], WEFT_IWCM_OK, WEFT_ERR_STATE);
    cx_gone(x, id);
    for (uint32_t i = 0; i < COUNT(late); i++)
        cx_misbehave(x, id, late[i], WEFT_IWCM_OK, WEFT_ERR_STALE);
    cx_no_event(x);
    cx_free(x);
}

static void test_after_a_refused_command_or_a_rejection_nothing_is_said(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x), child = cx_child(x, cx_listener(x));

    (void)state;
    cx_connect(x, id, 1);
    (void)cx_take(x, id, WEFT_IWCM_CMD_CONNECT);
    cx_answer(x, id, WEFT_IWCM_UNREACHABLE);
    cx_misbehave(x, id, WEFT_IWCM_UP_REPLY, WEFT_IWCM_UNREACHABLE, WEFT_ERR_STATE);
    cx_misbehave(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_UNREACHABLE, WEFT_ERR_STATE);
    cx_reject(x, child);
    (void)cx_take(x, child, WEFT_IWCM_CMD_REJECT);
    cx_misbehave(x, child, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_RESET, WEFT_ERR_STATE);
    cx_misbehave(x, child, WEFT_IWCM_UP_DISCONNECT, WEFT_IWCM_OK, WEFT_ERR_STATE);
    cx_free(x);
}

static void refused(struct cx *x, weft_iwcm_id id, const struct weft_iwcm_upcall *u, int err)
{
    uint64_t violations = cx_stats(x).violations;
    weft_iwcm_id child = {0};

    assert_int_equal(weft_iwcm_upcall(x->cm, id, u, &child), err);
    assert_int_equal(child.v, 0);
    assert_int_equal(cx_stats(x).violations, violations + 1);
    cx_sound(x);
    cx_no_event(x);
}

static void test_malformed_upcalls_are_refused_and_counted(void **state)
{
    static const uint8_t bytes[WEFT_IWCM_PRIVATE_MAX + 1];
    struct weft_iwcm_upcall u = cx_upcall(WEFT_IWCM_UP_REQUEST, WEFT_IWCM_OK);
    struct cx *x = cx_new();
    weft_iwcm_id listener = cx_listener(x), id = cx_id(x);

    (void)state;
    u.peer.private_data = bytes;
    u.peer.private_bytes = WEFT_IWCM_PRIVATE_MAX + 1;
    refused(x, listener, &u, WEFT_ERR_INVALID);
    u.peer.private_data = NULL;
    u.peer.private_bytes = 1;
    refused(x, listener, &u, WEFT_ERR_INVALID);
    u.peer.private_bytes = 0;
    u.type = WEFT_IWCM_UPS;
    refused(x, listener, &u, WEFT_ERR_INVALID);
    u.type = WEFT_IWCM_UP_CLOSE;
    u.status = WEFT_IWCM_STATUSES;
    refused(x, listener, &u, WEFT_ERR_INVALID);
    u = cx_upcall(WEFT_IWCM_UP_REQUEST, WEFT_IWCM_OK);
    assert_int_equal(weft_iwcm_upcall(x->cm, listener, &u, NULL), WEFT_ERR_INVALID);
    refused(x, id, &u, WEFT_ERR_STATE);
    refused(x, (weft_iwcm_id){0}, &u, WEFT_ERR_STALE);
    refused(x, (weft_iwcm_id){UINT64_MAX}, &u, WEFT_ERR_STALE);
    (void)cx_request(x, listener);
    cx_free(x);
}

static void test_race_20_where_no_id_is_free_only_a_request_is_refused(void **state)
{
    struct weft_iwcm_upcall u = cx_upcall(WEFT_IWCM_UP_REQUEST, WEFT_IWCM_OK);
    struct cx *x = cx_new_sized(2, 4);
    weft_iwcm_id listener = cx_listener(x), id = cx_id(x), child;
    static const uint8_t theirs[WEFT_IWCM_PRIVATE_MAX] = {5};

    (void)state;
    assert_int_equal(weft_iwcm_upcall(x->cm, listener, &u, &child), WEFT_ERR_FULL);
    assert_int_equal(cx_stats(x).ids_full, 1);
    assert_int_equal(cx_stats(x).violations, 0);
    cx_connect(x, id, 1);
    cx_serve(x, id, WEFT_IWCM_CMD_CONNECT);
    u.type = WEFT_IWCM_UP_REPLY;
    u.peer.private_data = theirs;
    u.peer.private_bytes = sizeof(theirs);
    assert_int_equal(weft_iwcm_upcall(x->cm, id, &u, NULL), 0);
    books_said(cx_page(x, id), WEFT_IWCM_UP_REPLY, WEFT_IWCM_OK);
    cx_done_event(x, id, WEFT_IWCM_CALL_CONNECT, WEFT_IWCM_OK);
    assert_int_equal(cx_event(x, id, WEFT_IWCM_EVENT_REPLY).peer.private_bytes, sizeof(theirs));
    cx_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_R120_DISCONNECT_closes_without_an_event),
        cmocka_unit_test(test_R106_R121_CLOSE_ends_both_ways_in_one_CLOSED),
        cmocka_unit_test(test_DISCONNECT_is_ignored_where_nothing_is_up),
        cmocka_unit_test(test_R113_race_2_CLOSE_before_the_reply_is_refused),
        cmocka_unit_test(test_words_before_the_command_is_taken_are_refused),
        cmocka_unit_test(test_double_events_are_refused),
        cmocka_unit_test(test_R122_after_CLOSE_nothing_is_said),
        cmocka_unit_test(test_after_a_refused_command_or_a_rejection_nothing_is_said),
        cmocka_unit_test(test_malformed_upcalls_are_refused_and_counted),
        cmocka_unit_test(test_race_20_where_no_id_is_free_only_a_request_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
