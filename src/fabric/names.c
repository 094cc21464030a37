/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Nodes by name: chains of those whose names have one hash. Many nodes of one name are a long
 * chain, at whose front the next is entered, so that costs no more than others do. */
#include "fabric/names.h"

#include "core/base/index.h"

#include <string.h>

/* Nodes by one of their texts. */
struct chains {
    uint32_t *first; /* by hash: a node, or FABRIC_NONE */
    uint32_t *next;  /* by node */
};

struct names {
    struct chains by_name, by_id;
    uint32_t heads; /* of each, a power of two */
};

static uint32_t hash_of(const struct names *s, const char *text)
{
    uint64_t hash = 0;

    for (; *text != '\0'; text++)
        hash = hash * 31 + (uint8_t)*text;
    return index_hash(hash) & (s->heads - 1);
}

static bool take_chains(struct fabric *f, struct chains *c)
{
    c->first = fabric_take(f, f->names->heads, sizeof(*c->first));
    c->next = fabric_take(f, f->node_count, sizeof(*c->next));
    if (!c->first || !c->next)
        return false;
    memset(c->first, 0xFF, f->names->heads * sizeof(*c->first)); /* FABRIC_NONE */
    return true;
}

static void enter(const struct fabric *f, const struct chains *c, const char *text, uint32_t node)
{
    uint32_t *first = &c->first[hash_of(f->names, text)];

    c->next[node] = *first;
    *first = node;
}

static void take_out(const struct fabric *f, const struct chains *c, const char *text,
                     uint32_t node)
{
    uint32_t *link = &c->first[hash_of(f->names, text)];

    while (*link != node)
        link = &c->next[*link];
    *link = c->next[node];
}

int names_new(struct fabric *f)
{
    struct names *s = fabric_take(f, 1, sizeof(*s));

    if (!s)
        return WEFT_ERR_NOMEM;
    f->names = s;
    s->heads = index_entries(f->node_count);
    if (!take_chains(f, &s->by_name) || !take_chains(f, &s->by_id))
        return WEFT_ERR_NOMEM;
    for (uint32_t i = f->node_count; i-- > 0;) {
        enter(f, &s->by_name, f->nodes[i].name, i);
        if (f->nodes[i].id)
            enter(f, &s->by_id, f->nodes[i].id, i);
    }
    return 0;
}

void names_free(struct fabric *f)
{
    struct names *s = f->names;

    if (!s)
        return;
    fabric_give(f, s->by_name.first, s->heads, sizeof(*s->by_name.first));
    fabric_give(f, s->by_name.next, f->node_count, sizeof(*s->by_name.next));
    fabric_give(f, s->by_id.first, s->heads, sizeof(*s->by_id.first));
    fabric_give(f, s->by_id.next, f->node_count, sizeof(*s->by_id.next));
    fabric_give(f, s, 1, sizeof(*s));
    f->names = NULL;
}

uint32_t names_find(const struct fabric *f, const char *name, uint32_t most, uint32_t *ret)
{
    const struct chains *c = &f->names->by_name;
    uint32_t count = 0;

    if (name[0] == '\0')
        return 0;
    for (uint32_t i = c->first[hash_of(f->names, name)]; i != FABRIC_NONE && count < most;
         i = c->next[i]) {
        if (strcmp(f->nodes[i].name, name) != 0)
            continue;
        *ret = i;
        count++;
    }
    return count;
}

bool names_find_id(const struct fabric *f, const char *id, uint32_t *ret)
{
    const struct chains *c = &f->names->by_id;

    for (uint32_t i = c->first[hash_of(f->names, id)]; i != FABRIC_NONE; i = c->next[i]) {
        if (strcmp(f->nodes[i].id, id) != 0)
            continue;
        *ret = i;
        return true;
    }
    return false;
}

void names_change(struct fabric *f, struct node *n, const char *name)
{
    uint32_t node = node_index(f, n);

    take_out(f, &f->names->by_name, n->name, node);
    memset(n->name, 0, sizeof(n->name));
    memcpy(n->name, name, strlen(name));
    enter(f, &f->names->by_name, n->name, node);
}
