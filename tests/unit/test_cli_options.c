/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/cli/options.c: command lines, right and wrong, and how parsing ends. */
#include "cli/options.h"
#include "cli/verb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    OPT_COUNT = 1,
    OPT_WAIT,
    OPT_SHARE,
    OPT_WORD,
    OPT_FLAG,
    OPT_TEXT,
    OPT_FACTOR
};

static const struct poptOption table[] = {
    {"count", 'c', POPT_ARG_STRING, NULL, OPT_COUNT, "a count", "N"},
    {"wait", '\0', POPT_ARG_STRING, NULL, OPT_WAIT, "a duration", "TIME"},
    {"share", '\0', POPT_ARG_STRING, NULL, OPT_SHARE, "a share", "SHARE"},
    {"word", '\0', POPT_ARG_STRING, NULL, OPT_WORD, "a word", "WORD"},
    {"flag", '\0', POPT_ARG_NONE, NULL, OPT_FLAG, "a flag", NULL},
    {"text", '\0', POPT_ARG_STRING, NULL, OPT_TEXT, "any text", "TEXT"},
    {"factor", '\0', POPT_ARG_STRING, NULL, OPT_FACTOR, "a factor", "X"},
    POPT_TABLEEND,
};

static const struct options_about about = {
    .verb = "trial", .arguments = "[OPTION...] FILE", .text = "Tries options.\n", .table = table};

static const char *const words[] = {"drop", "busy", "stale", NULL};

/* What one command line gave. */
struct got {
    uint64_t count;
    weft_time wait_ns;
    uint32_t share_millionths;
    size_t word;
    uint64_t factor_thousandths;
    unsigned flags;
    bool text_is_hello;
    bool file_is_f;
    int exit_code;
    bool stopped;
};

static void take(struct options *o, int option, struct got *got)
{
    switch (option) {
    case OPT_COUNT:
        options_count(o, 1, 100, &got->count);
        break;
    case OPT_WAIT:
        options_duration(o, 0, 10 * WEFT_S, &got->wait_ns);
        break;
    case OPT_SHARE:
        options_share(o, &got->share_millionths);
        break;
    case OPT_WORD:
        options_word(o, words, &got->word);
        break;
    case OPT_FLAG:
        got->flags++;
        break;
    case OPT_FACTOR:
        options_factor(o, 1, 2500, &got->factor_thousandths);
        break;
    default:
        assert_int_equal(option, OPT_TEXT);
        got->text_is_hello = strcmp(options_text(o), "hello") == 0;
    }
}

/* Parses up to six words after the verb as a verb does. */
static struct got parse(const char *const line[6])
{
    struct got got = {
        .count = 7, .wait_ns = 7, .share_millionths = 7, .word = 7, .factor_thousandths = 7};
    const char *argv[8] = {"trial"};
    const char *file;
    struct options o;
    int argc = 1;
    int option;

    while (argc < 7 && line[argc - 1]) {
        argv[argc] = line[argc - 1];
        argc++;
    }
    options_start(&o, &about, argc, argv);
    while ((option = options_next(&o)) > 0)
        take(&o, option, &got);
    file = options_argument(&o);
    got.file_is_f = file && strcmp(file, "f") == 0;
    options_no_more_arguments(&o);
    got.stopped = options_stopped(&o);
    got.exit_code = options_done(&o);
    assert_string_equal(argv[0], "trial");
    return got;
}

#define PARSE(...) parse((const char *const[6]){__VA_ARGS__})

static void test_values_are_read(void **state)
{
    struct got got = PARSE("--count=100", "--wait", "1.5ms", "--share=5%", "--word", "stale");

    (void)state;
    assert_false(got.stopped);
    assert_int_equal(got.exit_code, CLI_DONE);
    assert_int_equal(got.count, 100);
    assert_int_equal(got.wait_ns, 1500000);
    assert_int_equal(got.share_millionths, 50000);
    assert_int_equal(got.word, 2);
    assert_int_equal(PARSE("--factor=2.5").factor_thousandths, 2500);
    assert_int_equal(PARSE("--factor=0.001").factor_thousandths, 1);
}

static void test_flags_texts_and_arguments_are_read(void **state)
{
    struct got got = PARSE("--flag", "f", "--text", "hello", "--flag", "-c5");

    (void)state;
    assert_false(got.stopped);
    assert_int_equal(got.flags, 2);
    assert_true(got.text_is_hello);
    assert_true(got.file_is_f);
    assert_int_equal(got.count, 5);
}

static void test_an_empty_command_line_changes_nothing(void **state)
{
    struct got got = PARSE(NULL);

    (void)state;
    assert_false(got.stopped);
    assert_int_equal(got.count, 7);
    assert_false(got.file_is_f);
}

static void test_wrong_words_end_in_a_usage_error(void **state)
{
    static const char *const lines[][6] = {
        {"--count=0"},   {"--count=101"},    {"--count=1x"},      {"--count"},
        {"--count="},    {"--wait=11s"},     {"--wait=4"},        {"--share=1.1"},
        {"--word=buzy"}, {"--word="},        {"--nothing"},       {"-x"},
        {"--flag=yes"},  {"f", "g"},         {"--", "f", "g"},    {"--conut=3", "f"},
        {"--factor=0"},  {"--factor=2.501"}, {"--factor=0.0001"}, {"--factor=x"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        struct got got = parse(lines[i]);

        if (!got.stopped || got.exit_code != CLI_USAGE)
            fail_msg("%s is accepted", lines[i][0]);
        assert_int_equal(got.count, 7);
        assert_int_equal(got.wait_ns, 7);
        assert_int_equal(got.share_millionths, 7);
        assert_int_equal(got.word, 7);
        assert_int_equal(got.factor_thousandths, 7);
    }
}

static void test_the_first_wrong_word_ends_parsing(void **state)
{
    struct got got = PARSE("--count=0", "--wait=1s", "--flag");

    (void)state;
    assert_true(got.stopped);
    assert_int_equal(got.wait_ns, 7);
    assert_int_equal(got.flags, 0);
}

static void test_after_two_dashes_everything_is_an_argument(void **state)
{
    struct got got = PARSE("--", "f");

    (void)state;
    assert_false(got.stopped);
    assert_true(got.file_is_f);
}

/* A verb that runs another command leaves that one's options alone. */
static void test_the_words_of_another_command_are_its_own(void **state)
{
    static const struct options_about runs = {.verb = "trial",
                                              .arguments = "[OPTION...] PROGRAM",
                                              .text = "Runs.\n",
                                              .table = table,
                                              .runs = true};
    static const char *const lines[][6] = {{"trial", "--flag", "prog", "--flag", "-x"},
                                           {"trial", "--flag", "--", "prog", "--flag", "-x"}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const char *argv[7] = {NULL};
        const char *const *rest;
        struct options o;

        memcpy(argv, lines[i], sizeof(lines[i]));
        options_start(&o, &runs, i == 0 ? 5 : 6, argv);
        assert_int_equal(options_next(&o), OPT_FLAG);
        assert_int_equal(options_next(&o), 0);
        rest = options_arguments(&o);
        assert_string_equal(rest[0], "prog");
        assert_string_equal(rest[1], "--flag");
        assert_string_equal(rest[2], "-x");
        assert_null(rest[3]);
        assert_int_equal(options_done(&o), CLI_DONE);
    }
}

/* What an option keeps of its argument. */
static void test_texts_are_kept(void **state)
{
    const char *argv[] = {"trial", "--text", "first", "--text", "second", "--text="};
    struct options o;
    char *kept = NULL;

    (void)state;
    options_start(&o, &about, 6, argv);
    assert_int_equal(options_next(&o), OPT_TEXT);
    options_keep(&o, "a name", &kept);
    assert_string_equal(kept, "first");
    assert_int_equal(options_next(&o), OPT_TEXT);
    options_keep(&o, "a name", &kept);
    assert_int_equal(options_next(&o), OPT_TEXT);
    assert_string_equal(kept, "second");
    options_keep(&o, NULL, &kept);
    assert_string_equal(kept, "");
    assert_false(options_stopped(&o));
    options_keep(&o, "a name", &kept);
    assert_true(options_stopped(&o));
    assert_int_equal(options_done(&o), CLI_USAGE);
    free(kept);
}

/* What a verb can do, and the number by which a test knows it. */
struct deed {
    const char *name;
    int number;
};

static const struct deed deeds[] = {{"paint", 3}, {"polish", 5}, {"pack", 7}, {NULL, 9}};

/* The number of the deed that a word means; 0: none, and why stands in *ret_said. */
static int deed_of(const struct options_about *a, const char *word, char ret_said[256])
{
    const char *argv[] = {"trial", word};
    const struct deed *deed;
    struct options o;
    FILE *said = tmpfile();
    int kept = dup(STDERR_FILENO);
    size_t length;

    assert_non_null(said);
    options_start(&o, a, word ? 2 : 1, argv);
    assert_int_equal(options_next(&o), 0);
    (void)fflush(stderr);
    assert_int_not_equal(dup2(fileno(said), STDERR_FILENO), -1);
    deed = options_action(&o, deeds, sizeof(deeds[0]));
    (void)fflush(stderr);
    assert_int_not_equal(dup2(kept, STDERR_FILENO), -1);
    (void)close(kept);
    rewind(said);
    length = fread(ret_said, 1, 255, said);
    ret_said[length] = '\0';
    (void)fclose(said);
    assert_int_equal(options_stopped(&o), !deed);
    assert_int_equal(options_done(&o), deed ? CLI_DONE : CLI_USAGE);
    return deed ? deed->number : 0;
}

static void test_actions_are_found(void **state)
{
    char said[256];

    (void)state;
    assert_int_equal(deed_of(&about, "paint", said), 3);
    assert_int_equal(deed_of(&about, "pack", said), 7);
    assert_string_equal(said, "");
}

static void test_other_actions_are_refused(void **state)
{
    static const struct {
        bool asks;
        const char *word, *said;
    } cases[] = {
        {false, NULL, "what should it do? paint, polish or pack is missing"},
        {false, "sing", "trial cannot \"sing\"; it can paint, polish and pack"},
        {false, "polich", "trial cannot \"polich\"; did you mean \"polish\"?"},
        {true, NULL, "what is asked? paint, polish or pack is missing"},
        {true, "sing", "trial has no \"sing\"; it has paint, polish and pack"},
        {true, "polich", "trial has no \"polich\"; did you mean \"polish\"?"},
    };
    struct options_about a = about;
    char said[256];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        a.asks = cases[i].asks;
        assert_int_equal(deed_of(&a, cases[i].word, said), 0);
        if (!strstr(said, cases[i].said))
            fail_msg("\"%s\" is not in: %s", cases[i].said, said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_are_read),
        cmocka_unit_test(test_flags_texts_and_arguments_are_read),
        cmocka_unit_test(test_an_empty_command_line_changes_nothing),
        cmocka_unit_test(test_wrong_words_end_in_a_usage_error),
        cmocka_unit_test(test_the_first_wrong_word_ends_parsing),
        cmocka_unit_test(test_after_two_dashes_everything_is_an_argument),
        cmocka_unit_test(test_the_words_of_another_command_are_its_own),
        cmocka_unit_test(test_texts_are_kept),
        cmocka_unit_test(test_actions_are_found),
        cmocka_unit_test(test_other_actions_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
