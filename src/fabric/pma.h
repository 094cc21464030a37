/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The performance management agent of a node (IBA 16.1): capabilities, counters read and set.
 */
#ifndef WEFT_FABRIC_PMA_H
#define WEFT_FABRIC_PMA_H

#include "fabric/sma.h"

/** Gives a MAD of class 0x04 to the node's PMA.
 * @param at  the port it came in by
 * @param p   changed in place into its answer */
enum agent_verdict pma_receive(struct fabric *f, struct port *at, struct packet *p);

#endif
