/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is claimed of flow control, backoff and BUSY, shown in storms small enough to reason about.
 */
#include "storm_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A node whose 16 processes all ask at once while its processor has better things to do than to
 * read MADs: answers come every 20 us, reading takes 2 ms, and there are 64 receive buffers. */
static struct storm_scenario slow_reader(void)
{
    struct storm_scenario s = fixture_scenario("mpi-start");

    s.paths = 512;
    s.agents = 16;
    s.recv_depth = 64;
    s.read_ns = 2 * WEFT_MS;
    s.sa_rate = 50000;
    s.sa_queue = 4096;
    s.timeout_ns = 100 * WEFT_MS;
    return s;
}

static void test_R1_R75_a_port_budget_loses_no_answer_for_want_of_a_buffer(void **state)
{
    struct storm_scenario s = slow_reader();
    struct storm_result free_for_all = fixture_run_named(&s, "fixed", 2);
    struct storm_result budget = fixture_run_named(&s, "port-flow", 2);

    (void)state;
    assert_true(free_for_all.clients.recv_dropped > 0);
    assert_int_equal(budget.clients.recv_dropped, 0);
    assert_int_equal(budget.clients.clients_resolved, 2);
}

/* Each of the 16 agents keeps to its own limit of 2; together, and with the buffers not read yet,
 * they need more than the port has. */
static void test_R1_limits_per_agent_do_not_add_up_to_a_limit_of_the_port(void **state)
{
    struct storm_scenario s = slow_reader();
    struct storm_result r = fixture_run_named(&s, "kernel-flow", 2);

    (void)state;
    assert_true(r.clients.recv_dropped > 0);
}

/* Few retries: without flow control they are used up before an answer finds a free buffer. */
static void test_R2_flow_control_makes_fewer_retries_and_timeouts(void **state)
{
    struct storm_scenario s = slow_reader();
    struct storm_result free_for_all, budget;

    (void)state;
    s.retries = 2;
    free_for_all = fixture_run_named(&s, "fixed", 2);
    budget = fixture_run_named(&s, "port-flow", 2);
    assert_true(fixture_retries(&free_for_all) > 500);
    assert_true(free_for_all.clients.timeouts > 500);
    assert_int_equal(fixture_retries(&budget), 0);
    assert_int_equal(budget.clients.timeouts, 0);
}

/* One retry each: most of the flood is lost at the SA twice. */
static void test_R76_flooding_a_full_SA_makes_more_retries_and_timeouts(void **state)
{
    struct storm_scenario s = fixture_scenario("mpi-start");
    struct storm_result flood, window;

    (void)state;
    s.paths = 64;
    s.retries = 1;
    flood = fixture_run_named(&s, "fixed", 100);
    window = fixture_run_named(&s, "adaptive", 100);
    assert_true(fixture_retries(&flood) > 3 * fixture_retries(&window));
    assert_true(flood.clients.timeouts > 1000);
    assert_int_equal(window.clients.timeouts, 0);
    assert_int_equal(window.clients.clients_resolved, 100);
}

/* All ask in one instant; what is answered BUSY comes back in one instant, timeout after timeout.
 */
static void test_R78_fixed_waits_bring_the_crowd_back_together(void **state)
{
    struct storm_scenario s = fixture_scenario("leaf-failure");
    struct storm_result fixed, backoff;

    (void)state;
    s.sa_overload = STORM_BUSY;
    fixed = fixture_run_named(&s, "fixed", 324);
    backoff = fixture_run_named(&s, "backoff", 324);
    assert_true(fixed.end > 4 * backoff.end);
    assert_true(fixture_retries(&fixed) > 2 * fixture_retries(&backoff));
}

static void test_R80_clients_that_get_BUSY_ask_again_at_once(void **state)
{
    struct storm_scenario s = fixture_scenario("leaf-failure");
    struct storm_result naive, fixed;

    (void)state;
    s.sa_overload = STORM_BUSY;
    s.sa_queue = 8192;
    naive = fixture_run_named(&s, "naive", 324);
    fixed = fixture_run_named(&s, "fixed", 324);
    assert_int_equal(naive.clients.reasked, naive.busy);
    assert_true(naive.busy > 3 * fixed.busy);
    assert_true(naive.end < s.timeout_ns);
    assert_int_equal(fixed.clients.reasked, 0);
}

static void test_R81_a_booting_fabric_floods_the_SA_with_fifteen_retries(void **state)
{
    struct storm_scenario s = fixture_scenario("ipoib-boot");
    struct storm_result r;

    (void)state;
    assert_int_equal(s.retries, 15);
    r = fixture_run_named(&s, "fixed", 3000);
    assert_true(fixture_retries(&r) > r.clients.asked);
    assert_true(r.clients.requests <= 16 * r.clients.asked);
    assert_true(r.sa_dropped > 0);
}

/* The client of those days: fifteen retries for what is not answered, and asked anew at once for
 * what is refused. An SA that says BUSY to it gets several times the requests. */
static void test_R81_fifteen_retries_and_asking_anew_on_BUSY_feed_the_storm(void **state)
{
    struct storm_scenario s = fixture_scenario("ipoib-boot");
    struct storm_policy naive = fixture_policy("naive");
    struct storm_result r, patient;

    (void)state;
    naive.retries = 15;
    s.sa_overload = STORM_BUSY;
    r = fixture_run(&s, &naive, 3000, 1);
    patient = fixture_run_named(&s, "fixed", 3000);
    assert_true(r.busy > 0 && r.sa_dropped > 0);
    assert_int_equal(r.clients.reasked, r.busy);
    assert_true(r.clients.requests > r.clients.asked + r.clients.reasked);
    assert_true(r.clients.requests > 3 * patient.clients.requests);
    assert_int_equal(patient.sa_dropped, 0);
}

/* One BUSY, then an idle SA: the answer comes a timeout later, not earlier. */
static void test_R82_a_BUSY_answer_does_not_bring_the_retry_forward(void **state)
{
    struct storm_scenario s = fixture_scenario("leaf-failure");
    struct storm_result r;

    (void)state;
    s.paths = 2;
    s.sa_overload = STORM_BUSY;
    s.sa_busy_above = 1;
    s.sa_rate = 1000;
    s.send_ns = 0;
    s.sa_take_ns = 0;
    r = fixture_run_named(&s, "fixed", 2);
    assert_true(r.busy > 0);
    assert_int_equal(r.clients.reasked, 0);
    assert_true(r.end >= s.timeout_ns);
    assert_true(r.end < s.timeout_ns + 10 * WEFT_MS);
}

static void test_R83_the_usual_timeout_of_four_seconds_is_a_number_of_the_scenario(void **state)
{
    struct storm_scenario s = fixture_scenario("ipoib-boot");
    struct storm_policy p = fixture_policy("fixed");
    struct storm_result four, two, one;

    (void)state;
    assert_int_equal(s.timeout_ns, 4 * WEFT_S);
    s.spread_ns = 0;
    s.retries = 255;
    four = fixture_run(&s, &p, 1000, 1);
    s.timeout_ns = 2 * WEFT_S;
    two = fixture_run(&s, &p, 1000, 1);
    p.timeout_ns = WEFT_S;
    one = fixture_run(&s, &p, 1000, 1);
    assert_true(four.max > 4 * WEFT_S);
    assert_true(two.end < four.end && one.end < two.end);
}

/* A rogue may send each of its queries once a timeout, and one more for each answer. */
static void test_R84_BUSY_taken_as_no_reply_bounds_the_rate_of_a_rogue(void **state)
{
    struct storm_scenario s = fixture_scenario("rogue");
    uint64_t bound;
    struct storm_result naive, fixed;

    (void)state;
    s.sa_overload = STORM_BUSY;
    s.sa_queue = 4096;
    s.spread_ns = WEFT_S;
    s.duration_ns = WEFT_S;
    naive = fixture_run_named(&s, "naive", 50);
    fixed = fixture_run_named(&s, "fixed", 50);
    bound = fixed.answers + s.rogue_width * (fixed.end / s.rogue_timeout_ns + 1);
    assert_true(fixed.clients.rogue_requests <= bound);
    bound = naive.answers + s.rogue_width * (naive.end / s.rogue_timeout_ns + 1);
    assert_true(naive.clients.rogue_requests > 5 * bound);
}

static void test_R84_flow_control_keeps_the_fabric_alive_beside_a_rogue(void **state)
{
    struct storm_scenario s = fixture_scenario("rogue");
    struct storm_result free_for_all, limits;

    (void)state;
    s.spread_ns = WEFT_S;
    s.duration_ns = 2 * WEFT_S;
    free_for_all = fixture_run_named(&s, "fixed", 50);
    limits = fixture_run_named(&s, "kernel-flow", 50);
    assert_true(free_for_all.clients.clients_failed > 25);
    assert_int_equal(limits.clients.clients_resolved, 50);
    assert_true(limits.max < 10 * WEFT_MS);
}

static void test_R94_the_policies_at_several_sizes(void **state)
{
    static const uint32_t sizes[] = {100, 500, 2000};
    struct storm_scenario s = fixture_scenario("ipoib-boot");

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        weft_time least = WEFT_S / s.sa_rate * storm_scenario_queries(&s) * sizes[i];
        struct storm_result fixed = fixture_run_named(&s, "fixed", sizes[i]);
        struct storm_result backoff = fixture_run_named(&s, "backoff", sizes[i]);
        struct storm_result adaptive = fixture_run_named(&s, "adaptive", sizes[i]);

        assert_int_equal(backoff.clients.clients_resolved, sizes[i]);
        assert_int_equal(adaptive.clients.clients_resolved, sizes[i]);
        assert_true(backoff.end >= least && adaptive.end >= least);
        assert_true(backoff.end <= fixed.end);
        assert_true(adaptive.clients.requests <= backoff.clients.requests);
        assert_true(backoff.clients.requests <= fixed.clients.requests);
    }
}

/* A bound of time is used up by the waits that backoff makes longer: fewer packets are sent than
 * the caller asked for, and more clients give up. */
static void test_R96_R97_a_bound_of_time_takes_retries_away(void **state)
{
    struct storm_scenario s = fixture_scenario("leaf-failure");
    struct storm_policy by_number = fixture_policy("backoff");
    struct storm_policy by_time = by_number;
    struct storm_result number, time;

    (void)state;
    s.timeout_ns = WEFT_S;
    s.retries = 4;
    s.sa_rate = 500;
    s.sa_queue = 64;
    by_time.bound = WEFT_MAD_BOUND_TIME;
    assert_int_equal(by_number.bound, WEFT_MAD_BOUND_RETRIES);
    number = fixture_run(&s, &by_number, 200, 1);
    time = fixture_run(&s, &by_time, 200, 1);
    assert_true(fixture_retries(&time) < fixture_retries(&number));
    assert_true(time.clients.queries_failed > number.clients.queries_failed);
}

static void test_stale_answers_feed_on_themselves_when_transactions_are_new(void **state)
{
    struct storm_scenario s = fixture_scenario("leaf-failure");
    struct storm_result naive, fixed;

    (void)state;
    s.sa_overload = STORM_STALE;
    s.sa_rate = 500;
    s.sa_queue = 8192;
    s.timeout_ns = WEFT_S;
    s.duration_ns = 60 * WEFT_S;
    fixed = fixture_run_named(&s, "fixed", 200);
    naive = fixture_run_named(&s, "naive", 200);
    assert_int_equal(fixed.clients.clients_resolved, 200);
    /* The SA goes on with the retries in its queue when nobody waits for anything any more. */
    assert_true(fixed.stale > 1000);
    assert_int_equal(fixed.stale, fixed.duplicates);
    assert_true(fixed.quiet > fixed.end + WEFT_S);
    assert_true(naive.cut);
    assert_true(naive.clients.clients_failed > 150);
    assert_true(naive.stale > 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_R1_R75_a_port_budget_loses_no_answer_for_want_of_a_buffer),
        cmocka_unit_test(test_R1_limits_per_agent_do_not_add_up_to_a_limit_of_the_port),
        cmocka_unit_test(test_R2_flow_control_makes_fewer_retries_and_timeouts),
        cmocka_unit_test(test_R76_flooding_a_full_SA_makes_more_retries_and_timeouts),
        cmocka_unit_test(test_R78_fixed_waits_bring_the_crowd_back_together),
        cmocka_unit_test(test_R80_clients_that_get_BUSY_ask_again_at_once),
        cmocka_unit_test(test_R81_a_booting_fabric_floods_the_SA_with_fifteen_retries),
        cmocka_unit_test(test_R81_fifteen_retries_and_asking_anew_on_BUSY_feed_the_storm),
        cmocka_unit_test(test_R82_a_BUSY_answer_does_not_bring_the_retry_forward),
        cmocka_unit_test(test_R83_the_usual_timeout_of_four_seconds_is_a_number_of_the_scenario),
        cmocka_unit_test(test_R84_BUSY_taken_as_no_reply_bounds_the_rate_of_a_rogue),
        cmocka_unit_test(test_R84_flow_control_keeps_the_fabric_alive_beside_a_rogue),
        cmocka_unit_test(test_R94_the_policies_at_several_sizes),
        cmocka_unit_test(test_R96_R97_a_bound_of_time_takes_retries_away),
        cmocka_unit_test(test_stale_answers_feed_on_themselves_when_transactions_are_new),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
