/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records and masks of questions that are asked often. */
#include "core/wire/field.h"

#include <weft/sa.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_path_is_one_reversible_path_between_GIDs),
        cmocka_unit_test(test_a_group_is_joined_and_left),
        cmocka_unit_test(test_a_subscription_is_for_the_whole_subnet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
