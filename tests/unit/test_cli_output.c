/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/cli/table.c, json_print.c, message.c and progress.c: the exact text that leaves the program.
 */
#include "cli/json_print.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "cli/verb.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* A standard stream that is led elsewhere for a while. */
struct capture {
    FILE *stream;
    int saved;
};

static struct capture lead(FILE *stream, int to)
{
    struct capture c = {.stream = stream};

    fflush(stream);
    c.saved = dup(fileno(stream));
    assert_true(c.saved >= 0);
    assert_true(dup2(to, fileno(stream)) >= 0);
    return c;
}

static void lead_back(struct capture c)
{
    fflush(c.stream);
    assert_true(dup2(c.saved, fileno(c.stream)) >= 0);
    close(c.saved);
}

static int temporary_file(void)
{
    FILE *file = tmpfile();
    int fd;

    assert_non_null(file);
    fd = dup(fileno(file));
    fclose(file);
    assert_true(fd >= 0);
    return fd;
}

static void assert_file_holds(int fd, const char *wanted)
{
    char text[1024];
    ssize_t length = pread(fd, text, sizeof(text) - 1, 0);

    assert_true(length >= 0);
    text[length] = '\0';
    assert_string_equal(text, wanted);
    close(fd);
}

static void test_a_table_sets_words_left_and_numbers_right(void **state)
{
    static const struct table_column columns[] = {
        {"POLICY", false}, {"RESOLVED", true}, {NULL, false}};
    int fd = temporary_file();
    struct table *t = table_new(columns);
    struct capture out;

    (void)state;
    assert_non_null(t);
    for (unsigned row = 0; row < 2; row++) {
        table_row(t);
        table_cell(t, "%s", row == 0 ? "naive" : "port-flow");
        table_cell(t, "%u", row * 1000 + 7);
    }
    out = lead(stdout, fd);
    assert_int_equal(table_print(t), CLI_DONE);
    lead_back(out);
    assert_null(table_free(t));
    assert_null(table_free(NULL));
    assert_file_holds(fd, "POLICY    RESOLVED\n"
                          "naive            7\n"
                          "port-flow     1007\n");
}

static void test_json_keeps_the_order_of_members(void **state)
{
    int fd = temporary_file();
    struct capture out = lead(stdout, fd);
    int result = json_print(json_pack("{s:s, s:n}", "schema", "weft.trial/1", "none"));

    (void)state;
    lead_back(out);
    assert_int_equal(result, CLI_DONE);
    assert_file_holds(fd, "{\n  \"schema\": \"weft.trial/1\",\n  \"none\": null\n}\n");
}

static void test_json_without_memory_is_a_failure_that_is_said(void **state)
{
    int fd = temporary_file();
    struct capture err = lead(stderr, fd);
    int result = json_print(NULL);

    (void)state;
    lead_back(err);
    assert_int_equal(result, CLI_FAILED);
    assert_file_holds(fd, "weft: no memory for the JSON document\n");
}

static void test_messages_have_the_commands_name_and_a_next_step(void **state)
{
    int fd = temporary_file();
    struct capture err = lead(stderr, fd);
    int usage = message_usage("storm", "--clients \"%d\": too many", 7);
    int failed = message_failed("%s:%d: bad", "a.topo", 3);

    (void)state;
    message("LID %d", 5);
    message_try("another file");
    lead_back(err);
    assert_int_equal(usage, CLI_USAGE);
    assert_int_equal(failed, CLI_FAILED);
    assert_file_holds(fd, "weft: --clients \"7\": too many\nweft: try weft storm --help\n"
                          "weft: a.topo:3: bad\nweft: LID 5\nweft: try another file\n");
}

/* Runs a bar until it was drawn or two seconds of sleep have passed. */
static void run_bar(uint64_t done, uint64_t total)
{
    static const struct timespec pause = {.tv_nsec = 20000000};
    struct progress p;

    progress_start(&p, "trial");
    for (unsigned i = 0; i < 100 && !p.drawn; i++) {
        progress_update(&p, done, total);
        if (p.visible)
            nanosleep(&pause, NULL);
    }
    progress_end(&p);
}

static void test_no_progress_where_no_terminal_is(void **state)
{
    int fd = temporary_file();
    struct capture err = lead(stderr, fd);

    (void)state;
    run_bar(1, 2);
    lead_back(err);
    assert_file_holds(fd, "");
}

static void test_progress_on_a_terminal_is_drawn_and_taken_off(void **state)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    char text[256];
    size_t length = 0;
    ssize_t more;
    struct capture err;
    int slave;

    (void)state;
    assert_true(master >= 0);
    assert_int_equal(grantpt(master), 0);
    assert_int_equal(unlockpt(master), 0);
    slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    assert_true(slave >= 0);
    err = lead(stderr, slave);
    run_bar(1, 2);
    lead_back(err);
    assert_int_equal(fcntl(master, F_SETFL, O_NONBLOCK), 0);
    while ((more = read(master, text + length, sizeof(text) - 1 - length)) > 0)
        length += (size_t)more;
    text[length] = '\0';
    assert_string_equal(text, "\r\033[Ktrial [####################                    ]  50%"
                              "\r\033[K");
    close(slave);
    close(master);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_table_sets_words_left_and_numbers_right),
        cmocka_unit_test(test_json_keeps_the_order_of_members),
        cmocka_unit_test(test_json_without_memory_is_a_failure_that_is_said),
        cmocka_unit_test(test_messages_have_the_commands_name_and_a_next_step),
        cmocka_unit_test(test_no_progress_where_no_terminal_is),
        cmocka_unit_test(test_progress_on_a_terminal_is_drawn_and_taken_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
