/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Slots of a fixed array: which are free. The last one given back is the next one given out, and
 * slots never used are touched only when the others are all in use, so a small load stays in few
 * pages however large the array is.
 */
#ifndef WEFT_CORE_BASE_POOL_H
#define WEFT_CORE_BASE_POOL_H

#include "core/base/check.h"

#include <stdbool.h>
#include <stdint.h>

#define POOL_NONE UINT32_MAX

/** While a slot is free the pool keeps a link in its first four bytes. */
struct pool {
    unsigned char *base;
    uint32_t stride, capacity;
    uint32_t fresh; /* slots from here on were never used */
    uint32_t free;  /* head of the chain of slots given back, or POOL_NONE */
    uint32_t used;
};

static inline void pool_init(struct pool *p, void *base, uint32_t stride, uint32_t capacity)
{
    *p = (struct pool){.base = base, .stride = stride, .capacity = capacity, .free = POOL_NONE};
}

static inline void *pool_at(const struct pool *p, uint32_t slot)
{
    WEFT_ASSERT(slot < p->capacity);
    return p->base + (size_t)slot * p->stride;
}

static inline uint32_t pool_slot(const struct pool *p, const void *object)
{
    return (uint32_t)((size_t)((const unsigned char *)object - p->base) / p->stride);
}

/** Takes a slot.
 * @param ret_fresh  whether it was never used before: its bytes are whatever they were
 * @return the object, or NULL when all are in use */
static inline void *pool_take(struct pool *p, bool *ret_fresh)
{
    void *object;

    *ret_fresh = p->free == POOL_NONE;
    if (p->free != POOL_NONE) {
        object = pool_at(p, p->free);
        p->free = *(uint32_t *)object;
    } else if (p->fresh < p->capacity) {
        object = pool_at(p, p->fresh++);
    } else {
        return NULL;
    }
    p->used++;
    return object;
}

static inline void pool_give(struct pool *p, void *object)
{
    WEFT_ASSERT(p->used > 0);
    *(uint32_t *)object = p->free;
    p->free = pool_slot(p, object);
    p->used--;
}

/** Whether the slot number lies among those that were ever used. */
static inline bool pool_known(const struct pool *p, uint32_t slot)
{
    return slot < p->fresh;
}

#endif
