/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A QP's life: made, connected, closed in good order or not, failed, made as new. */
#include "siw_fixture.h"

#define S WEFT_SIW_SIGNALED

static uint8_t memory[4096];

static struct siw_fixture *connected(void)
{
    struct siw_fixture *f = siw_fixture_new();
    struct terms t = siw_terms();

    siw_connect(f, &t);
    return f;
}

static struct weft_siw_qp_info info_of(const struct siw_fixture *f)
{
    struct weft_siw_qp_info info;

    assert_int_equal(weft_siw_qp_query(&f->s, f->qpn, &info), 0);
    return info;
}

static uint32_t qp_events(struct siw_fixture *f)
{
    struct weft_siw_event e;
    uint32_t n = 0;

    while (weft_siw_poll_event(&f->s, &e)) {
        assert_int_equal(e.type, WEFT_SIW_EVENT_QP);
        assert_int_equal(e.number, f->qpn);
        n++;
    }
    return n;
}

static void test_what_a_qp_needs(void **state)
{
    struct siw_fixture *f = siw_fixture_new();
    const struct {
        struct weft_siw_qp_config c;
        int err;
    } rows[] = {
        {{.send_cqn = f->cqn, .recv_cqn = f->cqn}, WEFT_ERR_INVALID},
        {{.send_cqn = f->cqn, .recv_cqn = 0, .sends = 1}, WEFT_ERR_NOTFOUND},
        {{.send_cqn = 0, .recv_cqn = f->cqn, .sends = 1}, WEFT_ERR_NOTFOUND},
        {{.send_cqn = f->cqn, .recv_cqn = f->cqn, .sends = 96, .recvs = 1}, WEFT_ERR_FULL},
        {{.send_cqn = f->cqn, .recv_cqn = f->cqn, .sends = UINT32_MAX, .recvs = UINT32_MAX},
         WEFT_ERR_FULL},
        {{.send_cqn = f->cqn, .recv_cqn = f->cqn, .sends = 96}, 0},
        {{.send_cqn = f->cqn, .recv_cqn = f->cqn, .sends = 1}, WEFT_ERR_FULL},
    };
    uint32_t qpn;

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(weft_siw_qp_create(&f->s, &rows[i].c, &qpn), rows[i].err);
    assert_int_equal(f->iwcm_qps, 2);
    assert_int_equal(weft_siw_qp_destroy(&f->s, qpn), 0);
    assert_int_equal(f->iwcm_qps, 1);
    siw_fixture_free(f);
}

static void test_as_many_qps_as_configured(void **state)
{
    struct siw_fixture *f = siw_fixture_new();
    struct weft_siw_qp_config c = {.send_cqn = f->cqn, .recv_cqn = f->cqn, .sends = 1};
    uint32_t qpn;

    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(weft_siw_qp_create(&f->s, &c, &qpn), 0);
    assert_int_equal(weft_siw_qp_create(&f->s, &c, &qpn), WEFT_ERR_FULL);
    siw_fixture_free(f);
}

static void test_a_qp_with_a_connection_stays_R126_R131(void **state)
{
    struct siw_fixture *f = siw_fixture_new();
    struct terms t = siw_terms();

    (void)state;
    /* connecting: the connection manager knows it */
    f->owned = true;
    assert_int_equal(weft_siw_qp_destroy(&f->s, f->qpn), WEFT_ERR_STATE);
    assert_int_equal(weft_siw_qp_reset(&f->s, f->qpn), WEFT_ERR_STATE);
    assert_int_equal(info_of(f).owner.v, 1);
    siw_connect(f, &t);
    f->owned = false;
    /* the connection manager has let go, the connection has not */
    assert_int_equal(weft_siw_qp_destroy(&f->s, f->qpn), WEFT_ERR_STATE);
    assert_int_equal(weft_siw_qp_reset(&f->s, f->qpn), WEFT_ERR_STATE);
    assert_false(qp_connectable(f->qp));
    qp_unbind(&f->s, f->qp, false);
    assert_int_equal(info_of(f).owner.v, 0);
    assert_int_equal(weft_siw_qp_destroy(&f->s, f->qpn), 0);
    assert_null(qp_find(&f->s, f->qpn));
    siw_fixture_free(f);
}

static void test_a_destroyed_qp_gives_everything_back(void **state)
{
    struct siw_fixture *f = siw_fixture_new();

    (void)state;
    assert_int_equal(siw_post_recv(f, 1), 0);
    assert_int_equal(siw_post_recv(f, 2), 0);
    recv_complete(&f->s, f->qp, WEFT_SIW_WC_OK, 0, 0, false);
    assert_int_equal(weft_siw_qp_destroy(&f->s, f->qpn), 0);
    assert_int_equal(f->s.verbs.requests.used, 0);
    /* what was made stays, what was not is lost */
    siw_expect_wc(f, 1, WEFT_SIW_WC_RECV, WEFT_SIW_WC_OK);
    siw_expect_no_wc(f);
    assert_int_equal(weft_siw_cq_destroy(&f->s, f->cqn), 0);
    siw_fixture_free(f);
}

static void test_terms_are_told(void **state)
{
    struct siw_fixture *f = siw_fixture_new();
    struct terms t = siw_terms();
    struct weft_siw_qp_info info;

    (void)state;
    assert_int_equal(info_of(f).state, WEFT_SIW_QP_IDLE);
    t.crc = true;
    t.ird = 3;
    t.ord = 5;
    t.rtr = WEFT_SIW_RTR_WRITE;
    siw_connect(f, &t);
    info = info_of(f);
    assert_int_equal(info.state, WEFT_SIW_QP_RTS);
    assert_int_equal(info.owner.v, 1);
    assert_int_equal(info.ird, 3);
    assert_int_equal(info.ord, 5);
    assert_true(info.crc);
    assert_int_equal(info.mpa_revision, 2);
    assert_int_equal(info.rtr, WEFT_SIW_RTR_WRITE);
    assert_int_equal(info.ulpdu_bytes_max, 1000);
    siw_flush(f);
    assert_int_equal(info_of(f).fpdus_out, 1);
    siw_fixture_free(f);
}

static void test_an_idle_qp_drains_at_once(void **state)
{
    struct siw_fixture *f = connected();

    (void)state;
    qp_close(&f->s, f->qp);
    assert_int_equal(f->told.drained, 1);
    assert_int_equal(f->qp->state, WEFT_SIW_QP_CLOSING);
    assert_int_equal(qp_events(f), 1);
    qp_close(&f->s, f->qp);
    assert_int_equal(f->told.drained, 1);
    siw_fixture_free(f);
}

static void test_a_close_finishes_what_was_posted_R125(void **state)
{
    struct siw_fixture *f = connected();
    uint32_t stag = siw_register(f, memory, sizeof(memory), 15);
    struct rdmap_read answer = {.sink_stag = 1, .bytes = 10};

    (void)state;
    assert_int_equal(siw_post(f, 1, WEFT_SIW_READ, S, memory, 8, stag), 0);
    assert_int_equal(siw_post(f, 2, WEFT_SIW_SEND, S, memory, 3000, 0), 0);
    qp_close(&f->s, f->qp);
    assert_int_equal(siw_write(f, 100), 100);
    assert_int_equal(f->told.drained, 0);
    siw_flush(f);
    assert_int_equal(f->told.drained, 0);
    assert_true(response_push(&f->s, f->qp, &answer, region_find(&f->s, stag), memory));
    read_complete(&f->s, f->qp);
    assert_int_equal(f->told.drained, 0);
    siw_expect_wc(f, 1, WEFT_SIW_WC_READ, WEFT_SIW_WC_OK);
    siw_expect_wc(f, 2, WEFT_SIW_WC_SEND, WEFT_SIW_WC_OK);
    siw_flush(f);
    assert_int_equal(f->told.drained, 1);
    /* behind our FIN nothing is answered any more */
    assert_false(response_room(f->qp));
    assert_int_equal(siw_write(f, SIZE_MAX), 0);
    siw_fixture_free(f);
}

static void test_closed_in_good_order_it_is_idle_again(void **state)
{
    struct siw_fixture *f = connected();
    struct terms t = siw_terms();

    (void)state;
    assert_int_equal(siw_post_recv(f, 1), 0);
    assert_int_equal(siw_post(f, 2, WEFT_SIW_SEND, S, memory, 8, 0), 0);
    siw_flush(f);
    qp_close(&f->s, f->qp);
    siw_expect_wc(f, 2, WEFT_SIW_WC_SEND, WEFT_SIW_WC_OK);
    siw_expect_no_wc(f);
    assert_true(qp_peer_fin(&f->s, f->qp));
    assert_int_equal(f->told.drained, 1);
    qp_unbind(&f->s, f->qp, true);
    siw_expect_wc(f, 1, WEFT_SIW_WC_RECV, WEFT_SIW_WC_FLUSHED);
    assert_true(qp_connectable(f->qp));

    /* and as good as new */
    siw_connect(f, &t);
    assert_int_equal(siw_post(f, 3, WEFT_SIW_SEND, S, memory, 8, 0), 0);
    assert_int_equal(siw_next_fpdu(f).h.msn, 1);
    siw_flush(f);
    assert_int_equal(siw_next_fpdu(f).h.msn, 1);
    siw_expect_wc(f, 3, WEFT_SIW_WC_SEND, WEFT_SIW_WC_OK);
    siw_fixture_free(f);
}

static void test_the_peers_fin_closes_us_when_we_are_done(void **state)
{
    struct siw_fixture *f = connected();

    (void)state;
    assert_int_equal(siw_post(f, 1, WEFT_SIW_SEND, S, memory, 8, 0), 0);
    assert_true(qp_peer_fin(&f->s, f->qp));
    assert_int_equal(f->qp->state, WEFT_SIW_QP_CLOSING);
    assert_int_equal(f->told.drained, 0);
    siw_flush(f);
    assert_int_equal(f->told.drained, 1);
    siw_expect_wc(f, 1, WEFT_SIW_WC_SEND, WEFT_SIW_WC_OK);
    siw_fixture_free(f);
}

static void test_a_fin_instead_of_an_answer_is_an_end(void **state)
{
    (void)state;
    for (uint32_t written = 0; written < 2; written++) {
        struct siw_fixture *f = connected();
        uint32_t stag = siw_register(f, memory, sizeof(memory), 15);

        assert_int_equal(siw_post(f, 1, WEFT_SIW_READ, 0, memory, 8, stag), 0);
        if (written)
            siw_flush(f);
        assert_false(qp_peer_fin(&f->s, f->qp));
        assert_int_equal(f->qp->state, WEFT_SIW_QP_ERROR);
        assert_int_equal(f->told.drained, 0);
        siw_expect_wc(f, 1, WEFT_SIW_WC_READ, WEFT_SIW_WC_FLUSHED);
        assert_false(qp_peer_fin(&f->s, f->qp));
        siw_fixture_free(f);
    }
}

static void test_a_fin_within_an_fpdu_is_an_end(void **state)
{
    static const uint8_t beginning[] = {0, 18, 0x41};
    struct siw_fixture *f = connected();

    (void)state;
    qp_rx(&f->s, f->qp, beginning, sizeof(beginning));
    assert_false(qp_peer_fin(&f->s, f->qp));
    assert_int_equal(f->qp->state, WEFT_SIW_QP_ERROR);
    siw_fixture_free(f);
}

static void test_in_error_until_it_is_reset(void **state)
{
    struct siw_fixture *f = connected();

    (void)state;
    qp_abort(&f->s, f->qp);
    assert_int_equal(qp_events(f), 1);
    qp_unbind(&f->s, f->qp, false);
    f->owned = false;
    assert_int_equal(f->qp->state, WEFT_SIW_QP_ERROR);
    assert_false(qp_connectable(f->qp));
    assert_int_equal(weft_siw_qp_reset(&f->s, f->qpn), 0);
    assert_true(qp_connectable(f->qp));
    assert_int_equal(siw_post_recv(f, 1), 0);
    assert_int_equal(weft_siw_qp_reset(&f->s, f->qpn), 0);
    assert_null(recv_first(&f->s, f->qp));
    siw_expect_no_wc(f);
    siw_fixture_free(f);
}

static void test_a_failure_is_told_by_a_terminate(void **state)
{
    static const uint8_t ulpdu[18] = {0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 9};
    struct siw_fixture *f = connected();
    struct weft_siw_qp_info info;
    struct terminate t;
    struct siw_fpdu fpdu;

    (void)state;
    assert_int_equal(siw_post_recv(f, 1), 0);
    assert_int_equal(siw_post(f, 2, WEFT_SIW_SEND, 0, memory, 1000, 0), 0);
    qp_fail(&f->s, f->qp, TERMINATE_QUEUE, ulpdu, sizeof(ulpdu), sizeof(ulpdu));
    assert_int_equal(f->told.failed, 1);
    assert_int_equal(f->told.terminates_due, 1);
    assert_int_equal(f->qp->state, WEFT_SIW_QP_TERMINATE);
    siw_expect_wc(f, 2, WEFT_SIW_WC_SEND, WEFT_SIW_WC_FLUSHED);
    siw_expect_wc(f, 1, WEFT_SIW_WC_RECV, WEFT_SIW_WC_FLUSHED);
    /* the first failure counts */
    qp_fail(&f->s, f->qp, TERMINATE_CRC, NULL, 0, 0);
    assert_int_equal(f->told.failed, 1);
    assert_int_equal(f->told.terminated, 0);
    siw_flush(f);
    assert_int_equal(f->told.terminated, 1);
    assert_int_equal(f->qp->state, WEFT_SIW_QP_ERROR);
    fpdu = siw_next_fpdu(f);
    assert_true(siw_all_read(f));
    assert_int_equal(fpdu.h.opcode, RDMAP_TERMINATE);
    assert_int_equal(fpdu.h.queue, DDP_QUEUE_TERMINATE);
    assert_int_equal(fpdu.h.msn, 1);
    assert_true(terminate_read(fpdu.payload, fpdu.bytes, &t));
    assert_int_equal(t.error, TERMINATE_QUEUE);
    assert_memory_equal(t.header, ulpdu, sizeof(ulpdu));
    info = info_of(f);
    assert_true(info.terminate_sent);
    assert_false(info.terminate_received);
    assert_int_equal(info.terminate_error, TERMINATE_QUEUE);
    assert_int_equal(f->s.stats.terminates_out, 1);
    siw_fixture_free(f);
}

/* While TCP has a part of an FPDU the memory of the rest is still needed: it is flushed when the
 * Terminate behind it is written, or when the connection ends without that. */
static void test_an_fpdu_that_has_begun_is_finished_first(void **state)
{
    (void)state;
    for (uint32_t ends = 0; ends < 2; ends++) {
        struct siw_fixture *f = connected();

        assert_int_equal(siw_post(f, 1, WEFT_SIW_SEND, S, memory, 900, 0), 0);
        assert_int_equal(siw_post(f, 2, WEFT_SIW_SEND, S, memory, 900, 0), 0);
        assert_int_equal(siw_write(f, 400), 400);
        qp_fail(&f->s, f->qp, TERMINATE_CRC, NULL, 0, 0);
        siw_expect_no_wc(f);
        if (ends) {
            qp_unbind(&f->s, f->qp, false);
            siw_expect_wc(f, 1, WEFT_SIW_WC_SEND, WEFT_SIW_WC_FLUSHED);
        } else {
            siw_flush(f);
            siw_expect_wc(f, 1, WEFT_SIW_WC_SEND, WEFT_SIW_WC_OK);
            assert_int_equal(siw_next_fpdu(f).bytes, 900);
            assert_int_equal(siw_next_fpdu(f).h.opcode, RDMAP_TERMINATE);
            assert_true(siw_all_read(f));
        }
        siw_expect_wc(f, 2, WEFT_SIW_WC_SEND, WEFT_SIW_WC_FLUSHED);
        siw_expect_no_wc(f);
        siw_fixture_free(f);
    }
}

static void test_behind_our_fin_a_failure_is_silent(void **state)
{
    struct siw_fixture *f = connected();

    (void)state;
    qp_close(&f->s, f->qp);
    qp_fail(&f->s, f->qp, TERMINATE_CRC, NULL, 0, 0);
    assert_int_equal(f->told.failed, 1);
    assert_int_equal(f->told.terminates_due, 0);
    assert_int_equal(f->qp->state, WEFT_SIW_QP_ERROR);
    assert_false(info_of(f).terminate_sent);
    assert_int_equal(siw_write(f, SIZE_MAX), 0);
    siw_fixture_free(f);
}

static void test_a_silent_failure_writes_nothing(void **state)
{
    struct siw_fixture *f = connected();

    (void)state;
    assert_int_equal(siw_post(f, 1, WEFT_SIW_SEND, 0, memory, 900, 0), 0);
    assert_int_equal(siw_write(f, 400), 400);
    qp_fail_silently(&f->s, f->qp);
    assert_int_equal(f->told.failed, 1);
    assert_int_equal(f->told.terminates_due, 0);
    siw_expect_wc(f, 1, WEFT_SIW_WC_SEND, WEFT_SIW_WC_FLUSHED);
    assert_int_equal(siw_write(f, SIZE_MAX), 0);
    siw_fixture_free(f);
}

/* Three reads are out, the second one with another sink. */
static struct siw_fixture *with_reads_out(void)
{
    struct siw_fixture *f = connected();
    uint32_t stag = siw_register(f, memory, sizeof(memory), 15);

    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(siw_post(f, i, WEFT_SIW_READ, 0, memory + 16 * i, 8, stag), 0);
    siw_flush(f);
    return f;
}

static void test_the_peers_terminate_names_a_read(void **state)
{
    struct siw_fixture *f = with_reads_out();
    struct siw_fpdu first = siw_next_fpdu(f), second = siw_next_fpdu(f);
    struct terminate t = {.error = TERMINATE_ACCESS, .has_read = true};

    (void)state;
    (void)first;
    memcpy(t.read, second.payload, RDMAP_READ_BYTES);
    qp_peer_terminated(&f->s, f->qp, &t);
    assert_int_equal(f->told.peer_terminated, 1);
    siw_expect_wc(f, 0, WEFT_SIW_WC_READ, WEFT_SIW_WC_FLUSHED);
    siw_expect_wc(f, 1, WEFT_SIW_WC_READ, WEFT_SIW_WC_REMOTE);
    siw_expect_wc(f, 2, WEFT_SIW_WC_READ, WEFT_SIW_WC_FLUSHED);
    assert_true(info_of(f).terminate_received);
    assert_int_equal(info_of(f).terminate_error, TERMINATE_ACCESS);
    assert_int_equal(f->s.stats.terminates_in, 1);
    assert_int_equal(qp_events(f), 1);
    siw_fixture_free(f);
}

static void test_without_a_header_an_error_of_reads_is_the_oldest_ones(void **state)
{
    static const struct {
        uint16_t error;
        enum weft_siw_wc_status first;
    } rows[] = {
        {TERMINATE_READ_BOUNDS, WEFT_SIW_WC_REMOTE},
        {TERMINATE_READ_STAG, WEFT_SIW_WC_REMOTE},
        {TERMINATE_CRC, WEFT_SIW_WC_FLUSHED},
        {TERMINATE_TAGGED_STAG, WEFT_SIW_WC_FLUSHED},
        {0x7FFF, WEFT_SIW_WC_FLUSHED},
    };

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        struct siw_fixture *f = with_reads_out();
        struct terminate t = {.error = rows[i].error};

        qp_peer_terminated(&f->s, f->qp, &t);
        siw_expect_wc(f, 0, WEFT_SIW_WC_READ, rows[i].first);
        siw_expect_wc(f, 1, WEFT_SIW_WC_READ, WEFT_SIW_WC_FLUSHED);
        siw_fixture_free(f);
    }
}

/* A Send with Invalidate of an STag that is none has the error of a Read's. */
static void test_an_error_of_a_send_is_no_reads(void **state)
{
    static const struct {
        uint8_t opcode;
        enum weft_siw_wc_status first;
    } rows[] = {
        {RDMAP_SEND_INVALIDATE, WEFT_SIW_WC_FLUSHED},
        {RDMAP_READ_REQUEST, WEFT_SIW_WC_REMOTE},
    };

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        struct siw_fixture *f = with_reads_out();
        struct terminate t = {.error = TERMINATE_READ_STAG, .has_length = true, .has_header = true};
        struct ddp_header h = {.last = true, .opcode = rows[i].opcode};

        t.header_bytes = (uint8_t)ddp_header_write(&h, t.header);
        qp_peer_terminated(&f->s, f->qp, &t);
        siw_expect_wc(f, 0, WEFT_SIW_WC_READ, rows[i].first);
        siw_expect_wc(f, 1, WEFT_SIW_WC_READ, WEFT_SIW_WC_FLUSHED);
        siw_fixture_free(f);
    }
}

static void test_a_made_up_read_header_names_nothing(void **state)
{
    struct siw_fixture *f = with_reads_out();
    struct terminate t = {.error = TERMINATE_READ_STAG, .has_read = true};

    (void)state;
    memset(t.read, 0xFF, sizeof(t.read));
    qp_peer_terminated(&f->s, f->qp, &t);
    for (uint32_t i = 0; i < 3; i++)
        siw_expect_wc(f, i, WEFT_SIW_WC_READ, WEFT_SIW_WC_FLUSHED);
    siw_fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_qp_needs),
        cmocka_unit_test(test_as_many_qps_as_configured),
        cmocka_unit_test(test_a_qp_with_a_connection_stays_R126_R131),
        cmocka_unit_test(test_a_destroyed_qp_gives_everything_back),
        cmocka_unit_test(test_terms_are_told),
        cmocka_unit_test(test_an_idle_qp_drains_at_once),
        cmocka_unit_test(test_a_close_finishes_what_was_posted_R125),
        cmocka_unit_test(test_closed_in_good_order_it_is_idle_again),
        cmocka_unit_test(test_the_peers_fin_closes_us_when_we_are_done),
        cmocka_unit_test(test_a_fin_instead_of_an_answer_is_an_end),
        cmocka_unit_test(test_a_fin_within_an_fpdu_is_an_end),
        cmocka_unit_test(test_in_error_until_it_is_reset),
        cmocka_unit_test(test_a_failure_is_told_by_a_terminate),
        cmocka_unit_test(test_an_fpdu_that_has_begun_is_finished_first),
        cmocka_unit_test(test_behind_our_fin_a_failure_is_silent),
        cmocka_unit_test(test_a_silent_failure_writes_nothing),
        cmocka_unit_test(test_the_peers_terminate_names_a_read),
        cmocka_unit_test(test_without_a_header_an_error_of_reads_is_the_oldest_ones),
        cmocka_unit_test(test_an_error_of_a_send_is_no_reads),
        cmocka_unit_test(test_a_made_up_read_header_names_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
