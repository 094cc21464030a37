/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The own node: MADs that the host's SMA or PMA is asked about before any agent, and directed-route
 * SMPs that never leave the node.
 */
#ifndef WEFT_CORE_MAD_DEVICE_H
#define WEFT_CORE_MAD_DEVICE_H

#include "core/mad/engine.h"

/** Whether the device wants to see MADs like this one. */
static inline bool device_wants(const struct weft_mad_port *p, const uint8_t *mad)
{
    return !mad_is_response(mad) && engine_class_in(&p->config.device, mad_class(mad));
}

/** Offers a MAD to the device.
 * @param local  the send of this port that it is, or NULL when it has arrived
 * @return false: no buffer was free */
bool device_offer(struct weft_mad_port *p, const struct weft_mad_rx *rx, struct send *local);

/** Takes a new send to the own node: the device gets it, or an agent of this port.
 * @param smp  its 256 bytes, hop pointer moved */
void device_post(struct weft_mad_port *p, struct send *s, const uint8_t *smp);

/** A send that is with the device ends: what the device does with it is not reported. */
void device_send_gone(struct weft_mad_port *p, const struct send *s);

/** The device is done with a send of its own port, if the message was one: that ends it.
 * @param local  the send, or NULL */
void device_local_done(struct weft_mad_port *p, struct send *local);

#endif
