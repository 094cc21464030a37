/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The provider as a whole: its TCP connections, and the queues and memory that they serve.
 */
#ifndef WEFT_CORE_SIW_ENGINE_H
#define WEFT_CORE_SIW_ENGINE_H

#include "core/siw/ep.h"
#include "core/siw/verbs.h"

#include <weft/siw.h>

struct weft_siw {
    struct weft_siw_config config;
    struct weft_alloc alloc;
    size_t bytes; /* taken from it */
    struct weft_iwcm *cm;
    weft_time now;
    struct connections conn; /* ep.h */
    struct verbs verbs;      /* verbs.h */
    struct weft_siw_stats stats;
};

/** Memory for weft_siw_new(): counted in `bytes`; not zeroed.
 * @return NULL: there is none */
void *siw_take(struct weft_siw *s, uint64_t bytes, size_t align);
/** Gives it back; p may be NULL. */
void siw_give(struct weft_siw *s, void *p, uint64_t bytes);

/** The time of a call: it never runs backwards. */
static inline void siw_clock(struct weft_siw *s, weft_time now)
{
    if (now > s->now)
        s->now = now;
}

/** The time `wait` from now on. */
static inline weft_time siw_after(const struct weft_siw *s, weft_time wait)
{
    return wait < WEFT_TIME_NEVER - s->now ? s->now + wait : WEFT_TIME_NEVER;
}

#endif
