/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/cli/storm_params.c: what people write, and what they are told. */
#include "cli/storm_params.h"
#include "storm/scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static void test_numbers_of_every_unit(void **state)
{
    struct storm_scenario s;
    char why[STORM_WHY_BYTES];
    static const char *const good[] = {"paths=7", "timeout=1.5s", "loss-request=2.5%",
                                       "sa-overload=stale", "spread=0"};

    (void)state;
    storm_scenario_preset("ipoib-boot", &s);
    for (size_t i = 0; i < LENGTH(good); i++)
        assert_true(storm_params_assign(storm_scenario_fields, &s, good[i], why));
    assert_int_equal(s.paths, 7);
    assert_int_equal(s.timeout_ns, 1500 * WEFT_MS);
    assert_int_equal(s.loss_request, 25000);
    assert_int_equal(s.sa_overload, STORM_STALE);
    assert_int_equal(s.spread_ns, 0);
}

static void test_what_is_wrong_is_named(void **state)
{
    static const struct {
        const char *text;
        const char *message; /* begins with this */
    } bad[] = {
        {"paths", "not of the form key=value"},
        {"=3", "not of the form key=value"},
        {"path=3", "there is no key \"path\"; did you mean paths? The keys are: joins paths"},
        {"qqqqqqqq=3", "there is no key \"qqqqqqqq\"; the keys are: joins"},
        {"paths=-1", "wants a whole number from 0 to 65535"},
        {"paths=65536", "wants a whole number from 0 to 65535"},
        {"paths=", "wants a whole number"},
        {"timeout=4", "wants a duration from 1.000 us to 3600.0 s, such as 4s"},
        {"timeout=0", "wants a duration"},
        {"loss-request=1.5", "wants a share from 0 to 1"},
        {"sa-overload=panic", "wants one of: drop busy stale"},
        {"sa-overload=", "wants one of: drop busy stale"},
    };
    struct storm_scenario s, before;
    char why[STORM_WHY_BYTES];

    (void)state;
    storm_scenario_preset("ipoib-boot", &s);
    before = s;
    for (size_t i = 0; i < LENGTH(bad); i++) {
        assert_false(storm_params_assign(storm_scenario_fields, &s, bad[i].text, why));
        assert_true(strncmp(why, bad[i].message, strlen(bad[i].message)) == 0);
        assert_memory_equal(&s, &before, sizeof(s));
    }
}

static void test_policies_with_and_without_keys(void **state)
{
    struct storm_policy p;
    char why[STORM_WHY_BYTES];

    (void)state;
    assert_true(storm_params_policy("adaptive", &p, why));
    assert_int_equal(p.adaptive, 1);
    assert_true(storm_params_policy("fixed,kind=backoff,base=100ms,jitter=50ms,agent-limits=yes,"
                                    "retries=3,timeout=1s,reask=yes,bound=time,busy=deliver",
                                    &p, why));
    assert_int_equal(p.kind, WEFT_MAD_RETRY_BACKOFF);
    assert_int_equal(p.base_ns, 100 * WEFT_MS);
    assert_int_equal(p.jitter_ns, 50 * WEFT_MS);
    assert_int_equal(p.agent_limits, 1);
    assert_int_equal(p.retries, 3);
    assert_int_equal(p.timeout_ns, WEFT_S);
    assert_int_equal(p.reask, 1);
    assert_int_equal(p.bound, WEFT_MAD_BOUND_TIME);
    assert_int_equal(p.busy, WEFT_MAD_BUSY_DELIVER);
}

static void test_wrong_policies_are_explained(void **state)
{
    static const struct {
        const char *text;
        const char *message;
    } bad[] = {
        {"", "there is no policy \"\"; the policies are: naive fixed backoff"},
        {"fixd", "there is no policy \"fixd\"; did you mean fixed? The policies are: naive"},
        {"fixed,", "\"\": not of the form key=value"},
        {"fixed,bse=1s",
         "\"bse=1s\": there is no key \"bse\"; did you mean base? The keys are: kind"},
        {"backoff,jitter=1s,base=500ms", "jitter may not be above base"},
        {"backoff,base=2s,cap=1s", "base may not be above cap"},
        {"adaptive,window=9,window-max=8", "window may not be above window-max"},
        {"fixed,agent-limits=maybe", "\"agent-limits=maybe\": wants one of: no yes"},
    };
    struct storm_policy p;
    char why[STORM_WHY_BYTES];

    (void)state;
    for (size_t i = 0; i < LENGTH(bad); i++) {
        assert_false(storm_params_policy(bad[i].text, &p, why));
        assert_true(strncmp(why, bad[i].message, strlen(bad[i].message)) == 0);
    }
}

/* What is shown can be set again and gives the same number. */
static void test_shown_values_can_be_set(void **state)
{
    char value[STORM_VALUE_BYTES];
    char why[STORM_WHY_BYTES];
    static const uint64_t numbers[] = {0, 1, 999, 1000, 1500000, 4000000000, 1000000};

    (void)state;
    for (const struct storm_field *f = storm_scenario_fields; f->key; f++) {
        for (size_t i = 0; i < LENGTH(numbers); i++) {
            struct storm_scenario s = {0};
            struct storm_scenario again = {0};

            if (numbers[i] < f->min || numbers[i] > f->max)
                continue;
            storm_field_set(&s, f, numbers[i]);
            storm_params_show(f, &s, value);
            assert_true(storm_params_set(storm_scenario_fields, &again, f->key, value, why));
            assert_int_equal(storm_field_get(&again, f), numbers[i]);
        }
    }
}

static void test_what_is_left_to_another_place_shows_as_default(void **state)
{
    struct storm_policy p;
    char value[STORM_VALUE_BYTES];

    (void)state;
    storm_policy_named("fixed", &p);
    storm_params_show(storm_field_find(storm_policy_fields, "timeout"), &p, value);
    assert_string_equal(value, "default");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_of_every_unit),
        cmocka_unit_test(test_what_is_wrong_is_named),
        cmocka_unit_test(test_policies_with_and_without_keys),
        cmocka_unit_test(test_wrong_policies_are_explained),
        cmocka_unit_test(test_shown_values_can_be_set),
        cmocka_unit_test(test_what_is_left_to_another_place_shows_as_default),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
