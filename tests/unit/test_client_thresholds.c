/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Thresholds files: what ibqueryerrors takes, and what is said about the rest. */
#include "client/thresholds.h"

#include <weft/base.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static int parse(const char *text, struct thresholds *t, struct thresholds_notes *notes)
{
    return thresholds_parse(text, strlen(text), t, notes);
}

static void test_without_a_file_everything_counts(void **state)
{
    struct thresholds t;

    (void)state;
    thresholds_init(&t);
    for (unsigned c = 0; c < WEFT_PMA_ERRORS; c++)
        assert_int_equal(t.above[c], 0);
}

static void test_names_numbers_and_comments(void **state)
{
    struct thresholds_notes notes;
    struct thresholds t;

    (void)state;
    thresholds_init(&t);
    assert_int_equal(parse("# Define error thresholds here\n"
                           "\n"
                           "SymbolErrorCounter=10\r\n"
                           "  LinkDownedCounter = 0x10\n"
                           "PortRcvErrors=010\n"
                           "#PortXmitDiscards=5\n"
                           "PortXmitWait=18446744073709551615\n"
                           "SymbolErrorCounter=11",
                           &t, &notes),
                     0);
    assert_int_equal(notes.count, 0);
    assert_int_equal(t.above[WEFT_PMA_SYMBOL_ERRORS], 11);
    assert_int_equal(t.above[WEFT_PMA_LINK_DOWNED], 16);
    assert_int_equal(t.above[WEFT_PMA_RCV_ERRORS], 8);
    assert_int_equal(t.above[WEFT_PMA_XMIT_DISCARDS], 0);
    assert_true(t.above[WEFT_PMA_XMIT_WAIT] == UINT64_MAX);
}

static void test_a_name_that_no_counter_has_is_said(void **state)
{
    struct thresholds_notes notes;
    struct thresholds t;

    (void)state;
    thresholds_init(&t);
    assert_int_equal(parse("SymbolErrorCounters=1\nVL15Dropped=2\nXyzzy=3\n", &t, &notes), 0);
    assert_int_equal(t.above[WEFT_PMA_VL15_DROPPED], 2);
    assert_int_equal(notes.count, 2);
    assert_int_equal(notes.notes[0].line, 1);
    assert_string_equal(notes.notes[0].text, "there is no counter SymbolErrorCounters; did you "
                                             "mean SymbolErrorCounter?");
    assert_int_equal(notes.notes[1].line, 3);
    assert_string_equal(notes.notes[1].text, "there is no counter Xyzzy");
}

static void test_more_notes_than_are_kept(void **state)
{
    struct thresholds_notes notes;
    struct thresholds t;

    (void)state;
    thresholds_init(&t);
    assert_int_equal(
        parse("A=1\nB=1\nC=1\nD=1\nE=1\nF=1\nG=1\nH=1\nI=1\nJ=1\nnonsense\n", &t, &notes),
        WEFT_ERR_INVALID);
    assert_int_equal(notes.count, 11);
    assert_int_equal(notes.notes[0].line, 1);
    assert_int_equal(notes.notes[THRESHOLDS_NOTES - 1].line, 11);
}

static void test_lines_that_are_none(void **state)
{
    static const char *const rows[] = {
        "SymbolErrorCounter",
        "=1",
        "SymbolErrorCounter=",
        "SymbolErrorCounter=-1",
        "SymbolErrorCounter=+1",
        "SymbolErrorCounter=1x",
        "SymbolErrorCounter=18446744073709551616",
        "Symbol\033[2JErrorCounter=1",
        "two words=1",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct thresholds_notes notes;
        struct thresholds t;
        char text[128];

        thresholds_init(&t);
        (void)snprintf(text, sizeof(text), "VL15Dropped=9\n%s", rows[i]);
        assert_int_equal(parse(text, &t, &notes), WEFT_ERR_INVALID);
        assert_int_equal(notes.count, 1);
        assert_int_equal(notes.notes[0].line, 2);
        assert_int_equal(t.above[WEFT_PMA_VL15_DROPPED], 0);
    }
}

static void test_a_line_without_end(void **state)
{
    struct thresholds_notes notes;
    struct thresholds t;
    char text[300];

    (void)state;
    thresholds_init(&t);
    memset(text, '#', sizeof(text));
    assert_int_equal(thresholds_parse(text, 255, &t, &notes), 0);
    assert_int_equal(thresholds_parse(text, 256, &t, &notes), WEFT_ERR_INVALID);
    assert_int_equal(thresholds_parse("VL15Dropped=1\0\n", 15, &t, &notes), WEFT_ERR_INVALID);
    assert_int_equal(thresholds_parse(NULL, 0, &t, &notes), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_a_file_everything_counts),
        cmocka_unit_test(test_names_numbers_and_comments),
        cmocka_unit_test(test_a_name_that_no_counter_has_is_said),
        cmocka_unit_test(test_more_notes_than_are_kept),
        cmocka_unit_test(test_lines_that_are_none),
        cmocka_unit_test(test_a_line_without_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
