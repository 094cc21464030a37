/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * One cable: what happens to a packet between the port it leaves by and the port it arrives at.
 */
#ifndef WEFT_FABRIC_CABLE_H
#define WEFT_FABRIC_CABLE_H

#include "fabric/model.h"

/** Links that a packet crosses at most; one that has crossed as many goes round in a loop. */
#define CABLE_HOPS_MAX 254
/** What `reserved2` is of a packet that a fault has doubled, from its first cable on; else 0. */
#define CABLE_IS_COPY  1

/** A packet leaves by a port.
 * @return the port at which it has arrived at once; NULL: it is lost, or will arrive later */
struct waypoint *cable_cross(struct fabric *f, struct waypoint *out, struct packet *p);

/** A packet that was under way arrives at a port.
 * @return whether it does; false: it was lost */
bool cable_arrive(struct fabric *f, struct waypoint *at, struct packet *p);

#endif
