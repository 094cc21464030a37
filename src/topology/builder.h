/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * How a topology comes to be: nodes and port lines are added in any order, then the two ends of
 * every cable are matched. The reader and the generators both build through this.
 *
 * Errors stick: after one call failed every further one fails alike, so a caller may add many
 * things and look once.
 */
#ifndef WEFT_TOPOLOGY_BUILDER_H
#define WEFT_TOPOLOGY_BUILDER_H

#include "topology/identity.h"
#include "topology/topology.h"

struct topo_builder;

/** One end of a cable, as one line says it. */
struct topo_claim {
    struct topo_port port; /**< all but peer_port and implied */
    uint64_t peer_guid;    /**< the other end's port GUID; 0 when unsaid */
};

/** Starts an empty topology.
 * @return NULL without memory */
struct topo_builder *topo_builder_new(void);

/** Frees a builder and what was built; NULL is fine.
 * @return NULL */
struct topo_builder *topo_builder_free(struct topo_builder *b);

/** Makes room for nodes and ends of cables in one go; more may come all the same. Without memory
 * the builder fails. */
void topo_builder_reserve(struct topo_builder *b, uint32_t nodes, uint32_t ends);

/** Adds a node that nobody has added, declared: no look-up, and topo_builder_node() does not find
 * it.
 * @param guid  no other node's, not 0
 * @return its number, good until topo_builder_finish(); TOPO_NONE after an error */
uint32_t topo_builder_append(struct topo_builder *b, uint64_t guid, enum topo_node_type type);

/** Finds a node or adds it, not declared.
 * @return its number, good until topo_builder_finish(); TOPO_NONE after an error */
uint32_t topo_builder_node(struct topo_builder *b, const struct topo_ref *ref);

/** A node's members, to be filled in. Valid until the next node is added. */
struct topo_node *topo_builder_at(struct topo_builder *b, uint32_t node);

/** Marks a node as declared: its place in the result is after those declared before. */
void topo_builder_declare(struct topo_builder *b, uint32_t node);

/** Gives a node its GUID. A node that was found by that GUID has it already.
 * @return TOPO_NONE, or the other node that has this GUID: then nothing was changed */
uint32_t topo_builder_set_guid(struct topo_builder *b, uint32_t node, uint64_t guid);

/** Adds one end of a cable. */
void topo_builder_claim(struct topo_builder *b, const struct topo_claim *claim);

/** Records an ignored line. */
void topo_builder_ignore(struct topo_builder *b, uint32_t line, const char *text, size_t length);

/** The findings, for more to be added with topo_findings_add(). */
struct topo_findings *topo_builder_findings(struct topo_builder *b);

/** Makes a failure of the caller's stick.
 * @param err  a value of enum weft_err; 0 changes nothing */
void topo_builder_fail(struct topo_builder *b, int err);

/** What went wrong so far: 0, WEFT_ERR_NOMEM or WEFT_ERR_FULL (too many nodes or port lines). */
int topo_builder_error(const struct topo_builder *b);

/** Number of nodes so far, declared or not. */
uint32_t topo_builder_count(const struct topo_builder *b);

/** Matches the ends of the cables and hands the topology over; the builder is then only to be
 * freed.
 * @param ret  written only on success
 * @return 0 or what topo_builder_error() says */
int topo_builder_finish(struct topo_builder *b, struct topo **ret);

#endif
