/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Switches that are somebody else each time they are asked: they are reported and not crossed, all
 * others are found, and that takes hardly more requests than where all are honest. */
#include "client_fixture.h"
#include "core/wire/mad_header.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Six leaves with six hosts each, under three spines: two cables between a leaf and a spine. */
#define TREE   "fat-tree:hosts=36,radix=12"
#define LEAVES 6
#define SPINES 3
#define HOSTS  6
#define CABLES 2

/* What a switch is asked that lies: NodeInfo twice, what it has, its name, port 0 and 12 ports. */
#define LIAR_SENDS 17

static struct cf *fabric(const char *const *liars)
{
    struct fabric_config c;
    struct cf *cf;

    fabric_config_init(&c);
    c.up = true;
    cf = cf_new(TREE, &c, "host-00001");
    for (; *liars; liars++) {
        char line[64];

        (void)snprintf(line, sizeof(line), "lie %s new-guids", *liars);
        ff_command(cf->ff, line);
    }
    return cf;
}

static uint32_t unstable(const struct weft_sweep *s, const char *behind)
{
    const struct weft_sweep_trouble *t;
    uint32_t count = 0;

    for (uint32_t i = 0; weft_sweep_trouble(s, i, &t); i++) {
        const struct weft_sweep_port *p = weft_sweep_port(s, t->port);

        if (t->kind != WEFT_SWEEP_UNSTABLE)
            continue;
        assert_true(weft_sweep_trouble_stands(s, t));
        assert_int_not_equal(t->guid, 0);
        count += strcmp(weft_sweep_node(s, p->node)->name, behind) == 0;
    }
    return count;
}

/* Each switch is asked once more who it is, and no more than that. */
static void test_honest_switches_are_confirmed(void **state)
{
    static const char *const nobody[] = {NULL};
    struct cf *cf = fabric(nobody);
    struct weft_sweep *s = cf_sweep(cf, NULL);
    struct weft_sweep_prior *known = cf_known(s);
    const struct weft_sweep_trouble *t;
    struct weft_sweep *again;

    (void)state;
    assert_false(weft_sweep_trouble(s, 0, &t));
    for (uint32_t i = 0; i < weft_sweep_node_count(s); i++)
        assert_int_equal(weft_sweep_node(s, i)->confirmed,
                         weft_sweep_node(s, i)->type == WEFT_SWEEP_SWITCH);
    /* Who was there before need not say it twice. */
    again = cf_sweep_expecting(cf, NULL, known);
    assert_int_equal(weft_sweep_node_count(again), weft_sweep_node_count(s));
    assert_true(cf_node(again, "leaf-0001")->confirmed);
    (void)weft_sweep_prior_free(known);
    (void)weft_sweep_free(again);
    (void)weft_sweep_free(s);
    cf_free(cf);
}

/* Each of their cables leads to a switch that is not crossed; all else is found. */
static void test_liars_are_not_crossed(void **state)
{
    static const char *const nobody[] = {NULL}, *const one[] = {"spine-0001", NULL},
                             *const two[] = {"leaf-0002", "spine-0001", NULL};
    struct cf *honest = fabric(nobody), *spine = fabric(one), *both = fabric(two);
    struct weft_sweep *s = cf_sweep(honest, NULL);
    uint32_t nodes = weft_sweep_node_count(s);
    uint64_t sends = weft_sweep_sends(s);

    (void)state;
    (void)weft_sweep_free(s);
    s = cf_sweep(spine, NULL);
    assert_int_equal(weft_sweep_verdict(s), 0);
    assert_int_equal(weft_sweep_node_count(s), nodes - 1 + CABLES * LEAVES);
    assert_int_equal(unstable(s, "leaf-0001"), CABLES);
    assert_int_equal(unstable(s, "leaf-0006"), CABLES);
    assert_in_range(weft_sweep_sends(s), sends, sends + CABLES * LEAVES * LIAR_SENDS);
    (void)weft_sweep_free(s);
    s = cf_sweep(both, NULL);
    assert_int_equal(weft_sweep_verdict(s), 0);
    /* The liars are not seen by each other, nor are the hosts of the one that has some. */
    assert_int_equal(weft_sweep_node_count(s),
                     nodes - 2 - HOSTS + CABLES * (LEAVES - 1 + SPINES - 1));
    assert_int_equal(unstable(s, "leaf-0001"), CABLES);
    assert_int_equal(unstable(s, "spine-0002"), CABLES);
    assert_in_range(weft_sweep_sends(s), sends - HOSTS * 3,
                    sends + CABLES * (LEAVES + SPINES) * LIAR_SENDS);
    (void)weft_sweep_free(s);
    cf_free(both);
    cf_free(spine);
    cf_free(honest);
}

/* There is no port before the own switch: it is named by its own one. */
static void test_the_own_switch_may_be_unstable(void **state)
{
    struct cf *cf = cf_new(TREE, NULL, "leaf-0001");
    const struct weft_sweep_trouble *t = NULL;
    struct weft_sweep *s;

    (void)state;
    ff_command(cf->ff, "lie leaf-0001 new-guids");
    s = cf_sweep(cf, NULL);
    assert_int_equal(weft_sweep_node_count(s), 1);
    assert_true(weft_sweep_trouble(s, 0, &t));
    assert_int_equal(t->kind, WEFT_SWEEP_UNSTABLE);
    assert_int_equal(t->port, 0);
    (void)weft_sweep_free(s);
    cf_free(cf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_honest_switches_are_confirmed),
        cmocka_unit_test(test_liars_are_not_crossed),
        cmocka_unit_test(test_the_own_switch_may_be_unstable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
