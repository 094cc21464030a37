/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A packet has arrived at its node: checks of keys, the queue of its agents, and who gets it: SMA,
 * PMA, a program, or nobody, which is answered "unsupported" where it was a Get or Set.
 */
#ifndef WEFT_FABRIC_DELIVER_H
#define WEFT_FABRIC_DELIVER_H

#include "fabric/model.h"

/** Takes a packet that is for this node; a directed-route SMP has taken its last step.
 * @param at  the port it came in by; a switch's 0 when it came from its own node */
void deliver(struct fabric *f, struct port *at, struct packet *p);

/** The agent of the node comes to the packet that waited (FLIGHT_SERVED). */
void deliver_served(struct fabric *f, struct port *at, struct packet *p);

#endif
