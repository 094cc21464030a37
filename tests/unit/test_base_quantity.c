/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers with units: tables of one-line cases, right and wrong. */
#include "core/base/quantity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define UNTOUCHED     77

static void test_counts(void **state)
{
    static const struct {
        const char *text;
        uint64_t count;
    } good[] = {{"0", 0}, {"324", 324}, {"007", 7}, {"18446744073709551615", UINT64_MAX}};
    static const char *const bad[] = {
        "", " 1", "1 ", "-1", "+1", "0x10", "1.0", "1.", "1e3", "1k", "18446744073709551616", "٣"};
    uint64_t count;

    (void)state;
    for (size_t i = 0; i < LENGTH(good); i++) {
        assert_true(quantity_parse_count(good[i].text, &count));
        assert_int_equal(count, good[i].count);
    }
    for (size_t i = 0; i < LENGTH(bad); i++) {
        count = UNTOUCHED;
        assert_false(quantity_parse_count(bad[i], &count));
        assert_int_equal(count, UNTOUCHED);
    }
}

static void test_durations(void **state)
{
    static const struct {
        const char *text;
        weft_time ns;
    } good[] = {
        {"0", 0},
        {"0s", 0},
        {"250ns", 250},
        {"10us", 10000},
        {"1.5ms", 1500000},
        {"500ms", 500 * WEFT_MS},
        {"4s", 4 * WEFT_S},
        {"4.096us", 4096},
        {"0.000000001s", 1},
        {"1.0000000000s", WEFT_S},
        {"2min", 120 * WEFT_S},
        {"0.05min", 3 * WEFT_S},
        {"1.5h", 5400 * WEFT_S},
        {"24h", 86400 * WEFT_S},
        {"18446744073s", 18446744073 * WEFT_S},
    };
    static const char *const bad[] = {
        "",
        "s",
        "4",
        "4 s",
        " 4s",
        "4S",
        "-4s",
        "4.s",
        ".5s",
        "1..2s",
        "1.2.3s",
        "1.5ns",
        "0.0001us",
        "4sec",
        "1d",
        "5124096h",
        "4s ",
        "18446744074s",
        "18446744073709551615ns",
        "99999999999999999999s",
        "0.01666666666666min",
    };
    weft_time ns;

    (void)state;
    for (size_t i = 0; i < LENGTH(good); i++) {
        if (!quantity_parse_duration(good[i].text, &ns))
            fail_msg("%s is refused", good[i].text);
        assert_int_equal(ns, good[i].ns);
    }
    for (size_t i = 0; i < LENGTH(bad); i++) {
        ns = UNTOUCHED;
        if (quantity_parse_duration(bad[i], &ns))
            fail_msg("\"%s\" is taken", bad[i]);
        assert_int_equal(ns, UNTOUCHED);
    }
}

static void test_shares(void **state)
{
    static const struct {
        const char *text;
        uint32_t millionths;
    } good[] = {
        {"0", 0},       {"1", 1000000},    {"0.25", 250000},      {"25%", 250000}, {"0.000001", 1},
        {"0.0001%", 1}, {"100%", 1000000}, {"1.000000", 1000000}, {"0%", 0},       {"0.5%", 5000},
    };
    static const char *const bad[] = {"",     "%",    "1.1",  "101%", "-0.1",     "0.0000001",
                                      "50%%", "50 %", "half", ".5",   "100.0001%"};
    uint32_t millionths;

    (void)state;
    for (size_t i = 0; i < LENGTH(good); i++) {
        assert_true(quantity_parse_share(good[i].text, &millionths));
        assert_int_equal(millionths, good[i].millionths);
    }
    for (size_t i = 0; i < LENGTH(bad); i++) {
        millionths = UNTOUCHED;
        assert_false(quantity_parse_share(bad[i], &millionths));
        assert_int_equal(millionths, UNTOUCHED);
    }
}

static void test_factors(void **state)
{
    static const struct {
        const char *text;
        uint64_t thousandths;
    } good[] = {{"0", 0},      {"1", 1000},  {"0.5", 500},    {"2.125", 2125},
                {"10", 10000}, {"0.001", 1}, {"1.5000", 1500}};
    static const char *const bad[] = {
        "", "x", ".5", "1.", "1x", "-1", "1 ", "0.0001", "1,5", "1.2.3", "18446744073709551615"};
    uint64_t thousandths;

    (void)state;
    for (size_t i = 0; i < LENGTH(good); i++) {
        assert_true(quantity_parse_factor(good[i].text, &thousandths));
        assert_int_equal(thousandths, good[i].thousandths);
    }
    for (size_t i = 0; i < LENGTH(bad); i++) {
        thousandths = UNTOUCHED;
        assert_false(quantity_parse_factor(bad[i], &thousandths));
        assert_int_equal(thousandths, UNTOUCHED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_factors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
