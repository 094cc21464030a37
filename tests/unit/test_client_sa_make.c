/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records and masks of questions that are asked often. */
#include "core/wire/field.h"

#include <weft/sa.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t one[16] = {0xFE, 0x80, 1}, other[16] = {0xFF, 0x12, 2};

static void test_a_path_is_one_reversible_path_between_GIDs(void **state)
{
    struct weft_sa_question q;

    (void)state;
    weft_sa_make_path(one, other, &q);
    assert_int_equal(q.method, WEFT_METHOD_GET);
    assert_int_equal(q.attr_id, 0x35);
    assert_int_equal(q.mask, 1 << 2 | 1 << 3 | 1 << 11 | 1 << 12);
    assert_memory_equal(q.record + 8, other, 16);
    assert_memory_equal(q.record + 24, one, 16);
    assert_int_equal(q.record[49], 0x81);
}

static void test_a_group_is_joined_and_left(void **state)
{
    struct weft_sa_question q;

    (void)state;
    weft_sa_make_group(other, one, 4, true, &q);
    assert_int_equal(q.method, WEFT_METHOD_SET);
    assert_int_equal(q.attr_id, 0x38);
    assert_int_equal(q.mask, 1 << 0 | 1 << 1 | 1 << 16);
    assert_memory_equal(q.record, other, 16);
    assert_memory_equal(q.record + 16, one, 16);
    assert_int_equal(q.record[48], 4);
    weft_sa_make_group(other, one, 4, false, &q);
    assert_int_equal(q.method, WEFT_METHOD_DELETE);
}

static void test_a_subscription_is_for_the_whole_subnet(void **state)
{
    struct weft_sa_question q;

    (void)state;
    weft_sa_make_trap(64, true, &q);
    assert_int_equal(q.method, WEFT_METHOD_SET);
    assert_int_equal(q.attr_id, 3);
    assert_int_equal(wire_get(WIRE_INFORM_INFO_SUBSCRIBE, q.record), 1);
    assert_int_equal(wire_get(WIRE_INFORM_INFO_TRAP, q.record), 64);
    assert_int_equal(wire_get(WIRE_INFORM_INFO_IS_GENERIC, q.record), 1);
    assert_int_equal(wire_get(WIRE_INFORM_INFO_QPN, q.record), 1);
    assert_int_equal(wire_get(WIRE_INFORM_INFO_LID_BEGIN, q.record), 0xFFFF);
    weft_sa_make_trap(WEFT_SA_ANY_TRAP, false, &q);
    assert_int_equal(wire_get(WIRE_INFORM_INFO_SUBSCRIBE, q.record), 0);
    assert_int_equal(wire_get(WIRE_INFORM_INFO_TRAP, q.record), 0xFFFF);
}

static void test_a_service_is_registered_and_taken_back(void **state)
{
    struct weft_sa_service service = {
        .id = 0x1234, .pkey = 0x8001, .lease_s = 600, .name = "weft test"};
    char longest[100];
    struct weft_sa_question q;

    (void)state;
    memcpy(service.gid, one, 16);
    weft_sa_make_service(&service, true, &q);
    assert_int_equal(q.method, WEFT_METHOD_SET);
    assert_int_equal(q.attr_id, 0x31);
    assert_int_equal(q.mask, 1 << 0 | 1 << 1 | 1 << 2 | 1 << 4 | 1 << 6);
    assert_int_equal(wire_get(WIRE_SERVICE_RECORD_SERVICE_ID, q.record), 0x1234);
    assert_memory_equal(q.record + 8, one, 16);
    assert_int_equal(wire_get(WIRE_SERVICE_RECORD_PKEY, q.record), 0x8001);
    assert_int_equal(wire_get(WIRE_SERVICE_RECORD_LEASE_S, q.record), 600);
    assert_string_equal((const char *)q.record + 48, "weft test");
    weft_sa_make_service(&service, false, &q);
    assert_int_equal(q.method, WEFT_METHOD_DELETE);
    assert_int_equal(q.mask, 1 << 0 | 1 << 1 | 1 << 2 | 1 << 6);
    service.name = NULL;
    weft_sa_make_service(&service, false, &q);
    assert_int_equal(q.mask, 1 << 0 | 1 << 1 | 1 << 2);
    memset(longest, 'x', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    service.name = longest;
    weft_sa_make_service(&service, true, &q);
    assert_int_equal(strlen((const char *)q.record + 48), 63);
    assert_int_equal(q.record[48 + 64], 0);
}

static void test_tables_of_all_or_of_one(void **state)
{
    struct weft_sa_question q;

    (void)state;
    weft_sa_make_node(0x0002c90300001005, &q);
    assert_int_equal(q.method, WEFT_METHOD_GET_TABLE);
    assert_int_equal(q.attr_id, 0x11);
    assert_int_equal(q.mask, 1 << 7);
    assert_int_equal(wire_get(WIRE_NODE_RECORD_NODE_GUID, q.record), 0x0002c90300001005);
    weft_sa_make_node(0, &q);
    assert_int_equal(q.mask, 0);
    weft_sa_make_port_info(7, 0, &q);
    assert_int_equal(q.attr_id, 0x12);
    assert_int_equal(q.mask, 3);
    assert_int_equal(wire_get(WIRE_PORT_INFO_RECORD_LID, q.record), 7);
    weft_sa_make_port_info(7, WEFT_SA_ALL_PORTS, &q);
    assert_int_equal(q.mask, 1);
    weft_sa_make_port_info(0, 2, &q);
    assert_int_equal(q.mask, 2);
    assert_int_equal(wire_get(WIRE_PORT_INFO_RECORD_PORT, q.record), 2);
    weft_sa_make_links(9, &q);
    assert_int_equal(q.attr_id, 0x20);
    assert_int_equal(q.mask, 1);
    assert_int_equal(wire_get(WIRE_LINK_RECORD_FROM_LID, q.record), 9);
    weft_sa_make_links(0, &q);
    assert_int_equal(q.mask, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_path_is_one_reversible_path_between_GIDs),
        cmocka_unit_test(test_a_group_is_joined_and_left),
        cmocka_unit_test(test_a_subscription_is_for_the_whole_subnet),
        cmocka_unit_test(test_a_service_is_registered_and_taken_back),
        cmocka_unit_test(test_tables_of_all_or_of_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
