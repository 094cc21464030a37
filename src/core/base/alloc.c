/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The allocator of objects that were given none. */
#include "core/base/alloc.h"

#include <stdlib.h>
#include <string.h>

static void *libc_get(void *ctx, size_t size, size_t align)
{
    (void)ctx;
    /* C11 wants a multiple of the alignment */
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void libc_put(void *ctx, void *p, size_t size)
{
    (void)ctx;
    (void)size;
    free(p);
}

struct weft_alloc alloc_or_libc(const struct weft_alloc *a)
{
    return a ? *a : (struct weft_alloc){.get = libc_get, .put = libc_put};
}

void *alloc_zeroed(const struct weft_alloc *a, uint64_t size, size_t align)
{
    void *p = size < SIZE_MAX - align ? a->get(a->ctx, (size_t)size, align) : NULL;

    if (p)
        memset(p, 0, (size_t)size);
    return p;
}
