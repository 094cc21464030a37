/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * NodeRecords of a subnet, found by LID, GUID or name.
 */
#ifndef WEFT_CLI_SA_NODES_H
#define WEFT_CLI_SA_NODES_H

#include "cli/sa_session.h"

/** Space for a name as sa_nodes_name() makes it. */
#define SA_NODE_NAME_BYTES 300

/** The nodes, each of their end ports. */
struct sa_nodes {
    const struct sa_answer *answer; /**< the table; borrowed */
    uint32_t *by_lid;               /**< its records' numbers + 1 */
};

/** What a record says. */
struct sa_node {
    uint64_t node_guid, port_guid;
    uint16_t lid;
    uint8_t type; /**< 1 channel adapter, 2 switch, 3 router */
    uint8_t ports;
    uint8_t port; /**< the end port's number */
};

/** Indexes an answer.
 * @return false: no memory, and the message is out */
bool sa_nodes_init(struct sa_nodes *n, const struct sa_answer *answer);

/** Frees the index. */
void sa_nodes_clear(struct sa_nodes *n);

/** The record with a LID; NULL: none. */
const uint8_t *sa_nodes_of_lid(const struct sa_nodes *n, uint16_t lid);

/** The record with a port GUID, else the first one of the node with that GUID; NULL: none. */
const uint8_t *sa_nodes_of_guid(const struct sa_nodes *n, uint64_t guid);

/** Whether sa_nodes_find() would find one, or several. */
bool sa_nodes_has(const struct sa_nodes *n, const char *text);

/** The record that is meant: by NodeDescription, with /PORT where it is not the first end port of
 * that node, by node or port GUID such as 0x0002c90300001005, or by LID.
 * @return NULL: none, or several, and the message is out */
const uint8_t *sa_nodes_find(const struct sa_nodes *n, const char *text);

/** Reads a record. */
struct sa_node sa_node_read(const uint8_t *record);

/** The node's name, safe to print; its LID or GUID where it has none.
 * @return ret */
const char *sa_node_name(const uint8_t *record, char ret[SA_NODE_NAME_BYTES]);

/** The name of who has a LID; "LID 7" where that is not known.
 * @return ret */
const char *sa_nodes_name(const struct sa_nodes *n, uint16_t lid, char ret[SA_NODE_NAME_BYTES]);

/** The word for a type. */
const char *sa_node_type_word(uint8_t type);

#endif
