/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What definitions come to when they are taken together.
 */
#ifndef WEFT_PARTITIONS_LINT_H
#define WEFT_PARTITIONS_LINT_H

#include "partitions/partitions.h"

/** Marks the members that later ones overrule, reports what contradicts itself, and sorts all
 * problems.
 * @param t  what was read
 * @return 0 or WEFT_ERR_NOMEM */
int partitions_lint(struct partitions *t);

#endif
