/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters out of attributes: bytes, what is absent, what is stuck, and what has happened between.
 */
#include "client/pma.h"
#include "core/wire/field.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ATTRIBUTE_BYTES 192

static const struct weft_pma_abilities everything = {
    .extended = true, .unicast = true, .errors = true, .wait = true, .qp1 = true};
static const struct weft_pma_abilities nothing = {.extended = false};

static void test_abilities_are_the_bits_of_ClassPortInfo(void **state)
{
    static const struct {
        uint16_t mask;
        uint32_t mask2;
        struct weft_pma_abilities wanted;
    } rows[] = {
        {0x0000, 0x0, {.extended = false}},
        {0x0100, 0x0, {.all_ports = true}},
        {0x0200, 0x0, {.extended = true, .unicast = true}},
        {0x0400, 0x0, {.extended = true}},
        {0x1000, 0x0, {.wait = true}},
        {0x8000, 0x0, {.qp1 = true}},
        {0x0000, 0x2, {.extended = false}},
        {0x0400, 0x2, {.extended = true, .errors = true}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint8_t attribute[ATTRIBUTE_BYTES] = {0};
        struct weft_pma_abilities a;

        wire_set(WIRE_CLASS_PORT_INFO_CAPABILITY_MASK, attribute, rows[i].mask);
        wire_set(WIRE_CLASS_PORT_INFO_CAPABILITY_MASK2, attribute, rows[i].mask2);
        pma_read_abilities(attribute, &a);
        assert_memory_equal(&a, &rows[i].wanted, sizeof(a));
    }
}

static void test_words_become_bytes_and_what_is_absent_stays_so(void **state)
{
    uint8_t attribute[ATTRIBUTE_BYTES] = {0};
    struct weft_pma_values v = {.present = 0};

    (void)state;
    wire_set(WIRE_PORT_COUNTERS_XMIT_DATA, attribute, 72);
    wire_set(WIRE_PORT_COUNTERS_RCV_PACKETS, attribute, 3);
    wire_set(WIRE_PORT_COUNTERS_XMIT_WAIT, attribute, 9);
    pma_read_classic(attribute, &nothing, &v);
    assert_int_equal(v.value[WEFT_PMA_XMIT_DATA], 288);
    assert_int_equal(v.value[WEFT_PMA_RCV_PACKETS], 3);
    assert_true(weft_pma_has(v.present, WEFT_PMA_SYMBOL_ERRORS));
    assert_false(weft_pma_has(v.present, WEFT_PMA_XMIT_WAIT));
    assert_false(weft_pma_has(v.present, WEFT_PMA_QP1_DROPPED));
    assert_false(weft_pma_has(v.present, WEFT_PMA_UNICAST_XMIT_PACKETS));
    assert_int_equal(v.value[WEFT_PMA_XMIT_WAIT], 0);
    assert_int_equal(v.stuck, 0);
}

static void test_all_ones_of_any_width_are_stuck(void **state)
{
    static const struct {
        enum wire_field_id field;
        enum weft_pma_counter counter;
        uint64_t most;
    } rows[] = {
        {WIRE_PORT_COUNTERS_LOCAL_LINK_INTEGRITY_ERRORS, WEFT_PMA_LOCAL_LINK_INTEGRITY_ERRORS, 15},
        {WIRE_PORT_COUNTERS_LINK_DOWNED, WEFT_PMA_LINK_DOWNED, 255},
        {WIRE_PORT_COUNTERS_SYMBOL_ERRORS, WEFT_PMA_SYMBOL_ERRORS, 65535},
        {WIRE_PORT_COUNTERS_XMIT_PACKETS, WEFT_PMA_XMIT_PACKETS, UINT32_MAX},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint8_t attribute[ATTRIBUTE_BYTES] = {0};
        struct weft_pma_values v = {.present = 0};

        wire_set(rows[i].field, attribute, rows[i].most - 1);
        pma_read_classic(attribute, &nothing, &v);
        assert_int_equal(v.stuck, 0);
        wire_set(rows[i].field, attribute, rows[i].most);
        pma_read_classic(attribute, &nothing, &v);
        assert_int_equal(v.stuck, (weft_pma_set)1 << rows[i].counter);
        assert_int_equal(v.value[rows[i].counter], rows[i].most);
    }
}

static void test_bytes_beyond_64_bits_are_a_lower_bound(void **state)
{
    uint8_t attribute[ATTRIBUTE_BYTES] = {0};
    struct weft_pma_values v = {.present = 0};

    (void)state;
    wire_set(WIRE_PORT_COUNTERS_EXT_XMIT_DATA, attribute, UINT64_C(1) << 62);
    wire_set(WIRE_PORT_COUNTERS_EXT_RCV_DATA, attribute, UINT64_MAX / 4);
    pma_read_extended(attribute, &everything, &v);
    assert_true(weft_pma_has(v.stuck, WEFT_PMA_XMIT_DATA));
    assert_true(v.value[WEFT_PMA_XMIT_DATA] >= UINT64_MAX - 3);
    assert_false(weft_pma_has(v.stuck, WEFT_PMA_RCV_DATA));
}

static void test_wide_counters_count_whichever_comes_first(void **state)
{
    const struct weft_pma_abilities no_errors = {.extended = true};
    uint8_t classic[ATTRIBUTE_BYTES] = {0}, wide[ATTRIBUTE_BYTES] = {0};

    (void)state;
    wire_set(WIRE_PORT_COUNTERS_XMIT_DATA, classic, UINT32_MAX);
    wire_set(WIRE_PORT_COUNTERS_SYMBOL_ERRORS, classic, 5);
    wire_set(WIRE_PORT_COUNTERS_EXT_XMIT_DATA, wide, UINT64_C(1) << 40);
    wire_set(WIRE_PORT_COUNTERS_EXT_SYMBOL_ERRORS, wide, 77);
    for (int order = 0; order < 2; order++) {
        struct weft_pma_values v = {.present = 0};

        if (order == 0)
            pma_read_classic(classic, &no_errors, &v);
        pma_read_extended(wide, &no_errors, &v);
        if (order == 1)
            pma_read_classic(classic, &no_errors, &v);
        assert_int_equal(v.value[WEFT_PMA_XMIT_DATA], UINT64_C(1) << 42);
        assert_int_equal(v.value[WEFT_PMA_SYMBOL_ERRORS], 5);
        assert_int_equal(v.stuck, 0);
        assert_false(weft_pma_has(v.present, WEFT_PMA_UNICAST_XMIT_PACKETS));
    }
}

static void test_what_happened_between(void **state)
{
    static const struct {
        uint64_t old, new, wanted;
        bool stuck, at_least, reset;
    } rows[] = {
        {5, 9, 4, false, false, false},   {5, 5, 0, false, false, false},
        {0, 255, 255, true, true, false}, {255, 255, 0, true, true, false},
        {9, 2, 2, false, true, true},     {UINT64_MAX - 1, UINT64_MAX, 1, true, true, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct weft_pma_values old = {.present = 1U << WEFT_PMA_LINK_DOWNED};
        struct weft_pma_values new = {.present = 1U << WEFT_PMA_LINK_DOWNED};
        struct weft_pma_delta d;

        old.value[WEFT_PMA_LINK_DOWNED] = rows[i].old;
        new.value[WEFT_PMA_LINK_DOWNED] = rows[i].new;
        new.stuck = (weft_pma_set)rows[i].stuck << WEFT_PMA_LINK_DOWNED;
        weft_pma_delta(&old, &new, &d);
        assert_int_equal(d.value[WEFT_PMA_LINK_DOWNED], rows[i].wanted);
        assert_int_equal(weft_pma_has(d.at_least, WEFT_PMA_LINK_DOWNED), rows[i].at_least);
        assert_int_equal(weft_pma_has(d.reset, WEFT_PMA_LINK_DOWNED), rows[i].reset);
    }
}

static void test_a_counter_that_one_reading_lacks_has_no_difference(void **state)
{
    struct weft_pma_values old = {.present = 1U << WEFT_PMA_RCV_ERRORS};
    struct weft_pma_values new = {.present = 3U << WEFT_PMA_RCV_ERRORS};
    struct weft_pma_delta d;

    (void)state;
    new.value[WEFT_PMA_RCV_ERRORS + 1] = 7;
    weft_pma_delta(&old, &new, &d);
    assert_int_equal(d.present, 1U << WEFT_PMA_RCV_ERRORS);
    assert_int_equal(d.value[WEFT_PMA_RCV_ERRORS + 1], 0);
}

static void test_a_reset_selects_what_is_there(void **state)
{
    uint8_t attribute[ATTRIBUTE_BYTES] = {0};

    (void)state;
    pma_fill_reset(attribute, false, &nothing);
    assert_int_equal(wire_get(WIRE_PORT_COUNTERS_COUNTER_SELECT, attribute), 0xFFFF);
    assert_int_equal(wire_get(WIRE_PORT_COUNTERS_COUNTER_SELECT2, attribute), 0);
    pma_fill_reset(attribute, false, &everything);
    assert_int_equal(wire_get(WIRE_PORT_COUNTERS_COUNTER_SELECT2, attribute), 3);
    memset(attribute, 0, sizeof(attribute));
    pma_fill_reset(attribute, true, &everything);
    assert_int_equal(wire_get(WIRE_PORT_COUNTERS_EXT_COUNTER_SELECT, attribute), 0xFF);
    assert_int_equal(wire_get(WIRE_PORT_COUNTERS_EXT_COUNTER_SELECT2, attribute), 0x3FFF);
}

static void test_names_are_those_of_perfquery(void **state)
{
    (void)state;
    assert_string_equal(weft_pma_name(WEFT_PMA_SYMBOL_ERRORS), "SymbolErrorCounter");
    assert_string_equal(weft_pma_name(WEFT_PMA_BUFFER_OVERRUN_ERRORS),
                        "ExcessiveBufferOverrunErrors");
    assert_string_equal(weft_pma_json_name(WEFT_PMA_XMIT_DATA), "xmit_bytes");
    assert_int_equal(WEFT_PMA_XMIT_WAIT + 1, WEFT_PMA_ERRORS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_abilities_are_the_bits_of_ClassPortInfo),
        cmocka_unit_test(test_words_become_bytes_and_what_is_absent_stays_so),
        cmocka_unit_test(test_all_ones_of_any_width_are_stuck),
        cmocka_unit_test(test_bytes_beyond_64_bits_are_a_lower_bound),
        cmocka_unit_test(test_wide_counters_count_whichever_comes_first),
        cmocka_unit_test(test_what_happened_between),
        cmocka_unit_test(test_a_counter_that_one_reading_lacks_has_no_difference),
        cmocka_unit_test(test_a_reset_selects_what_is_there),
        cmocka_unit_test(test_names_are_those_of_perfquery),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
