/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/fabric/routes.c: LIDs, shortest routes spread over equal ones, and active links. */
#include "fabric/routes.h"
#include "fabric_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HOPS_MAX 64

/* LID 7 is the switch's and LIDs 8 to 11 the first host's. */
static const char with_lids[] = "Switch 4 \"S-0000000000000010\" # \"sw\" base port 0 lid 7 lmc 0\n"
                                "[1] \"H-0000000000000020\"[1] # \"a\" lid 8 4xEDR\n"
                                "[2] \"H-0000000000000030\"[1] # \"b\" lid 0 4xEDR\n"
                                "\n"
                                "Ca 1 \"H-0000000000000020\" # \"a\"\n"
                                "[1] \"S-0000000000000010\"[1] # lid 8 lmc 2 \"sw\" lid 7 4xEDR\n"
                                "\n"
                                "Ca 2 \"H-0000000000000030\" # \"b\"\n"
                                "[1] \"S-0000000000000010\"[2] # lid 0 lmc 0 \"sw\" lid 7 4xEDR\n";

static const char same_lid[] = "Switch 4 \"S-0000000000000010\" # \"sw\" base port 0 lid 7 lmc 0\n"
                               "[1] \"H-0000000000000020\"[1] # \"a\" lid 7 4xEDR\n"
                               "\n"
                               "Ca 1 \"H-0000000000000020\" # \"a\"\n"
                               "[1] \"S-0000000000000010\"[1] # lid 7 lmc 0 \"sw\" lid 7 4xEDR\n";

static struct ff *new_up(const char *topology, bool keep_lids)
{
    struct fabric_config c;

    fabric_config_init(&c);
    c.up = true;
    c.keep_lids = keep_lids;
    return ff_new(topology, &c);
}

static int try_up(const char *text, const struct fabric_config *c, struct fabric_error *error)
{
    struct topo_error topo_error;
    struct topo *t = NULL;
    struct fabric *f = NULL;
    int err = topo_spec_is_generator(text) ? topo_generate(text, &t, &topo_error)
                                           : topo_parse(text, strlen(text), &t, &topo_error);

    assert_int_equal(err, 0);
    err = fabric_new(c, t, &pages_alloc, &f, error);
    topo_free(t);
    fabric_free(f);
    return err;
}

static void *no_memory(void *ctx, size_t size, size_t align)
{
    (void)ctx;
    (void)size;
    (void)align;
    return NULL;
}

static uint8_t next_port(const struct node *n, const struct fabric *f, uint16_t lid)
{
    return (uint8_t)~node_switch(f, n)->lft[lid];
}

/* Follows the tables from one end port to another; fails when it does not arrive.
 * @return links crossed */
static unsigned walk(const struct fabric *f, const struct port *from, uint16_t lid)
{
    const struct port *at = from;
    unsigned hops = 0;

    while (!port_owns_lid(port_with_lid(f, at), lid)) {
        const struct node *n = port_node(f, at);
        uint8_t out = node_is_switch(n) ? next_port(n, f, lid) : at->number;

        assert_in_range(out, node_is_switch(n) ? 1 : 0, n->ports);
        assert_in_range(hops, 0, HOPS_MAX);
        at = node_port(f, n, out);
        assert_int_equal(port_get_state(at), PORT_STATE_ACTIVE);
        at = &f->ports[at->peer];
        hops++;
    }
    return hops;
}

/* Every LID is reached from every port that has one, on a shortest way. */
static void expect_all_reached(const char *topology)
{
    struct topo_error error;
    struct ff *ff = new_up(topology, false);
    struct fabric *f = ff->f;
    uint16_t *hops = calloc(f->node_count, sizeof(*hops));
    struct topo *t = NULL;

    assert_int_equal(topo_generate(topology, &t, &error), 0);
    assert_non_null(hops);
    for (uint32_t i = 0; i < f->port_count; i++) {
        const struct port *from = &f->ports[i];

        if (port_lid(from) == 0)
            continue;
        assert_int_equal(topo_hops(t, from->node, hops), 0);
        for (uint32_t k = 0; k < f->port_count; k++) {
            const struct port *to = &f->ports[k];

            if (port_lid(to) != 0)
                assert_int_equal(walk(f, from, port_lid(to)), hops[to->node]);
        }
    }
    free(hops);
    topo_free(t);
    ff_free(ff);
}

static void test_all_reach_all_by_shortest_ways(void **state)
{
    (void)state;
    expect_all_reached("fat-tree:hosts=36,radix=36");
    expect_all_reached("fat-tree:hosts=128,radix=8");
    expect_all_reached("torus:x=4,y=3,z=3,hosts=2");
    expect_all_reached("dragonfly:a=4,p=2,h=2,g=9");
}

/* Every cable between leaf and top switch carries the same number of hosts, within a small margin.
 */
static void test_hosts_are_spread_over_equal_ways(void **state)
{
    struct ff *ff = new_up("fat-tree:hosts=128,radix=16", false);
    const struct fabric *f = ff->f;

    (void)state;
    for (uint32_t s = 0; s < f->switch_count; s++) {
        const struct node *n = &f->nodes[f->switches[s].node];
        unsigned load[TOPO_PORT_NUM_MAX + 1] = {0}, least = UINT32_MAX, most = 0;

        for (uint16_t lid = 1; lid < 200; lid++)
            if (next_port(n, f, lid) <= n->ports)
                load[next_port(n, f, lid)]++;
        for (uint8_t number = 1; number <= n->ports; number++) {
            const struct port *p = node_port(f, n, number);

            if (p->peer == FABRIC_NONE || !node_is_switch(port_node(f, &f->ports[p->peer])))
                continue;
            least = load[number] < least ? load[number] : least;
            most = load[number] > most ? load[number] : most;
        }
        assert_in_range(most, least, least + 4);
        assert_true(least > 0);
    }
    ff_free(ff);
}

static void test_the_hosts_of_a_leaf_come_by_different_ways(void **state)
{
    struct ff *ff = new_up("fat-tree:hosts=128,radix=16", false);
    const struct fabric *f = ff->f;
    const struct node *far = &f->nodes[f->switches[0].node];
    bool used[TOPO_PORT_NUM_MAX + 1] = {false};
    const struct node *leaf = NULL;

    (void)state;
    for (uint32_t s = 1; s < f->switch_count; s++) {
        const struct node *n = &f->nodes[f->switches[s].node];
        const struct port *first = node_port(f, n, 1);

        if (!node_is_switch(port_node(f, &f->ports[first->peer])))
            leaf = n;
    }
    assert_non_null(leaf);
    for (uint8_t number = 1; number <= 8; number++) {
        const struct port *host = &f->ports[node_port(f, leaf, number)->peer];
        uint8_t out = next_port(far, f, port_lid(host));

        assert_false(used[out]);
        used[out] = true;
    }
    ff_free(ff);
}

static void test_an_sm_would_find_nothing_to_do_but_itself(void **state)
{
    struct ff *ff = new_up(ff_two_hosts, false);
    const struct port *a = ff_port(ff, "a", 1);
    const struct switch_state *s = node_switch(ff->f, ff_node(ff, "sw"));

    (void)state;
    assert_int_equal(port_get_state(a), PORT_STATE_ACTIVE);
    assert_int_equal(port_get_state(ff_port(ff, "sw", 2)), PORT_STATE_ACTIVE);
    assert_int_equal(port_get_state(ff_port(ff, "sw", 3)), PORT_STATE_DOWN);
    assert_int_equal(port_lmc(a), 0);
    assert_int_equal(wire_get(WIRE_PORT_INFO_MASTER_SM_LID, a->info), 0);
    assert_int_equal(wire_get(WIRE_SWITCH_INFO_LINEAR_FDB_TOP, s->info), 3);
    assert_int_equal(wire_get(WIRE_SWITCH_INFO_PORT_STATE_CHANGE, s->info), 0);
    assert_int_equal((uint8_t)~s->lft[port_lid(ff_port(ff, "sw", 0))], 0);
    assert_int_equal(s->lft[4], 0);
    ff_free(ff);
}

static void test_kept_lids_are_routed_and_others_fill_the_gaps(void **state)
{
    struct ff *ff = new_up(with_lids, true);
    const struct fabric *f = ff->f;
    const struct node *sw = ff_node(ff, "sw");

    (void)state;
    assert_int_equal(port_lid(ff_port(ff, "sw", 0)), 7);
    assert_int_equal(port_lid(ff_port(ff, "a", 1)), 8);
    assert_int_equal(port_lmc(ff_port(ff, "a", 1)), 2);
    assert_int_equal(port_lid(ff_port(ff, "b", 1)), 1);
    assert_int_equal(port_lid(ff_port(ff, "b", 2)), 0); /* no cable */
    for (uint16_t lid = 8; lid < 12; lid++)
        assert_int_equal(next_port(sw, f, lid), 1);
    assert_int_equal(next_port(sw, f, 1), 2);
    assert_int_equal(next_port(sw, f, 7), 0);
    assert_int_equal(next_port(sw, f, 12), 255);
    ff_free(ff);
}

static void test_without_keeping_lids_are_counted_from_1(void **state)
{
    struct ff *ff = new_up(with_lids, false);

    (void)state;
    assert_int_equal(port_lid(ff_port(ff, "sw", 0)), 1);
    assert_int_equal(port_lid(ff_port(ff, "a", 1)), 2);
    assert_int_equal(port_lmc(ff_port(ff, "a", 1)), 0);
    ff_free(ff);
}

static void test_a_lid_that_two_ports_have_is_refused(void **state)
{
    struct fabric_error error = {.text = ""};
    struct fabric_config c;

    (void)state;
    fabric_config_init(&c);
    c.keep_lids = true;
    assert_int_equal(try_up(same_lid, &c, &error), 0); /* an SM will see to it */
    c.up = true;
    assert_int_equal(try_up(same_lid, &c, &error), WEFT_ERR_INVALID);
    assert_non_null(strstr(error.text, "LID 7"));
}

static void test_more_ports_than_lids_are_refused(void **state)
{
    struct fabric_error error = {.text = ""};
    struct fabric_config c;

    (void)state;
    fabric_config_init(&c);
    c.lft_cap = 37; /* LIDs 1 to 36 for a switch and 36 hosts */
    assert_int_equal(try_up("fat-tree:hosts=36,radix=36", &c, &error), 0);
    c.up = true;
    assert_int_equal(try_up("fat-tree:hosts=36,radix=36", &c, &error), WEFT_ERR_FULL);
    assert_non_null(strstr(error.text, "36"));
    c.lft_cap = 38;
    assert_int_equal(try_up("fat-tree:hosts=36,radix=36", &c, &error), 0);
}

static void test_two_hosts_without_a_switch_are_up_too(void **state)
{
    struct ff *ff = new_up("Ca 1 \"H-0000000000000020\" # \"a\"\n"
                           "[1] \"H-0000000000000030\"[1] # lid 0 lmc 0 \"b\" lid 0 4xEDR\n"
                           "Ca 1 \"H-0000000000000030\" # \"b\"\n"
                           "[1] \"H-0000000000000020\"[1] # lid 0 lmc 0 \"a\" lid 0 4xEDR\n",
                           false);

    (void)state;
    assert_int_equal(walk(ff->f, ff_port(ff, "a", 1), port_lid(ff_port(ff, "b", 1))), 1);
    ff_free(ff);
}

static void test_parts_without_a_way_between_them_are_up_each(void **state)
{
    struct ff *ff = new_up("Switch 4 \"S-0000000000000010\" # \"s1\" base port 0 lid 0 lmc 0\n"
                           "[1] \"H-0000000000000020\"[1] # \"a\" lid 0 4xEDR\n"
                           "\n"
                           "Switch 4 \"S-0000000000000011\" # \"s2\" base port 0 lid 0 lmc 0\n"
                           "[1] \"H-0000000000000030\"[1] # \"b\" lid 0 4xEDR\n",
                           false);
    uint16_t b = port_lid(ff_port(ff, "b", 1));

    (void)state;
    assert_int_not_equal(b, 0);
    assert_int_equal(next_port(ff_node(ff, "s2"), ff->f, b), 1);
    assert_int_equal(next_port(ff_node(ff, "s1"), ff->f, b), 255);
    ff_free(ff);
}

static void test_no_memory_for_the_plan_is_no_fabric(void **state)
{
    struct fabric_error error = {.text = ""};
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct weft_alloc kept = ff->f->alloc;

    (void)state;
    ff->f->alloc.get = no_memory;
    assert_int_equal(routes_set_up(ff->f, &error), WEFT_ERR_NOMEM);
    assert_true(strlen(error.text) > 0);
    ff->f->alloc = kept;
    ff_free(ff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_reach_all_by_shortest_ways),
        cmocka_unit_test(test_hosts_are_spread_over_equal_ways),
        cmocka_unit_test(test_the_hosts_of_a_leaf_come_by_different_ways),
        cmocka_unit_test(test_an_sm_would_find_nothing_to_do_but_itself),
        cmocka_unit_test(test_kept_lids_are_routed_and_others_fill_the_gaps),
        cmocka_unit_test(test_without_keeping_lids_are_counted_from_1),
        cmocka_unit_test(test_a_lid_that_two_ports_have_is_refused),
        cmocka_unit_test(test_more_ports_than_lids_are_refused),
        cmocka_unit_test(test_two_hosts_without_a_switch_are_up_too),
        cmocka_unit_test(test_parts_without_a_way_between_them_are_up_each),
        cmocka_unit_test(test_no_memory_for_the_plan_is_no_fabric),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
