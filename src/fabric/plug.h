/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Cables that are plugged in elsewhere, taken away, or new. What is said of a cable goes with it:
 * its wear, and the faults of its link. One that was pulled (link down) is plugged in by a move.
 */
#ifndef WEFT_FABRIC_PLUG_H
#define WEFT_FABRIC_PLUG_H

#include "fabric/command.h"

/** Whether the ports of a command have, or lack, the cables that it needs.
 * @param error  why not
 * @return 0; WEFT_ERR_NOTFOUND: a port has no cable; WEFT_ERR_CONFLICT: a port has one already */
int plug_check(const struct fabric *f, const struct command *c, struct fabric_error *error);

/** Does a command of cables that plug_check() allows. Links of a cable that goes are down at both
 * ends, as after "link down"; the new one trains. */
void plug_do(struct fabric *f, const struct command *c);

/** How many commands it takes to have the cables of this port so, from those that the fabric was
 * built with, of which each is counted at the lower of its ports only: bits of enum plug_change. */
enum plug_change {
    PLUG_REMOVED = 1, /* the cable that it had is away */
    PLUG_ADDED = 2    /* the one that it has is another */
};
uint8_t plug_changes(const struct fabric *f, const struct port *p);

#endif
