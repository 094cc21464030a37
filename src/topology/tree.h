/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Levels of switches, and the tree that a fabric is when all switches that join the same ones below
 * them count as one.
 */
#ifndef WEFT_TOPOLOGY_TREE_H
#define WEFT_TOPOLOGY_TREE_H

#include "topology/topology.h"

/** The level of what has none: no switch, or a switch without a path to a host. */
#define TOPO_LEVEL_NONE UINT16_MAX

/** What a place of the tree is. */
enum topo_place_kind {
    TOPO_PLACE_LEAF,   /**< the hosts at a switch of level 0 */
    TOPO_PLACE_BESIDE, /**< the hosts at a switch of a higher level */
    TOPO_PLACE_GROUP,  /**< switches of one level that join the places below */
    TOPO_PLACE_ACROSS  /**< only cables between switches of level 0 join the places below */
};

/** A place of the tree. */
struct topo_place {
    enum topo_place_kind kind;
    uint32_t node;   /**< the switch; of a group the first; TOPO_NONE: of TOPO_PLACE_ACROSS */
    uint32_t parent; /**< the place above, which comes later; or TOPO_NONE */
    uint32_t child;  /**< the first place below, or TOPO_NONE */
    uint32_t next;   /**< another one below the same place, or TOPO_NONE */
};

/** A tree. */
struct topo_tree {
    uint16_t *level; /**< per node */
    uint32_t *group; /**< per node: the place that the switch is one of, or TOPO_NONE */
    struct topo_place *places;
    uint32_t place_count;
};

/** Counts the hosts that are cabled to each node: all, but no aggregation nodes.
 * @return per node; to be freed. NULL when there is no memory */
uint32_t *topo_count_hosts(const struct topo *t);

/** Finds levels: switches with hosts are 0, others one above the lowest of their neighbours. A
 * switch that has few hosts beside those with many is no leaf: it has a neighbour that is one.
 * @param hosts      per node: how many hosts are cabled to it
 * @param ret_level  per node
 * @return 0 or WEFT_ERR_NOMEM */
int topo_levels(const struct topo *t, const uint32_t *hosts, uint16_t *ret_level);

/** Builds the tree above the hosts.
 * @param hosts  as topo_levels()
 * @param ret    to be given to topo_tree_clear(), also on failure
 * @return 0 or WEFT_ERR_NOMEM */
int topo_tree_build(const struct topo *t, const uint32_t *hosts, struct topo_tree *ret);

/** Frees what a tree holds. */
void topo_tree_clear(struct topo_tree *tree);

#endif
