/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Nodes by name and by the topology file's id, without looking at all of them.
 */
#ifndef WEFT_FABRIC_NAMES_H
#define WEFT_FABRIC_NAMES_H

#include "fabric/model.h"

/** Enters all nodes, which are there already.
 * @return 0 or WEFT_ERR_NOMEM */
int names_new(struct fabric *f);
void names_free(struct fabric *f);

/** Finds nodes by their whole NodeDescription; nobody has an empty one.
 * @param most  no more are counted
 * @param ret   the last one counted; written only when there is one
 * @return how many there are */
uint32_t names_find(const struct fabric *f, const char *name, uint32_t most, uint32_t *ret);

/** Finds the first node that the topology file calls so. */
bool names_find_id(const struct fabric *f, const char *id, uint32_t *ret);

/** Gives a node another name.
 * @param name  at most 64 bytes */
void names_change(struct fabric *f, struct node *n, const char *name);

#endif
