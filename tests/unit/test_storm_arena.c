/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/storm/arena.c: alignment, large pieces, and giving everything back. */
#include "storm/arena.h"
#include "storm_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct counting {
    int pieces;
    size_t bytes;
};

static void *counting_get(void *ctx, size_t size, size_t align)
{
    struct counting *c = ctx;

    c->pieces++;
    c->bytes += size;
    return fixture_heap.get(NULL, size, align);
}

static void counting_put(void *ctx, void *p, size_t size)
{
    struct counting *c = ctx;

    c->pieces--;
    c->bytes -= size;
    fixture_heap.put(NULL, p, size);
}

static void test_blocks_are_aligned_and_do_not_overlap(void **state)
{
    struct counting c = {0};
    const struct weft_alloc from = {counting_get, counting_put, &c};
    struct storm_arena a;
    struct weft_alloc alloc;
    unsigned char *blocks[200];

    (void)state;
    storm_arena_init(&a, &from);
    alloc = storm_arena_alloc(&a);
    for (size_t i = 0; i < 200; i++) {
        size_t align = (size_t)1 << i % 8;

        blocks[i] = alloc.get(alloc.ctx, i + 1, align);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % align, 0);
        memset(blocks[i], (int)i, i + 1);
    }
    for (size_t i = 0; i < 200; i++)
        for (size_t k = 0; k <= i; k++)
            assert_int_equal(blocks[i][k], i);
    assert_int_equal(c.pieces, 1);
    alloc.put(alloc.ctx, blocks[0], 1);
    storm_arena_done(&a);
    assert_int_equal(c.pieces, 0);
    assert_int_equal(c.bytes, 0);
}

static void test_what_is_larger_than_a_piece_gets_one_of_its_own(void **state)
{
    struct counting c = {0};
    const struct weft_alloc from = {counting_get, counting_put, &c};
    struct storm_arena a;
    struct weft_alloc alloc;

    (void)state;
    storm_arena_init(&a, &from);
    alloc = storm_arena_alloc(&a);
    for (int i = 0; i < 3; i++)
        assert_non_null(alloc.get(alloc.ctx, (size_t)40 << 20, 64));
    assert_int_equal(c.pieces, 3);
    assert_null(alloc.get(alloc.ctx, SIZE_MAX - 8, 64));
    storm_arena_done(&a);
    assert_int_equal(c.pieces, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_are_aligned_and_do_not_overlap),
        cmocka_unit_test(test_what_is_larger_than_a_piece_gets_one_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
