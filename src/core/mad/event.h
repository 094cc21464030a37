/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The event queue: what the host has not polled yet, in the order it happened. It has room for one
 * event of every send and every receive buffer, so that none can be lost.
 */
#ifndef WEFT_CORE_MAD_EVENT_H
#define WEFT_CORE_MAD_EVENT_H

#include "core/mad/engine.h"

/** Queues the SEND_DONE of a finished send. */
void event_push_send(struct weft_mad_port *p, struct send *s);

/** Queues the RECV or DEVICE of a received message. */
void event_push_recv(struct weft_mad_port *p, struct recv *r);

/** Takes back the messages of an agent that was removed. */
void event_drop_agent(struct weft_mad_port *p, const struct agent *a);

#endif
