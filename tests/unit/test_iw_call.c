/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The calls that connect, in their states and with what they refuse. */
#include "iw/facade.h"
#include "iw/socket.h"
#include "iw_fixture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

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

static void test_both_sides_through_all_their_states_R114_R115_R116_R117_R120_R121(void **state)
{
    weft_iw_id id = player_id(&client), child;

    (void)state;
    assert_int_equal(player_state(&client, id), WEFT_IWCM_IDLE);
    assert_int_equal(player_state(&server, listener), WEFT_IWCM_LISTEN);
    player_do(&server, WEFT_IW_REQUEST, NULL, 0);
    assert_int_equal(player_connect(&client, id, &at, player_qp(&client)), 0);
    child = player_wait(&server, WEFT_IW_REQUEST, any, 1).id;
    assert_int_equal(player_state(&client, id), WEFT_IWCM_CONN_SENT);
    assert_int_equal(player_state(&server, child), WEFT_IWCM_CONN_RECV);
    player_accept(&server, &(struct weft_iw_event){.id = child});
    assert_int_equal(player_wait(&client, WEFT_IW_REPLY, id, 1).status, 0);
    (void)player_wait(&server, WEFT_IW_ESTABLISHED, child, 1);
    assert_int_equal(player_state(&client, id), WEFT_IWCM_ESTABLISHED);
    assert_int_equal(player_state(&server, child), WEFT_IWCM_ESTABLISHED);
    assert_int_equal(weft_iw_disconnect(client.iw, id, false), 0);
    (void)player_wait(&client, WEFT_IW_CLOSED, id, 1);
    (void)player_wait(&server, WEFT_IW_CLOSED, child, 1);
    assert_int_equal(player_state(&client, id), WEFT_IWCM_IDLE);
    assert_int_equal(player_state(&server, child), WEFT_IWCM_IDLE);
}

static void test_a_rejected_request_is_idle_and_silent_R118(void **state)
{
    weft_iw_id id = player_id(&client), child;
    struct player_seen seen;

    (void)state;
    player_do(&server, WEFT_IW_REQUEST, NULL, 0);
    assert_int_equal(player_connect(&client, id, &at, player_qp(&client)), 0);
    child = player_wait(&server, WEFT_IW_REQUEST, any, 1).id;
    assert_int_equal(weft_iw_reject(server.iw, child, "full", 4), 0);
    assert_int_equal(player_state(&server, child), WEFT_IWCM_IDLE);
    seen = player_wait(&client, WEFT_IW_REPLY, id, 1);
    assert_int_equal(seen.status, -ECONNREFUSED);
    assert_true(seen.rejected);
    assert_int_equal(seen.private_bytes, 4);
    assert_memory_equal(seen.private_data, "full", 4);
    assert_int_equal(weft_iw_reject(server.iw, child, NULL, 0), -ENOTCONN);
    assert_int_equal(weft_iw_destroy(server.iw, child), 0);
    assert_int_equal(server.count, 1);
}

/* The callback of each event, one after the other, gives its id up. */
static void test_nonzero_from_any_callback_destroys_R128(void **state)
{
    (void)state;
    for (int type = 0; type < WEFT_IW_EVENTS; type++) {
        struct player *p = type == WEFT_IW_REPLY ? &client : &server;
        weft_iw_id id = player_id(&client), gone;
        enum weft_iwcm_state ignored;
        uint32_t before = player_count(p, (enum weft_iw_event_type)type, any);

        player_do(p, (enum weft_iw_event_type)type, type == WEFT_IW_REQUEST ? NULL : p->act[type],
                  1);
        assert_int_equal(player_connect(&client, id, &at, player_qp(&client)), 0);
        if (type == WEFT_IW_CLOSED) {
            (void)player_wait(&client, WEFT_IW_REPLY, id, 1);
            assert_int_equal(weft_iw_disconnect(client.iw, id, false), 0);
        }
        gone = player_wait(p, (enum weft_iw_event_type)type, any, before + 1).id;
        while (weft_iw_state(p->iw, gone, &ignored) == 0)
            (void)sched_yield();
        assert_int_equal(weft_iw_state(p->iw, gone, &ignored), -ESTALE);
        if (type == WEFT_IW_REQUEST)
            assert_true(player_wait(&client, WEFT_IW_REPLY, id, 1).rejected);
        assert_int_equal(player_state(&server, listener), WEFT_IWCM_LISTEN);
        player_do(p, (enum weft_iw_event_type)type, type == WEFT_IW_REQUEST ? player_accept : NULL,
                  0);
    }
}

static void destroy_later(struct player *p, const struct weft_iw_event *e)
{
    player_note(p, 1000 + weft_iw_destroy_later(p->iw, e->id));
}

static void test_destroying_later_is_for_callbacks(void **state)
{
    weft_iw_id id = player_id(&client);

    (void)state;
    player_do(&client, WEFT_IW_REPLY, destroy_later, 0);
    assert_int_equal(player_connect(&client, id, &at, player_qp(&client)), 0);
    (void)player_wait(&server, WEFT_IW_CLOSED, any, 1);
    /* the connection may end before the callback returns, which a destroy waits for */
    assert_int_equal(weft_iw_destroy(client.iw, id), -ESTALE);
    assert_int_equal(player_noted(&client), 1000);
    assert_int_equal(weft_iw_destroy_later(client.iw, id), -ESTALE);
    assert_int_equal(player_count(&client, WEFT_IW_CLOSED, id), 0);
}

static void test_a_reset_is_abrupt_for_both_R132(void **state)
{
    struct player_pair pair;
    struct weft_siw_qp_info info;

    (void)state;
    for (int abrupt = 0; abrupt < 2; abrupt++) {
        pair = player_pair(&client, &server, &at);
        assert_int_equal(weft_iw_disconnect(client.iw, pair.client, abrupt), 0);
        (void)player_wait(&client, WEFT_IW_CLOSED, pair.client, 1);
        (void)player_wait(&server, WEFT_IW_CLOSED, pair.server, 1);
        assert_int_equal(weft_iw_qp_query(client.iw, pair.client_qpn, &info), 0);
        assert_int_equal(info.state, abrupt ? WEFT_SIW_QP_ERROR : WEFT_SIW_QP_IDLE);
        assert_int_equal(weft_iw_qp_query(server.iw, pair.server_qpn, &info), 0);
        assert_int_equal(info.state, abrupt ? WEFT_SIW_QP_ERROR : WEFT_SIW_QP_IDLE);
    }
}

static void test_arguments_and_states_that_are_refused(void **state)
{
    struct sockaddr_storage nowhere = {.ss_family = AF_UNIX};
    struct sockaddr_in other = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0xC0000201)};
    struct weft_iwcm_param p = {.qpn = player_qp(&client)};
    weft_iw_id id = player_id(&client), gone = {.v = 1u << 30};
    enum weft_iwcm_state ignored;

    (void)state;
    assert_int_equal(player_connect(&client, id, &nowhere, p.qpn), -EINVAL);
    assert_int_equal(
        weft_iw_connect(client.iw, id, (struct sockaddr *)&nowhere, (struct sockaddr *)&at, &p),
        -EINVAL);
    assert_int_equal(weft_iw_listen(client.iw, id, (struct sockaddr *)&nowhere, 0, NULL), -EINVAL);
    assert_int_equal(weft_iw_listen(client.iw, id, (struct sockaddr *)&other, 0, NULL),
                     -EADDRNOTAVAIL);
    assert_int_equal(player_connect(&client, id, &at, 0xABCDEF), -EINVAL);
    assert_int_equal(weft_iw_accept(client.iw, id, &p), -ENOTCONN);
    assert_int_equal(player_connect(&server, listener, &at, player_qp(&server)), -EISCONN);
    assert_int_equal(player_connect(&client, gone, &at, p.qpn), -ESTALE);
    assert_int_equal(weft_iw_listen(client.iw, gone, (struct sockaddr *)&at, 0, NULL), -ESTALE);
    assert_int_equal(weft_iw_accept(client.iw, gone, &p), -ESTALE);
    assert_int_equal(weft_iw_reject(client.iw, gone, NULL, 0), -ESTALE);
    assert_int_equal(weft_iw_disconnect(client.iw, gone, false), -ESTALE);
    assert_int_equal(weft_iw_destroy(client.iw, gone), -ESTALE);
    assert_int_equal(weft_iw_destroy_later(client.iw, gone), -ESTALE);
    assert_int_equal(weft_iw_state(client.iw, gone, &ignored), -ESTALE);
    assert_int_equal(player_state(&client, id), WEFT_IWCM_IDLE);
}

static void test_a_qp_serves_one_connection_at_a_time_R131(void **state)
{
    struct player_pair pair;
    weft_iw_id id = player_id(&client);

    (void)state;
    pair = player_pair(&client, &server, &at);
    assert_int_equal(player_connect(&client, id, &at, pair.client_qpn), -EBUSY);
    assert_int_equal(weft_iw_disconnect(client.iw, pair.client, false), 0);
    (void)player_wait(&client, WEFT_IW_CLOSED, pair.client, 1);
    assert_int_equal(player_connect(&client, id, &at, pair.client_qpn), 0);
    assert_int_equal(player_wait(&client, WEFT_IW_REPLY, id, 1).status, 0);
}

/* A listener whose queue is full: who dials it waits. */
static int full_listener(struct sockaddr_storage *there, int *ret_first)
{
    int fd = raw_listen(there);

    assert_int_equal(listen(fd, 0), 0);
    *ret_first = raw_connect(there);
    return fd;
}

/* As if the way to the one peer that is dialed had been lost. */
static void lose_way(struct weft_iw *iw)
{
    struct iw_socket *s = NULL;

    facade_lock(iw);
    for (size_t i = 0; i <= iw->loop->bucket_mask && !s; i++)
        s = iw->loop->buckets[i];
    assert_non_null(s);
    assert_int_equal(s->kind, IW_SOCKET_DIALING);
    assert_int_equal(
        weft_siw_tcp_failed(iw->loop->siw, iw_loop_now(), s->ep, WEFT_IWCM_UNREACHABLE), 0);
    facade_leave(iw);
}

static void test_a_way_that_is_lost_after_the_call_is_told_by_a_reply(void **state)
{
    weft_iw_id id = player_id(&client);
    struct sockaddr_storage there;
    int first, fd = full_listener(&there, &first);

    (void)state;
    assert_int_equal(player_connect(&client, id, &there, player_qp(&client)), 0);
    lose_way(client.iw);
    assert_int_equal(player_wait(&client, WEFT_IW_REPLY, id, 1).status, -EHOSTUNREACH);
    assert_int_equal(player_state(&client, id), WEFT_IWCM_IDLE);
    (void)close(first);
    (void)close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            test_both_sides_through_all_their_states_R114_R115_R116_R117_R120_R121, start, stop),
        cmocka_unit_test_setup_teardown(test_a_rejected_request_is_idle_and_silent_R118, start,
                                        stop),
        cmocka_unit_test_setup_teardown(test_nonzero_from_any_callback_destroys_R128, start, stop),
        cmocka_unit_test_setup_teardown(test_destroying_later_is_for_callbacks, start, stop),
        cmocka_unit_test_setup_teardown(test_a_reset_is_abrupt_for_both_R132, start, stop),
        cmocka_unit_test_setup_teardown(test_arguments_and_states_that_are_refused, start, stop),
        cmocka_unit_test_setup_teardown(test_a_qp_serves_one_connection_at_a_time_R131, start,
                                        stop),
        cmocka_unit_test_setup_teardown(test_a_way_that_is_lost_after_the_call_is_told_by_a_reply,
                                        start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
