/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows of tables: their columns begin and end at the same places in each. */
#include "cli/cells.h"

#include <string.h>

/* Blanks behind each column. */
#define GAP 2

size_t cells_digits(uint64_t number)
{
    size_t digits = 1;

    for (; number >= 10; number /= 10)
        digits++;
    return digits;
}

void cells_guid(uint64_t guid, char ret[CELLS_GUID_BYTES])
{
    char digits[DIGITS_HEX_MAX];

    (void)digits_hex(guid, DIGITS_HEX_MAX, digits);
    memcpy(ret, "0x", 2);
    memcpy(ret + 2, digits, DIGITS_HEX_MAX);
}

void cells_start(struct cells *c, const size_t *widths, size_t count, FILE *to)
{
    size_t left = CELLS_ROW_BYTES - GAP * count;

    c->to = to;
    c->count = count;
    c->width = 0;
    c->row = c->at = CELLS_FIRST;
    for (size_t i = 0; i < count; i++) {
        size_t width = widths[i] < left ? widths[i] : left;

        left -= width;
        c->ends[i] = c->width + width;
        c->width = c->ends[i] + GAP;
    }
}

void cells_flush(struct cells *c)
{
    /* Nobody else writes meanwhile: no lock is needed. */
    (void)fwrite_unlocked(c->text + CELLS_FIRST, 1, c->at - CELLS_FIRST, c->to);
    c->row = c->at = CELLS_FIRST;
}

void cells_row(struct cells *c)
{
    if (sizeof(c->text) - c->at < c->width)
        cells_flush(c);
    c->row = c->at;
    c->column = 0;
    memset(c->text + c->row, ' ', c->width);
}

/* Bytes that the cell has room for. */
static size_t room(struct cells *c, size_t wanted)
{
    if (c->column < c->count)
        return c->row + c->ends[c->column] - c->at;
    if (sizeof(c->text) - c->at < wanted)
        cells_flush(c);
    return sizeof(c->text) - c->at;
}

void cells_text(struct cells *c, const char *text, size_t length)
{
    size_t bytes = room(c, length);

    if (length > bytes)
        length = bytes;
    memcpy(c->text + c->at, text, length);
    c->at += length;
}

void cells_number(struct cells *c, uint64_t number)
{
    char digits[DIGITS_MAX];
    size_t first = digits_decimal(number, 1, digits);

    cells_text(c, digits + first, sizeof(digits) - first);
}

void cells_end(struct cells *c)
{
    c->at = c->row + c->ends[c->column++] + GAP;
}

void cells_number_right(struct cells *c, uint64_t number, bool more)
{
    size_t end = c->row + c->ends[c->column];

    if (more)
        c->text[--end] = '+';
    (void)digits_decimal(number, 1, c->text + end - DIGITS_MAX);
    cells_end(c);
}

void cells_text_right(struct cells *c, const char *text, size_t length, bool more)
{
    size_t end = c->row + c->ends[c->column];
    size_t bytes = end - c->at;

    if (more && bytes > 0) {
        c->text[--end] = '+';
        bytes--;
    }
    if (length > bytes)
        length = bytes;
    memcpy(c->text + end - length, text, length);
    cells_end(c);
}
