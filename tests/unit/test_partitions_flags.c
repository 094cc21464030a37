/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Flags of definitions: which OpenSM knows, what they may be, what it takes them for. */
#include "partitions_sample.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_flags_that_are_right(void **state)
{
    static const struct sample_row rows[] = {
        {"A=1,ipoib,mtu=5,rate=6,sl=15,scope=2,scope=5,Q_Key=0xb1b,TClass=7,FlowLabel=9:ALL=full;",
         ""},
        {"A=1 , ipoib , rate = 3 , defmember = full : ALL ;", ""},
        {"A=1,sl=3:ALL=full;", ""},
        {"A=1,sl=3 :ALL=full;", ""},
        {"A=1,indx0:ALL=full;", ""},
    };

    (void)state;
    sample_expect_problems(rows, COUNT(rows));
}

static void test_flags_that_are_wrong(void **state)
{
    static const struct sample_row rows[] = {
        {"A=1,ipoib,mtu=6:ALL=full;", "1 bad-value"},
        {"A=1,ipoib,mtu:ALL=full;", "1 bad-value"},
        {"A=1,ipoib,mtu=:ALL=full;", "1 bad-value"},
        {"A=1,ipoib,mtu=4 5:ALL=full;", "1 bad-value"},
        {"A=1,ipoib,rate=1:ALL=full;", "1 bad-value"},
        {"A=1,ipoib,rate=3x:ALL=full;", "1 bad-value"},
        {"A=1,ipoib,scope=16:ALL=full;", "1 bad-value"},
        {"A=1,ipoib,sl=16:ALL=full;", "1 bad-value"},
        {"A=1,ipoib,TClass=256:ALL=full;", "1 bad-value"},
        {"A=1,ipoib,Q_Key=0x100000000:ALL=full;", "1 bad-value"},
        {"A=1,ipoib,FlowLabel=0x100000:ALL=full;", "1 bad-value"},
        {"A=1,ipoib,rate=-1:ALL=full;", "1 bad-value"},
        {"A=1,ipoib=1:ALL=full;", "1 bad-value"},
        {"A=1,indx0=1:ALL=full;", "1 bad-value"},
        {"A=1,,ipoib:ALL=full;", "1 ignored"},
        {"A=1,ipoib,:ALL=full;", "1 ignored"},
        {"A=1,ipoib,m=4:ALL=full;", "1 abbreviation"},
        {"A=1,i:ALL=full;", "1 abbreviation"},
        {"A=1,in:ALL=full;", "1 unknown-flag"},
        {"A=1,indx:ALL=full;", "1 unknown-flag"},
        {"A=1,IPoIB:ALL=full;", "1 unknown-flag"},
        {"A=1,mtu=5:ALL=full;", "1 ignored"},
        {"A=1,\nmtu=5:ALL=full;", "1 syntax"},
    };

    (void)state;
    sample_expect_problems(rows, COUNT(rows));
}

static void test_default_membership(void **state)
{
    static const struct sample_row rows[] = {
        {"A=1,defmember=full:0x1,0x2=limited;", "A 0x1: 0x1=full 0x2=limited"},
        {"A=1,defmember=both:0x1;", "A 0x1: 0x1=full"},
        {"A=1,defmember=limi:0x1;", "A 0x1: 0x1=limited"},
        {"A=1,defmember=none:0x1;", "A 0x1: 0x1=limited"},
        {"A=1,defmember=full,defmember=none:0x1;", "A 0x1: 0x1=full"},
        {"A=1,defmember=:0x1;", "A 0x1: 0x1=full"},
        {"A=1,defmember=full:0x1;A=1:0x2;", "A 0x1: 0x1=full 0x2=limited"},
    };

    (void)state;
    sample_expect_partitions(rows, COUNT(rows));
}

static void test_what_is_meant_is_guessed(void **state)
{
    (void)state;
    sample_expect_text("A=1,ipiob:ALL=full;", 0, "did you mean \"ipoib\"?");
    sample_expect_text("A=1,ipoib,s=1:ALL=full;", 0, "scope");
    sample_expect_text("A=1,ipoib,mtu=2048:ALL=full;", 0, "mtu=4 is 2048 bytes");
    sample_expect_text("A=1,defmember=ful_:ALL=full;", 0, "are limited");
    sample_expect_text("A=1:mgid=ff12::1,ipoib\nALL=full;", 0, "of multicast groups");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flags_that_are_right),
        cmocka_unit_test(test_flags_that_are_wrong),
        cmocka_unit_test(test_default_membership),
        cmocka_unit_test(test_what_is_meant_is_guessed),
    };

    return cmocka_run_group_tests_name("partitions_flags", tests, NULL, NULL);
}
