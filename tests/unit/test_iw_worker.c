/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The worker among many threads that do everything at random, with delays at every step: nothing
 * hangs, no callback comes after destroying, and all is given back. */
#include "iw_fixture.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define THREADS 6
#define STEPS   150

static struct player server;
static struct weft_iw *iw;
static struct sockaddr_storage at;
static uint32_t cqn;

/* One id of a thread; its callback may be told nothing once it is dead. */
struct life {
    _Atomic bool dead;
    _Atomic uint32_t events, last; /* how many, and 1 + type of the last one */
    uint32_t nonzero;              /* the callback destroys at this event */
};

struct lives {
    pthread_t thread;
    uint32_t random;
    struct life life[STEPS];
};

static struct lives all[THREADS];

static uint32_t next(uint32_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 17;
    *random ^= *random << 5;
    return *random;
}

static int on_life(struct weft_iw *w, const struct weft_iw_event *e, void *context)
{
    struct life *l = context;
    uint32_t n;

    (void)w;
    assert_false(l->dead);
    n = ++l->events;
    assert_true(n <= 2);
    assert_int_equal(e->type, n == 1 ? WEFT_IW_REPLY : WEFT_IW_CLOSED);
    l->last = 1 + (uint32_t)e->type;
    assert_false(l->dead);
    return n == l->nonzero;
}

/* The server does at random what a server may. */
static int on_server(struct weft_iw *w, const struct weft_iw_event *e, void *context)
{
    struct weft_siw_qp_config c = {
        .send_cqn = server.cqn, .recv_cqn = server.cqn, .sends = 2, .recvs = 2};
    static uint32_t random = 99;
    struct weft_iwcm_param p = {.qpn = 0};

    (void)context;
    if (e->type != WEFT_IW_REQUEST)
        return e->type == WEFT_IW_CLOSED || next(&random) % 4 == 0;
    if (next(&random) % 8 == 0)
        return 1;
    if (next(&random) % 8 == 0) {
        assert_int_equal(weft_iw_reject(w, e->id, "no", 2), 0);
        return 1;
    }
    if (weft_iw_qp_create(w, &c, &p.qpn))
        return 1;
    return weft_iw_accept(w, e->id, &p) != 0;
}

static void live(struct lives *lives, struct life *l)
{
    struct weft_siw_qp_config c = {.send_cqn = cqn, .recv_cqn = cqn, .sends = 4, .recvs = 4};
    struct weft_iwcm_param p = {.private_data = "x", .private_bytes = 1};
    struct weft_siw_sge sge = {.addr = &(char[8]){0}, .bytes = 8};
    struct weft_siw_send wr = {.sge = &sge, .sge_count = 1};
    weft_iw_id id;
    int err;

    l->nonzero = next(&lives->random) % 6;
    assert_int_equal(weft_iw_create(iw, on_life, l, &id), 0);
    assert_int_equal(weft_iw_qp_create(iw, &c, &p.qpn), 0);
    err = weft_iw_connect(iw, id, NULL, (struct sockaddr *)&at, &p);
    assert_true(err == 0 || err == -ESTALE);
    while (next(&lives->random) % 3 != 0 && l->last == 0)
        (void)nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    if (next(&lives->random) % 2)
        (void)weft_iw_post_send(iw, p.qpn, &wr);
    if (next(&lives->random) % 2) {
        err = weft_iw_disconnect(iw, id, next(&lives->random) % 2);
        assert_true(err == 0 || err == -ENOTCONN || err == -ESTALE);
    }
    err = weft_iw_destroy(iw, id);
    assert_true(err == 0 || (err == -ESTALE && l->nonzero > 0));
    l->dead = true;
    /* whoever destroyed it, the QP is free now, or as soon as that is done */
    while (weft_iw_qp_destroy(iw, p.qpn) == -EBUSY)
        (void)nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

static void *live_on(void *arg)
{
    struct lives *lives = arg;

    for (int i = 0; i < STEPS; i++)
        live(lives, &lives->life[i]);
    return NULL;
}

static void test_threads_at_random_R109_R123_R127_R133(void **state)
{
    struct weft_siw_stats s;
    weft_iw_id listener;

    (void)state;
    pauses_begin();
    player_open(&server);
    assert_int_equal(weft_iw_open(NULL, &iw), 0);
    assert_int_equal(weft_iw_cq_create(iw, 4096, &cqn), 0);
    listener = player_listen(&server, 0, &at);
    assert_int_equal(weft_iw_set_callback(server.iw, listener, on_server, NULL), 0);
    for (uint32_t i = 0; i < THREADS; i++) {
        all[i].random = 2463534242u + i * 7919u;
        assert_int_equal(pthread_create(&all[i].thread, NULL, live_on, &all[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(all[i].thread, NULL), 0);
    weft_iw_stats(iw, &s);
    assert_int_equal(s.endpoints, 0);
    assert_int_equal(s.qps, 0);
    assert_int_equal(weft_iw_destroy(server.iw, listener), 0);
    assert_int_equal(weft_iw_close(iw), 0);
    player_close(&server);
    pauses_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_at_random_R109_R123_R127_R133),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
