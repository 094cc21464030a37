/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the host is given to do: order, short writes, turns. */
#include "siw_connection_fixture.h"

static int written(struct lab *l, size_t bytes)
{
    return weft_siw_tcp_written(l->siw, l->now, l->ep, bytes);
}

static void test_a_frame_goes_out_in_whatever_pieces_TCP_takes(void **state)
{
    struct weft_iwcm_param p = lab_param(1, 1);
    uint8_t wanted[64], got[64];
    size_t bytes = lab_hex(HEX_REQ_V2, wanted, sizeof(wanted)), done = 0;
    struct weft_siw_stats stats;
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_dial(&l, &p);
    for (size_t piece = 0; done < bytes; piece++) {
        size_t taken = piece < bytes - done ? piece : bytes - done;

        lab_op(&l, WEFT_SIW_OP_WRITE);
        assert_int_equal(l.op.bytes, bytes - done);
        assert_int_equal(l.op.part_count, 1);
        memcpy(got + done, l.op.parts[0].data, taken);
        assert_int_equal(written(&l, taken), 0);
        done += taken;
        lab_no_op(&l);
        assert_int_equal(weft_siw_tcp_writable(l.siw, l.now, l.ep), 0);
    }
    assert_memory_equal(got, wanted, bytes);
    lab_no_op(&l);
    weft_siw_stats(l.siw, &stats);
    assert_int_equal(stats.bytes_out, bytes);
    lab_close(&l);
}

static void test_written_answers_one_WRITE_and_no_more_than_it(void **state)
{
    struct weft_iwcm_param p = lab_param(1, 1);
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_dial(&l, &p);
    assert_int_equal(written(&l, 1), WEFT_ERR_INVALID);
    lab_op(&l, WEFT_SIW_OP_WRITE);
    assert_int_equal(written(&l, l.op.bytes + 1), WEFT_ERR_INVALID);
    assert_int_equal(written(&l, l.op.bytes), 0);
    assert_int_equal(written(&l, 0), WEFT_ERR_INVALID);
    lab_close(&l);
}

static void test_the_reply_goes_before_what_the_QP_has(void **state)
{
    struct weft_iwcm_param p = lab_param(1, 1);
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_requested(&l);
    assert_int_equal(weft_iwcm_accept(l.cm, l.id, &p), 0);
    lab_qp(1)->tx = "qp";
    lab_writes(&l, HEX_REP_V2);
    lab_writes(&l, "7170");
    lab_no_op(&l);
    lab_close(&l);
}

static void test_a_QP_is_asked_again_only_when_there_is_something(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    lab_no_op(&l);
    lab_qp(1)->tx = "late";
    lab_no_op(&l);
    connection_output(l.siw, lab_qp(1)->ep);
    connection_output(l.siw, lab_qp(1)->ep);
    lab_op(&l, WEFT_SIW_OP_WRITE);
    /* while the host has it, and while TCP is full, nothing is offered twice */
    connection_output(l.siw, lab_qp(1)->ep);
    lab_no_op(&l);
    assert_int_equal(written(&l, 1), 0);
    connection_output(l.siw, lab_qp(1)->ep);
    lab_no_op(&l);
    assert_int_equal(weft_siw_tcp_writable(l.siw, l.now, l.ep), 0);
    lab_writes(&l, "617465");
    lab_no_op(&l);
    lab_close(&l);
}

static void test_connections_take_turns(void **state)
{
    struct weft_iwcm_param p = lab_param(1, 1);
    weft_siw_ep first, second;
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    first = l.ep;
    assert_int_equal(weft_iwcm_create(l.cm, 0, &l.id), 0);
    p.qpn = 2;
    lab_dial(&l, &p);
    second = l.ep;
    lab_qp(1)->tx = "ab";
    connection_output(l.siw, lab_qp(1)->ep);
    lab_op(&l, WEFT_SIW_OP_WRITE);
    assert_int_equal(l.op.ep.v, second.v);
    lab_op(&l, WEFT_SIW_OP_WRITE);
    assert_int_equal(l.op.ep.v, first.v);
    assert_int_equal(weft_siw_tcp_written(l.siw, l.now, first, 2), 0);
    assert_int_equal(weft_siw_tcp_written(l.siw, l.now, second, 24), 0);
    lab_no_op(&l);
    lab_close(&l);
}

static void test_RELEASE_is_the_last_operation_and_frees_the_slot(void **state)
{
    struct weft_siw_config c = WEFT_SIW_CONFIG_INIT;
    struct weft_iwcm_param p = lab_param(1, 1);
    struct weft_siw_stats stats;
    weft_siw_ep old;
    struct lab l;

    (void)state;
    c.endpoints = 1;
    lab_open(&l, &c);
    lab_connected(&l);
    old = l.ep;
    lab_qp(1)->tx = "never";
    connection_output(l.siw, lab_qp(1)->ep);
    lab_rst(&l);
    lab_event(&l, WEFT_IWCM_EVENT_CLOSED);
    weft_siw_stats(l.siw, &stats);
    assert_int_equal(stats.endpoints, 1);
    lab_op(&l, WEFT_SIW_OP_RELEASE);
    lab_no_op(&l);
    weft_siw_stats(l.siw, &stats);
    assert_int_equal(stats.endpoints, 0);
    lab_qp(1)->tx = NULL;
    lab_dial(&l, &p);
    assert_int_not_equal(l.ep.v, old.v);
    l.ep = old;
    assert_int_equal(written(&l, 0), WEFT_ERR_STALE);
    assert_int_equal(weft_siw_tcp_writable(l.siw, l.now, old), WEFT_ERR_STALE);
    lab_close(&l);
}

static void test_an_attempt_whose_DIAL_nobody_polled_goes_without_RELEASE(void **state)
{
    static const struct weft_iw_addr any = {.family = 4};
    struct weft_iwcm_param p = lab_param(1, 1);
    weft_iwcm_id first, second;
    struct weft_siw_stats stats;
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    first = l.id;
    assert_int_equal(weft_iwcm_create(l.cm, 0, &second), 0);
    assert_int_equal(weft_iwcm_connect(l.cm, first, NULL, &any, &p), 0);
    p.qpn = 2;
    assert_int_equal(weft_iwcm_connect(l.cm, second, NULL, &any, &p), 0);
    /* both commands are taken in, one DIAL is polled */
    lab_op(&l, WEFT_SIW_OP_DIAL);
    assert_int_equal(weft_iwcm_destroy(l.cm, second), 0);
    lab_no_op(&l);
    weft_siw_stats(l.siw, &stats);
    assert_int_equal(stats.endpoints, 1);
    assert_int_equal(weft_iwcm_destroy(l.cm, first), 0);
    lab_op(&l, WEFT_SIW_OP_RELEASE);
    lab_no_op(&l);
    lab_close(&l);
}

/* The peer's RST comes between the WRITE and its answer. */
static void test_a_WRITE_whose_connection_ends_is_answered_by_STALE(void **state)
{
    struct weft_iwcm_param p = lab_param(1, 1);
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_dial(&l, &p);
    lab_op(&l, WEFT_SIW_OP_WRITE);
    lab_rst(&l);
    assert_int_equal(written(&l, 3), WEFT_ERR_STALE);
    lab_op(&l, WEFT_SIW_OP_RELEASE);
    lab_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_frame_goes_out_in_whatever_pieces_TCP_takes),
        cmocka_unit_test(test_written_answers_one_WRITE_and_no_more_than_it),
        cmocka_unit_test(test_the_reply_goes_before_what_the_QP_has),
        cmocka_unit_test(test_a_QP_is_asked_again_only_when_there_is_something),
        cmocka_unit_test(test_connections_take_turns),
        cmocka_unit_test(test_RELEASE_is_the_last_operation_and_frees_the_slot),
        cmocka_unit_test(test_an_attempt_whose_DIAL_nobody_polled_goes_without_RELEASE),
        cmocka_unit_test(test_a_WRITE_whose_connection_ends_is_answered_by_STALE),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
