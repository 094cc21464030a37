/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Putting many things in order by a number each, in a time that grows only with how many they are.
 */
#ifndef WEFT_TOPOLOGY_SORT_H
#define WEFT_TOPOLOGY_SORT_H

#include <stdint.h>

/** Something and the number that it is sorted by. */
struct topo_key {
    uint64_t key;
    uint32_t index; /**< which thing; the caller's */
};

/** Sorts by key; those with the same key stay in their order.
 * @return 0 or WEFT_ERR_NOMEM */
int topo_sort(struct topo_key *keys, uint32_t count);

#endif
