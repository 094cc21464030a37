/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The allocator of objects that were given none; arrays from any allocator. */
#include "core/base/alloc.h"

#include <stddef.h>
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
    void *p;

    /* Large ones come from the system as zeroes, and what is never used is never there. */
    if (a->get == libc_get && align <= _Alignof(max_align_t))
        return size < SIZE_MAX ? calloc(1, (size_t)size) : NULL;
    p = size < SIZE_MAX - align ? a->get(a->ctx, (size_t)size, align) : NULL;
    if (p)
        memset(p, 0, (size_t)size);
    return p;
}

static size_t array_bytes(uint32_t count, size_t size)
{
    return (count > 0 ? count : 1) * size;
}

void *alloc_array(const struct weft_alloc *a, uint32_t count, size_t size)
{
    return alloc_zeroed(a, array_bytes(count, size), _Alignof(max_align_t));
}

void *alloc_grow(const struct weft_alloc *a, void *old, uint32_t count, uint32_t more, size_t size)
{
    void *p;

    /* Large ones are moved without a copy. */
    if (a->get == libc_get)
        return realloc(old, array_bytes(more, size));
    p = a->get(a->ctx, array_bytes(more, size), _Alignof(max_align_t));
    if (p && old) {
        memcpy(p, old, count * size);
        alloc_put(a, old, count, size);
    }
    return p;
}

void alloc_put(const struct weft_alloc *a, void *p, uint32_t count, size_t size)
{
    if (p)
        a->put(a->ctx, p, array_bytes(count, size));
}
