/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The performance management agent of a node (IBA 16.1): capabilities, counters read and set.
 */
#ifndef WEFT_FABRIC_PMA_H
#define WEFT_FABRIC_PMA_H

#include "fabric/sma.h"

/** What a script takes from a PMA: bits of struct node.pma_lacks. Of the extended counters each
 * entails those above it. */
enum pma_lack {
    PMA_LACKS_ERRORS = 1,    /* the error counters of PortCountersExtended */
    PMA_LACKS_IETF = 2,      /* its unicast and multicast counters */
    PMA_LACKS_EXTENDED = 4,  /* PortCountersExtended itself */
    PMA_LACKS_ALL_PORTS = 8, /* AllPortSelect; of switches, others have none */
    PMA_MUTE = 16            /* it does not answer */
};

/** How many commands it takes to make a node's PMA what it is. */
static inline uint32_t pma_changes(const struct node *n)
{
    return (uint32_t)((n->pma_lacks & PMA_LACKS_ERRORS) != 0) +
           ((n->pma_lacks & PMA_LACKS_ALL_PORTS) != 0) + ((n->pma_lacks & PMA_MUTE) != 0) +
           (n->pma_ns > 0);
}

/** Gives a MAD of class 0x04 to the node's PMA.
 * @param at  the port it came in by
 * @param p   changed in place into its answer */
enum agent_verdict pma_receive(struct fabric *f, struct port *at, struct packet *p);

#endif
