/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Endpoints' slots and timers, and the clock. */
#include "siw_connection_fixture.h"

static void test_time_does_not_run_backwards(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    assert_int_equal(weft_siw_deadline(l.siw), WEFT_TIME_NEVER);
    lab_wait(&l, 100);
    assert_int_equal(weft_siw_advance(l.siw, 99), WEFT_ERR_CLOCK);
    assert_int_equal(weft_siw_advance(l.siw, 100), 0);
    /* other calls take the later time */
    l.now = 50;
    lab_listen(&l);
    lab_incoming(&l);
    assert_int_equal(weft_siw_deadline(l.siw), 100 + 5 * WEFT_S);
    lab_close(&l);
}

static void test_each_wait_has_its_time(void **state)
{
    static const struct weft_iw_addr any = {.family = 4};
    struct weft_siw_config c = WEFT_SIW_CONFIG_INIT;
    struct weft_iwcm_param p = lab_param(1, 1);
    struct lab l;

    (void)state;
    c.dial_timeout_ns = 3;
    c.reply_timeout_ns = 5;
    c.request_timeout_ns = 7;
    c.close_timeout_ns = 11;
    lab_open(&l, &c);
    assert_int_equal(weft_iwcm_connect(l.cm, l.id, NULL, &any, &p), 0);
    lab_op(&l, WEFT_SIW_OP_DIAL);
    assert_int_equal(weft_siw_deadline(l.siw), 3);
    assert_int_equal(weft_siw_tcp_up(l.siw, 1, l.op.ep, &any, 0), 0);
    assert_int_equal(weft_siw_deadline(l.siw), 6);
    l.ep = l.op.ep;
    lab_rx(&l, HEX_REP_V2);
    assert_int_equal(weft_siw_deadline(l.siw), WEFT_TIME_NEVER);
    lab_fin(&l);
    assert_int_equal(weft_siw_deadline(l.siw), 12);
    lab_close(&l);
    lab_open(&l, &c);
    lab_listen(&l);
    assert_int_equal(weft_siw_deadline(l.siw), WEFT_TIME_NEVER);
    lab_incoming(&l);
    assert_int_equal(weft_siw_deadline(l.siw), 7);
    /* the client may take its time */
    lab_rx(&l, HEX_REQ_V2);
    assert_int_equal(weft_siw_deadline(l.siw), WEFT_TIME_NEVER);
    lab_close(&l);
}

static void test_a_time_that_never_comes_is_none(void **state)
{
    struct weft_siw_config c = WEFT_SIW_CONFIG_INIT;
    struct lab l;

    (void)state;
    c.request_timeout_ns = WEFT_TIME_NEVER;
    lab_open(&l, &c);
    lab_wait(&l, WEFT_S);
    lab_listen(&l);
    lab_incoming(&l);
    assert_int_equal(weft_siw_deadline(l.siw), WEFT_TIME_NEVER);
    lab_close(&l);
}

static void test_the_QPs_timer_fires_and_is_disarmed(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    connection_arm(l.siw, lab_qp(1)->ep, 100);
    connection_arm(l.siw, lab_qp(1)->ep, 200);
    assert_int_equal(weft_siw_deadline(l.siw), 200);
    lab_wait(&l, 150);
    assert_int_equal(lab_qp(1)->timers, 0);
    lab_wait(&l, 50);
    assert_int_equal(lab_qp(1)->timers, 1);
    assert_int_equal(weft_siw_deadline(l.siw), WEFT_TIME_NEVER);
    connection_arm(l.siw, lab_qp(1)->ep, 300);
    connection_arm(l.siw, lab_qp(1)->ep, WEFT_TIME_NEVER);
    assert_int_equal(weft_siw_deadline(l.siw), WEFT_TIME_NEVER);
    lab_close(&l);
}

/* Both are one timer of the queue; neither may hide the other. */
static void test_the_QPs_timer_and_the_own_stand_side_by_side(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    connection_arm(l.siw, lab_qp(1)->ep, WEFT_S);
    assert_int_equal(weft_iwcm_disconnect(l.cm, l.id, false), 0);
    lab_no_op(&l);
    assert_int_equal(weft_siw_deadline(l.siw), WEFT_S);
    lab_wait(&l, WEFT_S);
    assert_int_equal(lab_qp(1)->timers, 1);
    assert_int_equal(weft_siw_deadline(l.siw), 5 * WEFT_S);
    connection_arm(l.siw, lab_qp(1)->ep, 6 * WEFT_S);
    assert_int_equal(weft_siw_deadline(l.siw), 5 * WEFT_S);
    lab_wait(&l, 4 * WEFT_S);
    assert_int_equal(lab_qp(1)->unbinds, 1);
    assert_int_equal(weft_siw_deadline(l.siw), WEFT_TIME_NEVER);
    /* nor does an ep that only waits for its RELEASE have one */
    connection_arm(l.siw, lab_qp(1)->ep, 7 * WEFT_S);
    assert_int_equal(weft_siw_deadline(l.siw), WEFT_TIME_NEVER);
    lab_wait(&l, 10 * WEFT_S);
    assert_int_equal(lab_qp(1)->timers, 1);
    lab_close(&l);
}

static void test_slots_come_back_with_another_name(void **state)
{
    struct weft_siw_config c = WEFT_SIW_CONFIG_INIT;
    weft_siw_ep before = {0};
    struct lab l;

    (void)state;
    c.endpoints = 2;
    lab_open(&l, &c);
    lab_listen(&l);
    for (int i = 0; i < 100; i++) {
        lab_incoming(&l);
        assert_int_not_equal(l.ep.v, before.v);
        before = l.ep;
        lab_rst(&l);
        lab_op(&l, WEFT_SIW_OP_RELEASE);
        assert_int_equal(l.op.ep.v, before.v);
    }
    lab_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_does_not_run_backwards),
        cmocka_unit_test(test_each_wait_has_its_time),
        cmocka_unit_test(test_a_time_that_never_comes_is_none),
        cmocka_unit_test(test_the_QPs_timer_fires_and_is_disarmed),
        cmocka_unit_test(test_the_QPs_timer_and_the_own_stand_side_by_side),
        cmocka_unit_test(test_slots_come_back_with_another_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
