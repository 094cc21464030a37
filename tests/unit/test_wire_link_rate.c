/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Widths and speeds of links: bits, words and rates belong together. */
#include "core/wire/link_rate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_widths_have_a_bit_a_word_and_lanes(void **state)
{
    static const struct {
        const char *word;
        uint8_t bit, lanes;
    } rows[] = {{"1x", 1, 1}, {"4x", 2, 4}, {"8x", 4, 8}, {"12x", 8, 12}, {"2x", 16, 2}};

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_string_equal(wire_link_width_word(rows[i].bit), rows[i].word);
        assert_int_equal(wire_link_lanes(rows[i].bit), rows[i].lanes);
        assert_int_equal(wire_link_lanes_of_word(rows[i].word), rows[i].lanes);
    }
    assert_null(wire_link_width_word(0));
    assert_null(wire_link_width_word(3));
    assert_null(wire_link_width_word(32));
    assert_int_equal(wire_link_lanes_of_word(""), 0);
    assert_int_equal(wire_link_lanes_of_word("4"), 0);
}

static void test_the_widest_of_a_set_counts(void **state)
{
    (void)state;
    assert_int_equal(wire_link_lanes(0), 0);
    assert_int_equal(wire_link_lanes(1 | 16), 2);
    assert_int_equal(wire_link_lanes(2 | 16), 4);
    assert_int_equal(wire_link_lanes(0xFF), 12);
    assert_int_equal(wire_link_lanes(0xE0), 0);
}

static void test_speeds_have_a_bit_a_word_and_a_rate(void **state)
{
    static const struct {
        const char *word;
        enum wire_link_speed speed;
        uint8_t bit, extended;
        uint32_t kbps;
    } rows[] = {
        {"SDR", WIRE_LINK_SDR, 1, 0, 2500000},   {"DDR", WIRE_LINK_DDR, 2, 0, 5000000},
        {"QDR", WIRE_LINK_QDR, 4, 0, 10000000},  {"FDR", WIRE_LINK_FDR, 4, 1, 14062500},
        {"EDR", WIRE_LINK_EDR, 4, 2, 25781250},  {"HDR", WIRE_LINK_HDR, 4, 4, 53125000},
        {"NDR", WIRE_LINK_NDR, 4, 8, 106250000},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_string_equal(wire_link_speed_word(rows[i].speed), rows[i].word);
        assert_string_equal(wire_link_active_word(rows[i].bit, rows[i].extended), rows[i].word);
        assert_int_equal(wire_link_speed(rows[i].bit, rows[i].extended), rows[i].speed);
        assert_int_equal(wire_link_speed_of_word(rows[i].word), rows[i].speed);
        assert_int_equal(wire_link_lane_kbps(rows[i].speed), rows[i].kbps);
        assert_true(i == 0 || rows[i].speed > rows[i - 1].speed);
    }
    assert_int_equal(wire_link_lane_kbps(wire_link_speed_of_word("XDR")), 212500000);
    assert_int_equal(wire_link_lane_kbps(wire_link_speed_of_word("FDR10")), 10312500);
}

static void test_the_fastest_of_a_set_counts(void **state)
{
    (void)state;
    assert_int_equal(wire_link_speed(7, 0), WIRE_LINK_QDR);
    assert_int_equal(wire_link_speed(7, 3), WIRE_LINK_EDR);
    assert_int_equal(wire_link_speed(3, 0xF0), WIRE_LINK_DDR);
    assert_int_equal(wire_link_speed(0, 0), WIRE_LINK_SPEED_NONE);
}

static void test_what_is_none_has_no_word(void **state)
{
    static const unsigned none[][2] = {{0, 0}, {3, 0}, {8, 0}, {15, 0}, {4, 3}, {4, 16}};

    (void)state;
    for (size_t i = 0; i < COUNT(none); i++)
        assert_null(wire_link_active_word(none[i][0], none[i][1]));
    assert_null(wire_link_speed_word(WIRE_LINK_SPEED_NONE));
    assert_null(wire_link_speed_word((enum wire_link_speed)100));
    assert_int_equal(wire_link_lane_kbps(WIRE_LINK_SPEED_NONE), 0);
    assert_int_equal(wire_link_lane_kbps((enum wire_link_speed)100), 0);
    assert_int_equal(wire_link_speed_of_word(""), WIRE_LINK_SPEED_NONE);
    assert_int_equal(wire_link_speed_of_word("EDR2"), WIRE_LINK_SPEED_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_widths_have_a_bit_a_word_and_lanes),
        cmocka_unit_test(test_the_widest_of_a_set_counts),
        cmocka_unit_test(test_speeds_have_a_bit_a_word_and_a_rate),
        cmocka_unit_test(test_the_fastest_of_a_set_counts),
        cmocka_unit_test(test_what_is_none_has_no_word),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
