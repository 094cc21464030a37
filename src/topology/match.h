/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Matching the two ends of every cable.
 */
#ifndef WEFT_TOPOLOGY_MATCH_H
#define WEFT_TOPOLOGY_MATCH_H

#include "topology/builder.h"

/** The ends of cables as they are collected: what will be the ports of the topology, and beside it
 * what is only of use until then. Start with all 0. */
struct topo_ends {
    struct topo_port *ports;
    uint64_t *peer_guids; /**< per port: struct topo_claim's peer_guid */
    uint32_t count;
    uint32_t space; /**< ends that fit */
};

/** Makes room.
 * @param space  for so many ends; less than there is changes nothing
 * @return 0 or WEFT_ERR_NOMEM */
int topo_ends_reserve(struct topo_ends *e, uint32_t space);

/** Adds an end, for which there must be room. */
void topo_ends_add(struct topo_ends *e, const struct topo_claim *claim);

/** Frees the ends. */
void topo_ends_free(struct topo_ends *e);

/** Makes the port records of a topology from what the port lines claim, and counts the links.
 * An end that no line describes gets an implied record. Where claims exclude each other the first
 * one holds and the others become findings.
 * @param t  its nodes are complete; ports, link_count and findings are filled
 * @param e  in the order of the input; the ports move to the topology on success
 * @return 0 or WEFT_ERR_NOMEM */
int topo_match_ends(struct topo *t, struct topo_ends *e);

#endif
