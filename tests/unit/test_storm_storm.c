/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/storm/storm.c: arithmetic that a run must agree with, histories, limits, lack of memory. */
#include "storm_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* One client, one query: out, served, back, and read. */
static void test_one_query_takes_way_service_and_way(void **state)
{
    struct storm_scenario s = fixture_scenario("leaf-failure");
    struct storm_result r;

    (void)state;
    s.paths = 1;
    r = fixture_run_named(&s, "fixed", 1);
    assert_int_equal(r.clients.clients_resolved, 1);
    assert_int_equal(r.max, 2 * (s.host_ns + 2 * s.hop_ns) + WEFT_S / s.sa_rate + s.read_ns);
    assert_int_equal(r.mads, 2);
}

/* With an idle fabric around it the SA is the only thing that takes time. */
static void test_a_busy_SA_takes_queries_over_rate(void **state)
{
    struct storm_scenario s = fixture_scenario("mpi-start");
    struct storm_result r;
    weft_time least;

    (void)state;
    s.paths = 20;
    s.sa_queue = 100000;
    s.spread_ns = 0;
    s.timeout_ns = 100 * WEFT_S;
    r = fixture_run_named(&s, "fixed", 50);
    least = WEFT_S / s.sa_rate * 1000;
    assert_true(r.end >= least && r.end < least + 100 * WEFT_US);
    assert_int_equal(r.mads, 2000);
    assert_int_equal(r.queue_peak, 999);
}

static void test_every_packet_is_accounted_for(void **state)
{
    struct storm_scenario s = fixture_scenario("ipoib-boot");

    (void)state;
    s.loss_request = 30000;
    s.loss_response = 20000;
    s.timeout_ns = 50 * WEFT_MS;
    for (const struct storm_policy_name *p = storm_policy_names; p->name; p++) {
        struct storm_result r = fixture_run_named(&s, p->name, 100);

        assert_int_equal(r.clients.clients_resolved + r.clients.clients_failed, 100);
        assert_int_equal(r.clients.queries_resolved + r.clients.queries_failed, 1000);
        assert_int_equal(r.mads, r.clients.requests + r.answers + r.busy);
        assert_true(r.lost > 0);
        assert_true(r.clients.requests >= r.answers + r.busy + r.sa_dropped);
        assert_true(r.duplicates <= r.answers - r.clients.queries_resolved);
        assert_true(r.clients.accepted == r.clients.completed);
    }
}

static void test_the_same_seed_gives_the_same_history(void **state)
{
    static const enum storm_overload modes[] = {STORM_DROP, STORM_BUSY, STORM_STALE};
    struct storm_scenario s = fixture_scenario("ipoib-boot");

    (void)state;
    s.loss_request = 10000;
    for (size_t i = 0; i < 3; i++) {
        s.sa_overload = modes[i];
        for (const struct storm_policy_name *n = storm_policy_names; n->name; n++) {
            struct storm_policy p = fixture_policy(n->name);
            struct storm_result one = fixture_run(&s, &p, 200, 7);
            struct storm_result again = fixture_run(&s, &p, 200, 7);
            struct storm_result other = fixture_run(&s, &p, 200, 8);

            assert_int_equal(one.trace_hash, again.trace_hash);
            assert_int_equal(one.end, again.end);
            assert_int_equal(one.mads, again.mads);
            assert_int_equal(one.events, again.events);
            assert_true(one.trace_hash != other.trace_hash);
        }
    }
}

static void test_the_policies_differ_in_a_storm(void **state)
{
    struct storm_scenario s = fixture_scenario("mpi-start");
    uint64_t hashes[8];
    size_t count = 0;

    (void)state;
    s.sa_overload = STORM_BUSY;
    s.paths = 64;
    s.agents = 1;
    s.recv_depth = 64;
    for (const struct storm_policy_name *p = storm_policy_names; p->name; p++) {
        hashes[count] = fixture_run_named(&s, p->name, 50).trace_hash;
        for (size_t i = 0; i < count; i++)
            assert_true(hashes[i] != hashes[count]);
        count++;
    }
    assert_int_equal(count, 6);
}

static void test_the_duration_cuts_a_run(void **state)
{
    struct storm_scenario s = fixture_scenario("leaf-failure");
    struct storm_result r;

    (void)state;
    s.duration_ns = 2 * WEFT_S;
    r = fixture_run_named(&s, "fixed", 324);
    assert_true(r.cut);
    assert_int_equal(r.end, 2 * WEFT_S);
    assert_true(r.clients.clients_failed > 0);
    assert_int_equal(r.waiting, r.clients.clients_failed);
    assert_int_equal(r.clients.clients_resolved + r.clients.clients_failed, 324);
    assert_int_equal(r.clients.queries_resolved + r.clients.queries_failed, 324 * 16);
}

static void test_nobody_resolved_has_no_percentiles(void **state)
{
    struct storm_scenario s = fixture_scenario("ipoib-boot");
    struct storm_result r;

    (void)state;
    s.loss_request = 1000000;
    s.retries = 1;
    r = fixture_run_named(&s, "fixed", 5);
    assert_int_equal(r.clients.clients_failed, 5);
    assert_int_equal(r.clients.queries_failed, 50);
    assert_true(r.p50 == WEFT_TIME_NEVER && r.max == WEFT_TIME_NEVER);
    assert_int_equal(r.waiting, 0);
    assert_true(r.last_start > 0 && r.last_start <= s.spread_ns);
    assert_int_equal(r.clients.requests, 10); /* the first join, twice; then it gives up */
}

static void test_paths_wait_for_the_joins(void **state)
{
    struct storm_scenario s = fixture_scenario("ipoib-boot");
    weft_time round;
    struct storm_result r;

    (void)state;
    s.joins = 3;
    s.paths = 1;
    r = fixture_run_named(&s, "fixed", 1);
    round = 2 * (s.host_ns + 2 * s.hop_ns) + WEFT_S / s.sa_rate + s.read_ns;
    assert_int_equal(r.max, 4 * round);
}

static void test_width_is_what_is_under_way(void **state)
{
    struct storm_scenario s = fixture_scenario("leaf-failure");
    struct storm_result r;

    (void)state;
    s.width = 3;
    s.paths = 12;
    r = fixture_run_named(&s, "fixed", 1);
    assert_int_equal(r.clients.clients_resolved, 1);
    assert_true(r.queue_peak <= 3);
}

static void test_rogues_count_in_the_memory_a_storm_needs(void **state)
{
    struct storm_policy p = fixture_policy("fixed");
    struct storm_scenario s = fixture_scenario("rogue");
    uint64_t one, many;

    (void)state;
    s.rogue_width = 1000;
    one = storm_bytes(&s, &p, 1);
    s.rogues = 201;
    many = storm_bytes(&s, &p, 1);
    assert_true(one > s.rogue_width * sizeof(struct storm_client_slot));
    assert_true(many - one >= 200 * s.rogue_width * sizeof(struct storm_client_slot));
    assert_true(storm_bytes(&s, &p, 2) > many);
    p.reserve = UINT32_MAX;
    assert_int_equal(storm_bytes(&s, &p, 1), 0);
}

/* Nothing takes time but asking anew: a nanosecond, so the storm still ends. */
static void test_time_goes_on_where_nothing_takes_time(void **state)
{
    struct storm_scenario s = fixture_scenario("ipoib-boot");
    struct storm_result r;

    (void)state;
    s.sa_overload = STORM_BUSY;
    s.sa_rate = 1;
    s.sa_busy_above = 1;
    s.sa_busy_ns = s.hop_ns = s.host_ns = s.spread_ns = s.read_ns = s.send_ns = 0;
    s.duration_ns = 10 * WEFT_US;
    r = fixture_run_named(&s, "naive", 3);
    assert_true(r.cut);
    assert_true(r.clients.reasked > 0 && r.clients.reasked <= 3 * s.duration_ns);
}

static void test_a_late_reask_waits(void **state)
{
    struct storm_scenario s = fixture_scenario("leaf-failure");
    struct storm_policy p = fixture_policy("naive");
    struct storm_result r;

    (void)state;
    s.paths = 1;
    s.sa_queue = 1;
    s.timeout_ns = WEFT_MS;
    p.reask_delay_ns = 10 * WEFT_MS;
    r = fixture_run(&s, &p, 8, 1);
    assert_int_equal(r.clients.clients_resolved, 8);
    assert_true(r.clients.reasked > 0);
    assert_true(r.max >= 11 * WEFT_MS);
}

static void test_a_rogue_is_no_client(void **state)
{
    struct storm_scenario s = fixture_scenario("rogue");
    struct storm_result r;

    (void)state;
    s.rogues = 2;
    r = fixture_run_named(&s, "kernel-flow", 10);
    assert_int_equal(r.clients.clients_resolved, 10);
    assert_int_equal(r.clients.queries_resolved, 50);
    assert_true(r.clients.rogue_requests > 1000);
}

static void test_wrong_configurations_are_refused(void **state)
{
    struct storm_scenario s = fixture_scenario("ipoib-boot");
    struct storm_policy p = fixture_policy("fixed");
    struct storm_client_place place = {2, 2};
    struct storm_config c = {
        .scenario = &s, .policy = &p, .places = &place, .clients = 1, .sa_lid = 1, .seed = 1};
    struct storm *storm = NULL;

    (void)state;
    c.clients = 0;
    assert_int_equal(storm_new(&c, &fixture_heap, &storm), WEFT_ERR_INVALID);
    c.clients = STORM_CLIENTS_MAX + 1;
    assert_int_equal(storm_new(&c, &fixture_heap, &storm), WEFT_ERR_INVALID);
    c.clients = 1;
    s.sa_rate = 0;
    assert_int_equal(storm_new(&c, &fixture_heap, &storm), WEFT_ERR_INVALID);
    s.sa_rate = 1;
    p.jitter_ns = p.base_ns + 1;
    assert_int_equal(storm_new(&c, &fixture_heap, &storm), WEFT_ERR_INVALID);
    assert_null(storm);
}

/* An allocator that fails at its n-th call, and knows what was not given back. */
struct failing {
    unsigned calls, fail_at;
    long held;
};

static void *failing_get(void *ctx, size_t size, size_t align)
{
    struct failing *f = ctx;

    if (f->calls++ == f->fail_at)
        return NULL;
    f->held++;
    return fixture_heap.get(NULL, size, align);
}

static void failing_put(void *ctx, void *p, size_t size)
{
    struct failing *f = ctx;

    f->held--;
    fixture_heap.put(NULL, p, size);
}

static void test_every_allocation_may_fail(void **state)
{
    struct storm_scenario s = fixture_scenario("leaf-failure");
    struct storm_policy p = fixture_policy("fixed");
    struct storm_client_place places[300];
    struct storm_config c = {
        .scenario = &s, .policy = &p, .places = places, .clients = 300, .sa_lid = 1, .seed = 1};
    bool done = false;

    (void)state;
    for (size_t i = 0; i < 300; i++)
        places[i] = (struct storm_client_place){2, 2};
    for (unsigned n = 0; !done; n++) {
        struct failing f = {.fail_at = n};
        const struct weft_alloc alloc = {failing_get, failing_put, &f};
        struct storm *storm = NULL;
        int err = storm_new(&c, &alloc, &storm);

        while (err == 0 && !done)
            err = storm_run(storm, 1000, &done);
        assert_true(err == 0 || err == WEFT_ERR_NOMEM);
        storm_free(storm);
        assert_int_equal(f.held, 0);
        assert_true(n < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_query_takes_way_service_and_way),
        cmocka_unit_test(test_a_busy_SA_takes_queries_over_rate),
        cmocka_unit_test(test_every_packet_is_accounted_for),
        cmocka_unit_test(test_the_same_seed_gives_the_same_history),
        cmocka_unit_test(test_the_policies_differ_in_a_storm),
        cmocka_unit_test(test_the_duration_cuts_a_run),
        cmocka_unit_test(test_nobody_resolved_has_no_percentiles),
        cmocka_unit_test(test_paths_wait_for_the_joins),
        cmocka_unit_test(test_width_is_what_is_under_way),
        cmocka_unit_test(test_rogues_count_in_the_memory_a_storm_needs),
        cmocka_unit_test(test_time_goes_on_where_nothing_takes_time),
        cmocka_unit_test(test_a_late_reask_waits),
        cmocka_unit_test(test_a_rogue_is_no_client),
        cmocka_unit_test(test_wrong_configurations_are_refused),
        cmocka_unit_test(test_every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
