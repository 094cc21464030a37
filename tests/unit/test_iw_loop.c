/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The loop by itself, without a facade: both ends of a connection in one thread. */
#include "iw/loop.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define PATIENCE (60 * WEFT_S)

static struct iw_loop *loop_new(void)
{
    struct weft_iwcm_config cm = WEFT_IWCM_CONFIG_INIT;
    struct weft_siw_config siw = WEFT_SIW_CONFIG_INIT;
    struct iw_loop *l;

    assert_int_equal(iw_loop_new(&cm, &siw, &l), 0);
    return l;
}

/* Turns until an event of a type comes. */
static struct weft_iwcm_event event(struct iw_loop *l, enum weft_iwcm_event_type type)
{
    weft_time end = iw_loop_now() + PATIENCE;
    struct weft_iwcm_event e;

    for (;;) {
        while (weft_iwcm_poll_event(iw_loop_cm(l), &e))
            if (e.type == type)
                return e;
        assert_true(iw_loop_now() < end);
        iw_loop_turn(l, WEFT_S);
    }
}

struct ends {
    weft_iwcm_id listener, client, server;
    uint32_t cqn, client_qpn, server_qpn;
    struct weft_iw_addr at;
};

static uint32_t qp_new(struct iw_loop *l, uint32_t cqn)
{
    struct weft_siw_qp_config c = {
        .send_cqn = cqn, .recv_cqn = cqn, .sends = 4, .recvs = 4, .all_signaled = true};
    uint32_t qpn;

    assert_int_equal(weft_siw_qp_create(iw_loop_siw(l), &c, &qpn), 0);
    return qpn;
}

static struct ends ends_listen(struct iw_loop *l)
{
    struct ends e = {.at = {.family = 4, .ip = {127, 0, 0, 1}}};

    assert_int_equal(weft_siw_cq_create(iw_loop_siw(l), 64, &e.cqn), 0);
    e.client_qpn = qp_new(l, e.cqn);
    e.server_qpn = qp_new(l, e.cqn);
    assert_int_equal(weft_iwcm_create(iw_loop_cm(l), 1, &e.listener), 0);
    assert_int_equal(weft_iwcm_create(iw_loop_cm(l), 2, &e.client), 0);
    assert_int_equal(weft_iwcm_listen(iw_loop_cm(l), e.listener, &e.at, 0), 0);
    e.at = event(l, WEFT_IWCM_EVENT_DONE).local;
    assert_true(e.at.port > 0);
    return e;
}

static struct ends ends_connect(struct iw_loop *l)
{
    struct ends e = ends_listen(l);
    struct weft_iwcm_param p = {.qpn = e.client_qpn};
    struct weft_iwcm_event reply;

    assert_int_equal(weft_iwcm_connect(iw_loop_cm(l), e.client, NULL, &e.at, &p), 0);
    e.server = event(l, WEFT_IWCM_EVENT_REQUEST).id;
    p.qpn = e.server_qpn;
    assert_int_equal(weft_iwcm_accept(iw_loop_cm(l), e.server, &p), 0);
    reply = event(l, WEFT_IWCM_EVENT_REPLY);
    assert_int_equal(reply.status, WEFT_IWCM_OK);
    assert_int_equal(reply.remote.port, e.at.port);
    assert_true(reply.local.port > 0);
    return e;
}

static void send_one(struct iw_loop *l, const struct ends *e, uint32_t value)
{
    uint32_t in = 0, out = value;
    struct weft_siw_sge to = {.addr = &in, .bytes = 4}, from = {.addr = &out, .bytes = 4};
    struct weft_siw_recv recv = {.wr_id = 1, .sge = &to, .sge_count = 1};
    struct weft_siw_send send = {.wr_id = 2, .sge = &from, .sge_count = 1};
    weft_time end = iw_loop_now() + PATIENCE;
    struct weft_siw_wc wc;
    int seen = 0;

    assert_int_equal(weft_siw_post_recv(iw_loop_siw(l), e->server_qpn, &recv), 0);
    assert_int_equal(weft_siw_post_send(iw_loop_siw(l), iw_loop_now(), e->client_qpn, &send), 0);
    iw_loop_pump(l);
    while (seen < 2) {
        while (weft_siw_cq_poll(iw_loop_siw(l), e->cqn, &wc)) {
            assert_int_equal(wc.status, WEFT_SIW_WC_OK);
            seen++;
        }
        assert_true(iw_loop_now() < end);
        iw_loop_turn(l, seen < 2 ? WEFT_S : 0);
    }
    assert_int_equal(in, value);
}

static void test_one_thread_is_both_ends(void **state)
{
    struct iw_loop *l = loop_new();
    struct ends e = ends_connect(l);

    (void)state;
    for (uint32_t i = 1; i <= 100; i++)
        send_one(l, &e, i * 1000003);
    assert_int_equal(weft_iwcm_disconnect(iw_loop_cm(l), e.client, false), 0);
    (void)event(l, WEFT_IWCM_EVENT_CLOSED);
    (void)event(l, WEFT_IWCM_EVENT_CLOSED);
    assert_null(iw_loop_free(l));
}

static void test_it_is_freed_with_everything_open(void **state)
{
    struct iw_loop *l = loop_new();

    (void)state;
    (void)ends_connect(l);
    assert_null(iw_loop_free(l));
    assert_null(iw_loop_free(NULL));
}

static void *wake(void *arg)
{
    iw_loop_wake(arg);
    return NULL;
}

static void test_a_wait_without_end_is_ended_by_another_thread(void **state)
{
    struct iw_loop *l = loop_new();
    pthread_t thread;

    (void)state;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(pthread_create(&thread, NULL, wake, l), 0);
        iw_loop_turn(l, WEFT_TIME_NEVER);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    assert_null(iw_loop_free(l));
}

/* A wait that ends too early would be called again and again; here it must end at all. */
static void test_a_wait_ends_and_a_deadline_ends_it_too(void **state)
{
    struct weft_iwcm_config cm = WEFT_IWCM_CONFIG_INIT;
    struct weft_siw_config siw = WEFT_SIW_CONFIG_INIT;
    struct weft_iwcm_param p = {.qpn = 0};
    struct iw_loop *quiet = loop_new(), *l;
    struct ends e = ends_listen(quiet);
    struct weft_iwcm_event reply;

    (void)state;
    iw_loop_turn(quiet, 3 * WEFT_MS);
    iw_loop_turn(quiet, 0);
    siw.reply_timeout_ns = 5 * WEFT_MS;
    assert_int_equal(iw_loop_new(&cm, &siw, &l), 0);
    /* the listener takes the connection, and nobody turns its loop */
    assert_int_equal(weft_siw_cq_create(iw_loop_siw(l), 4, &e.cqn), 0);
    p.qpn = qp_new(l, e.cqn);
    assert_int_equal(weft_iwcm_create(iw_loop_cm(l), 1, &e.client), 0);
    assert_int_equal(weft_iwcm_connect(iw_loop_cm(l), e.client, NULL, &e.at, &p), 0);
    do {
        iw_loop_turn(l, WEFT_TIME_NEVER);
    } while (!weft_iwcm_poll_event(iw_loop_cm(l), &reply) || reply.type != WEFT_IWCM_EVENT_REPLY);
    assert_int_equal(reply.status, WEFT_IWCM_TIMEOUT);
    assert_null(iw_loop_free(l));
    assert_null(iw_loop_free(quiet));
}

static void test_configs_out_of_range_are_refused(void **state)
{
    struct weft_iwcm_config cm = WEFT_IWCM_CONFIG_INIT;
    struct weft_siw_config siw = WEFT_SIW_CONFIG_INIT;
    struct iw_loop *l;

    (void)state;
    cm.ids = 0;
    assert_int_equal(iw_loop_new(&cm, &siw, &l), WEFT_ERR_INVALID);
    cm.ids = 1;
    siw.size = 1;
    assert_int_equal(iw_loop_new(&cm, &siw, &l), WEFT_ERR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_thread_is_both_ends),
        cmocka_unit_test(test_it_is_freed_with_everything_open),
        cmocka_unit_test(test_a_wait_without_end_is_ended_by_another_thread),
        cmocka_unit_test(test_a_wait_ends_and_a_deadline_ends_it_too),
        cmocka_unit_test(test_configs_out_of_range_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
