/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Digits of numbers are those of printf. */
#include "core/base/digits.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const uint64_t numbers[] = {
    0, 1, 9, 10, 15, 16, 255, 256, 9999, 10000, UINT64_C(1) << 32, UINT64_MAX};

static void assert_text(const char *got, size_t length, const char *wanted)
{
    assert_int_equal(length, strlen(wanted));
    assert_memory_equal(got, wanted, length);
}

static void test_every_least_number_of_digits(void **state)
{
    char text[DIGITS_MAX], hex[DIGITS_HEX_MAX], wanted[DIGITS_MAX + 1];

    (void)state;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        for (int least = 1; least <= DIGITS_MAX; least++) {
            size_t at = digits_decimal(numbers[i], (size_t)least, text);

            (void)snprintf(wanted, sizeof(wanted), "%0*" PRIu64, least, numbers[i]);
            assert_text(text + at, DIGITS_MAX - at, wanted);
            if (least > DIGITS_HEX_MAX)
                continue;
            at = digits_hex(numbers[i], (size_t)least, hex);
            (void)snprintf(wanted, sizeof(wanted), "%0*" PRIx64, least, numbers[i]);
            assert_text(hex + at, DIGITS_HEX_MAX - at, wanted);
        }
}

static void test_none_are_enough_for_nothing(void **state)
{
    char text[DIGITS_MAX], hex[DIGITS_HEX_MAX];

    (void)state;
    assert_int_equal(digits_decimal(0, 0, text), DIGITS_MAX);
    assert_int_equal(digits_hex(0, 0, hex), DIGITS_HEX_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_least_number_of_digits),
        cmocka_unit_test(test_none_are_enough_for_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
