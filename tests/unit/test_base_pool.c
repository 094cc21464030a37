/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The pool of slots: each is given out once, the one given back last comes first, and a handle
 * names one use of a slot. */
#include "core/base/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SLOTS 5

struct item {
    uint32_t pool_link, generation;
    uint64_t value;
};

static void test_slots_are_given_out_once_and_then_no_more(void **state)
{
    struct item items[SLOTS];
    struct pool pool;

    (void)state;
    pool_init(&pool, items, sizeof(items[0]), SLOTS);
    for (uint32_t i = 0; i < SLOTS; i++) {
        assert_ptr_equal(pool_take(&pool), &items[i]);
        assert_int_equal(items[i].generation, 1);
        assert_int_equal(pool_slot(&pool, &items[i]), i);
        assert_ptr_equal(pool_at(&pool, i), &items[i]);
        assert_int_equal(pool.used, i + 1);
    }
    assert_null(pool_take(&pool));
    assert_int_equal(pool.used, SLOTS);
}

static void test_the_slot_given_back_last_comes_first(void **state)
{
    struct item items[SLOTS];
    struct pool pool;

    (void)state;
    pool_init(&pool, items, sizeof(items[0]), SLOTS);
    for (int i = 0; i < 3; i++)
        pool_take(&pool);
    items[0].value = 7;
    pool_give(&pool, &items[2]);
    pool_give(&pool, &items[0]);
    assert_int_equal(pool.used, 1);
    assert_ptr_equal(pool_take(&pool), &items[0]);
    assert_int_equal(items[0].value, 7);
    assert_ptr_equal(pool_take(&pool), &items[2]);
    assert_ptr_equal(pool_take(&pool), &items[3]);
}

static void test_slots_never_used_stay_untouched_while_others_are_free(void **state)
{
    struct item items[SLOTS];
    struct pool pool;

    (void)state;
    memset(items, 0xee, sizeof(items));
    pool_init(&pool, items, sizeof(items[0]), SLOTS);
    for (int i = 0; i < 100; i++) {
        assert_ptr_equal(pool_take(&pool), &items[0]);
        pool_give(&pool, &items[0]);
    }
    assert_int_equal(pool.fresh, 1);
    assert_int_equal(items[1].generation, 0xeeeeeeee);
}

static void test_a_pool_of_nothing_gives_nothing(void **state)
{
    struct pool pool;

    (void)state;
    pool_init(&pool, NULL, sizeof(struct item), 0);
    assert_null(pool_take(&pool));
}

static void test_a_handle_is_of_one_use_of_its_slot(void **state)
{
    struct item items[SLOTS];
    struct pool pool;
    struct item *a, *b;
    uint64_t first, second;

    (void)state;
    pool_init(&pool, items, sizeof(items[0]), SLOTS);
    assert_null(pool_find(&pool, POOL_HANDLE(0, 1))); /* never used */
    a = pool_take(&pool);
    b = pool_take(&pool);
    first = pool_handle(&pool, a);
    assert_int_equal(first, POOL_HANDLE(0, 1));
    assert_ptr_equal(pool_find(&pool, first), a);
    assert_ptr_equal(pool_find(&pool, pool_handle(&pool, b)), b);
    pool_give(&pool, a);
    assert_null(pool_find(&pool, first));
    assert_null(pool_find(&pool, pool_handle(&pool, a))); /* a guess at a free slot */
    assert_ptr_equal(pool_take(&pool), a);
    second = pool_handle(&pool, a);
    assert_null(pool_find(&pool, first));
    assert_ptr_equal(pool_find(&pool, second), a);
    assert_null(pool_find(&pool, 0));
    assert_null(pool_find(&pool, POOL_HANDLE(SLOTS, 1)));
    assert_null(pool_find(&pool, POOL_HANDLE(UINT32_MAX, 1)));
}

static void test_generations_go_round(void **state)
{
    struct item items[SLOTS];
    struct pool pool;
    uint64_t last;

    (void)state;
    pool_init(&pool, items, sizeof(items[0]), SLOTS);
    pool_take(&pool);
    items[0].generation = UINT32_MAX;
    last = pool_handle(&pool, &items[0]);
    assert_ptr_equal(pool_find(&pool, last), &items[0]);
    pool_give(&pool, &items[0]);
    assert_null(pool_find(&pool, last));
    pool_take(&pool);
    assert_int_equal(pool_handle(&pool, &items[0]), POOL_HANDLE(0, 1));
}

static void test_a_walk_meets_the_slots_in_use_only(void **state)
{
    struct item items[SLOTS];
    struct pool pool;
    uint32_t slot = 0;

    (void)state;
    pool_init(&pool, items, sizeof(items[0]), SLOTS);
    assert_null(pool_next(&pool, &slot));
    for (int i = 0; i < 4; i++)
        pool_take(&pool);
    pool_give(&pool, &items[0]);
    pool_give(&pool, &items[2]);
    assert_ptr_equal(pool_next(&pool, &slot), &items[1]);
    assert_ptr_equal(pool_next(&pool, &slot), &items[3]);
    assert_null(pool_next(&pool, &slot));
    assert_null(pool_next(&pool, &slot));
}

static void test_an_object_is_cleared_but_for_what_is_the_pools(void **state)
{
    struct item items[SLOTS];
    struct pool pool;

    (void)state;
    memset(items, 0xee, sizeof(items));
    pool_init(&pool, items, sizeof(items[0]), SLOTS);
    pool_take(&pool);
    pool_clear(&items[0], sizeof(items[0]));
    assert_int_equal(items[0].generation, 1);
    assert_int_equal(items[0].pool_link, 0);
    assert_int_equal(items[0].value, 0);
    assert_int_equal(items[1].value, 0xeeeeeeeeeeeeeeee);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots_are_given_out_once_and_then_no_more),
        cmocka_unit_test(test_the_slot_given_back_last_comes_first),
        cmocka_unit_test(test_slots_never_used_stay_untouched_while_others_are_free),
        cmocka_unit_test(test_a_pool_of_nothing_gives_nothing),
        cmocka_unit_test(test_a_handle_is_of_one_use_of_its_slot),
        cmocka_unit_test(test_generations_go_round),
        cmocka_unit_test(test_a_walk_meets_the_slots_in_use_only),
        cmocka_unit_test(test_an_object_is_cleared_but_for_what_is_the_pools),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
