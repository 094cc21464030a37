/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Building without a reader: what is known to be new needs no look-up, and whatever the order in
 * which the ends of the cables come, the same topology comes of them. */
#include "topology/builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Two switches and a host; ports without a cable lie between those with one. */
static const struct topo_claim ends[] = {
    {.port = {.node = 0, .num = 1, .peer_node = 2, .peer_num = 1}, .peer_guid = 0x31},
    {.port = {.node = 0, .num = 7, .peer_node = 1, .peer_num = 254}},
    {.port = {.node = 0, .num = 254, .peer_node = 1, .peer_num = 3}},
    {.port = {.node = 1, .num = 3, .peer_node = 0, .peer_num = 254}},
    {.port = {.node = 1, .num = 254, .peer_node = 0, .peer_num = 7}},
    {.port = {.node = 2, .num = 1, .peer_node = 0, .peer_num = 1, .guid = 0x31}},
};

#define END_COUNT (sizeof(ends) / sizeof(ends[0]))

static struct topo_builder *begin(uint32_t nodes, uint32_t port_lines)
{
    struct topo_builder *b = topo_builder_new();

    assert_non_null(b);
    topo_builder_reserve(b, nodes, port_lines);
    assert_int_equal(topo_builder_append(b, 0x20, TOPO_SWITCH), 0);
    assert_int_equal(topo_builder_append(b, 0x10, TOPO_SWITCH), 1);
    assert_int_equal(topo_builder_append(b, 0x30, TOPO_CA), 2);
    return b;
}

static struct topo *finish(struct topo_builder *b)
{
    struct topo *t = NULL;

    assert_int_equal(topo_builder_finish(b, &t), 0);
    topo_builder_free(b);
    assert_int_equal(t->findings.count, 0);
    return t;
}

static struct topo *in_order(void)
{
    struct topo_builder *b = begin(3, END_COUNT);

    for (size_t i = 0; i < END_COUNT; i++)
        topo_builder_claim(b, &ends[i]);
    return finish(b);
}

static void test_what_is_added_stands_in_its_place(void **state)
{
    static const uint32_t others[END_COUNT] = {5, 4, 3, 2, 1, 0};
    struct topo *t = in_order();

    (void)state;
    assert_int_equal(t->node_count, 3);
    assert_int_equal(t->switch_count, 2);
    assert_int_equal(t->ca_count, 1);
    assert_int_equal(t->host_count, 1);
    assert_int_equal(t->link_count, 3);
    assert_int_equal(t->port_count, END_COUNT);
    for (uint32_t i = 0; i < END_COUNT; i++)
        assert_int_equal(t->ports[i].peer_port, others[i]);
    assert_int_equal(t->nodes[1].first_port, 3);
    assert_int_equal(t->nodes[1].port_count, 2);
    assert_int_equal(topo_find_guid(t, 0x10), 1);
    assert_int_equal(topo_find_guid(t, 0x20), 0);
    assert_int_equal(topo_find_guid(t, 0x30), 2);
    topo_free(t);
}

/* Each rotation of the ends, forwards and backwards, with too little room and with enough. */
static void test_the_order_of_the_ends_does_not_matter(void **state)
{
    struct topo *wanted = in_order();

    (void)state;
    for (size_t turn = 0; turn < 2 * END_COUNT; turn++) {
        struct topo_builder *b = begin(turn % 4 == 0 ? 100 : 1, turn % 3 == 0 ? 100 : 1);
        struct topo *t;

        for (size_t i = 0; i < END_COUNT; i++) {
            size_t at = (i + turn) % END_COUNT;

            topo_builder_claim(b, &ends[turn < END_COUNT ? at : END_COUNT - 1 - at]);
        }
        t = finish(b);
        assert_true(topo_equal(t, wanted));
        topo_free(t);
    }
    topo_free(wanted);
}

static void test_an_end_that_nobody_adds_follows_from_the_other(void **state)
{
    struct topo *wanted = in_order();

    (void)state;
    for (size_t without = 0; without < END_COUNT; without++) {
        struct topo_builder *b = begin(3, END_COUNT);
        struct topo *t;

        for (size_t i = 0; i < END_COUNT; i++)
            if (i != without)
                topo_builder_claim(b, &ends[i]);
        t = finish(b);
        assert_int_equal(t->port_count, END_COUNT);
        assert_true(t->ports[without].implied);
        t->ports[without].implied = false;
        assert_true(topo_equal(t, wanted));
        topo_free(t);
    }
    topo_free(wanted);
}

static void test_a_topology_may_be_without_cables_or_nodes(void **state)
{
    struct topo *t = finish(begin(0, 0));
    struct topo_builder *b = topo_builder_new();

    (void)state;
    assert_int_equal(t->node_count, 3);
    assert_int_equal(t->port_count, 0);
    topo_free(t);
    assert_non_null(b);
    t = finish(b);
    assert_int_equal(t->node_count, 0);
    topo_free(t);
}

static void test_room_beyond_the_limits_is_not_made(void **state)
{
    struct topo *t = finish(begin(UINT32_MAX, UINT32_MAX));

    (void)state;
    assert_int_equal(t->node_count, 3);
    topo_free(t);
}

static void test_more_nodes_than_the_limit_are_refused(void **state)
{
    struct topo_builder *b = topo_builder_new();
    struct topo *t = NULL;

    (void)state;
    assert_non_null(b);
    topo_builder_reserve(b, TOPO_NODES_MAX, 0);
    for (uint32_t i = 0; i < TOPO_NODES_MAX; i++)
        assert_int_equal(topo_builder_append(b, i + 1, TOPO_CA), i);
    assert_int_equal(topo_builder_append(b, TOPO_NODES_MAX + 1, TOPO_CA), TOPO_NONE);
    assert_int_equal(topo_builder_finish(b, &t), WEFT_ERR_FULL);
    topo_builder_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_added_stands_in_its_place),
        cmocka_unit_test(test_the_order_of_the_ends_does_not_matter),
        cmocka_unit_test(test_an_end_that_nobody_adds_follows_from_the_other),
        cmocka_unit_test(test_a_topology_may_be_without_cables_or_nodes),
        cmocka_unit_test(test_room_beyond_the_limits_is_not_made),
        cmocka_unit_test(test_more_nodes_than_the_limit_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
