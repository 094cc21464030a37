/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Bounded text: numbers, escapes, and buffers of every size. */
#include "core/wire/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_decimal(void **state)
{
    (void)state;
    static const uint64_t values[] = {0, 9, 10, 65535, UINT64_C(9999999999), UINT64_MAX};

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        char out[32];
        char expected[32];
        struct wire_text text = {.out = out, .cap = sizeof(out)};

        wire_text_decimal(&text, values[i]);
        snprintf(expected, sizeof(expected), "%llu", (unsigned long long)values[i]);
        assert_int_equal(wire_text_end(&text), strlen(expected));
        assert_string_equal(out, expected);
    }
}

static void test_hex_has_exactly_the_digits_asked_for(void **state)
{
    (void)state;
    char out[32];
    struct wire_text text = {.out = out, .cap = sizeof(out)};

    wire_text_hex(&text, 0xABC, 4);
    wire_text_char(&text, ' ');
    wire_text_hex(&text, UINT64_MAX, 16);
    wire_text_char(&text, ' ');
    wire_text_hex(&text, 0xFF, 1);
    wire_text_end(&text);
    assert_string_equal(out, "0abc ffffffffffffffff f");
}

static const struct escape_case {
    const char *bytes;
    const char *text;
    const char *json;
} escapes[] = {
    {"plain ~", "plain ~", "plain ~"},
    {"a\"b", "a\"b", "a\\\"b"},
    {"a\\b", "a\\\\b", "a\\\\b"},
    {"\n\t\x1b\x7f", "\\x0a\\x09\\x1b\\x7f", "\\u000a\\u0009\\u001b\\u007f"},
    {"\xc3\xa9", "\xc3\xa9", "\xc3\xa9"},
    {"\xe2\x82\xac!", "\xe2\x82\xac!", "\xe2\x82\xac!"},
    {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
    {"\xef\xbf\xbf", "\xef\xbf\xbf", "\xef\xbf\xbf"},
    {"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},
    {"\xed\x9f\xbf", "\xed\x9f\xbf", "\xed\x9f\xbf"},
    {"\xe9", "\\xe9", "\\u00e9"},
    {"\x80", "\\x80", "\\u0080"},
    {"\xff\xfe", "\\xff\\xfe", "\\u00ff\\u00fe"},
    {"\xc2\x9b", "\\xc2\\x9b", "\\u00c2\\u009b"},
    {"\xc2\xa0", "\xc2\xa0", "\xc2\xa0"},
    {"\xc0\xaf", "\\xc0\\xaf", "\\u00c0\\u00af"},
    {"\xc3", "\\xc3", "\\u00c3"},
    {"\xc3(", "\\xc3(", "\\u00c3("},
    {"\xe2\x82", "\\xe2\\x82", "\\u00e2\\u0082"},
    {"\xe2\x82(", "\\xe2\\x82(", "\\u00e2\\u0082("},
    {"\xe0\x9f\xbf", "\\xe0\\x9f\\xbf", "\\u00e0\\u009f\\u00bf"},
    {"\xed\xa0\x80", "\\xed\\xa0\\x80", "\\u00ed\\u00a0\\u0080"},
    {"\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf", "\\u00f0\\u008f\\u00bf\\u00bf"},
    {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "\\u00f4\\u0090\\u0080\\u0080"},
    {"\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80", "\\u00f5\\u0080\\u0080\\u0080"},
};

static void test_escapes(void **state)
{
    (void)state;

    for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
        for (int json = 0; json < 2; json++) {
            /* Exactly as long as the bytes: a sequence cut off at the end must not be followed. */
            size_t count = strlen(escapes[i].bytes);
            uint8_t *bytes = malloc(count);
            char out[64];
            struct wire_text text = {.out = out, .cap = sizeof(out)};

            assert_non_null(bytes);
            memcpy(bytes, escapes[i].bytes, count);
            wire_text_escaped(&text, bytes, count, json != 0);
            wire_text_end(&text);
            assert_string_equal(out, json != 0 ? escapes[i].json : escapes[i].text);
            free(bytes);
        }
    }
}

static void test_nul_is_escaped(void **state)
{
    (void)state;
    char out[16];
    struct wire_text text = {.out = out, .cap = sizeof(out)};

    wire_text_escaped(&text, (const uint8_t *)"a\0b", 3, true);
    wire_text_end(&text);
    assert_string_equal(out, "a\\u0000b");
}

static void test_every_capacity_cuts_cleanly(void **state)
{
    (void)state;
    static const char whole[] = "name: 123";

    for (size_t cap = 0; cap <= sizeof(whole) + 1; cap++) {
        char *out = malloc(cap > 0 ? cap : 1);
        struct wire_text text = {.out = cap > 0 ? out : NULL, .cap = cap};

        assert_non_null(out);
        wire_text_string(&text, "name: ");
        wire_text_decimal(&text, 123);
        assert_int_equal(wire_text_end(&text), strlen(whole));
        if (cap > 0) {
            size_t kept = cap - 1 < strlen(whole) ? cap - 1 : strlen(whole);

            assert_int_equal(strlen(out), kept);
            assert_memory_equal(out, whole, kept);
        }
        free(out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decimal),
        cmocka_unit_test(test_hex_has_exactly_the_digits_asked_for),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_nul_is_escaped),
        cmocka_unit_test(test_every_capacity_cuts_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
