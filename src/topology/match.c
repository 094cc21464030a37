/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Matches the two ends of every cable, fills in ends that no line describes, and notes lines that
 * exclude each other. */
#include "topology/match.h"

#include "topology/findings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A list of ends while it is sorted and completed. */
struct ends {
    struct topo_claim *items;
    uint32_t count;
    uint32_t *first; /* per node: its first item; one more closes the last node */
};

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Node, port number and place in the input as one number: sorting these is stable and moves 8
 * bytes an item. */
static uint64_t sort_key(const struct topo_claim *c, uint32_t place)
{
    return (uint64_t)c->port.node << 40 | (uint64_t)c->port.num << 32 | place;
}

_Static_assert(TOPO_NODES_MAX < 1 << 24, "a node's number fits into its part of sort_key()");

static bool same_port(const struct topo_claim *a, const struct topo_claim *b)
{
    return a->port.node == b->port.node && a->port.num == b->port.num;
}

static int report_second_line(struct topo *t, const struct topo_claim *held,
                              const struct topo_claim *other)
{
    char node[TOPO_LABEL_BYTES];
    char first[TOPO_LABEL_BYTES];
    char second[TOPO_LABEL_BYTES];

    topo_node_label(&t->nodes[held->port.node], node);
    topo_node_label(&t->nodes[held->port.peer_node], first);
    topo_node_label(&t->nodes[other->port.peer_node], second);
    return topo_findings_add(&t->findings, other->port.line, TOPO_CONTRADICTING_LINK,
                             "port %u of %s is cabled to port %u of %s here, but to port %u of %s "
                             "in line %" PRIu32,
                             held->port.num, node, other->port.peer_num, second,
                             held->port.peer_num, first, held->port.line);
}

/* Sorts by node and port number. Of several lines for one port the first holds; a line that says
 * otherwise becomes a finding, an implied end that is not needed just goes. */
static int sort_ends(struct topo *t, struct ends *e)
{
    uint64_t *keys = malloc(((size_t)e->count + 1) * sizeof(*keys));
    struct topo_claim *sorted = malloc(((size_t)e->count + 1) * sizeof(*sorted));
    uint32_t kept = 0;
    int err = 0;

    if (!keys || !sorted) {
        free(keys);
        free(sorted);
        return WEFT_ERR_NOMEM;
    }
    for (uint32_t i = 0; i < e->count; i++)
        keys[i] = sort_key(&e->items[i], i);
    qsort(keys, e->count, sizeof(*keys), by_value);
    for (uint32_t i = 0; i < e->count && err == 0; i++) {
        const struct topo_claim *c = &e->items[(uint32_t)keys[i]];
        const struct topo_claim *held = kept == 0 ? NULL : &sorted[kept - 1];

        if (!held || !same_port(held, c))
            sorted[kept++] = *c;
        else if (!c->port.implied && (held->port.peer_node != c->port.peer_node ||
                                      held->port.peer_num != c->port.peer_num))
            err = report_second_line(t, held, c);
    }
    free(keys);
    free(e->items);
    e->items = sorted;
    e->count = kept;
    return err;
}

static void index_ends(const struct topo *t, struct ends *e)
{
    uint32_t next = 0;

    for (uint32_t node = 0; node <= t->node_count; node++) {
        while (next < e->count && e->items[next].port.node < node)
            next++;
        e->first[node] = next;
    }
}

static struct topo_claim *find_end(const struct ends *e, uint32_t node, uint8_t num)
{
    uint32_t low = e->first[node];
    uint32_t high = e->first[node + 1];

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (e->items[middle].port.num < num)
            low = middle + 1;
        else
            high = middle;
    }
    return low < e->first[node + 1] && e->items[low].port.num == num ? &e->items[low] : NULL;
}

/* Appends the other end of every cable of which only one end has a line. */
static int add_implied(const struct topo *t, struct ends *e)
{
    uint32_t given = e->count;
    struct topo_claim *items = realloc(e->items, ((size_t)given * 2 + 1) * sizeof(*items));

    if (!items)
        return WEFT_ERR_NOMEM;
    e->items = items;
    for (uint32_t i = 0; i < given; i++) {
        const struct topo_port *p = &items[i].port;
        struct topo_claim other = {.port = {.guid = items[i].peer_guid,
                                            .node = p->peer_node,
                                            .peer_node = p->node,
                                            .line = p->line,
                                            .num = p->peer_num,
                                            .peer_num = p->num,
                                            .implied = true}};

        if (find_end(e, p->peer_node, p->peer_num))
            continue;
        if (t->nodes[p->peer_node].type != TOPO_SWITCH)
            other.port.lid = p->peer_lid;
        items[e->count++] = other;
    }
    return 0;
}

static int report_odd_end(struct topo *t, const struct topo_port *p, const struct topo_port *other)
{
    char node[TOPO_LABEL_BYTES];
    char peer[TOPO_LABEL_BYTES];
    char third[TOPO_LABEL_BYTES];

    topo_node_label(&t->nodes[p->node], node);
    topo_node_label(&t->nodes[p->peer_node], peer);
    topo_node_label(&t->nodes[other->peer_node], third);
    return topo_findings_add(&t->findings, p->line, TOPO_CONTRADICTING_LINK,
                             "port %u of %s is cabled to port %u of %s here, but line %" PRIu32
                             " cables that one to port %u of %s",
                             p->num, node, p->peer_num, peer, other->line, other->peer_num, third);
}

/* A port's GUID may stand in its own line, in the other end's, or in both. */
static int take_port_guid(struct topo *t, const struct topo_claim *c, struct topo_port *peer)
{
    char label[TOPO_LABEL_BYTES];

    if (peer->guid == 0)
        peer->guid = c->peer_guid;
    if (c->peer_guid == 0 || c->peer_guid == peer->guid)
        return 0;
    topo_node_label(&t->nodes[peer->node], label);
    return topo_findings_add(&t->findings, c->port.line, TOPO_GUID_MISMATCH,
                             "port %u of %s has the port GUID %016" PRIx64 " here, but %016" PRIx64
                             " in line %" PRIu32,
                             peer->num, label, c->peer_guid, peer->guid, peer->line);
}

static int match_end(struct topo *t, struct ends *e, uint32_t i)
{
    struct topo_port *p = &e->items[i].port;
    struct topo_claim *other = find_end(e, p->peer_node, p->peer_num);

    if (other->port.peer_node == p->node && other->port.peer_num == p->num) {
        p->peer_port = (uint32_t)(other - e->items);
        t->link_count += p->peer_port >= i;
        return take_port_guid(t, &e->items[i], &other->port);
    }
    p->peer_port = TOPO_NONE;
    return report_odd_end(t, p, &other->port);
}

static int store_ports(struct topo *t, const struct ends *e)
{
    t->ports = calloc((size_t)e->count + 1, sizeof(*t->ports));
    if (!t->ports)
        return WEFT_ERR_NOMEM;
    t->port_count = e->count;
    for (uint32_t i = 0; i < e->count; i++)
        t->ports[i] = e->items[i].port;
    for (uint32_t i = 0; i < t->node_count; i++) {
        struct topo_node *n = &t->nodes[i];

        n->first_port = e->first[i];
        n->port_count = (uint16_t)(e->first[i + 1] - e->first[i]);
        if (n->num_ports == 0 && n->port_count > 0)
            n->num_ports = t->ports[n->first_port + n->port_count - 1].num;
        /* The LID of a switch without stanza stands in its neighbours' lines. */
        for (uint32_t p = e->first[i]; p < e->first[i + 1]; p++)
            if (!n->declared && n->type == TOPO_SWITCH && n->lid == 0)
                n->lid = t->ports[t->ports[p].peer_port].peer_lid;
    }
    return 0;
}

/* Forgets nodes that only lines without effect mention. Without a stanza and without a port nothing
 * refers to them. */
static void drop_unseen(struct topo *t, uint32_t *place)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < t->node_count; i++) {
        place[i] = kept;
        if (t->nodes[i].declared || t->nodes[i].port_count > 0)
            t->nodes[kept++] = t->nodes[i];
        else
            free((char *)(uintptr_t)t->nodes[i].id);
    }
    t->node_count = kept;
    for (uint32_t i = 0; i < t->port_count; i++) {
        t->ports[i].node = place[t->ports[i].node];
        t->ports[i].peer_node = place[t->ports[i].peer_node];
    }
}

int topo_match_ends(struct topo *t, const struct topo_claim *claims, uint32_t count)
{
    struct ends e = {.count = count};
    int err = WEFT_ERR_NOMEM;

    e.items = malloc(((size_t)count + 1) * sizeof(*e.items));
    e.first = calloc((size_t)t->node_count + 2, sizeof(*e.first));
    if (!e.items || !e.first)
        goto out;
    if (count > 0)
        memcpy(e.items, claims, count * sizeof(*claims));
    err = sort_ends(t, &e);
    if (err != 0)
        goto out;
    index_ends(t, &e);
    err = add_implied(t, &e);
    if (err == 0)
        err = sort_ends(t, &e);
    if (err != 0)
        goto out;
    index_ends(t, &e);
    for (uint32_t i = 0; i < e.count && err == 0; i++)
        err = match_end(t, &e, i);
    if (err == 0)
        err = store_ports(t, &e);
    if (err == 0)
        drop_unseen(t, e.first);
out:
    free(e.items);
    free(e.first);
    return err;
}
