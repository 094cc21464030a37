/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/cli/quantity.c: what is printed. */
#include "cli/quantity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static void test_factors_are_printed_as_they_are_read(void **state)
{
    static const struct {
        uint64_t thousandths;
        const char *text;
    } cases[] = {{0, "0"}, {1000, "1"}, {500, "0.5"}, {2125, "2.125"}, {10000, "10"}, {1, "0.001"}};
    char text[QUANTITY_TEXT_BYTES];

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        quantity_print_factor(cases[i].thousandths, text);
        assert_string_equal(text, cases[i].text);
    }
}

static void test_durations_are_printed_with_a_fitting_unit(void **state)
{
    static const struct {
        weft_time ns;
        const char *text;
    } cases[] = {
        {0, "0 ns"},
        {999, "999 ns"},
        {1000, "1.000 us"},
        {4096, "4.096 us"},
        {10 * WEFT_MS, "10.00 ms"},
        {500 * WEFT_MS, "500.0 ms"},
        {4510 * WEFT_MS, "4.510 s"},
        {3600 * WEFT_S, "3600.0 s"},
        {UINT64_MAX, "18446744073.7 s"},
    };
    char text[QUANTITY_TEXT_BYTES];

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        quantity_print_duration(cases[i].ns, text);
        assert_string_equal(text, cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factors_are_printed_as_they_are_read),
        cmocka_unit_test(test_durations_are_printed_with_a_fitting_unit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
