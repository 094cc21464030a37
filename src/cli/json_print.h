/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What `--json` prints: one JSON document on standard output.
 */
#ifndef WEFT_CLI_JSON_PRINT_H
#define WEFT_CLI_JSON_PRINT_H

#include <jansson.h>

/** Prints a document, members in the order they were added, and releases it.
 * @param root  the document, taken over; NULL stands for "memory ran out while it was built"
 * @return CLI_DONE, or CLI_FAILED with a message */
int json_print(json_t *root);

#endif
