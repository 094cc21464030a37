/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Destinations: the table of those whose adaptive window is remembered.
 */
#ifndef WEFT_CORE_MAD_PEER_H
#define WEFT_CORE_MAD_PEER_H

#include "core/mad/engine.h"

/** Windows count in fractions of a request, so that "one more per round trip" adds up exactly. */
#define PEER_WINDOW_ONE 256u

/** Finds the entry of a destination, or NULL. */
struct peer *peer_find(const struct weft_mad_port *p, const struct weft_mad_addr *to);

/** Finds or makes the entry; the one idle for longest is forgotten when there is no room.
 * @return NULL when all entries are in use */
struct peer *peer_take(struct weft_mad_port *p, const struct weft_mad_addr *to);

/** Whether one more request fits into the window. */
static inline bool peer_open(const struct peer *d, uint32_t outstanding)
{
    return outstanding < d->window / PEER_WINDOW_ONE;
}

/** An answer came: the window grows by one request, or by one per round trip above the threshold.
 */
void peer_grow(struct weft_mad_port *p, struct peer *d);

/** An answer did not come, or said BUSY: the window halves, once for all requests sent before.
 * @param sent_at  when the request was sent */
void peer_shrink(struct weft_mad_port *p, struct peer *d, weft_time sent_at);

#endif
