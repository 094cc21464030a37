/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words and numbers are taken as OpenSM takes them: any beginning of a word, numbers of C. */
#include "partitions/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_any_beginning_of_a_port_s_word_will_do(void **state)
{
    static const struct {
        const char *word;
        enum partitions_port port;
        enum partitions_who who;
    } rows[] = {
        {"", PARTITIONS_PORT_NOBODY, PARTITIONS_WHO},
        {"N", PARTITIONS_PORT_NOBODY, PARTITIONS_WHO},
        {"NONE", PARTITIONS_PORT_NOBODY, PARTITIONS_WHO},
        {"A", PARTITIONS_PORT_WHO, PARTITIONS_ALL},
        {"ALL", PARTITIONS_PORT_WHO, PARTITIONS_ALL},
        {"ALL_", PARTITIONS_PORT_WHO, PARTITIONS_ALL_CAS},
        {"ALL_CAS", PARTITIONS_PORT_WHO, PARTITIONS_ALL_CAS},
        {"ALL_S", PARTITIONS_PORT_WHO, PARTITIONS_ALL_SWITCHES},
        {"ALL_ROUTERS", PARTITIONS_PORT_WHO, PARTITIONS_ALL_ROUTERS},
        {"S", PARTITIONS_PORT_WHO, PARTITIONS_SELF},
        {"ALL_VCAS", PARTITIONS_PORT_NUMBER, PARTITIONS_WHO},
        {"all", PARTITIONS_PORT_NUMBER, PARTITIONS_WHO},
        {"0x1", PARTITIONS_PORT_NUMBER, PARTITIONS_WHO},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        enum partitions_who who = PARTITIONS_WHO;
        const char *known;

        print_message("# \"%s\"\n", rows[i].word);
        assert_int_equal(partitions_word_port(rows[i].word, &who, &known), rows[i].port);
        assert_int_equal(who, rows[i].who);
    }
}

static void test_a_word_for_a_port_is_told_whole(void **state)
{
    enum partitions_who who;
    const char *known;

    (void)state;
    partitions_word_port("ALL_R", &who, &known);
    assert_string_equal(known, partitions_who_name(PARTITIONS_ALL_ROUTERS));
    partitions_word_port("NO", &who, &known);
    assert_string_equal(known, "NONE");
    partitions_word_port("7", &who, &known);
    assert_null(known);
}

static void test_memberships(void **state)
{
    enum partitions_membership got = PARTITIONS_LIMITED;

    (void)state;
    assert_true(partitions_word_membership("f", &got));
    assert_int_equal(got, PARTITIONS_FULL);
    assert_true(partitions_word_membership("limi", &got));
    assert_int_equal(got, PARTITIONS_LIMITED);
    assert_true(partitions_word_membership("both", &got));
    assert_int_equal(got, PARTITIONS_BOTH_FORMS);
    assert_true(partitions_word_membership("", &got));
    assert_int_equal(got, PARTITIONS_FULL);
    assert_false(partitions_word_membership("fully", &got));
    assert_false(partitions_word_membership("Full", &got));
    assert_int_equal(got, PARTITIONS_FULL);
}

static void test_numbers(void **state)
{
    struct partitions_number n;

    (void)state;
    n = partitions_number_read("0x10 rest");
    assert_int_equal(n.value, 16);
    assert_string_equal(n.rest, " rest");
    assert_false(n.none || n.negative || n.overflow || n.octal);
    n = partitions_number_read("010");
    assert_true(n.octal);
    assert_int_equal(n.value, 8);
    n = partitions_number_read("-2");
    assert_true(n.negative);
    assert_true(n.value == UINT64_MAX - 1);
    n = partitions_number_read("99999999999999999999");
    assert_true(n.overflow);
    assert_true(n.value == UINT64_MAX);
    assert_true(partitions_number_read("x").none);
    assert_true(partitions_number_read("").none);
    assert_false(partitions_number_read("0").octal);
    assert_string_equal(partitions_number_read("0x").rest, "x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_beginning_of_a_port_s_word_will_do),
        cmocka_unit_test(test_a_word_for_a_port_is_told_whole),
        cmocka_unit_test(test_memberships),
        cmocka_unit_test(test_numbers),
    };

    return cmocka_run_group_tests_name("partitions_words", tests, NULL, NULL);
}
