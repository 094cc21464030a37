/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Retry policy: the ranges of the waits, what bounds them, whose policy counts, and BUSY. */
#include "core/mad/retry.h"
#include "core/mad/send.h"
#include "mad_fixture.h"

#include <string.h>

#define DRAWS 4000

static struct weft_mad_retry backoff(void)
{
    struct weft_mad_retry r;

    weft_mad_retry_init(&r);
    r.kind = WEFT_MAD_RETRY_BACKOFF;
    return r;
}

/* The wait that the policy draws after retry k of a send that is not posted. */
static weft_time draw(struct fx *f, struct send *s, uint32_t k)
{
    s->attempts = (uint16_t)k;
    s->retries_left = 255;
    assert_true(retry_next(f->port, s));
    return s->plain.wait;
}

/* Both ends of low..high are approached and never left, in DRAWS draws after retry k. */
static void expect_range(const struct weft_mad_retry *policy, uint32_t k, weft_time low,
                         weft_time high)
{
    struct weft_mad_config c = fx_config();
    weft_time least = WEFT_TIME_NEVER, most = 0, margin = (high - low) / 100;
    struct send *s;
    struct fx *f;

    c.retry = *policy;
    f = fx_new(&c, FX_SA);
    s = send_lookup(f->port, fx_ask(f, 1));
    for (int i = 0; i < DRAWS; i++) {
        weft_time wait = draw(f, s, k);

        assert_true(wait >= low && wait <= high);
        least = wait < least ? wait : least;
        most = wait > most ? wait : most;
    }
    assert_true(least <= low + margin && most >= high - margin);
    fx_free(f);
}

static void test_R87_R88_R89_the_documented_ranges(void **state)
{
    static const weft_time ranges_ms[][2] = {{0, 511},       {511, 1022},   {1533, 2044},
                                             {3577, 4088},   {7665, 8176},  {15841, 16352},
                                             {32193, 32704}, {64897, 65408}};
    const struct weft_mad_retry r = backoff();

    (void)state;
    for (uint32_t k = 1; k <= 8; k++)
        expect_range(&r, k, FX_TIMEOUT + ranges_ms[k - 1][0] * WEFT_MS,
                     FX_TIMEOUT + ranges_ms[k - 1][1] * WEFT_MS);
}

static void test_R104_many_retries_stay_at_the_cap(void **state)
{
    static const uint32_t retries[] = {9, 23, 24, 32, 33, 40, 63, 64, 65, 66, 128, 255, 65535};
    const struct weft_mad_retry r = backoff();

    (void)state;
    for (size_t i = 0; i < sizeof(retries) / sizeof(retries[0]); i++)
        expect_range(&r, retries[i], FX_TIMEOUT + 64897 * WEFT_MS, FX_TIMEOUT + 65408 * WEFT_MS);
}

static void test_R104_a_small_base_doubles_up_to_its_cap_without_a_jump(void **state)
{
    struct weft_mad_retry r = backoff();

    (void)state;
    r.base_ns = 1;
    r.jitter_ns = 0;
    r.cap_ns = 3600 * WEFT_S;
    for (uint32_t k = 1; k <= 80; k++) {
        weft_time step = k <= 42 ? UINT64_C(1) << (k - 1) : r.cap_ns;

        expect_range(&r, k, FX_TIMEOUT + step, FX_TIMEOUT + step);
    }
    r.base_ns = 3600 * WEFT_S;
    for (uint32_t k = 1; k <= 80; k++)
        expect_range(&r, k, FX_TIMEOUT + r.cap_ns, FX_TIMEOUT + r.cap_ns);
    r.base_ns = 0;
    for (uint32_t k = 1; k <= 80; k++)
        expect_range(&r, k, FX_TIMEOUT, FX_TIMEOUT);
}

static void test_R89_base_jitter_and_cap_are_settings(void **state)
{
    struct weft_mad_retry r = backoff();

    (void)state;
    r.base_ns = 10 * WEFT_MS;
    r.jitter_ns = 4 * WEFT_MS;
    r.cap_ns = 25 * WEFT_MS;
    expect_range(&r, 1, FX_TIMEOUT + 6 * WEFT_MS, FX_TIMEOUT + 10 * WEFT_MS);
    expect_range(&r, 2, FX_TIMEOUT + 16 * WEFT_MS, FX_TIMEOUT + 20 * WEFT_MS);
    expect_range(&r, 3, FX_TIMEOUT + 21 * WEFT_MS, FX_TIMEOUT + 25 * WEFT_MS);
}

static void test_R87_the_first_wait_is_the_timeout_itself(void **state)
{
    struct weft_mad_config c = fx_config();
    struct fx *f;

    (void)state;
    c.retry.kind = WEFT_MAD_RETRY_BACKOFF;
    f = fx_new(&c, FX_SA);
    fx_ask(f, 1);
    fx_send(f);
    assert_int_equal(weft_mad_deadline(f->port), f->now + FX_TIMEOUT);
    fx_free(f);
}

static void test_a_timeout_that_never_comes_does_not_wrap_with_backoff(void **state)
{
    struct weft_mad_config c = fx_config();
    struct fx *f;
    struct send *s;

    (void)state;
    c.retry.kind = WEFT_MAD_RETRY_BACKOFF;
    f = fx_new(&c, FX_SA);
    s = send_lookup(f->port, fx_ask(f, 1));
    s->timeout = WEFT_TIME_NEVER - 5;
    assert_true(draw(f, s, 3) == WEFT_TIME_NEVER);
    fx_free(f);
}

/* Sends request 1 until it ends; the packets sent and the time all waits took. */
static unsigned packets_until_timeout(struct fx *f, const struct weft_mad_send_req *r,
                                      weft_time *ret_took)
{
    weft_time begin = f->now;
    unsigned packets = 0;

    fx_post(f, r);
    while (fx_send_any(f)) {
        packets++;
        assert_true(weft_mad_deadline(f->port) != WEFT_TIME_NEVER);
        fx_advance(f, weft_mad_deadline(f->port) - f->now);
    }
    fx_expect_done(f, 1, WEFT_MAD_TIMEOUT);
    assert_int_equal(f->event.u.sent.attempts, packets);
    *ret_took = f->now - begin;
    return packets;
}

/* The same for a policy of the port. */
static unsigned packets_with(const struct weft_mad_retry *policy, uint8_t retries,
                             weft_time *ret_took)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_send_req r;
    unsigned packets;
    struct fx *f;

    c.retry = *policy;
    f = fx_new(&c, FX_SA);
    r = fx_request(f, 1);
    r.retries = retries;
    packets = packets_until_timeout(f, &r, ret_took);
    fx_free(f);
    return packets;
}

static void test_R92_R97_R98_the_default_bound_is_the_number_of_retries(void **state)
{
    static const uint8_t retries[] = {0, 1, 3, 15, 255};
    struct weft_mad_retry fixed, random = backoff();
    weft_time took;

    (void)state;
    weft_mad_retry_init(&fixed);
    fixed.total_ns = 1; /* not looked at */
    random.total_ns = 1;
    for (size_t i = 0; i < sizeof(retries) / sizeof(retries[0]); i++) {
        assert_int_equal(packets_with(&fixed, retries[i], &took), retries[i] + 1);
        assert_int_equal(took, (retries[i] + UINT64_C(1)) * FX_TIMEOUT);
        assert_int_equal(packets_with(&random, retries[i], &took), retries[i] + 1);
    }
}

static void test_R90_R91_R92_R98_a_total_time_bounds_the_waits_after_retries(void **state)
{
    struct weft_mad_retry r;
    weft_time took;

    (void)state;
    weft_mad_retry_init(&r);
    r.bound = WEFT_MAD_BOUND_TIME;
    /* timeout * retries: with fixed waits as many packets as before */
    assert_int_equal(packets_with(&r, 3, &took), 4);
    assert_int_equal(took, 4 * FX_TIMEOUT);
    /* an explicit total: the last wait is cut to what is left */
    r.total_ns = 2 * FX_TIMEOUT + FX_TIMEOUT / 4;
    assert_int_equal(packets_with(&r, 0, &took), 4);
    assert_int_equal(took, FX_TIMEOUT + r.total_ns);
    r.total_ns = 2 * FX_TIMEOUT;
    assert_int_equal(packets_with(&r, 255, &took), 3);
    assert_int_equal(took, FX_TIMEOUT + r.total_ns);
    r.total_ns = 1;
    assert_int_equal(packets_with(&r, 9, &took), 2);
    assert_int_equal(took, FX_TIMEOUT + 1);
}

static void test_R90_R96_backoff_uses_up_the_time_with_fewer_packets(void **state)
{
    struct weft_mad_retry r = backoff();
    weft_time took;

    (void)state;
    r.bound = WEFT_MAD_BOUND_TIME;
    assert_true(packets_with(&r, 15, &took) < 16);
    assert_int_equal(took, FX_TIMEOUT + 15 * FX_TIMEOUT);
}

static void test_R105_a_budget_of_no_retries_or_of_a_changed_timeout(void **state)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_send_req r;
    weft_mad_send_id id;
    weft_time took;
    struct fx *f;

    (void)state;
    c.retry.bound = WEFT_MAD_BOUND_TIME;
    assert_int_equal(packets_with(&c.retry, 0, &took), 1);
    /* an explicit budget needs no retries, and does not count below none */
    c.retry.total_ns = 3 * FX_TIMEOUT;
    f = fx_new(&c, FX_SA);
    id = fx_ask(f, 1);
    for (int packets = 0; packets < 4; packets++) {
        assert_int_equal(send_lookup(f->port, id)->retries_left, 0);
        fx_send(f);
        fx_advance(f, FX_TIMEOUT);
    }
    fx_expect_done(f, 1, WEFT_MAD_TIMEOUT);
    fx_free(f);
    c.retry.total_ns = 0;
    /* the budget is made at post: a shorter timeout makes more packets of it */
    f = fx_new(&c, FX_SA);
    r = fx_request(f, 1);
    r.retries = 2;
    id = fx_post(f, &r);
    assert_int_equal(weft_mad_set_timeout(f->port, f->now, id, FX_TIMEOUT / 2), 0);
    for (int packets = 0; packets < 5; packets++) {
        fx_send(f);
        fx_advance(f, FX_TIMEOUT / 2);
    }
    fx_expect_done(f, 1, WEFT_MAD_TIMEOUT);
    fx_expect_idle(f);
    /* and it does not overflow */
    r = fx_request(f, 1);
    r.retries = 255;
    r.timeout = WEFT_TIME_NEVER / 2;
    id = fx_post(f, &r);
    assert_true(send_lookup(f->port, id)->plain.budget == WEFT_TIME_NEVER);
    fx_free(f);
}

/* Whether the send's next wait after its first timeout is longer than its timeout. */
static bool backs_off(const struct weft_mad_retry *port, bool forced,
                      const struct weft_mad_retry *agent, const struct weft_mad_retry *send)
{
    struct weft_mad_agent_req a = fx_agent_req(FX_SA);
    struct fx *f = fx_new(NULL, 0);
    struct weft_mad_send_req r;
    bool longer;

    assert_int_equal(weft_mad_port_set_retry(f->port, port, forced), 0);
    a.retry = agent;
    f->agent = fx_agent(f, &a);
    f->mgmt_class = FX_SA;
    r = fx_request(f, 1);
    r.retry = send;
    r.retries = 1;
    fx_post(f, &r);
    fx_send(f);
    fx_advance(f, FX_TIMEOUT);
    fx_send(f);
    longer = weft_mad_deadline(f->port) > f->now + FX_TIMEOUT;
    fx_free(f);
    return longer;
}

static void test_R86_the_narrowest_policy_counts_unless_the_ports_is_forced(void **state)
{
    struct weft_mad_retry fixed, random = backoff();
    const struct weft_mad_retry *policies[3];

    (void)state;
    weft_mad_retry_init(&fixed);
    random.jitter_ns = 0;
    policies[0] = NULL;
    policies[1] = &fixed;
    policies[2] = &random;
    for (int forced = 0; forced < 2; forced++) {
        for (int port = 1; port < 3; port++) {
            for (int agent = 0; agent < 3; agent++) {
                for (int send = 0; send < 3; send++) {
                    int counts = send ? send : agent ? agent : port;

                    if (forced)
                        counts = port;
                    assert_int_equal(
                        backs_off(policies[port], forced, policies[agent], policies[send]),
                        counts == 2);
                }
            }
        }
    }
}

static void test_a_changed_port_policy_counts_from_the_next_wait_on(void **state)
{
    struct weft_mad_retry random = backoff(), bad = backoff();
    struct fx *f = fx_new(NULL, FX_SA);
    struct weft_mad_send_req r = fx_request(f, 1);

    (void)state;
    random.jitter_ns = 0;
    r.retries = 2;
    fx_post(f, &r);
    fx_send(f);
    bad.cap_ns = 0;
    assert_int_equal(weft_mad_port_set_retry(f->port, &bad, true), WEFT_ERR_INVALID);
    assert_int_equal(weft_mad_port_set_retry(f->port, &random, false), 0);
    assert_int_equal(weft_mad_deadline(f->port), f->now + FX_TIMEOUT);
    fx_advance(f, FX_TIMEOUT);
    fx_send(f);
    assert_int_equal(weft_mad_deadline(f->port), f->now + FX_TIMEOUT + 511 * WEFT_MS);
    weft_mad_retry_init(&random); /* and fixed again */
    assert_int_equal(weft_mad_port_set_retry(f->port, &random, false), 0);
    fx_advance(f, FX_TIMEOUT + 511 * WEFT_MS);
    fx_send(f);
    assert_int_equal(weft_mad_deadline(f->port), f->now + FX_TIMEOUT);
    fx_free(f);
}

static void test_the_policy_of_an_agent_is_copied(void **state)
{
    struct weft_mad_retry random = backoff();
    struct weft_mad_agent_req a = fx_agent_req(FX_SA);
    struct fx *f = fx_new(NULL, 0);
    struct weft_mad_send_req r;

    (void)state;
    random.jitter_ns = 0;
    a.retry = &random;
    f->agent = fx_agent(f, &a);
    f->mgmt_class = FX_SA;
    memset(&random, 0xff, sizeof(random));
    r = fx_request(f, 1);
    r.retries = 1;
    fx_post(f, &r);
    fx_send(f);
    fx_advance(f, FX_TIMEOUT);
    fx_send(f);
    assert_int_equal(weft_mad_deadline(f->port), f->now + FX_TIMEOUT + 511 * WEFT_MS);
    fx_free(f);
}

static void test_R100_classes_outside_the_set_keep_the_plain_policy(void **state)
{
    static const struct {
        uint8_t mgmt_class;
        bool in;
    } rows[] = {{FX_SA, true},
                {FX_PERF, true},
                {0x30, true},
                {WEFT_CLASS_SUBN_LID, false},
                {WEFT_CLASS_SUBN_DIRECTED, false}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct weft_mad_config c = fx_config();
        struct weft_mad_send_req r;
        weft_time longer;
        struct fx *f;

        c.retry = backoff();
        c.retry.jitter_ns = 0;
        c.retry.bound = WEFT_MAD_BOUND_TIME;
        c.retry.total_ns = 100 * WEFT_S;
        f = fx_new(&c, rows[i].mgmt_class);
        r = fx_request(f, 1);
        r.retries = 1;
        fx_post(f, &r);
        fx_send(f);
        fx_advance(f, FX_TIMEOUT);
        fx_send(f);
        longer = weft_mad_deadline(f->port) - f->now - FX_TIMEOUT;
        assert_int_equal(longer, rows[i].in ? 511 * WEFT_MS : 0);
        fx_free(f);
    }
}

static void test_R82_BUSY_counts_as_no_reply(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    struct weft_mad_send_req r = fx_request(f, 1);
    weft_mad_send_id id;

    (void)state;
    r.retries = 1;
    id = fx_post(f, &r);
    fx_send(f);
    fx_advance(f, FX_TIMEOUT / 2);
    assert_int_equal(fx_answer_busy(f, 1), WEFT_MAD_BUSY_HELD);
    fx_expect_nothing(f); /* no answer, no early retry */
    assert_int_equal(fx_state(f, id), WEFT_MAD_WAIT_RESP);
    assert_int_equal(fx_agent_stats(f).outstanding, 1); /* nor is its place free */
    assert_int_equal(fx_agent_stats(f).busy, 1);
    fx_advance(f, FX_TIMEOUT / 2);
    fx_send(f);
    assert_int_equal(mad_tid(f->packet), fx_tid(f, 1));
    fx_answer_busy(f, 1);
    fx_answer_busy(f, 1);
    fx_advance(f, FX_TIMEOUT);
    fx_expect_done(f, 1, WEFT_MAD_TIMEOUT);
    assert_true(f->event.u.sent.busy);
    assert_int_equal(fx_agent_stats(f).busy, 3);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_R82_BUSY_in_every_state_that_it_finds(void **state)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_send_req r;
    weft_mad_send_id ids[5];
    struct fx *f;

    (void)state;
    c.recv_depth = 64;
    f = fx_new(&c, FX_SA);
    for (unsigned n = 1; n <= 4; n++) {
        r = fx_request(f, n);
        r.retries = 1;
        r.timeout = n == 1 ? FX_TIMEOUT : 10 * FX_TIMEOUT;
        ids[n] = fx_post(f, &r);
    }
    fx_send(f);
    fx_send(f);
    fx_advance(f, FX_TIMEOUT); /* 1 queues behind 4, 3 is due */
    assert_int_equal(fx_state(f, ids[1]), WEFT_MAD_QUEUED);
    assert_int_equal(fx_state(f, ids[3]), WEFT_MAD_SEND_START);
    for (unsigned n = 1; n <= 3; n++)
        assert_int_equal(fx_answer_busy(f, n), WEFT_MAD_BUSY_HELD);
    assert_int_equal(fx_state(f, ids[1]), WEFT_MAD_QUEUED);
    assert_int_equal(fx_state(f, ids[2]), WEFT_MAD_WAIT_RESP);
    assert_int_equal(fx_state(f, ids[3]), WEFT_MAD_SEND_START);
    /* once answered or canceled it is found no more */
    fx_answer(f, 3);
    fx_cancel(f, ids[2]);
    for (unsigned n = 2; n <= 3; n++)
        assert_int_equal(fx_answer_busy(f, n), WEFT_MAD_DROP_UNMATCHED);
    fx_free(f);
}

static void test_an_answer_after_BUSY_completes_the_send(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);

    (void)state;
    fx_ask(f, 1);
    fx_send(f);
    fx_answer_busy(f, 1);
    assert_int_equal(fx_answer(f, 1), WEFT_MAD_ACCEPTED);
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    assert_false(f->event.u.sent.busy); /* the last one seen did not say it */
    fx_free(f);
}

static void test_R101_BUSY_in_other_classes(void **state)
{
    static const struct {
        uint8_t mgmt_class;
        bool held;
    } rows[] = {{FX_SA, true}, {FX_PERF, true}, {0x30, true}, {WEFT_CLASS_SUBN_LID, false}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fx *f = fx_new(NULL, rows[i].mgmt_class);

        fx_ask(f, 1);
        fx_send(f);
        if (rows[i].held) {
            assert_int_equal(fx_answer_busy(f, 1), WEFT_MAD_BUSY_HELD);
            assert_false(fx_event(f));
        } else {
            assert_int_equal(fx_answer_busy(f, 1), WEFT_MAD_ACCEPTED);
            fx_expect_recv(f, 1);
            fx_expect_done(f, 1, WEFT_MAD_OK);
            assert_true(f->event.u.sent.busy);
        }
        fx_free(f);
    }
}

static void test_BUSY_can_be_delivered_instead(void **state)
{
    struct weft_mad_config c = fx_config();
    struct fx *f;

    (void)state;
    c.retry.busy = WEFT_MAD_BUSY_DELIVER;
    f = fx_new(&c, FX_SA);
    fx_ask(f, 1);
    fx_send(f);
    assert_int_equal(fx_answer_busy(f, 1), WEFT_MAD_ACCEPTED);
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    assert_true(f->event.u.sent.busy);
    assert_int_equal(fx_agent_stats(f).busy, 0);
    fx_free(f);
}

static void test_R103_only_the_BUSY_bit_is_BUSY(void **state)
{
    static const uint16_t others[] = {0x0002, 0x0004, 0x0008, 0x000c, 0x001c, 0x0100, 0x7f00};

    (void)state;
    assert_int_equal(WEFT_STATUS_BUSY, 0x1);
    assert_int_equal(WEFT_STATUS_REDIRECT, 0x2);
    assert_int_equal(WEFT_STATUS_BAD_VERSION, 0x4);
    assert_int_equal(WEFT_STATUS_BAD_METHOD, 0x8);
    assert_int_equal(WEFT_STATUS_BAD_METHOD_ATTRIBUTE, 0xc);
    assert_int_equal(WEFT_STATUS_BAD_VALUE, 0x1c);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        struct fx *f = fx_new(NULL, FX_SA);
        uint8_t mad[WEFT_MAD_BYTES];

        fx_ask(f, 1);
        fx_send(f);
        fx_answer_mad(f, 1, others[i], mad);
        assert_int_equal(fx_rx(f, mad), WEFT_MAD_ACCEPTED);
        fx_expect_recv(f, 1);
        fx_expect_done(f, 1, WEFT_MAD_OK);
        fx_free(f);
    }
}

/* Keeps the RETRY events of a trace. */
struct retries {
    unsigned count;
    struct weft_trace_event last;
};

static void note_retry(void *ctx, const struct weft_trace_event *ev)
{
    struct retries *r = ctx;

    if (ev->type != WEFT_TRACE_RETRY)
        return;
    r->count++;
    r->last = *ev;
}

static void test_R93_every_retry_is_traced_with_its_numbers(void **state)
{
    struct weft_mad_config c = fx_config();
    struct retries seen = {0};
    struct weft_mad_send_req r;
    weft_mad_send_id id;
    struct fx *f;

    (void)state;
    c.trace = note_retry;
    c.trace_ctx = &seen;
    c.retry.bound = WEFT_MAD_BOUND_TIME;
    f = fx_new(&c, FX_SA);
    r = fx_request(f, 1);
    r.retries = 3;
    id = fx_post(f, &r);
    for (uint16_t k = 1; k <= 3; k++) {
        fx_send(f);
        fx_advance(f, FX_TIMEOUT);
        assert_int_equal(seen.count, k);
        assert_int_equal(seen.last.send.v, id.v);
        assert_int_equal(seen.last.agent.v, f->agent.v);
        assert_int_equal(seen.last.tid, fx_tid(f, 1));
        assert_int_equal(seen.last.time, f->now);
        assert_int_equal(seen.last.u.retry.attempt, k);
        assert_int_equal(seen.last.u.retry.left, 3 - k);
        assert_int_equal(seen.last.u.retry.wait, FX_TIMEOUT);
        assert_int_equal(seen.last.u.retry.budget, (3 - k) * FX_TIMEOUT);
    }
    fx_send(f);
    fx_advance(f, FX_TIMEOUT);
    assert_int_equal(seen.count, 3);
    fx_free(f);
}

static void test_R95_waits_of_RMPP_segments_are_not_randomized(void **state)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_send_req r;
    struct fx *f;

    (void)state;
    c.retry = backoff();
    f = fx_new_rmpp(&c, FX_SA);
    r = fx_request(f, 1);
    rmpp_set_flags(f->mads[1], WEFT_RMPP_FLAG_ACTIVE);
    r.retries = 4;
    fx_post(f, &r);
    for (int i = 0; i < 5; i++) {
        fx_send(f);
        assert_int_equal(weft_mad_deadline(f->port), f->now + FX_TIMEOUT);
        fx_advance(f, FX_TIMEOUT);
    }
    fx_expect_done(f, 1, WEFT_MAD_TIMEOUT);
    fx_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_R87_R88_R89_the_documented_ranges),
        cmocka_unit_test(test_R104_many_retries_stay_at_the_cap),
        cmocka_unit_test(test_R104_a_small_base_doubles_up_to_its_cap_without_a_jump),
        cmocka_unit_test(test_R89_base_jitter_and_cap_are_settings),
        cmocka_unit_test(test_R87_the_first_wait_is_the_timeout_itself),
        cmocka_unit_test(test_a_timeout_that_never_comes_does_not_wrap_with_backoff),
        cmocka_unit_test(test_R92_R97_R98_the_default_bound_is_the_number_of_retries),
        cmocka_unit_test(test_R90_R91_R92_R98_a_total_time_bounds_the_waits_after_retries),
        cmocka_unit_test(test_R90_R96_backoff_uses_up_the_time_with_fewer_packets),
        cmocka_unit_test(test_R105_a_budget_of_no_retries_or_of_a_changed_timeout),
        cmocka_unit_test(test_R86_the_narrowest_policy_counts_unless_the_ports_is_forced),
        cmocka_unit_test(test_a_changed_port_policy_counts_from_the_next_wait_on),
        cmocka_unit_test(test_the_policy_of_an_agent_is_copied),
        cmocka_unit_test(test_R100_classes_outside_the_set_keep_the_plain_policy),
        cmocka_unit_test(test_R82_BUSY_counts_as_no_reply),
        cmocka_unit_test(test_R82_BUSY_in_every_state_that_it_finds),
        cmocka_unit_test(test_an_answer_after_BUSY_completes_the_send),
        cmocka_unit_test(test_R101_BUSY_in_other_classes),
        cmocka_unit_test(test_BUSY_can_be_delivered_instead),
        cmocka_unit_test(test_R103_only_the_BUSY_bit_is_BUSY),
        cmocka_unit_test(test_R93_every_retry_is_traced_with_its_numbers),
        cmocka_unit_test(test_R95_waits_of_RMPP_segments_are_not_randomized),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
