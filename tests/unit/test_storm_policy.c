/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/storm/policy.c: what the named policies are, and what the engine is told about them. */
#include "storm_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct weft_mad_config config_of(const char *name)
{
    struct storm_scenario s = fixture_scenario("ipoib-boot");
    struct storm_policy p = fixture_policy(name);
    struct weft_mad_config c;

    assert_int_equal(storm_policy_config(&p, &s, &c), 0);
    return c;
}

static void test_what_the_named_policies_are(void **state)
{
    static const struct {
        const char *name;
        enum weft_mad_retry_kind kind;
        enum weft_mad_busy busy;
        bool agent_limits, port_budget, adaptive, reask;
    } cases[] = {
        {"naive", WEFT_MAD_RETRY_FIXED, WEFT_MAD_BUSY_DELIVER, false, false, false, true},
        {"fixed", WEFT_MAD_RETRY_FIXED, WEFT_MAD_BUSY_NO_REPLY, false, false, false, false},
        {"backoff", WEFT_MAD_RETRY_BACKOFF, WEFT_MAD_BUSY_NO_REPLY, false, false, false, false},
        {"kernel-flow", WEFT_MAD_RETRY_FIXED, WEFT_MAD_BUSY_NO_REPLY, true, false, false, false},
        {"port-flow", WEFT_MAD_RETRY_FIXED, WEFT_MAD_BUSY_NO_REPLY, false, true, false, false},
        {"adaptive", WEFT_MAD_RETRY_BACKOFF, WEFT_MAD_BUSY_NO_REPLY, false, true, true, false},
    };
    size_t count = 0;

    (void)state;
    while (storm_policy_names[count].name)
        count++;
    assert_int_equal(count, sizeof(cases) / sizeof(cases[0]));
    for (size_t i = 0; i < count; i++) {
        struct weft_mad_config c = config_of(cases[i].name);

        assert_string_equal(storm_policy_names[i].name, cases[i].name);
        assert_int_equal(c.retry.kind, cases[i].kind);
        assert_int_equal(c.retry.bound, WEFT_MAD_BOUND_RETRIES);
        assert_int_equal(c.retry.busy, cases[i].busy);
        assert_int_equal(c.flow.agent_limits, cases[i].agent_limits);
        assert_int_equal(c.flow.port_budget, cases[i].port_budget);
        assert_int_equal(c.flow.adaptive, cases[i].adaptive);
        assert_int_equal(fixture_policy(cases[i].name).reask, cases[i].reask);
    }
}

/* Without keys a policy's waits are the engine's own defaults. */
static void test_R89_the_defaults_are_the_engines(void **state)
{
    struct weft_mad_config c = config_of("backoff");
    struct weft_mad_retry r;

    (void)state;
    weft_mad_retry_init(&r);
    assert_int_equal(c.retry.base_ns, r.base_ns);
    assert_int_equal(c.retry.jitter_ns, r.jitter_ns);
    assert_int_equal(c.retry.cap_ns, r.cap_ns);
    assert_int_equal(c.retry.total_ns, 0);
    assert_int_equal(c.flow.reserve, 512 / 8);
    assert_int_equal(c.queue_timeout, WEFT_TIME_NEVER);
}

static void test_every_field_reaches_the_engine(void **state)
{
    struct storm_scenario s = fixture_scenario("mpi-start");
    struct storm_policy p = fixture_policy("adaptive");
    struct weft_mad_config c;

    (void)state;
    s.recv_depth = 128;
    p.bound = WEFT_MAD_BOUND_TIME;
    p.base_ns = 5;
    p.jitter_ns = 4;
    p.cap_ns = 6;
    p.total_ns = 7;
    p.reserve = 9;
    p.window_initial = 2;
    p.window_max = 3;
    p.queue_timeout_ns = 8;
    assert_int_equal(storm_policy_config(&p, &s, &c), 0);
    assert_int_equal(c.retry.bound, WEFT_MAD_BOUND_TIME);
    assert_int_equal(c.retry.base_ns, 5);
    assert_int_equal(c.retry.jitter_ns, 4);
    assert_int_equal(c.retry.cap_ns, 6);
    assert_int_equal(c.retry.total_ns, 7);
    assert_int_equal(c.flow.reserve, 9);
    assert_int_equal(c.flow.window_initial, 2);
    assert_int_equal(c.flow.window_max, 3);
    assert_int_equal(c.queue_timeout, 8);
    assert_int_equal(c.recv_depth, 128);
    assert_int_equal(c.agents, 8);
}

static void test_numbers_that_contradict_each_other_are_refused(void **state)
{
    struct storm_scenario s = fixture_scenario("ipoib-boot");
    const struct storm_policy good = fixture_policy("adaptive");
    struct storm_policy bad[] = {good, good, good, good};
    struct weft_mad_config c;

    (void)state;
    bad[0].jitter_ns = bad[0].base_ns + 1;
    bad[1].base_ns = bad[1].cap_ns + 1;
    bad[2].reserve = s.recv_depth;
    bad[3].window_initial = bad[3].window_max + 1;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(storm_policy_config(&bad[i], &s, &c), WEFT_ERR_INVALID);
}

static void test_an_unknown_policy_is_not_found(void **state)
{
    struct storm_policy p = {.retries = 77};

    (void)state;
    assert_int_equal(storm_policy_named("polite", &p), WEFT_ERR_NOTFOUND);
    assert_int_equal(storm_policy_named("", &p), WEFT_ERR_NOTFOUND);
    assert_int_equal(p.retries, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_the_named_policies_are),
        cmocka_unit_test(test_R89_the_defaults_are_the_engines),
        cmocka_unit_test(test_every_field_reaches_the_engine),
        cmocka_unit_test(test_numbers_that_contradict_each_other_are_refused),
        cmocka_unit_test(test_an_unknown_policy_is_not_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
