/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the host tells of its sockets, in and out of place. */
#include "siw_connection_fixture.h"

static const struct weft_iw_addr any = {.family = 4};

static int up(struct lab *l, weft_siw_ep ep)
{
    return weft_siw_tcp_up(l->siw, l->now, ep, &any, 0);
}

static int failed(struct lab *l, weft_siw_ep ep)
{
    return weft_siw_tcp_failed(l->siw, l->now, ep, WEFT_IWCM_REFUSED);
}

static int bound(struct lab *l, weft_siw_ep ep)
{
    return weft_siw_tcp_bound(l->siw, l->now, ep, &any);
}

static int incoming(struct lab *l, weft_siw_ep ep)
{
    weft_siw_ep child;

    return weft_siw_tcp_incoming(l->siw, l->now, ep, &any, &any, 0, &child);
}

static int rx(struct lab *l, weft_siw_ep ep)
{
    return weft_siw_tcp_rx(l->siw, l->now, ep, "x", 1);
}

static int fin(struct lab *l, weft_siw_ep ep)
{
    return weft_siw_tcp_end(l->siw, l->now, ep, false);
}

static int lost(struct lab *l, weft_siw_ep ep)
{
    return weft_siw_tcp_end(l->siw, l->now, ep, true);
}

static int placed(struct lab *l, weft_siw_ep ep)
{
    return weft_siw_tcp_rx_placed(l->siw, l->now, ep, 0);
}

static int written(struct lab *l, weft_siw_ep ep)
{
    return weft_siw_tcp_written(l->siw, l->now, ep, 0);
}

static int writable(struct lab *l, weft_siw_ep ep)
{
    return weft_siw_tcp_writable(l->siw, l->now, ep);
}

static int (*const calls[])(struct lab *, weft_siw_ep) = {up,  failed, bound,  incoming, rx,
                                                          fin, lost,   placed, written,  writable};

static void test_calls_for_what_is_gone_or_never_was_are_STALE(void **state)
{
    weft_siw_ep never = {0}, far = {UINT64_C(0x100000400)}, odd = {UINT64_MAX};
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    lab_rst(&l);
    for (uint32_t i = 0; i < COUNT(calls); i++) {
        assert_int_equal(calls[i](&l, l.ep), WEFT_ERR_STALE);
        assert_int_equal(calls[i](&l, never), WEFT_ERR_STALE);
        assert_int_equal(calls[i](&l, far), WEFT_ERR_STALE);
        assert_int_equal(calls[i](&l, odd), WEFT_ERR_STALE);
    }
    lab_op(&l, WEFT_SIW_OP_RELEASE);
    for (uint32_t i = 0; i < COUNT(calls); i++)
        assert_int_equal(calls[i](&l, l.ep), WEFT_ERR_STALE);
    lab_close(&l);
}

static void test_calls_out_of_place_change_nothing(void **state)
{
    struct weft_iwcm_param p = lab_param(1, 1);
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    /* dialing */
    assert_int_equal(weft_iwcm_connect(l.cm, l.id, NULL, &any, &p), 0);
    lab_op(&l, WEFT_SIW_OP_DIAL);
    l.ep = l.op.ep;
    assert_int_equal(bound(&l, l.ep), WEFT_ERR_STATE);
    assert_int_equal(incoming(&l, l.ep), WEFT_ERR_STATE);
    assert_int_equal(rx(&l, l.ep), WEFT_ERR_STATE);
    assert_int_equal(fin(&l, l.ep), WEFT_ERR_STATE);
    assert_int_equal(lost(&l, l.ep), WEFT_ERR_STATE);
    assert_int_equal(written(&l, l.ep), WEFT_ERR_INVALID);
    assert_int_equal(placed(&l, l.ep), WEFT_ERR_INVALID);
    assert_int_equal(up(&l, l.ep), 0);
    /* up */
    assert_int_equal(up(&l, l.ep), WEFT_ERR_STATE);
    assert_int_equal(failed(&l, l.ep), WEFT_ERR_STATE);
    assert_int_equal(bound(&l, l.ep), WEFT_ERR_STATE);
    assert_int_equal(incoming(&l, l.ep), WEFT_ERR_STATE);
    lab_writes(&l, HEX_REQ_V2);
    lab_close(&l);

    lab_open(&l, NULL);
    lab_listen(&l);
    assert_int_equal(up(&l, l.listener), WEFT_ERR_STATE);
    assert_int_equal(failed(&l, l.listener), WEFT_ERR_STATE);
    assert_int_equal(bound(&l, l.listener), WEFT_ERR_STATE);
    assert_int_equal(rx(&l, l.listener), WEFT_ERR_STATE);
    assert_int_equal(fin(&l, l.listener), WEFT_ERR_STATE);
    assert_int_equal(incoming(&l, l.listener), 0);
    lab_close(&l);
}

static void test_a_failure_must_name_one(void **state)
{
    struct weft_iwcm_param p = lab_param(1, 1);
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    assert_int_equal(weft_iwcm_connect(l.cm, l.id, NULL, &any, &p), 0);
    lab_op(&l, WEFT_SIW_OP_DIAL);
    assert_int_equal(weft_siw_tcp_failed(l.siw, l.now, l.op.ep, WEFT_IWCM_OK), WEFT_ERR_INVALID);
    assert_int_equal(weft_siw_tcp_failed(l.siw, l.now, l.op.ep, WEFT_IWCM_STATUSES),
                     WEFT_ERR_INVALID);
    assert_int_equal(failed(&l, l.op.ep), 0);
    lab_close(&l);
}

/* A flood of connections that say nothing: bounded by the config, and gone in five seconds. */
static void test_half_open_connections_are_bounded(void **state)
{
    struct weft_siw_config c = WEFT_SIW_CONFIG_INIT;
    struct weft_siw_stats stats;
    struct lab l;

    (void)state;
    c.endpoints = 8;
    lab_open(&l, &c);
    lab_listen(&l);
    for (int i = 0; i < 20; i++)
        assert_int_equal(incoming(&l, l.listener), i < 7 ? 0 : WEFT_ERR_FULL);
    weft_siw_stats(l.siw, &stats);
    assert_int_equal(stats.incoming_full, 13);
    assert_int_equal(stats.half_open, 7);
    lab_wait(&l, 5 * WEFT_S);
    for (int i = 0; i < 7; i++)
        lab_op(&l, WEFT_SIW_OP_RELEASE);
    lab_no_op(&l);
    lab_no_event(&l);
    weft_siw_stats(l.siw, &stats);
    assert_int_equal(stats.half_open, 0);
    assert_int_equal(stats.mpa_timeouts, 7);
    assert_int_equal(incoming(&l, l.listener), 0);
    lab_close(&l);
}

static void test_no_bytes_are_no_news(void **state)
{
    struct weft_iwcm_param p = lab_param(1, 1);
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_requested(&l);
    /* a single byte would end it */
    assert_int_equal(weft_siw_tcp_rx(l.siw, l.now, l.ep, "", 0), 0);
    assert_int_equal(weft_iwcm_accept(l.cm, l.id, &p), 0);
    lab_writes(&l, HEX_REP_V2);
    assert_int_equal(weft_siw_tcp_rx(l.siw, l.now, l.ep, "", 0), 0);
    assert_int_equal(lab_qp(1)->rx_bytes, 0);
    lab_close(&l);
}

static void test_a_window_is_the_QPs(void **state)
{
    struct weft_siw_stats stats;
    size_t bytes = 99;
    struct lab l;
    void *place;

    (void)state;
    lab_open(&l, NULL);
    lab_listen(&l);
    assert_null(weft_siw_rx_window(l.siw, l.listener, &bytes));
    lab_close(&l);
    lab_open(&l, NULL);
    lab_connected(&l);
    assert_null(weft_siw_rx_window(l.siw, l.ep, &bytes));
    assert_int_equal(bytes, 99);
    lab_qp(1)->window = 10;
    place = weft_siw_rx_window(l.siw, l.ep, &bytes);
    assert_ptr_equal(place, lab_qp(1)->rx);
    assert_int_equal(bytes, 10);
    assert_int_equal(weft_siw_tcp_rx_placed(l.siw, l.now, l.ep, 11), WEFT_ERR_INVALID);
    assert_int_equal(weft_siw_tcp_rx_placed(l.siw, l.now, l.ep, 0), 0);
    assert_int_equal(weft_siw_tcp_rx_placed(l.siw, l.now, l.ep, 10), 0);
    assert_int_equal(lab_qp(1)->rx_bytes, 10);
    weft_siw_stats(l.siw, &stats);
    assert_int_equal(stats.bytes_in, 24 + 10);
    /* what is not wanted any more has no place */
    connection_failed(l.siw, lab_qp(1)->ep, true);
    assert_null(weft_siw_rx_window(l.siw, l.ep, &bytes));
    lab_close(&l);
}

static void test_an_ends_second_time_is_nothing_new(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    lab_fin(&l);
    lab_fin(&l);
    assert_int_equal(lab_qp(1)->fins, 1);
    assert_int_equal(rx(&l, l.ep), 0);
    assert_int_equal(lab_qp(1)->rx_bytes, 0);
    lab_rst(&l);
    assert_int_equal(fin(&l, l.ep), WEFT_ERR_STALE);
    assert_int_equal(lost(&l, l.ep), WEFT_ERR_STALE);
    lab_event(&l, WEFT_IWCM_EVENT_CLOSED);
    lab_no_event(&l);
    lab_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls_for_what_is_gone_or_never_was_are_STALE),
        cmocka_unit_test(test_calls_out_of_place_change_nothing),
        cmocka_unit_test(test_a_failure_must_name_one),
        cmocka_unit_test(test_half_open_connections_are_bounded),
        cmocka_unit_test(test_no_bytes_are_no_news),
        cmocka_unit_test(test_a_window_is_the_QPs),
        cmocka_unit_test(test_an_ends_second_time_is_nothing_new),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
