/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What the parts of the P_Key layer know of tables beyond the public surface.
 */
#ifndef WEFT_CORE_PKEY_CACHE_H
#define WEFT_CORE_PKEY_CACHE_H

#include <weft/pkey.h>

/** How many blocks a table of that many entries has. */
static inline uint32_t pkey_blocks(uint32_t entries)
{
    return (entries + WEFT_PKEY_BLOCK - 1) / WEFT_PKEY_BLOCK;
}

/** How many entries of a block belong to the table: all but those of the last block's tail. */
static inline uint32_t pkey_block_entries(uint32_t entries, uint32_t block)
{
    uint32_t left = entries - block * WEFT_PKEY_BLOCK;

    return left < WEFT_PKEY_BLOCK ? left : WEFT_PKEY_BLOCK;
}

/** A bit of a bitmap in words of 64 bits. */
static inline bool pkey_bit(const uint64_t *bits, uint32_t i)
{
    return (bits[i / 64] >> i % 64 & 1) != 0;
}

static inline void pkey_set_bit(uint64_t *bits, uint32_t i)
{
    bits[i / 64] |= UINT64_C(1) << i % 64;
}

/** The generation in which an entry got the key it has; 0: it has been 0 from the beginning. */
uint64_t pkey_cache_entry_generation(const struct weft_pkey_cache *c, uint32_t index);

#endif
