/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Where the segments of incoming RMPP messages are kept: chained blocks from one pool, whose size
 * is the most memory that peers can make a port use.
 *
 * The first segment stays in the receive buffer itself; the store holds the data of those from the
 * second on, without their headers.
 */
#ifndef WEFT_CORE_MAD_RMPP_STORE_H
#define WEFT_CORE_MAD_RMPP_STORE_H

#include "core/mad/engine.h"

/** Keeps the data of a segment from the second on. Only blocks between the first segment missing
 * and this one are walked, so the window bounds the cost.
 * @return false: no block is left */
bool rmpp_store_put(struct weft_mad_port *p, struct transfer *t, uint32_t segment,
                    const uint8_t *data);

/** Copies data out; `off` counts from the second segment's first byte. Reading on from where the
 * last read ended costs no walk. */
void rmpp_store_read(struct weft_mad_port *p, struct recv *r, uint32_t off, uint8_t *dst,
                     uint32_t len);

/** Gives all blocks of a message back. */
void rmpp_store_free(struct weft_mad_port *p, struct recv *r);

#endif
