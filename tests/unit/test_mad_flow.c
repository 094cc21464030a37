/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Flow control: limits, the backlog's order, what releases it, the port's budget, queue timeouts.
 */
#include "core/mad/send.h"
#include "mad_fixture.h"

#include <string.h>

static uint32_t limit_of(uint32_t depth, const struct weft_mad_agent_req *r, bool limits)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_agent_stats st;
    weft_mad_agent_id id;
    struct fx *f;

    c.recv_depth = depth;
    c.flow.agent_limits = limits;
    f = fx_new(&c, 0);
    id = fx_agent(f, r);
    assert_int_equal(weft_mad_agent_stats(f->port, id, &st), 0);
    fx_free(f);
    return st.limit;
}

static void test_R50_R51_R52_R53_R54_R55_limits_are_fractions_of_the_receive_queue(void **state)
{
    const struct {
        struct weft_mad_agent_req req;
        uint32_t limit[3]; /* at queue depths 64, 512, 8192 */
    } rows[] = {
        {{.qpn = 1, .mgmt_class = FX_SA}, {2, 16, 256}},
        {{.qpn = 1, .mgmt_class = WEFT_CLASS_CM}, {16, 128, 2048}},
        {{.qpn = 1, .send_only = true}, {16, 128, 2048}},
        {{.qpn = 0, .send_only = true}, {16, 128, 2048}},
        {{.qpn = 1, .send_only = true, .no_recv = true}, {0, 0, 0}},
        {{.qpn = 0, .mgmt_class = WEFT_CLASS_SUBN_LID}, {16, 128, 128}},
        {{.qpn = 0, .mgmt_class = WEFT_CLASS_SUBN_DIRECTED}, {16, 128, 128}},
        {{.qpn = 1, .mgmt_class = FX_PERF}, {0, 0, 0}},
        {{.qpn = 1, .mgmt_class = WEFT_CLASS_DEVICE}, {0, 0, 0}},
        {{.qpn = 1, .mgmt_class = 0x30, .oui = {1}}, {0, 0, 0}},
    };
    static const uint32_t depths[3] = {64, 512, 8192};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (int d = 0; d < 3; d++) {
            assert_int_equal(limit_of(depths[d], &rows[i].req, true), rows[i].limit[d]);
            assert_int_equal(limit_of(depths[d], &rows[i].req, false), 0);
        }
    }
}

static void test_R48_R62_over_the_limit_a_post_succeeds_and_waits(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    weft_mad_send_id id;

    (void)state;
    fx_ask_all(f, 1, 16);
    id = fx_ask(f, 17);
    assert_int_equal(fx_state(f, id), WEFT_MAD_QUEUED);
    assert_int_equal(fx_agent_stats(f).outstanding, 16);
    assert_int_equal(fx_agent_stats(f).queued, 1);
    assert_int_equal(fx_agent_stats(f).limited, 1);
    assert_int_equal(fx_stats(f).limited, 1);
    assert_int_equal(fx_send_all(f), 16);
    fx_expect_nothing(f);
    fx_answer(f, 5);
    assert_int_equal(fx_state(f, id), WEFT_MAD_SEND_START);
    fx_send(f);
    assert_int_equal(fx_packet_number(f), 17);
    fx_free(f);
}

static void test_R55_R58_other_classes_post_a_thousand_at_once(void **state)
{
    struct fx *f = fx_new(NULL, FX_PERF);

    (void)state;
    fx_ask_all(f, 1, 1000);
    assert_int_equal(fx_stats(f).outstanding, 1000);
    assert_int_equal(fx_stats(f).queued, 0);
    fx_free(f);
}

static void test_R58_R59_the_class_of_the_MAD_decides(void **state)
{
    static const struct {
        uint8_t mgmt_class;
        bool limited;
    } rows[] = {{FX_SA, true}, {WEFT_CLASS_CM, true},  {FX_PERF, false}, {WEFT_CLASS_BOARD, false},
                {0x30, false}, {WEFT_CLASS_BIS, false}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct weft_mad_config c = fx_config();
        struct weft_mad_agent_req r = {.qpn = 1, .send_only = true};
        struct fx *f;

        c.recv_depth = 64; /* 16 for an agent without a registration */
        f = fx_new(&c, 0);
        f->agent = fx_agent(f, &r);
        f->mgmt_class = rows[i].mgmt_class;
        fx_ask_all(f, 1, 17);
        assert_int_equal(fx_agent_stats(f).queued, rows[i].limited ? 1 : 0);
        fx_free(f);
    }
}

static void test_R54_R58_both_SMP_classes_are_limited(void **state)
{
    static const uint8_t classes[] = {WEFT_CLASS_SUBN_LID, WEFT_CLASS_SUBN_DIRECTED};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fx *f = fx_new(NULL, classes[i]);

        fx_ask_all(f, 1, 130);
        assert_int_equal(fx_agent_stats(f).outstanding, 128);
        assert_int_equal(fx_agent_stats(f).queued, 2);
        fx_free(f);
    }
}

static void test_R56_R60_without_a_timeout_a_send_passes(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    struct weft_mad_send_req r;

    (void)state;
    fx_ask_all(f, 1, 20);
    for (unsigned n = 21; n <= 40; n++) {
        r = fx_request(f, n);
        mad_set_method(f->mads[n], n % 2 ? WEFT_METHOD_REPORT : WEFT_METHOD_GET);
        r.timeout = 0;
        assert_int_equal(fx_state(f, fx_post(f, &r)), WEFT_MAD_SEND_START);
    }
    assert_int_equal(fx_agent_stats(f).outstanding, 16);
    r = fx_request(f, 41); /* a report that wants an answer counts */
    mad_set_method(f->mads[41], WEFT_METHOD_REPORT);
    assert_int_equal(fx_state(f, fx_post(f, &r)), WEFT_MAD_QUEUED);
    fx_free(f);
}

static void test_R57_RMPP_sends_are_exempt(void **state)
{
    struct fx *f = fx_new_rmpp(NULL, FX_SA);
    struct weft_mad_send_req r = fx_request(f, 30);

    (void)state;
    fx_ask_all(f, 1, 17);
    assert_int_equal(fx_agent_stats(f).queued, 1);
    rmpp_set_flags(f->mads[30], WEFT_RMPP_FLAG_ACTIVE);
    assert_int_equal(fx_state(f, fx_post(f, &r)), WEFT_MAD_SEND_START);
    assert_int_equal(fx_agent_stats(f).outstanding, 16);
    fx_free(f);
}

static void test_R61_new_sends_queue_behind_the_backlog_even_when_a_slot_is_free(void **state)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_agent_req a = {.qpn = 1, .send_only = true};
    weft_mad_send_id id;
    struct fx *f;

    (void)state;
    c.recv_depth = 64;
    c.flow.port_budget = true;
    f = fx_new(&c, 0);
    f->agent = fx_agent(f, &a);
    f->mgmt_class = FX_SA;
    fx_ask_all(f, 1, 17); /* the last one waits for the agent's limit of 16 */
    f->mgmt_class = FX_PERF;
    id = fx_ask(f, 18); /* only the port's budget holds for it, and that has room */
    assert_int_equal(fx_state(f, id), WEFT_MAD_QUEUED);
    fx_send_all(f);
    f->mgmt_class = FX_SA;
    fx_answer(f, 1);
    fx_send(f);
    assert_int_equal(fx_packet_number(f), 17);
    fx_send(f);
    assert_int_equal(fx_packet_number(f), 18);
    fx_free(f);
}

static void test_R63_the_backlog_leaves_in_order_and_within_the_limit(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    unsigned next = 1;

    (void)state;
    fx_ask_all(f, 1, 200);
    for (unsigned answered = 0; answered < 200;) {
        unsigned held = fx_stats(f).outstanding;

        assert_true(held <= 16);
        while (fx_stats(f).sends > 0 && next <= answered + 16 && next <= 200) {
            fx_send(f);
            assert_int_equal(fx_packet_number(f), next++);
        }
        answered++;
        fx_answer(f, answered);
        fx_expect_recv(f, answered);
        fx_expect_done(f, answered, WEFT_MAD_OK);
    }
    fx_expect_idle(f);
    fx_free(f);
}

/* A port whose SA agent may have two outstanding; 1 and 2 are, 3 to 6 wait. */
static struct fx *full(unsigned retries)
{
    struct weft_mad_config c = fx_config();
    struct fx *f;

    c.recv_depth = 64;
    f = fx_new(&c, FX_SA);
    for (unsigned n = 1; n <= 6; n++) {
        struct weft_mad_send_req r = fx_request(f, n);

        r.retries = (uint8_t)retries;
        fx_post(f, &r);
    }
    assert_int_equal(fx_agent_stats(f).queued, 4);
    return f;
}

static void expect_packets(struct fx *f, unsigned first, unsigned count)
{
    for (unsigned n = first; n < first + count; n++) {
        fx_send(f);
        assert_int_equal(fx_packet_number(f), n);
    }
    assert_true(fx_tx_empty(f));
}

static void test_R64_an_answer_a_failure_and_a_cancel_each_release_one(void **state)
{
    struct fx *f = full(0);

    (void)state;
    fx_send(f);       /* 1 */
    fx_send_fails(f); /* 2 */
    expect_packets(f, 3, 1);
    fx_answer(f, 1);
    expect_packets(f, 4, 1);
    fx_cancel(f, f->sends[3]);
    expect_packets(f, 5, 1);
    assert_int_equal(fx_answer(f, 3), WEFT_MAD_DROP_UNMATCHED);
    fx_advance(f, 0);
    fx_expect_done(f, 2, WEFT_MAD_TX_ERROR);
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    fx_expect_done(f, 3, WEFT_MAD_FLUSHED);
    fx_free(f);
}

static void test_R64_R69_an_early_answer_releases_at_once(void **state)
{
    struct fx *f = full(0);
    weft_mad_tx_id one = fx_take(f);

    (void)state;
    fx_send(f);
    fx_answer(f, 1);
    expect_packets(f, 3, 1);
    fx_done(f, one, true);
    assert_true(fx_tx_empty(f)); /* not once more */
    fx_free(f);
}

static void test_R64_R65_two_timeouts_in_one_call_release_two(void **state)
{
    struct fx *f = full(0);

    (void)state;
    fx_send_all(f);
    fx_advance(f, FX_TIMEOUT);
    expect_packets(f, 3, 2);
    fx_advance(f, FX_TIMEOUT);
    expect_packets(f, 5, 2);
    fx_advance(f, FX_TIMEOUT);
    assert_int_equal(fx_drain(f, WEFT_MAD_TIMEOUT), 6);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_R66_failures_of_released_sends_do_not_stop_the_others(void **state)
{
    struct fx *f = full(0);

    (void)state;
    fx_send_all(f);
    fx_answer(f, 1);
    fx_send_fails(f); /* 3 */
    fx_send_fails(f); /* 4 */
    expect_packets(f, 5, 1);
    fx_answer(f, 2);
    expect_packets(f, 6, 1);
    fx_answer(f, 5);
    fx_answer(f, 6);
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    fx_expect_done(f, 3, WEFT_MAD_TX_ERROR);
    fx_expect_done(f, 4, WEFT_MAD_TX_ERROR);
    assert_int_equal(fx_drain(f, WEFT_MAD_OK), 3);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_kernel_defect_2_a_released_send_that_fails_keeps_its_agent_alive(void **state)
{
    struct fx *f = full(0);
    weft_mad_tx_id three;

    (void)state;
    fx_send_all(f);
    fx_answer(f, 1);
    three = fx_take(f);
    fx_remove_agent(f, f->agent);
    fx_drain(f, WEFT_MAD_OK);
    assert_int_equal(f->port->agents.used, 1);
    fx_done(f, three, false);
    fx_expect_done(f, 3, WEFT_MAD_FLUSHED);
    assert_int_equal(f->port->agents.used, 0);
    fx_expect_idle(f);
    fx_free(f);
}

/* Remembers when request 3 was released and when request 1 was reported. */
struct order {
    int step, released, reported;
};

static void note_order(void *ctx, const struct weft_trace_event *ev)
{
    struct order *o = ctx;
    uint32_t n = (uint32_t)ev->tid;

    o->step++;
    if (ev->type == WEFT_TRACE_STATE && n == 3 && ev->u.state.from == WEFT_MAD_QUEUED)
        o->released = o->step;
    if (ev->type == WEFT_TRACE_EVENT && n == 1 && ev->u.event.type == WEFT_MAD_EVENT_SEND_DONE)
        o->reported = o->step;
}

static void test_R67_release_comes_before_the_finished_sends_report(void **state)
{
    struct weft_mad_config c = fx_config();
    struct order o = {0};
    struct fx *f;

    (void)state;
    c.recv_depth = 64;
    c.trace = note_order;
    c.trace_ctx = &o;
    f = fx_new(&c, FX_SA);
    fx_ask_all(f, 1, 3);
    fx_send_all(f);
    fx_answer(f, 1);
    assert_true(o.released > 0 && o.reported > o.released);
    fx_free(f);
}

static void test_R61_R70_a_retry_queues_behind_those_who_wait(void **state)
{
    struct fx *f = full(1);

    (void)state;
    expect_packets(f, 1, 2);
    fx_advance(f, FX_TIMEOUT);
    expect_packets(f, 3, 2);
    fx_advance(f, FX_TIMEOUT);
    expect_packets(f, 5, 2);
    fx_advance(f, FX_TIMEOUT);
    assert_int_equal(fx_agent_stats(f).retried, 0);
    expect_packets(f, 1, 2);
    assert_int_equal(fx_agent_stats(f).retried, 2);
    assert_int_equal(fx_answer(f, 1), WEFT_MAD_ACCEPTED);
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    assert_int_equal(f->event.u.sent.attempts, 2);
    fx_free(f);
}

static void test_a_late_answer_to_a_queued_retry_ends_it(void **state)
{
    struct fx *f = full(1);
    weft_mad_send_id one = f->sends[1];

    (void)state;
    fx_send_all(f);
    fx_advance(f, FX_TIMEOUT);
    assert_int_equal(fx_state(f, one), WEFT_MAD_QUEUED);
    assert_int_equal(fx_answer(f, 1), WEFT_MAD_ACCEPTED);
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    assert_int_equal(f->event.u.sent.attempts, 1);
    expect_packets(f, 3, 2);
    fx_free(f);
}

static void test_a_retry_that_nobody_waits_behind_keeps_its_place(void **state)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_send_req r;
    weft_mad_send_id id;
    struct fx *f;

    (void)state;
    c.recv_depth = 64;
    f = fx_new(&c, FX_SA);
    r = fx_request(f, 1);
    r.retries = 1;
    id = fx_post(f, &r);
    fx_ask(f, 2);
    fx_send_all(f);
    fx_advance(f, FX_TIMEOUT);
    assert_int_equal(fx_state(f, id), WEFT_MAD_SEND_START);
    assert_int_equal(fx_agent_stats(f).limited, 0);
    fx_free(f);
}

static void test_R61_a_retry_queues_behind_other_agents_at_the_ports_budget(void **state)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_agent_req a = fx_agent_req(WEFT_CLASS_BOARD);
    struct weft_mad_send_req r;
    struct fx *f;

    (void)state;
    c.recv_depth = 64; /* 56 for answers */
    c.flow.port_budget = true;
    f = fx_new(&c, FX_PERF);
    r = fx_request(f, 1);
    r.retries = 1;
    fx_post(f, &r);
    f->agent = fx_agent(f, &a);
    f->mgmt_class = WEFT_CLASS_BOARD;
    for (unsigned n = 2; n <= 57; n++) {
        r = fx_request(f, n);
        r.timeout = 10 * FX_TIMEOUT;
        fx_post(f, &r);
    }
    assert_int_equal(fx_send_all(f), 56);
    fx_advance(f, FX_TIMEOUT);
    fx_send(f);
    assert_int_equal(fx_packet_number(f), 57);
    assert_true(fx_tx_empty(f));
    fx_free(f);
}

/* How many of 200 requests of one port lose their answer when it comes all at once. */
static uint64_t answers_lost(bool budget)
{
    struct weft_mad_config c = fx_config();
    struct fx *f;
    uint64_t lost;

    c.recv_depth = 64;
    c.flow.port_budget = budget;
    f = fx_new(&c, FX_PERF);
    fx_ask_all(f, 1, 200);
    for (unsigned sent = 1; sent > 0;) {
        unsigned numbers[200];

        for (sent = 0; fx_send_any(f); sent++)
            numbers[sent] = fx_packet_number(f);
        for (unsigned i = 0; i < sent; i++)
            fx_answer(f, numbers[i]);
        fx_drain(f, WEFT_MAD_OK);
    }
    lost = fx_stats(f).verdicts[WEFT_MAD_DROP_NO_BUFFER];
    fx_free(f);
    return lost;
}

static void
test_R75_more_requests_than_buffers_lose_answers_and_the_budget_prevents_it(void **state)
{
    (void)state;
    assert_true(answers_lost(false) > 0);
    assert_int_equal(answers_lost(true), 0);
}

/* A port with 64 buffers, 8 of them kept for unsolicited MADs, and an agent that takes traps. */
static struct fx *budgeted(void)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_agent_req r = fx_agent_req(FX_PERF);
    struct fx *f;

    c.recv_depth = 64;
    c.flow.port_budget = true;
    f = fx_new(&c, FX_PERF);
    fx_own_method(&r, WEFT_METHOD_TRAP);
    fx_agent(f, &r);
    return f;
}

static enum weft_mad_verdict trap(struct fx *f)
{
    uint8_t mad[WEFT_MAD_BYTES];

    fx_mad(mad, FX_PERF, WEFT_METHOD_TRAP, 9999);
    return fx_rx(f, mad);
}

static void test_the_budget_holds_over_all_agents(void **state)
{
    struct fx *f = budgeted();
    struct weft_mad_agent_req r = fx_agent_req(WEFT_CLASS_BOARD);
    weft_mad_agent_id perf = f->agent, board = fx_agent(f, &r);

    (void)state;
    for (unsigned n = 0; n < 100; n++) {
        f->agent = n % 2 ? perf : board;
        f->mgmt_class = n % 2 ? FX_PERF : WEFT_CLASS_BOARD;
        fx_ask(f, n);
    }
    assert_int_equal(fx_stats(f).outstanding, 56);
    assert_int_equal(fx_stats(f).queued, 44);
    fx_send_all(f);
    /* the two backlogs take turns */
    for (unsigned n = 0; n < 10; n++) {
        f->agent = n % 2 ? perf : board;
        f->mgmt_class = n % 2 ? FX_PERF : WEFT_CLASS_BOARD;
        assert_int_equal(fx_answer(f, n), WEFT_MAD_ACCEPTED);
        fx_expect_recv(f, n);
        fx_send(f);
        assert_int_equal(fx_packet_number(f), 56 + n);
        fx_expect_done(f, n, WEFT_MAD_OK);
    }
    fx_free(f);
}

static void test_a_flood_of_unsolicited_MADs_cannot_take_the_answers_buffers(void **state)
{
    struct fx *f = budgeted();
    unsigned taken = 0;

    (void)state;
    fx_ask_all(f, 1, 100);
    fx_send_all(f);
    while (trap(f) == WEFT_MAD_ACCEPTED)
        taken++;
    assert_int_equal(taken, 8);
    for (unsigned n = 1; n <= 56; n++)
        assert_int_equal(fx_answer(f, n), WEFT_MAD_ACCEPTED);
    assert_int_equal(fx_stats(f).recv_held, 64);
    assert_int_equal(fx_stats(f).outstanding, 0); /* nothing goes while no buffer is free */
    assert_int_equal(trap(f), WEFT_MAD_DROP_NO_BUFFER);
    assert_int_equal(fx_drain(f, WEFT_MAD_OK), 56);
    assert_int_equal(fx_send_all(f), 44);
    fx_free(f);
}

static void test_unsolicited_MADs_beyond_the_reserve_hold_requests_back(void **state)
{
    struct fx *f = budgeted();
    weft_mad_recv_id held[64];

    (void)state;
    for (int i = 0; i < 64; i++) {
        assert_int_equal(trap(f), WEFT_MAD_ACCEPTED);
        held[i] = fx_expect_unsolicited(f, 9999);
    }
    fx_ask_all(f, 1, 20);
    assert_int_equal(fx_stats(f).outstanding, 0);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(weft_mad_recv_release(f->port, held[i]), 0);
        fx_audit(f);
        assert_int_equal(fx_stats(f).outstanding, i + 1);
    }
    fx_free(f);
}

static void test_a_late_answer_to_a_queued_retry_leaves_the_others_their_buffers(void **state)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_agent_req r = fx_agent_req(FX_PERF);
    struct weft_mad_send_req req;
    weft_mad_send_id ids[5];
    weft_mad_agent_id sa;
    struct fx *f;

    (void)state;
    c.recv_depth = 64;
    c.flow.port_budget = true;
    f = fx_new(&c, FX_SA); /* limit 2 */
    sa = f->agent;
    for (unsigned n = 1; n <= 4; n++) {
        req = fx_request(f, n);
        req.retries = n == 1 ? 1 : 0;
        req.timeout = n == 1 ? FX_TIMEOUT : 100 * FX_TIMEOUT;
        ids[n] = fx_post(f, &req);
    }
    fx_send_all(f);
    fx_own_method(&r, WEFT_METHOD_TRAP);
    f->agent = fx_agent(f, &r);
    f->mgmt_class = FX_PERF;
    for (int i = 0; i < 8; i++)
        trap(f);
    fx_advance(f, FX_TIMEOUT);
    assert_int_equal(fx_state(f, ids[1]), WEFT_MAD_QUEUED); /* behind 4 */
    fx_ask_all(f, 10, 100);
    assert_int_equal(fx_stats(f).recv_depth - fx_stats(f).recv_held, fx_stats(f).outstanding);
    f->agent = sa;
    assert_int_equal(fx_answer(f, 1), WEFT_MAD_DROP_NO_BUFFER);
    assert_int_equal(fx_answer(f, 2), WEFT_MAD_ACCEPTED);
    fx_free(f);
}

static void test_local_answers_leave_the_others_their_buffers(void **state)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_agent_req r = fx_agent_req(WEFT_CLASS_SUBN_DIRECTED);
    struct weft_mad_send_req req;
    weft_mad_recv_id device;
    uint8_t mad[WEFT_MAD_BYTES];
    struct fx *f;

    (void)state;
    c.recv_depth = 64;
    c.flow.port_budget = true;
    c.flow.reserve = 0;
    c.device.bits[WEFT_CLASS_SUBN_DIRECTED / 64] |= UINT64_C(1) << WEFT_CLASS_SUBN_DIRECTED % 64;
    f = fx_new(&c, FX_PERF);
    fx_ask_all(f, 10, 72);
    f->agent = fx_agent(f, &r);
    f->mgmt_class = WEFT_CLASS_SUBN_DIRECTED;
    req = fx_request(f, 1);
    packet_directed(f->mads[1], 0);
    fx_post(f, &req);
    assert_true(fx_event(f));
    device = f->event.u.recv.id;
    req = fx_request(f, 2);
    fx_post(f, &req); /* waits for the buffer that the device holds */
    memcpy(mad, f->mads[1], sizeof(mad));
    assert_int_equal(weft_mad_recv_answer(f->port, f->now, device, mad), 0);
    fx_audit(f);
    fx_free(f);
}

static void test_a_queued_send_can_wait_for_a_bounded_time(void **state)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_send_req r;
    weft_mad_send_id id;
    struct fx *f;

    (void)state;
    c.recv_depth = 64;
    c.queue_timeout = 3 * WEFT_S;
    f = fx_new(&c, FX_SA);
    for (unsigned n = 1; n <= 4; n++) {
        r = fx_request(f, n);
        r.timeout = 100 * WEFT_S;
        r.queue_timeout = n == 4 ? WEFT_S : 0; /* its own, shorter */
        id = fx_post(f, &r);
    }
    fx_send_all(f);
    fx_advance(f, WEFT_S - 1);
    assert_int_equal(fx_state(f, id), WEFT_MAD_QUEUED);
    fx_advance(f, 1);
    fx_expect_done(f, 4, WEFT_MAD_QUEUE_TIMEOUT);
    assert_int_equal(f->event.u.sent.attempts, 0);
    fx_advance(f, 2 * WEFT_S);
    fx_expect_done(f, 3, WEFT_MAD_QUEUE_TIMEOUT);
    assert_int_equal(fx_agent_stats(f).queue_timed_out, 2);
    fx_expect_nothing(f);
    assert_int_equal(weft_mad_deadline(f->port), WEFT_S + 100 * WEFT_S);
    fx_free(f);
}

static void test_a_released_send_has_no_queue_timeout_any_more(void **state)
{
    struct weft_mad_config c = fx_config();
    struct fx *f;

    (void)state;
    c.recv_depth = 64;
    c.queue_timeout = WEFT_S;
    f = fx_new(&c, FX_SA);
    fx_ask_all(f, 1, 3);
    fx_send_all(f);
    fx_answer(f, 1);
    fx_take(f);
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    fx_answer(f, 2);
    fx_drain(f, WEFT_MAD_OK);
    fx_advance(f, 10 * WEFT_S);
    fx_expect_nothing(f);
    fx_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_R50_R51_R52_R53_R54_R55_limits_are_fractions_of_the_receive_queue),
        cmocka_unit_test(test_R48_R62_over_the_limit_a_post_succeeds_and_waits),
        cmocka_unit_test(test_R55_R58_other_classes_post_a_thousand_at_once),
        cmocka_unit_test(test_R58_R59_the_class_of_the_MAD_decides),
        cmocka_unit_test(test_R54_R58_both_SMP_classes_are_limited),
        cmocka_unit_test(test_R56_R60_without_a_timeout_a_send_passes),
        cmocka_unit_test(test_R57_RMPP_sends_are_exempt),
        cmocka_unit_test(test_R61_new_sends_queue_behind_the_backlog_even_when_a_slot_is_free),
        cmocka_unit_test(test_R63_the_backlog_leaves_in_order_and_within_the_limit),
        cmocka_unit_test(test_R64_an_answer_a_failure_and_a_cancel_each_release_one),
        cmocka_unit_test(test_R64_R69_an_early_answer_releases_at_once),
        cmocka_unit_test(test_R64_R65_two_timeouts_in_one_call_release_two),
        cmocka_unit_test(test_R66_failures_of_released_sends_do_not_stop_the_others),
        cmocka_unit_test(test_kernel_defect_2_a_released_send_that_fails_keeps_its_agent_alive),
        cmocka_unit_test(test_R67_release_comes_before_the_finished_sends_report),
        cmocka_unit_test(test_R61_R70_a_retry_queues_behind_those_who_wait),
        cmocka_unit_test(test_a_late_answer_to_a_queued_retry_ends_it),
        cmocka_unit_test(test_a_retry_that_nobody_waits_behind_keeps_its_place),
        cmocka_unit_test(
            test_R75_more_requests_than_buffers_lose_answers_and_the_budget_prevents_it),
        cmocka_unit_test(test_the_budget_holds_over_all_agents),
        cmocka_unit_test(test_a_flood_of_unsolicited_MADs_cannot_take_the_answers_buffers),
        cmocka_unit_test(test_unsolicited_MADs_beyond_the_reserve_hold_requests_back),
        cmocka_unit_test(test_a_late_answer_to_a_queued_retry_leaves_the_others_their_buffers),
        cmocka_unit_test(test_local_answers_leave_the_others_their_buffers),
        cmocka_unit_test(test_a_queued_send_can_wait_for_a_bounded_time),
        cmocka_unit_test(test_a_released_send_has_no_queue_timeout_any_more),
        cmocka_unit_test(test_R61_a_retry_queues_behind_other_agents_at_the_ports_budget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
