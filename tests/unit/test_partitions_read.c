/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines, definitions and members as OpenSM reads them, and what is refused. */
#include "partitions_sample.h"

#include <stdlib.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
/* What OpenSM makes of a file that it drops. */
#define DROPPED  "Default 0x7fff: ALL=full"

static void test_definitions(void **state)
{
    static const struct sample_row rows[] = {
        {"A=0x1:ALL=full;", "A 0x1: ALL=full"},
        {"A=0x1:ALL=full", "A 0x1: ALL=full"},
        {"  A = 0x1 :\tALL = full ,\n\n SELF\n=x\n, 0x2 ;", "A 0x1: ALL=full SELF=limited "
                                                            "0x2=limited"},
        {"A=1:0x1=full;B=2:0x2=f;\nC=3:0x3=limi;",
         "A 0x1: 0x1=full; B 0x2: 0x2=full; C 0x3: 0x3=limited"},
        {"# x\nA=1: # y;z:\n0x1,#,0x2\n0x3;", "A 0x1: 0x1=limited 0x3=limited"},
        {"0x300:ALL;7:ALL;:ALL;G:ALL;",
         "0300 0x300: ALL=limited; 0007 0x7: ALL=limited; 0001 0x1: ALL=limited; G 0x2: "
         "ALL=limited"},
        {"A=0x8000:ALL;", "A 0x1: ALL=limited"},
        {"A=65536:ALL;", "A 0x1: ALL=limited"},
        {"A=0x18003:ALL;", "A 0x3: ALL=limited"},
        {"A=-2:ALL;", "A 0x7ffe: ALL=limited"},
        {"A=010:ALL;", "A 0x8: ALL=limited"},
        {"A:ALL;B=0x1:SELF=full;C:ALL;", "A 0x1: ALL=limited SELF=full; C 0x2: ALL=limited"},
        {"A=1:AL,S=,N;", "A 0x1: ALL=limited SELF=full"},
        {"A=1:144115188076904451;", "A 0x1: 0x200000000100003=limited"},
        {"A=1:-1;", "A 0x1: 0xffffffffffffffff=limited"},
        {":", "0001 0x1:"},
    };

    (void)state;
    sample_expect_partitions(rows, COUNT(rows));
}

static void test_one_mistake_drops_the_file(void **state)
{
    static const struct sample_row rows[] = {
        {"", DROPPED},
        {"# nothing\n", DROPPED},
        {"A=1 ALL;", DROPPED},
        {"A=1\n:ALL;", DROPPED},
        {"A=1:ALL;B=2:0x1,x;\nC=3:ALL;", DROPPED},
        {"A=:ALL;", DROPPED},
        {"A=0x:ALL;", DROPPED},
        {"A=1=2:ALL;", DROPPED},
        {"A=1:0;", DROPPED},
        {"A=1:0x1 0x2;", DROPPED},
        {"A=1:ALL:SELF;", DROPPED},
        {"A=1:ALL;\r\n", DROPPED},
        {"A=1:ALL\nB=2:ALL;", DROPPED},
        {"A=1:ALL;;\n", DROPPED},
        {"Looong=1:ALL=full,SELF=full\n;\nB=2:ALL;\n", DROPPED},
    };

    (void)state;
    sample_expect_partitions(rows, COUNT(rows));
}

static void test_a_lone_semicolon_takes_what_follows(void **state)
{
    static const struct sample_row rows[] = {
        {"A=0x1:\nALL\n;\nB=2:0x1;\n", "A 0x1: ALL=limited; B 0x2: 0x1=limited"},
        {"A=0x1:ALL\n;SELF=full\nB=0x2:ALL;\n", "A 0x1: ALL=limited SELF=full; B 0x2: ALL=limited"},
    };

    (void)state;
    sample_expect_partitions(rows, COUNT(rows));
    sample_expect_text("A=0x1:ALL=full\n;SELF=full\n", 0, "column 1: no text stands before");
}

static void test_mistakes_tell_line_column_and_what_was_expected(void **state)
{
    (void)state;
    sample_expect_text("\n  A=1 ALL;", 0, "column 3: expected NAME=KEY : MEMBERS with the colon");
    sample_expect_text("A=1:ALL,  0x1z;", 0, "column 11: expected a port GUID, ALL, ");
    sample_expect_text("A=zz:ALL;", 0,
                       "column 3: expected a P_Key, such as 0x1, in place of \"zz\"");
    sample_expect_text("A=1:0002c903000010f1;", 0, "hexadecimal numbers begin with 0x");
    sample_expect_text("A=1:ALL\nB=2:ALL;", 0, "lack its semicolon?");
    sample_expect_text("A=1:ALL\r\n;", 0, "lines end in CR LF");
    sample_expect_text("A=1:SELF 0x1;", 0, "commas stand between members");
    sample_expect_text("A=1:x;", 0, "drops the whole file: every port becomes a full member");
}

static void test_a_byte_order_mark_has_a_hint_of_its_own(void **state)
{
    static const struct sample_row rows[] = {
        {"\xEF\xBB\xBF"
         "A=1:ALL=full;",
         "1 byte-order-mark"},
        {"\xEF\xBB\xBF# comment\nA=1:ALL=full;", "1 byte-order-mark, 1 syntax"},
        {"\xEF\xBB", "1 syntax"},
        {"A=1:ALL=full;\n\xEF\xBB\xBF", "2 syntax"},
    };

    (void)state;
    sample_expect_problems(rows, COUNT(rows));
}

static void test_it_is_kept_where_opensm_stops(void **state)
{
    struct partitions *t = sample_parse("A=1:ALL;\nB=2:x;\nC=3:y;\n", false);

    (void)state;
    assert_int_equal(t->stop_line, 2);
    partitions_free(t);
    t = sample_parse("A=1:ALL;\n", false);
    assert_int_equal(t->stop_line, 0);
    partitions_free(t);
}

/* All keys but those of the default partition, then as many definitions without one. */
static struct partitions *parse_keyless(int count)
{
    size_t space = 0x8000 * 24;
    char *text = malloc(space);
    struct partitions *t;
    size_t used = 0;

    assert_non_null(text);
    for (int i = 1; i < 0x7fff + count; i++) {
        if (i < 0x7fff)
            used += (size_t)snprintf(text + used, space - used, "k%d=%d:ALL=full;\n", i, i);
        else
            used += (size_t)snprintf(text + used, space - used, "x:ALL=full;\n");
        assert_in_range(used, 1, space - 1);
    }
    t = sample_parse(text, false);
    free(text);
    return t;
}

static void test_definitions_for_which_no_key_is_left_are_summed_up(void **state)
{
    struct partitions *t = parse_keyless(100);

    (void)state;
    assert_int_equal(t->problems.count, 100);
    assert_int_equal(t->stop_line, 0x7fff);
    partitions_free(t);
    t = parse_keyless(103);
    assert_int_equal(t->problems.count, 101);
    assert_int_equal(t->problems.items[100].line, 0x7fff + 100);
    assert_non_null(strstr(t->problems.items[100].text, "this definition and 2 behind it"));
    partitions_free(t);
}

static void test_reading_goes_on_after_a_mistake(void **state)
{
    static const struct sample_row rows[] = {
        {"A=1:x,\n0x1;B=y:ALL;\nC=3,foo:0x1=full;", "1 syntax, 2 syntax, 3 unknown-flag"},
        {"A 1;B=2,foo:ALL;", "1 syntax, 1 unknown-flag"},
        {"A=1:x;\n;\n;;B=2,foo:ALL;", "1 syntax, 3 unknown-flag"},
    };

    (void)state;
    sample_expect_problems(rows, COUNT(rows));
}

static void test_numbers_and_words_that_are_doubtful(void **state)
{
    static const struct sample_row rows[] = {
        {"A=0:0x1=full;", "1 invalid-key"},
        {"A=0x8000:0x1=full;", "1 invalid-key"},
        {"Default=0:0x1=full;", "1 invalid-key"},
        {"A=0x10000:0x1=full;", "1 key-range, 1 invalid-key"},
        {"A=0x12345:0x1=full;", "1 key-range"},
        {"A=010:0x1=full;", "1 key-range"},
        {"A=1:-1=full;", "1 bad-value"},
        {"A=1:0x10000000000000000=full;", "1 bad-value"},
        {"A=1:012=full;", "1 bad-value"},
        {"A=1:0x1=fully,0x2=full;", "1 unknown-membership"},
        {"A=1:0x1=full=limited,0x2=full;", "1 unknown-membership"},
        {"A=1:0x1=;", "1 unknown-membership"},
        {"A=1:=full,0x2=full;", "1 ignored"},
        {"A=1:A=full;", "1 abbreviation"},
        {"A=1:ALL=both;", "1 both-forms"},
        {"a-name-of-thirty-two-bytes-or-more=1:ALL=full;", "1 name"},
    };

    (void)state;
    sample_expect_problems(rows, COUNT(rows));
}

static void test_both_forms_are_kept_where_opensm_allows_them(void **state)
{
    struct partitions *t = sample_parse("A=1:ALL=both,SELF=full,0x1=both,0x1;", true);
    char got[SAMPLE_SHOWN_BYTES];

    (void)state;
    sample_partitions(t, got);
    assert_string_equal(got, "Default 0x7fff: ALL=limited SELF=full; A 0x1: ALL=both SELF=full "
                             "0x1=limited");
    partitions_free(t);
}

/* A definition, a line of blanks or of a comment, and another definition at its end. */
static struct partitions *parse_long(size_t blanks, const char *end)
{
    size_t length = 14 + blanks;
    char *text = malloc(length + 32);
    struct partitions *t;

    assert_non_null(text);
    memcpy(text, "A=1:SELF=full;", 14);
    memset(text + 14, ' ', blanks);
    snprintf(text + length, 32, "%s", end);
    t = sample_parse(text, false);
    free(text);
    return t;
}

static void test_lines_are_cut_as_by_opensm(void **state)
{
    char got[SAMPLE_SHOWN_BYTES];
    struct partitions *t = parse_long(4094 - 14, "B=2:SELF=full;\n");

    (void)state;
    sample_partitions(t, got);
    assert_non_null(strstr(got, "B 0x2: SELF=full"));
    sample_problems(t, got);
    assert_string_equal(got, "1 long-line");
    partitions_free(t);
    t = parse_long(4093 - 14, "B=2:SELF=full;\n");
    sample_problems(t, got);
    assert_string_equal(got, "1 syntax, 1 long-line");
    partitions_free(t);
    t = parse_long(4094 - 14, "\n");
    assert_int_equal(t->problems.count, 0);
    partitions_free(t);
}

static void expect_refused(const char *text, size_t bytes, int wanted, uint32_t line)
{
    struct partitions_error error = {.text = ""};
    struct partitions *t = NULL;

    assert_int_equal(partitions_parse(text, bytes, false, &t, &error), wanted);
    assert_null(t);
    assert_int_equal(error.line, line);
    assert_non_null(strstr(error.text, "try"));
}

static void test_what_is_no_text_or_too_long_is_refused(void **state)
{
    size_t bytes = PARTITIONS_INPUT_BYTES_MAX + 1;
    char *text = calloc(bytes, 1);

    (void)state;
    assert_non_null(text);
    expect_refused("A=1:ALL;\nB\0;", 12, WEFT_ERR_FORMAT, 2);
    expect_refused("\xFF\xFE"
                   "A\0=\0",
                   6, WEFT_ERR_FORMAT, 1);
    expect_refused("\xFE\xFF\0A\0=", 6, WEFT_ERR_FORMAT, 1);
    expect_refused(text, bytes, WEFT_ERR_FULL, 0);
    memset(text, ' ', PARTITIONS_LINE_BYTES_MAX + 1);
    expect_refused(text, PARTITIONS_LINE_BYTES_MAX + 1, WEFT_ERR_FULL, 1);
    free(text);
}

/* A text of one line many times over. */
static void expect_many_refused(const char *line, size_t count)
{
    size_t length = strlen(line);
    char *text = malloc(length * count);

    assert_non_null(text);
    for (size_t i = 0; i < count; i++)
        memcpy(text + i * length, line, length);
    expect_refused(text, length * count, WEFT_ERR_FULL, (uint32_t)count);
    free(text);
}

static void test_too_many_definitions_and_members_are_refused(void **state)
{
    (void)state;
    expect_many_refused("A=1:SELF=full;\n", PARTITIONS_DEFINED_MAX + 1);
    expect_many_refused("A:1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
                        "1,1,1,1,1,1,1,1,1,1,1,1,1,1;\n",
                        PARTITIONS_MEMBERS_MAX / 50);
}

static void test_without_a_file_all_ports_are_full_members(void **state)
{
    struct partitions *t = NULL;
    char got[SAMPLE_SHOWN_BYTES];

    (void)state;
    assert_int_equal(partitions_without_file(false, &t), 0);
    sample_partitions(t, got);
    assert_string_equal(got, DROPPED);
    assert_int_equal(t->problems.count, 0);
    partitions_free(t);
    assert_null(partitions_free(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definitions),
        cmocka_unit_test(test_one_mistake_drops_the_file),
        cmocka_unit_test(test_a_lone_semicolon_takes_what_follows),
        cmocka_unit_test(test_mistakes_tell_line_column_and_what_was_expected),
        cmocka_unit_test(test_a_byte_order_mark_has_a_hint_of_its_own),
        cmocka_unit_test(test_it_is_kept_where_opensm_stops),
        cmocka_unit_test(test_definitions_for_which_no_key_is_left_are_summed_up),
        cmocka_unit_test(test_reading_goes_on_after_a_mistake),
        cmocka_unit_test(test_numbers_and_words_that_are_doubtful),
        cmocka_unit_test(test_both_forms_are_kept_where_opensm_allows_them),
        cmocka_unit_test(test_lines_are_cut_as_by_opensm),
        cmocka_unit_test(test_what_is_no_text_or_too_long_is_refused),
        cmocka_unit_test(test_too_many_definitions_and_members_are_refused),
        cmocka_unit_test(test_without_a_file_all_ports_are_full_members),
    };

    return cmocka_run_group_tests_name("partitions_read", tests, NULL, NULL);
}
