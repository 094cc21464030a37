/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Reception: the way of a packet that arrived.
 */
#ifndef WEFT_CORE_MAD_RX_H
#define WEFT_CORE_MAD_RX_H

#include "core/mad/engine.h"

/** Routes an unsolicited MAD to its agent; a Get or Set that nobody wants is answered. */
enum weft_mad_verdict rx_to_agent(struct weft_mad_port *p, const struct weft_mad_rx *rx);

/** Counts and traces what became of a message that did not just arrive: the device passed it on, or
 * it never left the node. */
void rx_count_passed(struct weft_mad_port *p, const struct weft_mad_rx *rx,
                     enum weft_mad_verdict verdict);

#endif
