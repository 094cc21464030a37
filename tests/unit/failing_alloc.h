/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * An allocator that has nothing at its n-th call, and knows what was not given back.
 */
#ifndef WEFT_TESTS_FAILING_ALLOC_H
#define WEFT_TESTS_FAILING_ALLOC_H

#include <weft/base.h>

#include <stdlib.h>

/** What it has done. */
struct failing_alloc {
    unsigned fail_at; /* the call that gets nothing, from 0 on */
    unsigned calls;
    size_t held; /* bytes that were not given back */
};

static inline void *failing_alloc_get(void *ctx, size_t size, size_t align)
{
    struct failing_alloc *f = ctx;

    if (f->calls++ == f->fail_at)
        return NULL;
    f->held += size;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static inline void failing_alloc_put(void *ctx, void *p, size_t size)
{
    struct failing_alloc *f = ctx;

    f->held -= size;
    free(p);
}

/** The allocator. */
static inline struct weft_alloc failing_alloc_of(struct failing_alloc *f)
{
    return (struct weft_alloc){.get = failing_alloc_get, .put = failing_alloc_put, .ctx = f};
}

/** Whether the call that was to get nothing was made. */
static inline bool failing_alloc_failed(const struct failing_alloc *f)
{
    return f->calls > f->fail_at;
}

#endif
