/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events on their way: to callbacks, to those who wait, from one to the other. */
#include "iw_fixture.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

static struct player client, server;
static struct sockaddr_storage at;
static weft_iw_id listener;
static const weft_iw_id any;

static int start(void **state)
{
    (void)state;
    player_open(&client);
    player_open(&server);
    listener = player_listen(&server, 0, &at);
    player_do(&server, WEFT_IW_REQUEST, player_accept, 0);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    player_close(&client);
    player_close(&server);
    return 0;
}

static void test_events_without_a_callback_wait_in_their_order_R117(void **state)
{
    weft_iw_id id = player_quiet_id(&client);
    struct weft_iw_event e;

    (void)state;
    assert_int_equal(weft_iw_wait(client.iw, id, 0, &e), -ETIMEDOUT);
    assert_int_equal(player_connect(&client, id, &at, player_qp(&client)), 0);
    (void)player_wait(&server, WEFT_IW_ESTABLISHED, any, 1);
    assert_int_equal(
        weft_iw_disconnect(server.iw, player_wait(&server, WEFT_IW_ESTABLISHED, any, 1).id, false),
        0);
    (void)player_wait(&server, WEFT_IW_CLOSED, any, 1);
    assert_int_equal(weft_iw_wait(client.iw, id, PLAYER_PATIENCE_MS, &e), 0);
    assert_int_equal(e.type, WEFT_IW_REPLY);
    assert_int_equal(e.status, 0);
    assert_int_equal(e.peer.private_bytes, 3);
    assert_memory_equal(e.peer.private_data, "yes", 3);
    assert_memory_equal(&e.remote, &at, sizeof(struct sockaddr_in));
    assert_int_equal(e.local.ss_family, AF_INET);
    assert_int_equal(weft_iw_wait(client.iw, id, PLAYER_PATIENCE_MS, &e), 0);
    assert_int_equal(e.type, WEFT_IW_CLOSED);
    assert_int_equal(weft_iw_wait(client.iw, id, 0, &e), -ETIMEDOUT);
}

static void test_who_has_a_callback_cannot_be_waited_for(void **state)
{
    struct weft_iw_event e;

    (void)state;
    assert_int_equal(weft_iw_wait(server.iw, listener, 0, &e), -EINVAL);
}

static int count_up(struct weft_iw *iw, const struct weft_iw_event *e, void *context)
{
    struct player *p = context;

    (void)iw;
    (void)e;
    player_note(p, player_noted(p) + 1);
    player_open_gate(p);
    return 0;
}

static void test_events_that_wait_go_to_a_new_callback(void **state)
{
    weft_iw_id id = player_quiet_id(&client);

    (void)state;
    assert_int_equal(player_connect(&client, id, &at, player_qp(&client)), 0);
    (void)player_wait(&server, WEFT_IW_ESTABLISHED, any, 1);
    player_wait_state(&client, id, WEFT_IWCM_ESTABLISHED);
    assert_int_equal(weft_iw_set_callback(client.iw, id, count_up, &client), 0);
    player_gate(&client, NULL);
    assert_int_equal(weft_iw_destroy(client.iw, id), 0);
    assert_int_equal(player_noted(&client), 1);
    assert_int_equal(weft_iw_set_callback(client.iw, id, NULL, NULL), -ESTALE);
}

static void test_a_request_by_waiting_has_the_peer_s_private_data_R115(void **state)
{
    weft_iw_id quiet = player_quiet_id(&server), id = player_id(&client);
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_storage bound;
    struct weft_iw_event e;

    (void)state;
    assert_int_equal(weft_iw_listen(server.iw, quiet, (struct sockaddr *)&there, 0, &bound), 0);
    assert_int_equal(player_connect(&client, id, &bound, player_qp(&client)), 0);
    assert_int_equal(weft_iw_wait(server.iw, quiet, PLAYER_PATIENCE_MS, &e), 0);
    assert_int_equal(e.type, WEFT_IW_REQUEST);
    assert_int_equal(e.listener.v, quiet.v);
    assert_int_not_equal(e.id.v, quiet.v);
    assert_int_equal(e.peer.private_bytes, 5);
    assert_memory_equal(e.peer.private_data, "hello", 5);
    assert_int_equal(weft_iw_reject(server.iw, e.id, "no", 2), 0);
    assert_memory_equal(player_wait(&client, WEFT_IW_REPLY, id, 1).private_data, "no", 2);
    /* the new id has no callback, as its listener */
    assert_int_equal(weft_iw_wait(server.iw, e.id, 0, &e), -ETIMEDOUT);
}

/* The private data of the request and of the own reply are not told again, and not lost. */
static void test_established_brings_no_private_data_R117(void **state)
{
    weft_iw_id quiet = player_quiet_id(&server), id = player_quiet_id(&client);
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct weft_iwcm_param p = {
        .private_data = "mine", .private_bytes = 4, .qpn = player_qp(&server)};
    struct weft_iw_event request, e;
    struct sockaddr_storage bound;

    (void)state;
    assert_int_equal(weft_iw_listen(server.iw, quiet, (struct sockaddr *)&there, 0, &bound), 0);
    assert_int_equal(player_connect(&client, id, &bound, player_qp(&client)), 0);
    assert_int_equal(weft_iw_wait(server.iw, quiet, PLAYER_PATIENCE_MS, &request), 0);
    assert_int_equal(weft_iw_accept(server.iw, request.id, &p), 0);
    assert_int_equal(weft_iw_wait(server.iw, request.id, PLAYER_PATIENCE_MS, &e), 0);
    assert_int_equal(e.type, WEFT_IW_ESTABLISHED);
    assert_int_equal(e.peer.private_bytes, 0);
    assert_int_equal(weft_iw_wait(client.iw, id, PLAYER_PATIENCE_MS, &e), 0);
    assert_int_equal(e.type, WEFT_IW_REPLY);
    assert_int_equal(e.peer.private_bytes, 4);
    assert_memory_equal(e.peer.private_data, "mine", 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_events_without_a_callback_wait_in_their_order_R117,
                                        start, stop),
        cmocka_unit_test_setup_teardown(test_who_has_a_callback_cannot_be_waited_for, start, stop),
        cmocka_unit_test_setup_teardown(test_events_that_wait_go_to_a_new_callback, start, stop),
        cmocka_unit_test_setup_teardown(test_a_request_by_waiting_has_the_peer_s_private_data_R115,
                                        start, stop),
        cmocka_unit_test_setup_teardown(test_established_brings_no_private_data_R117, start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
