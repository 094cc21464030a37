/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The map of an SR-IOV device: what the administrator assigns, what functions see, whom changes
 * concern, and what the strict mode refuses. */
#include "core/pkey/map.h"

#include "core/base/alloc.h"
#include "core/base/check.h"

#include <string.h>

#define MAP_ALIGN       64
#define MAP_PORTS_MAX   254
/* So that WEFT_PKEY_UNASSIGNED is no entry of any table. */
#define MAP_ENTRIES_MAX 65535

int weft_pkey_map_config_init_sized(struct weft_pkey_map_config *ret, size_t size)
{
    if (size != sizeof(*ret))
        return WEFT_ERR_INVALID;
    *ret = (struct weft_pkey_map_config){.size = size, .functions = 1, .ports = 1, .entries = 128};
    return 0;
}

static bool config_valid(const struct weft_pkey_map_config *c)
{
    return c->size == sizeof(*c) && c->functions > 0 && c->functions <= WEFT_PKEY_FUNCTIONS_MAX &&
           c->ports > 0 && c->ports <= MAP_PORTS_MAX && c->entries >= 2 &&
           c->entries <= MAP_ENTRIES_MAX;
}

/* The VF's virtual table on a port. */
static uint16_t *row(const struct weft_pkey_map *m, const struct weft_pkey_place *at)
{
    size_t number = (size_t)(at->function - 1) * m->config.ports + at->port - 1;

    WEFT_ASSERT(pkey_map_has(m, at) && at->function != WEFT_PKEY_PF);
    return m->physical + number * m->visible;
}

int weft_pkey_map_new(const struct weft_pkey_map_config *c, const struct weft_alloc *a,
                      struct weft_pkey_map **ret)
{
    struct weft_alloc alloc = alloc_or_libc(a);
    struct weft_pkey_map *m;
    uint64_t bytes, rows;

    if (!config_valid(c))
        return WEFT_ERR_INVALID;
    rows = (uint64_t)(c->functions - 1) * c->ports;
    bytes = sizeof(*m) + sizeof(uint16_t) * (c->entries + rows * (c->entries - 1));
    m = alloc_zeroed(&alloc, bytes, MAP_ALIGN);
    if (!m)
        return WEFT_ERR_NOMEM;
    m->config = *c;
    m->alloc = alloc;
    m->bytes = bytes;
    m->visible = c->entries - 1;
    m->seen_physical = (uint16_t *)(void *)(m + 1);
    m->physical = m->seen_physical + c->entries;
    memset(m->physical, 0xFF, (size_t)(rows * m->visible * sizeof(*m->physical)));
    for (uint64_t i = 0; i < rows; i++)
        m->physical[i * m->visible] = 0;
    *ret = m;
    return 0;
}

struct weft_pkey_map *weft_pkey_map_free(struct weft_pkey_map *m)
{
    if (m)
        m->alloc.put(m->alloc.ctx, m, (size_t)m->bytes);
    return NULL;
}

uint32_t weft_pkey_map_visible(const struct weft_pkey_map *m)
{
    return m->visible;
}

bool pkey_map_has(const struct weft_pkey_map *m, const struct weft_pkey_place *at)
{
    return at->port >= 1 && at->port <= m->config.ports && at->function < m->config.functions;
}

uint16_t pkey_map_physical(const struct weft_pkey_map *m, const struct weft_pkey_place *at,
                           uint32_t virt)
{
    WEFT_ASSERT(virt < m->visible);
    return at->function == WEFT_PKEY_PF ? (uint16_t)virt : row(m, at)[virt];
}

weft_pkey pkey_map_key(const struct weft_pkey_map *m, const struct weft_pkey_cache *cache,
                       const struct weft_pkey_place *at, uint32_t virt)
{
    uint16_t physical = pkey_map_physical(m, at, virt);
    weft_pkey key = 0;

    if (cache && physical != WEFT_PKEY_UNASSIGNED)
        (void)weft_pkey_cache_get(cache, physical, &key);
    return key;
}

/* Whether a VF has the partition or the physical entry already, but for one virtual entry. */
static bool has_already(const struct weft_pkey_map *m, const struct weft_pkey_cache *cache,
                        const struct weft_pkey_place *at, uint16_t virt, uint16_t physical)
{
    const uint16_t *entries = row(m, at);
    weft_pkey key = 0;

    if (physical == WEFT_PKEY_UNASSIGNED)
        return false;
    if (cache)
        (void)weft_pkey_cache_get(cache, physical, &key);
    for (uint32_t i = 0; i < m->visible; i++) {
        if (i != virt && (entries[i] == physical ||
                          weft_pkey_same_partition(key, pkey_map_key(m, cache, at, i))))
            return true;
    }
    return false;
}

int weft_pkey_map_set(struct weft_pkey_map *m, const struct weft_pkey_cache *cache,
                      const struct weft_pkey_place *at, uint16_t virt, uint16_t physical)
{
    if (!pkey_map_has(m, at) || at->function == WEFT_PKEY_PF || virt >= m->visible ||
        (physical >= m->visible && physical != WEFT_PKEY_UNASSIGNED))
        return WEFT_ERR_INVALID;
    if (m->config.strict && row(m, at)[virt] != physical &&
        has_already(m, cache, at, virt, physical))
        return WEFT_ERR_CONFLICT;
    row(m, at)[virt] = physical;
    return 0;
}

int weft_pkey_map_get(const struct weft_pkey_map *m, const struct weft_pkey_place *at,
                      uint16_t virt, uint16_t *ret)
{
    if (!pkey_map_has(m, at) || virt >= m->visible)
        return WEFT_ERR_INVALID;
    *ret = pkey_map_physical(m, at, virt);
    return 0;
}

int weft_pkey_map_view(const struct weft_pkey_map *m, const struct weft_pkey_cache *cache,
                       const struct weft_pkey_place *at, uint16_t block,
                       weft_pkey ret[WEFT_PKEY_BLOCK])
{
    uint32_t first = (uint32_t)block * WEFT_PKEY_BLOCK;

    if (!pkey_map_has(m, at) || first >= m->visible)
        return WEFT_ERR_INVALID;
    if (weft_pkey_cache_generation(cache) == 0)
        return WEFT_ERR_STATE;
    for (uint32_t i = 0; i < WEFT_PKEY_BLOCK; i++)
        ret[i] = first + i < m->visible ? pkey_map_key(m, cache, at, first + i) : 0;
    return 0;
}

int weft_pkey_map_key(const struct weft_pkey_map *m, const struct weft_pkey_cache *cache,
                      const struct weft_pkey_place *at, uint16_t virt, weft_pkey *ret)
{
    if (!pkey_map_has(m, at) || virt >= m->visible)
        return WEFT_ERR_INVALID;
    if (weft_pkey_cache_generation(cache) == 0)
        return WEFT_ERR_STATE;
    *ret = pkey_map_key(m, cache, at, virt);
    return 0;
}

/* Whether a function sees an entry that has changed since a generation. */
static bool sees_change(const struct weft_pkey_map *m, const struct weft_pkey_cache *cache,
                        const struct weft_pkey_place *at, uint64_t generation)
{
    uint32_t entries = weft_pkey_cache_entries(cache);

    for (uint32_t i = 0; i < m->visible; i++) {
        uint16_t physical = pkey_map_physical(m, at, i);

        /* unassigned is beyond any physical table */
        if (physical < entries && physical != WEFT_PKEY_UNASSIGNED &&
            pkey_cache_entry_generation(cache, physical) > generation)
            return true;
    }
    return false;
}

int weft_pkey_map_changed(const struct weft_pkey_map *m, const struct weft_pkey_cache *cache,
                          uint8_t port, uint64_t generation, struct weft_pkey_functions *ret)
{
    struct weft_pkey_place at = {.port = port};
    struct weft_pkey_functions found = {{0}};

    if (!pkey_map_has(m, &at) || generation > weft_pkey_cache_generation(cache))
        return WEFT_ERR_INVALID;
    for (; at.function < m->config.functions; at.function++) {
        if (sees_change(m, cache, &at, generation))
            pkey_set_bit(found.bits, at.function);
    }
    *ret = found;
    return 0;
}

/* Looks for an earlier entry that clashes with a virtual one, and notes this one. */
static bool clashes(struct weft_pkey_map *m, const struct weft_pkey_cache *cache,
                    const struct weft_pkey_place *at, uint16_t virt, struct weft_pkey_clash *ret)
{
    uint16_t physical = pkey_map_physical(m, at, virt);
    weft_pkey key = pkey_map_key(m, cache, at, virt), other;
    uint16_t *seen;

    if (physical == WEFT_PKEY_UNASSIGNED)
        return false;
    seen = &m->seen_physical[physical];
    if (*seen >= virt || pkey_map_physical(m, at, *seen) != physical) {
        *seen = virt;
        if (!weft_pkey_valid(key))
            return false;
        seen = &m->seen_base[key & WEFT_PKEY_BASE];
        if (*seen >= virt || !weft_pkey_same_partition(key, pkey_map_key(m, cache, at, *seen))) {
            *seen = virt;
            return false;
        }
    }
    other = pkey_map_key(m, cache, at, *seen);
    *ret = (struct weft_pkey_clash){
        .first = *seen, .second = virt, .both_forms = (key ^ other) == WEFT_PKEY_FULL};
    return true;
}

int weft_pkey_map_clash(struct weft_pkey_map *m, const struct weft_pkey_cache *cache,
                        const struct weft_pkey_place *at, struct weft_pkey_clash *ret)
{
    if (!pkey_map_has(m, at) || at->function == WEFT_PKEY_PF)
        return WEFT_ERR_INVALID;
    for (uint32_t i = 0; i < m->visible; i++) {
        if (clashes(m, cache, at, (uint16_t)i, ret))
            return 0;
    }
    return WEFT_ERR_NOTFOUND;
}
