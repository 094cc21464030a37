/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Reception: the way of a packet that arrived, or that never left the own node.
 */
#ifndef WEFT_CORE_MAD_RX_H
#define WEFT_CORE_MAD_RX_H

#include "core/mad/engine.h"

/** Routes an unsolicited MAD to its agent; a Get or Set that nobody wants is answered. */
enum weft_mad_verdict rx_to_agent(struct weft_mad_port *p, const struct weft_mad_rx *rx);

/** Offers a directed-route SMP that a send of this port is to the device.
 * @return false: the device does not want this class, or no buffer was free */
bool rx_local_to_device(struct weft_mad_port *p, const struct weft_mad_rx *rx, struct send *local);

/** Gives a directed-route SMP that never left the node to an agent of this port, if one wants it:
 * a response goes to whose transaction id it has. */
void rx_local_to_agent(struct weft_mad_port *p, const struct weft_mad_rx *rx);

#endif
