/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * NodeRecords that are asked for when they are needed: a few records, where the table of a large
 * subnet has a megabyte.
 */
#ifndef WEFT_CLI_SA_LOOKUP_H
#define WEFT_CLI_SA_LOOKUP_H

#include "cli/sa_nodes.h"

/** What was asked for so far. */
struct sa_lookup {
    struct sa_session *s;
    struct sa_answer known; /* NodeRecords, each once */
    struct sa_nodes nodes;  /* their index */
};

/** Begins with nothing.
 * @param s  to ask through; borrowed
 * @return false: no memory, and the message is out */
bool sa_lookup_init(struct sa_lookup *l, struct sa_session *s);

/** Frees all records. */
void sa_lookup_clear(struct sa_lookup *l);

/** Finds who is meant, as sa_nodes_find() does among all nodes. Only where the SA knows none of the
 * names and numbers that the text can be, the whole table is asked for, to say which name is near.
 * @param ret  the record; valid until the next call
 * @return CLI_DONE; CLI_FAILED: none, several or no answer, and the message is out */
int sa_lookup_find(struct sa_lookup *l, const char *text, const uint8_t **ret);

/** Finds who has a LID.
 * @param ret  the record, valid until the next call; NULL: the SA knows of none
 * @return CLI_DONE; CLI_FAILED: no answer, and the message is out */
int sa_lookup_lid(struct sa_lookup *l, uint16_t lid, const uint8_t **ret);

#endif
