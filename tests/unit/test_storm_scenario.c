/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/storm/scenario.c: the presets, and the ranges of their numbers. */
#include "storm_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_what_the_presets_play(void **state)
{
    const struct storm_scenario boot = fixture_scenario("ipoib-boot");
    const struct storm_scenario mpi = fixture_scenario("mpi-start");
    const struct storm_scenario rogue = fixture_scenario("rogue");
    const struct storm_scenario failure = fixture_scenario("leaf-failure");

    (void)state;
    assert_string_equal(storm_presets[0].name, "ipoib-boot");
    assert_int_equal(storm_scenario_queries(&boot), 10);
    assert_true(boot.joins > 0 && boot.retries == 15 && boot.rogues == 0);
    assert_true(mpi.joins == 0 && mpi.paths > 100 && mpi.agents > 1);
    assert_true(rogue.rogues == 1);
    /* all in one moment */
    assert_true(failure.joins == 0 && failure.spread_ns == 0);
}

static void test_an_unknown_preset_is_not_found(void **state)
{
    struct storm_scenario s = {.paths = 77};

    (void)state;
    assert_int_equal(storm_scenario_preset("sunday", &s), WEFT_ERR_NOTFOUND);
    assert_int_equal(storm_scenario_preset("", &s), WEFT_ERR_NOTFOUND);
    assert_int_equal(s.paths, 77);
}

static void test_the_presets_pass_their_own_check(void **state)
{
    const char *why;

    (void)state;
    for (const struct storm_preset *p = storm_presets; p->name; p++) {
        struct storm_scenario s = fixture_scenario(p->name);

        assert_int_equal(storm_scenario_check(&s, &why), 0);
    }
}

static void test_each_bound_of_a_scenario_is_checked(void **state)
{
    const char *why;

    (void)state;
    for (const struct storm_field *f = storm_scenario_fields; f->key; f++) {
        struct storm_scenario s = fixture_scenario("ipoib-boot");

        storm_field_set(&s, f, f->max + 1);
        why = "";
        assert_int_equal(storm_scenario_check(&s, &why), WEFT_ERR_INVALID);
        assert_string_equal(why, f->key);
        if (f->min == 0)
            continue;
        storm_field_set(&s, f, f->min - 1);
        assert_int_equal(storm_scenario_check(&s, &why), WEFT_ERR_INVALID);
    }
}

static void test_a_scenario_without_questions_is_refused(void **state)
{
    struct storm_scenario s = fixture_scenario("leaf-failure");
    const char *why = "";

    (void)state;
    s.paths = 0;
    assert_int_equal(storm_scenario_check(&s, &why), WEFT_ERR_INVALID);
    assert_string_equal(why, "joins and paths are both 0: the clients ask for nothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_the_presets_play),
        cmocka_unit_test(test_an_unknown_preset_is_not_found),
        cmocka_unit_test(test_the_presets_pass_their_own_check),
        cmocka_unit_test(test_each_bound_of_a_scenario_is_checked),
        cmocka_unit_test(test_a_scenario_without_questions_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
