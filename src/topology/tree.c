/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Levels by distance from the hosts; the tree by joining, level after level, what is connected. */
#include "topology/tree.h"

#include <stdlib.h>

/* The switches connected so far by cables up to some level, at their root in `above`. */
struct part {
    uint32_t above; /* another switch of the same part; itself: this is the root */
    uint32_t first; /* place not below another one, or TOPO_NONE */
    uint32_t last;
    uint32_t count; /* of these places */
};

/* A tree while it is built. */
struct building {
    const struct topo *t;
    const uint32_t *hosts;
    struct topo_tree *tree;
    struct part *parts; /* per node */
};

static bool is_switch(const struct topo *t, uint32_t node)
{
    return t->nodes[node].type == TOPO_SWITCH;
}

uint32_t *topo_count_hosts(const struct topo *t)
{
    uint32_t *hosts = calloc((size_t)t->node_count + 1, sizeof(*hosts));

    for (uint32_t i = 0; i < t->port_count && hosts; i++) {
        const struct topo_port *p = &t->ports[i];

        if (p->peer_port != TOPO_NONE && t->nodes[p->node].type == TOPO_CA &&
            !t->nodes[p->node].aggregation)
            hosts[p->peer_node]++;
    }
    return hosts;
}

static int by_number(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x;
    uint32_t b = *(const uint32_t *)y;

    return (a > b) - (a < b);
}

/* Most switches with hosts have at least four times fewer than this: the median. */
static int usual_hosts(const struct topo *t, const uint32_t *hosts, uint32_t *ret)
{
    uint32_t *counts = malloc(((size_t)t->node_count + 1) * sizeof(*counts));
    uint32_t used = 0;

    if (!counts)
        return WEFT_ERR_NOMEM;
    for (uint32_t i = 0; i < t->node_count; i++)
        if (is_switch(t, i) && hosts[i] > 0)
            counts[used++] = hosts[i];
    qsort(counts, used, sizeof(*counts), by_number);
    *ret = used > 0 ? counts[used / 2] : 0;
    free(counts);
    return 0;
}

static bool few_hosts(uint32_t hosts, uint32_t usual)
{
    return (uint64_t)hosts * 4 < usual;
}

/* A switch with a few hosts (the management's, say) at a leaf's other end is a spine. */
static bool is_leaf(const struct topo *t, const uint32_t *hosts, uint32_t usual, uint32_t node)
{
    const struct topo_node *n = &t->nodes[node];

    if (n->type != TOPO_SWITCH || hosts[node] == 0)
        return false;
    for (uint32_t i = n->first_port; i < n->first_port + n->port_count; i++) {
        uint32_t peer = t->ports[i].peer_node;

        if (few_hosts(hosts[node], usual) && t->ports[i].peer_port != TOPO_NONE &&
            is_switch(t, peer) && hosts[peer] > 0 && !few_hosts(hosts[peer], usual))
            return false;
    }
    return true;
}

static void spread(const struct topo *t, uint32_t *queue, uint32_t tail, uint16_t *level)
{
    for (uint32_t head = 0; head < tail; head++) {
        const struct topo_node *n = &t->nodes[queue[head]];
        uint16_t here = level[queue[head]];

        for (uint32_t i = n->first_port; i < n->first_port + n->port_count; i++) {
            uint32_t peer = t->ports[i].peer_node;

            if (t->ports[i].peer_port == TOPO_NONE || !is_switch(t, peer) ||
                level[peer] != TOPO_LEVEL_NONE)
                continue;
            /* A chain longer than the type is no fabric; its end then counts as this far. */
            level[peer] = here < TOPO_LEVEL_NONE - 1 ? here + 1 : here;
            queue[tail++] = peer;
        }
    }
}

int topo_levels(const struct topo *t, const uint32_t *hosts, uint16_t *ret_level)
{
    uint32_t *queue = malloc(((size_t)t->node_count + 1) * sizeof(*queue));
    uint32_t tail = 0;
    uint32_t usual;

    if (!queue || usual_hosts(t, hosts, &usual) != 0) {
        free(queue);
        return WEFT_ERR_NOMEM;
    }
    for (uint32_t i = 0; i < t->node_count; i++) {
        ret_level[i] = TOPO_LEVEL_NONE;
        if (is_leaf(t, hosts, usual, i)) {
            ret_level[i] = 0;
            queue[tail++] = i;
        }
    }
    spread(t, queue, tail, ret_level);
    free(queue);
    return 0;
}

static uint32_t part_of(struct building *b, uint32_t node)
{
    struct part *parts = b->parts;

    while (parts[node].above != node) {
        parts[node].above = parts[parts[node].above].above;
        node = parts[node].above;
    }
    return node;
}

static uint32_t add_place(struct building *b, enum topo_place_kind kind, uint32_t node)
{
    uint32_t index = b->tree->place_count++;

    b->tree->places[index] = (struct topo_place){
        .kind = kind, .node = node, .parent = TOPO_NONE, .child = TOPO_NONE, .next = TOPO_NONE};
    return index;
}

static void put_place(struct building *b, struct part *part, uint32_t place)
{
    if (part->first == TOPO_NONE)
        part->first = place;
    else
        b->tree->places[part->last].next = place;
    part->last = place;
    part->count++;
}

static void join(struct building *b, uint32_t x, uint32_t y)
{
    struct part *into = &b->parts[part_of(b, x)];
    struct part *from = &b->parts[part_of(b, y)];

    if (into == from)
        return;
    from->above = into->above;
    if (from->first == TOPO_NONE)
        return;
    if (into->first == TOPO_NONE)
        into->first = from->first;
    else
        b->tree->places[into->last].next = from->first;
    into->last = from->last;
    into->count += from->count;
}

/* Puts one place above all places of a part. */
static void cover(struct building *b, struct part *part, enum topo_place_kind kind, uint32_t node)
{
    struct topo_place *places = b->tree->places;
    uint32_t above = add_place(b, kind, node);

    places[above].child = part->first;
    for (uint32_t i = part->first; i != TOPO_NONE; i = places[i].next)
        places[i].parent = above;
    part->first = above;
    part->last = above;
    part->count = 1;
}

/* Joins a switch with its neighbours of its own level and below. Of level 0 that is done last. */
static void join_neighbours(struct building *b, uint32_t node)
{
    const struct topo_node *n = &b->t->nodes[node];

    for (uint32_t i = n->first_port; i < n->first_port + n->port_count; i++) {
        uint32_t peer = b->t->ports[i].peer_node;

        if (b->t->ports[i].peer_port != TOPO_NONE && is_switch(b->t, peer) &&
            b->tree->level[peer] <= b->tree->level[node])
            join(b, node, peer);
    }
}

/* Whether a place stands for switches of this one's level. */
static bool is_above(const struct building *b, uint32_t place, uint32_t node)
{
    const struct topo_place *p = &b->tree->places[place];

    return p->kind == TOPO_PLACE_GROUP && b->tree->level[p->node] == b->tree->level[node];
}

/* Above two places there is a place; above one there need not be. */
static void cover_level(struct building *b, const uint32_t *switches, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct part *part = &b->parts[part_of(b, switches[i])];

        if (part->count > 1)
            cover(b, part, TOPO_PLACE_GROUP, switches[i]);
        if (is_above(b, part->first, switches[i]))
            b->tree->group[switches[i]] = part->first;
    }
}

static void build_level(struct building *b, const uint32_t *switches, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        join_neighbours(b, switches[i]);
    cover_level(b, switches, count);
}

static int by_level(const void *x, const void *y, void *levels)
{
    const uint16_t *level = levels;
    uint32_t a = *(const uint32_t *)x;
    uint32_t b = *(const uint32_t *)y;

    if (level[a] != level[b])
        return level[a] < level[b] ? -1 : 1;
    return (a > b) - (a < b);
}

/* The switches by their level, the lowest first. */
static uint32_t sort_by_level(const struct building *b, uint32_t *order)
{
    uint32_t used = 0;

    for (uint32_t i = 0; i < b->t->node_count; i++)
        if (b->tree->level[i] != TOPO_LEVEL_NONE)
            order[used++] = i;
    qsort_r(order, used, sizeof(*order), by_level, b->tree->level);
    return used;
}

static void start_parts(struct building *b)
{
    for (uint32_t i = 0; i < b->t->node_count; i++) {
        b->parts[i] = (struct part){.above = i, .first = TOPO_NONE, .last = TOPO_NONE};
        b->tree->group[i] = TOPO_NONE;
        if (b->tree->level[i] == TOPO_LEVEL_NONE || b->hosts[i] == 0)
            continue;
        put_place(b, &b->parts[i],
                  add_place(b, b->tree->level[i] == 0 ? TOPO_PLACE_LEAF : TOPO_PLACE_BESIDE, i));
    }
}

static void build(struct building *b, const uint32_t *order, uint32_t count)
{
    const uint16_t *level = b->tree->level;
    uint32_t leaves = 0;
    uint32_t end;

    start_parts(b);
    while (leaves < count && level[order[leaves]] == 0)
        leaves++;
    for (uint32_t i = leaves; i < count; i = end) {
        for (end = i; end < count && level[order[end]] == level[order[i]]; end++)
            continue;
        build_level(b, order + i, end - i);
    }
    for (uint32_t i = 0; i < leaves; i++)
        join_neighbours(b, order[i]);
    for (uint32_t i = 0; i < leaves; i++) {
        struct part *part = &b->parts[part_of(b, order[i])];

        if (part->count > 1)
            cover(b, part, TOPO_PLACE_ACROSS, TOPO_NONE);
    }
}

int topo_tree_build(const struct topo *t, const uint32_t *hosts, struct topo_tree *ret)
{
    struct building b = {.t = t, .hosts = hosts, .tree = ret};
    size_t nodes = (size_t)t->node_count + 1;
    uint32_t *order = malloc(nodes * sizeof(*order));
    int err = WEFT_ERR_NOMEM;

    ret->level = malloc(nodes * sizeof(*ret->level));
    ret->group = malloc(nodes * sizeof(*ret->group));
    /* Every place above others has two of them at least. */
    ret->places = malloc(2 * nodes * sizeof(*ret->places));
    ret->place_count = 0;
    b.parts = malloc(nodes * sizeof(*b.parts));
    if (order && ret->level && ret->group && ret->places && b.parts)
        err = topo_levels(t, hosts, ret->level);
    if (err == 0)
        build(&b, order, sort_by_level(&b, order));
    free(order);
    free(b.parts);
    return err;
}

void topo_tree_clear(struct topo_tree *tree)
{
    free(tree->level);
    free(tree->group);
    free(tree->places);
    *tree = (struct topo_tree){0};
}
