/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Kinds of records, components, statuses and codes. */
#include "client/sa_records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_a_kind_is_found_by_name_short_name_and_id(void **state)
{
    size_t count = 0;

    (void)state;
    for (; sa_kind_at(count); count++) {
        const struct sa_kind *k = sa_kind_at(count);

        assert_ptr_equal(sa_kind_named(k->name), k);
        assert_ptr_equal(sa_kind_named(k->short_name), k);
        assert_ptr_equal(sa_kind_of(k->attr_id), k);
    }
    assert_int_equal(count, 17);
    assert_int_equal(sa_kind_named("noderecord")->attr_id, 0x11);
    assert_int_equal(sa_kind_named("pr")->attr_id, 0x35);
    assert_null(sa_kind_named("NodeRecords"));
    assert_null(sa_kind_of(0x7777));
}

static uint64_t component(enum weft_wire_header header, const char *field)
{
    int id = weft_wire_find(header, field);

    assert_true(id >= 0);
    return sa_component(id);
}

static void test_components_are_those_of_IBA(void **state)
{
    (void)state;
    assert_int_equal(component(WEFT_WIRE_NODE_RECORD, "description"), 1 << 14);
    assert_int_equal(component(WEFT_WIRE_PORT_INFO_RECORD, "port"), 1 << 1);
    assert_int_equal(component(WEFT_WIRE_PATH_RECORD, "service_id"), 3);
    assert_int_equal(component(WEFT_WIRE_PATH_RECORD, "life_time"), 1 << 21);
    assert_int_equal(component(WEFT_WIRE_MC_MEMBER_RECORD, "join_state"), 1 << 16);
    assert_int_equal(component(WEFT_WIRE_SERVICE_RECORD, "name"), 1 << 6);
    assert_int_equal(component(WEFT_WIRE_LINK_RECORD, "to_lid"), 1 << 3);
    assert_int_equal(component(WEFT_WIRE_MAD, "tid"), 0);
    assert_int_equal(sa_component(-1), 0);
}

static void test_components_of_one_record_do_not_overlap(void **state)
{
    static const char *const path[] = {"service_id",    "dgid",        "sgid",         "dlid",
                                       "slid",          "raw_traffic", "sl",           "flow_label",
                                       "mtu",           "hop_limit",   "mtu_selector", "rate",
                                       "traffic_class", "pkey",        "qos_class"};
    uint64_t seen = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
        uint64_t bits = component(WEFT_WIRE_PATH_RECORD, path[i]);

        assert_int_equal(seen & bits, 0);
        assert_int_not_equal(bits, 0);
        seen |= bits;
    }
}

static void test_each_status_has_its_own_words(void **state)
{
    static const uint16_t statuses[] = {0,      0x0001, 0x0002, 0x0004, 0x0008, 0x000C,
                                        0x001C, 0x0100, 0x0200, 0x0300, 0x0400, 0x0500,
                                        0x0600, 0x0700, 0x0800, 0x7F00};
    size_t count = sizeof(statuses) / sizeof(statuses[0]);

    (void)state;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(sa_status_text(statuses[i]), sa_status_text(statuses[j]));
    assert_string_equal(sa_status_text(0x0300), "no record matches");
    assert_string_equal(sa_status_text(0x0301), sa_status_text(0x0001));
}

static void test_codes_of_rates_and_MTUs(void **state)
{
    (void)state;
    assert_int_equal(sa_mtu_bytes(1), 256);
    assert_int_equal(sa_mtu_bytes(5), 4096);
    assert_int_equal(sa_mtu_bytes(0), 0);
    assert_int_equal(sa_mtu_bytes(6), 0);
    assert_int_equal(sa_rate_tenths(2), 25);
    assert_int_equal(sa_rate_tenths(3), 100);
    assert_int_equal(sa_rate_tenths(7), 400);
    assert_int_equal(sa_rate_tenths(12), 560);
    assert_int_equal(sa_rate_tenths(16), 1000);
    assert_int_equal(sa_rate_tenths(21), 4000);
    assert_int_equal(sa_rate_tenths(0), 0);
    assert_int_equal(sa_rate_tenths(63), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_kind_is_found_by_name_short_name_and_id),
        cmocka_unit_test(test_components_are_those_of_IBA),
        cmocka_unit_test(test_components_of_one_record_do_not_overlap),
        cmocka_unit_test(test_each_status_has_its_own_words),
        cmocka_unit_test(test_codes_of_rates_and_MTUs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
