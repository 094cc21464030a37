/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Matching the two ends of every cable.
 */
#ifndef WEFT_TOPOLOGY_MATCH_H
#define WEFT_TOPOLOGY_MATCH_H

#include "topology/builder.h"

/** Makes the port records of a topology from what the port lines claim, and counts the links.
 * An end that no line describes gets an implied record. Where claims exclude each other the first
 * one holds and the others become findings.
 * @param t       its nodes are complete; ports, link_count and findings are filled
 * @param claims  in the order of the input
 * @param count   how many
 * @return 0 or WEFT_ERR_NOMEM */
int topo_match_ends(struct topo *t, const struct topo_claim *claims, uint32_t count);

#endif
