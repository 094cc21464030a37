/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Tables with very many rows. First each cell widens its column, by its length alone; then each row
 * is a line of blanks that its cells are laid into, where they belong. No row is kept longer than
 * until many are written together, and no format is read again for each cell.
 */
#ifndef WEFT_CLI_CELLS_H
#define WEFT_CLI_CELLS_H

#include "core/base/digits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/** Columns at most. */
#define CELLS_MAX 12

/** Bytes of a row's columns at most, with the blanks behind them; what is more is cut. */
#define CELLS_ROW_BYTES 2048

/** Bytes that are written together. */
#define CELLS_BYTES (8 * CELLS_ROW_BYTES)

/** Where the first row begins: digits are written from their end, in place. */
#define CELLS_FIRST (DIGITS_MAX + 1)

/** Bytes of "0x" and 16 digits. */
#define CELLS_GUID_BYTES (2 + DIGITS_HEX_MAX)

/** A table being printed. */
struct cells {
    FILE *to;
    size_t count;           /**< columns */
    size_t ends[CELLS_MAX]; /**< where each ends in a row, without the blanks behind it */
    size_t width;           /**< of all of them, with these */
    size_t row;             /**< where the row begins in the text */
    size_t column;          /**< the one that the next text goes to; `count`: what is behind them */
    size_t at;              /**< where it goes to */
    char text[CELLS_FIRST + CELLS_BYTES];
};

/** Digits that a number has. */
size_t cells_digits(uint64_t number);

/** Writes 0x and 16 digits, without a final 0. */
void cells_guid(uint64_t guid, char ret[CELLS_GUID_BYTES]);

/** Makes a column as wide as a cell is long. */
static inline void cells_widen(size_t *width, size_t length)
{
    if (length > *width)
        *width = length;
}

/** Starts to print.
 * @param widths  one of each column: no cell is longer
 * @param count   of columns, at most CELLS_MAX */
void cells_start(struct cells *c, const size_t *widths, size_t count, FILE *to);

/** Begins a row: with the first cell, which stands to the left as those do that have no `right`. */
void cells_row(struct cells *c);

/** Adds text to the cell, cut where the column ends; behind the last column there is no end. */
void cells_text(struct cells *c, const char *text, size_t length);
/** The same with a string. */
static inline void cells_string(struct cells *c, const char *text)
{
    cells_text(c, text, strlen(text));
}
/** Adds a number. */
void cells_number(struct cells *c, uint64_t number);

/** Ends the cell: two blanks, and the next one begins. */
void cells_end(struct cells *c);

/** Puts a number to the right of its column, and ends the cell.
 * @param more  a plus sign behind it */
void cells_number_right(struct cells *c, uint64_t number, bool more);
/** The same with a text. */
void cells_text_right(struct cells *c, const char *text, size_t length, bool more);

/** Writes what is kept: to be called after the last row. Whether all could be written ferror()
 * tells. */
void cells_flush(struct cells *c);

#endif
