/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Partitions by key and by name, and their members in the order of the file. */
#include "partitions/table.h"

#include <stdlib.h>
#include <string.h>

#define KEYS    0x8000u
#define BUCKETS 4096u

struct partitions_table {
    struct partitions *t;
    uint32_t by_key[KEYS];     /* index of the partition, or PARTITIONS_NONE */
    uint32_t by_name[BUCKETS]; /* chains by struct partitions_partition.next_named */
    uint16_t last_generated;
};

/* The array with room for one more, or NULL; arrays double in size at powers of two. */
static void *grown(void *array, uint32_t count, size_t size)
{
    if (count != 0 && (count < 16 || (count & (count - 1)) != 0))
        return array;
    return realloc(array, (count == 0 ? 16 : (size_t)count * 2) * size);
}

static uint32_t bucket_of(const char *name)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < PARTITIONS_NAME_BYTES && name[i] != '\0'; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return hash % BUCKETS;
}

/* OpenSM keeps partitions in the order of their keys as they are on the wire, read as numbers of a
 * little-endian machine. Of several with one name it finds the first. */
static uint16_t rank_of(const struct partitions_partition *p)
{
    return (uint16_t)(p->key << 8 | p->key >> 8);
}

static uint32_t find_by_name(const struct partitions_table *table, const char *name)
{
    const struct partitions_partition *items = table->t->items;
    uint32_t best = PARTITIONS_NONE;

    for (uint32_t i = table->by_name[bucket_of(name)]; i != PARTITIONS_NONE;
         i = items[i].next_named)
        if (strncmp(items[i].name, name, PARTITIONS_NAME_BYTES) == 0 &&
            (best == PARTITIONS_NONE || rank_of(&items[i]) < rank_of(&items[best])))
            best = i;
    return best;
}

static uint16_t generate(struct partitions_table *table)
{
    while (table->last_generated < PARTITIONS_DEFAULT_KEY - 1) {
        table->last_generated++;
        if (table->by_key[table->last_generated] == PARTITIONS_NONE)
            return table->last_generated;
    }
    return 0;
}

static void set_name(struct partitions_partition *p, const char *name)
{
    static const char digits[] = "0123456789abcdef";
    size_t length = strnlen(name, PARTITIONS_NAME_BYTES - 1);

    memcpy(p->name, name, length);
    for (int i = 0; length == 0 && i < 4; i++)
        p->name[i] = digits[p->key >> (12 - 4 * i) & 15];
}

static int make(struct partitions_table *table, const struct partitions_partition *model,
                const char *name, uint32_t *ret)
{
    struct partitions *t = table->t;
    struct partitions_partition *items = grown(t->items, t->count, sizeof(*items));
    struct partitions_partition *p;
    uint32_t bucket;

    if (!items)
        return WEFT_ERR_NOMEM;
    t->items = items;
    p = &items[t->count];
    *p = *model;
    set_name(p, name);
    p->first = PARTITIONS_NONE;
    p->last = PARTITIONS_NONE;
    bucket = bucket_of(p->name);
    p->next_named = table->by_name[bucket];
    table->by_name[bucket] = t->count;
    table->by_key[p->key] = t->count;
    *ret = t->count++;
    return 0;
}

int partitions_table_define(struct partitions_table *table, const char *name, uint16_t written,
                            uint32_t line, uint32_t *ret_index, enum partitions_found *ret_found)
{
    struct partitions_partition model = {
        .line = line, .key = written & (KEYS - 1), .written = written};
    uint32_t found;

    if (model.key == 0) {
        model.written = 0;
        found = find_by_name(table, name);
        *ret_found = PARTITIONS_BY_NAME;
        model.key = found == PARTITIONS_NONE ? generate(table) : 0;
        model.generated = true;
        if (found == PARTITIONS_NONE && model.key == 0)
            return WEFT_ERR_FULL;
    } else {
        found = table->by_key[model.key];
        *ret_found = PARTITIONS_BY_KEY;
    }
    if (found != PARTITIONS_NONE) {
        *ret_index = found;
        return 0;
    }
    *ret_found = PARTITIONS_MADE;
    return make(table, &model, name, ret_index);
}

int partitions_member_add(struct partitions *t, uint32_t index,
                          const struct partitions_member *member)
{
    struct partitions_partition *p = &t->items[index];
    struct partitions_member *members;
    struct partitions_member *added;

    if (t->member_count == PARTITIONS_MEMBERS_MAX)
        return WEFT_ERR_FULL;
    members = grown(t->members, t->member_count, sizeof(*members));
    if (!members)
        return WEFT_ERR_NOMEM;
    t->members = members;
    added = &members[t->member_count];
    *added = *member;
    added->next = PARTITIONS_NONE;
    added->overruled = false;
    if (p->last == PARTITIONS_NONE)
        p->first = t->member_count;
    else
        t->members[p->last].next = t->member_count;
    p->last = t->member_count++;
    return 0;
}

int partitions_group_add(struct partitions *t, const struct partitions_group *group)
{
    struct partitions_group *groups;

    if (t->group_count == PARTITIONS_MEMBERS_MAX)
        return WEFT_ERR_FULL;
    groups = grown(t->groups, t->group_count, sizeof(*groups));
    if (!groups)
        return WEFT_ERR_NOMEM;
    t->groups = groups;
    t->groups[t->group_count++] = *group;
    return 0;
}

/* What stands before the first definition: ALL=limited or ALL=full, and SELF=full. */
static int add_default(struct partitions_table *table, bool full)
{
    struct partitions_member all = {.who = PARTITIONS_ALL,
                                    .membership = full ? PARTITIONS_FULL : PARTITIONS_LIMITED};
    struct partitions_member self = {.who = PARTITIONS_SELF, .membership = PARTITIONS_FULL};
    struct partitions_partition model = {.key = PARTITIONS_DEFAULT_KEY};
    uint32_t index;
    int err = make(table, &model, "Default", &index);

    if (err == 0)
        err = partitions_member_add(table->t, index, &all);
    if (err == 0 && !full)
        err = partitions_member_add(table->t, index, &self);
    return err;
}

struct partitions_table *partitions_table_new(struct partitions *t, bool full)
{
    struct partitions_table *table = calloc(1, sizeof(*table));

    if (!table)
        return NULL;
    table->t = t;
    memset(table->by_key, 0xFF, sizeof(table->by_key));
    memset(table->by_name, 0xFF, sizeof(table->by_name));
    return add_default(table, full) == 0 ? table : partitions_table_free(table);
}

struct partitions_table *partitions_table_free(struct partitions_table *table)
{
    free(table);
    return NULL;
}
