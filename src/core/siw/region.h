/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Memory regions and their STags: 24 bits of index, 8 bits of key.
 */
#ifndef WEFT_CORE_SIW_REGION_H
#define WEFT_CORE_SIW_REGION_H

#include "core/base/pool.h"

#include <weft/siw.h>

struct qp;

/** A region. */
struct region {
    uint32_t own, generation; /* the pool's */
    uint8_t *base;
    uint64_t bytes;
    uint64_t to; /* of the first byte */
    uint32_t pd;
    uint32_t qpn;  /* 0: any of the pd */
    uint32_t pins; /* reads, in either direction, that still need its bytes */
    uint8_t access;
    uint8_t key;
    bool valid; /* not invalidated */
};

/** What is wrong with a reference to a region; the caller knows the Terminate code for it. */
enum region_verdict {
    REGION_OK,
    REGION_INVALID, /* no such STag, or it was invalidated */
    REGION_FOREIGN, /* not for this QP */
    REGION_WRAP,    /* TO wraps */
    REGION_BOUNDS,
    REGION_ACCESS
};

/** The valid region of an STag, or NULL. */
struct region *region_find(const struct weft_siw *s, uint32_t stag);
/** Judges a reference of a QP's peer to `bytes` bytes, more than 0, at a tagged offset.
 * @param access      what is to be done, as set of enum weft_siw_access
 * @param ret_region  the region; written only for REGION_OK; may be NULL
 * @param ret_at      the first byte; written only for REGION_OK; may be NULL */
enum region_verdict region_check(const struct weft_siw *s, const struct qp *qp, uint32_t stag,
                                 uint64_t to, uint32_t bytes, uint8_t access,
                                 struct region **ret_region, uint8_t **ret_at);
/** Invalidates an STag for a QP. As asked for by a peer (`remote`) the region must allow it.
 * @return REGION_OK, REGION_INVALID, REGION_FOREIGN or REGION_ACCESS */
enum region_verdict region_invalidate(struct weft_siw *s, const struct qp *qp, uint32_t stag,
                                      bool remote);
/** Whether a piece of the program's memory lies in the region it names, which must be for this QP
 * and allow `access`; a piece without STag is always right.
 * @param ret_region  the region, or NULL for none; may be NULL */
bool region_holds(const struct weft_siw *s, const struct qp *qp, const struct weft_siw_sge *sge,
                  uint8_t access, struct region **ret_region);

/** The STag of a region. */
uint32_t region_stag(const struct weft_siw *s, const struct region *r);

static inline void region_pin(struct region *r)
{
    r->pins++;
}

static inline void region_unpin(struct region *r)
{
    WEFT_ASSERT(r->pins > 0);
    r->pins--;
}

/** Unpins the region of an STag, which may have been invalidated meanwhile. */
void region_unpin_stag(struct weft_siw *s, uint32_t stag);

#endif
