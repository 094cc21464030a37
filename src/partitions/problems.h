/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Adding to a list of problems.
 */
#ifndef WEFT_PARTITIONS_PROBLEMS_H
#define WEFT_PARTITIONS_PROBLEMS_H

#include "partitions/partitions.h"

/** Adds a problem; beyond PARTITIONS_PROBLEMS_MAX it is only counted. What the text quotes may be
 * any bytes: those that are not safe to print are escaped here.
 * @return 0 or WEFT_ERR_NOMEM */
int partitions_problem_add(struct partitions_problems *list, uint32_t line,
                           enum partitions_kind kind, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** Sorts a list by line; problems of one line stay in their order. */
void partitions_problems_sort(struct partitions_problems *list);

/** Frees a list's items and empties it. */
void partitions_problems_free(struct partitions_problems *list);

#endif
