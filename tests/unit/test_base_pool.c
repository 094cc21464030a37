/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The pool of slots: each is given out once, the one given back last comes first. */
#include "core/base/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define SLOTS 5

struct item {
    uint32_t pool_link;
    uint64_t value;
};

static void test_slots_are_given_out_once_and_then_no_more(void **state)
{
    struct item items[SLOTS];
    struct pool pool;
    bool fresh;

    (void)state;
    pool_init(&pool, items, sizeof(items[0]), SLOTS);
    for (uint32_t i = 0; i < SLOTS; i++) {
        assert_false(pool_known(&pool, i));
        assert_ptr_equal(pool_take(&pool, &fresh), &items[i]);
        assert_true(fresh);
        assert_true(pool_known(&pool, i));
        assert_int_equal(pool_slot(&pool, &items[i]), i);
        assert_ptr_equal(pool_at(&pool, i), &items[i]);
        assert_int_equal(pool.used, i + 1);
    }
    assert_null(pool_take(&pool, &fresh));
    assert_int_equal(pool.used, SLOTS);
}

static void test_the_slot_given_back_last_comes_first_and_is_not_fresh(void **state)
{
    struct item items[SLOTS];
    struct pool pool;
    bool fresh;

    (void)state;
    pool_init(&pool, items, sizeof(items[0]), SLOTS);
    for (int i = 0; i < 3; i++)
        pool_take(&pool, &fresh);
    items[0].value = 7;
    pool_give(&pool, &items[2]);
    pool_give(&pool, &items[0]);
    assert_int_equal(pool.used, 1);
    assert_ptr_equal(pool_take(&pool, &fresh), &items[0]);
    assert_false(fresh);
    assert_int_equal(items[0].value, 7);
    assert_ptr_equal(pool_take(&pool, &fresh), &items[2]);
    assert_ptr_equal(pool_take(&pool, &fresh), &items[3]);
    assert_true(fresh);
}

static void test_slots_never_used_stay_untouched_while_others_are_free(void **state)
{
    struct item items[SLOTS];
    struct pool pool;
    bool fresh;

    (void)state;
    pool_init(&pool, items, sizeof(items[0]), SLOTS);
    for (int i = 0; i < 100; i++)
        pool_give(&pool, pool_take(&pool, &fresh));
    assert_true(pool_known(&pool, 0));
    assert_false(pool_known(&pool, 1));
}

static void test_a_pool_of_nothing_gives_nothing(void **state)
{
    struct pool pool;
    bool fresh;

    (void)state;
    pool_init(&pool, NULL, sizeof(struct item), 0);
    assert_null(pool_take(&pool, &fresh));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots_are_given_out_once_and_then_no_more),
        cmocka_unit_test(test_the_slot_given_back_last_comes_first_and_is_not_fresh),
        cmocka_unit_test(test_slots_never_used_stay_untouched_while_others_are_free),
        cmocka_unit_test(test_a_pool_of_nothing_gives_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
