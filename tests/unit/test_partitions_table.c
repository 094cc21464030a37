/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which partition a definition's name and key lead to. */
#include "partitions/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct world {
    struct partitions *t;
    struct partitions_table *table;
};

static int set_up(void **state)
{
    struct world *w = calloc(1, sizeof(*w));

    assert_non_null(w);
    w->t = calloc(1, sizeof(*w->t));
    assert_non_null(w->t);
    w->table = partitions_table_new(w->t, false);
    assert_non_null(w->table);
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    struct world *w = *state;

    assert_null(partitions_table_free(w->table));
    assert_null(partitions_free(w->t));
    free(w);
    return 0;
}

/* The key of the partition that a definition comes to. */
static uint16_t key_of(struct world *w, const char *name, uint16_t key,
                       enum partitions_found wanted)
{
    enum partitions_found found;
    uint32_t index;

    assert_int_equal(partitions_table_define(w->table, name, key, 1, &index, &found), 0);
    assert_int_equal(found, wanted);
    return w->t->items[index].key;
}

static void test_the_default_partition_is_there(void **state)
{
    struct world *w = *state;

    assert_int_equal(w->t->count, 1);
    assert_int_equal(key_of(w, "Default", 0, PARTITIONS_BY_NAME), 0x7fff);
    assert_int_equal(key_of(w, "Other", 0xffff, PARTITIONS_BY_KEY), 0x7fff);
    assert_int_equal(w->t->count, 1);
    assert_int_equal(w->t->member_count, 2);
}

static void test_bit_15_is_no_part_of_the_key(void **state)
{
    struct world *w = *state;

    assert_int_equal(key_of(w, "A", 0x8005, PARTITIONS_MADE), 5);
    assert_int_equal(key_of(w, "B", 5, PARTITIONS_BY_KEY), 5);
    assert_string_equal(w->t->items[1].name, "A");
    assert_int_equal(w->t->items[1].written, 0x8005);
}

static void test_keys_are_chosen_from_1_and_skip_those_taken(void **state)
{
    struct world *w = *state;

    assert_int_equal(key_of(w, "A", 2, PARTITIONS_MADE), 2);
    assert_int_equal(key_of(w, "B", 0, PARTITIONS_MADE), 1);
    assert_int_equal(key_of(w, "C", 0x8000, PARTITIONS_MADE), 3);
    assert_int_equal(key_of(w, "B", 0, PARTITIONS_BY_NAME), 1);
    assert_int_equal(key_of(w, "D", 1, PARTITIONS_BY_KEY), 1);
    assert_true(w->t->items[2].generated);
}

static void test_of_equal_names_opensm_finds_the_lowest_on_the_wire(void **state)
{
    struct world *w = *state;

    key_of(w, "A", 0x2, PARTITIONS_MADE);
    key_of(w, "A", 0x201, PARTITIONS_MADE);
    key_of(w, "A", 0x100, PARTITIONS_MADE);
    assert_int_equal(key_of(w, "A", 0, PARTITIONS_BY_NAME), 0x100);
}

static void test_names_are_cut_and_then_not_found(void **state)
{
    struct world *w = *state;
    static const char name[] = "0123456789abcdef0123456789abcdef";

    assert_int_equal(key_of(w, name + 1, 9, PARTITIONS_MADE), 9);
    assert_int_equal(key_of(w, name + 1, 0, PARTITIONS_BY_NAME), 9);
    assert_int_equal(key_of(w, name, 10, PARTITIONS_MADE), 10);
    assert_int_equal(key_of(w, name, 0, PARTITIONS_MADE), 1);
    assert_string_equal(w->t->items[2].name, "0123456789abcdef0123456789abcde");
}

static void test_without_a_name_the_key_is_the_name(void **state)
{
    struct world *w = *state;

    key_of(w, "", 0x3a, PARTITIONS_MADE);
    assert_string_equal(w->t->items[1].name, "003a");
    assert_int_equal(key_of(w, "", 0, PARTITIONS_MADE), 1);
    assert_int_equal(key_of(w, "", 0, PARTITIONS_MADE), 2);
    assert_int_equal(key_of(w, "003a", 0, PARTITIONS_BY_NAME), 0x3a);
}

static void test_keys_run_out(void **state)
{
    struct world *w = *state;
    enum partitions_found found = PARTITIONS_MADE;
    uint32_t index = 77;

    for (int i = 1; i < 0x7fff; i++)
        assert_int_equal(key_of(w, "", 0, PARTITIONS_MADE), i);
    assert_int_equal(partitions_table_define(w->table, "", 0, 1, &index, &found), WEFT_ERR_FULL);
    assert_int_equal(index, 77);
    assert_int_equal(w->t->count, 0x7fff);
}

static void test_members_keep_their_order_in_each_partition(void **state)
{
    struct world *w = *state;
    struct partitions_member m = {.who = PARTITIONS_GUID, .membership = PARTITIONS_FULL};
    uint32_t at;

    key_of(w, "A", 1, PARTITIONS_MADE);
    key_of(w, "B", 2, PARTITIONS_MADE);
    for (m.guid = 1; m.guid <= 100; m.guid++)
        assert_int_equal(partitions_member_add(w->t, 1 + (m.guid & 1), &m), 0);
    at = w->t->items[1].first;
    for (uint64_t guid = 2; guid <= 100; guid += 2, at = w->t->members[at].next)
        assert_int_equal(w->t->members[at].guid, guid);
    assert_int_equal(at, PARTITIONS_NONE);
}

static void test_members_and_groups_are_bounded(void **state)
{
    struct world *w = *state;
    struct partitions_member m = {.who = PARTITIONS_SELF};
    struct partitions_group g = {.line = 1};

    while (w->t->member_count < PARTITIONS_MEMBERS_MAX)
        assert_int_equal(partitions_member_add(w->t, 0, &m), 0);
    assert_int_equal(partitions_member_add(w->t, 0, &m), WEFT_ERR_FULL);
    while (w->t->group_count < PARTITIONS_MEMBERS_MAX)
        assert_int_equal(partitions_group_add(w->t, &g), 0);
    assert_int_equal(partitions_group_add(w->t, &g), WEFT_ERR_FULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_default_partition_is_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bit_15_is_no_part_of_the_key, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_keys_are_chosen_from_1_and_skip_those_taken, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_of_equal_names_opensm_finds_the_lowest_on_the_wire,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_names_are_cut_and_then_not_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_without_a_name_the_key_is_the_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_keys_run_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_members_keep_their_order_in_each_partition, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_members_and_groups_are_bounded, set_up, tear_down),
    };

    return cmocka_run_group_tests_name("partitions_table", tests, NULL, NULL);
}
