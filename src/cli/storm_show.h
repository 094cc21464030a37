/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The result of `weft storm` for people on standard output and for programs as JSON.
 */
#ifndef WEFT_CLI_STORM_SHOW_H
#define WEFT_CLI_STORM_SHOW_H

#include "cli/storm_job.h"

#include <jansson.h>

/** Prints every number of the scenario and a table with a row for each policy.
 * @return CLI_DONE, or CLI_FAILED with a message */
int storm_table_print(const struct storm_job *job);

/** Makes the JSON document, schema "weft.storm/1" (the manual page weft-storm(1)).
 * @return the document, or NULL when memory ran out */
json_t *storm_json(const struct storm_job *job);

/** Prints the scenarios, the policies and all keys with their meaning. */
void storm_list_print(void);

/** Writes the report: one HTML page that needs nothing else.
 * @param out  where; errors are left to the caller's ferror() */
void storm_report_write(const struct storm_job *job, FILE *out);

#endif
