/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/pages/pages.c: zeroed memory, small and large, that takes room only where it is touched. */
#include "pages/pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static void expect_zeroes(const uint8_t *p, size_t size)
{
    for (size_t i = 0; i < size; i++)
        assert_int_equal(p[i], 0);
}

static void test_memory_reads_as_zeroes_at_its_alignment(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 100, 65535, 65536, 1000000};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (size_t align = 1; align <= 64; align *= 2) {
            uint8_t *p = pages_alloc.get(pages_alloc.ctx, sizes[i], align);

            assert_non_null(p);
            assert_int_equal((uintptr_t)p % align, 0);
            expect_zeroes(p, sizes[i]);
            memset(p, 0xAA, sizes[i]);
            pages_alloc.put(pages_alloc.ctx, p, sizes[i]);
        }
    }
}

static void test_pages_that_nobody_touches_are_not_there(void **state)
{
    (void)state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), count = 1024;
    uint8_t *p = pages_alloc.get(pages_alloc.ctx, count * page, page);
    unsigned char there[1024];
    size_t resident = 0;

    assert_non_null(p);
    p[5 * page] = 1;
    assert_int_equal(mincore(p, count * page, there), 0);
    for (size_t i = 0; i < count; i++)
        resident += there[i] & 1U;
    assert_int_equal(resident, 1);
    pages_alloc.put(pages_alloc.ctx, p, count * page);
}

static void test_more_than_the_address_space_is_refused(void **state)
{
    (void)state;
    assert_null(pages_alloc.get(pages_alloc.ctx, SIZE_MAX / 2, 64));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_reads_as_zeroes_at_its_alignment),
        cmocka_unit_test(test_pages_that_nobody_touches_are_not_there),
        cmocka_unit_test(test_more_than_the_address_space_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
