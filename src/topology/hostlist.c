/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Host lists of Slurm: the brackets stand at a name's end, and a range has as many digits as its
 * first number has, or as many as a number needs. */
#include "topology/hostlist.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Longer ones are taken for words: Slurm's own numbers are 32 bits wide in places. */
#define DIGITS_MAX 9

/* A name: what stands before the number at its end, and that number. */
struct part {
    size_t prefix; /* bytes */
    size_t digits; /* 0: there is no number */
    uint32_t number;
    bool padded; /* with zeroes */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static struct part part_of(const char *name)
{
    size_t end = strlen(name);
    struct part p = {.prefix = end};

    while (p.prefix > 0 && is_digit(name[p.prefix - 1]))
        p.prefix--;
    p.digits = end - p.prefix;
    /* Slurm takes no word that is a number only. */
    if (p.digits > DIGITS_MAX || p.prefix == 0)
        return (struct part){.prefix = end};
    for (size_t i = p.prefix; i < end; i++)
        p.number = 10 * p.number + (uint32_t)(name[i] - '0');
    p.padded = p.digits > 1 && name[p.prefix] == '0';
    return p;
}

static bool same_family(const char *x, const struct part *a, const char *y, const struct part *b)
{
    return a->digits > 0 && b->digits > 0 && a->prefix == b->prefix && memcmp(x, y, a->prefix) == 0;
}

static int by_name(const void *x, const void *y)
{
    const char *left = *(const char *const *)x;
    const char *right = *(const char *const *)y;
    struct part a = part_of(left);
    struct part b = part_of(right);

    if (!same_family(left, &a, right, &b)) {
        size_t shorter = a.prefix < b.prefix ? a.prefix : b.prefix;
        int order = memcmp(left, right, shorter);

        if (order == 0)
            order = (a.prefix > b.prefix) - (a.prefix < b.prefix);
        return order == 0 ? (a.digits > b.digits) - (a.digits < b.digits) : order;
    }
    if (a.padded != b.padded)
        return b.padded - a.padded;
    if (a.number != b.number)
        return a.number < b.number ? -1 : 1;
    return (a.digits > b.digits) - (a.digits < b.digits);
}

static size_t digits_of(uint32_t number)
{
    size_t digits = 1;

    for (; number >= 10; number /= 10)
        digits++;
    return digits;
}

/* Whether a range that began with `first` and has come to `last` goes on with b. */
static bool goes_on(const struct part *first, uint32_t last, const struct part *b)
{
    size_t needed = digits_of(b->number);

    return b->number == last + 1 && b->digits == (needed > first->digits ? needed : first->digits);
}

/* Writes the names that begin at names[0] and differ in their number only, two at least. */
static void write_family(const char **names, size_t count, FILE *out)
{
    struct part p = part_of(names[0]);
    size_t done = 0;

    fprintf(out, "%.*s[", (int)p.prefix, names[0]);
    while (done < count) {
        struct part first = part_of(names[done]);
        uint32_t last = first.number;
        size_t next = done + 1;

        for (; next < count; next++) {
            struct part b = part_of(names[next]);

            if (!goes_on(&first, last, &b))
                break;
            last = b.number;
        }
        fprintf(out, "%s%0*" PRIu32, done > 0 ? "," : "", (int)first.digits, first.number);
        if (last > first.number)
            fprintf(out, "-%0*" PRIu32, (int)first.digits, last);
        done = next;
    }
    fputc(']', out);
}

static size_t drop_twins(const char **names, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (kept == 0 || strcmp(names[kept - 1], names[i]) != 0)
            names[kept++] = names[i];
    return kept;
}

void topo_write_hostlist(const char **names, size_t count, FILE *out)
{
    if (count > 1)
        qsort(names, count, sizeof(*names), by_name);
    count = drop_twins(names, count);
    for (size_t i = 0; i < count;) {
        struct part p = part_of(names[i]);
        size_t family = 1;

        for (; i + family < count; family++) {
            struct part b = part_of(names[i + family]);

            if (!same_family(names[i], &p, names[i + family], &b))
                break;
        }
        if (i > 0)
            fputc(',', out);
        if (family == 1)
            fputs(names[i], out);
        else
            write_family(names + i, family, out);
        i += family;
    }
}
