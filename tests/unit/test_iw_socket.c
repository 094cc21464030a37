/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sockets at their limits: no descriptors, both IP versions, many peers at once, peers that are
 * refused. */
#include "iw/facade.h"
#include "iw/socket.h"
#include "iw_fixture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define PEERS 100

static struct player client, server;
static struct sockaddr_storage at;
static const weft_iw_id any;

static int start(void **state)
{
    (void)state;
    player_open(&client);
    player_open(&server);
    (void)player_listen(&server, 0, &at);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    player_close(&client);
    player_close(&server);
    return 0;
}

static uint16_t port_of(const struct sockaddr_storage *s)
{
    struct sockaddr_in6 v6;

    memcpy(&v6, s, sizeof(v6));
    return v6.sin6_port;
}

static void test_a_listener_for_all_of_ipv6_hears_ipv4_too(void **state)
{
    struct sockaddr_in6 all = {.sin6_family = AF_INET6};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_storage bound, to = {.ss_family = AF_UNSPEC};
    weft_iw_id id = player_id(&server);

    (void)state;
    assert_int_equal(weft_iw_listen(server.iw, id, (struct sockaddr *)&all, 0, &bound), 0);
    assert_int_equal(bound.ss_family, AF_INET6);
    four.sin_port = port_of(&bound);
    six.sin6_port = port_of(&bound);
    memcpy(&to, &four, sizeof(four));
    (void)player_pair(&client, &server, &to);
    memcpy(&to, &six, sizeof(six));
    (void)player_pair(&client, &server, &to);
}

static void test_many_connect_at_once(void **state)
{
    weft_iw_id ids[PEERS];

    (void)state;
    player_do(&server, WEFT_IW_REQUEST, player_accept, 0);
    for (int i = 0; i < PEERS; i++) {
        ids[i] = player_id(&client);
        assert_int_equal(player_connect(&client, ids[i], &at, player_qp(&client)), 0);
    }
    for (int i = 0; i < PEERS; i++)
        assert_int_equal(player_wait(&client, WEFT_IW_REPLY, ids[i], 1).status, 0);
    (void)player_wait(&server, WEFT_IW_ESTABLISHED, any, PEERS);
    for (int i = 0; i < PEERS; i++)
        assert_int_equal(weft_iw_destroy(client.iw, ids[i]), 0);
    (void)player_wait(&server, WEFT_IW_CLOSED, any, PEERS);
    player_wait_endpoints(&client, 0);
    player_wait_endpoints(&server, 1);
}

/* Uses up all descriptors below a limit. */
static int fill_descriptors(int *fds, int count)
{
    int n = 0;

    while (n < count && (fds[n] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
        n++;
    assert_int_equal(errno, EMFILE);
    return n;
}

static void test_without_descriptors_a_listener_waits_for_some(void **state)
{
    struct rlimit before, few;
    int fds[256], n, peer;
    weft_iw_id id = player_id(&client);

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = 200;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    player_do(&server, WEFT_IW_REQUEST, NULL, 0);
    peer = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(peer >= 0);
    n = fill_descriptors(fds, 256);
    /* the system's queue takes it, and nobody can accept it */
    assert_int_equal(connect(peer, (struct sockaddr *)&at, sizeof(struct sockaddr_in)), 0);
    raw_request(peer);
    assert_int_equal(player_connect(&client, id, &at, player_qp(&client)), -ENOMEM);
    assert_int_equal(player_count(&server, WEFT_IW_REQUEST, any), 0);
    while (n > 0)
        (void)close(fds[--n]);
    (void)player_wait(&server, WEFT_IW_REQUEST, any, 1);
    assert_int_equal(player_connect(&client, id, &at, player_qp(&client)), 0);
    (void)player_wait(&server, WEFT_IW_REQUEST, any, 2);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    (void)close(peer);
}

static void test_nobody_there_is_refused_and_the_own_address_is_used(void **state)
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7F000002)};
    struct weft_iwcm_param p = {.qpn = player_qp(&client)};
    weft_iw_id id = player_quiet_id(&client);
    struct sockaddr_storage there;
    int fd = raw_listen(&there);
    struct weft_iw_event e;
    struct sockaddr_in local;

    (void)state;
    (void)close(fd);
    assert_int_equal(player_connect(&client, id, &there, p.qpn), 0);
    assert_int_equal(weft_iw_wait(client.iw, id, PLAYER_PATIENCE_MS, &e), 0);
    assert_int_equal(e.status, -ECONNREFUSED);
    assert_false(e.rejected);
    player_do(&server, WEFT_IW_REQUEST, player_accept, 0);
    assert_int_equal(
        weft_iw_connect(client.iw, id, (struct sockaddr *)&own, (struct sockaddr *)&at, &p), 0);
    assert_int_equal(weft_iw_wait(client.iw, id, PLAYER_PATIENCE_MS, &e), 0);
    assert_int_equal(e.status, 0);
    memcpy(&local, &e.local, sizeof(local));
    assert_int_equal(local.sin_addr.s_addr, own.sin_addr.s_addr);
}

/* What the loop waits for at the one socket that is connected. */
static int connected_watch(struct weft_iw *iw)
{
    int watched = -1;

    facade_lock(iw);
    for (size_t i = 0; i <= iw->loop->bucket_mask; i++)
        for (const struct iw_socket *s = iw->loop->buckets[i]; s; s = s->chain)
            if (s->kind == IW_SOCKET_CONNECTED)
                watched = s->watched;
    facade_leave(iw);
    return watched;
}

static void test_behind_a_fin_nothing_is_read_but_a_reset_is_seen(void **state)
{
    static uint8_t much[32u << 20];
    /* an RDMA Write of nothing, without CRC: now the other side may send */
    static const uint8_t first[20] = {0, 14, 0xC1, 0x40};
    struct weft_siw_sge sge = {.addr = much, .bytes = sizeof(much)};
    struct weft_siw_send wr = {.opcode = WEFT_SIW_SEND, .sge = &sge, .sge_count = 1};
    weft_iw_id id;
    int fd;

    (void)state;
    player_do(&server, WEFT_IW_REQUEST, player_accept, 0);
    fd = raw_connect(&at);
    raw_request(fd);
    raw_take_frame(fd);
    id = player_wait(&server, WEFT_IW_ESTABLISHED, any, 1).id;
    raw_send(fd, first, sizeof(first));
    assert_int_equal(weft_iw_post_send(server.iw, server.accepted_qpn, &wr), 0);
    assert_int_equal(shutdown(fd, SHUT_WR), 0);
    player_wait_state(&server, id, WEFT_IWCM_CLOSING);
    /* the worker looks at it before it waits */
    while (connected_watch(server.iw) & UV_READABLE)
        (void)sched_yield();
    assert_int_equal(connected_watch(server.iw), UV_WRITABLE);
    raw_reset(fd);
    (void)player_wait(&server, WEFT_IW_CLOSED, id, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_listener_for_all_of_ipv6_hears_ipv4_too, start,
                                        stop),
        cmocka_unit_test_setup_teardown(test_many_connect_at_once, start, stop),
        cmocka_unit_test_setup_teardown(test_without_descriptors_a_listener_waits_for_some, start,
                                        stop),
        cmocka_unit_test_setup_teardown(test_nobody_there_is_refused_and_the_own_address_is_used,
                                        start, stop),
        cmocka_unit_test_setup_teardown(test_behind_a_fin_nothing_is_read_but_a_reset_is_seen,
                                        start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
