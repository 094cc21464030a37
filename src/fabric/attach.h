/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Programs at ports: their transaction ids, the MADs they claim, what waits for them.
 */
#ifndef WEFT_FABRIC_ATTACH_H
#define WEFT_FABRIC_ATTACH_H

#include "fabric/model.h"

/** @return 0 or WEFT_ERR_NOMEM */
int attach_new(struct fabric *f);
void attach_free(struct fabric *f);

/** The port that port 0 means: a switch's management port, of others the first one with a cable. */
uint8_t attach_pick_port(const struct fabric *f, const struct node *n);

/** How many programs are attached to a function of a port. */
uint32_t attach_count(const struct fabric *f, const struct port *p, uint16_t function);

/** Gives a packet to a program of this port: an answer (R bit, TrapRepress) to the one whose
 * transaction id it bears, others to the one that claims class, version, OUI and method: of several
 * functions' the one of the lowest function whose P_Key table the packet fits.
 * The tap is told here.
 * @return whether there is one; if its queue was full the packet was dropped and counted */
bool attach_deliver(struct fabric *f, struct port *at, const struct packet *p);

#endif
