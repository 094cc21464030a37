/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Collects nodes and port lines and makes the topology of them. */
#include "topology/builder.h"

#include "topology/findings.h"
#include "topology/match.h"
#include "topology/sort.h"

#include <stdlib.h>
#include <string.h>

struct topo_builder {
    struct topo *t;
    struct topo_identities identities;
    uint32_t node_space;
    uint32_t *order; /* the nodes as they will be numbered: declared ones in their order, others */
    uint32_t declared_count;
    struct topo_ends ends;
    size_t ignored_space;
    int error;
};

struct topo_builder *topo_builder_new(void)
{
    struct topo_builder *b = calloc(1, sizeof(*b));

    if (!b)
        return NULL;
    b->t = calloc(1, sizeof(*b->t));
    if (!b->t)
        return topo_builder_free(b);
    return b;
}

struct topo_builder *topo_builder_free(struct topo_builder *b)
{
    if (!b)
        return NULL;
    topo_identities_free(&b->identities);
    free(b->order);
    topo_ends_free(&b->ends);
    topo_free(b->t);
    free(b);
    return NULL;
}

void topo_builder_fail(struct topo_builder *b, int err)
{
    if (b->error == 0)
        b->error = err;
}

int topo_builder_error(const struct topo_builder *b)
{
    return b->error;
}

uint32_t topo_builder_count(const struct topo_builder *b)
{
    return b->t->node_count;
}

struct topo_findings *topo_builder_findings(struct topo_builder *b)
{
    return &b->t->findings;
}

struct topo_node *topo_builder_at(struct topo_builder *b, uint32_t node)
{
    return &b->t->nodes[node];
}

static void identify(struct topo_builder *b, uint32_t node, const struct topo_ref *ref)
{
    if (topo_identities_add(&b->identities, ref, node) != 0)
        topo_builder_fail(b, WEFT_ERR_NOMEM);
}

/* Returns false, and the builder has failed: there is no memory. */
static bool make_node_room(struct topo_builder *b, uint32_t space)
{
    struct topo_node *nodes;
    uint32_t *order;

    if (space <= b->node_space)
        return true;
    nodes = realloc(b->t->nodes, space * sizeof(*nodes));
    if (nodes)
        b->t->nodes = nodes;
    order = realloc(b->order, space * sizeof(*order));
    if (order)
        b->order = order;
    if (!nodes || !order) {
        topo_builder_fail(b, WEFT_ERR_NOMEM);
        return false;
    }
    b->node_space = space;
    return true;
}

void topo_builder_reserve(struct topo_builder *b, uint32_t nodes, uint32_t ends)
{
    if (nodes > TOPO_NODES_MAX)
        nodes = TOPO_NODES_MAX;
    if (ends > TOPO_PORTS_MAX)
        ends = TOPO_PORTS_MAX;
    if (b->error == 0 && make_node_room(b, nodes))
        topo_builder_fail(b, topo_ends_reserve(&b->ends, ends));
}

/* Returns the node's number, or TOPO_NONE, and the builder has failed. */
static uint32_t add_node(struct topo_builder *b, const struct topo_node *n)
{
    uint32_t node = b->t->node_count;

    if (node >= TOPO_NODES_MAX) {
        topo_builder_fail(b, WEFT_ERR_FULL);
        return TOPO_NONE;
    }
    if (node == b->node_space && !make_node_room(b, node == 0 ? 64 : node * 2))
        return TOPO_NONE;
    b->t->nodes[node] = *n;
    b->t->node_count++;
    return node;
}

uint32_t topo_builder_append(struct topo_builder *b, uint64_t guid, enum topo_node_type type)
{
    uint32_t node = TOPO_NONE;

    if (b->error == 0)
        node = add_node(b, &(struct topo_node){.guid = guid, .type = type});
    if (node != TOPO_NONE)
        topo_builder_declare(b, node);
    return node;
}

uint32_t topo_builder_node(struct topo_builder *b, const struct topo_ref *ref)
{
    uint32_t node;
    char *id = NULL;

    if (b->error != 0)
        return TOPO_NONE;
    node = topo_identities_find(&b->identities, ref);
    if (node != TOPO_NONE)
        return node;
    if (ref->guid == 0) {
        id = strndup(ref->id, ref->id_length);
        if (!id) {
            topo_builder_fail(b, WEFT_ERR_NOMEM);
            return TOPO_NONE;
        }
    }
    node = add_node(b, &(struct topo_node){.guid = ref->guid, .id = id, .type = ref->type});
    if (node == TOPO_NONE)
        free(id);
    else
        identify(b, node, ref);
    return b->error == 0 ? node : TOPO_NONE;
}

void topo_builder_declare(struct topo_builder *b, uint32_t node)
{
    if (b->t->nodes[node].declared)
        return;
    b->t->nodes[node].declared = true;
    b->order[b->declared_count++] = node;
}

uint32_t topo_builder_set_guid(struct topo_builder *b, uint32_t node, uint64_t guid)
{
    const struct topo_ref ref = {.guid = guid};
    uint32_t other = topo_identities_find(&b->identities, &ref);

    if (other != TOPO_NONE)
        return other == node ? TOPO_NONE : other;
    b->t->nodes[node].guid = guid;
    identify(b, node, &ref);
    return TOPO_NONE;
}

void topo_builder_claim(struct topo_builder *b, const struct topo_claim *claim)
{
    if (b->error != 0)
        return;
    if (b->ends.count >= TOPO_PORTS_MAX)
        topo_builder_fail(b, WEFT_ERR_FULL);
    else if (b->ends.count == b->ends.space)
        topo_builder_fail(
            b, topo_ends_reserve(&b->ends, b->ends.space == 0 ? 256 : b->ends.space * 2));
    if (b->error == 0)
        topo_ends_add(&b->ends, claim);
}

void topo_builder_ignore(struct topo_builder *b, uint32_t line, const char *text, size_t length)
{
    struct topo *t = b->t;
    struct topo_ignored *record;

    t->ignored_count++;
    if (b->error != 0 || t->ignored_kept >= TOPO_IGNORED_KEPT_MAX)
        return;
    if (t->ignored_kept == b->ignored_space) {
        size_t space = b->ignored_space == 0 ? 64 : b->ignored_space * 2;
        struct topo_ignored *records = realloc(t->ignored, space * sizeof(*records));

        if (!records) {
            topo_builder_fail(b, WEFT_ERR_NOMEM);
            return;
        }
        t->ignored = records;
        b->ignored_space = space;
    }
    record = &t->ignored[t->ignored_kept++];
    record->line = line;
    if (length >= sizeof(record->text))
        length = sizeof(record->text) - 1;
    memcpy(record->text, text, length);
    record->text[length] = '\0';
}

static int identity_order(const void *a, const void *b, void *nodes)
{
    const struct topo_node *x = &((const struct topo_node *)nodes)[*(const uint32_t *)a];
    const struct topo_node *y = &((const struct topo_node *)nodes)[*(const uint32_t *)b];

    if (x->guid != y->guid)
        return x->guid < y->guid ? -1 : 1;
    return strcmp(x->id ? x->id : "", y->id ? y->id : "");
}

/* The numbers of the nodes: those declared, in their order; then the others, sorted, so that their
 * order does not depend on who mentions them first.
 * Returns whether these are the numbers they have. */
static bool complete_order(struct topo_builder *b)
{
    uint32_t count = b->declared_count;
    uint32_t same = 0;

    for (uint32_t i = 0; i < b->t->node_count; i++)
        if (!b->t->nodes[i].declared)
            b->order[count++] = i;
    if (count > b->declared_count)
        qsort_r(b->order + b->declared_count, count - b->declared_count, sizeof(*b->order),
                identity_order, b->t->nodes);
    while (same < count && b->order[same] == same)
        same++;
    return same == count;
}

/* Gives the nodes the numbers they will have, and tells the ends. */
static int order_nodes(struct topo_builder *b)
{
    struct topo *t = b->t;
    uint32_t *place;
    struct topo_node *nodes;

    if (complete_order(b))
        return 0;
    place = malloc(t->node_count * sizeof(*place));
    nodes = malloc(t->node_count * sizeof(*nodes));
    if (!place || !nodes) {
        free(place);
        free(nodes);
        return WEFT_ERR_NOMEM;
    }
    for (uint32_t i = 0; i < t->node_count; i++) {
        place[b->order[i]] = i;
        nodes[i] = t->nodes[b->order[i]];
    }
    for (uint32_t i = 0; i < b->ends.count; i++) {
        b->ends.ports[i].node = place[b->ends.ports[i].node];
        b->ends.ports[i].peer_node = place[b->ends.ports[i].peer_node];
    }
    free(t->nodes);
    t->nodes = nodes;
    free(place);
    return 0;
}

static int sort_by_guid(struct topo *t)
{
    struct topo_key *keys = malloc((t->node_count + 1) * sizeof(*keys));
    uint32_t count = 0;
    int err;

    if (!keys)
        return WEFT_ERR_NOMEM;
    for (uint32_t i = 0; i < t->node_count; i++)
        if (t->nodes[i].guid != 0)
            keys[count++] = (struct topo_key){.key = t->nodes[i].guid, .index = i};
    err = topo_sort(keys, count);
    for (uint32_t i = 0; i < count; i++)
        t->by_guid[i] = keys[i].index;
    t->by_guid_count = count;
    free(keys);
    return err;
}

static int list_nodes(struct topo *t)
{
    t->hosts = malloc((t->node_count + 1) * sizeof(*t->hosts));
    t->by_guid = malloc((t->node_count + 1) * sizeof(*t->by_guid));
    if (!t->hosts || !t->by_guid)
        return WEFT_ERR_NOMEM;
    for (uint32_t i = 0; i < t->node_count; i++) {
        const struct topo_node *n = &t->nodes[i];

        if (n->type == TOPO_CA && !n->aggregation)
            t->hosts[t->host_count++] = i;
        if (!n->declared)
            continue;
        t->switch_count += n->type == TOPO_SWITCH;
        t->ca_count += n->type == TOPO_CA;
        t->router_count += n->type == TOPO_ROUTER;
    }
    return sort_by_guid(t);
}

int topo_builder_finish(struct topo_builder *b, struct topo **ret)
{
    if (b->error == 0)
        b->error = order_nodes(b);
    if (b->error == 0)
        b->error = topo_match_ends(b->t, &b->ends);
    if (b->error == 0)
        b->error = list_nodes(b->t);
    if (b->error != 0)
        return b->error;
    topo_findings_sort(&b->t->findings);
    *ret = b->t;
    b->t = NULL;
    return 0;
}
