/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ports that are known from before, hashed by node GUID and number. */
#include "core/base/alloc.h"
#include "core/base/index.h"

#include <weft/sweep.h>

/* Spreads the numbers of a node's ports over the keys. */
#define NUMBER_STEP UINT64_C(0x9e3779b97f4a7c15)

/* An index has room for twice as many entries, a power of two. */
#define PORTS_MAX (UINT32_C(1) << 28)

struct weft_sweep_prior {
    struct weft_alloc alloc;
    struct index index;
    uint32_t count, space;
    struct weft_sweep_prior_port ports[];
};

static uint32_t hash_of(uint64_t guid, uint8_t number)
{
    return index_hash(guid + number * NUMBER_STEP);
}

static size_t prior_bytes(uint32_t ports)
{
    return sizeof(struct weft_sweep_prior) + ports * sizeof(struct weft_sweep_prior_port);
}

int weft_sweep_prior_new(uint32_t ports, const struct weft_alloc *a, struct weft_sweep_prior **ret)
{
    struct weft_alloc alloc = alloc_or_libc(a);
    uint32_t entries = ports < PORTS_MAX ? index_entries(ports) : 0;
    struct weft_sweep_prior *k;
    struct index_entry *index;

    if (entries == 0)
        return WEFT_ERR_INVALID;
    k = alloc_array(&alloc, 1, prior_bytes(ports));
    index = alloc_array(&alloc, entries, sizeof(*index));
    if (!k || !index) {
        alloc_put(&alloc, index, entries, sizeof(*index));
        alloc_put(&alloc, k, 1, prior_bytes(ports));
        return WEFT_ERR_NOMEM;
    }
    k->alloc = alloc;
    k->space = ports;
    index_init(&k->index, index, entries);
    *ret = k;
    return 0;
}

struct weft_sweep_prior *weft_sweep_prior_free(struct weft_sweep_prior *k)
{
    struct weft_alloc alloc;

    if (!k)
        return NULL;
    alloc = k->alloc;
    alloc_put(&alloc, k->index.entries, k->index.mask + 1, sizeof(k->index.entries[0]));
    alloc_put(&alloc, k, 1, prior_bytes(k->space));
    return NULL;
}

int weft_sweep_prior_add(struct weft_sweep_prior *k, const struct weft_sweep_prior_port *p)
{
    if (weft_sweep_prior_find(k, p->guid, p->number))
        return 0;
    if (k->count == k->space)
        return WEFT_ERR_FULL;
    index_put(&k->index, hash_of(p->guid, p->number), k->count);
    k->ports[k->count++] = *p;
    return 0;
}

const struct weft_sweep_prior_port *weft_sweep_prior_find(const struct weft_sweep_prior *k,
                                                          uint64_t guid, uint8_t number)
{
    uint32_t hash = hash_of(guid, number);
    uint32_t pos = hash;
    uint32_t slot;

    while ((slot = index_next(&k->index, hash, &pos)) != INDEX_EMPTY)
        if (k->ports[slot].guid == guid && k->ports[slot].number == number)
            return &k->ports[slot];
    return NULL;
}
