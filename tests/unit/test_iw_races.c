/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The races in a connection manager's history, by number, through the facade and with delays at
 * every step. */
#include "iw/identity.h"
#include "iw_fixture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 20

static struct player client, server;
static struct sockaddr_storage at; /* where the server listens */
static weft_iw_id listener;
static const weft_iw_id any;

static int start(void **state)
{
    (void)state;
    pauses_begin();
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
    pauses_end();
    return 0;
}

/* A thread that makes one call. */
struct caller {
    pthread_t thread;
    struct player *player;
    weft_iw_id id;
    uint32_t qpn;
    bool abrupt;
    _Atomic bool begun, over;
    int result;
};

static void begin(struct caller *c, void *(*call)(void *))
{
    assert_int_equal(pthread_create(&c->thread, NULL, call, c), 0);
    while (!c->begun)
        (void)sched_yield();
}

static int end(struct caller *c)
{
    assert_int_equal(pthread_join(c->thread, NULL), 0);
    return c->result;
}

static void *call_destroy(void *arg)
{
    struct caller *c = arg;

    c->begun = true;
    c->result = weft_iw_destroy(c->player->iw, c->id);
    c->over = true;
    return NULL;
}

static void *call_disconnect(void *arg)
{
    struct caller *c = arg;

    c->begun = true;
    c->result = weft_iw_disconnect(c->player->iw, c->id, c->abrupt);
    c->over = true;
    return NULL;
}

static void *call_qp_destroy(void *arg)
{
    struct caller *c = arg;

    c->begun = true;
    c->result = weft_iw_qp_destroy(c->player->iw, c->qpn);
    c->over = true;
    return NULL;
}

static void destroy(struct player *p, weft_iw_id id)
{
    assert_int_equal(weft_iw_destroy(p->iw, id), 0);
}

/* Everything a pair has. */
static void pair_end(const struct player_pair *pair)
{
    destroy(&client, pair->client);
    destroy(&server, pair->server);
    assert_int_equal(weft_iw_qp_destroy(client.iw, pair->client_qpn), 0);
    assert_int_equal(weft_iw_qp_destroy(server.iw, pair->server_qpn), 0);
}

static weft_iw_id replied;

static void until_replied(enum iw_point point)
{
    if (point == IW_POINT_UNLOCKED)
        (void)player_wait(&client, WEFT_IW_REPLY, replied, 1);
}

static void test_race_1_the_reply_comes_before_connect_returns_R114(void **state)
{
    uint32_t qpn = player_qp(&client);

    (void)state;
    replied = player_id(&client);
    pause_here = until_replied;
    assert_int_equal(player_connect(&client, replied, &at, qpn), 0);
    pause_here = NULL;
    assert_int_equal(player_count(&client, WEFT_IW_REPLY, replied), 1);
    assert_int_equal(player_state(&client, replied), WEFT_IWCM_ESTABLISHED);
    destroy(&client, replied);
    assert_int_equal(player_count(&client, WEFT_IW_REPLY, replied), 1);
}

static void test_race_2_a_connection_that_ends_at_once_is_a_reply_never_a_close_R113(void **state)
{
    struct sockaddr_storage there;
    int fd = raw_listen(&there);

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        weft_iw_id id = player_id(&client);
        uint32_t qpn = player_qp(&client);
        int peer;

        assert_int_equal(player_connect(&client, id, &there, qpn), 0);
        peer = raw_accept(fd);
        if (i % 2)
            raw_reset(peer);
        else
            (void)close(peer);
        assert_int_not_equal(player_wait(&client, WEFT_IW_REPLY, id, 1).status, 0);
        assert_int_equal(player_state(&client, id), WEFT_IWCM_IDLE);
        destroy(&client, id);
        assert_int_equal(player_count(&client, WEFT_IW_CLOSED, id), 0);
        assert_int_equal(player_count(&client, WEFT_IW_REPLY, id), 1);
        assert_int_equal(weft_iw_qp_destroy(client.iw, qpn), 0);
    }
    (void)close(fd);
}

static void test_race_3_destroy_ends_an_outstanding_connect_R107_R123(void **state)
{
    struct sockaddr_storage there;
    int fd = raw_listen(&there);

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        weft_iw_id id = player_id(&client);
        uint32_t qpn = player_qp(&client), replies;
        int peer;

        assert_int_equal(player_connect(&client, id, &there, qpn), 0);
        peer = raw_accept(fd);
        if (i % 2) {
            raw_take_frame(peer);
            raw_reply(peer, i % 4 == 1);
        }
        destroy(&client, id);
        replies = player_count(&client, WEFT_IW_REPLY, id);
        assert_true(replies <= (uint32_t)(i % 2));
        (void)close(peer);
        assert_int_equal(weft_iw_qp_destroy(client.iw, qpn), 0);
        assert_int_equal(player_count(&client, WEFT_IW_REPLY, id), replies);
    }
    (void)close(fd);
}

static void test_race_4_destroy_meets_the_close_R106_R119_R135(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        struct player_pair pair = player_pair(&client, &server, &at);
        struct caller c = {.player = &server, .id = pair.server, .abrupt = i % 2};
        uint32_t closed;

        begin(&c, call_disconnect);
        destroy(&client, pair.client);
        closed = player_count(&client, WEFT_IW_CLOSED, pair.client);
        assert_true(closed <= 1);
        assert_int_equal(end(&c), 0);
        (void)player_wait(&server, WEFT_IW_CLOSED, pair.server, 1);
        assert_int_equal(weft_iw_qp_destroy(client.iw, pair.client_qpn), 0);
        assert_int_equal(player_count(&client, WEFT_IW_CLOSED, pair.client), closed);
        destroy(&server, pair.server);
        assert_int_equal(player_count(&server, WEFT_IW_CLOSED, pair.server), 1);
    }
}

static void test_race_5_nonzero_from_established_with_the_close_to_come_R128_R133_R136(void **state)
{
    (void)state;
    player_do(&server, WEFT_IW_ESTABLISHED, NULL, 1);
    for (int i = 0; i < ROUNDS; i++) {
        struct player_pair pair = player_pair(&client, &server, &at);
        enum weft_iwcm_state ignored;

        (void)player_wait(&client, WEFT_IW_CLOSED, pair.client, 1);
        /* the worker lives: it frees the QP, and what was destroyed is gone */
        while (weft_iw_qp_destroy(server.iw, pair.server_qpn) == -EBUSY)
            (void)sched_yield();
        assert_int_equal(weft_iw_state(server.iw, pair.server, &ignored), -ESTALE);
        assert_int_equal(weft_iw_destroy(server.iw, pair.server), -ESTALE);
        assert_int_equal(player_count(&server, WEFT_IW_CLOSED, pair.server), 0);
        destroy(&client, pair.client);
        assert_int_equal(weft_iw_qp_destroy(client.iw, pair.client_qpn), 0);
    }
}

static void disconnect_in_callback(struct player *p, const struct weft_iw_event *e)
{
    player_note(p, 1000 + weft_iw_disconnect(p->iw, e->id, false));
}

static void test_race_6_the_reply_s_callback_disconnects_R132(void **state)
{
    (void)state;
    player_do(&client, WEFT_IW_REPLY, disconnect_in_callback, 0);
    for (int i = 0; i < ROUNDS; i++) {
        struct player_pair pair = player_pair(&client, &server, &at);

        (void)player_wait(&client, WEFT_IW_CLOSED, pair.client, 1);
        (void)player_wait(&server, WEFT_IW_CLOSED, pair.server, 1);
        assert_int_equal(player_noted(&client), 1000);
        pair_end(&pair);
        assert_int_equal(player_count(&client, WEFT_IW_CLOSED, pair.client), 1);
    }
}

/* Every call that would wait for the worker. */
static void block_in_callback(struct player *p, const struct weft_iw_event *e)
{
    struct weft_iw_event event;
    struct weft_siw_wc wc;

    player_note(p, weft_iw_destroy(p->iw, e->id) == -EDEADLK &&
                       weft_iw_destroy(p->iw, listener) == -EDEADLK &&
                       weft_iw_wait(p->iw, e->id, 0, &event) == -EDEADLK &&
                       weft_iw_wait_cq(p->iw, p->cqn, 1, 0, &wc) == -EDEADLK &&
                       weft_iw_close(p->iw) == -EDEADLK);
}

static void test_race_7_blocking_in_a_callback_is_refused_R133(void **state)
{
    struct player_pair pair;

    (void)state;
    player_do(&client, WEFT_IW_REPLY, block_in_callback, 0);
    pair = player_pair(&client, &server, &at);
    assert_int_equal(weft_iw_disconnect(client.iw, pair.client, false), 0);
    (void)player_wait(&client, WEFT_IW_CLOSED, pair.client, 1);
    assert_int_equal(player_noted(&client), true);
    pair_end(&pair);
}

static void test_race_8_both_sides_disconnect_at_once_R106_R125_R132(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        struct player_pair pair = player_pair(&client, &server, &at);
        struct caller here = {.player = &client, .id = pair.client, .abrupt = i % 4 == 1};
        struct caller there = {.player = &server, .id = pair.server, .abrupt = i % 4 >= 2};

        begin(&here, call_disconnect);
        begin(&there, call_disconnect);
        assert_int_equal(end(&here), 0);
        assert_int_equal(end(&there), 0);
        (void)player_wait(&client, WEFT_IW_CLOSED, pair.client, 1);
        (void)player_wait(&server, WEFT_IW_CLOSED, pair.server, 1);
        assert_int_equal(player_state(&client, pair.client), WEFT_IWCM_IDLE);
        assert_int_equal(player_state(&server, pair.server), WEFT_IWCM_IDLE);
        pair_end(&pair);
        assert_int_equal(player_count(&client, WEFT_IW_CLOSED, pair.client), 1);
        assert_int_equal(player_count(&server, WEFT_IW_CLOSED, pair.server), 1);
    }
}

static void test_race_9_calls_after_the_close_reach_nothing_R122(void **state)
{
    struct weft_siw_sge sge = {.addr = &(char[1]){0}, .bytes = 1};
    struct weft_siw_send wr = {.sge = &sge, .sge_count = 1};
    struct weft_iwcm_param p = {.qpn = 0};
    struct player_pair pair;

    (void)state;
    pair = player_pair(&client, &server, &at);
    assert_int_equal(weft_iw_disconnect(server.iw, pair.server, true), 0);
    (void)player_wait(&client, WEFT_IW_CLOSED, pair.client, 1);
    p.qpn = pair.client_qpn;
    assert_int_equal(weft_iw_accept(client.iw, pair.client, &p), -ENOTCONN);
    assert_int_equal(weft_iw_reject(client.iw, pair.client, NULL, 0), -ENOTCONN);
    assert_int_equal(weft_iw_disconnect(client.iw, pair.client, false), 0);
    assert_int_equal(weft_iw_disconnect(client.iw, pair.client, true), 0);
    assert_int_equal(weft_iw_post_send(client.iw, pair.client_qpn, &wr), -ENOTCONN);
    pair_end(&pair);
    assert_int_equal(player_count(&client, WEFT_IW_CLOSED, pair.client), 1);
    assert_int_equal(weft_iw_disconnect(client.iw, pair.client, false), -ESTALE);
    assert_int_equal(weft_iw_accept(client.iw, pair.client, &p), -ESTALE);
}

static void test_race_10_a_listener_goes_with_requests_queued_R124(void **state)
{
    weft_iw_id quiet = player_quiet_id(&server), ids[3];
    struct sockaddr_storage there = at;

    (void)state;
    memset(&((struct sockaddr_in *)(void *)&there)->sin_port, 0, 2);
    assert_int_equal(weft_iw_listen(server.iw, quiet, (struct sockaddr *)&there, 0, &there), 0);
    for (int i = 0; i < 3; i++) {
        ids[i] = player_id(&client);
        assert_int_equal(player_connect(&client, ids[i], &there, player_qp(&client)), 0);
    }
    /* two listeners, and three requests that are whole */
    player_wait_endpoints(&server, 5);
    destroy(&server, quiet);
    for (int i = 0; i < 3; i++) {
        struct player_seen seen = player_wait(&client, WEFT_IW_REPLY, ids[i], 1);

        assert_int_equal(seen.status, -ECONNREFUSED);
        assert_true(seen.rejected);
        destroy(&client, ids[i]);
    }
    player_wait_endpoints(&server, 1);
    assert_int_equal(player_count(&server, WEFT_IW_REQUEST, any), 0);
}

static void test_race_11_one_request_beyond_the_backlog_is_rejected_R115(void **state)
{
    weft_iw_id quiet = player_quiet_id(&server), ids[4];
    struct sockaddr_storage there = at;
    struct weft_iw_event event;
    uint32_t rejected = 0;

    (void)state;
    memset(&((struct sockaddr_in *)(void *)&there)->sin_port, 0, 2);
    assert_int_equal(weft_iw_listen(server.iw, quiet, (struct sockaddr *)&there, 2, &there), 0);
    for (int i = 0; i < 3; i++) {
        ids[i] = player_id(&client);
        assert_int_equal(player_connect(&client, ids[i], &there, player_qp(&client)), 0);
        /* the core has handed over the first two before the third comes */
        if (i == 1)
            player_wait_endpoints(&server, 4);
    }
    assert_true(player_wait(&client, WEFT_IW_REPLY, any, 1).rejected);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(weft_iw_wait(server.iw, quiet, PLAYER_PATIENCE_MS, &event), 0);
        player_accept(&server, &event);
    }
    (void)player_wait(&client, WEFT_IW_REPLY, any, 3);
    for (int i = 0; i < 3; i++)
        rejected += player_wait(&client, WEFT_IW_REPLY, ids[i], 1).rejected;
    assert_int_equal(rejected, 1);
    ids[3] = player_id(&client);
    assert_int_equal(player_connect(&client, ids[3], &there, player_qp(&client)), 0);
    assert_int_equal(weft_iw_wait(server.iw, quiet, PLAYER_PATIENCE_MS, &event), 0);
    player_accept(&server, &event);
    assert_int_equal(player_wait(&client, WEFT_IW_REPLY, ids[3], 1).status, 0);
}

static void test_race_12_connect_again_after_it_failed_R114(void **state)
{
    struct sockaddr_in nobody = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0xC0000201)};
    struct weft_iwcm_param p = {.qpn = player_qp(&client)};
    weft_iw_id id = player_id(&client);
    struct sockaddr_storage there;
    int fd = raw_listen(&there);

    (void)state;
    (void)close(fd);
    for (uint32_t i = 1; i <= 5; i++) {
        assert_int_equal(
            weft_iw_connect(client.iw, id, (struct sockaddr *)&nobody, (struct sockaddr *)&at, &p),
            -EADDRNOTAVAIL);
        assert_int_equal(player_connect(&client, id, &there, p.qpn), 0);
        assert_int_equal(player_wait(&client, WEFT_IW_REPLY, id, i).status, -ECONNREFUSED);
    }
    assert_int_equal(player_connect(&client, id, &at, p.qpn), 0);
    assert_int_equal(player_wait(&client, WEFT_IW_REPLY, id, 6).status, 0);
    destroy(&client, id);
}

static void test_race_13_listen_again_after_it_failed_R115(void **state)
{
    weft_iw_id id = player_id(&server);
    struct sockaddr_storage there = at;
    struct player_pair pair;

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(weft_iw_listen(server.iw, id, (struct sockaddr *)&there, 0, &there),
                         -EADDRINUSE);
    memset(&((struct sockaddr_in *)(void *)&there)->sin_port, 0, 2);
    assert_int_equal(weft_iw_listen(server.iw, id, (struct sockaddr *)&there, 0, &there), 0);
    assert_int_equal(weft_iw_listen(server.iw, id, (struct sockaddr *)&there, 0, &there), -EISCONN);
    pair = player_pair(&client, &server, &there);
    pair_end(&pair);
}

/* A request that waits at the server, from a peer by hand. */
static weft_iw_id request(int *ret_fd)
{
    uint32_t before = player_count(&server, WEFT_IW_REQUEST, any);

    player_do(&server, WEFT_IW_REQUEST, NULL, 0);
    *ret_fd = raw_connect(&at);
    raw_request(*ret_fd);
    return player_wait(&server, WEFT_IW_REQUEST, any, before + 1).id;
}

static void test_race_14_accept_with_a_bad_qp_leaves_the_request_R116_R118(void **state)
{
    struct weft_iwcm_param p = {.qpn = 0xABCDEF};
    uint8_t reply[20];
    weft_iw_id id;
    int fd;

    (void)state;
    for (int i = 0; i < 2; i++) {
        id = request(&fd);
        assert_int_equal(weft_iw_accept(server.iw, id, &p), -EINVAL);
        assert_int_equal(player_state(&server, id), WEFT_IWCM_CONN_RECV);
        if (i == 0) {
            assert_int_equal(weft_iw_reject(server.iw, id, NULL, 0), 0);
            assert_int_equal(player_state(&server, id), WEFT_IWCM_IDLE);
        }
        destroy(&server, id);
        raw_receive(fd, reply, sizeof(reply));
        assert_int_equal(reply[16] & 0x20, 0x20);
        (void)close(fd);
    }
    assert_int_equal(player_count(&server, WEFT_IW_ESTABLISHED, any), 0);
    assert_int_equal(player_count(&server, WEFT_IW_CLOSED, any), 0);
}

static void test_race_15_the_peer_resets_while_it_is_accepted_R117(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * ROUNDS; i++) {
        struct weft_iwcm_param p = {.qpn = player_qp(&server)};
        uint32_t up, closed;
        weft_iw_id id;
        int fd, err;

        id = request(&fd);
        if (i % 2)
            raw_reset(fd);
        err = weft_iw_accept(server.iw, id, &p);
        if (i % 2 == 0)
            raw_reset(fd);
        assert_true(err == 0 || err == -ECONNRESET);
        if (err == 0)
            (void)player_wait(&server, WEFT_IW_CLOSED, id, 1);
        destroy(&server, id);
        up = player_count(&server, WEFT_IW_ESTABLISHED, id);
        closed = player_count(&server, WEFT_IW_CLOSED, id);
        assert_true(up == closed && up == (err == 0));
        assert_int_equal(weft_iw_qp_destroy(server.iw, p.qpn), 0);
    }
}

static void test_race_16_the_peer_is_gone_before_it_is_accepted_R116(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        struct weft_iwcm_param p = {.qpn = player_qp(&server)};
        weft_iw_id id;
        int fd;

        id = request(&fd);
        raw_reset(fd);
        player_wait_endpoints(&server, 1);
        assert_int_equal(weft_iw_accept(server.iw, id, &p), -ECONNRESET);
        assert_int_equal(player_state(&server, id), WEFT_IWCM_IDLE);
        destroy(&server, id);
        assert_int_equal(weft_iw_qp_destroy(server.iw, p.qpn), 0);
    }
    assert_int_equal(player_count(&server, WEFT_IW_ESTABLISHED, any), 0);
    assert_int_equal(player_count(&server, WEFT_IW_CLOSED, any), 0);
}

/* A connection whose peer, by hand, does not end its direction. */
static weft_iw_id half_closing(uint32_t *ret_qpn, int *ret_fd)
{
    weft_iw_id id = player_id(&client);
    struct sockaddr_storage there;
    int fd = raw_listen(&there);

    *ret_qpn = player_qp(&client);
    assert_int_equal(player_connect(&client, id, &there, *ret_qpn), 0);
    *ret_fd = raw_accept(fd);
    (void)close(fd);
    raw_take_frame(*ret_fd);
    raw_reply(*ret_fd, false);
    assert_int_equal(player_wait(&client, WEFT_IW_REPLY, id, 1).status, 0);
    assert_int_equal(weft_iw_qp_destroy(client.iw, *ret_qpn), -EBUSY);
    assert_int_equal(weft_iw_disconnect(client.iw, id, false), 0);
    assert_int_equal(player_state(&client, id), WEFT_IWCM_CLOSING);
    return id;
}

static void qp_destroy_in_callback(struct player *p, const struct weft_iw_event *e)
{
    (void)e;
    player_note(p, weft_iw_qp_destroy(p->iw, p->accepted_qpn));
}

static void test_race_17_a_qp_goes_when_its_connection_has_closed_R126_R131(void **state)
{
    struct sockaddr_storage there;
    struct caller c = {.player = &client};
    weft_iw_id id, other = player_id(&client);
    int fd, nobody = raw_listen(&there);

    (void)state;
    (void)close(nobody);
    id = half_closing(&c.qpn, &fd);
    client.accepted_qpn = c.qpn;
    player_do(&client, WEFT_IW_REPLY, qp_destroy_in_callback, 0);
    assert_int_equal(player_connect(&client, other, &there, c.qpn), -EBUSY);
    assert_int_equal(player_connect(&client, other, &there, player_qp(&client)), 0);
    (void)player_wait(&client, WEFT_IW_REPLY, other, 1);
    destroy(&client, other);
    assert_int_equal(player_noted(&client), -EDEADLK);
    begin(&c, call_qp_destroy);
    assert_int_equal(player_state(&client, id), WEFT_IWCM_CLOSING);
    assert_false(c.over);
    (void)close(fd);
    assert_int_equal(end(&c), 0);
    assert_int_equal(player_state(&client, id), WEFT_IWCM_IDLE);
    (void)player_wait(&client, WEFT_IW_CLOSED, id, 1);
}

static void test_race_18_disconnect_without_a_qp_changes_nothing_R122(void **state)
{
    weft_iw_id idle = player_id(&server), id;
    int fd;

    (void)state;
    id = request(&fd);
    assert_int_equal(weft_iw_disconnect(server.iw, id, false), -ENOTCONN);
    assert_int_equal(player_state(&server, id), WEFT_IWCM_CONN_RECV);
    assert_int_equal(weft_iw_disconnect(server.iw, listener, true), -ENOTCONN);
    assert_int_equal(player_state(&server, listener), WEFT_IWCM_LISTEN);
    assert_int_equal(weft_iw_disconnect(server.iw, idle, false), 0);
    assert_int_equal(player_state(&server, idle), WEFT_IWCM_IDLE);
    destroy(&server, id);
    (void)close(fd);
}

static void test_race_19_disconnect_and_close_in_one_burst_R120_R121(void **state)
{
    struct sockaddr_storage there;
    int listening = raw_listen(&there);

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        weft_iw_id id = player_id(&client);
        uint32_t qpn = player_qp(&client);
        int fd;

        assert_int_equal(player_connect(&client, id, &there, qpn), 0);
        fd = raw_accept(listening);
        raw_take_frame(fd);
        raw_reply(fd, false);
        if (i % 2)
            assert_int_equal(player_wait(&client, WEFT_IW_REPLY, id, 1).status, 0);
        (void)shutdown(fd, SHUT_WR);
        if (i % 4 >= 2)
            raw_reset(fd);
        else
            (void)close(fd);
        if (player_wait(&client, WEFT_IW_REPLY, id, 1).status == 0)
            (void)player_wait(&client, WEFT_IW_CLOSED, id, 1);
        assert_int_equal(player_state(&client, id), WEFT_IWCM_IDLE);
        destroy(&client, id);
        assert_true(player_count(&client, WEFT_IW_CLOSED, id) <= 1);
        assert_int_equal(weft_iw_qp_destroy(client.iw, qpn), 0);
    }
    (void)close(listening);
}

/* Events find no memory, but in calls of this thread. */
static _Atomic bool short_of_memory;
static _Thread_local bool has_memory;
void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);

void *__wrap_calloc(size_t count, size_t bytes)
{
    if (short_of_memory && !has_memory && bytes == sizeof(struct event_node))
        return NULL;
    return __real_calloc(count, bytes);
}

static void test_race_20_no_memory_for_an_event_R115(void **state)
{
    weft_iw_id id = player_id(&client);
    struct weft_iwcm_param p = {.qpn = player_qp(&server)};
    uint32_t qpn = player_qp(&client);

    (void)state;
    has_memory = true;
    short_of_memory = true;
    /* a request that cannot be told is rejected */
    assert_int_equal(player_connect(&client, id, &at, qpn), 0);
    assert_true(player_wait(&client, WEFT_IW_REPLY, id, 1).rejected);
    assert_int_equal(player_count(&server, WEFT_IW_REQUEST, any), 0);
    /* the listener goes on; what a call leads to has its memory from that call */
    short_of_memory = false;
    player_do(&server, WEFT_IW_REQUEST, NULL, 0);
    assert_int_equal(player_connect(&client, id, &at, qpn), 0);
    (void)player_wait(&server, WEFT_IW_REQUEST, any, 1);
    short_of_memory = true;
    assert_int_equal(
        weft_iw_accept(server.iw, player_wait(&server, WEFT_IW_REQUEST, any, 1).id, &p), 0);
    assert_int_equal(player_wait(&client, WEFT_IW_REPLY, id, 2).status, 0);
    (void)player_wait(&server, WEFT_IW_ESTABLISHED, any, 1);
    assert_int_equal(weft_iw_disconnect(client.iw, id, false), 0);
    (void)player_wait(&client, WEFT_IW_CLOSED, id, 1);
    (void)player_wait(&server, WEFT_IW_CLOSED, any, 1);
    short_of_memory = false;
}

static void test_race_21_destroy_meets_the_last_event_s_callback_R123_R127(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        struct player_pair pair = player_pair(&client, &server, &at);
        struct caller c = {.player = &client, .id = pair.client};

        client.gate_open = false;
        player_do(&client, WEFT_IW_CLOSED, player_gate, i % 2);
        assert_int_equal(weft_iw_disconnect(server.iw, pair.server, true), 0);
        (void)player_wait(&client, WEFT_IW_CLOSED, pair.client, 1);
        begin(&c, call_destroy);
        player_open_gate(&client);
        (void)end(&c);
        /* the callback may have destroyed it first: then it is gone, too */
        assert_true(c.result == 0 || (c.result == -ESTALE && i % 2));
        assert_true(player_wait(&client, WEFT_IW_CLOSED, pair.client, 1).over);
        assert_int_equal(weft_iw_qp_destroy(client.iw, pair.client_qpn), 0);
        destroy(&server, pair.server);
    }
}

static void test_race_22_a_listener_goes_while_a_child_s_callback_runs_R123(void **state)
{
    struct player_pair pair;
    weft_iw_id id = player_id(&client);
    struct caller c = {.player = &server};

    (void)state;
    player_do(&server, WEFT_IW_ESTABLISHED, player_gate, 0);
    pair = player_pair(&client, &server, &at);
    /* the child's callback is the child's: nobody waits for it */
    assert_false(player_wait(&server, WEFT_IW_ESTABLISHED, pair.server, 1).over);
    destroy(&server, listener);
    assert_false(player_wait(&server, WEFT_IW_ESTABLISHED, pair.server, 1).over);
    player_open_gate(&server);
    assert_int_equal(player_state(&server, pair.server), WEFT_IWCM_ESTABLISHED);
    assert_int_equal(weft_iw_disconnect(server.iw, pair.server, false), 0);
    (void)player_wait(&client, WEFT_IW_CLOSED, pair.client, 1);
    /* a request's callback is the listener's, too */
    c.id = player_listen(&server, 0, &at);
    server.gate_open = false;
    player_do(&server, WEFT_IW_REQUEST, player_gate, 0);
    assert_int_equal(player_connect(&client, id, &at, player_qp(&client)), 0);
    id = player_wait(&server, WEFT_IW_REQUEST, any, 2).id;
    begin(&c, call_destroy);
    player_open_gate(&server);
    assert_int_equal(end(&c), 0);
    assert_true(player_wait(&server, WEFT_IW_REQUEST, any, 2).over);
    assert_int_equal(player_state(&server, id), WEFT_IWCM_CONN_RECV);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_race_1_the_reply_comes_before_connect_returns_R114,
                                        start, stop),
        cmocka_unit_test_setup_teardown(
            test_race_2_a_connection_that_ends_at_once_is_a_reply_never_a_close_R113, start, stop),
        cmocka_unit_test_setup_teardown(test_race_3_destroy_ends_an_outstanding_connect_R107_R123,
                                        start, stop),
        cmocka_unit_test_setup_teardown(test_race_4_destroy_meets_the_close_R106_R119_R135, start,
                                        stop),
        cmocka_unit_test_setup_teardown(
            test_race_5_nonzero_from_established_with_the_close_to_come_R128_R133_R136, start,
            stop),
        cmocka_unit_test_setup_teardown(test_race_6_the_reply_s_callback_disconnects_R132, start,
                                        stop),
        cmocka_unit_test_setup_teardown(test_race_7_blocking_in_a_callback_is_refused_R133, start,
                                        stop),
        cmocka_unit_test_setup_teardown(test_race_8_both_sides_disconnect_at_once_R106_R125_R132,
                                        start, stop),
        cmocka_unit_test_setup_teardown(test_race_9_calls_after_the_close_reach_nothing_R122, start,
                                        stop),
        cmocka_unit_test_setup_teardown(test_race_10_a_listener_goes_with_requests_queued_R124,
                                        start, stop),
        cmocka_unit_test_setup_teardown(
            test_race_11_one_request_beyond_the_backlog_is_rejected_R115, start, stop),
        cmocka_unit_test_setup_teardown(test_race_12_connect_again_after_it_failed_R114, start,
                                        stop),
        cmocka_unit_test_setup_teardown(test_race_13_listen_again_after_it_failed_R115, start,
                                        stop),
        cmocka_unit_test_setup_teardown(
            test_race_14_accept_with_a_bad_qp_leaves_the_request_R116_R118, start, stop),
        cmocka_unit_test_setup_teardown(test_race_15_the_peer_resets_while_it_is_accepted_R117,
                                        start, stop),
        cmocka_unit_test_setup_teardown(test_race_16_the_peer_is_gone_before_it_is_accepted_R116,
                                        start, stop),
        cmocka_unit_test_setup_teardown(
            test_race_17_a_qp_goes_when_its_connection_has_closed_R126_R131, start, stop),
        cmocka_unit_test_setup_teardown(test_race_18_disconnect_without_a_qp_changes_nothing_R122,
                                        start, stop),
        cmocka_unit_test_setup_teardown(test_race_19_disconnect_and_close_in_one_burst_R120_R121,
                                        start, stop),
        cmocka_unit_test_setup_teardown(test_race_20_no_memory_for_an_event_R115, start, stop),
        cmocka_unit_test_setup_teardown(
            test_race_21_destroy_meets_the_last_event_s_callback_R123_R127, start, stop),
        cmocka_unit_test_setup_teardown(
            test_race_22_a_listener_goes_while_a_child_s_callback_runs_R123, start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
