/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What tests of the P_Key layer share: tables that are there at once, guests' views of them, and an
 * allocator that counts or has nothing.
 */
#ifndef WEFT_TESTS_PKEY_FIXTURE_H
#define WEFT_TESTS_PKEY_FIXTURE_H

#include "pkey_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/** An allocator's books. */
struct pkey_memory {
    size_t given;  /**< bytes that are out */
    uint32_t gets; /**< calls of get() */
    bool empty;    /**< whether it has nothing to give */
};

static inline void *pkey_memory_get(void *ctx, size_t size, size_t align)
{
    struct pkey_memory *m = ctx;
    void *p = m->empty ? NULL : aligned_alloc(align, (size + align - 1) / align * align);

    m->gets++;
    if (p) {
        memset(p, 0xA5, size);
        m->given += size;
    }
    return p;
}

static inline void pkey_memory_put(void *ctx, void *p, size_t size)
{
    struct pkey_memory *m = ctx;

    m->given -= size;
    free(p);
}

static inline struct weft_alloc pkey_memory_alloc(struct pkey_memory *m)
{
    return (struct weft_alloc){.get = pkey_memory_get, .put = pkey_memory_put, .ctx = m};
}

static inline struct weft_pkey_cache *pkey_cache(const weft_pkey *keys, uint32_t count)
{
    struct weft_pkey_cache *c;

    assert_int_equal(weft_pkey_cache_new(count, NULL, &c), 0);
    assert_int_equal(model_commit(c, keys, 0, NULL), 0);
    return c;
}

/** Replaces one key, as a Set(P_KeyTable) of its block does. */
static inline void pkey_write(struct weft_pkey_cache *c, uint32_t index, weft_pkey key)
{
    uint32_t block = index / WEFT_PKEY_BLOCK;
    weft_pkey keys[WEFT_PKEY_BLOCK] = {0};

    for (uint32_t i = 0; i < WEFT_PKEY_BLOCK; i++)
        (void)weft_pkey_cache_get(c, block * WEFT_PKEY_BLOCK + i, &keys[i]);
    keys[index % WEFT_PKEY_BLOCK] = key;
    assert_int_equal(weft_pkey_cache_set(c, (uint16_t)block, keys, NULL), 0);
}

/** A map with that many functions on one port. */
static inline struct weft_pkey_map *pkey_map(uint16_t functions, uint32_t entries, bool strict)
{
    struct weft_pkey_map_config c;
    struct weft_pkey_map *m;

    assert_int_equal(weft_pkey_map_config_init(&c), 0);
    c.functions = functions;
    c.entries = entries;
    c.strict = strict;
    assert_int_equal(weft_pkey_map_new(&c, NULL, &m), 0);
    return m;
}

/** A function on port 1. */
static inline const struct weft_pkey_place *pkey_at(struct weft_pkey_place *place,
                                                    uint16_t function)
{
    *place = (struct weft_pkey_place){.port = 1, .function = function};
    return place;
}

#define AT(function) pkey_at(&(struct weft_pkey_place){0}, (function))

/** The cache that a function's own driver has of the table it sees. */
static inline struct weft_pkey_cache *pkey_guest_cache(const struct weft_pkey_map *m,
                                                       const struct weft_pkey_cache *physical,
                                                       uint16_t function)
{
    uint32_t visible = weft_pkey_map_visible(m);
    weft_pkey block[WEFT_PKEY_BLOCK];
    struct weft_pkey_cache *c;

    assert_int_equal(weft_pkey_cache_new(visible, NULL, &c), 0);
    for (uint32_t b = 0; b * WEFT_PKEY_BLOCK < visible; b++) {
        assert_int_equal(weft_pkey_map_view(m, physical, AT(function), (uint16_t)b, block), 0);
        assert_int_equal(weft_pkey_cache_stage(c, (uint16_t)b, block), 0);
    }
    assert_int_equal(weft_pkey_cache_commit(c, NULL), 0);
    return c;
}

static inline bool pkey_told(const struct weft_pkey_functions *set, uint16_t function)
{
    return (set->bits[function / 64] >> function % 64 & 1) != 0;
}

#endif
