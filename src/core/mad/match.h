/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Matching: which send a received MAD belongs to.
 */
#ifndef WEFT_CORE_MAD_MATCH_H
#define WEFT_CORE_MAD_MATCH_H

#include "core/mad/engine.h"

/** Tells the processor that a transaction id will be looked for soon. */
static inline void match_prefetch(const struct weft_mad_port *p, uint64_t tid)
{
    index_prefetch(&p->send_index, index_hash(tid));
}

/** Makes a send findable by its transaction id, and no longer so. */
void match_learn(struct weft_mad_port *p, struct send *s);
void match_forget(struct weft_mad_port *p, struct send *s);

/** The send that waits for this response, or NULL. A canceled, answered or finished one is not
 * found, nor one that expects no answer. */
struct send *match_response(const struct weft_mad_port *p, const struct weft_mad_rx *rx);

/** The RMPP send that an ACK, STOP or ABORT is about, in whatever state before DONE, or NULL. */
struct send *match_rmpp(const struct weft_mad_port *p, const struct weft_mad_rx *rx);

/** Whether a send with this transaction id, class and direction (and, for a response, destination)
 * is under way already. */
bool match_conflict(const struct weft_mad_port *p, const struct send *s);

#endif
