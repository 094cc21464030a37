/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The cache of a port's P_Key table: staging, replacing, lookups. */
#include "core/pkey/cache.h"

#include "core/base/alloc.h"
#include "core/base/check.h"

#include <string.h>

#define KEYS        65536
#define CACHE_ALIGN 64

struct weft_pkey_cache {
    struct weft_alloc alloc;
    uint64_t bytes;
    uint64_t generation;
    uint32_t entries, blocks;
    uint32_t staged_count;
    uint64_t staged[WEFT_PKEY_BLOCKS_MAX / 64];
    /* By key: its first entry, if that entry has this key; otherwise the key is nowhere. So what is
     * left from tables before does no harm, and a lookup is the same few steps always. */
    uint16_t where[KEYS];
    uint64_t *changed_at; /* by entry: the generation of its last change */
    weft_pkey *keys;      /* what lookups see */
    weft_pkey *next;      /* what is staged */
};

int weft_pkey_cache_new(uint32_t entries, const struct weft_alloc *a, struct weft_pkey_cache **ret)
{
    struct weft_alloc alloc = alloc_or_libc(a);
    struct weft_pkey_cache *c;
    uint64_t bytes = sizeof(*c) + (uint64_t)entries * (sizeof(uint64_t) + 2 * sizeof(weft_pkey));

    if (entries == 0 || entries > WEFT_PKEY_ENTRIES_MAX)
        return WEFT_ERR_INVALID;
    c = alloc_zeroed(&alloc, bytes, CACHE_ALIGN);
    if (!c)
        return WEFT_ERR_NOMEM;
    c->alloc = alloc;
    c->bytes = bytes;
    c->entries = entries;
    c->blocks = pkey_blocks(entries);
    c->changed_at = (uint64_t *)(void *)(c + 1);
    c->keys = (weft_pkey *)(void *)(c->changed_at + entries);
    c->next = c->keys + entries;
    *ret = c;
    return 0;
}

struct weft_pkey_cache *weft_pkey_cache_free(struct weft_pkey_cache *c)
{
    if (c)
        c->alloc.put(c->alloc.ctx, c, (size_t)c->bytes);
    return NULL;
}

uint32_t weft_pkey_cache_entries(const struct weft_pkey_cache *c)
{
    return c->entries;
}

uint64_t weft_pkey_cache_generation(const struct weft_pkey_cache *c)
{
    return c->generation;
}

uint64_t pkey_cache_entry_generation(const struct weft_pkey_cache *c, uint32_t index)
{
    WEFT_ASSERT(index < c->entries);
    return c->changed_at[index];
}

static void copy_block(const struct weft_pkey_cache *c, weft_pkey *table, uint32_t block,
                       const weft_pkey *keys)
{
    memcpy(table + block * WEFT_PKEY_BLOCK, keys,
           pkey_block_entries(c->entries, block) * sizeof(*keys));
}

int weft_pkey_cache_stage(struct weft_pkey_cache *c, uint16_t block,
                          const weft_pkey keys[WEFT_PKEY_BLOCK])
{
    if (block >= c->blocks)
        return WEFT_ERR_INVALID;
    copy_block(c, c->next, block, keys);
    if (!pkey_bit(c->staged, block)) {
        pkey_set_bit(c->staged, block);
        c->staged_count++;
    }
    return 0;
}

void weft_pkey_cache_discard(struct weft_pkey_cache *c)
{
    memset(c->staged, 0, sizeof(c->staged));
    c->staged_count = 0;
}

/* Takes new keys for `count` entries from `first` on; lookups must be made right afterwards. */
static void replace(struct weft_pkey_cache *c, uint32_t first, const weft_pkey *keys,
                    uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (c->keys[first + i] == keys[i])
            continue;
        c->keys[first + i] = keys[i];
        c->changed_at[first + i] = c->generation;
    }
}

/* From the last entry to the first, so that the first of equal keys stays. */
static void index_keys(struct weft_pkey_cache *c)
{
    for (uint32_t i = c->entries; i-- > 0;)
        c->where[c->keys[i]] = (uint16_t)i;
}

static void fill_change(const struct weft_pkey_cache *c, uint64_t generation,
                        struct weft_pkey_change *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->generation = c->generation;
    for (uint32_t i = 0; i < c->entries; i++) {
        if (c->changed_at[i] > generation) {
            ret->entries++;
            pkey_set_bit(ret->blocks, i / WEFT_PKEY_BLOCK);
        }
    }
}

int weft_pkey_cache_commit(struct weft_pkey_cache *c, struct weft_pkey_change *ret_change)
{
    if (c->staged_count < c->blocks)
        return WEFT_ERR_STATE;
    c->generation++;
    replace(c, 0, c->next, c->entries);
    index_keys(c);
    weft_pkey_cache_discard(c);
    if (ret_change)
        fill_change(c, c->generation - 1, ret_change);
    return 0;
}

int weft_pkey_cache_set(struct weft_pkey_cache *c, uint16_t block,
                        const weft_pkey keys[WEFT_PKEY_BLOCK], struct weft_pkey_change *ret_change)
{
    if (block >= c->blocks)
        return WEFT_ERR_INVALID;
    if (c->generation == 0)
        return WEFT_ERR_STATE;
    c->generation++;
    replace(c, (uint32_t)block * WEFT_PKEY_BLOCK, keys, pkey_block_entries(c->entries, block));
    index_keys(c);
    if (pkey_bit(c->staged, block))
        copy_block(c, c->next, block, keys);
    if (ret_change)
        fill_change(c, c->generation - 1, ret_change);
    return 0;
}

int weft_pkey_cache_changes(const struct weft_pkey_cache *c, uint64_t generation,
                            struct weft_pkey_change *ret_change)
{
    if (generation > c->generation)
        return WEFT_ERR_INVALID;
    fill_change(c, generation, ret_change);
    return 0;
}

int weft_pkey_cache_get(const struct weft_pkey_cache *c, uint32_t index, weft_pkey *ret)
{
    if (index >= c->entries)
        return WEFT_ERR_INVALID;
    if (c->generation == 0)
        return WEFT_ERR_STATE;
    *ret = c->keys[index];
    return 0;
}

/* Whether a lookup can be answered at all. */
static int askable(const struct weft_pkey_cache *c, weft_pkey key)
{
    if (!weft_pkey_valid(key))
        return WEFT_ERR_INVALID;
    return c->generation == 0 ? WEFT_ERR_STATE : 0;
}

static bool first_equal(const struct weft_pkey_cache *c, weft_pkey key, uint16_t *ret)
{
    uint16_t index = c->where[key];

    if (c->keys[index] != key)
        return false;
    *ret = index;
    return true;
}

int weft_pkey_cache_find(const struct weft_pkey_cache *c, weft_pkey key, uint16_t *ret)
{
    int err = askable(c, key);

    if (err < 0)
        return err;
    if (first_equal(c, key | WEFT_PKEY_FULL, ret) || first_equal(c, key & WEFT_PKEY_BASE, ret))
        return 0;
    return WEFT_ERR_NOTFOUND;
}

int weft_pkey_cache_find_exact(const struct weft_pkey_cache *c, weft_pkey key, uint16_t *ret)
{
    int err = askable(c, key);

    if (err < 0)
        return err;
    return first_equal(c, key, ret) ? 0 : WEFT_ERR_NOTFOUND;
}
