/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Multicast: a switch copies a packet to the ports that its forwarding table names.
 */
#ifndef WEFT_FABRIC_MULTICAST_H
#define WEFT_FABRIC_MULTICAST_H

#include "fabric/model.h"

/** Switches in a row that copies pass at most without latency. */
#define MULTICAST_DEPTH_MAX 64

/** Makes the room for what is known of multicasts under way.
 * @return 0 or WEFT_ERR_NOMEM */
int multicast_new(struct fabric *f);
void multicast_free(struct fabric *f);

/** A copy of a packet is under way on a cable, and arrives. While there are copies of a multicast,
 * `pkey_index` of each names what it may still cost; the receiver's port sets that anew. */
void multicast_flies(struct fabric *f, const struct packet *p);
void multicast_landed(struct fabric *f, const struct packet *p);

/** Copies a packet to all ports of its group but the one it came by, and on from there as far as it
 * gets at once. All copies of a packet together cross at most as many links as the fabric has
 * ports, so that tables with loops come to an end.
 * @param at  the port of a switch; 0 when the switch itself sends it
 * @param p   to a multicast LID; only pkey_index is changed */
void multicast_spread(struct fabric *f, struct port *at, struct packet *p);

#endif
