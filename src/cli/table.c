/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables for people: rows are collected, libsmartcols sets the widths. */
#include "cli/table.h"

#include "cli/message.h"
#include "cli/verb.h"

#include <libsmartcols.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct table {
    struct libscols_table *scols;
    struct libscols_line *line; /* the current row, owned by scols */
    size_t column;              /* the next cell of it */
    bool failed;                /* out of memory somewhere on the way */
};

struct table *table_new(const struct table_column columns[])
{
    struct table *t = calloc(1, sizeof(*t));

    if (!t)
        return NULL;
    t->scols = scols_new_table();
    if (!t->scols)
        return table_free(t);
    for (size_t i = 0; columns[i].heading; i++)
        if (!scols_table_new_column(t->scols, columns[i].heading, 0,
                                    columns[i].right ? SCOLS_FL_RIGHT : 0))
            return table_free(t);
    return t;
}

void table_row(struct table *t)
{
    t->line = scols_table_new_line(t->scols, NULL);
    t->column = 0;
    if (!t->line)
        t->failed = true;
}

void table_cell(struct table *t, const char *format, ...)
{
    char *text = NULL;
    va_list ap;
    int length;

    if (t->failed)
        return;
    va_start(ap, format);
    length = vasprintf(&text, format, ap);
    va_end(ap);
    if (length < 0) {
        t->failed = true;
        return;
    }
    if (scols_line_refer_data(t->line, t->column++, text) != 0) {
        free(text);
        t->failed = true;
    }
}

int table_print(struct table *t)
{
    if (!t->failed && scols_print_table(t->scols) == 0)
        return CLI_DONE;
    return message_failed("no memory for the table");
}

struct table *table_free(struct table *t)
{
    if (!t)
        return NULL;
    scols_unref_table(t->scols);
    free(t);
    return NULL;
}
