/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Levels, and the tree that a fabric is. */
#include "topology/tree.h"
#include "topology_sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static struct topo *generated(const char *spec)
{
    struct topo_error error;
    struct topo *t = NULL;

    assert_int_equal(topo_generate(spec, &t, &error), 0);
    return t;
}

/* How many places of each kind there are, and how many have none above them. */
static void assert_tree(struct topo *t, uint32_t leaves, uint32_t beside, uint32_t groups,
                        uint32_t across, uint32_t roots)
{
    uint32_t *hosts = topo_count_hosts(t);
    uint32_t seen[4] = {0};
    uint32_t tops = 0;
    struct topo_tree tree;

    assert_non_null(hosts);
    assert_int_equal(topo_tree_build(t, hosts, &tree), 0);
    for (uint32_t i = 0; i < tree.place_count; i++) {
        seen[tree.places[i].kind]++;
        tops += tree.places[i].parent == TOPO_NONE;
        assert_true(tree.places[i].parent == TOPO_NONE || tree.places[i].parent > i);
    }
    assert_int_equal(seen[TOPO_PLACE_LEAF], leaves);
    assert_int_equal(seen[TOPO_PLACE_BESIDE], beside);
    assert_int_equal(seen[TOPO_PLACE_GROUP], groups);
    assert_int_equal(seen[TOPO_PLACE_ACROSS], across);
    assert_int_equal(tops, roots);
    topo_tree_clear(&tree);
    free(hosts);
    topo_free(t);
}

static void test_a_fat_tree_is_a_tree(void **state)
{
    (void)state;
    assert_tree(generated("fat-tree:hosts=18,radix=36"), 1, 0, 0, 0, 1);
    assert_tree(generated("fat-tree:hosts=324,radix=36"), 18, 0, 1, 0, 1);
    assert_tree(generated("fat-tree:hosts=16,radix=4"), 8, 0, 5, 0, 1);
}

static void test_cables_between_leaves_join_them_last(void **state)
{
    (void)state;
    assert_tree(generated("torus:x=4,y=4,hosts=2"), 16, 0, 0, 1, 1);
}

static void test_a_spine_with_a_host_is_a_spine(void **state)
{
    static const char text[] =
        "Switch 9 \"S-0000000000000001\"\n[1] \"H-00000000000000a1\"[1]\n[2] "
        "\"H-00000000000000a2\"[1]\n[3] \"H-00000000000000a3\"[1]\n[4] "
        "\"H-00000000000000a4\"[1]\n[5] \"H-00000000000000a5\"[1]\n[9] "
        "\"S-0000000000000003\"[1]\n"
        "Switch 9 \"S-0000000000000002\"\n[1] \"H-00000000000000b1\"[1]\n[2] "
        "\"H-00000000000000b2\"[1]\n[3] \"H-00000000000000b3\"[1]\n[4] "
        "\"H-00000000000000b4\"[1]\n[5] \"H-00000000000000b5\"[1]\n[9] "
        "\"S-0000000000000003\"[2]\n"
        "Switch 9 \"S-0000000000000003\"\n[3] \"H-00000000000000c1\"[1]\n";

    (void)state;
    assert_tree(sample_parse(text), 2, 1, 1, 0, 1);
}

static void test_parts_without_a_path_stay_apart(void **state)
{
    (void)state;
    assert_tree(sample_parse("Switch 2 \"S-0000000000000001\"\n[1] \"H-00000000000000a1\"[1]\n"
                             "Switch 2 \"S-0000000000000002\"\n[1] \"H-00000000000000a2\"[1]\n"
                             "Switch 2 \"S-0000000000000003\"\n[1] \"S-0000000000000004\"[1]\n"),
                2, 0, 0, 0, 2);
}

static void test_aggregation_nodes_are_no_hosts(void **state)
{
    struct topo *t = sample_read("sharp.topo");
    uint32_t *hosts = topo_count_hosts(t);

    (void)state;
    assert_int_equal(hosts[0], 1);
    free(hosts);
    topo_free(t);
}

static void test_levels_count_from_the_hosts(void **state)
{
    struct topo *t = generated("fat-tree:hosts=16,radix=4");
    uint32_t *hosts = topo_count_hosts(t);
    uint16_t *level = malloc(t->node_count * sizeof(*level));
    uint32_t seen[3] = {0};

    (void)state;
    assert_int_equal(topo_levels(t, hosts, level), 0);
    for (uint32_t i = 0; i < t->node_count; i++)
        if (t->nodes[i].type == TOPO_SWITCH) {
            assert_in_range(level[i], 0, 2);
            seen[level[i]]++;
        } else
            assert_int_equal(level[i], TOPO_LEVEL_NONE);
    assert_int_equal(seen[0], 8);
    assert_int_equal(seen[1], 8);
    assert_int_equal(seen[2], 4);
    free(level);
    free(hosts);
    topo_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_fat_tree_is_a_tree),
        cmocka_unit_test(test_cables_between_leaves_join_them_last),
        cmocka_unit_test(test_a_spine_with_a_host_is_a_spine),
        cmocka_unit_test(test_parts_without_a_path_stay_apart),
        cmocka_unit_test(test_aggregation_nodes_are_no_hosts),
        cmocka_unit_test(test_levels_count_from_the_hosts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
