/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Which node has an identity: a GUID, or an id where the input has no GUIDs.
 *
 * A balanced tree and no hash table: who writes the input chooses the identities, and no choice of
 * them makes a look-up slow.
 */
#ifndef WEFT_TOPOLOGY_IDENTITY_H
#define WEFT_TOPOLOGY_IDENTITY_H

#include "topology/topology.h"

/** What identifies a node: its GUID, or an id where the input has no GUIDs. */
struct topo_ref {
    uint64_t guid;  /**< 0: there is only the id */
    const char *id; /**< at most 64 bytes, not 0-terminated; for guid 0 only */
    size_t id_length;
    enum topo_node_type type; /**< taken until the node is declared; identifies nothing */
};

/** Identities and their nodes. Start with all 0. */
struct topo_identities {
    void *root; /* a tree of <search.h> */
};

/** Finds the node of an identity.
 * @return its number, or TOPO_NONE */
uint32_t topo_identities_find(const struct topo_identities *ids, const struct topo_ref *ref);

/** Adds an identity, which must not be there yet; its id is copied.
 * @return 0 or WEFT_ERR_NOMEM */
int topo_identities_add(struct topo_identities *ids, const struct topo_ref *ref, uint32_t node);

/** Frees what the identities hold. */
void topo_identities_free(struct topo_identities *ids);

#endif
