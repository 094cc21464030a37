/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Nodes by name: one, none and many of a name, ids, and new names. */
#include "fabric/names.h"
#include "fabric_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint32_t index_of(const struct ff *ff, const char *name)
{
    return node_index(ff->f, ff_node(ff, name));
}

static void test_each_name_finds_its_node(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    uint32_t node = FABRIC_NONE;

    (void)state;
    for (uint32_t i = 0; i < ff->f->node_count; i++) {
        assert_int_equal(names_find(ff->f, ff->f->nodes[i].name, UINT32_MAX, &node), 1);
        assert_int_equal(node, i);
    }
    node = 77;
    assert_int_equal(names_find(ff->f, "", UINT32_MAX, &node), 0);
    assert_int_equal(names_find(ff->f, "A", UINT32_MAX, &node), 0);
    assert_int_equal(names_find(ff->f, "ab", UINT32_MAX, &node), 0);
    assert_false(names_find_id(ff->f, "a", &node));
    assert_int_equal(node, 77);
    ff_free(ff);
}

static void test_a_new_name_counts_and_the_old_one_does_not(void **state)
{
    struct ff *ff = ff_new(ff_two_hosts, NULL);
    struct node *a = ff_node(ff, "a");
    uint32_t b = index_of(ff, "b"), node = FABRIC_NONE;

    (void)state;
    names_change(ff->f, a, "b");
    assert_int_equal(names_find(ff->f, "a", UINT32_MAX, &node), 0);
    assert_int_equal(names_find(ff->f, "b", UINT32_MAX, &node), 2);
    assert_int_equal(names_find(ff->f, "b", 1, &node), 1);
    names_change(ff->f, a, "");
    assert_int_equal(names_find(ff->f, "b", UINT32_MAX, &node), 1);
    assert_int_equal(node, b);
    names_change(ff->f, a, "a new one");
    assert_int_equal(names_find(ff->f, "a new one", UINT32_MAX, &node), 1);
    assert_ptr_equal(&ff->f->nodes[node], a);
    names_change(ff->f, &ff->f->nodes[b], "c");
    assert_int_equal(names_find(ff->f, "c", UINT32_MAX, &node), 1);
    assert_int_equal(node, b);
    ff_free(ff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_name_finds_its_node),
        cmocka_unit_test(test_a_new_name_counts_and_the_old_one_does_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
