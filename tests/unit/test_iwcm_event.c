/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events: their order, how many may wait, what destroy drops, and private data. */
#include "iwcm_fixture.h"

static void test_events_of_all_ids_come_in_the_order_in_which_they_arose(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id listener = cx_listener(x), a = cx_connected(x, 1), child;

    (void)state;
    child = cx_request(x, listener);
    cx_up(x, a, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
    cx_disconnect(x, a, false);
    cx_destroy(x, listener);
    (void)cx_event(x, a, WEFT_IWCM_EVENT_CLOSED);
    cx_done_event(x, a, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    cx_no_event(x);
    (void)child;
    cx_free(x);
}

static void test_destroy_drops_the_events_that_wait_and_counts_them(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x), other = cx_id(x);

    (void)state;
    cx_disconnect(x, other, false);
    cx_connect(x, id, 1);
    cx_serve(x, id, WEFT_IWCM_CMD_CONNECT);
    cx_up(x, id, WEFT_IWCM_UP_REPLY, WEFT_IWCM_OK);
    cx_destroy(x, id);
    assert_int_equal(cx_stats(x).dropped, 2);
    cx_done_event(x, other, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    cx_no_event(x);
    cx_serve(x, id, WEFT_IWCM_CMD_ABORT);
    cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
    cx_gone(x, id);
    cx_free(x);
}

static void test_race_10_a_destroyed_listener_rejects_the_requests_that_nobody_polled(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id listener = cx_listener(x), polled = cx_child(x, listener);
    weft_iwcm_id waiting[2];

    (void)state;
    for (int i = 0; i < 2; i++)
        waiting[i] = cx_request(x, listener);
    cx_destroy(x, listener);
    assert_int_equal(cx_stats(x).dropped, 2);
    for (int i = 0; i < 2; i++)
        cx_serve(x, waiting[i], WEFT_IWCM_CMD_REJECT);
    cx_serve(x, listener, WEFT_IWCM_CMD_UNLISTEN);
    cx_gone(x, listener);
    cx_no_event(x);
    assert_int_equal(cx_stats(x).ids, 1);
    assert_int_equal(cx_state(x, polled), WEFT_IWCM_CONN_RECV);
    cx_free(x);
}

static void test_race_11_the_backlog_counts_requests_that_were_not_polled(void **state)
{
    struct weft_iwcm_upcall u = cx_upcall(WEFT_IWCM_UP_REQUEST, WEFT_IWCM_OK);
    struct cx *x = cx_new_sized(6, 2);
    weft_iwcm_id listener = cx_listener(x), first = cx_request(x, listener), none = {0};

    (void)state;
    (void)cx_request(x, listener);
    assert_int_equal(weft_iwcm_upcall(x->cm, listener, &u, &none), WEFT_ERR_FULL);
    assert_int_equal(none.v, 0);
    assert_int_equal(cx_stats(x).backlog_full, 1);
    assert_int_equal(cx_stats(x).violations, 0);
    assert_int_equal(cx_state(x, listener), WEFT_IWCM_LISTEN);
    (void)cx_event(x, first, WEFT_IWCM_EVENT_REQUEST);
    (void)cx_request(x, listener);
    cx_free(x);
}

static void test_the_backlog_given_to_listen_counts(void **state)
{
    struct weft_iwcm_upcall u = cx_upcall(WEFT_IWCM_UP_REQUEST, WEFT_IWCM_OK);
    struct cx *x = cx_new_sized(6, 3);
    weft_iwcm_id id = cx_id(x), child;

    (void)state;
    assert_int_equal(weft_iwcm_listen(x->cm, id, &cx_here, 1), 0);
    cx_called(x, id, WEFT_IWCM_CALL_LISTEN);
    assert_int_equal(cx_take(x, id, WEFT_IWCM_CMD_LISTEN).backlog, 1);
    cx_answer(x, id, WEFT_IWCM_OK);
    (void)cx_request(x, id);
    assert_int_equal(weft_iwcm_upcall(x->cm, id, &u, &child), WEFT_ERR_FULL);
    cx_free(x);
}

static void test_private_data_of_every_length_arrive(void **state)
{
    static const uint16_t lengths[] = {0, 1, 255, 256, WEFT_IWCM_PRIVATE_MAX};
    uint8_t theirs[WEFT_IWCM_PRIVATE_MAX];

    (void)state;
    for (uint32_t i = 0; i < COUNT(lengths); i++) {
        struct weft_iwcm_upcall u = cx_upcall(WEFT_IWCM_UP_REQUEST, WEFT_IWCM_OK);
        struct cx *x = cx_new();
        weft_iwcm_id listener = cx_listener(x), id;
        struct weft_iwcm_event ev;

        memset(theirs, (int)(i + 1), sizeof(theirs));
        u.peer.private_data = theirs;
        u.peer.private_bytes = lengths[i];
        assert_int_equal(weft_iwcm_upcall(x->cm, listener, &u, &id), 0);
        cx_new_page(x, id)->has = HAS_REQUEST;
        theirs[0] = 0; /* they were copied */
        ev = cx_event(x, id, WEFT_IWCM_EVENT_REQUEST);
        assert_int_equal(ev.peer.private_bytes, lengths[i]);
        assert_int_equal(ev.peer.private_data == NULL, lengths[i] == 0);
        for (uint32_t at = 0; at < lengths[i]; at++)
            assert_int_equal(((const uint8_t *)ev.peer.private_data)[at], i + 1);
        cx_free(x);
    }
}

/* The client need not poll, but then it cannot go on calling: what waits has a bound. */
static void test_calls_are_refused_while_eight_events_wait(void **state)
{
    struct weft_iwcm_param p = cx_param(1);
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x);

    (void)state;
    for (int i = 0; i < 8; i++)
        cx_disconnect(x, id, false);
    assert_int_equal(weft_iwcm_disconnect(x->cm, id, false), WEFT_ERR_FULL);
    assert_int_equal(weft_iwcm_connect(x->cm, id, NULL, &cx_there, &p), WEFT_ERR_FULL);
    assert_int_equal(weft_iwcm_listen(x->cm, id, &cx_here, 0), WEFT_ERR_FULL);
    cx_done_event(x, id, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    cx_connect(x, id, 1);
    cx_destroy(x, id);
    cx_gone(x, id);
    cx_free(x);
}

static void test_as_many_events_as_can_ever_wait_have_room(void **state)
{
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x);

    (void)state;
    for (int i = 0; i < 7; i++)
        cx_disconnect(x, id, false);
    cx_connect(x, id, 1);
    (void)cx_take(x, id, WEFT_IWCM_CMD_CONNECT);
    cx_up(x, id, WEFT_IWCM_UP_REPLY, WEFT_IWCM_OK);
    assert_int_equal(weft_iwcm_disconnect(x->cm, id, true), WEFT_ERR_FULL);
    cx_done_event(x, id, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    cx_disconnect(x, id, false); /* waits for cmd_done */
    cx_disconnect(x, id, true);  /* takes its place: one more event */
    cx_up(x, id, WEFT_IWCM_UP_CLOSE, WEFT_IWCM_OK);
    cx_answer(x, id, WEFT_IWCM_OK);
    assert_int_equal(cx_stats(x).events[WEFT_IWCM_EVENT_DONE], 10);
    assert_int_equal(cx_stats(x).events[WEFT_IWCM_EVENT_CLOSED], 1);
    cx_free(x);
}

/* What a peer said is kept once for an id, so the next attempt waits until it was polled. */
static void test_terms_that_nobody_has_polled_are_not_overwritten(void **state)
{
    struct weft_iwcm_upcall u = cx_upcall(WEFT_IWCM_UP_REPLY, WEFT_IWCM_REJECTED);
    struct weft_iwcm_param p = cx_param(1);
    struct cx *x = cx_new();
    weft_iwcm_id id = cx_id(x);
    struct weft_iwcm_event ev;

    (void)state;
    cx_connect(x, id, 1);
    cx_serve(x, id, WEFT_IWCM_CMD_CONNECT);
    u.peer.private_data = "why";
    u.peer.private_bytes = 3;
    assert_int_equal(weft_iwcm_upcall(x->cm, id, &u, NULL), 0);
    books_said(cx_page(x, id), WEFT_IWCM_UP_REPLY, WEFT_IWCM_REJECTED);
    assert_int_equal(weft_iwcm_connect(x->cm, id, NULL, &cx_there, &p), WEFT_ERR_FULL);
    assert_int_equal(weft_iwcm_listen(x->cm, id, &cx_here, 0), WEFT_ERR_FULL);
    cx_done_event(x, id, WEFT_IWCM_CALL_CONNECT, WEFT_IWCM_OK);
    ev = cx_event(x, id, WEFT_IWCM_EVENT_REPLY);
    assert_int_equal(ev.peer.private_bytes, 3);
    assert_memory_equal(ev.peer.private_data, "why", 3);
    cx_connect(x, id, 1);
    cx_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events_of_all_ids_come_in_the_order_in_which_they_arose),
        cmocka_unit_test(test_destroy_drops_the_events_that_wait_and_counts_them),
        cmocka_unit_test(test_race_10_a_destroyed_listener_rejects_the_requests_that_nobody_polled),
        cmocka_unit_test(test_race_11_the_backlog_counts_requests_that_were_not_polled),
        cmocka_unit_test(test_the_backlog_given_to_listen_counts),
        cmocka_unit_test(test_private_data_of_every_length_arrive),
        cmocka_unit_test(test_calls_are_refused_while_eight_events_wait),
        cmocka_unit_test(test_as_many_events_as_can_ever_wait_have_room),
        cmocka_unit_test(test_terms_that_nobody_has_polled_are_not_overwritten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
