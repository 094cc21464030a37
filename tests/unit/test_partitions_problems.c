/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lists of problems: sorted, bounded, safe to print. */
#include "partitions/problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_texts_are_safe_to_print(void **state)
{
    struct partitions_problems list = {0};

    (void)state;
    assert_int_equal(
        partitions_problem_add(&list, 3, PARTITIONS_IGNORED, "it says \"%s\"", "\x1b[2J\xff"), 0);
    assert_string_equal(list.items[0].text, "it says \"\\x1b[2J\\xff\"");
    partitions_problems_free(&list);
    assert_int_equal(list.count, 0);
}

static void test_lines_are_sorted_and_keep_their_order(void **state)
{
    struct partitions_problems list = {0};
    static const uint32_t lines[] = {5, 1, 5, 0, 3};
    static const char *const wanted[] = {"3", "1", "4", "0", "2"};

    (void)state;
    for (size_t i = 0; i < COUNT(lines); i++)
        partitions_problem_add(&list, lines[i], PARTITIONS_EMPTY, "%zu", i);
    partitions_problems_sort(&list);
    for (size_t i = 0; i < COUNT(wanted); i++)
        assert_string_equal(list.items[i].text, wanted[i]);
    partitions_problems_free(&list);
}

static void test_too_many_are_counted(void **state)
{
    struct partitions_problems list = {0};

    (void)state;
    for (size_t i = 0; i < PARTITIONS_PROBLEMS_MAX + 3; i++)
        assert_int_equal(partitions_problem_add(&list, 1, PARTITIONS_EMPTY, "x"), 0);
    assert_int_equal(list.count, PARTITIONS_PROBLEMS_MAX);
    assert_int_equal(list.dropped, 3);
    partitions_problems_free(&list);
}

static void test_every_kind_has_a_word_of_its_own(void **state)
{
    (void)state;
    for (int i = 0; i < PARTITIONS_KINDS; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(partitions_kind_name((enum partitions_kind)i),
                                    partitions_kind_name((enum partitions_kind)j));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts_are_safe_to_print),
        cmocka_unit_test(test_lines_are_sorted_and_keep_their_order),
        cmocka_unit_test(test_too_many_are_counted),
        cmocka_unit_test(test_every_kind_has_a_word_of_its_own),
    };

    return cmocka_run_group_tests_name("partitions_problems", tests, NULL, NULL);
}
