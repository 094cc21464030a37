/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Packets between clients and fabric: the daemon's hot path.
 */
#ifndef WEFT_HOST_PUMP_H
#define WEFT_HOST_PUMP_H

#include "host/serving.h"

/** One round: what the active clients have sent goes into the fabric, what is due happens, and
 * packets go to whom they are for.
 * @param clock  the machine's time
 * @return whether there was anything to do */
bool pump_round(struct server *s, weft_time clock);

/** Takes what a client has sent, at most `count` packets. The client may be thrown out.
 * @return how many */
uint32_t pump_client(struct client *c, uint32_t count);

/** Gives packets of the fabric to whom they are for. Bells are rung by pump_ring(). */
void pump_deliver(struct server *s);

/** Rings those who got packets and sleep. */
void pump_ring(struct server *s);

/** Looks at a client's ring from now on. */
void pump_activate(struct client *c, weft_time clock);

/** Tells the active clients that their rings are not looked at any more.
 * @return false: one of them has just sent something; it is still active */
bool pump_sleep(struct server *s);

#endif
