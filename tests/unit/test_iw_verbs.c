/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Verbs behind the lock: data from end to end, errors, and waiting for completions. */
#include "iw_fixture.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static struct player client, server;
static struct sockaddr_storage at;

static int start(void **state)
{
    (void)state;
    pauses_begin();
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
    pauses_end();
    return 0;
}

static struct weft_siw_wc completion(struct player *p)
{
    struct weft_siw_wc wc;

    assert_int_equal(weft_iw_wait_cq(p->iw, p->cqn, 1, PLAYER_PATIENCE_MS, &wc), 1);
    return wc;
}

static void test_sends_arrive_in_their_order(void **state)
{
    struct player_pair pair;
    uint32_t in[8], out[8];

    (void)state;
    pair = player_pair(&client, &server, &at);
    for (uint32_t i = 0; i < 8; i++) {
        struct weft_siw_sge sge = {.addr = &in[i], .bytes = 4};

        assert_int_equal(
            weft_iw_post_recv(server.iw, pair.server_qpn,
                              &(struct weft_siw_recv){.wr_id = i, .sge = &sge, .sge_count = 1}),
            0);
    }
    for (uint32_t i = 0; i < 8; i++) {
        struct weft_siw_sge sge = {.addr = &out[i], .bytes = 4};

        out[i] = i * i;
        assert_int_equal(
            weft_iw_post_send(client.iw, pair.client_qpn,
                              &(struct weft_siw_send){.wr_id = i, .sge = &sge, .sge_count = 1}),
            0);
    }
    for (uint32_t i = 0; i < 8; i++) {
        struct weft_siw_wc wc = completion(&server);

        assert_int_equal(wc.opcode, WEFT_SIW_WC_RECV);
        assert_int_equal(wc.wr_id, i);
        assert_int_equal(wc.bytes, 4);
        assert_int_equal(in[i], i * i);
        assert_int_equal(completion(&client).wr_id, i);
    }
}

/* More than any buffer of TCP: writes are cut short, and go on when there is room. */
static void test_a_write_of_16_mib_arrives_whole(void **state)
{
    const uint32_t bytes = 16u << 20;
    uint8_t *from = malloc(bytes), *to = calloc(1, bytes);
    struct weft_siw_region r = {.base = to, .bytes = bytes, .access = WEFT_SIW_REMOTE_WRITE};
    struct weft_siw_sge sge = {.addr = from, .bytes = bytes}, last = {.addr = from, .bytes = 1};
    struct weft_siw_send wr = {.wr_id = 1, .opcode = WEFT_SIW_WRITE, .sge = &sge, .sge_count = 1};
    struct weft_siw_recv recv = {.sge = &(struct weft_siw_sge){.addr = &(char[1]){0}, .bytes = 1},
                                 .sge_count = 1};
    struct player_pair pair;
    uint32_t stag;

    (void)state;
    assert_true(from && to);
    for (uint32_t i = 0; i < bytes; i++)
        from[i] = (uint8_t)(i * 31 + i / 4099);
    pair = player_pair(&client, &server, &at);
    assert_int_equal(weft_iw_register(server.iw, &r, &stag), 0);
    assert_int_equal(weft_iw_post_recv(server.iw, pair.server_qpn, &recv), 0);
    wr.remote_stag = stag;
    assert_int_equal(weft_iw_post_send(client.iw, pair.client_qpn, &wr), 0);
    wr = (struct weft_siw_send){.wr_id = 2, .sge = &last, .sge_count = 1};
    assert_int_equal(weft_iw_post_send(client.iw, pair.client_qpn, &wr), 0);
    assert_int_equal(completion(&server).opcode, WEFT_SIW_WC_RECV);
    assert_memory_equal(to, from, bytes);
    assert_int_equal(completion(&client).wr_id, 1);
    assert_int_equal(completion(&client).wr_id, 2);
    assert_int_equal(weft_iw_deregister(server.iw, stag), 0);
    assert_int_equal(weft_iw_deregister(server.iw, stag), -ENOENT);
    /* nothing of it is borrowed any more */
    free(from);
    free(to);
}

struct cq_thread {
    uint32_t cqn;
    _Atomic bool begun;
    int result;
};

static void *wait_for_completions(void *arg)
{
    struct cq_thread *t = arg;
    struct weft_siw_wc wc;

    t->begun = true;
    t->result = weft_iw_wait_cq(client.iw, t->cqn, 1, -1, &wc);
    return NULL;
}

static void test_who_waits_for_a_queue_that_ends_is_told(void **state)
{
    struct cq_thread t = {.cqn = 0};
    pthread_t thread;
    uint32_t again;

    (void)state;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(weft_iw_cq_create(client.iw, 4, &t.cqn), 0);
        t.begun = false;
        assert_int_equal(pthread_create(&thread, NULL, wait_for_completions, &t), 0);
        while (!t.begun)
            (void)sched_yield();
        assert_int_equal(weft_iw_cq_destroy(client.iw, t.cqn), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(t.result, -ENOENT);
        /* its number may come again */
        assert_int_equal(weft_iw_cq_create(client.iw, 4, &again), 0);
        assert_int_equal(weft_iw_cq_destroy(client.iw, again), 0);
    }
}

static void test_refusals_by_their_errnos(void **state)
{
    struct weft_siw_sge sge = {.addr = &(char[1]){0}, .bytes = 1};
    struct weft_siw_send send = {.sge = &sge, .sge_count = 1};
    struct weft_siw_recv recv = {.sge = &sge, .sge_count = 1};
    uint32_t qpn = player_qp(&client), none = 0xABCDEF;
    struct weft_siw_qp_info info;
    struct weft_siw_wc wc;
    int err;

    (void)state;
    assert_int_equal(weft_iw_cq_create(client.iw, 0, &none), -EINVAL);
    assert_int_equal(weft_iw_cq_create(client.iw, UINT32_MAX, &none), -ENOMEM);
    assert_int_equal(weft_iw_cq_destroy(client.iw, client.cqn), -EBUSY);
    assert_int_equal(weft_iw_cq_destroy(client.iw, none), -ENOENT);
    assert_int_equal(weft_iw_poll(client.iw, client.cqn, 1, &wc), 0);
    assert_int_equal(weft_iw_poll(client.iw, none, 1, &wc), -ENOENT);
    assert_int_equal(weft_iw_wait_cq(client.iw, client.cqn, 1, 0, &wc), -ETIMEDOUT);
    assert_int_equal(weft_iw_wait_cq(client.iw, client.cqn, 1, 1, &wc), -ETIMEDOUT);
    assert_int_equal(weft_iw_wait_cq(client.iw, none, 1, -1, &wc), -ENOENT);
    assert_int_equal(weft_iw_post_send(client.iw, qpn, &send), -ENOTCONN);
    assert_int_equal(weft_iw_post_send(client.iw, none, &send), -ENOENT);
    assert_int_equal(weft_iw_qp_query(client.iw, none, &info), -ENOENT);
    assert_int_equal(weft_iw_qp_reset(client.iw, qpn), 0);
    while ((err = weft_iw_post_recv(client.iw, qpn, &recv)) == 0)
        ;
    assert_int_equal(err, -EAGAIN);
    assert_int_equal(weft_iw_qp_destroy(client.iw, qpn), 0);
    assert_int_equal(weft_iw_qp_destroy(client.iw, qpn), -ENOENT);
}

static void test_a_qp_that_is_connected_is_busy_R126(void **state)
{
    struct player_pair pair;

    (void)state;
    pair = player_pair(&client, &server, &at);
    assert_int_equal(weft_iw_qp_destroy(client.iw, pair.client_qpn), -EBUSY);
    assert_int_equal(weft_iw_disconnect(client.iw, pair.client, false), 0);
    /* waits, if it must */
    assert_int_equal(weft_iw_qp_destroy(client.iw, pair.client_qpn), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sends_arrive_in_their_order, start, stop),
        cmocka_unit_test_setup_teardown(test_a_write_of_16_mib_arrives_whole, start, stop),
        cmocka_unit_test_setup_teardown(test_who_waits_for_a_queue_that_ends_is_told, start, stop),
        cmocka_unit_test_setup_teardown(test_refusals_by_their_errnos, start, stop),
        cmocka_unit_test_setup_teardown(test_a_qp_that_is_connected_is_busy_R126, start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
