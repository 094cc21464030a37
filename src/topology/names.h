/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Names for other programs, made of NodeDescriptions: of letters, digits, dots, hyphens and
 * underscores only.
 */
#ifndef WEFT_TOPOLOGY_NAMES_H
#define WEFT_TOPOLOGY_NAMES_H

#include "topology/convert.h"

/** Space for any name that is made here. */
#define TOPO_LEGAL_BYTES 96

/** A name. */
struct topo_legal_name {
    char text[TOPO_LEGAL_BYTES];
};

/** The name of the host that an adapter is in. Where a NodeDescription is missing or the
 * manufacturer's ("MT25408 ConnectX Mellanox Technologies"), it is made of the GUID.
 * @param how  which part of the NodeDescription is the host's name */
struct topo_legal_name topo_host_name(const struct topo_node *node, enum topo_host_names how);

/** Whether a NodeDescription says nothing of its node: missing, or the manufacturer's. */
bool topo_name_is_generic(const char *name);

/** Whether a word stands in a NodeDescription, between blanks. */
bool topo_name_has_word(const char *name, const char *word);

/** Names of all switches, different ones: as short as they may be ("sw1" of "MF0;sw1:MQM8700/U1"),
 * as long as they must be.
 * @return as many as the topology has nodes, empty where the node is no switch; to be freed. NULL
 *         when there is no memory */
struct topo_legal_name *topo_switch_names(const struct topo *t);

/** Makes names different: where two are the same, all become "switch-N". Empty ones do not count.
 * @return 0 or WEFT_ERR_NOMEM */
int topo_names_settle(struct topo_legal_name *names, size_t count);

#endif
