/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory regions: STags, and what may be done through them by whom. */
#include "core/siw/region.h"

#include "core/siw/engine.h"
#include "core/siw/qp.h"

#define KEY_BITS 8

uint32_t region_stag(const struct weft_siw *s, const struct region *r)
{
    return (pool_slot(&s->verbs.regions, r) + 1) << KEY_BITS | r->key;
}

/* The region of an STag, invalidated or not, or NULL. */
static struct region *region_at(const struct weft_siw *s, uint32_t stag)
{
    const struct pool *p = &s->verbs.regions;
    uint32_t slot = (stag >> KEY_BITS) - 1;
    struct region *r;

    if (slot >= p->fresh)
        return NULL;
    r = pool_at(p, slot);
    return pool_generation(r) % 2 == 1 && r->key == (uint8_t)stag ? r : NULL;
}

struct region *region_find(const struct weft_siw *s, uint32_t stag)
{
    struct region *r = region_at(s, stag);

    return r && r->valid ? r : NULL;
}

/* Of so many bytes, more than 0, from `at` on the last one lies beyond the end of numbers. */
static bool wraps(uint64_t at, uint64_t bytes)
{
    return at + (bytes - 1) < at;
}

static bool region_is_for(const struct region *r, const struct qp *qp)
{
    return r->pd == qp->config.pd && (r->qpn == 0 || r->qpn == qp->qpn);
}

/* A key that the slot's last region, if there was one, had not: so that an STag that ended is not
 * at once valid again. */
static uint8_t key_choose(struct weft_siw *s, const struct region *r)
{
    bool fresh = pool_generation(r) == 1;
    uint8_t key;

    do
        key = (uint8_t)prng_next(&s->verbs.keys);
    while (!fresh && key == r->key);
    return key;
}

int weft_siw_region_register(struct weft_siw *s, const struct weft_siw_region *region,
                             uint32_t *ret_stag)
{
    struct pool *p = &s->verbs.regions;
    struct region *r;
    uint8_t key;

    if (region->bytes == 0 || wraps(region->to, region->bytes) ||
        wraps((uintptr_t)region->base, region->bytes) || region->access > 15)
        return WEFT_ERR_INVALID;
    r = pool_take(p);
    if (!r)
        return WEFT_ERR_FULL;
    key = region->key ? region->key : key_choose(s, r);
    pool_clear(r, sizeof(*r));
    r->base = region->base;
    r->bytes = region->bytes;
    r->to = region->to;
    r->pd = region->pd;
    r->qpn = region->qpn;
    r->access = region->access;
    r->key = key;
    r->valid = true;
    *ret_stag = region_stag(s, r);
    return 0;
}

int weft_siw_region_deregister(struct weft_siw *s, uint32_t stag)
{
    struct region *r = region_at(s, stag);

    if (!r)
        return WEFT_ERR_NOTFOUND;
    if (r->pins > 0)
        return WEFT_ERR_CONFLICT;
    pool_give(&s->verbs.regions, r);
    return 0;
}

bool weft_siw_region_valid(const struct weft_siw *s, uint32_t stag)
{
    return region_find(s, stag);
}

enum region_verdict region_check(const struct weft_siw *s, const struct qp *qp, uint32_t stag,
                                 uint64_t to, uint32_t bytes, uint8_t access,
                                 struct region **ret_region, uint8_t **ret_at)
{
    struct region *r = region_find(s, stag);
    uint64_t offset;

    WEFT_ASSERT(bytes > 0);
    if (!r)
        return REGION_INVALID;
    if (!region_is_for(r, qp))
        return REGION_FOREIGN;
    if (wraps(to, bytes))
        return REGION_WRAP;
    if (to < r->to)
        return REGION_BOUNDS;
    offset = to - r->to;
    if (offset >= r->bytes || bytes > r->bytes - offset)
        return REGION_BOUNDS;
    if ((r->access & access) != access)
        return REGION_ACCESS;
    if (ret_region)
        *ret_region = r;
    if (ret_at)
        *ret_at = r->base + offset;
    return REGION_OK;
}

enum region_verdict region_invalidate(struct weft_siw *s, const struct qp *qp, uint32_t stag,
                                      bool remote)
{
    struct region *r = region_find(s, stag);

    if (!r)
        return REGION_INVALID;
    if (!region_is_for(r, qp))
        return REGION_FOREIGN;
    if (remote && !(r->access & WEFT_SIW_INVALIDATE))
        return REGION_ACCESS;
    r->valid = false;
    return REGION_OK;
}

bool region_holds(const struct weft_siw *s, const struct qp *qp, const struct weft_siw_sge *sge,
                  uint8_t access, struct region **ret_region)
{
    uintptr_t at = (uintptr_t)sge->addr;
    struct region *r = NULL;

    if (sge->stag != 0) {
        uint64_t offset;

        r = region_find(s, sge->stag);
        if (!r || !region_is_for(r, qp) || (r->access & access) != access ||
            at < (uintptr_t)r->base)
            return false;
        offset = at - (uintptr_t)r->base;
        if (offset > r->bytes || sge->bytes > r->bytes - offset)
            return false;
    }
    if (ret_region)
        *ret_region = r;
    return true;
}

void region_unpin_stag(struct weft_siw *s, uint32_t stag)
{
    struct region *r = region_at(s, stag);

    WEFT_ASSERT(r);
    if (r)
        region_unpin(r);
}
