/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Port counters: they move with the fabric's traffic and with a script, stick at all ones, and are
 * never reset but by Set.
 */
#ifndef WEFT_FABRIC_COUNTERS_H
#define WEFT_FABRIC_COUNTERS_H

#include "fabric/model.h"

/** Bits of a counter's field in PortCounters: 4, 8, 16 or 32. */
uint8_t counter_bits(enum counter c);

/** The name in scripts, as perfquery prints it in lower case ("symbol_errors").
 * @return COUNTERS for an unknown one in counter_find() */
const char *counter_name(enum counter c);
enum counter counter_find(const char *name, size_t len);

/** Counts at a port what its waypoint still has: before its counters of packets and data are looked
 * at or set. Sums of these come out the same whenever they are made. */
void counters_settle(struct fabric *f, struct port *p);

/** Adds to both sets, and to the likely one of the counter's details: discards are those of a link
 * that is down, errors those of a CRC, relay errors those of a DLID without a way. */
void counters_add(struct port *p, enum counter c, uint64_t n);
/** Counts a relay error of a packet that would leave by the port it came in by. */
void counters_add_loop(struct port *p);
/** Sets both sets; the classic one to at most all ones. */
void counters_set(struct fabric *f, struct port *p, enum counter c, uint64_t value);

/** Counts a packet that left by, or came in at, a port: data in words of 32 bits without VCRC. */
void counters_sent(struct fabric *f, struct waypoint *w, const struct packet *packet);
void counters_received(struct fabric *f, struct waypoint *w, const struct packet *packet);

#endif
