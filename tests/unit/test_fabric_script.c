/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Scripts: when lines are done, scripts that are refused as a whole, limits, and a day of it. */
#include "fabric/fault.h"
#include "fabric/script.h"
#include "fabric_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void play(struct ff *ff, const char *text)
{
    struct fabric_error error = {.text = ""};
    uint32_t line = 0;

    if (fabric_script(ff->f, ff->now, text, strlen(text), &line, &error) != 0)
        fail_msg("line %u: %s", line, error.text);
}

static uint64_t count(const struct ff *ff)
{
    return ff_port(ff, "a", 1)->counters.wide[COUNTER_XMIT_WAIT];
}

static void test_lines_without_a_time_are_done_at_once_in_order(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);

    (void)state;
    play(ff, "# comment\n\ncounter a/1 xmit_wait set 5\r\ncounter a/1 xmit_wait add 2\n"
             "counter a/1 xmit_wait add 1");
    assert_int_equal(count(ff), 8);
    assert_int_equal(ff_stats(ff).scheduled, 0);
    play(ff, "");
    ff_free(ff);
}

static void test_a_call_ends_though_more_is_due(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    uint64_t done = 0;

    (void)state;
    play(ff, "every 1ms counter a/1 xmit_wait add 1");
    for (int calls = 0; fabric_deadline(ff->f) <= 3600 * WEFT_S; calls++) {
        assert_true(calls < 1000);
        assert_int_equal(fabric_advance(ff->f, 3600 * WEFT_S), 0);
        assert_true(count(ff) > done);
        assert_true(count(ff) - done <= FABRIC_WORK_MAX);
        done = count(ff);
    }
    assert_int_equal(done, 3600 * 1000 + (fabric_deadline(ff->f) % WEFT_MS == 0 ? 0 : 1));
    /* Another call that comes first: what is due is late, and it ends all the same. */
    assert_int_equal(fabric_command(ff->f, 7200 * WEFT_S, "clear", &(struct fabric_error){""}), 0);
    assert_true(count(ff) - done <= 2 * FABRIC_WORK_MAX);
    ff_free(ff);
}

static void test_lines_are_done_at_their_times(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);

    (void)state;
    ff_advance(ff, 7 * WEFT_S);
    play(ff, "at 2s counter a/1 xmit_wait add 10\n"
             "after 500ms counter a/1 xmit_wait add 100\n" /* at 2.5s */
             "at 1s counter a/1 xmit_wait add 1\n"
             "counter a/1 xmit_wait set 0\n"
             "after 3s counter a/1 xmit_wait add 1000\n"); /* after the line that is done at once */
    assert_int_equal(ff_stats(ff).scheduled, 4);
    assert_true(fabric_deadline(ff->f) == 8 * WEFT_S);
    ff_advance(ff, WEFT_S - 1);
    assert_int_equal(count(ff), 0);
    ff_advance(ff, 1);
    assert_int_equal(count(ff), 1);
    ff_advance(ff, WEFT_S);
    assert_int_equal(count(ff), 11);
    ff_advance(ff, 500 * WEFT_MS);
    assert_int_equal(count(ff), 111);
    ff_advance(ff, 500 * WEFT_MS);
    assert_int_equal(count(ff), 1111);
    assert_int_equal(ff_stats(ff).scheduled, 0);
    ff_free(ff);
}

static void test_equal_times_keep_the_order_of_lines(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);

    (void)state;
    play(ff, "at 1s counter a/1 xmit_wait add 3\nat 1s counter a/1 xmit_wait set 5\n"
             "at 1s counter a/1 xmit_wait add 1\n");
    ff_advance(ff, WEFT_S);
    assert_int_equal(count(ff), 6);
    ff_free(ff);
}

static void test_repetitions_go_on_until_their_end(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);

    (void)state;
    play(ff, "every 10s counter a/1 xmit_wait add 1 until 30s\n"
             "at 5s every 1min counter a/1 xmit_wait add 100\n"
             "every 5s counter a/1 xmit_wait add 1000 until 4s\n"); /* ends before it begins */
    assert_int_equal(ff_stats(ff).scheduled, 2);
    ff_advance(ff, 5 * WEFT_S);
    assert_int_equal(count(ff), 100);
    ff_advance(ff, 25 * WEFT_S);
    assert_int_equal(count(ff), 103);
    assert_int_equal(ff_stats(ff).scheduled, 1);
    ff_advance(ff, 10 * WEFT_S);
    assert_int_equal(count(ff), 103);
    ff_advance(ff, 25 * WEFT_S);
    assert_int_equal(count(ff), 203);
    ff_free(ff);
}

static void test_a_host_that_comes_late_misses_nothing(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);

    (void)state;
    play(ff, "every 1s counter a/1 xmit_wait add 1\n");
    assert_int_equal(fabric_advance(ff->f, 3600 * WEFT_S), 0);
    assert_int_equal(count(ff), 3600);
    ff_free(ff);
}

static void test_a_wrong_line_undoes_the_whole_script(void **state)
{
    static const struct {
        const char *text;
        uint32_t line;
        int err;
    } cases[] = {
        {"counter a/1 xmit_wait add 1\nat 1s node a dead\nat 2s nod a alive\n", 3, WEFT_ERR_FORMAT},
        {"counter a/1 xmit_wait add 1\n\n# x\nnode zz dead", 4, WEFT_ERR_NOTFOUND},
        {"loss 5% on all\nlink a/9 down\nxx", 2, WEFT_ERR_NOTFOUND},
        {"xx", 1, WEFT_ERR_FORMAT},
    };
    struct ff *ff = ff_new(ff_two_hosts, NULL);

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fabric_error error = {.text = ""};
        uint32_t line = 0;

        assert_int_equal(
            fabric_script(ff->f, 0, cases[i].text, strlen(cases[i].text), &line, &error),
            cases[i].err);
        assert_int_equal(line, cases[i].line);
        assert_true(error.text[0] != '\0');
        assert_int_equal(count(ff), 0);
        assert_int_equal(ff_stats(ff).scheduled, 0);
        assert_int_equal(ff_stats(ff).faults, 0);
        assert_true(fabric_deadline(ff->f) == WEFT_TIME_NEVER);
    }
    ff_free(ff);
}

static void test_names_are_those_when_the_script_is_given(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);

    (void)state;
    play(ff, "name a c\nnode a dead\nat 1s node a alive\n");
    assert_true(ff_node(ff, "c")->dead);
    ff_advance(ff, WEFT_S);
    assert_false(ff_node(ff, "c")->dead);
    ff_free(ff);
}

static void test_time_does_not_go_back(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct fabric_error error = {.text = ""};
    uint32_t line;

    (void)state;
    ff_advance(ff, WEFT_S);
    assert_int_equal(fabric_command(ff->f, 0, "clear", &error), WEFT_ERR_CLOCK);
    assert_true(error.text[0] != '\0');
    assert_int_equal(fabric_script(ff->f, 0, "clear", 5, &line, &error), WEFT_ERR_CLOCK);
    /* What was due before a command happens before it. */
    ff_command(ff, "at 1s counter a/1 xmit_wait add 7");
    assert_int_equal(fabric_command(ff->f, 5 * WEFT_S, "counter a/1 xmit_wait set 1", &error), 0);
    assert_int_equal(count(ff), 1);
    ff_free(ff);
}

static void test_only_so_many_lines_wait(void **state)
{
    static const char line[] = "at 1s counter a/1 xmit_wait add 1\n";
    const size_t bytes = sizeof(line) - 1;
    char *text = malloc(bytes * (SCRIPT_LINES_MAX + 1));
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct fabric_error error;
    uint32_t number = 0;

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i <= SCRIPT_LINES_MAX; i++)
        memcpy(text + i * bytes, line, bytes);
    assert_int_equal(fabric_script(ff->f, 0, text, bytes * (SCRIPT_LINES_MAX + 1), &number, &error),
                     WEFT_ERR_FULL);
    assert_int_equal(number, SCRIPT_LINES_MAX + 1);
    assert_int_equal(ff_stats(ff).scheduled, 0);
    assert_int_equal(fabric_script(ff->f, 0, text, bytes * SCRIPT_LINES_MAX, &number, &error), 0);
    assert_int_equal(ff_stats(ff).scheduled, SCRIPT_LINES_MAX);
    assert_int_equal(fabric_command(ff->f, 0, "at 5s clear", &error), WEFT_ERR_FULL);
    ff_advance(ff, WEFT_S);
    assert_int_equal(count(ff), SCRIPT_LINES_MAX);
    assert_int_equal(fabric_command(ff->f, ff->now, "at 5s clear", &error), 0);
    ff_free(ff);
    free(text);
}

static void test_only_so_many_faults_are_in_force(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct fault fault = {.kind = FAULT_DELAY, .place = FAULT_ON_ALL, .share = 1};
    struct fabric_error error = {.text = ""};

    (void)state;
    /* Filters that no command has stand in for more links than this fabric has. */
    for (int i = 0; i < FAULTS_MAX - 1; i++) {
        fault.where = (uint32_t)i % ff->f->port_count;
        fault.place = FAULT_ON_PORT;
        fault.filter = (enum fault_filter)(3 + i / (int)ff->f->port_count);
        assert_int_equal(fault_begin(ff->f, &fault), 0);
    }
    ff_command(ff, "at 1s loss 5% on link a/1");
    assert_int_equal(fabric_command(ff->f, ff->now, "loss 5% on link a/1", &error), WEFT_ERR_FULL);
    assert_non_null(strstr(error.text, "16384"));
    assert_int_equal(ff_stats(ff).faults, FAULTS_MAX - 1);
    ff_advance(ff, WEFT_S);
    assert_int_equal(ff_stats(ff).refused, 1);
    assert_int_equal(ff_stats(ff).faults, FAULTS_MAX - 1);
    ff_command(ff, "loss 5% on link a/1 out");
    assert_int_equal(ff_stats(ff).faults, FAULTS_MAX);
    ff_command(ff, "clear");
    assert_int_equal(ff_stats(ff).faults, 0);
    ff_free(ff);
}

/* Runs a fabric with faults for some time, and tells what came of it. */
static uint64_t history(uint64_t seed)
{
    struct fabric_config c;
    struct ff *ff;
    struct ff_program *a;
    struct packet answer;
    uint64_t hash = 0;

    fabric_config_init(&c);
    c.seed = seed;
    ff = ff_new(ff_chain, &c);
    a = ff_attach(ff, "a");
    play(ff, "loss 20% on all\nat 20ms delay 1ms jitter 3ms on link s1/2\n"
             "every 10ms counter a/1 xmit_wait add 1\nat 50ms reorder 10% by 2ms on node s2\n");
    for (int i = 0; i < 200; i++) {
        struct packet q = ff_directed(a, FF_ROUTE(1, 2), WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0);

        ff_send(a, &q);
        ff_advance(ff, WEFT_MS);
        while (ff_receive(a, &answer))
            hash = (hash ^ wire_get(WIRE_MAD_TID, answer.mad)) * 0x100000001b3u + (uint64_t)i;
    }
    assert_int_equal(count(ff), 20);
    ff_free(ff);
    return hash;
}

static void test_equal_seeds_have_equal_histories(void **state)
{
    (void)state;
    assert_true(history(1) == history(1));
    assert_true(history(1) != history(2));
}

#define DAY_HOURS    24
#define DAY_LINES    240
#define PROBE_PERIOD 7

/* A script of a few hundred lines, most of them every second or so. */
static char *day_script(void)
{
    static const char *const lines[] = {
        "every %ds counter h%d/1 symbol_errors add 1\n",
        "every %ds loss 10%% on node h%d\n",
        "every %ds clear on node h%d\n",
        "every %ds link h%d/1 down\n",
        "every %ds link h%d/1 up\n",
        "every %ds delay 1ms jitter 1ms on link h%d/1\n",
        "every %ds reorder 5%% by 2ms on link h%d/1 out\n",
        "every %ds clear on link h%d/1\n",
        "every %ds node h%d dead\n",
        "every %ds node h%d alive\n",
        "every %ds trap h%d/1 129\n",
        "every %ds pkey h%d/1 3 0x8001\n",
    };
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    assert_non_null(out);
    for (int i = 0; i < DAY_LINES; i++) {
        int kind = i % 12;

        fprintf(out, "after %dms ", i);
        /* The format is one of the constants above. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        fprintf(out, lines[kind], 1 + i % 5, 31 - i / 12 % 32);
#pragma GCC diagnostic pop
    }
    fclose(out);
    return text;
}

static void test_a_day_of_script_neither_leaks_nor_stops(void **state)
{
    struct ff *ff = ff_new("fat-tree:hosts=32,radix=8", NULL);
    char *text = day_script();
    struct ff_program *a;
    size_t bytes;
    uint64_t answers = 0, asked = 0;

    (void)state;
    for (int i = 0; i < 32; i++) {
        char line[64];

        snprintf(line, sizeof(line), "name 0x%llx h%d",
                 (unsigned long long)ff->f->nodes[ff->f->node_count - 32 + (uint32_t)i].guid, i);
        ff_command(ff, line);
    }
    a = ff_attach(ff, "h31");
    play(ff, text);
    free(text);
    bytes = fabric_bytes(ff->f);
    for (int s = 0; s < DAY_HOURS * 3600; s += PROBE_PERIOD) {
        struct packet q = ff_directed(a, FF_ROUTE(1), WEFT_METHOD_GET, WEFT_ATTR_NODE_INFO, 0);
        struct packet answer;

        ff_send(a, &q);
        ff_advance(ff, PROBE_PERIOD * WEFT_S);
        asked++;
        while (ff_receive(a, &answer))
            answers += answer.mad[WIRE_AT_MAD_METHOD] == WEFT_METHOD_GET_RESP ? 1 : 0;
    }
    assert_true(answers > asked / 10 && answers < asked);
    assert_int_equal(ff_stats(ff).scheduled, DAY_LINES);
    assert_true(ff_stats(ff).flights < 64 && ff_stats(ff).faults <= 32 * 8);
    assert_int_equal(ff_stats(ff).refused, 0);
    assert_true(fabric_bytes(ff->f) == bytes);
    ff_free(ff);
}

static void test_lines_that_wait_are_taken_back_by_number_or_all(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct fabric_error error = {.text = ""};

    (void)state;
    play(ff, "at 1s counter a/1 xmit_wait add 1\n"
             "at 1s counter a/1 xmit_wait add 10\n"
             "every 1s counter a/1 xmit_wait add 100");
    ff_command(ff, "cancel 2");
    assert_int_equal(ff_stats(ff).scheduled, 2);
    assert_int_equal(fabric_command(ff->f, ff->now, "cancel 2", &error), WEFT_ERR_NOTFOUND);
    ff_advance(ff, WEFT_S);
    assert_int_equal(count(ff), 101);
    /* Done, so it waits no more; the repeated one has kept its number. */
    assert_int_equal(fabric_command(ff->f, ff->now, "cancel 1", &error), WEFT_ERR_NOTFOUND);
    ff_command(ff, "cancel 3");
    ff_command(ff, "cancel all");
    ff_advance(ff, 10 * WEFT_S);
    assert_int_equal(count(ff), 101);
    assert_int_equal(ff_stats(ff).scheduled, 0);
    assert_true(fabric_deadline(ff->f) == WEFT_TIME_NEVER);
    /* No number is used twice. */
    ff_command(ff, "at 1s counter a/1 xmit_wait add 1");
    ff_command(ff, "cancel 4");
    assert_int_equal(ff_stats(ff).scheduled, 0);
    ff_free(ff);
}

static void test_a_script_takes_back_what_waits_but_not_itself(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);

    (void)state;
    play(ff, "at 3s counter a/1 xmit_wait add 1\n"
             "every 2s cancel all\n"
             "at 1s cancel all\n" /* takes the two above, not the one below */
             "cancel all\n"       /* at once: these three, as those below do not wait yet */
             "at 5s counter a/1 xmit_wait add 10\n");
    assert_int_equal(ff_stats(ff).scheduled, 1);
    play(ff, "every 2s cancel all\nat 1s counter a/1 xmit_wait add 100\n"
             "at 2s counter a/1 xmit_wait add 1000\n"); /* due together: the first one wins */
    ff_advance(ff, 9 * WEFT_S);
    assert_int_equal(count(ff), 100);
    assert_int_equal(ff_stats(ff).scheduled, 1);
    ff_free(ff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_without_a_time_are_done_at_once_in_order),
        cmocka_unit_test(test_a_call_ends_though_more_is_due),
        cmocka_unit_test(test_lines_are_done_at_their_times),
        cmocka_unit_test(test_equal_times_keep_the_order_of_lines),
        cmocka_unit_test(test_repetitions_go_on_until_their_end),
        cmocka_unit_test(test_a_host_that_comes_late_misses_nothing),
        cmocka_unit_test(test_a_wrong_line_undoes_the_whole_script),
        cmocka_unit_test(test_names_are_those_when_the_script_is_given),
        cmocka_unit_test(test_time_does_not_go_back),
        cmocka_unit_test(test_only_so_many_lines_wait),
        cmocka_unit_test(test_only_so_many_faults_are_in_force),
        cmocka_unit_test(test_equal_seeds_have_equal_histories),
        cmocka_unit_test(test_lines_that_wait_are_taken_back_by_number_or_all),
        cmocka_unit_test(test_a_script_takes_back_what_waits_but_not_itself),
        cmocka_unit_test(test_a_day_of_script_neither_leaks_nor_stops),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
