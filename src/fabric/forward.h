/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The way of a packet: directed routes, LIDs by LFT and MFT, combined routes, link by link.
 */
#ifndef WEFT_FABRIC_FORWARD_H
#define WEFT_FABRIC_FORWARD_H

#include "fabric/model.h"

/** A packet leaves the node that made it: an attachment, an SMA or a PMA. What a sender leaves to
 * its port is filled in (SLID but in a directed part, P_Key, Q_Key, source GID), and the tap is
 * told. Directed-route SMPs take their first step here, others go by DLID; one to the own node
 * never touches a wire. Without latency the packet makes its whole way in this call.
 * @param from  the port it leaves: of a switch port 0
 * @param p     changed */
void forward_send(struct fabric *f, struct port *from, struct packet *p);

/** A packet arrives from the cable at a port: it is counted, forwarded or delivered. */
void forward_arrive(struct fabric *f, struct port *at, struct packet *p);

#endif
