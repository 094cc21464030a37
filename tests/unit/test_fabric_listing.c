/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is in force, as text: every kind of line, names that need quotes or a GUID, and that the
 * text does again what it tells. */
#include "fabric_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The whole text, for free(). */
static char *listing(const struct ff *ff)
{
    size_t bytes = fabric_faults_text(ff->f, NULL, 0);
    char *text = malloc(bytes + 1);

    assert_non_null(text);
    assert_int_equal(fabric_faults_text(ff->f, text, bytes + 1), bytes);
    assert_int_equal(strlen(text), bytes);
    return text;
}

/* What is listed, and that the fabric's count of faults is that of these lines. */
static void lists(const struct ff *ff, const char *wanted)
{
    struct fabric_stats stats;
    char *text = listing(ff);
    uint32_t faults = 0;

    assert_string_equal(text, wanted);
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1)
        faults += strncmp(line, "in ", 3) != 0;
    fabric_stats(ff->f, &stats);
    assert_int_equal(stats.faults, faults);
    free(text);
}

static void test_an_untouched_fabric_has_nothing_to_list(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);

    (void)state;
    lists(ff, "");
    ff_free(ff);
}

static void test_every_kind_of_line(void **state)
{
    static const char *const commands[] = {
        "node a dead",
        "sa b busy",
        "link sw/2 down",
        "link sw/1 width 1x",
        "loss 20% on all",
        "loss 0.0305% on node b replies",
        "delay 1500us on transit",
        "delay 2s jitter 1ns on node sw requests",
        "duplicate 100% on link a/1 out",
        "corrupt 1% on link a/1 in",
        "reorder 5% by 90min on node a",
        "at 1.5s link sw/2 up # later \t\r",
        "every 1h clear until 2h",
    };
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct fabric_error error;

    (void)state;
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (i != 10)
            ff_command(ff, commands[i]);
    assert_int_equal(fabric_command(ff->f, 0, commands[10], &error), WEFT_ERR_FORMAT);
    lists(ff, "node \"a\" dead\n"
              "sa \"b\" busy\n"
              "link \"sw\"/1 width 1x speed NDR\n"
              "link \"sw\"/2 down\n"
              "loss 20% on all\n"
              "loss 0.0305% on node \"b\" replies\n"
              "delay 1500us on transit\n"
              "delay 2s jitter 1ns on node \"sw\" requests\n"
              "duplicate 100% on link \"a\"/1 out\n"
              "corrupt 1% on link \"sw\"/1 out\n"
              "in 1.500s (cancel 1): at 1.5s link sw/2 up # later\n"
              "in 3600.000s (cancel 2): every 1h clear until 2h\n");
    ff_advance(ff, WEFT_S + 1);
    ff_command(ff, "clear");
    lists(ff, "node \"a\" dead\n"
              "sa \"b\" busy\n"
              "link \"sw\"/1 width 1x speed NDR\n"
              "link \"sw\"/2 down\n"
              "in 0.499s (cancel 1): at 1.5s link sw/2 up # later\n"
              "in 3598.999s (cancel 2): every 1h clear until 2h\n");
    ff_free(ff);
}

static void test_cables_are_listed_by_what_they_can_do(void **state)
{
    static const struct {
        const char *line, *listed;
    } cases[] = {
        {"link sw/1 width 2x speed SDR", "link \"sw\"/1 width 2x speed SDR\n"},
        {"link sw/1 width 4x speed DDR", "link \"sw\"/1 width 4x speed DDR\n"},
        {"link a/1 width 8x speed QDR", "link \"sw\"/1 width 8x speed QDR\n"},
        {"link sw/1 width 12x speed FDR", "link \"sw\"/1 width 12x speed FDR\n"},
        {"link sw/1 speed EDR", "link \"sw\"/1 width 12x speed EDR\n"},
        {"link sw/1 speed HDR", "link \"sw\"/1 width 12x speed HDR\n"},
        {"link a/1 restore", ""},
    };
    struct ff *ff = ff_new(ff_two_hosts, NULL);

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ff_command(ff, cases[i].line);
        lists(ff, cases[i].listed);
    }
    ff_free(ff);
}

static void test_names_that_are_no_words_or_not_unique(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);

    (void)state;
    ff_command(ff, "name a \"x \\\"1\\\" \\\\ \\x07/2\"");
    ff_command(ff, "node 0x20 dead");
    ff_command(ff, "at 1s link \"x \\\"1\\\" \\\\ \\x07/2\"/1 down");
    lists(ff, "node \"x \\\"1\\\" \\\\ \\x07/2\" dead\n"
              "in 1.000s (cancel 1): at 1s link \"x \\\"1\\\" \\\\ \\x07/2\"/1 down\n");
    ff_command(ff, "name 0x20 b");
    ff_advance(ff, WEFT_S);
    lists(ff, "node 0x0000000000000020 dead\nlink \"sw\"/1 down\n");
    ff_command(ff, "name 0x20 \"\"");
    lists(ff, "node 0x0000000000000020 dead\nlink \"sw\"/1 down\n");
    ff_free(ff);
}

static void test_the_text_does_it_again(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL), *again = ff_new(ff_two_hosts, NULL);
    struct fabric_error error = {.text = ""};
    uint32_t line = 0;
    char *text;

    (void)state;
    ff_command(ff, "node a dead");
    ff_command(ff, "link sw/2 width 1x speed SDR");
    ff_command(ff, "delay 1ms jitter 2ms on link b/1");
    ff_command(ff, "reorder 12.5% by 1min on all requests");
    text = listing(ff);
    if (fabric_script(again->f, 0, text, strlen(text), &line, &error) != 0)
        fail_msg("line %u: %s", line, error.text);
    lists(again, text);
    free(text);
    ff_free(ff);
    ff_free(again);
}

static void test_a_short_buffer_is_filled_and_closed(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    char text[5] = "xxxx";

    (void)state;
    ff_command(ff, "node a dead");
    assert_int_equal(fabric_faults_text(ff->f, text, sizeof(text)), strlen("node \"a\" dead\n"));
    assert_string_equal(text, "node");
    ff_free(ff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_untouched_fabric_has_nothing_to_list),
        cmocka_unit_test(test_every_kind_of_line),
        cmocka_unit_test(test_cables_are_listed_by_what_they_can_do),
        cmocka_unit_test(test_names_that_are_no_words_or_not_unique),
        cmocka_unit_test(test_the_text_does_it_again),
        cmocka_unit_test(test_a_short_buffer_is_filled_and_closed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
