/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Posting: what is refused and leaves nothing behind, and what the packet looks like. */
#include "mad_fixture.h"

#include <string.h>

/* A post that must be refused. */
static void refused(struct fx *f, const struct weft_mad_send_req *r, int err)
{
    uint32_t sends = fx_stats(f).sends;
    uint64_t count = fx_stats(f).refused;
    weft_mad_send_id id = {99};

    assert_int_equal(weft_mad_post(f->port, f->now, r, &id), err);
    assert_int_equal(id.v, 99);
    assert_int_equal(fx_stats(f).sends, sends);
    assert_int_equal(fx_stats(f).refused, count + 1);
    fx_audit(f);
}

static void test_R17_a_refused_post_is_returned_and_kept_nowhere(void **state)
{
    struct fx *f = fx_new(NULL, FX_PERF);
    struct weft_mad_send_req r = fx_request(f, 1);

    (void)state;
    r.len = 23;
    refused(f, &r, WEFT_ERR_INVALID);
    r.len = 257;
    refused(f, &r, WEFT_ERR_INVALID);
    r = fx_request(f, 1);
    r.data = NULL;
    refused(f, &r, WEFT_ERR_INVALID);
    r = fx_request(f, 1);
    r.to.sl = 16;
    refused(f, &r, WEFT_ERR_INVALID);
    r = fx_request(f, 1);
    r.to.qpn = 0x1000000;
    refused(f, &r, WEFT_ERR_INVALID);
    r = fx_request(f, 1);
    mad_set_base_version(f->mads[1], 2);
    refused(f, &r, WEFT_ERR_INVALID);
    r = fx_request(f, 1);
    mad_set_class(f->mads[1], WEFT_CLASS_SUBN_LID); /* QP0's */
    refused(f, &r, WEFT_ERR_INVALID);
    assert_int_equal(fx_agent_stats(f).refused, 7);
    r = fx_request(f, 2); /* the last that is good */
    r.to.sl = 15;
    r.to.qpn = 0xffffff;
    r.len = 24;
    fx_cancel(f, fx_post(f, &r));
    fx_tx_empty(f);
    fx_drain(f, WEFT_MAD_FLUSHED);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_a_policy_out_of_range_is_refused(void **state)
{
    struct fx *f = fx_new(NULL, FX_PERF);
    struct weft_mad_send_req r = fx_request(f, 1);
    struct weft_mad_retry policy;

    (void)state;
    weft_mad_retry_init(&policy);
    policy.jitter_ns = policy.base_ns + 1;
    r.retry = &policy;
    refused(f, &r, WEFT_ERR_INVALID);
    fx_free(f);
}

static void test_short_MADs_are_filled_up_with_zeroes(void **state)
{
    struct fx *f = fx_new(NULL, FX_PERF);
    struct weft_mad_send_req r = fx_request(f, 1);

    (void)state;
    memset(f->mads[1] + 24, 0x5a, WEFT_MAD_BYTES - 24);
    r.timeout = 0;
    fx_post(f, &r);
    fx_send(f); /* the slot of the packet is used before */
    r.len = 30;
    fx_post(f, &r);
    fx_send(f);
    assert_memory_equal(f->packet + 16, f->mads[1] + 16, 14);
    for (size_t i = 30; i < WEFT_MAD_BYTES; i++)
        assert_int_equal(f->packet[i], 0);
    fx_free(f);
}

static void test_classes_with_RMPP_need_its_header(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    struct weft_mad_send_req r = fx_request(f, 1);

    (void)state;
    r.len = 35;
    refused(f, &r, WEFT_ERR_INVALID);
    r.len = 36;
    fx_post(f, &r);
    fx_free(f);
}

static void test_an_RMPP_agent_sends_RMPP_classes_only(void **state)
{
    struct fx *f = fx_new_rmpp(NULL, FX_SA);
    struct weft_mad_send_req r = fx_request(f, 1);

    (void)state;
    mad_set_class(f->mads[1], FX_PERF);
    refused(f, &r, WEFT_ERR_INVALID);
    fx_free(f);
}

static void test_an_RMPP_message_has_its_class_header_and_fits_32_bits(void **state)
{
    struct fx *f = fx_new_rmpp(NULL, FX_SA);
    struct weft_mad_send_req r = fx_request(f, 1);

    (void)state;
    rmpp_set_flags(f->mads[1], WEFT_RMPP_FLAG_ACTIVE);
    r.len = 55;
    refused(f, &r, WEFT_ERR_INVALID);
    /* 56 bytes of header, then 200 a segment, each of which counts 20 more: the longest payload */
    r.len = 3904515772;
    refused(f, &r, WEFT_ERR_INVALID);
    r.len = UINT32_MAX;
    refused(f, &r, WEFT_ERR_INVALID);
    r.len = 3904515771;
    fx_cancel(f, fx_post(f, &r)); /* before any of it is read */
    r.len = 56;
    fx_post(f, &r);
    fx_free(f);
}

static void test_requests_get_the_agents_tid_and_answers_keep_theirs(void **state)
{
    struct fx *f = fx_new(NULL, FX_PERF);
    struct weft_mad_send_req r = fx_request(f, 1);

    (void)state;
    mad_set_tid(f->mads[1], 0xdeadbeef00000001);
    fx_post(f, &r);
    fx_send(f);
    assert_true(mad_tid(f->packet) == fx_tid(f, 1));
    assert_true(mad_tid(f->mads[1]) == 0xdeadbeef00000001); /* borrowed, not changed */
    r = fx_request(f, 2);
    mad_set_tid(f->mads[2], 0xdeadbeef00000002);
    mad_set_method(f->mads[2], WEFT_METHOD_GET_RESP);
    fx_post(f, &r);
    fx_send(f);
    assert_true(mad_tid(f->packet) == 0xdeadbeef00000002);
    r = fx_request(f, 3);
    mad_set_tid(f->mads[3], 0xdeadbeef00000003);
    mad_set_method(f->mads[3], WEFT_METHOD_TRAP_REPRESS);
    fx_post(f, &r);
    fx_send(f);
    assert_true(mad_tid(f->packet) == 0xdeadbeef00000003);
    fx_free(f);
}

static void test_sends_are_as_many_as_configured(void **state)
{
    struct weft_mad_config c = fx_config();
    struct fx *f;
    struct weft_mad_send_req r;

    (void)state;
    c.sends = 3;
    f = fx_new(&c, FX_PERF);
    fx_ask_all(f, 1, 3);
    r = fx_request(f, 4);
    refused(f, &r, WEFT_ERR_FULL);
    fx_send(f);
    fx_answer(f, 1);
    refused(f, &r, WEFT_ERR_FULL); /* until its SEND_DONE was polled */
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    fx_post(f, &r);
    fx_free(f);
}

static void test_R85_a_post_needs_no_policy_of_its_own(void **state)
{
    struct fx *f = fx_new(NULL, FX_PERF);
    struct weft_mad_send_req r = fx_request(f, 1), zero = {0};

    (void)state;
    assert_ptr_equal(r.retry, zero.retry);
    r.retries = 2;
    fx_post(f, &r);
    for (int i = 0; i < 3; i++) {
        fx_send(f);
        assert_int_equal(weft_mad_deadline(f->port), f->now + FX_TIMEOUT); /* nothing is added */
        fx_advance(f, FX_TIMEOUT);
    }
    fx_expect_done(f, 1, WEFT_MAD_TIMEOUT);
    fx_free(f);
}

static void test_kernel_defect_1_each_of_many_posts_is_completed(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);

    (void)state;
    fx_ask_all(f, 1, 50); /* 16 go, 34 queue; there are no chains */
    for (unsigned n = 1; n <= 50; n++) {
        fx_send_all(f);
        fx_answer(f, n);
    }
    assert_int_equal(fx_drain(f, WEFT_MAD_OK), 50);
    fx_expect_idle(f);
    fx_free(f);
}

static struct weft_mad_send_req directed(struct fx *f, unsigned n)
{
    struct weft_mad_send_req r = fx_request(f, n);

    r.to.lid = WEFT_LID_PERMISSIVE;
    return r;
}

static void test_directed_route_hops_are_checked_and_moved_in_the_packet_only(void **state)
{
    struct fx *f = fx_new(NULL, WEFT_CLASS_SUBN_DIRECTED);
    struct weft_mad_send_req r = directed(f, 1);

    (void)state;
    r.retries = 1;
    fx_post(f, &r);
    for (int i = 0; i < 2; i++) {
        fx_send(f);
        assert_int_equal(wire_get(WIRE_SMP_DIRECTED_HOP_POINTER, f->packet), 1);
        assert_int_equal(wire_get(WIRE_SMP_DIRECTED_HOP_POINTER, f->mads[1]), 0);
        fx_advance(f, FX_TIMEOUT);
    }
    fx_expect_done(f, 1, WEFT_MAD_TIMEOUT);
    r = directed(f, 2);
    f->mads[2][wire_bytes_offset(WIRE_SMP_DIRECTED_INITIAL_PATH) + 1] = 2; /* not by this port */
    refused(f, &r, WEFT_ERR_INVALID);
    r = directed(f, 3);
    wire_set(WIRE_SMP_DIRECTED_HOP_COUNT, f->mads[3], 64); /* more than a path has */
    refused(f, &r, WEFT_ERR_INVALID);
    fx_free(f);
}

static void test_with_hops_by_the_host_directed_routes_go_out_as_posted(void **state)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_send_req r;
    struct fx *f;

    (void)state;
    c.hops_by_host = true;
    f = fx_new(&c, WEFT_CLASS_SUBN_DIRECTED);
    /* to the own node, by another port, and on a path that is none */
    for (unsigned n = 1; n <= 3; n++) {
        uint8_t answer[WEFT_MAD_BYTES];

        r = directed(f, n);
        wire_set(WIRE_SMP_DIRECTED_HOP_COUNT, f->mads[n], n == 3 ? 64 : n - 1);
        f->mads[n][wire_bytes_offset(WIRE_SMP_DIRECTED_INITIAL_PATH) + 1] = 2;
        fx_post(f, &r);
        fx_send(f);
        assert_memory_equal(f->packet + WEFT_MAD_HEADER_BYTES, f->mads[n] + WEFT_MAD_HEADER_BYTES,
                            WEFT_MAD_BYTES - WEFT_MAD_HEADER_BYTES);
        assert_int_equal(wire_get(WIRE_SMP_DIRECTED_HOP_POINTER, f->packet), 0);
        fx_answer_mad(f, n, WEFT_STATUS_DIRECTION, answer);
        wire_set(WIRE_SMP_DIRECTED_HOP_POINTER, answer, 7); /* says nothing here */
        assert_int_equal(fx_rx(f, answer), WEFT_MAD_ACCEPTED);
        fx_expect_recv(f, n);
        fx_expect_done(f, n, WEFT_MAD_OK);
    }
    fx_expect_idle(f);
    fx_free(f);
}

static void test_to_the_own_node_nobody_answers_and_the_send_ends_all_the_same(void **state)
{
    struct fx *f = fx_new(NULL, WEFT_CLASS_SUBN_DIRECTED);
    struct weft_mad_send_req r = directed(f, 1);

    (void)state;
    packet_directed(f->mads[1], 0);
    fx_post(f, &r);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    assert_int_equal(f->event.u.sent.attempts, 0);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_to_the_own_node_an_agent_of_this_port_gets_it(void **state)
{
    struct fx *f = fx_new(NULL, WEFT_CLASS_SUBN_DIRECTED);
    struct weft_mad_agent_req a = fx_agent_req(WEFT_CLASS_SUBN_DIRECTED);
    struct weft_mad_send_req r = directed(f, 1);

    (void)state;
    fx_own_method(&a, WEFT_METHOD_GET);
    a.class_version = 1;
    fx_agent(f, &a);
    packet_directed(f->mads[1], 0);
    fx_post(f, &r);
    weft_mad_recv_release(f->port, fx_expect_unsolicited(f, fx_tid(f, 1)));
    fx_expect_done(f, 1, WEFT_MAD_OK);
    /* and the answer to it goes to whose transaction id it has */
    r = directed(f, 2);
    packet_directed(f->mads[2], 0);
    mad_set_method(f->mads[2], WEFT_METHOD_GET_RESP);
    mad_set_status(f->mads[2], WEFT_STATUS_DIRECTION);
    mad_set_tid(f->mads[2], fx_tid(f, 2));
    wire_set(WIRE_SMP_DIRECTED_HOP_POINTER, f->mads[2], 1);
    fx_post(f, &r);
    fx_expect_unsolicited(f, fx_tid(f, 2));
    assert_int_equal(f->event.agent.v, f->agent.v);
    fx_expect_done(f, 2, WEFT_MAD_OK);
    fx_expect_nothing(f);
    fx_free(f);
}

static void test_a_MAD_that_is_not_Active_passes_as_it_is(void **state)
{
    struct fx *f = fx_new_rmpp(NULL, FX_SA);
    struct weft_mad_send_req r = fx_request(f, 1);

    (void)state;
    memset(f->mads[1] + 24, 0xf8, 12); /* everything but the flags */
    fx_post(f, &r);
    fx_send(f);
    assert_memory_equal(f->packet + 24, f->mads[1] + 24, 12);
    fx_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_R17_a_refused_post_is_returned_and_kept_nowhere),
        cmocka_unit_test(test_a_policy_out_of_range_is_refused),
        cmocka_unit_test(test_short_MADs_are_filled_up_with_zeroes),
        cmocka_unit_test(test_classes_with_RMPP_need_its_header),
        cmocka_unit_test(test_an_RMPP_agent_sends_RMPP_classes_only),
        cmocka_unit_test(test_an_RMPP_message_has_its_class_header_and_fits_32_bits),
        cmocka_unit_test(test_requests_get_the_agents_tid_and_answers_keep_theirs),
        cmocka_unit_test(test_sends_are_as_many_as_configured),
        cmocka_unit_test(test_R85_a_post_needs_no_policy_of_its_own),
        cmocka_unit_test(test_kernel_defect_1_each_of_many_posts_is_completed),
        cmocka_unit_test(test_directed_route_hops_are_checked_and_moved_in_the_packet_only),
        cmocka_unit_test(test_with_hops_by_the_host_directed_routes_go_out_as_posted),
        cmocka_unit_test(test_to_the_own_node_nobody_answers_and_the_send_ends_all_the_same),
        cmocka_unit_test(test_to_the_own_node_an_agent_of_this_port_gets_it),
        cmocka_unit_test(test_a_MAD_that_is_not_Active_passes_as_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
