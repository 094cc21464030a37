/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fuzz target: any bytes read as a partitions.conf give partitions or an error that says why; what
 * was read holds together. */
#include "partitions/partitions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_partitions: %s\n", what);
    abort();
}

static void check_members(const struct partitions *t, const struct partitions_partition *p,
                          bool *seen)
{
    uint32_t last = PARTITIONS_NONE;

    for (uint32_t i = p->first; i != PARTITIONS_NONE; i = t->members[i].next) {
        require(i < t->member_count && !seen[i], "member of two partitions, or of none");
        seen[i] = true;
        last = i;
        require((t->members[i].who == PARTITIONS_GUID) == (t->members[i].guid != 0),
                "GUID without a port");
        require(t->allow_both || t->members[i].membership != PARTITIONS_BOTH_FORMS,
                "both forms where one is allowed");
    }
    require(last == p->last, "the last member is another one");
    require(last == PARTITIONS_NONE || !t->members[last].overruled, "the last word is overruled");
}

static void check_partitions(const struct partitions *t)
{
    bool *keys = calloc(PARTITIONS_DEFAULT_KEY + 1, sizeof(*keys));
    bool *seen = calloc((size_t)t->member_count + 1, sizeof(*seen));

    require(keys && seen, "no memory");
    require(t->count > 0 && t->items[0].key == PARTITIONS_DEFAULT_KEY, "no default partition");
    for (uint32_t i = 0; i < t->count; i++) {
        const struct partitions_partition *p = &t->items[i];

        require(p->key != 0 && p->key <= PARTITIONS_DEFAULT_KEY && !keys[p->key],
                "a key that is invalid or there twice");
        keys[p->key] = true;
        require(p->name[0] != '\0' && memchr(p->name, '\0', sizeof(p->name)), "no name");
        check_members(t, p, seen);
    }
    free(keys);
    free(seen);
}

static void check_problems(const struct partitions *t)
{
    bool stops = false;

    for (size_t i = 0; i < t->problems.count; i++) {
        const struct partitions_problem *p = &t->problems.items[i];

        require(p->kind < PARTITIONS_KINDS && p->text[0] != '\0', "a problem without a text");
        require(i == 0 || p->line >= p[-1].line, "problems are not sorted");
        stops = stops || p->kind == PARTITIONS_SYNTAX || p->kind == PARTITIONS_NOTHING;
        for (const char *c = p->text; *c != '\0'; c++)
            require((unsigned char)*c >= ' ' && *c != 0x7f, "a text that a terminal obeys");
    }
    require(stops == t->refused || t->problems.dropped > 0, "OpenSM stops without a reason");
    if (t->refused)
        require(t->count == 1 && t->member_count == 1, "something is left of a dropped file");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int both = 0; both < 2; both++) {
        struct partitions_error error = {.text = ""};
        struct partitions *t = NULL;

        if (partitions_parse((const char *)data, size, both != 0, &t, &error) != 0) {
            require(!t && error.text[0] != '\0', "error without a reason");
            continue;
        }
        check_partitions(t);
        check_problems(t);
        partitions_free(t);
    }
    return 0;
}
