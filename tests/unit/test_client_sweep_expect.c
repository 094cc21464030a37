/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sweeps by what is known from before: fewer questions, the same result, and every change seen. */
#include "client_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct cf *lab(const char *topology, const char *node)
{
    struct fabric_config c;

    fabric_config_init(&c);
    c.up = true;
    return cf_new(topology, &c, node);
}

/* The number of the same port in another sweep; the node must be there. */
static uint32_t same_port(const struct weft_sweep *from, uint32_t port, const struct weft_sweep *to)
{
    const struct weft_sweep_port *p = weft_sweep_port(from, port);
    uint32_t node;

    if (port == WEFT_SWEEP_NONE)
        return WEFT_SWEEP_NONE;
    node = weft_sweep_find(to, weft_sweep_node(from, p->node)->guid);
    assert_true(node != WEFT_SWEEP_NONE);
    return weft_sweep_node(to, node)->first_port + p->number;
}

/* Two sweeps say the same as far as a topology does. */
static void expect_same(const struct weft_sweep *a, const struct weft_sweep *b)
{
    assert_int_equal(weft_sweep_node_count(a), weft_sweep_node_count(b));
    for (uint32_t i = 0; i < weft_sweep_port_count(a); i++) {
        const struct weft_sweep_port *p = weft_sweep_port(a, i);
        uint32_t port = same_port(a, i, b);
        const struct weft_sweep_port *q = weft_sweep_port(b, port);

        assert_string_equal(weft_sweep_node(a, p->node)->name, weft_sweep_node(b, q->node)->name);
        assert_int_equal(q->peer, same_port(a, p->peer, b));
        assert_int_equal(p->state, q->state);
        assert_int_equal(p->lmc, q->lmc);
        assert_int_equal(weft_sweep_port(a, weft_sweep_end_port(a, i))->lid,
                         weft_sweep_port(b, weft_sweep_end_port(b, port))->lid);
        assert_string_equal(weft_sweep_width_word(a, i), weft_sweep_width_word(b, port));
        assert_string_equal(weft_sweep_speed_word(a, i), weft_sweep_speed_word(b, port));
    }
}

/* Sweeps a fabric, lets something happen, and sweeps it again both ways.
 * Returns how many questions the incremental one has asked less. */
static long sweep_again(const char *topology, const char *node, const char *const *happens)
{
    struct cf *cf = lab(topology, node);
    struct weft_sweep *before = cf_sweep(cf, NULL), *by_known, *afresh;
    struct weft_sweep_prior *known = cf_known(before);
    unsigned posts;
    long saved;

    for (; *happens; happens++)
        ff_command(cf->ff, *happens);
    posts = cf->posts;
    by_known = cf_sweep_expecting(cf, NULL, known);
    saved = -(long)(cf->posts - posts);
    posts = cf->posts;
    afresh = cf_sweep(cf, NULL);
    saved += (long)(cf->posts - posts);
    expect_same(afresh, by_known);
    assert_int_equal(weft_sweep_verdict(by_known), 0);
    (void)weft_sweep_free(afresh);
    (void)weft_sweep_free(by_known);
    (void)weft_sweep_free(before);
    (void)weft_sweep_prior_free(known);
    cf_free(cf);
    return saved;
}

/* A host that has four LIDs, beside another one. */
static const char four_lids[] =
    "switchguid=0x10(10)\n"
    "Switch 2 \"S-0000000000000010\" # \"sw\" base port 0 lid 1 lmc 0\n"
    "[1] \"H-0000000000000020\"[1](21) # \"a\" lid 4 4xEDR\n"
    "[2] \"H-0000000000000030\"[1](31) # \"b\" lid 8 4xEDR\n"
    "\n"
    "caguid=0x20\n"
    "Ca 1 \"H-0000000000000020\" # \"a\"\n"
    "[1](21) \"S-0000000000000010\"[1] # lid 4 lmc 0 \"sw\" lid 1 4xEDR\n"
    "\n"
    "caguid=0x30\n"
    "Ca 1 \"H-0000000000000030\" # \"b\"\n"
    "[1](31) \"S-0000000000000010\"[2] # lid 8 lmc 2 \"sw\" lid 1 4xEDR\n";

static void test_all_LIDs_of_a_port_are_handed_on(void **state)
{
    struct weft_sweep *before, *after;
    struct weft_sweep_prior *known;
    struct fabric_config c;
    struct cf *cf;

    (void)state;
    fabric_config_init(&c);
    c.up = c.keep_lids = true;
    cf = cf_new(four_lids, &c, "a");
    before = cf_sweep(cf, NULL);
    assert_int_equal(weft_sweep_port(before, cf_port(before, "b", 1))->lmc, 2);
    known = cf_known(before);
    after = cf_sweep_expecting(cf, NULL, known);
    assert_true(weft_sweep_port(after, cf_port(after, "b", 1))->assumed);
    expect_same(before, after);
    (void)weft_sweep_free(after);
    (void)weft_sweep_free(before);
    (void)weft_sweep_prior_free(known);
    cf_free(cf);
}

static const char fat_tree[] = "fat-tree:hosts=324,radix=36";

static void test_what_cannot_have_changed_is_not_asked(void **state)
{
    static const char *const nothing[] = {NULL};

    (void)state;
    /* PortInfo of 323 hosts (the own one is asked), and of one end of each of 324 other links. */
    assert_in_range(sweep_again(fat_tree, "host-00001", nothing), 323 + 300, 323 + 324 + 162);
    assert_in_range(sweep_again("torus:x=4,y=3,z=2,hosts=2", "host-00001", nothing), 48, 200);
    /* Here ports wait for their other ends while the arrays grow. */
    assert_in_range(sweep_again("dragonfly:a=4,p=2,h=2,g=9", "host-00001", nothing), 72, 300);
    assert_in_range(sweep_again(ff_chain, "a", nothing), 1, 8);
    assert_in_range(sweep_again(ff_chain, "s2", nothing), 1, 8);
}

static void test_every_change_is_seen(void **state)
{
    static const char *const changes[][5] = {
        {"link leaf-0003/1 down", NULL},
        {"link leaf-0003/20 down", "link spine-0002/7 down", NULL},
        {"link leaf-0002/19 width 1x speed SDR", NULL},
        {"link leaf-0002/2 width 1x", NULL},
        {"name host-00007 \"another name\"", "name leaf-0001 \"a leaf\"", NULL},
        {"node host-00100 dead", "node spine-0009 dead", NULL},
        {"node leaf-0004 dead", "node leaf-0005 dead", "node spine-0001 dead", NULL},
        {"link leaf-0003/1 down", "link leaf-0003/1 up", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
        (void)sweep_again(fat_tree, "host-00001", changes[i]);
}

/* A chain of sweeps, each by what the one before it has found. */
static void test_what_ports_can_do_is_handed_on(void **state)
{
    struct cf *cf = lab(fat_tree, "host-00001");
    struct weft_sweep *first = cf_sweep(cf, NULL), *before = first;
    uint32_t assumed = 0;

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct weft_sweep_prior *known = NULL;
        struct weft_sweep *after;

        assert_int_equal(weft_sweep_remember(before, NULL, &known), 0);
        after = cf_sweep_expecting(cf, NULL, known);
        expect_same(first, after);
        for (uint32_t p = 0; p < weft_sweep_port_count(first); p++) {
            const struct weft_sweep_port *was = weft_sweep_port(first, p);
            const struct weft_sweep_port *is = weft_sweep_port(after, same_port(first, p, after));

            assumed += is->assumed;
            assert_int_equal(is->width.supported, was->width.supported);
            assert_int_equal(is->speed.supported, was->speed.supported);
            assert_int_equal(is->speed_ext.supported, was->speed_ext.supported);
        }
        (void)weft_sweep_prior_free(known);
        if (before != first)
            (void)weft_sweep_free(before);
        before = after;
    }
    assert_in_range(assumed, 2 * 500, 2 * 1296);
    (void)weft_sweep_free(before);
    (void)weft_sweep_free(first);
    cf_free(cf);
}

/* Ports of a host and a switch are known with other ends than they have: as after cables moved. */
static void test_a_cable_that_was_moved_is_where_it_is(void **state)
{
    struct cf *cf = lab(fat_tree, "host-00001");
    struct weft_sweep *before = cf_sweep(cf, NULL), *after;
    struct weft_sweep_prior *right = cf_known(before),
                            *known = cf_prior(weft_sweep_port_count(before));
    static const uint8_t leaf_ports[] = {1, 2, 19, 20};

    (void)state;
    /* Ports 1 and 2, and 19 and 20, of a leaf the other way round. */
    for (size_t i = 0; i < sizeof(leaf_ports); i++) {
        uint64_t leaf = cf_node(before, "leaf-0005")->guid;
        uint8_t other = (uint8_t)(((leaf_ports[i] - 1) ^ 1) + 1);
        struct weft_sweep_prior_port p = *weft_sweep_prior_find(right, leaf, leaf_ports[i]);
        struct weft_sweep_prior_port end =
            *weft_sweep_prior_find(right, p.peer_guid, p.peer_number);

        p.number = end.peer_number = other;
        assert_int_equal(weft_sweep_prior_add(known, &p), 0);
        assert_int_equal(weft_sweep_prior_add(known, &end), 0);
    }
    for (uint32_t i = 0; i < weft_sweep_port_count(before); i++) {
        const struct weft_sweep_port *p = weft_sweep_port(before, i);
        const struct weft_sweep_prior_port *k =
            weft_sweep_prior_find(right, weft_sweep_node(before, p->node)->guid, p->number);

        if (k)
            assert_int_equal(weft_sweep_prior_add(known, k), 0);
    }
    after = cf_sweep_expecting(cf, NULL, known);
    expect_same(before, after);
    (void)weft_sweep_free(after);
    (void)weft_sweep_free(before);
    (void)weft_sweep_prior_free(known);
    (void)weft_sweep_prior_free(right);
    cf_free(cf);
}

static void test_another_LID_of_a_switch_puts_all_in_doubt(void **state)
{
    struct cf *cf = lab(fat_tree, "host-00001");
    struct weft_sweep *before = cf_sweep(cf, NULL), *after;
    struct weft_sweep_prior *right = cf_known(before),
                            *known = cf_prior(weft_sweep_port_count(before));

    (void)state;
    for (uint32_t i = 0; i < weft_sweep_port_count(before); i++) {
        const struct weft_sweep_port *p = weft_sweep_port(before, i);
        const struct weft_sweep_prior_port *k =
            weft_sweep_prior_find(right, weft_sweep_node(before, p->node)->guid, p->number);
        struct weft_sweep_prior_port wrong;

        if (!k)
            continue;
        wrong = *k;
        wrong.lid = wrong.lid ? (uint16_t)(wrong.lid + 1000) : 0;
        assert_int_equal(weft_sweep_prior_add(known, &wrong), 0);
    }
    after = cf_sweep_expecting(cf, NULL, known);
    for (uint32_t i = 0; i < weft_sweep_port_count(after); i++)
        assert_false(weft_sweep_port(after, i)->assumed);
    expect_same(before, after);
    (void)weft_sweep_free(after);
    (void)weft_sweep_free(before);
    (void)weft_sweep_prior_free(known);
    (void)weft_sweep_prior_free(right);
    cf_free(cf);
}

static void test_who_stops_answering_leaves_nothing_unasked(void **state)
{
    static const char *const dead[] = {"loss 100% on agent spine-0003",
                                       "loss 100% on agent leaf-0007",
                                       "loss 100% on agent host-00200", NULL};

    (void)state;
    (void)sweep_again(fat_tree, "host-00001", dead);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_cannot_have_changed_is_not_asked),
        cmocka_unit_test(test_every_change_is_seen),
        cmocka_unit_test(test_all_LIDs_of_a_port_are_handed_on),
        cmocka_unit_test(test_what_ports_can_do_is_handed_on),
        cmocka_unit_test(test_a_cable_that_was_moved_is_where_it_is),
        cmocka_unit_test(test_another_LID_of_a_switch_puts_all_in_doubt),
        cmocka_unit_test(test_who_stops_answering_leaves_nothing_unasked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
