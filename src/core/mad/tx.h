/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Transmission: packets due, packets with the host, and the engine's own packets.
 */
#ifndef WEFT_CORE_MAD_TX_H
#define WEFT_CORE_MAD_TX_H

#include "core/mad/engine.h"

/** A send in SEND_START has a packet to transmit. */
void tx_due(struct weft_mad_port *p, struct send *s);

/** Queues a packet of the engine's own, back to where `rx` came from.
 * @param mad  its 256 bytes, copied; a directed-route SMP gets its hop pointer moved
 * @return 0; WEFT_ERR_FULL: no slot was free; WEFT_ERR_INVALID: the hops are impossible */
int tx_reply(struct weft_mad_port *p, const struct weft_mad_rx *rx, const void *mad);

/** Queues a packet of the engine's own to an address.
 * @return false: no slot was free */
bool tx_control(struct weft_mad_port *p, uint8_t qpn, const struct weft_mad_addr *to,
                const void *mad);

#endif
