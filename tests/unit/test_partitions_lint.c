/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Contradictions between definitions and members, and what is none. */
#include "partitions_sample.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_what_is_no_problem(void **state)
{
    static const struct sample_row rows[] = {
        {"Default=0x7fff,ipoib:ALL=full;", ""},
        {"Default=0x7fff:ALL,SELF=full;", ""},
        {"Default=0xffff:ALL=limited,ALL_SWITCHES=full,SELF=full;", ""},
        {"Default=0x7fff:ALL,0x12=full;", ""},
        {"A=1:ALL,SELF=full;", ""},
        {"A=1:0x1=full;A=1:0x2;A=1:0x3=limited;", ""},
        {"A:0x1=full;A:0x2;", ""},
        {"A=1:0x1=full,0x1=full,1=full;", ""},
        {"A=1:ALL_ROUTERS=full,ALL;", "1 membership, 1 limited-only"},
    };

    (void)state;
    sample_expect_problems(rows, COUNT(rows));
}

static void test_keys_that_meet(void **state)
{
    static const struct sample_row rows[] = {
        {"A=1:ALL=full;\nB=0x8001:SELF=full;", "2 key-bit-15"},
        {"A=0x8001:ALL=full;\nA=1:SELF=full;", "2 key-bit-15"},
        {"A=1:ALL=full;\nB=1:SELF=full;", "2 key-repeated"},
        {"A:ALL=full;\nB=1:SELF=full;", "2 key-repeated"},
        {"A=0x7fff:SELF=full;", "1 key-repeated"},
        {"Default=0x7fff:SELF=full;\nDefault=0xffff:0x5;", "2 key-bit-15"},
        {"Default=5:ALL=full;", "1 name"},
    };

    (void)state;
    sample_expect_problems(rows, COUNT(rows));
}

static void test_members_with_two_memberships(void **state)
{
    static const struct sample_row rows[] = {
        {"A=1:0x1=full,\n0x1=limited,0x2=full;", "2 membership"},
        {"A=1:0x10=full;\nA=1:16,0x2=full;", "2 membership"},
        {"A=1:SELF=full;\nA=1:ALL=limited;", "1 limited-only, 2 membership"},
        {"A=1:ALL=full,\nALL=limited,SELF=full;", "2 membership"},
        {"A=1:0x1=limited,0x2=full,\nALL=full,ALL=full;", "2 membership"},
        {"A=1:SELF=full,\nALL_CAS=limited;", "2 membership"},
        {"A=1:SELF=full,\nALL_SWITCHES=limited;", ""},
    };

    (void)state;
    sample_expect_problems(rows, COUNT(rows));
}

static void test_who_cannot_talk(void **state)
{
    static const struct sample_row rows[] = {
        {"A=1:ALL;", "1 limited-only"},
        {"A=1:0x1,0x2;A=1:0x3;", "1 limited-only"},
        {"A=1:ALL_CAS,ALL_SWITCHES=full;", ""},
        {"A=1:;", "1 empty"},
        {"A=1:NONE,,;", "1 empty"},
        {"Default=0x7fff:ALL;", "1 default-without-sm"},
        {"Default=0x7fff:SELF;", "1 default-without-sm"},
        {"Default=0x7fff:ALL_CAS=limited;", "1 default-without-sm"},
        {"Default=0x7fff:ALL_SWITCHES=full;", ""},
    };

    (void)state;
    sample_expect_problems(rows, COUNT(rows));
}

static void test_after_a_mistake_nobody_is_missed(void **state)
{
    static const struct sample_row rows[] = {
        {"A=1:0x1,x,0x2=full;", "1 syntax"},
        {"A=1:0x1,0x1=full,x;", "1 syntax, 1 membership"},
    };

    (void)state;
    sample_expect_problems(rows, COUNT(rows));
}

static void test_the_last_word_counts(void **state)
{
    static const struct sample_row rows[] = {
        {"A=1:0x1=full,0x1;", "A 0x1: 0x1=limited"},
        {"A=1:SELF=full,0x1,ALL,0x2=full;", "A 0x1: ALL=limited 0x2=full"},
        {"A=1:ALL,SELF=full;A=1:ALL=full;", "A 0x1: ALL=full"},
        {"Default=0x7fff:SELF,0x5=full;", "Default 0x7fff: ALL=limited SELF=limited 0x5=full"},
    };

    (void)state;
    sample_expect_partitions(rows, COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_no_problem),
        cmocka_unit_test(test_keys_that_meet),
        cmocka_unit_test(test_members_with_two_memberships),
        cmocka_unit_test(test_who_cannot_talk),
        cmocka_unit_test(test_after_a_mistake_nobody_is_missed),
        cmocka_unit_test(test_the_last_word_counts),
    };

    return cmocka_run_group_tests_name("partitions_lint", tests, NULL, NULL);
}
