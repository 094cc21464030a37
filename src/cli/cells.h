/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Rows of tables with very many of them: a row is made twice, once for the widths and once to be
 * printed, none is kept, and no format is read again for each cell.
 */
#ifndef WEFT_CLI_CELLS_H
#define WEFT_CLI_CELLS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Cells of a row at most. */
#define CELLS_MAX 12

/** Bytes in all of them together; what is more is cut. */
#define CELLS_BYTES 1024

/** A row. */
struct cells {
    size_t count;           /**< cells that have their end */
    size_t ends[CELLS_MAX]; /**< where each ends in the text */
    size_t length;
    char text[CELLS_BYTES];
};

/** Empties it. */
void cells_clear(struct cells *c);

/** Adds text to the cell that has no end yet. */
void cells_text(struct cells *c, const char *text);
/** Adds a number to it. */
void cells_number(struct cells *c, uint64_t number);
/** Adds 0x and 16 digits to it. */
void cells_guid(struct cells *c, uint64_t guid);

/** Ends the cell; the next one begins. There must be fewer than CELLS_MAX. */
void cells_end(struct cells *c);

/** Makes columns as wide as the cells are.
 * @param widths  of as many columns */
void cells_widen(const struct cells *c, size_t *widths);

/** Writes the row with two blanks behind each cell.
 * @param widths  no cell is wider
 * @param left    the first so many are put to the left, the others to the right */
void cells_print(const struct cells *c, const size_t *widths, size_t left, FILE *to);

#endif
