/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sorts by the bytes of the keys, the lowest first. Of GUIDs and port numbers only a few bytes
 * differ; the others cost nothing. */
#include "topology/sort.h"

#include <weft/base.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BYTE_VALUES 256

/* The bits in which not all keys are the same; 0 when they are in order already. */
static uint64_t find_work(const struct topo_key *keys, uint32_t count)
{
    uint64_t differing = 0;
    bool in_order = true;

    for (uint32_t i = 1; i < count; i++) {
        differing |= keys[i].key ^ keys[i - 1].key;
        in_order = in_order && keys[i - 1].key <= keys[i].key;
    }
    return in_order ? 0 : differing;
}

static void sort_by_byte(const struct topo_key *from, struct topo_key *to, uint32_t count,
                         unsigned shift)
{
    uint32_t place[BYTE_VALUES] = {0};
    uint32_t next = 0;

    for (uint32_t i = 0; i < count; i++)
        place[from[i].key >> shift & (BYTE_VALUES - 1)]++;
    for (size_t value = 0; value < BYTE_VALUES; value++) {
        uint32_t have = place[value];

        place[value] = next;
        next += have;
    }
    for (uint32_t i = 0; i < count; i++)
        to[place[from[i].key >> shift & (BYTE_VALUES - 1)]++] = from[i];
}

int topo_sort(struct topo_key *keys, uint32_t count)
{
    uint64_t differing = find_work(keys, count);
    struct topo_key *from = keys;
    struct topo_key *to;
    struct topo_key *memory;

    if (differing == 0)
        return 0;
    memory = to = malloc(count * sizeof(*to));
    if (!memory)
        return WEFT_ERR_NOMEM;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        struct topo_key *sorted = to;

        if ((differing >> shift & (BYTE_VALUES - 1)) == 0)
            continue;
        sort_by_byte(from, to, count, shift);
        to = from;
        from = sorted;
    }
    if (from != keys)
        memcpy(keys, from, count * sizeof(*keys));
    free(memory);
    return 0;
}
