/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A fabric that is up without an SM: LIDs, shortest routes, active links.
 */
#ifndef WEFT_FABRIC_ROUTES_H
#define WEFT_FABRIC_ROUTES_H

#include "fabric/model.h"

/** Gives a LID to every port that has none (those of the topology first, with keep_lids), fills
 * every LFT by shortest paths spread over equal ones, and makes all links Active.
 * @return 0; WEFT_ERR_FULL: more ports than LIDs; WEFT_ERR_NOMEM; WEFT_ERR_INVALID: two ports of
 *         the topology have one LID */
int routes_set_up(struct fabric *f, struct fabric_error *error);

#endif
