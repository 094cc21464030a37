/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * M_Key protection of a node's SMA: who may read and write, violations, the lease (IBA 14.2.4).
 */
#ifndef WEFT_FABRIC_MKEY_H
#define WEFT_FABRIC_MKEY_H

#include "fabric/model.h"

/** What a key allows. */
enum mkey_verdict {
    MKEY_ALLOWED,
    MKEY_HIDDEN, /* a Get is allowed, PortInfo:M_Key reads as 0 */
    MKEY_DENIED  /* no answer; violation counted, trap 256 raised, lease begun */
};

/** Checks a request, and does what a violation brings with it.
 * @param at  the port it came in by */
enum mkey_verdict mkey_check(struct fabric *f, struct port *at, const struct packet *p);

/** The lease has run out (FLIGHT_LEASE): unless somebody with the key has come since, the
 * protection bits become 0, so that any SM can read the key. */
void mkey_lease_ended(struct fabric *f, struct port *p);

#endif
