/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Multicast groups: which OpenSM makes, and what it reads behind them. */
#include "partitions_sample.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The manual's example, from OpenSM's own page. */
#define DEFAULT "Default=0x7fff,ipoib:\n"

static void test_groups_that_are_right(void **state)
{
    static const struct sample_row rows[] = {
        {DEFAULT "mgid=ff12:401b::0707,sl=1 # random IPv4 group\nmgid=ff12:601b::16 # routers\n"
                 "mgid=ff12::1,sl=1,Q_Key=0xDEADBEEF,rate=3,mtu=2\nALL=full;\n",
         ""},
        {DEFAULT "mgid=ff12:401b:ffff::5\nALL=full;", ""},
        {DEFAULT "ALL=full, mgid=ff12::1\n0x12=full;", ""},
        {"A=1,rate=6:mgid=ff12:401b::1,sl=0;A=1:ALL=full;", ""},
        {"A=1:mgid=ff12:401b:8001::1,sl=0;A=1:ALL=full;", ""},
        {"A=1:mgid=ff12:401b:ffff::ffff:ffff,sl=0;A=1:ALL=full;", ""},
    };

    (void)state;
    sample_expect_problems(rows, COUNT(rows));
}

static void test_groups_that_opensm_does_not_make(void **state)
{
    static const struct sample_row rows[] = {
        {"A=1:mgid=fe80::1\nALL=full;", "1 multicast-group"},
        {"A=1:mgid=\nALL=full;", "1 multicast-group"},
        {"A=1:mgid=fe80::1,sl=1\nALL=full;", "1 multicast-group"},
        {"A=1:mgid=fe80::1,sl=1;A=1:ALL=full;", "1 multicast-group, 1 syntax"},
        {"A=1:mgid=ff12:401b:1::1\nALL=full;", "1 multicast-group"},
        {"A=1,ipoib:mgid=ff12:601b::1,rate=6\nALL=full;", "1 multicast-group"},
        {"A=1,ipoib:mgid=ff12:401b::1,mtu=5\nALL=full;", "1 multicast-group"},
        {"A=1:mgid=ff12::1\nmgid=ff12::1\nALL=full;", "2 multicast-group"},
        {"A=1:mgid=ff12::1,scope=5\nmgid=ff15::1\nALL=full;", "2 multicast-group"},
    };

    (void)state;
    sample_expect_problems(rows, COUNT(rows));
}

static void test_what_opensm_reads_behind_a_group(void **state)
{
    static const struct sample_row rows[] = {
        {"A=1:mgid=ff12::1;B=2:ALL=full;", "A 0x1:"},
        {"A=1:mgid=ff12::1,sl=0;B=2:ALL=full;", "A 0x1:; B 0x2: ALL=full"},
        {"A=1:mgid=ff12::1,ALL=full;B=2:ALL=full;", "A 0x1:; B 0x2: ALL=full"},
        {"A=1:mgid=ff12::1\nALL=full;", "A 0x1: ALL=full"},
    };

    (void)state;
    sample_expect_partitions(rows, COUNT(rows));
    sample_expect_text("A=1:mgid=ff12::1;B=2:ALL=full;", 0, "column 18: OpenSM takes what follows");
    sample_expect_text("A=1:ALL=full,mgid=ff12::1;\n", 0, "column 26: OpenSM reads on behind");
    sample_expect_text("A=1:mgid=ff12::1 #x, rate=6\nALL=full;", 0, "takes \"rate=6\"");
}

static void test_a_group_without_a_gid_kills_opensm(void **state)
{
    (void)state;
    sample_expect_text("A=1:mgid,ALL=full;", 0, "column 5: expected mgid=GID; OpenSM ends with a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups_that_are_right),
        cmocka_unit_test(test_groups_that_opensm_does_not_make),
        cmocka_unit_test(test_what_opensm_reads_behind_a_group),
        cmocka_unit_test(test_a_group_without_a_gid_kills_opensm),
    };

    return cmocka_run_group_tests_name("partitions_group", tests, NULL, NULL);
}
