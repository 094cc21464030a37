/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Hash index from a 32-bit hash to slot numbers: open addressing at most half full, removal by
 * shifting back, so there are no tombstones and the cost does not depend on history. The owner
 * compares the full keys.
 */
#ifndef WEFT_CORE_BASE_INDEX_H
#define WEFT_CORE_BASE_INDEX_H

#include "core/base/check.h"

#include <stdbool.h>
#include <stdint.h>

#define INDEX_EMPTY UINT32_MAX

struct index_entry {
    uint32_t hash, slot; /* slot INDEX_EMPTY: nothing here */
};

struct index {
    struct index_entry *entries;
    uint32_t mask; /* number of entries - 1, a power of two - 1 */
};

/** Number of entries an index needs for `capacity` slots. */
static inline uint32_t index_entries(uint32_t capacity)
{
    uint32_t n = 8;

    while (n < 2 * capacity)
        n *= 2;
    return n;
}

static inline void index_init(struct index *ix, struct index_entry *entries, uint32_t count)
{
    ix->entries = entries;
    ix->mask = count - 1;
    for (uint32_t i = 0; i < count; i++)
        entries[i].slot = INDEX_EMPTY;
}

/** Mixes 64 bits of key into the hash (the finisher of MurmurHash3 has full avalanche). */
static inline uint32_t index_hash(uint64_t key)
{
    key ^= key >> 33;
    key *= 0xff51afd7ed558ccdu;
    key ^= key >> 33;
    key *= 0xc4ceb9fe1a85ec53u;
    key ^= key >> 33;
    return (uint32_t)key;
}

/** Tells the processor that slots with this hash will be looked for soon. */
static inline void index_prefetch(const struct index *ix, uint32_t hash)
{
    __builtin_prefetch(&ix->entries[hash & ix->mask]);
}

static inline void index_put(struct index *ix, uint32_t hash, uint32_t slot)
{
    uint32_t i = hash & ix->mask;

    while (ix->entries[i].slot != INDEX_EMPTY)
        i = (i + 1) & ix->mask;
    ix->entries[i] = (struct index_entry){.hash = hash, .slot = slot};
}

/** Walks the slots with this hash: start with *pos = hash, stop at INDEX_EMPTY. */
static inline uint32_t index_next(const struct index *ix, uint32_t hash, uint32_t *pos)
{
    for (uint32_t i = *pos & ix->mask;; i = (i + 1) & ix->mask) {
        const struct index_entry *e = &ix->entries[i];

        if (e->slot == INDEX_EMPTY || e->hash == hash) {
            *pos = i + 1;
            return e->slot;
        }
    }
}

static inline void index_remove(struct index *ix, uint32_t hash, uint32_t slot)
{
    uint32_t hole = hash & ix->mask;

    while (ix->entries[hole].slot != slot) {
        WEFT_ASSERT(ix->entries[hole].slot != INDEX_EMPTY);
        hole = (hole + 1) & ix->mask;
    }
    for (uint32_t i = (hole + 1) & ix->mask; ix->entries[i].slot != INDEX_EMPTY;
         i = (i + 1) & ix->mask) {
        uint32_t home = ix->entries[i].hash & ix->mask;

        /* an entry may move into the hole unless its home lies behind the hole */
        if (((i - home) & ix->mask) >= ((i - hole) & ix->mask)) {
            ix->entries[hole] = ix->entries[i];
            hole = i;
        }
    }
    ix->entries[hole].slot = INDEX_EMPTY;
}

#endif
