/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names that count up, put together. */
#include "cli/name_ranges.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer numbers are taken for words, and so are hexadecimal ones. */
#define DIGITS_MAX 18

/* A name: what stands before its last number, that number, and what stands behind. */
struct part {
    const char *name;
    size_t prefix; /* bytes */
    size_t digits; /* 0: there is no number */
    uint64_t number;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static struct part part_of(const char *name)
{
    size_t end = strlen(name);
    size_t start;
    struct part p = {.name = name};

    while (end > 0 && !is_digit(name[end - 1]))
        end--;
    for (start = end; start > 0 && is_digit(name[start - 1]); start--)
        continue;
    p.digits = end - start;
    p.prefix = start;
    if (p.digits > DIGITS_MAX || strncmp(name, "0x", 2) == 0)
        p.digits = 0;
    if (p.digits == 0)
        p.prefix = strlen(name);
    for (size_t i = 0; i < p.digits; i++)
        p.number = 10 * p.number + (uint64_t)(name[start + i] - '0');
    return p;
}

static const char *suffix(const struct part *p)
{
    return p->name + p->prefix + p->digits;
}

/* Whether two names differ in nothing but their number; otherwise which comes first. */
static int family_compare(const struct part *a, const struct part *b)
{
    size_t shorter = a->prefix < b->prefix ? a->prefix : b->prefix;
    int order = memcmp(a->name, b->name, shorter);

    if (order == 0)
        order = (a->prefix > b->prefix) - (a->prefix < b->prefix);
    if (order == 0)
        order = strcmp(suffix(a), suffix(b));
    return order == 0 ? (a->digits > b->digits) - (a->digits < b->digits) : order;
}

static int part_compare(const void *x, const void *y)
{
    const struct part *a = x;
    const struct part *b = y;
    int order = family_compare(a, b);

    return order == 0 ? (a->number > b->number) - (a->number < b->number) : order;
}

static bool is_next(const struct part *a, const struct part *b)
{
    return a->digits > 0 && family_compare(a, b) == 0 && b->number == a->number + 1;
}

/* Writes the family that begins at parts[0]; *items is how many words may still be written.
 * Gives how many names were dealt with. */
static size_t write_family(FILE *out, const struct part *parts, size_t count, size_t *items)
{
    const struct part *p = parts;
    int digits = (int)p->digits;
    size_t family = 1;
    size_t done = 0;

    while (family < count && p->digits > 0 && family_compare(p, &parts[family]) == 0)
        family++;
    if (family == 1) {
        (*items)--;
        fputs(p->name, out);
        return 1;
    }
    fprintf(out, "%.*s[", (int)p->prefix, p->name);
    while (done<family && * items> 0) {
        size_t last = done;

        while (last + 1 < family && is_next(&parts[last], &parts[last + 1]))
            last++;
        fprintf(out, "%s%0*" PRIu64, done > 0 ? "," : "", digits, parts[done].number);
        if (last > done)
            fprintf(out, "-%0*" PRIu64, digits, parts[last].number);
        done = last + 1;
        (*items)--;
    }
    fprintf(out, "]%s", suffix(p));
    return done;
}

char *name_ranges(const char **names, size_t count, size_t items_max, size_t *ret_left)
{
    struct part *parts = calloc(count + 1, sizeof(*parts));
    size_t items = items_max ? items_max : SIZE_MAX;
    char *text = NULL;
    size_t bytes;
    FILE *out = parts ? open_memstream(&text, &bytes) : NULL;
    size_t done = 0;

    if (!out) {
        free(parts);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        parts[i] = part_of(names[i]);
    qsort(parts, count, sizeof(*parts), part_compare);
    while (done < count && items > 0) {
        if (done > 0)
            fputs(", ", out);
        done += write_family(out, &parts[done], count - done, &items);
    }
    for (size_t i = 0; i < count; i++)
        names[i] = parts[i].name;
    free(parts);
    *ret_left = count - done;
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
