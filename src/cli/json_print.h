/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What `--json` prints: one JSON document on standard output.
 */
#ifndef WEFT_CLI_JSON_PRINT_H
#define WEFT_CLI_JSON_PRINT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/** Prints a document, members in the order they were added, and releases it.
 * @param root  the document, taken over; NULL stands for "memory ran out while it was built"
 * @return CLI_DONE, or CLI_FAILED with a message */
int json_print(json_t *root);

/** Writes an item of a list whose document is too large to be in memory as a whole, on a line of
 * its own, and releases it. What stands around the list is the caller's.
 * @param item   taken over; NULL stands for "memory ran out while it was built"
 * @param first  whether it is the first of its list
 * @return false: there is no memory, or the stream failed */
bool json_print_item(json_t *item, bool first, FILE *out);

#endif
