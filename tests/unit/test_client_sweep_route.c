/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sweeps of fabrics where somebody is dead and packets get lost: second ways, what that costs in
 * time, and that all the others are found. */
#include "client_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Fabrics of another seed each; SWEEP_SEEDS in the environment is for more of them. */
#define SEEDS 3

#define DEAD_HOSTS    8
#define DEAD_SWITCHES 2
#define DEAD          (DEAD_HOSTS + DEAD_SWITCHES)

struct dead {
    char names[DEAD][16];
};

static struct cf *lab(const char *topology, uint64_t seed)
{
    struct fabric_config c;

    fabric_config_init(&c);
    c.seed = seed;
    c.hop_ns = WEFT_US;
    c.agent_ns = 20 * WEFT_US;
    c.up = true;
    return cf_new(topology, &c, "host-00001");
}

static int seeds(void)
{
    const char *given = getenv("SWEEP_SEEDS");

    return given ? (int)strtol(given, NULL, 10) : SEEDS;
}

static bool is_among(const struct dead *dead, const char *name)
{
    for (int i = 0; i < DEAD; i++)
        if (strcmp(dead->names[i], name) == 0)
            return true;
    return false;
}

/* Ten others for each seed; what switches are behind leaves is found by other ways. */
static void choose_dead(uint64_t seed, struct dead *ret)
{
    for (unsigned i = 0; i < DEAD_HOSTS; i++)
        (void)snprintf(ret->names[i], 16, "host-%05u",
                       (unsigned)(2 + (seed * 131 + i * 241) % 1943));
    for (unsigned i = 0; i < DEAD_SWITCHES; i++)
        (void)snprintf(ret->names[DEAD_HOSTS + i], 16, "spine-%04u",
                       (unsigned)(1 + (seed * 17 + i * 53) % 108));
}

/* Every living node was found with all its ports, and every link but those of the dead. */
static void expect_the_living(const struct weft_sweep *s, const struct dead *dead)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < weft_sweep_node_count(s); i++) {
        const struct weft_sweep_node *n = weft_sweep_node(s, i);
        uint32_t first = n->type == WEFT_SWEEP_SWITCH ? 0 : 1;

        assert_false(is_among(dead, n->name));
        assert_true(n->name[0] != '\0');
        for (uint32_t p = n->first_port + first; p <= n->first_port + n->port_count; p++) {
            assert_true(weft_sweep_port(s, p)->told);
            assert_false(weft_sweep_port(s, p)->silent);
        }
        found++;
    }
    assert_int_equal(found, 1944 + 108 + 108 + 54 - DEAD_HOSTS - DEAD_SWITCHES);
}

/* Everybody who is dead is behind the ports that are said to have nobody behind them, with two
 * ways that were tried where there are two. */
static void expect_the_dead(const struct cf *cf, const struct weft_sweep *s,
                            const struct dead *dead)
{
    const struct weft_sweep_trouble *t;
    uint32_t hosts = 0, links = 0;

    for (uint32_t i = 0; weft_sweep_trouble(s, i, &t); i++) {
        const struct weft_sweep_port *p = weft_sweep_port(s, t->port);
        const struct weft_sweep_node *n = weft_sweep_node(s, p->node);
        const struct fabric *f = cf->ff->f;
        const char *name;

        assert_true(weft_sweep_trouble_stands(s, t));
        assert_int_equal(t->kind, WEFT_SWEEP_MUTE);
        assert_int_equal(n->type, WEFT_SWEEP_SWITCH);
        name = f->nodes[f->ports[ff_port(cf->ff, n->name, p->number)->peer].node].name;
        assert_true(is_among(dead, name));
        hosts += strncmp(name, "host", 4) == 0;
        links++;
        assert_int_equal(t->tried[0].ports[t->tried[0].hops - 1], p->number);
        /* To the own leaf there is only the own cable. */
        assert_int_equal(t->ways, strcmp(n->name, "leaf-0001") == 0 ? 1 : 2);
        if (t->ways == 1)
            continue;
        assert_int_equal(t->tried[1].ports[t->tried[1].hops - 1], p->number);
        assert_memory_not_equal(t->tried[0].ports, t->tried[1].ports, t->tried[0].hops);
    }
    assert_int_equal(hosts, DEAD_HOSTS);
    assert_int_equal(links, DEAD_HOSTS + 36 * DEAD_SWITCHES);
}

static weft_time sweep_lossy(uint64_t seed, const struct dead *dead)
{
    struct cf *cf = lab("fat-tree:hosts=1944,radix=36", seed);
    char line[64];
    weft_time took;
    struct weft_sweep *s;

    ff_command(cf->ff, "loss 5% on transit");
    for (int i = 0; dead && i < DEAD; i++) {
        (void)snprintf(line, sizeof(line), "loss 100%% on agent %s", dead->names[i]);
        ff_command(cf->ff, line);
    }
    s = cf_sweep(cf, NULL);
    assert_int_equal(weft_sweep_verdict(s), 0);
    took = cf->now;
    if (dead) {
        expect_the_living(s, dead);
        expect_the_dead(cf, s, dead);
    } else {
        assert_int_equal(weft_sweep_node_count(s), 1944 + 108 + 108 + 54);
    }
    (void)weft_sweep_free(s);
    cf_free(cf);
    return took;
}

static void test_ten_dead_and_5_percent_loss_cost_less_than_one_timeout(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (uint64_t)seeds(); seed++) {
        struct dead dead;
        weft_time alive, with_dead;

        choose_dead(seed, &dead);
        alive = sweep_lossy(seed, NULL);
        with_dead = sweep_lossy(seed, &dead);
        assert_true(with_dead > alive);
        assert_in_range(with_dead - alive, 1, WEFT_S);
    }
}

static void route_command(struct cf *cf, const struct weft_sweep *s, uint32_t entry,
                          const char *when)
{
    const struct weft_sweep_port *via = weft_sweep_port(s, weft_sweep_port(s, entry)->via);
    char line[160];

    (void)snprintf(line, sizeof(line), "%s loss 100%% on link %s/%u", when,
                   weft_sweep_node(s, via->node)->name, via->number);
    ff_command(cf->ff, line);
}

static void test_a_way_that_breaks_is_gone_around(void **state)
{
    struct cf *cf = lab("fat-tree:hosts=324,radix=36", 1);
    struct weft_sweep *s = cf_sweep(cf, NULL), *again;
    struct cf *broken = lab("fat-tree:hosts=324,radix=36", 1);
    const struct weft_sweep_trouble *t;
    weft_time half = cf->now / 2;
    char when[32];

    (void)state;
    (void)snprintf(when, sizeof(when), "at %lluns", (unsigned long long)half);
    for (uint32_t i = 2; i <= 4; i++) {
        char leaf[16];

        (void)snprintf(leaf, sizeof(leaf), "leaf-%04u", (unsigned)i);
        route_command(broken, s, cf_port(s, leaf, 0), when);
    }
    again = cf_sweep(broken, NULL);
    assert_int_equal(weft_sweep_node_count(again), 351);
    for (uint32_t i = 0; i < weft_sweep_port_count(again); i++)
        assert_false(weft_sweep_port(again, i)->silent);
    for (uint32_t i = 0; weft_sweep_trouble(again, i, &t); i++)
        assert_int_equal(weft_sweep_node(again, weft_sweep_port(again, t->port)->node)->type,
                         WEFT_SWEEP_SWITCH);
    assert_in_range(broken->now, 100 * WEFT_MS, 2 * WEFT_S);
    (void)weft_sweep_free(again);
    (void)weft_sweep_free(s);
    cf_free(broken);
    cf_free(cf);
}

static void test_where_there_is_one_way_it_is_the_one_that_was_tried(void **state)
{
    struct cf *cf = cf_new(ff_two_hosts, NULL, "a");
    const struct weft_sweep_trouble *t;
    struct weft_sweep *s;

    (void)state;
    ff_command(cf->ff, "loss 100% on agent b");
    s = cf_sweep(cf, NULL);
    assert_true(weft_sweep_trouble(s, 0, &t));
    assert_false(weft_sweep_trouble(s, 1, &t));
    assert_true(weft_sweep_trouble(s, 0, &t));
    assert_int_equal(t->kind, WEFT_SWEEP_MUTE);
    assert_int_equal(t->port, weft_sweep_node(s, 1)->first_port + 2);
    assert_int_equal(t->ways, 1);
    assert_int_equal(t->tried[0].hops, 2);
    assert_int_equal(t->tried[0].ports[1], 2);
    (void)weft_sweep_free(s);
    cf_free(cf);
}

static void test_who_stops_answering_is_named_once(void **state)
{
    struct cf *cf = lab("fat-tree:hosts=8,radix=4", 1);
    const struct weft_sweep_trouble *t = NULL;
    struct weft_sweep *s;

    (void)state;
    ff_command(cf->ff, "at 70us loss 100% on agent leaf-0001");
    s = cf_sweep(cf, NULL);
    assert_true(weft_sweep_trouble(s, 0, &t));
    assert_int_equal(t->kind, WEFT_SWEEP_STOPPED);
    assert_int_equal(t->ways, 1);
    assert_false(weft_sweep_trouble(s, 1, &t));
    assert_int_equal(weft_sweep_port(s, t->port)->node, 1);
    assert_true(weft_sweep_port(s, weft_sweep_node(s, 1)->first_port)->silent);
    assert_int_equal(weft_sweep_node_count(s), 2);
    (void)weft_sweep_free(s);
    cf_free(cf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ten_dead_and_5_percent_loss_cost_less_than_one_timeout),
        cmocka_unit_test(test_a_way_that_breaks_is_gone_around),
        cmocka_unit_test(test_where_there_is_one_way_it_is_the_one_that_was_tried),
        cmocka_unit_test(test_who_stops_answering_is_named_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
