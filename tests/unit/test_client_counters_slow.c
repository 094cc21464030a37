/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters of agents that take long for each answer, one after the other: all is read, nearly as
 * fast as they can, with few packets more than questions; and those that are fast wait for none. */
#include "client_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define FAT_TREE "fat-tree:hosts=324,radix=36"

/* What a leaf is asked: what it has, and 37 ports. */
#define LEAF_QUESTIONS 38

struct look {
    struct cf *cf;
    struct weft_sweep *sweep;
    weft_mad_agent_id agent;
    weft_time took;
    unsigned packets;
    uint32_t window; /* at most; 0: the default */
    struct weft_counters_stats stats;
};

static struct look look_new(const char *topology, const char *node)
{
    const struct weft_mad_agent_req gmp = {
        .qpn = WEFT_QP_GSI, .mgmt_class = WEFT_CLASS_PERF, .class_version = 1};
    struct fabric_config c;
    struct look l = {.took = 0};

    fabric_config_init(&c);
    c.up = true;
    l.cf = cf_new(topology, &c, node);
    assert_int_equal(weft_mad_agent_add(l.cf->engine, &gmp, &l.agent), 0);
    l.sweep = cf_sweep(l.cf, NULL);
    return l;
}

static void look_free(struct look *l)
{
    (void)weft_sweep_free(l->sweep);
    cf_free(l->cf);
}

static void slow(struct look *l, const char *node, unsigned ms)
{
    char line[64];

    (void)snprintf(line, sizeof(line), "pma %s time %ums", node, ms);
    l->cf->ff->now = l->cf->now;
    ff_command(l->cf->ff, line);
}

/* Reads the ports of one node, or all. */
static struct weft_counters *look_read(struct look *l, const char *node,
                                       const struct weft_counters *known)
{
    struct weft_counters_config config;
    bool *wanted = test_calloc(weft_sweep_port_count(l->sweep), sizeof(*wanted));
    struct weft_counters *c = NULL;

    (void)weft_counters_config_init(&config);
    for (uint32_t i = 0; node && i <= cf_node(l->sweep, node)->port_count; i++)
        wanted[cf_port(l->sweep, node, (uint8_t)i)] = true;
    if (l->window > 0)
        config.patience.window_first = config.patience.window_max = l->window;
    config.wanted = node ? wanted : NULL;
    l->took = l->cf->now;
    l->packets = l->cf->packets;
    assert_int_equal(weft_counters_new(l->sweep, &config, known, l->agent, NULL, &c), 0);
    cf_drive_counters(l->cf, c);
    l->took = l->cf->now - l->took;
    l->packets = l->cf->packets - l->packets;
    weft_counters_stats(c, &l->stats);
    test_free(wanted);
    return c;
}

static void expect_all_read(const struct look *l, const struct weft_counters *c)
{
    for (uint32_t i = 0; i < weft_sweep_port_count(l->sweep); i++)
        if (weft_counters_state(c, i) != WEFT_COUNTERS_UNASKED)
            assert_int_equal(weft_counters_state(c, i), WEFT_COUNTERS_READ);
}

/* Read without knowledge, then with: nobody says what it has then, and the ports are asked at once.
 */
static void test_a_slow_switch_is_read_whole_as_fast_as_it_can(void **state)
{
    static const unsigned ms[] = {1, 5, 10, 20, 50, 200};

    (void)state;
    for (size_t i = 0; i < sizeof(ms) / sizeof(ms[0]); i++) {
        struct look l = look_new(FAT_TREE, "host-00001");
        weft_time serves = LEAF_QUESTIONS * ms[i] * WEFT_MS;
        struct weft_counters *first, *second;

        slow(&l, "leaf-0002", ms[i]);
        first = look_read(&l, "leaf-0002", NULL);
        expect_all_read(&l, first);
        assert_int_equal(l.stats.answers, LEAF_QUESTIONS);
        assert_in_range(l.packets, LEAF_QUESTIONS, LEAF_QUESTIONS + LEAF_QUESTIONS / 8);
        assert_in_range(l.took, serves, serves + serves / 8);
        second = look_read(&l, "leaf-0002", first);
        expect_all_read(&l, second);
        assert_int_equal(l.stats.answers, LEAF_QUESTIONS - 1);
        assert_in_range(l.packets, LEAF_QUESTIONS - 1, LEAF_QUESTIONS + LEAF_QUESTIONS / 4);
        assert_in_range(l.took, serves - ms[i] * WEFT_MS, serves + serves / 4);
        (void)weft_counters_free(second);
        (void)weft_counters_free(first);
        look_free(&l);
    }
}

static void test_adapters_that_take_up_to_half_the_timeout_are_read(void **state)
{
    static const unsigned ms[] = {20, 50, 200, 500};

    (void)state;
    for (size_t i = 0; i < sizeof(ms) / sizeof(ms[0]); i++) {
        struct look l = look_new(ff_two_hosts, "a");
        struct weft_counters *c;

        slow(&l, "b", ms[i]);
        c = look_read(&l, NULL, NULL);
        expect_all_read(&l, c);
        /* Ten questions, and the copies that are sent within half a second. */
        assert_in_range(l.packets, 10, 18);
        (void)weft_counters_free(c);
        look_free(&l);
    }
}

/* Nothing is heard of it while it serves copies, and then of one port after the other. */
static void test_who_answers_is_not_given_up(void **state)
{
    struct look l = look_new(ff_two_hosts, "a");
    struct weft_counters *c;

    (void)state;
    slow(&l, "sw", 500);
    c = look_read(&l, NULL, NULL);
    expect_all_read(&l, c);
    assert_int_equal(l.stats.unheard, 0);
    assert_in_range(l.took, 6 * 500 * WEFT_MS, 15 * 500 * WEFT_MS);
    (void)weft_counters_free(c);
    look_free(&l);
}

/* Where packets get lost, it takes more of them until it is known that some answers are late. */
static void test_a_slow_switch_where_packets_get_lost(void **state)
{
    struct look l = look_new(FAT_TREE, "host-00001");
    weft_time serves = LEAF_QUESTIONS * 20 * WEFT_MS;
    struct weft_counters *c;

    (void)state;
    l.cf->ff->now = l.cf->now;
    ff_command(l.cf->ff, "loss 5% on transit");
    (void)weft_sweep_free(l.sweep);
    l.sweep = cf_sweep(l.cf, NULL);
    slow(&l, "leaf-0002", 20);
    c = look_read(&l, "leaf-0002", NULL);
    expect_all_read(&l, c);
    assert_in_range(l.packets, LEAF_QUESTIONS, 3 * LEAF_QUESTIONS);
    assert_in_range(l.took, serves, 3 * serves);
    (void)weft_counters_free(c);
    look_free(&l);
}

/* With a small window: the slow ones do not fill it. */
static void test_slow_switches_do_not_delay_others_nor_each_other(void **state)
{
    struct look l = look_new(FAT_TREE, "host-00001");
    weft_time serves = LEAF_QUESTIONS * 20 * WEFT_MS;
    struct weft_counters *c;

    (void)state;
    for (unsigned i = 2; i < 10; i++) {
        char name[16];

        (void)snprintf(name, sizeof(name), "leaf-%04u", i);
        slow(&l, name, 20);
    }
    l.window = 4;
    c = look_read(&l, NULL, NULL);
    expect_all_read(&l, c);
    assert_in_range(l.took, serves, serves + serves / 4);
    (void)weft_counters_free(c);
    look_free(&l);
}

static void test_a_slow_switch_that_has_stopped_is_given_up(void **state)
{
    struct look l = look_new(FAT_TREE, "host-00001");
    struct weft_counters *c, *again;

    (void)state;
    slow(&l, "leaf-0002", 20);
    c = look_read(&l, "leaf-0002", NULL);
    l.cf->ff->now = l.cf->now;
    ff_command(l.cf->ff, "loss 100% on agent leaf-0002");
    again = look_read(&l, "leaf-0002", c);
    assert_int_equal(weft_counters_state(again, cf_port(l.sweep, "leaf-0002", 1)),
                     WEFT_COUNTERS_SILENT);
    assert_in_range(l.took, 900 * WEFT_MS, WEFT_S);
    assert_in_range(l.packets, 1, 20);
    (void)weft_counters_free(again);
    (void)weft_counters_free(c);
    look_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_slow_switch_is_read_whole_as_fast_as_it_can),
        cmocka_unit_test(test_adapters_that_take_up_to_half_the_timeout_are_read),
        cmocka_unit_test(test_who_answers_is_not_given_up),
        cmocka_unit_test(test_a_slow_switch_where_packets_get_lost),
        cmocka_unit_test(test_slow_switches_do_not_delay_others_nor_each_other),
        cmocka_unit_test(test_a_slow_switch_that_has_stopped_is_given_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
