/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Multicast: a switch copies a packet to the ports that its forwarding table names.
 */
#ifndef WEFT_FABRIC_MULTICAST_H
#define WEFT_FABRIC_MULTICAST_H

#include "fabric/model.h"

/** Switches in a row that copies pass at most without latency. */
#define MULTICAST_DEPTH_MAX 64

/** Copies a packet to all ports of its group but the one it came by, and on from there as far as it
 * gets at once.
 * @param at  the port of a switch; 0 when the switch itself sends it
 * @param p   to a multicast LID; not changed */
void multicast_spread(struct fabric *f, struct port *at, const struct packet *p);

#endif
