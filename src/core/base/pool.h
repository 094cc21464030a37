/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Slots of a fixed array: which are free, and handles that tell one use of a slot from another. The
 * slot given back last is the next one given out, and slots never used are touched only when the
 * others are all in use, so a small load stays in few pages however large the array is.
 *
 * Each object begins with two words: the first is the pool's link while the slot is free and the
 * object's own while it is in use; the second is the slot's generation and always the pool's. It
 * grows whenever the slot is taken or given back, so it is odd while the slot is in use.
 */
#ifndef WEFT_CORE_BASE_POOL_H
#define WEFT_CORE_BASE_POOL_H

#include "core/base/check.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define POOL_NONE       UINT32_MAX
#define POOL_HEAD_BYTES 8

/** A handle: slot + 1 in the low half, so that none is 0, and the generation in the high half. */
#define POOL_HANDLE(slot, generation) ((uint64_t)(generation) << 32 | ((uint64_t)(slot) + 1))

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

static inline uint32_t pool_generation(const void *object)
{
    return ((const uint32_t *)object)[1];
}

/** Takes a slot. But for its generation the object's bytes are whatever they were.
 * @return the object, or NULL when all are in use */
static inline void *pool_take(struct pool *p)
{
    uint32_t *object;

    if (p->free != POOL_NONE) {
        object = pool_at(p, p->free);
        p->free = object[0];
        object[1]++;
    } else if (p->fresh < p->capacity) {
        object = pool_at(p, p->fresh++);
        object[1] = 1;
    } else {
        return NULL;
    }
    WEFT_ASSERT(object[1] % 2 == 1);
    object[0] = 0;
    p->used++;
    return object;
}

static inline void pool_give(struct pool *p, void *object)
{
    uint32_t *head = object;

    WEFT_ASSERT(p->used > 0 && head[1] % 2 == 1);
    head[0] = p->free;
    head[1]++;
    p->free = pool_slot(p, object);
    p->used--;
}

/** Zeroes the first `bytes` of an object, but for what is the pool's. */
static inline void pool_clear(void *object, size_t bytes)
{
    memset((unsigned char *)object + POOL_HEAD_BYTES, 0, bytes - POOL_HEAD_BYTES);
}

/** Walks the slots in use: start with *slot = 0, stop at NULL. */
static inline void *pool_next(const struct pool *p, uint32_t *slot)
{
    while (*slot < p->fresh) {
        void *object = pool_at(p, (*slot)++);

        if (pool_generation(object) % 2 == 1)
            return object;
    }
    return NULL;
}

/** The handle of an object in use. */
static inline uint64_t pool_handle(const struct pool *p, const void *object)
{
    return POOL_HANDLE(pool_slot(p, object), pool_generation(object));
}

/** The object of a handle, or NULL when it names none or a former use of the slot. */
static inline void *pool_find(const struct pool *p, uint64_t handle)
{
    uint32_t slot = (uint32_t)handle - 1, generation = (uint32_t)(handle >> 32);
    void *object;

    if (slot >= p->fresh || generation % 2 == 0)
        return NULL;
    object = pool_at(p, slot);
    return pool_generation(object) == generation ? object : NULL;
}

#endif
