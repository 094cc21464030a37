/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A topology becomes nodes, ports and links, with what the file does not say filled in.
 */
#ifndef WEFT_FABRIC_BUILD_H
#define WEFT_FABRIC_BUILD_H

#include "fabric/model.h"

/** Counts, takes and fills the arrays of the model.
 * @return as fabric_new() */
int build_model(struct fabric *f, const struct topo *t, struct fabric_error *error);
void build_free(struct fabric *f);

/** Finds the port that a node GUID (a switch's port 0, another's port 1) or port GUID names.
 * @return its index, or FABRIC_NONE */
uint32_t build_find_guid(const struct fabric *f, uint64_t guid);

#endif
