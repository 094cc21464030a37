/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Discovery and counters where nodes are dead and packets get lost: that every living port is read
 * and who is dead is named, what that adds in time, and to how many packets. */
#include "client_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Fabrics of another seed each; SWEEP_SEEDS in the environment is for more or less of them. */
#define SEEDS    20
/* Of these, those that are compared with the same fabric when all live. */
#define COMPARED 2

#define HOSTS  1944
#define LEAVES 108
#define SPINES 108
#define CORES  54
#define RADIX  36

/* Some are dead from the beginning, as many stop answering when the sweep has ended. */
#define DEAD 10

/* What packets that get lost add to the counters alone. */
#define LOSS_ADDS (200 * WEFT_MS)

struct look {
    struct cf *cf;
    struct weft_sweep *sweep;
    struct weft_counters *counters;
    weft_mad_agent_id agent;
    weft_time sweep_took, counters_took;
    unsigned packets; /* of the counters */
    weft_time took;   /* by both side by side */
};

static uint64_t seeds(void)
{
    const char *given = getenv("SWEEP_SEEDS");

    return given ? strtoull(given, NULL, 10) : SEEDS;
}

/* Numbers below 2 * DEAD are different ones. */
static const char *host(uint64_t seed, unsigned number, char ret[16])
{
    (void)snprintf(ret, 16, "host-%05u",
                   (unsigned)(2 + (seed * 131 + number * UINT64_C(96)) % (HOSTS - 1)));
    return ret;
}

static void kill_hosts(struct cf *cf, uint64_t seed, unsigned first)
{
    cf->ff->now = cf->now;
    for (unsigned i = first; i < first + DEAD; i++) {
        char line[64], name[16];

        (void)snprintf(line, sizeof(line), "loss 100%% on agent %s", host(seed, i, name));
        ff_command(cf->ff, line);
    }
}

static struct look look_begin(uint64_t seed, bool loss)
{
    const struct weft_mad_agent_req gmp = {
        .qpn = WEFT_QP_GSI, .mgmt_class = WEFT_CLASS_PERF, .class_version = 1};
    struct look l = {.counters = NULL};
    struct fabric_config c;

    fabric_config_init(&c);
    c.seed = seed;
    c.hop_ns = WEFT_US;
    c.agent_ns = 20 * WEFT_US;
    c.up = true;
    l.cf = cf_new("fat-tree:hosts=1944,radix=36", &c, "host-00001");
    assert_int_equal(weft_mad_agent_add(l.cf->engine, &gmp, &l.agent), 0);
    if (loss)
        ff_command(l.cf->ff, "loss 5% on transit");
    return l;
}

static void look_sweep(struct look *l)
{
    l->sweep = cf_sweep(l->cf, NULL);
    assert_int_equal(weft_sweep_verdict(l->sweep), 0);
    l->sweep_took = l->cf->now;
}

static void look_read(struct look *l)
{
    l->packets = l->cf->gmps;
    assert_int_equal(weft_counters_new(l->sweep, NULL, NULL, l->agent, NULL, &l->counters), 0);
    cf_drive_counters(l->cf, l->counters);
    assert_int_equal(weft_counters_verdict(l->counters), 0);
    l->packets = l->cf->gmps - l->packets;
    l->counters_took = l->cf->now - l->sweep_took;
}

/* Both, driven as the command does. */
static void look_survey(struct look *l)
{
    struct survey s = {.agent = l->agent};

    assert_int_equal(weft_sweep_new(NULL, l->cf->agent, NULL, &l->sweep), 0);
    (void)weft_counters_config_init(&s.config);
    s.sweep = l->sweep;
    cf_drive_survey(l->cf, &s);
    assert_int_equal(weft_sweep_verdict(s.sweep), 0);
    assert_int_equal(s.verdict, 0);
    assert_non_null(s.counters);
    l->counters = s.counters;
    l->packets = l->cf->gmps;
    l->took = l->cf->now;
}

static void look_end(struct look *l)
{
    (void)weft_counters_free(l->counters);
    (void)weft_sweep_free(l->sweep);
    cf_free(l->cf);
}

/* Links to each of those who are dead from the beginning have nobody behind them, no others. */
static void expect_the_dead(const struct look *l, uint64_t seed)
{
    const struct fabric *f = l->cf->ff->f;
    const struct weft_sweep_trouble *t;
    uint32_t links = 0;

    for (; weft_sweep_trouble(l->sweep, links, &t); links++) {
        const struct weft_sweep_port *p = weft_sweep_port(l->sweep, t->port);
        const struct port *at =
            ff_port(l->cf->ff, weft_sweep_node(l->sweep, p->node)->name, p->number);
        const char *behind = f->nodes[f->ports[at->peer].node].name;
        bool found = false;
        char name[16];

        for (unsigned i = 0; i < DEAD; i++)
            found |= strcmp(behind, host(seed, i, name)) == 0;
        assert_true(found);
        assert_int_equal(t->kind, WEFT_SWEEP_MUTE);
        assert_true(weft_sweep_trouble_stands(l->sweep, t));
    }
    assert_int_equal(links, DEAD);
}

/* All ports are read but those of the dead, and of those who have stopped. */
static void expect_the_living(const struct look *l, uint64_t seed, uint32_t stopped)
{
    uint32_t read = 0, silent = 0;

    for (uint32_t i = 0; i < weft_sweep_port_count(l->sweep); i++) {
        enum weft_counters_state state = weft_counters_state(l->counters, i);

        read += state == WEFT_COUNTERS_READ;
        silent += state == WEFT_COUNTERS_SILENT;
    }
    for (unsigned i = DEAD; i < DEAD + stopped; i++) {
        char name[16];

        assert_int_equal(
            weft_counters_state(l->counters, cf_port(l->sweep, host(seed, i, name), 1)),
            WEFT_COUNTERS_SILENT);
    }
    assert_int_equal(silent, stopped);
    /* Of adapters there is no port 0. */
    assert_int_equal(read, weft_sweep_port_count(l->sweep) - (HOSTS - DEAD) - stopped);
}

static void test_ten_dead_and_5_percent_loss_add_less_than_one_timeout(void **state)
{
    struct look clean = look_begin(1, false);

    (void)state;
    look_survey(&clean);
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        struct look l = look_begin(seed, true);
        uint32_t questions = HOSTS - DEAD + LEAVES + SPINES + CORES;

        kill_hosts(l.cf, seed, 0);
        look_survey(&l);
        expect_the_dead(&l, seed);
        expect_the_living(&l, seed, 0);
        /* The dead have their second while all else is asked, counters too. */
        assert_in_range(l.took, WEFT_S - WEFT_S / 10, clean.took + WEFT_S - 1);
        /* One in three is lost on the eight links there and back: half as many packets more. */
        questions += HOSTS - DEAD + (LEAVES + SPINES + CORES) * (RADIX + 1);
        assert_in_range(l.packets, questions, questions + questions / 2);
        look_end(&l);
    }
    look_end(&clean);
}

static void test_the_dead_add_less_than_one_timeout_to_what_loss_takes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= COMPARED; seed++) {
        struct look alive = look_begin(seed, true);
        struct look l = look_begin(seed, true);
        weft_time before;

        look_sweep(&alive);
        look_read(&alive);
        before = alive.sweep_took + alive.counters_took;
        kill_hosts(l.cf, seed, 0);
        look_sweep(&l);
        look_read(&l);
        assert_in_range(l.sweep_took, alive.sweep_took + 1, alive.sweep_took + WEFT_S);
        assert_in_range(l.sweep_took + l.counters_took, before + 1, before + WEFT_S);
        look_end(&l);
        look_end(&alive);
    }
}

static void test_who_stops_after_the_sweep_is_waited_for_once(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= COMPARED; seed++) {
        struct look l = look_begin(seed, true);

        kill_hosts(l.cf, seed, 0);
        look_sweep(&l);
        kill_hosts(l.cf, seed, DEAD);
        look_read(&l);
        expect_the_dead(&l, seed);
        expect_the_living(&l, seed, DEAD);
        assert_in_range(l.counters_took, WEFT_S, WEFT_S + LOSS_ADDS);
        look_end(&l);
    }
}

/* Waits that have become short do not make many packets of it. */
static void test_packets_to_who_is_dead_are_bounded(void **state)
{
    struct look alive = look_begin(1, false), dead = look_begin(1, false);
    unsigned sweep, counters;

    (void)state;
    look_sweep(&alive);
    sweep = alive.cf->packets;
    kill_hosts(dead.cf, 1, 0);
    look_sweep(&dead);
    /* Each of the living is asked for NodeInfo, NodeDescription and PortInfo. */
    sweep = dead.cf->packets - (sweep - 3 * DEAD);
    assert_in_range(sweep, 50 * DEAD, 60 * DEAD);
    look_read(&alive);
    kill_hosts(dead.cf, 1, DEAD);
    look_read(&dead);
    /* Each of the living is asked for what it has, and for its counters. */
    counters = dead.packets - (alive.packets - 2 * 2 * DEAD);
    assert_in_range(counters, 5 * DEAD, 8 * DEAD);
    look_end(&dead);
    look_end(&alive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ten_dead_and_5_percent_loss_add_less_than_one_timeout),
        cmocka_unit_test(test_the_dead_add_less_than_one_timeout_to_what_loss_takes),
        cmocka_unit_test(test_packets_to_who_is_dead_are_bounded),
        cmocka_unit_test(test_who_stops_after_the_sweep_is_waited_for_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
