/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sorting by a number: whichever bytes of it differ, and what is the same keeps its order. */
#include "core/base/prng.h"
#include "topology/sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MANY 1000

/* Sorts numbers of which only the bits of `mask` are left, so that many are the same. */
static void assert_sorts(uint64_t mask, uint32_t count)
{
    struct topo_key keys[MANY] = {0}, sorted[MANY];
    struct prng random = {.state = mask + count};
    bool seen[MANY] = {false};

    for (uint32_t i = 0; i < count; i++)
        keys[i] = (struct topo_key){.key = prng_next(&random) & mask, .index = i};
    memcpy(sorted, keys, sizeof(keys));
    assert_int_equal(topo_sort(sorted, count), 0);
    for (uint32_t i = 0; i < count; i++) {
        assert_in_range(sorted[i].index, 0, count - 1);
        assert_false(seen[sorted[i].index]);
        seen[sorted[i].index] = true;
        assert_true(sorted[i].key == keys[sorted[i].index].key);
        if (i > 0 && sorted[i].key == sorted[i - 1].key)
            assert_true(sorted[i].index > sorted[i - 1].index);
        else if (i > 0)
            assert_true(sorted[i].key > sorted[i - 1].key);
    }
}

static void test_any_bytes_may_differ_and_equal_ones_stay_in_order(void **state)
{
    static const uint64_t masks[] = {0,          1,
                                     0xFF,       0xFF00,
                                     0x10101,    UINT64_C(0xFF) << 56,
                                     UINT64_MAX, UINT64_C(0x8000000000000001)};

    (void)state;
    for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
        assert_sorts(masks[i], 2);
        assert_sorts(masks[i], 3);
        assert_sorts(masks[i], MANY);
    }
}

static void test_few_and_what_is_in_order_already_stay_as_they_are(void **state)
{
    struct topo_key keys[] = {{1, 9}, {1, 8}, {UINT64_MAX, 7}};

    (void)state;
    assert_int_equal(topo_sort(keys, 0), 0);
    assert_int_equal(topo_sort(keys, 1), 0);
    assert_int_equal(topo_sort(keys, 3), 0);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(keys[i].index, 9 - i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_bytes_may_differ_and_equal_ones_stay_in_order),
        cmocka_unit_test(test_few_and_what_is_in_order_already_stay_as_they_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
