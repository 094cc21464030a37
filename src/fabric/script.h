/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Scripts: lines of the fault vocabulary that wait for their time, once or again and again.
 */
#ifndef WEFT_FABRIC_SCRIPT_H
#define WEFT_FABRIC_SCRIPT_H

#include "fabric/model.h"

/** @return 0 or WEFT_ERR_NOMEM */
int script_new(struct fabric *f);
void script_free(struct fabric *f);

/** Lines are due (FLIGHT_SCRIPT). */
void script_due(struct fabric *f);

#endif
