/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All ways in which a connection ends, told as they happen. */
#include "siw_connection_fixture.h"

static void closed(struct lab *l, enum weft_iwcm_status status)
{
    lab_event(l, WEFT_IWCM_EVENT_CLOSED);
    assert_int_equal(l->event.status, status);
    assert_int_equal(lab_state(l), WEFT_IWCM_IDLE);
    assert_false(lab_qp(1)->connected);
    assert_int_equal(lab_qp(1)->unbinds, 1);
    assert_int_equal(lab_qp(1)->orderly, status == WEFT_IWCM_OK);
    lab_no_event(l);
}

static void released(struct lab *l, bool reset)
{
    lab_op(l, WEFT_SIW_OP_RELEASE);
    assert_int_equal(l->op.ep.v, l->ep.v);
    assert_int_equal(l->op.reset, reset);
    lab_no_op(l);
    assert_int_equal(weft_siw_deadline(l->siw), WEFT_TIME_NEVER);
}

static void disconnect(struct lab *l, bool abrupt)
{
    assert_int_equal(weft_iwcm_disconnect(l->cm, l->id, abrupt), 0);
}

static void test_an_orderly_close_ends_when_the_peer_has_closed_too_R106_R125_R132(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    lab_qp(1)->drains = true;
    disconnect(&l, false);
    lab_op(&l, WEFT_SIW_OP_SHUT);
    lab_done(&l, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    assert_int_equal(lab_qp(1)->closes, 1);
    lab_no_op(&l);
    lab_no_event(&l);
    assert_true(lab_qp(1)->connected);
    /* what the peer still sends is the QP's */
    lab_rx(&l, "aabb");
    assert_int_equal(lab_qp(1)->rx_bytes, 2);
    lab_fin(&l);
    closed(&l, WEFT_IWCM_OK);
    released(&l, false);
    lab_close(&l);
}

static void test_a_close_waits_for_what_was_posted_R125(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    lab_qp(1)->tx = "data";
    disconnect(&l, false);
    lab_writes(&l, "64617461");
    lab_done(&l, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    lab_no_op(&l);
    connection_drained(l.siw, lab_qp(1)->ep);
    lab_op(&l, WEFT_SIW_OP_SHUT);
    lab_fin(&l);
    closed(&l, WEFT_IWCM_OK);
    released(&l, false);
    lab_close(&l);
}

/* The patience begins anew with each progress, and ends with a reset. */
static void test_a_peer_that_does_not_close_is_reset(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    disconnect(&l, false);
    lab_no_op(&l);
    lab_done(&l, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    lab_wait(&l, 4 * WEFT_S);
    lab_rx(&l, "aa");
    lab_wait(&l, 4 * WEFT_S);
    lab_no_event(&l);
    connection_drained(l.siw, lab_qp(1)->ep);
    lab_op(&l, WEFT_SIW_OP_SHUT);
    lab_wait(&l, 4 * WEFT_S);
    /* the FIN asks for the peer's, not for more data */
    lab_rx(&l, "aa");
    lab_wait(&l, WEFT_S - 1);
    lab_no_event(&l);
    lab_wait(&l, 1);
    closed(&l, WEFT_IWCM_TIMEOUT);
    assert_int_equal(lab_qp(1)->aborts, 1);
    released(&l, true);
    lab_close(&l);
}

static void test_a_QP_that_never_drains_is_given_up(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    disconnect(&l, false);
    lab_no_op(&l);
    lab_done(&l, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    lab_wait(&l, 5 * WEFT_S);
    closed(&l, WEFT_IWCM_TIMEOUT);
    released(&l, true);
    lab_close(&l);
}

static void test_an_abrupt_disconnect_resets_at_once_R132(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    lab_qp(1)->tx = "data";
    disconnect(&l, true);
    released(&l, true);
    lab_done(&l, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    closed(&l, WEFT_IWCM_CANCELED);
    assert_int_equal(lab_qp(1)->aborts, 1);
    lab_close(&l);
}

static void test_the_peers_FIN_is_DISCONNECT_and_then_CLOSE_R120_R121(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    lab_qp(1)->tx = "data";
    lab_fin(&l);
    assert_int_equal(lab_state(&l), WEFT_IWCM_CLOSING);
    lab_no_event(&l);
    /* ours is finished; a second FIN is nothing new */
    lab_writes(&l, "64617461");
    lab_fin(&l);
    connection_drained(l.siw, lab_qp(1)->ep);
    closed(&l, WEFT_IWCM_OK);
    released(&l, false);
    assert_int_equal(lab_qp(1)->fins, 1);
    lab_close(&l);
}

/* All within one call of the host: the manager must hear DISCONNECT first. */
static void test_a_FIN_on_an_idle_QP_is_DISCONNECT_and_CLOSE_at_once_R120(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    lab_qp(1)->drains = true;
    lab_fin(&l);
    closed(&l, WEFT_IWCM_OK);
    released(&l, false);
    lab_close(&l);
}

static void test_a_FIN_in_the_middle_is_abortive_without_DISCONNECT(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    lab_qp(1)->fin_abortive = true;
    lab_fin(&l);
    closed(&l, WEFT_IWCM_RESET);
    released(&l, true);
    lab_close(&l);
}

static void test_both_sides_close_at_once(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    disconnect(&l, false);
    lab_no_op(&l);
    lab_done(&l, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    lab_fin(&l);
    lab_no_event(&l);
    connection_drained(l.siw, lab_qp(1)->ep);
    closed(&l, WEFT_IWCM_OK);
    released(&l, false);
    lab_close(&l);
}

static void test_a_peer_that_closed_and_reads_nothing_is_given_up(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    lab_fin(&l);
    lab_wait(&l, 5 * WEFT_S);
    closed(&l, WEFT_IWCM_TIMEOUT);
    released(&l, true);
    lab_close(&l);
}

static void test_RST_is_CLOSE_without_DISCONNECT_R121(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    lab_rst(&l);
    closed(&l, WEFT_IWCM_RESET);
    released(&l, true);
    assert_int_equal(lab_qp(1)->aborts, 1);
    lab_close(&l);
}

static void test_RST_after_our_FIN(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    lab_qp(1)->drains = true;
    disconnect(&l, false);
    lab_op(&l, WEFT_SIW_OP_SHUT);
    lab_done(&l, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    lab_rst(&l);
    closed(&l, WEFT_IWCM_RESET);
    released(&l, true);
    lab_close(&l);
}

static void test_a_Terminate_goes_out_before_our_FIN(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    connection_failed(l.siw, lab_qp(1)->ep, true);
    lab_no_event(&l);
    lab_qp(1)->tx = "term";
    lab_writes(&l, "7465726d");
    connection_terminated(l.siw, lab_qp(1)->ep);
    lab_op(&l, WEFT_SIW_OP_SHUT);
    lab_no_op(&l);
    /* nothing is wanted any more */
    lab_rx(&l, "aabbcc");
    assert_int_equal(lab_qp(1)->rx_bytes, 0);
    lab_fin(&l);
    closed(&l, WEFT_IWCM_PROTOCOL);
    assert_int_equal(lab_qp(1)->aborts, 0);
    released(&l, false);
    lab_close(&l);
}

static void test_a_Terminate_goes_out_to_a_peer_that_has_closed_its_direction(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    connection_failed(l.siw, lab_qp(1)->ep, true);
    lab_fin(&l);
    lab_fin(&l);
    lab_no_event(&l);
    lab_qp(1)->tx = "term";
    lab_writes(&l, "7465726d");
    connection_terminated(l.siw, lab_qp(1)->ep);
    closed(&l, WEFT_IWCM_PROTOCOL);
    released(&l, false);
    lab_close(&l);
}

static void test_a_Terminate_that_nobody_reads_has_its_time(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    connection_failed(l.siw, lab_qp(1)->ep, true);
    lab_no_op(&l);
    lab_wait(&l, 5 * WEFT_S);
    closed(&l, WEFT_IWCM_PROTOCOL);
    released(&l, true);
    lab_close(&l);
}

static void test_a_QP_that_fails_behind_our_FIN_has_no_way_to_say_so(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    lab_qp(1)->drains = true;
    disconnect(&l, false);
    lab_op(&l, WEFT_SIW_OP_SHUT);
    lab_done(&l, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    connection_failed(l.siw, lab_qp(1)->ep, true);
    closed(&l, WEFT_IWCM_PROTOCOL);
    released(&l, true);
    lab_close(&l);
}

static void test_a_QP_that_fails_without_a_word_is_reset(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    connection_failed(l.siw, lab_qp(1)->ep, false);
    closed(&l, WEFT_IWCM_FAILED);
    assert_int_equal(lab_qp(1)->aborts, 0);
    released(&l, true);
    lab_close(&l);
}

static void test_the_peers_Terminate_ends_it_at_once(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    connection_peer_terminated(l.siw, lab_qp(1)->ep);
    closed(&l, WEFT_IWCM_RESET);
    released(&l, false);
    lab_close(&l);
}

/* An abort ends what is waiting for the peer, whatever it is. */
static void test_an_abort_ends_a_Terminate_too(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_connected(&l);
    connection_failed(l.siw, lab_qp(1)->ep, true);
    disconnect(&l, true);
    released(&l, true);
    lab_done(&l, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    closed(&l, WEFT_IWCM_CANCELED);
    lab_close(&l);
}

/* Accepted, but the initiator's first FPDU has not come. */
static void ready_wait(struct lab *l)
{
    struct weft_iwcm_param p = lab_param(1, 1);

    lab_listen(l);
    lab_incoming(l);
    lab_rx(l, HEX_REQ_KEY "10 02 0004 8001 8001");
    lab_event(l, WEFT_IWCM_EVENT_REQUEST);
    l->id = l->event.id;
    assert_int_equal(weft_iwcm_accept(l->cm, l->id, &p), 0);
    lab_writes(l, HEX_REP_KEY "10 02 0004 8001 8001");
    lab_done(l, WEFT_IWCM_CALL_ACCEPT, WEFT_IWCM_OK);
    lab_no_event(l);
}

static void test_a_peer_that_dies_before_its_RTR_is_ESTABLISHED_and_then_CLOSE(void **state)
{
    struct lab l;

    (void)state;
    for (int way = 0; way < 6; way++) {
        enum weft_iwcm_status status = WEFT_IWCM_RESET;

        lab_open(&l, NULL);
        ready_wait(&l);
        if (way == 0) {
            lab_rst(&l);
        } else if (way == 1) {
            lab_qp(1)->drains = true;
            lab_fin(&l);
            status = WEFT_IWCM_OK;
        } else if (way == 2) {
            lab_wait(&l, 5 * WEFT_S);
            status = WEFT_IWCM_TIMEOUT;
        } else if (way == 3) {
            connection_failed(l.siw, lab_qp(1)->ep, false);
            status = WEFT_IWCM_FAILED;
        } else if (way == 4) {
            connection_failed(l.siw, lab_qp(1)->ep, true);
            connection_terminated(l.siw, lab_qp(1)->ep);
            lab_fin(&l);
            status = WEFT_IWCM_PROTOCOL;
        } else {
            connection_peer_terminated(l.siw, lab_qp(1)->ep);
        }
        lab_event(&l, WEFT_IWCM_EVENT_ESTABLISHED);
        lab_event(&l, WEFT_IWCM_EVENT_CLOSED);
        assert_int_equal(l.event.status, status);
        lab_no_event(&l);
        assert_int_equal(lab_qp(1)->unbinds, 1);
        lab_op(&l, WEFT_SIW_OP_RELEASE);
        lab_close(&l);
    }
}

static void test_an_accepted_one_that_is_destroyed_before_its_RTR_just_goes_R119(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    ready_wait(&l);
    assert_int_equal(weft_iwcm_destroy(l.cm, l.id), 0);
    released(&l, true);
    lab_event(&l, WEFT_IWCM_EVENT_GONE);
    lab_no_event(&l);
    assert_int_equal(lab_qp(1)->unbinds, 1);
    lab_close(&l);
}

/* The reply must go before the FIN of a client that accepts and disconnects in one breath. */
static void test_a_close_right_after_accept_lets_the_reply_out_first(void **state)
{
    struct weft_iwcm_param p = lab_param(1, 1);
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_requested(&l);
    lab_qp(1)->drains = true;
    assert_int_equal(weft_iwcm_accept(l.cm, l.id, &p), 0);
    lab_op(&l, WEFT_SIW_OP_WRITE);
    assert_int_equal(weft_siw_tcp_written(l.siw, l.now, l.ep, 4), 0);
    lab_done(&l, WEFT_IWCM_CALL_ACCEPT, WEFT_IWCM_OK);
    lab_event(&l, WEFT_IWCM_EVENT_ESTABLISHED);
    disconnect(&l, false);
    lab_no_op(&l);
    lab_done(&l, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
    assert_int_equal(weft_siw_tcp_writable(l.siw, l.now, l.ep), 0);
    assert_int_equal(lab_write_any(&l), 20);
    lab_op(&l, WEFT_SIW_OP_SHUT);
    lab_fin(&l);
    closed(&l, WEFT_IWCM_OK);
    released(&l, false);
    lab_close(&l);
}

static void test_a_rejected_peer_that_does_not_close_is_reset(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_requested(&l);
    assert_int_equal(weft_iwcm_reject(l.cm, l.id, "no", 2), 0);
    lab_writes(&l, HEX_REP_KEY "30 02 0006 0000 0000 6e6f");
    lab_done(&l, WEFT_IWCM_CALL_REJECT, WEFT_IWCM_OK);
    lab_op(&l, WEFT_SIW_OP_SHUT);
    lab_no_op(&l);
    lab_wait(&l, 5 * WEFT_S);
    lab_op(&l, WEFT_SIW_OP_RELEASE);
    assert_true(l.op.reset);
    lab_no_event(&l);
    lab_close(&l);
}

static void test_a_rejected_peer_that_closes_first_still_gets_its_reply(void **state)
{
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_listen(&l);
    lab_incoming(&l);
    lab_rx(&l, HEX_REQ_KEY "80 01 0000");
    lab_fin(&l);
    lab_writes(&l, HEX_REP_KEY "20 01 0000");
    lab_op(&l, WEFT_SIW_OP_RELEASE);
    assert_false(l.op.reset);
    lab_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_orderly_close_ends_when_the_peer_has_closed_too_R106_R125_R132),
        cmocka_unit_test(test_a_close_waits_for_what_was_posted_R125),
        cmocka_unit_test(test_a_peer_that_does_not_close_is_reset),
        cmocka_unit_test(test_a_QP_that_never_drains_is_given_up),
        cmocka_unit_test(test_an_abrupt_disconnect_resets_at_once_R132),
        cmocka_unit_test(test_the_peers_FIN_is_DISCONNECT_and_then_CLOSE_R120_R121),
        cmocka_unit_test(test_a_FIN_on_an_idle_QP_is_DISCONNECT_and_CLOSE_at_once_R120),
        cmocka_unit_test(test_a_FIN_in_the_middle_is_abortive_without_DISCONNECT),
        cmocka_unit_test(test_both_sides_close_at_once),
        cmocka_unit_test(test_a_peer_that_closed_and_reads_nothing_is_given_up),
        cmocka_unit_test(test_RST_is_CLOSE_without_DISCONNECT_R121),
        cmocka_unit_test(test_RST_after_our_FIN),
        cmocka_unit_test(test_a_Terminate_goes_out_before_our_FIN),
        cmocka_unit_test(test_a_Terminate_goes_out_to_a_peer_that_has_closed_its_direction),
        cmocka_unit_test(test_a_Terminate_that_nobody_reads_has_its_time),
        cmocka_unit_test(test_a_QP_that_fails_behind_our_FIN_has_no_way_to_say_so),
        cmocka_unit_test(test_a_QP_that_fails_without_a_word_is_reset),
        cmocka_unit_test(test_the_peers_Terminate_ends_it_at_once),
        cmocka_unit_test(test_an_abort_ends_a_Terminate_too),
        cmocka_unit_test(test_a_peer_that_dies_before_its_RTR_is_ESTABLISHED_and_then_CLOSE),
        cmocka_unit_test(test_an_accepted_one_that_is_destroyed_before_its_RTR_just_goes_R119),
        cmocka_unit_test(test_a_close_right_after_accept_lets_the_reply_out_first),
        cmocka_unit_test(test_a_rejected_peer_that_does_not_close_is_reset),
        cmocka_unit_test(test_a_rejected_peer_that_closes_first_still_gets_its_reply),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
