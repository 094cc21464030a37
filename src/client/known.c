/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Known ports, hashed by node GUID and number. */
#include "core/base/index.h"

#include <weft/sweep.h>

#include <stdlib.h>

/* Spreads the numbers of a node's ports over the keys. */
#define NUMBER_STEP UINT64_C(0x9e3779b97f4a7c15)

/* An index has room for twice as many entries, a power of two. */
#define PORTS_MAX (UINT32_C(1) << 28)

struct weft_known {
    struct index index;
    uint32_t count, space;
    struct weft_known_port ports[];
};

static uint32_t hash_of(uint64_t guid, uint8_t number)
{
    return index_hash(guid + number * NUMBER_STEP);
}

struct weft_known *weft_known_new(uint32_t ports)
{
    uint32_t entries = ports < PORTS_MAX ? index_entries(ports) : 0;
    struct index_entry *index = entries ? malloc(entries * sizeof(*index)) : NULL;
    struct weft_known *k = index ? calloc(1, sizeof(*k) + ports * sizeof(k->ports[0])) : NULL;

    if (!k) {
        free(index);
        return NULL;
    }
    k->space = ports;
    index_init(&k->index, index, entries);
    return k;
}

struct weft_known *weft_known_free(struct weft_known *k)
{
    if (k)
        free(k->index.entries);
    free(k);
    return NULL;
}

int weft_known_add(struct weft_known *k, const struct weft_known_port *p)
{
    if (weft_known_find(k, p->guid, p->number))
        return 0;
    if (k->count == k->space)
        return WEFT_ERR_FULL;
    index_put(&k->index, hash_of(p->guid, p->number), k->count);
    k->ports[k->count++] = *p;
    return 0;
}

const struct weft_known_port *weft_known_find(const struct weft_known *k, uint64_t guid,
                                              uint8_t number)
{
    uint32_t hash = hash_of(guid, number);
    uint32_t pos = hash;
    uint32_t slot;

    while ((slot = index_next(&k->index, hash, &pos)) != INDEX_EMPTY)
        if (k->ports[slot].guid == guid && k->ports[slot].number == number)
            return &k->ports[slot];
    return NULL;
}
