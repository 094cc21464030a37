/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RMPP, the receiver of answers: segments that belong to a request of this port. */
#include "mad_fixture.h"

#define FIRST WEFT_RMPP_FLAG_FIRST
#define LAST  WEFT_RMPP_FLAG_LAST

/* A port that has asked number 1 and waits for the answer, which comes in segments. */
static struct fx *asked(uint8_t retries, weft_mad_send_id *ret)
{
    struct fx *f = fx_new_rmpp(NULL, FX_SA);
    struct weft_mad_send_req r = fx_request(f, 1);

    mad_set_method(f->mads[1], WEFT_METHOD_GET_TABLE);
    r.retries = retries;
    *ret = fx_post(f, &r);
    return f;
}

static enum weft_mad_verdict answer(struct fx *f, uint32_t n, uint8_t flags)
{
    const struct fx_segment s = {.mgmt_class = FX_SA,
                                 .method = WEFT_METHOD_GET_TABLE_RESP,
                                 .tid = fx_tid(f, 1),
                                 .type = WEFT_RMPP_DATA,
                                 .flags = flags,
                                 .segment = n,
                                 .length = flags & LAST ? 220 : 0};

    return fx_rx_segment(f, &s);
}

static void test_an_answer_in_segments_completes_its_request(void **state)
{
    weft_mad_send_id id;
    struct fx *f = asked(0, &id);

    (void)state;
    fx_send(f);
    assert_int_equal(answer(f, 1, FIRST), WEFT_MAD_ACCEPTED);
    assert_int_equal(fx_state(f, id), WEFT_MAD_WAIT_RESP);
    answer(f, 2, LAST);
    fx_send_all(f);
    fx_expect_recv(f, 1);
    assert_int_equal(f->event.u.recv.len, 456);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    fx_advance(f, 10 * WEFT_S);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_an_answer_in_segments_before_the_completion(void **state)
{
    weft_mad_send_id id;
    struct fx *f = asked(0, &id);
    weft_mad_tx_id tx = fx_take(f);

    (void)state;
    answer(f, 1, FIRST);
    answer(f, 2, LAST);
    assert_int_equal(fx_state(f, id), WEFT_MAD_EARLY_RESP);
    fx_done(f, tx, true);
    fx_send_all(f);
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    fx_free(f);
}

static void test_an_answer_that_nobody_waits_for_begins_nothing(void **state)
{
    weft_mad_send_id id;
    struct fx *f = asked(0, &id);

    (void)state;
    fx_send(f);
    fx_cancel(f, id);
    assert_int_equal(answer(f, 1, FIRST), WEFT_MAD_DROP_UNMATCHED);
    fx_advance(f, 0);
    fx_expect_done(f, 1, WEFT_MAD_FLUSHED);
    assert_int_equal(answer(f, 1, FIRST | LAST), WEFT_MAD_DROP_UNMATCHED);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_a_lost_final_ACK_is_repeated_although_the_request_is_gone(void **state)
{
    weft_mad_send_id id;
    struct fx *f = asked(0, &id);

    (void)state;
    fx_send(f);
    answer(f, 1, FIRST);
    answer(f, 2, LAST);
    fx_send_all(f); /* and the ACK is lost on its way */
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    assert_int_equal(answer(f, 2, LAST), WEFT_MAD_DROP_RMPP);
    fx_send(f);
    assert_int_equal(rmpp_type(f->packet), WEFT_RMPP_ACK);
    assert_int_equal(rmpp_segment(f->packet), 2);
    assert_int_equal(rmpp_new_window(f->packet), 65);
    fx_expect_nothing(f);
    fx_free(f);
}

static void test_segments_do_not_extend_the_requests_timeout(void **state)
{
    weft_mad_send_id id;
    struct fx *f = asked(0, &id);

    (void)state;
    fx_send(f);
    answer(f, 1, FIRST);
    fx_send_all(f);
    fx_advance(f, FX_TIMEOUT - 1);
    answer(f, 2, 0);
    assert_int_equal(fx_state(f, id), WEFT_MAD_WAIT_RESP);
    fx_advance(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_TIMEOUT);
    fx_expect_idle(f); /* what had arrived was discarded */
    assert_int_equal(answer(f, 3, LAST), WEFT_MAD_DROP_RMPP);
    fx_free(f);
}

static void test_a_retry_of_the_request_keeps_what_has_arrived(void **state)
{
    weft_mad_send_id id;
    struct fx *f = asked(1, &id);

    (void)state;
    fx_send(f);
    answer(f, 1, FIRST);
    fx_send_all(f);
    fx_advance(f, FX_TIMEOUT);
    assert_int_equal(fx_state(f, id), WEFT_MAD_SEND_START);
    answer(f, 2, LAST);
    fx_send_all(f);
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    fx_free(f);
}

static void test_cancel_and_removal_discard_what_has_arrived(void **state)
{
    (void)state;
    for (int how = 0; how < 4; how++) {
        weft_mad_send_id id;
        struct fx *f = asked(1, &id);
        weft_mad_tx_id tx = fx_take(f);

        if (how % 2 == 0)
            fx_done(f, tx, true);
        answer(f, 1, FIRST);
        answer(f, 2, 0);
        fx_send_all(f);
        if (how < 2)
            fx_cancel(f, id);
        else
            fx_remove_agent(f, f->agent);
        assert_int_equal(fx_stats(f).rmpp_transfers, 0);
        assert_int_equal(fx_stats(f).recv_held, 0);
        if (how % 2 != 0)
            fx_done(f, tx, true);
        fx_advance(f, 0);
        fx_expect_done(f, 1, WEFT_MAD_FLUSHED);
        fx_expect_idle(f);
        fx_free(f);
    }
}

static void test_an_ABORT_of_the_answer_fails_the_request(void **state)
{
    (void)state;
    for (int early = 0; early < 2; early++) {
        weft_mad_send_id id;
        struct fx *f = asked(3, &id);
        weft_mad_tx_id tx = fx_take(f);
        const struct fx_segment s = {.mgmt_class = FX_SA,
                                     .method = WEFT_METHOD_GET_TABLE_RESP,
                                     .tid = fx_tid(f, 1),
                                     .type = WEFT_RMPP_ABORT,
                                     .status = WEFT_RMPP_STATUS_TMR};

        if (!early)
            fx_done(f, tx, true);
        answer(f, 1, FIRST);
        fx_send_all(f);
        assert_int_equal(fx_rx_segment(f, &s), WEFT_MAD_ACCEPTED);
        if (early) {
            assert_int_equal(weft_mad_set_timeout(f->port, f->now, id, WEFT_TIME_NEVER), 0);
            fx_done(f, tx, true);
        }
        fx_expect_done(f, 1, WEFT_MAD_RMPP_ABORTED);
        assert_int_equal(f->event.u.sent.rmpp_status, WEFT_RMPP_STATUS_TMR);
        assert_false(f->event.u.sent.rmpp_local);
        fx_expect_idle(f);
        fx_free(f);
    }
}

static void test_what_this_side_refuses_fails_the_request(void **state)
{
    weft_mad_send_id id;
    struct fx *f = asked(3, &id);

    (void)state;
    fx_send(f);
    answer(f, 1, FIRST);
    answer(f, 5, LAST);
    fx_send_all(f);
    answer(f, 6, 0);
    fx_send(f);
    assert_int_equal(rmpp_type(f->packet), WEFT_RMPP_ABORT);
    assert_int_equal(rmpp_status(f->packet), WEFT_RMPP_STATUS_BAD_SEG);
    assert_int_equal(mad_method(f->packet), WEFT_METHOD_GET_TABLE);
    fx_expect_done(f, 1, WEFT_MAD_RMPP_ABORTED);
    assert_int_equal(f->event.u.sent.rmpp_status, WEFT_RMPP_STATUS_BAD_SEG);
    assert_true(f->event.u.sent.rmpp_local);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_an_answer_in_one_packet_overtakes_one_in_segments(void **state)
{
    (void)state;
    for (int early = 0; early < 2; early++) {
        weft_mad_send_id id;
        struct fx *f = asked(0, &id);
        weft_mad_tx_id tx = fx_take(f);

        if (!early)
            fx_done(f, tx, true);
        answer(f, 1, FIRST);
        fx_send_all(f);
        assert_int_equal(fx_answer(f, 1), WEFT_MAD_ACCEPTED);
        assert_int_equal(fx_stats(f).rmpp_transfers, 0);
        assert_int_equal(answer(f, 2, LAST), WEFT_MAD_DROP_RMPP);
        if (early)
            fx_done(f, tx, true);
        fx_expect_recv(f, 1);
        fx_expect_done(f, 1, WEFT_MAD_OK); /* one answer, not two */
        fx_expect_idle(f);
        fx_free(f);
    }
}

static void test_with_the_budget_a_gathered_answer_has_its_buffer(void **state)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_agent_req a = fx_agent_req(FX_PERF);
    struct weft_mad_send_req r;
    weft_mad_agent_id sa;
    struct fx *f;

    (void)state;
    c.recv_depth = 64;
    c.flow.port_budget = true;
    f = fx_new_rmpp(&c, FX_SA);
    sa = f->agent;
    r = fx_request(f, 1);
    mad_set_method(f->mads[1], WEFT_METHOD_GET_TABLE);
    fx_post(f, &r);
    f->agent = fx_agent(f, &a);
    f->mgmt_class = FX_PERF;
    fx_ask_all(f, 10, 100);
    fx_send_all(f);
    f->agent = sa;
    f->mgmt_class = FX_SA;
    assert_int_equal(answer(f, 1, FIRST), WEFT_MAD_ACCEPTED);
    answer(f, 2, 0);
    assert_int_equal(fx_stats(f).outstanding, 56);
    answer(f, 3, LAST);
    fx_send_all(f);
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    assert_int_equal(fx_stats(f).outstanding, 56);
    fx_free(f);
}

static void test_a_plain_request_never_grants_a_window(void **state)
{
    struct fx *f = fx_new_rmpp(NULL, FX_SA);
    struct fx_segment c = {.mgmt_class = FX_SA,
                           .method = WEFT_METHOD_GET_RESP,
                           .type = WEFT_RMPP_ACK,
                           .segment = 1,
                           .length = 1};

    (void)state;
    fx_ask(f, 1);
    fx_send(f);
    c.tid = fx_tid(f, 1);
    assert_int_equal(fx_rx_segment(f, &c), WEFT_MAD_DROP_RMPP);
    fx_expect_nothing(f);
    fx_free(f);
}

static void test_one_request_is_answered_by_one_transfer(void **state)
{
    weft_mad_send_id id;
    struct fx *f = asked(0, &id);
    struct fx_segment s = {.mgmt_class = FX_SA,
                           .method = WEFT_METHOD_GET_MULTI_RESP,
                           .tid = fx_tid(f, 1),
                           .type = WEFT_RMPP_DATA,
                           .flags = FIRST,
                           .segment = 1};

    (void)state;
    fx_send(f);
    answer(f, 1, FIRST);
    fx_send_all(f);
    assert_int_equal(fx_rx_segment(f, &s), WEFT_MAD_DROP_UNMATCHED); /* another key */
    assert_int_equal(fx_stats(f).rmpp_transfers, 1);
    answer(f, 2, LAST);
    fx_send_all(f);
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    fx_free(f);
}

static void test_an_agent_without_receiving_gathers_no_answer(void **state)
{
    struct weft_mad_agent_req r = {.qpn = 1, .send_only = true, .no_recv = true, .rmpp_version = 1};
    struct fx *f = fx_new(NULL, 0);

    (void)state;
    f->agent = fx_agent(f, &r);
    f->mgmt_class = FX_SA;
    fx_ask(f, 1);
    fx_send(f);
    assert_int_equal(answer(f, 1, FIRST), WEFT_MAD_DROP_UNMATCHED);
    assert_int_equal(fx_stats(f).recv_held, 0);
    fx_free(f);
}

/* A lone first segment that nobody asked for and that is never followed by another. */
static enum weft_mad_verdict forged(struct fx *f, uint64_t tid)
{
    const struct fx_segment s = {.mgmt_class = FX_SA,
                                 .method = WEFT_METHOD_GET_MULTI,
                                 .tid = tid,
                                 .type = WEFT_RMPP_DATA,
                                 .flags = FIRST,
                                 .segment = 1};
    enum weft_mad_verdict verdict = fx_rx_segment(f, &s);

    fx_send_all(f);
    return verdict;
}

static void ask_table(struct fx *f)
{
    struct weft_mad_send_req r = fx_request(f, 1);

    mad_set_method(f->mads[1], WEFT_METHOD_GET_TABLE);
    fx_post(f, &r);
}

static void expect_answered(struct fx *f, uint32_t segments)
{
    for (uint32_t n = 1; n <= segments; n++) {
        uint8_t flags = (uint8_t)((n == 1 ? FIRST : 0) | (n == segments ? LAST : 0));

        assert_int_equal(answer(f, n, flags), WEFT_MAD_ACCEPTED);
        fx_send_all(f);
    }
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
}

static void test_forged_transfers_give_their_slots_to_answers(void **state)
{
    struct fx *f = fx_new_rmpp(NULL, FX_SA);

    (void)state;
    for (uint64_t n = 0; n < 32; n++)
        assert_int_equal(forged(f, 1000 + n), WEFT_MAD_ACCEPTED);
    assert_int_equal(forged(f, 2000), WEFT_MAD_DROP_RMPP);
    ask_table(f);
    fx_send(f);
    expect_answered(f, 3);
    assert_int_equal(fx_stats(f).rmpp_stops_sent, 2); /* the refused one, and the oldest */
    fx_free(f);
}

static void test_forged_transfers_give_their_memory_to_answers(void **state)
{
    struct weft_mad_config c = fx_config();
    struct fx_segment s = {
        .mgmt_class = FX_SA, .method = WEFT_METHOD_GET_MULTI, .type = WEFT_RMPP_DATA, .segment = 2};
    struct fx *f;

    (void)state;
    c.rmpp.bytes_max = 2 * sizeof(struct rmpp_block);
    f = fx_new_rmpp(&c, FX_SA);
    for (s.tid = 1000; s.tid < 1002; s.tid++) {
        forged(f, s.tid);
        assert_int_equal(fx_rx_segment(f, &s), WEFT_MAD_ACCEPTED);
    }
    ask_table(f);
    fx_send(f);
    expect_answered(f, 3);
    fx_free(f);
}

static void test_forged_transfers_give_their_buffers_to_answers(void **state)
{
    struct weft_mad_config c = fx_config();
    struct fx *f;

    (void)state;
    c.recv_depth = 64;
    c.rmpp.transfers = 100;
    c.flow.port_budget = true;
    f = fx_new_rmpp(&c, FX_SA);
    for (uint64_t n = 0; n < 64; n++)
        assert_int_equal(forged(f, 1000 + n), WEFT_MAD_ACCEPTED);
    assert_int_equal(forged(f, 2000), WEFT_MAD_DROP_NO_BUFFER);
    ask_table(f);
    assert_int_equal(fx_stats(f).queued, 0);
    fx_send(f);
    expect_answered(f, 3);
    fx_free(f);
}

static void test_a_forged_transfer_that_completes_takes_no_answers_buffer(void **state)
{
    struct weft_mad_config c = fx_config();
    struct fx_segment s = {.mgmt_class = FX_SA,
                           .method = WEFT_METHOD_GET_MULTI,
                           .type = WEFT_RMPP_DATA,
                           .flags = LAST,
                           .segment = 2,
                           .length = 220};
    unsigned kept = 0;
    struct fx *f;

    (void)state;
    c.recv_depth = 64;
    c.rmpp.transfers = 100;
    c.flow.port_budget = true;
    c.flow.reserve = 0;
    f = fx_new_rmpp(&c, FX_SA);
    for (uint64_t n = 0; n < 64; n++)
        forged(f, 1000 + n);
    ask_table(f);
    fx_send(f);
    for (s.tid = 1000; s.tid < 1064; s.tid++) {
        kept += fx_rx_segment(f, &s) == WEFT_MAD_ACCEPTED;
        fx_send_all(f);
    }
    assert_int_equal(kept, 63); /* the audit has watched that one remains for the answer */
    assert_int_equal(fx_drain(f, WEFT_MAD_OK), 0);
    expect_answered(f, 1);
    fx_free(f);
}

static void test_the_answer_of_the_asked_replaces_that_of_another(void **state)
{
    weft_mad_send_id id;
    struct fx *f = asked(0, &id);
    const struct fx_segment s = {.mgmt_class = FX_SA,
                                 .method = WEFT_METHOD_GET_TABLE_RESP,
                                 .tid = fx_tid(f, 1),
                                 .type = WEFT_RMPP_DATA,
                                 .flags = FIRST,
                                 .segment = 1};
    uint8_t mad[WEFT_MAD_BYTES];
    struct weft_mad_rx rx = {.qpn = 1,
                             .dlid = f->lid,
                             .from = {.lid = 0x666, .qpn = 1},
                             .data = mad,
                             .len = sizeof(mad)};

    (void)state;
    fx_send(f);
    fx_segment_mad(&s, mad);
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_ACCEPTED);
    fx_send_all(f);
    assert_int_equal(answer(f, 1, FIRST), WEFT_MAD_ACCEPTED);
    fx_send_all(f);
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_DROP_UNMATCHED); /* not the other way round */
    answer(f, 2, LAST);
    fx_send_all(f);
    fx_expect_recv(f, 1);
    assert_int_equal(f->event.u.recv.from.lid, FX_PEER_LID);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    fx_free(f);
}

static void test_R82_a_BUSY_answer_by_RMPP_is_no_reply(void **state)
{
    weft_mad_send_id id;
    struct fx *f = asked(1, &id);
    const struct fx_segment s = {.mgmt_class = FX_SA,
                                 .method = WEFT_METHOD_GET_TABLE_RESP,
                                 .tid = fx_tid(f, 1),
                                 .type = WEFT_RMPP_DATA,
                                 .flags = FIRST | LAST,
                                 .segment = 1,
                                 .length = 20};
    uint8_t mad[WEFT_MAD_BYTES];

    (void)state;
    fx_send(f);
    fx_segment_mad(&s, mad);
    mad_set_status(mad, WEFT_STATUS_BUSY);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_BUSY_HELD);
    fx_send(f); /* the responder's transfer ends well */
    assert_int_equal(rmpp_type(f->packet), WEFT_RMPP_ACK);
    assert_int_equal(rmpp_segment(f->packet), 1);
    fx_expect_nothing(f);
    fx_advance(f, FX_TIMEOUT);
    fx_send(f);
    expect_answered(f, 2);
    fx_free(f);
}

static void test_an_ABORT_without_a_lawful_status_is_refused(void **state)
{
    weft_mad_send_id id;
    struct fx *f = asked(0, &id);
    struct fx_segment s = {.mgmt_class = FX_SA,
                           .method = WEFT_METHOD_GET_TABLE_RESP,
                           .tid = fx_tid(f, 1),
                           .type = WEFT_RMPP_ABORT,
                           .status = WEFT_RMPP_STATUS_OK};

    (void)state;
    fx_send(f);
    answer(f, 1, FIRST);
    fx_send_all(f);
    assert_int_equal(fx_rx_segment(f, &s), WEFT_MAD_DROP_RMPP);
    fx_send(f);
    assert_int_equal(rmpp_type(f->packet), WEFT_RMPP_ABORT);
    assert_int_equal(rmpp_status(f->packet), WEFT_RMPP_STATUS_BAD_STATUS);
    fx_expect_done(f, 1, WEFT_MAD_RMPP_ABORTED);
    assert_int_equal(f->event.u.sent.rmpp_status, WEFT_RMPP_STATUS_BAD_STATUS);
    assert_true(f->event.u.sent.rmpp_local);
    fx_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_answer_in_segments_completes_its_request),
        cmocka_unit_test(test_an_answer_in_segments_before_the_completion),
        cmocka_unit_test(test_an_answer_that_nobody_waits_for_begins_nothing),
        cmocka_unit_test(test_a_lost_final_ACK_is_repeated_although_the_request_is_gone),
        cmocka_unit_test(test_segments_do_not_extend_the_requests_timeout),
        cmocka_unit_test(test_a_retry_of_the_request_keeps_what_has_arrived),
        cmocka_unit_test(test_cancel_and_removal_discard_what_has_arrived),
        cmocka_unit_test(test_an_ABORT_of_the_answer_fails_the_request),
        cmocka_unit_test(test_what_this_side_refuses_fails_the_request),
        cmocka_unit_test(test_an_answer_in_one_packet_overtakes_one_in_segments),
        cmocka_unit_test(test_with_the_budget_a_gathered_answer_has_its_buffer),
        cmocka_unit_test(test_a_plain_request_never_grants_a_window),
        cmocka_unit_test(test_one_request_is_answered_by_one_transfer),
        cmocka_unit_test(test_an_agent_without_receiving_gathers_no_answer),
        cmocka_unit_test(test_forged_transfers_give_their_slots_to_answers),
        cmocka_unit_test(test_forged_transfers_give_their_memory_to_answers),
        cmocka_unit_test(test_forged_transfers_give_their_buffers_to_answers),
        cmocka_unit_test(test_a_forged_transfer_that_completes_takes_no_answers_buffer),
        cmocka_unit_test(test_the_answer_of_the_asked_replaces_that_of_another),
        cmocka_unit_test(test_R82_a_BUSY_answer_by_RMPP_is_no_reply),
        cmocka_unit_test(test_an_ABORT_without_a_lawful_status_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
