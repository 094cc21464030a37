/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A table of paths with chains, and a ring that says which is the oldest. */
#include "client/sa_cache.h"

#include "core/base/alloc.h"

#include <string.h>

#define NONE UINT32_MAX

struct entry {
    uint64_t mask;
    weft_time expires;
    uint32_t next; /* in its chain */
    uint8_t wanted[SA_PATH_BYTES];
    uint8_t path[SA_PATH_BYTES];
};

struct sa_cache {
    struct weft_alloc alloc;
    weft_time ttl;
    uint32_t space, count, oldest;
    uint32_t *chains; /* as many as entries */
    struct entry entries[];
};

static size_t cache_bytes(uint32_t paths)
{
    return sizeof(struct sa_cache) + paths * sizeof(struct entry);
}

struct sa_cache *sa_cache_new(uint32_t paths, weft_time ttl, const struct weft_alloc *a)
{
    struct weft_alloc alloc = alloc_or_libc(a);
    struct sa_cache *c = alloc_array(&alloc, 1, cache_bytes(paths));

    if (!c)
        return NULL;
    c->alloc = alloc;
    c->ttl = ttl;
    c->space = paths;
    c->chains = alloc_array(&alloc, paths, sizeof(c->chains[0]));
    if (!c->chains)
        return sa_cache_free(c);
    sa_cache_clear(c);
    return c;
}

struct sa_cache *sa_cache_free(struct sa_cache *c)
{
    struct weft_alloc a;

    if (!c)
        return NULL;
    a = c->alloc;
    alloc_put(&a, c->chains, c->space, sizeof(c->chains[0]));
    alloc_put(&a, c, 1, cache_bytes(c->space));
    return NULL;
}

void sa_cache_clear(struct sa_cache *c)
{
    c->count = c->oldest = 0;
    for (uint32_t i = 0; i < c->space; i++)
        c->chains[i] = NONE;
}

/* FNV-1a. */
static uint32_t *chain_of(const struct sa_cache *c, uint64_t mask, const uint8_t *wanted)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ mask;

    for (size_t i = 0; i < SA_PATH_BYTES; i++)
        hash = (hash ^ wanted[i]) * UINT64_C(0x100000001b3);
    return &c->chains[(hash ^ hash >> 32) % c->space];
}

/* NONE: there is none. */
static uint32_t find(const struct sa_cache *c, uint64_t mask, const uint8_t *wanted)
{
    uint32_t i = c->space > 0 ? *chain_of(c, mask, wanted) : NONE;

    while (i != NONE) {
        const struct entry *e = &c->entries[i];

        if (e->mask == mask && memcmp(e->wanted, wanted, SA_PATH_BYTES) == 0)
            return i;
        i = e->next;
    }
    return NONE;
}

static void unchain(struct sa_cache *c, uint32_t number)
{
    const struct entry *e = &c->entries[number];
    uint32_t *at = chain_of(c, e->mask, e->wanted);

    while (*at != number)
        at = &c->entries[*at].next;
    *at = e->next;
}

static struct entry *take(struct sa_cache *c, uint64_t mask, const uint8_t *wanted)
{
    uint32_t number = c->count;
    uint32_t *chain;
    struct entry *e;

    if (c->count < c->space) {
        c->count++;
    } else {
        number = c->oldest;
        c->oldest = (c->oldest + 1) % c->space;
        unchain(c, number);
    }
    e = &c->entries[number];
    e->mask = mask;
    memcpy(e->wanted, wanted, SA_PATH_BYTES);
    chain = chain_of(c, mask, wanted);
    e->next = *chain;
    *chain = number;
    return e;
}

void sa_cache_put(struct sa_cache *c, weft_time now, uint64_t mask,
                  const uint8_t wanted[SA_PATH_BYTES], const uint8_t path[SA_PATH_BYTES])
{
    uint32_t known = find(c, mask, wanted);
    struct entry *e;

    if (c->space == 0)
        return;
    e = known == NONE ? take(c, mask, wanted) : &c->entries[known];
    e->expires = c->ttl > WEFT_TIME_NEVER - now ? WEFT_TIME_NEVER : now + c->ttl;
    memcpy(e->path, path, SA_PATH_BYTES);
}

const uint8_t *sa_cache_find(const struct sa_cache *c, weft_time now, uint64_t mask,
                             const uint8_t wanted[SA_PATH_BYTES])
{
    uint32_t known = find(c, mask, wanted);

    return known != NONE && now < c->entries[known].expires ? c->entries[known].path : NULL;
}
