/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The intrusive list: order, removal from anywhere, and removal twice. */
#include "core/base/list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define NODES 4

struct bag {
    struct list_node head, nodes[NODES];
};

static void bag_fill(struct bag *bag)
{
    list_init(&bag->head);
    for (int i = 0; i < NODES; i++) {
        list_init(&bag->nodes[i]);
        list_push_back(&bag->head, &bag->nodes[i]);
    }
}

/* The list holds exactly these nodes, seen from both ends. */
static void expect_order(const struct bag *bag, const int *order, int count)
{
    const struct list_node *n = bag->head.next, *back = bag->head.prev;

    for (int i = 0; i < count; i++) {
        assert_ptr_equal(n, &bag->nodes[order[i]]);
        assert_ptr_equal(back, &bag->nodes[order[count - 1 - i]]);
        n = n->next;
        back = back->prev;
    }
    assert_ptr_equal(n, &bag->head);
    assert_ptr_equal(back, &bag->head);
}

static void test_nodes_leave_in_the_order_they_came(void **state)
{
    struct bag bag;

    (void)state;
    bag_fill(&bag);
    expect_order(&bag, (const int[]){0, 1, 2, 3}, 4);
    for (int i = 0; i < NODES; i++) {
        assert_ptr_equal(list_first(&bag.head), &bag.nodes[i]);
        assert_ptr_equal(list_pop_front(&bag.head), &bag.nodes[i]);
        assert_true(list_empty(&bag.nodes[i]));
    }
    assert_true(list_empty(&bag.head));
    assert_null(list_first(&bag.head));
    assert_null(list_pop_front(&bag.head));
}

static void test_a_node_leaves_from_any_place(void **state)
{
    static const int left[NODES][NODES - 1] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    struct bag bag;

    (void)state;
    for (int i = 0; i < NODES; i++) {
        bag_fill(&bag);
        list_remove(&bag.nodes[i]);
        assert_true(list_empty(&bag.nodes[i]));
        expect_order(&bag, left[i], NODES - 1);
    }
}

static void test_R42_removing_twice_is_harmless(void **state)
{
    struct bag bag;

    (void)state;
    bag_fill(&bag);
    list_remove(&bag.nodes[1]);
    list_remove(&bag.nodes[1]);
    expect_order(&bag, (const int[]){0, 2, 3}, 3);
    list_push_back(&bag.head, &bag.nodes[1]);
    expect_order(&bag, (const int[]){0, 2, 3, 1}, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes_leave_in_the_order_they_came),
        cmocka_unit_test(test_a_node_leaves_from_any_place),
        cmocka_unit_test(test_R42_removing_twice_is_harmless),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
