/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/storm/field.h: members by name, and the two tables that name them. */
#include "storm_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct trial {
    uint64_t first, second;
};

static const char *const colours[] = {"red", "green", NULL};

static const struct storm_field fields[] = {
    {"second", STORM_COUNT, offsetof(struct trial, second), 0, 9, NULL, "the second"},
    {"first", STORM_WORD, offsetof(struct trial, first), 0, 1, colours, "the first"},
    {NULL, STORM_COUNT, 0, 0, 0, NULL, NULL},
};

static void test_a_field_is_found_by_its_whole_key(void **state)
{
    (void)state;
    assert_ptr_equal(storm_field_find(fields, "second"), &fields[0]);
    assert_ptr_equal(storm_field_find(fields, "first"), &fields[1]);
    assert_null(storm_field_find(fields, "firs"));
    assert_null(storm_field_find(fields, "first "));
    assert_null(storm_field_find(fields, ""));
    assert_null(storm_field_find(&fields[2], "first"));
}

static void test_a_field_reads_and_writes_its_member_alone(void **state)
{
    struct trial t = {.first = 1, .second = 2};

    (void)state;
    assert_int_equal(storm_field_get(&t, &fields[0]), 2);
    assert_int_equal(storm_field_get(&t, &fields[1]), 1);
    storm_field_set(&t, &fields[0], STORM_INHERIT);
    assert_true(t.second == STORM_INHERIT && t.first == 1);
    assert_true(storm_field_get(&t, &fields[0]) == STORM_INHERIT);
}

static void assert_table_is_sound(const struct storm_field *table, size_t size)
{
    for (const struct storm_field *f = table; f->key; f++) {
        assert_true(f->min <= f->max);
        assert_true(f->offset % 8 == 0 && f->offset + 8 <= size);
        assert_non_null(f->help);
        assert_true((f->unit == STORM_WORD) == (f->words != NULL));
        for (const struct storm_field *g = table; g != f; g++) {
            assert_string_not_equal(f->key, g->key);
            assert_true(f->offset != g->offset);
        }
    }
}

/* As many fields as members: nothing can be set that is not shown. */
static void test_every_number_has_a_field(void **state)
{
    size_t count = 0;

    (void)state;
    assert_table_is_sound(storm_scenario_fields, sizeof(struct storm_scenario));
    assert_table_is_sound(storm_policy_fields, sizeof(struct storm_policy));
    while (storm_scenario_fields[count].key)
        count++;
    assert_int_equal(count * 8, sizeof(struct storm_scenario));
    for (count = 0; storm_policy_fields[count].key;)
        count++;
    assert_int_equal(count * 8, sizeof(struct storm_policy));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_field_is_found_by_its_whole_key),
        cmocka_unit_test(test_a_field_reads_and_writes_its_member_alone),
        cmocka_unit_test(test_every_number_has_a_field),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
