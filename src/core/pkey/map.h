/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The inside of an SR-IOV map: what its parts share.
 */
#ifndef WEFT_CORE_PKEY_MAP_H
#define WEFT_CORE_PKEY_MAP_H

#include "core/pkey/cache.h"

#define MAP_BASES 32768

struct weft_pkey_map {
    struct weft_pkey_map_config config;
    struct weft_alloc alloc;
    uint64_t bytes;
    uint32_t visible;
    /* Where a clash is looked for: the virtual entry that was seen with this partition or physical
     * entry, if it still is one; what is left from searches before does no harm. */
    uint16_t seen_base[MAP_BASES];
    uint16_t *seen_physical;
    uint16_t *physical; /* by VF, port and virtual entry */
};

/** Whether there is such a function on such a port. */
bool pkey_map_has(const struct weft_pkey_map *m, const struct weft_pkey_place *at);

/** The physical entry of a virtual one that exists; WEFT_PKEY_UNASSIGNED: none. */
uint16_t pkey_map_physical(const struct weft_pkey_map *m, const struct weft_pkey_place *at,
                           uint32_t virt);

/** The key of a virtual entry that exists; 0 when it is unassigned or the table has no such entry.
 * @param cache  the port's table; NULL: all keys are 0 */
weft_pkey pkey_map_key(const struct weft_pkey_map *m, const struct weft_pkey_cache *cache,
                       const struct weft_pkey_place *at, uint32_t virt);

#endif
