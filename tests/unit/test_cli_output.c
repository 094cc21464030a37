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
#include <sys/ioctl.h>
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

static void test_json_items_have_a_line_each(void **state)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    (void)state;
    assert_non_null(out);
    assert_true(json_print_item(json_pack("{s:s, s:n}", "b", "\"", "a"), true, out));
    assert_true(json_print_item(json_pack("[i]", 1), false, out));
    assert_false(json_print_item(NULL, false, out));
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "\n  {\"b\": \"\\\"\", \"a\": null},\n  [1]");
    free(text);
    out = fopen("/dev/full", "w");
    assert_non_null(out);
    setvbuf(out, NULL, _IONBF, 0);
    assert_false(json_print_item(json_array(), true, out));
    fclose(out);
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

/* The time at which a bar starts, and by which it must have been drawn. */
static const uint64_t start_ns = 7000000000, late_ns = 8000000000;

static void test_no_progress_where_no_terminal_is(void **state)
{
    int fd = temporary_file();
    struct capture err = lead(stderr, fd);
    struct progress p;

    (void)state;
    progress_start(&p, "trial", start_ns);
    progress_update(&p, late_ns, 1, 2);
    progress_end(&p);
    lead_back(err);
    assert_file_holds(fd, "");
}

/* A terminal, as far as programs can tell. */
struct terminal {
    int master, slave;
};

static struct terminal terminal_open(void)
{
    struct terminal t = {.master = posix_openpt(O_RDWR | O_NOCTTY)};

    assert_true(t.master >= 0);
    assert_int_equal(grantpt(t.master), 0);
    assert_int_equal(unlockpt(t.master), 0);
    t.slave = open(ptsname(t.master), O_RDWR | O_NOCTTY);
    assert_true(t.slave >= 0);
    assert_int_equal(fcntl(t.master, F_SETFL, O_NONBLOCK), 0);
    return t;
}

static void assert_terminal_got(struct terminal *t, const char *wanted)
{
    char text[512];
    size_t length = 0;
    ssize_t more;

    while ((more = read(t->master, text + length, sizeof(text) - 1 - length)) > 0)
        length += (size_t)more;
    text[length] = '\0';
    assert_string_equal(text, wanted);
    close(t->slave);
    close(t->master);
}

static void test_progress_on_a_terminal_is_drawn_and_taken_off(void **state)
{
    struct terminal t = terminal_open();
    struct capture err = lead(stderr, t.slave);
    struct progress p;

    (void)state;
    progress_start(&p, "trial", start_ns);
    progress_update(&p, start_ns, 0, 2); /* it may be a short run */
    progress_update(&p, late_ns, 1, 2);
    progress_update(&p, late_ns + 1, 2, 2); /* too soon to draw again */
    progress_update(&p, late_ns + 1000000000, 3, 2);
    progress_end(&p);
    lead_back(err);
    assert_terminal_got(&t, "\r\033[Ktrial [####################                    ]  50%"
                            "\r\033[Ktrial [########################################] 100%"
                            "\r\033[K");
}

static void test_progress_without_a_known_end_is_a_number(void **state)
{
    struct terminal t = terminal_open();
    struct capture err = lead(stderr, t.slave);
    struct progress p;

    (void)state;
    progress_start(&p, "trial", start_ns);
    progress_update(&p, late_ns, 1234, 0);
    progress_end(&p);
    lead_back(err);
    assert_terminal_got(&t, "\r\033[Ktrial: 1234\r\033[K");
}

static void test_a_short_run_draws_no_progress(void **state)
{
    struct terminal t = terminal_open();
    struct capture err = lead(stderr, t.slave);
    struct progress p;

    (void)state;
    progress_start(&p, "trial", start_ns);
    progress_update(&p, start_ns + 1, 1, 2);
    progress_end(&p);
    lead_back(err);
    assert_terminal_got(&t, "");
}

static void test_a_status_line_is_cut_at_the_terminals_width(void **state)
{
    const struct winsize narrow = {.ws_row = 24, .ws_col = 11};
    struct terminal t = terminal_open();
    struct capture err;
    struct progress p;

    (void)state;
    assert_int_equal(ioctl(t.slave, TIOCSWINSZ, &narrow), 0);
    err = lead(stderr, t.slave);
    progress_start(&p, "trial", start_ns);
    progress_text(&p, "two words");
    progress_text(&p, "more than two words");
    progress_end(&p);
    lead_back(err);
    assert_terminal_got(&t, "\r\033[Ktwo words\r\033[Kmore than \r\033[K");
}

static void test_no_status_line_where_no_terminal_is(void **state)
{
    int fd = temporary_file();
    struct capture err = lead(stderr, fd);
    struct progress p;

    (void)state;
    progress_start(&p, "trial", start_ns);
    progress_text(&p, "two words");
    progress_end(&p);
    lead_back(err);
    assert_file_holds(fd, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_table_sets_words_left_and_numbers_right),
        cmocka_unit_test(test_json_keeps_the_order_of_members),
        cmocka_unit_test(test_json_without_memory_is_a_failure_that_is_said),
        cmocka_unit_test(test_json_items_have_a_line_each),
        cmocka_unit_test(test_messages_have_the_commands_name_and_a_next_step),
        cmocka_unit_test(test_no_progress_where_no_terminal_is),
        cmocka_unit_test(test_progress_on_a_terminal_is_drawn_and_taken_off),
        cmocka_unit_test(test_progress_without_a_known_end_is_a_number),
        cmocka_unit_test(test_a_short_run_draws_no_progress),
        cmocka_unit_test(test_a_status_line_is_cut_at_the_terminals_width),
        cmocka_unit_test(test_no_status_line_where_no_terminal_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
