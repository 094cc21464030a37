/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines as words: blanks, quotes, escapes, comments, and lines that are refused. */
#include "fabric/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void split(const char *line, struct words *ret)
{
    struct fabric_error error = {.text = ""};

    if (words_split(line, strlen(line), ret, &error) != 0)
        fail_msg("%s: %s", line, error.text);
}

static void test_blanks_separate(void **state)
{
    static const char *const lines[] = {"a bc d",        "  a\tbc \t d  ", "a bc d\r",
                                        "a bc d # more", "a bc d #",       "\"a\" b\"c\" \"d\"#"};
    struct words w;

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]) - 1; i++) {
        split(lines[i], &w);
        assert_int_equal(w.count, 3);
        assert_string_equal(words_text(&w, 0), "a");
        assert_string_equal(words_text(&w, 1), "bc");
        assert_string_equal(words_text(&w, 2), "d");
    }
    /* A comment begins where a word would. */
    split(lines[5], &w);
    assert_string_equal(words_text(&w, 2), "d#");
    split("a#b", &w);
    assert_string_equal(words_text(&w, 0), "a#b");
}

static void test_empty_lines_have_no_words(void **state)
{
    static const char *const lines[] = {"", "   ", "\t\r", "#", "  # node x dead"};
    struct words w;

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        split(lines[i], &w);
        assert_int_equal(w.count, 0);
    }
}

static void test_quotes_keep_blanks_and_escapes(void **state)
{
    struct words w;

    (void)state;
    split("\"leaf 1/U1 HCA-1\"/2 x\"\" \"a\\\"b\\\\c\\x41\\xfF\" \"# no comment\" b\\n", &w);
    assert_int_equal(w.count, 5);
    assert_string_equal(words_text(&w, 0), "leaf 1/U1 HCA-1/2");
    assert_int_equal(w.word[0].slash, strlen("leaf 1/U1 HCA-1"));
    assert_string_equal(words_text(&w, 1), "x");
    assert_int_equal(w.word[1].slash, WORDS_NO_SLASH);
    assert_string_equal(words_text(&w, 2), "a\"b\\cA\xff");
    assert_string_equal(words_text(&w, 3), "# no comment");
    assert_string_equal(words_text(&w, 4), "b\\n");
    split("\"\"", &w);
    assert_int_equal(w.count, 1);
    assert_string_equal(words_text(&w, 0), "");
}

static void test_only_a_slash_outside_quotes_counts(void **state)
{
    static const struct {
        const char *line;
        uint16_t slash;
    } cases[] = {{"a/1", 1},       {"a/b/1", 3},    {"\"a/1\"", WORDS_NO_SLASH},
                 {"\"a/b\"/1", 3}, {"/1", 0},       {"a/", 1},
                 {"a/\"b/c\"", 1}, {"a\"/\"b/2", 3}};
    struct words w;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        split(cases[i].line, &w);
        assert_int_equal(w.word[0].slash, cases[i].slash);
    }
}

static void refused(const char *line, size_t length, const char *why)
{
    struct fabric_error error = {.text = ""};
    struct words w;

    assert_int_equal(words_split(line, length, &w, &error), WEFT_ERR_FORMAT);
    if (!strstr(error.text, why))
        fail_msg("\"%s\" does not say \"%s\"", error.text, why);
}

static void test_malformed_lines_are_refused(void **state)
{
    char line[WORDS_LINE_BYTES + 1];

    (void)state;
    refused("node \"x", 7, "not closed");
    refused("node x\"", 7, "not closed");
    refused("\"a\\q\"", 5, "backslash");
    refused("\"a\\\"", 4, "not closed");
    refused("\"a\\x4\"", 6, "\\x");
    refused("\"a\\x4g\"", 7, "two hexadecimal");
    refused("\"a\\x00\"", 7, "not 00");
    refused("\"a\\x", 4, "backslash");
    refused("a\0b", 3, "NUL");
    refused("a\nb", 3, "newline");
    refused("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21", 53, "too many words");
    memset(line, 'x', sizeof(line));
    refused(line, sizeof(line), "longer than 255");
}

static void test_the_longest_line_fits(void **state)
{
    struct fabric_error error;
    char line[WORDS_LINE_BYTES];
    struct words w;

    (void)state;
    memset(line, 'x', sizeof(line));
    assert_int_equal(words_split(line, sizeof(line), &w, &error), 0);
    assert_int_equal(strlen(words_text(&w, 0)), WORDS_LINE_BYTES);
    for (size_t i = 1; i < 2 * (WORDS_MAX - 1); i += 2)
        line[i] = ' ';
    assert_int_equal(words_split(line, sizeof(line), &w, &error), 0);
    assert_int_equal(w.count, WORDS_MAX);
}

static void test_quoted_texts_are_read_as_they_were(void **state)
{
    static const char *const texts[] = {
        "", "leaf", "a b/c", "\"", "\\", "x\\\"y\"", "tab\there", "\x01\xff", "gr\xc3\xbc\xc3\x9f",
        "#"};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char quoted[64];
        struct wire_text to = {.out = quoted, .cap = sizeof(quoted)};
        struct words w;

        words_quote(&to, texts[i]);
        wire_text_end(&to);
        split(quoted, &w);
        assert_int_equal(w.count, 1);
        assert_string_equal(words_text(&w, 0), texts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blanks_separate),
        cmocka_unit_test(test_empty_lines_have_no_words),
        cmocka_unit_test(test_quotes_keep_blanks_and_escapes),
        cmocka_unit_test(test_only_a_slash_outside_quotes_counts),
        cmocka_unit_test(test_malformed_lines_are_refused),
        cmocka_unit_test(test_the_longest_line_fits),
        cmocka_unit_test(test_quoted_texts_are_read_as_they_were),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
