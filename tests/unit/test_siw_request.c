/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests complete in the order of posting, whatever order they are done in. */
#include "siw_fixture.h"

#define S WEFT_SIW_SIGNALED

static uint8_t memory[4096];

/* A connected QP, and a region of `memory` for everything. */
static struct siw_fixture *connected(uint32_t *ret_stag)
{
    struct siw_fixture *f = siw_fixture_new();
    struct terms t = siw_terms();

    *ret_stag = siw_register(f, memory, sizeof(memory), WEFT_SIW_LOCAL_WRITE);
    siw_connect(f, &t);
    return f;
}

static void test_sends_complete_when_tcp_has_their_last_byte(void **state)
{
    uint32_t stag;
    struct siw_fixture *f = connected(&stag);

    (void)state;
    assert_int_equal(siw_post(f, 1, WEFT_SIW_SEND, S, memory, 10, 0), 0);
    assert_int_equal(siw_post(f, 2, WEFT_SIW_WRITE, S, memory, 10, stag), 0);
    assert_int_equal(siw_write(f, 2 + 18 + 10 + 2 + 4 - 1), 35);
    siw_expect_no_wc(f);
    assert_int_equal(siw_write(f, 1), 1);
    siw_expect_wc(f, 1, WEFT_SIW_WC_SEND, WEFT_SIW_WC_OK);
    siw_expect_no_wc(f);
    siw_flush(f);
    siw_expect_wc(f, 2, WEFT_SIW_WC_WRITE, WEFT_SIW_WC_OK);
    siw_fixture_free(f);
}

static void test_what_is_not_signaled_ends_silently(void **state)
{
    uint32_t stag;
    struct siw_fixture *f = connected(&stag);

    (void)state;
    for (uint32_t i = 0; i < 200; i++) {
        assert_int_equal(siw_post(f, i, WEFT_SIW_SEND, i == 150 ? S : 0, memory, 100, stag), 0);
        siw_flush(f);
    }
    siw_expect_wc(f, 150, WEFT_SIW_WC_SEND, WEFT_SIW_WC_OK);
    siw_expect_no_wc(f);
    assert_int_equal(f->s.verbs.requests.used, 0);
    assert_int_equal(cq_find(&f->s, f->cqn)->reserved, 0);
    siw_fixture_free(f);
}

static void test_all_signaled_every_send_completes(void **state)
{
    uint32_t stag;
    struct siw_fixture *f = connected(&stag);

    (void)state;
    f->qp->config.all_signaled = true;
    assert_int_equal(siw_post(f, 9, WEFT_SIW_SEND, 0, memory, 100, stag), 0);
    siw_flush(f);
    siw_expect_wc(f, 9, WEFT_SIW_WC_SEND, WEFT_SIW_WC_OK);
    siw_fixture_free(f);
}

static void test_a_write_waits_for_the_read_in_front_of_it(void **state)
{
    uint32_t stag;
    struct siw_fixture *f = connected(&stag);
    struct weft_siw_wc wc;

    (void)state;
    assert_int_equal(siw_post(f, 1, WEFT_SIW_READ, S, memory + 16, 500, stag), 0);
    assert_int_equal(siw_post(f, 2, WEFT_SIW_WRITE, S, memory, 10, 0), 0);
    siw_flush(f);
    siw_expect_no_wc(f);
    assert_non_null(read_first(&f->s, f->qp));
    assert_int_equal(read_first(&f->s, f->qp)->wr_id, 1);
    assert_int_equal(read_first(&f->s, f->qp)->sink_to, 0x1010);
    read_complete(&f->s, f->qp);
    assert_null(read_first(&f->s, f->qp));
    assert_true(weft_siw_cq_poll(&f->s, f->cqn, &wc));
    assert_int_equal(wc.wr_id, 1);
    assert_int_equal(wc.opcode, WEFT_SIW_WC_READ);
    assert_int_equal(wc.bytes, 500);
    siw_expect_wc(f, 2, WEFT_SIW_WC_WRITE, WEFT_SIW_WC_OK);
    siw_fixture_free(f);
}

static void test_reads_are_answered_in_their_order(void **state)
{
    uint32_t stag;
    struct siw_fixture *f = connected(&stag);

    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(siw_post(f, i, WEFT_SIW_READ, S, memory, 8, stag), 0);
    siw_flush(f);
    assert_int_equal(f->qp->reads_out, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(read_first(&f->s, f->qp)->wr_id, i);
        read_complete(&f->s, f->qp);
        siw_expect_wc(f, i, WEFT_SIW_WC_READ, WEFT_SIW_WC_OK);
    }
    assert_int_equal(f->qp->reads_out, 0);
    assert_int_equal(f->qp->reads_posted, 0);
    siw_fixture_free(f);
}

static void test_the_sink_stays_registered_until_the_read_is_done(void **state)
{
    uint32_t stag;
    struct siw_fixture *f = connected(&stag);

    (void)state;
    assert_int_equal(siw_post(f, 1, WEFT_SIW_READ, S | WEFT_SIW_INVALIDATING, memory, 8, stag), 0);
    siw_flush(f);
    assert_int_equal(weft_siw_region_deregister(&f->s, stag), WEFT_ERR_CONFLICT);
    assert_true(weft_siw_region_valid(&f->s, stag));
    read_complete(&f->s, f->qp);
    assert_false(weft_siw_region_valid(&f->s, stag));
    siw_expect_wc(f, 1, WEFT_SIW_WC_READ, WEFT_SIW_WC_OK);
    assert_int_equal(weft_siw_region_deregister(&f->s, stag), 0);
    siw_fixture_free(f);
}

static void test_receives_complete_in_order(void **state)
{
    struct siw_fixture *f = siw_fixture_new();
    struct weft_siw_wc wc;

    (void)state;
    assert_null(recv_first(&f->s, f->qp));
    assert_int_equal(siw_post_recv(f, 1), 0);
    assert_int_equal(siw_post_recv(f, 2), 0);
    assert_int_equal(recv_first(&f->s, f->qp)->wr_id, 1);
    recv_complete(&f->s, f->qp, WEFT_SIW_WC_OK, 77, 0x123, true);
    assert_int_equal(recv_first(&f->s, f->qp)->wr_id, 2);
    recv_complete(&f->s, f->qp, WEFT_SIW_WC_TOO_LONG, 0, 0, false);
    assert_null(recv_first(&f->s, f->qp));
    assert_true(weft_siw_cq_poll(&f->s, f->cqn, &wc));
    assert_int_equal(wc.wr_id, 1);
    assert_int_equal(wc.opcode, WEFT_SIW_WC_RECV);
    assert_int_equal(wc.bytes, 77);
    assert_int_equal(wc.invalidated, 0x123);
    assert_true(wc.solicited);
    siw_expect_wc(f, 2, WEFT_SIW_WC_RECV, WEFT_SIW_WC_TOO_LONG);
    assert_int_equal(siw_post_recv(f, 3), 0);
    assert_int_equal(recv_first(&f->s, f->qp)->wr_id, 3);
    siw_fixture_free(f);
}

static void test_what_is_flushed_keeps_its_order(void **state)
{
    uint32_t stag;
    struct siw_fixture *f = connected(&stag);

    (void)state;
    assert_int_equal(siw_post_recv(f, 10), 0);
    assert_int_equal(siw_post_recv(f, 11), 0);
    assert_int_equal(siw_post(f, 1, WEFT_SIW_SEND, S, memory, 8, 0), 0);
    assert_int_equal(siw_post(f, 2, WEFT_SIW_READ, 0, memory, 8, stag), 0);
    assert_int_equal(siw_post(f, 3, WEFT_SIW_WRITE, 0, memory, 8, 0), 0);
    siw_flush(f);
    assert_int_equal(siw_post(f, 4, WEFT_SIW_SEND, 0, memory, 8, 0), 0);
    qp_abort(&f->s, f->qp);
    siw_expect_wc(f, 1, WEFT_SIW_WC_SEND, WEFT_SIW_WC_OK);
    siw_expect_wc(f, 2, WEFT_SIW_WC_READ, WEFT_SIW_WC_FLUSHED);
    siw_expect_wc(f, 3, WEFT_SIW_WC_WRITE, WEFT_SIW_WC_FLUSHED);
    siw_expect_wc(f, 4, WEFT_SIW_WC_SEND, WEFT_SIW_WC_FLUSHED);
    siw_expect_wc(f, 10, WEFT_SIW_WC_RECV, WEFT_SIW_WC_FLUSHED);
    siw_expect_wc(f, 11, WEFT_SIW_WC_RECV, WEFT_SIW_WC_FLUSHED);
    siw_expect_no_wc(f);
    assert_int_equal(f->s.verbs.requests.used, 0);
    assert_int_equal(weft_siw_region_deregister(&f->s, stag), 0);
    siw_fixture_free(f);
}

static void test_pieces_are_judged_one_by_one(void **state)
{
    uint32_t stag;
    struct siw_fixture *f = connected(&stag);
    struct qp_request r = {.sge_count = 3};

    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        r.sge[i] = (struct weft_siw_sge){memory, 8, stag};
    assert_true(request_permitted(&f->s, f->qp, &r, WEFT_SIW_LOCAL_WRITE));
    assert_false(request_permitted(&f->s, f->qp, &r, WEFT_SIW_REMOTE_READ));
    r.sge[2].bytes = sizeof(memory) + 1;
    assert_false(request_permitted(&f->s, f->qp, &r, 0));
    r.sge_count = 2;
    assert_true(request_permitted(&f->s, f->qp, &r, 0));
    siw_fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sends_complete_when_tcp_has_their_last_byte),
        cmocka_unit_test(test_what_is_not_signaled_ends_silently),
        cmocka_unit_test(test_all_signaled_every_send_completes),
        cmocka_unit_test(test_a_write_waits_for_the_read_in_front_of_it),
        cmocka_unit_test(test_reads_are_answered_in_their_order),
        cmocka_unit_test(test_the_sink_stays_registered_until_the_read_is_done),
        cmocka_unit_test(test_receives_complete_in_order),
        cmocka_unit_test(test_what_is_flushed_keeps_its_order),
        cmocka_unit_test(test_pieces_are_judged_one_by_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
