/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hash index against a plain array, with few hashes so that runs collide and wrap round. */
#include "core/base/index.h"
#include "core/base/prng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define CAPACITY 64
#define ENTRIES  128
#define STEPS    20000

/* How often the index has the slot under this hash. */
static int found(const struct index *ix, uint32_t hash, uint32_t slot)
{
    uint32_t pos = hash, at;
    int count = 0;

    while ((at = index_next(ix, hash, &pos)) != INDEX_EMPTY)
        count += at == slot;
    return count;
}

static void test_an_index_is_at_most_half_full(void **state)
{
    (void)state;
    for (uint32_t capacity = 0; capacity < 1000; capacity++) {
        uint32_t n = index_entries(capacity);

        assert_true(n >= 2 * capacity && n >= 8);
        assert_int_equal(n & (n - 1), 0);
        assert_true(n == 8 || n / 2 < 2 * capacity);
    }
    assert_int_equal(index_entries(1 << 24), 1 << 25);
}

static void test_every_slot_is_found_as_often_as_it_was_put(void **state)
{
    static const uint32_t hashes[] = {0, 1, 2, 126, 127, 128, 255, UINT32_MAX, 64, 65};
    struct index_entry entries[ENTRIES];
    struct prng g = {1};
    struct index ix;
    uint32_t hash_of[CAPACITY];
    bool present[CAPACITY] = {false};

    (void)state;
    assert_int_equal(index_entries(CAPACITY), ENTRIES);
    index_init(&ix, entries, ENTRIES);
    for (int step = 0; step < STEPS; step++) {
        uint32_t slot = (uint32_t)prng_up_to(&g, CAPACITY - 1);

        if (present[slot]) {
            index_remove(&ix, hash_of[slot], slot);
        } else {
            hash_of[slot] = hashes[prng_up_to(&g, sizeof(hashes) / sizeof(hashes[0]) - 1)];
            index_put(&ix, hash_of[slot], slot);
        }
        present[slot] = !present[slot];
        for (uint32_t i = 0; step % 50 == 0 && i < CAPACITY; i++) {
            if (present[i])
                assert_int_equal(found(&ix, hash_of[i], i), 1);
        }
    }
    for (uint32_t i = 0; i < CAPACITY; i++) {
        if (present[i])
            index_remove(&ix, hash_of[i], i);
    }
    for (uint32_t i = 0; i < ENTRIES; i++)
        assert_int_equal(entries[i].slot, INDEX_EMPTY);
}

static void test_every_bit_of_a_key_reaches_the_hash(void **state)
{
    (void)state;
    for (int bit = 0; bit < 64; bit++) {
        uint32_t differs = index_hash(0x1234) ^ index_hash(0x1234 ^ UINT64_C(1) << bit);
        int bits = __builtin_popcount(differs);

        assert_in_range(bits, 6, 26);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_index_is_at_most_half_full),
        cmocka_unit_test(test_every_slot_is_found_as_often_as_it_was_put),
        cmocka_unit_test(test_every_bit_of_a_key_reaches_the_hash),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
