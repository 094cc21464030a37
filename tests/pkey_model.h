/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * P_Key lookups as slowly and plainly as they can be written, for comparison, and random keys that
 * meet each other.
 */
#ifndef WEFT_TESTS_PKEY_MODEL_H
#define WEFT_TESTS_PKEY_MODEL_H

#include "core/base/prng.h"

#include <weft/pkey.h>

#include <string.h>

#define KEY_A      0x0001 /* two partitions, limited and full */
#define KEY_A_FULL 0x8001
#define KEY_B      0x1234
#define KEY_B_FULL 0x9234

/** What a lookup is to answer: the index, or a negative error. */
static inline int model_find(const weft_pkey *keys, uint32_t count, enum weft_pkey_find find,
                             weft_pkey key)
{
    if ((key & 0x7FFF) == 0)
        return WEFT_ERR_INVALID;
    if (find == WEFT_PKEY_FIND_EXACT) {
        for (uint32_t i = 0; i < count; i++) {
            if (keys[i] == key)
                return (int)i;
        }
        return WEFT_ERR_NOTFOUND;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (keys[i] == (key | 0x8000))
            return (int)i;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (keys[i] == (key & 0x7FFF))
            return (int)i;
    }
    return WEFT_ERR_NOTFOUND;
}

/** A key of one of `partitions` partitions, in either form; now and then an empty one. */
static inline weft_pkey model_key(struct prng *g, uint32_t partitions)
{
    weft_pkey full = prng_up_to(g, 1) ? WEFT_PKEY_FULL : 0;

    if (prng_up_to(g, 4) == 0)
        return full;
    return (weft_pkey)(full | (1 + prng_up_to(g, partitions - 1)));
}

/** A block of a table; what lies beyond the table is a key that would be found. */
static inline void model_block(const weft_pkey *keys, uint32_t count, uint32_t block,
                               weft_pkey beyond, weft_pkey ret[WEFT_PKEY_BLOCK])
{
    for (uint32_t i = 0; i < WEFT_PKEY_BLOCK; i++) {
        uint32_t at = block * WEFT_PKEY_BLOCK + i;

        ret[i] = at < count ? keys[at] : beyond;
    }
}

/** Puts a whole table into a cache.
 * @param beyond  what stands behind it in the last block
 * @return what the commit says */
static inline int model_commit(struct weft_pkey_cache *c, const weft_pkey *keys, weft_pkey beyond,
                               struct weft_pkey_change *ret_change)
{
    uint32_t count = weft_pkey_cache_entries(c);
    weft_pkey block[WEFT_PKEY_BLOCK];

    for (uint32_t b = 0; b * WEFT_PKEY_BLOCK < count; b++) {
        int err;

        model_block(keys, count, b, beyond, block);
        err = weft_pkey_cache_stage(c, (uint16_t)b, block);
        if (err < 0)
            return err;
    }
    return weft_pkey_cache_commit(c, ret_change);
}

/** A lookup's answer in the model's form. */
static inline int model_ask(const struct weft_pkey_cache *c, enum weft_pkey_find find,
                            weft_pkey key)
{
    uint16_t index = 0xBEEF;
    int err = find == WEFT_PKEY_FIND_EXACT ? weft_pkey_cache_find_exact(c, key, &index)
                                           : weft_pkey_cache_find(c, key, &index);

    /* untouched on failure: any index would do harm */
    if (err < 0)
        return index == 0xBEEF ? err : 1000000;
    return index;
}

/** Answers a lookup from a table, one block at a time, until it is decided.
 * @return its answer in the model's form */
static inline int model_read(enum weft_pkey_find find, weft_pkey key, const weft_pkey *keys,
                             uint32_t count, weft_pkey beyond)
{
    struct weft_pkey_lookup l;
    weft_pkey block[WEFT_PKEY_BLOCK];
    uint16_t index = 0xBEEF, number;
    int err = weft_pkey_lookup_init(&l, find, key, count, 1);

    if (err < 0)
        return err;
    while (weft_pkey_lookup_poll(&l, &number)) {
        model_block(keys, count, number, beyond, block);
        err = weft_pkey_lookup_feed(&l, number, block);
        if (err < 0)
            return err;
    }
    err = weft_pkey_lookup_result(&l, &index);
    if (err < 0)
        return index == 0xBEEF ? err : 1000000;
    return index;
}

#endif
