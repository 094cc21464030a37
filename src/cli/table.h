/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Tables for people on standard output, on libsmartcols.
 */
#ifndef WEFT_CLI_TABLE_H
#define WEFT_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/** A table being filled. */
struct table;

/** One column. */
struct table_column {
    const char *heading;
    bool right; /**< numbers are set to the right, words to the left */
};

/** Starts a table.
 * @param columns  closed by one whose heading is NULL
 * @return the table, or NULL when there is no memory */
struct table *table_new(const struct table_column columns[]);

/** Starts the next row. After an error the table stays empty-handed: table_print() reports it. */
void table_row(struct table *t);

/** Sets the next cell of the current row, formatted as by printf. */
void table_cell(struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Prints all rows to standard output.
 * @return CLI_DONE, or CLI_FAILED with a message when memory ran out on the way */
int table_print(struct table *t);

/** Frees a table; NULL is fine.
 * @return NULL */
struct table *table_free(struct table *t);

#endif
