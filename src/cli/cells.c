/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows of tables: their cells stand one behind the other in one text. */
#include "cli/cells.h"

#include "core/base/digits.h"

#include <string.h>

static const char blanks[] = "                                ";

void cells_clear(struct cells *c)
{
    c->count = 0;
    c->length = 0;
}

static void add(struct cells *c, const char *text, size_t length)
{
    if (length > sizeof(c->text) - c->length)
        length = sizeof(c->text) - c->length;
    memcpy(c->text + c->length, text, length);
    c->length += length;
}

void cells_text(struct cells *c, const char *text)
{
    add(c, text, strlen(text));
}

void cells_number(struct cells *c, uint64_t number)
{
    char digits[DIGITS_MAX];
    size_t first = digits_decimal(number, 1, digits);

    add(c, digits + first, sizeof(digits) - first);
}

void cells_guid(struct cells *c, uint64_t guid)
{
    char digits[2 + DIGITS_HEX_MAX] = "0x";

    (void)digits_hex(guid, DIGITS_HEX_MAX, digits + 2);
    add(c, digits, sizeof(digits));
}

void cells_end(struct cells *c)
{
    c->ends[c->count++] = c->length;
}

void cells_widen(const struct cells *c, size_t *widths)
{
    size_t begin = 0;

    for (size_t i = 0; i < c->count; i++) {
        if (c->ends[i] - begin > widths[i])
            widths[i] = c->ends[i] - begin;
        begin = c->ends[i];
    }
}

/* Nobody else writes meanwhile: no lock is taken for each cell. */
static void print(const char *text, size_t length, FILE *to)
{
    (void)fwrite_unlocked(text, 1, length, to);
}

static void print_blanks(size_t count, FILE *to)
{
    for (; count >= sizeof(blanks); count -= sizeof(blanks) - 1)
        print(blanks, sizeof(blanks) - 1, to);
    print(blanks, count, to);
}

void cells_print(const struct cells *c, const size_t *widths, size_t left, FILE *to)
{
    size_t begin = 0;

    for (size_t i = 0; i < c->count; i++) {
        size_t length = c->ends[i] - begin;
        size_t fill = widths[i] - length;

        if (i >= left && fill > 0)
            print_blanks(fill, to);
        print(c->text + begin, length, to);
        print_blanks(2 + (i < left ? fill : 0), to);
        begin = c->ends[i];
    }
}
