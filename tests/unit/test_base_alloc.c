/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The allocator of objects that were given none; arrays from any allocator. */
#include "core/base/alloc.h"
#include "failing_alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void *have_nothing(void *ctx, size_t size, size_t align)
{
    (void)size;
    (void)align;
    ++*(int *)ctx;
    return NULL;
}

static void take_back(void *ctx, void *p, size_t size)
{
    (void)ctx;
    (void)p;
    (void)size;
}

static void test_without_an_allocator_memory_is_the_C_librarys_aligned_and_zeroed(void **state)
{
    struct weft_alloc a = alloc_or_libc(NULL);

    (void)state;
    for (size_t size = 1; size < 300; size += 37) {
        unsigned char *p = alloc_zeroed(&a, size, 64);

        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 64, 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(p[i], 0);
        a.put(a.ctx, p, size);
    }
}

static void test_an_allocator_that_was_given_is_the_one_used(void **state)
{
    int calls = 0;
    struct weft_alloc given = {.get = have_nothing, .put = take_back, .ctx = &calls};
    struct weft_alloc a = alloc_or_libc(&given);

    (void)state;
    assert_ptr_equal(a.get, have_nothing);
    assert_ptr_equal(a.ctx, &calls);
    assert_null(alloc_zeroed(&a, 10, 8));
    assert_int_equal(calls, 1);
}

static void test_what_no_object_can_be_is_not_asked_for(void **state)
{
    int calls = 0;
    struct weft_alloc a = {.get = have_nothing, .put = take_back, .ctx = &calls};

    (void)state;
    assert_null(alloc_zeroed(&a, UINT64_MAX, 64));
    assert_null(alloc_zeroed(&a, SIZE_MAX - 63, 64));
    assert_int_equal(calls, 0);
}

static void test_an_array_grows_and_is_given_back_whole(void **state)
{
    struct failing_alloc f = {.fail_at = 3};
    const struct weft_alloc a = failing_alloc_of(&f);
    uint16_t *p = alloc_array(&a, 3, sizeof(*p)), *longer;

    (void)state;
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
    assert_int_equal(p[0] | p[1] | p[2], 0);
    memcpy(p, (const uint16_t[]){1, 2, 3}, 3 * sizeof(*p));
    longer = alloc_grow(&a, p, 3, 100, sizeof(*p));
    assert_non_null(longer);
    assert_memory_equal(longer, ((const uint16_t[]){1, 2, 3}), 3 * sizeof(*p));
    assert_int_equal(f.held, 100 * sizeof(*p));
    alloc_put(&a, longer, 100, sizeof(*p));
    assert_int_equal(f.held, 0);
    p = alloc_grow(&a, NULL, 0, 2, sizeof(*p));
    assert_non_null(p);
    p[0] = 7;
    assert_null(alloc_grow(&a, p, 2, 4, sizeof(*p)));
    assert_int_equal(p[0], 7);
    alloc_put(&a, p, 2, sizeof(*p));
    alloc_put(&a, NULL, 5, sizeof(*p));
    assert_int_equal(f.held, 0);
    p = alloc_array(&a, 0, sizeof(*p)); /* of one at least */
    assert_non_null(p);
    p[0] = 1;
    alloc_put(&a, p, 0, sizeof(*p));
    assert_int_equal(f.held, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_an_allocator_memory_is_the_C_librarys_aligned_and_zeroed),
        cmocka_unit_test(test_an_allocator_that_was_given_is_the_one_used),
        cmocka_unit_test(test_what_no_object_can_be_is_not_asked_for),
        cmocka_unit_test(test_an_array_grows_and_is_given_back_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
