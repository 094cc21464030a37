/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Matching: which send an answer belongs to, by transaction id, class and path; refused duplicates.
 */
#include "mad_fixture.h"

#include <string.h>

/* An answer to request 1, ready to be changed. */
static struct weft_mad_rx answer_rx(const struct fx *f, uint8_t *mad)
{
    fx_answer_mad(f, 1, WEFT_STATUS_OK, mad);
    return (struct weft_mad_rx){.qpn = 1,
                                .dlid = f->lid,
                                .from = {.lid = FX_PEER_LID, .qpn = 1},
                                .data = mad,
                                .len = WEFT_MAD_BYTES};
}

static void test_the_whole_tid_and_the_class_must_agree(void **state)
{
    struct fx *f = fx_new(NULL, FX_PERF);
    uint8_t mad[WEFT_MAD_BYTES];
    struct weft_mad_rx rx;

    (void)state;
    fx_ask(f, 1);
    fx_send(f);
    rx = answer_rx(f, mad);
    mad_set_tid(mad, fx_tid(f, 2));
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_DROP_UNMATCHED);
    mad_set_tid(mad, fx_tid(f, 1) + (UINT64_C(1) << 32));
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_DROP_UNMATCHED);
    mad_set_tid(mad, fx_tid(f, 1));
    mad_set_class(mad, FX_SA);
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_DROP_UNMATCHED);
    mad_set_class(mad, FX_PERF);
    /* method, attribute and where it came from are not compared */
    mad_set_method(mad, WEFT_METHOD_REPORT_RESP);
    mad_set_attr_id(mad, 0x7777);
    rx.from.lid = 0x4444;
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_ACCEPTED);
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    fx_free(f);
}

static void test_an_answer_must_come_to_the_path_that_was_asked_on(void **state)
{
    struct fx *f = fx_new(NULL, FX_PERF);
    struct weft_mad_send_req r = fx_request(f, 1);
    uint8_t mad[WEFT_MAD_BYTES];
    struct weft_mad_rx rx;

    (void)state;
    assert_int_equal(weft_mad_port_set_lid(f->port, 0x40, 2), 0);
    r.to.path_bits = 3;
    fx_post(f, &r);
    fx_send(f);
    rx = answer_rx(f, mad);
    for (uint16_t path = 0; path < 3; path++) {
        rx.dlid = (uint16_t)(0x40 + path);
        assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_DROP_UNMATCHED);
    }
    rx.dlid = 0x43;
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_ACCEPTED);
    /* with LMC 0 there is one path only */
    assert_int_equal(weft_mad_port_set_lid(f->port, 0x40, 0), 0);
    fx_drain(f, WEFT_MAD_OK);
    fx_post(f, &r);
    fx_send(f);
    rx.dlid = 0x41;
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_ACCEPTED);
    fx_free(f);
}

static void test_a_GRH_must_be_there_or_not_and_name_our_GID(void **state)
{
    struct fx *f = fx_new(NULL, FX_PERF);
    struct weft_mad_send_req r = fx_request(f, 1);
    uint8_t mad[WEFT_MAD_BYTES];
    struct weft_mad_rx rx;

    (void)state;
    r.to.has_grh = true;
    memset(r.to.grh.sgid, 0xa1, 16);
    memset(r.to.grh.dgid, 0xb2, 16);
    fx_post(f, &r);
    fx_send(f);
    rx = answer_rx(f, mad);
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_DROP_UNMATCHED);
    rx.from.has_grh = true;
    memset(rx.from.grh.dgid, 0xa2, 16);
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_DROP_UNMATCHED);
    memset(rx.from.grh.dgid, 0xa1, 16);
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_ACCEPTED);
    fx_drain(f, WEFT_MAD_OK);
    /* and the other way round */
    fx_ask(f, 1);
    fx_send(f);
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_DROP_UNMATCHED);
    rx.from.has_grh = false;
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_ACCEPTED);
    fx_free(f);
}

static void test_a_send_without_timeout_expects_no_answer(void **state)
{
    struct fx *f = fx_new(NULL, FX_PERF);
    struct weft_mad_send_req r = fx_request(f, 1);

    (void)state;
    r.timeout = 0;
    fx_post(f, &r);
    assert_int_equal(fx_answer(f, 1), WEFT_MAD_DROP_UNMATCHED);
    fx_send(f);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    fx_free(f);
}

static void test_TrapRepress_and_BM_answers_are_matched_without_R_bit(void **state)
{
    struct fx *f = fx_new(NULL, WEFT_CLASS_BOARD);
    struct weft_mad_send_req r = fx_request(f, 1);
    uint8_t mad[WEFT_MAD_BYTES];

    (void)state;
    mad_set_method(f->mads[1], WEFT_METHOD_TRAP);
    fx_post(f, &r);
    fx_send(f);
    fx_answer_mad(f, 1, WEFT_STATUS_OK, mad);
    mad_set_method(mad, WEFT_METHOD_TRAP_REPRESS);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_ACCEPTED);
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);

    r = fx_request(f, 2);
    mad_set_method(f->mads[2], WEFT_METHOD_SEND);
    fx_post(f, &r);
    fx_send(f);
    fx_answer_mad(f, 2, WEFT_STATUS_OK, mad);
    mad_set_method(mad, WEFT_METHOD_SEND);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_DROP_NO_AGENT); /* a request */
    mad_set_attr_mod(mad, 1);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_ACCEPTED);
    fx_expect_recv(f, 2);
    fx_expect_done(f, 2, WEFT_MAD_OK);
    fx_free(f);
}

static void test_directed_route_answers_are_matched_by_tid_alone(void **state)
{
    struct fx *f = fx_new(NULL, WEFT_CLASS_SUBN_DIRECTED);
    uint8_t mad[WEFT_MAD_BYTES];
    struct weft_mad_rx rx;

    (void)state;
    assert_int_equal(weft_mad_port_set_lid(f->port, 0x40, 3), 0);
    fx_ask(f, 1);
    fx_send(f);
    fx_answer_mad(f, 1, WEFT_STATUS_DIRECTION, mad);
    mad[6] = 1; /* one hop back */
    rx = (struct weft_mad_rx){
        .dlid = 0x1234, .from = {.lid = WEFT_LID_PERMISSIVE}, .data = mad, .len = WEFT_MAD_BYTES};
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_ACCEPTED);
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    fx_free(f);
}

static void test_many_outstanding_are_told_apart(void **state)
{
    struct fx *f = fx_new(NULL, FX_PERF);

    (void)state;
    fx_ask_all(f, 1, 60);
    fx_send_all(f);
    for (unsigned i = 1; i <= 60; i++) {
        unsigned n = i * 37 % 61; /* 61 is prime: each number once */

        assert_int_equal(fx_answer(f, n), WEFT_MAD_ACCEPTED);
        fx_expect_recv(f, n);
        fx_expect_done(f, n, WEFT_MAD_OK);
    }
    fx_expect_idle(f);
    fx_free(f);
}

static void test_a_request_with_the_same_tid_is_refused_until_the_first_is_done(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    struct weft_mad_send_req r = fx_request(f, 1);
    weft_mad_send_id first = fx_post(f, &r);

    (void)state;
    assert_int_equal(weft_mad_post(f->port, f->now, &r, NULL), WEFT_ERR_CONFLICT);
    r.to.lid = 0x99; /* wherever it goes */
    assert_int_equal(weft_mad_post(f->port, f->now, &r, NULL), WEFT_ERR_CONFLICT);
    fx_send(f);
    assert_int_equal(weft_mad_post(f->port, f->now, &r, NULL), WEFT_ERR_CONFLICT);
    assert_int_equal(fx_agent_stats(f).refused, 3);
    fx_cancel(f, first);
    fx_post(f, &r); /* a canceled one is in nobody's way */
    fx_send(f);
    assert_int_equal(fx_answer(f, 1), WEFT_MAD_ACCEPTED);
    fx_post(f, &r); /* nor a finished one */
    fx_free(f);
}

static void test_an_answer_is_a_duplicate_only_towards_the_same_LID(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    struct weft_mad_send_req r = fx_request(f, 1);

    (void)state;
    mad_set_method(f->mads[1], WEFT_METHOD_GET_RESP);
    mad_set_tid(f->mads[1], fx_tid(f, 1));
    r.timeout = 0;
    fx_post(f, &r);
    assert_int_equal(weft_mad_post(f->port, f->now, &r, NULL), WEFT_ERR_CONFLICT);
    r.to.lid++;
    fx_post(f, &r);
    fx_free(f);
}

static void test_answers_to_two_GIDs_behind_one_LID_are_no_duplicates(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    struct weft_mad_send_req r = fx_request(f, 1);

    (void)state;
    mad_set_method(f->mads[1], WEFT_METHOD_GET_RESP);
    mad_set_tid(f->mads[1], fx_tid(f, 1));
    r.timeout = 0;
    r.to.has_grh = true;
    fx_post(f, &r);
    assert_int_equal(weft_mad_post(f->port, f->now, &r, NULL), WEFT_ERR_CONFLICT);
    r.to.grh.dgid[15] = 1;
    fx_post(f, &r);
    r.to.has_grh = false;
    fx_post(f, &r);
    fx_free(f);
}

static void test_an_agent_that_does_RMPP_itself_has_segments_of_one_message_under_way(void **state)
{
    struct weft_mad_agent_req a = fx_agent_req(FX_SA);
    struct fx *f = fx_new(NULL, FX_PERF);
    struct weft_mad_send_req r;

    (void)state;
    a.rmpp_version = 1;
    a.user_rmpp = true;
    f->agent = fx_agent(f, &a);
    f->mgmt_class = FX_SA;
    r = fx_request(f, 1);
    fx_post(f, &r);
    assert_int_equal(weft_mad_post(f->port, f->now, &r, NULL), WEFT_ERR_CONFLICT);
    packet_rmpp(f->mads[1], WEFT_RMPP_DATA, WEFT_RMPP_FLAG_FIRST, 1, 0);
    fx_post(f, &r);
    packet_rmpp(f->mads[1], WEFT_RMPP_DATA, WEFT_RMPP_FLAG_LAST, 2, 220);
    fx_post(f, &r);
    fx_free(f);
}

static void test_a_request_and_an_answer_with_one_tid_are_no_duplicates(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    struct weft_mad_send_req r = fx_request(f, 2);

    (void)state;
    fx_ask(f, 1);
    mad_set_method(f->mads[2], WEFT_METHOD_GET_RESP);
    mad_set_tid(f->mads[2], fx_tid(f, 1));
    r.timeout = 0;
    fx_post(f, &r);
    /* other classes neither */
    r = fx_request(f, 1);
    r.data = f->mads[3];
    fx_mad(f->mads[3], FX_PERF, WEFT_METHOD_GET, 1);
    fx_post(f, &r);
    fx_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_whole_tid_and_the_class_must_agree),
        cmocka_unit_test(test_an_answer_must_come_to_the_path_that_was_asked_on),
        cmocka_unit_test(test_a_GRH_must_be_there_or_not_and_name_our_GID),
        cmocka_unit_test(test_a_send_without_timeout_expects_no_answer),
        cmocka_unit_test(test_TrapRepress_and_BM_answers_are_matched_without_R_bit),
        cmocka_unit_test(test_directed_route_answers_are_matched_by_tid_alone),
        cmocka_unit_test(test_many_outstanding_are_told_apart),
        cmocka_unit_test(test_a_request_with_the_same_tid_is_refused_until_the_first_is_done),
        cmocka_unit_test(test_an_answer_is_a_duplicate_only_towards_the_same_LID),
        cmocka_unit_test(test_answers_to_two_GIDs_behind_one_LID_are_no_duplicates),
        cmocka_unit_test(test_an_agent_that_does_RMPP_itself_has_segments_of_one_message_under_way),
        cmocka_unit_test(test_a_request_and_an_answer_with_one_tid_are_no_duplicates),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
