/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* LIDs and shortest routes without an SM.
 *
 * For each switch a search finds how far all others are from it; towards it, and the hosts at it,
 * every switch uses those of its ports that lead nearer, in turn. So the hosts of one leaf are
 * spread over all its ways in, and each way of a switch gets its share. */
#include "fabric/routes.h"

#include "fabric/link.h"
#include "topology/topology.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define UNREACHED UINT16_MAX

/* A port of a switch that leads to another one. */
struct way {
    uint32_t to; /* index in fabric.switches */
    uint8_t port;
};

/* A LID that ends at a switch: its own, or that of what is plugged into it. */
struct target {
    uint16_t lid;
    uint8_t port;
};

/* With the highest LMC at every port. */
#define TARGETS_MAX ((TOPO_PORT_NUM_MAX + 1) * 128)

struct plan {
    struct fabric *f;
    struct way *ways;    /* by switch */
    uint32_t *first_way; /* of each switch, and the end */
    uint32_t way_count, target_count;
    struct target *targets; /* of the switch in hand */
    uint32_t *queue;        /* of the search: switches */
    uint16_t *hops;         /* from the switch in hand */
    uint32_t *turn;         /* which of its ways each switch takes next */
    uint8_t *used;          /* by LID: taken */
    uint16_t top;           /* the highest LID */
};

static bool has_lid_of_its_own(const struct fabric *f, const struct port *p)
{
    return node_is_switch(port_node(f, p)) ? p->number == 0 : p->peer != FABRIC_NONE;
}

/* Takes 2^LMC LIDs; false when one is taken already or too high. */
static bool claim(struct plan *p, uint32_t lid, uint32_t count)
{
    if (lid + count > p->f->config.lft_cap || lid + count - 1 > TOPO_LID_UNICAST_MAX)
        return false;
    for (uint32_t i = lid; i < lid + count; i++)
        if (p->used[i])
            return false;
    memset(p->used + lid, 1, count);
    if (lid + count - 1 > p->top)
        p->top = (uint16_t)(lid + count - 1);
    return true;
}

static int claim_given_lids(struct plan *p, struct fabric_error *error)
{
    struct fabric *f = p->f;

    for (uint32_t i = 0; i < f->port_count; i++) {
        const struct port *port = &f->ports[i];
        uint16_t lid = port_lid(port);

        if (lid == 0 || claim(p, lid, UINT32_C(1) << port_lmc(port)))
            continue;
        snprintf(error->text, sizeof(error->text),
                 "LID %u of node 0x%016" PRIx64
                 " is another node's too or beyond the switches' tables; leave out the LIDs of the "
                 "topology",
                 lid, port_node(f, port)->guid);
        return WEFT_ERR_INVALID;
    }
    return 0;
}

static int give_lids(struct plan *p, struct fabric_error *error)
{
    struct fabric *f = p->f;
    uint32_t lid = 1;

    for (uint32_t i = 0; i < f->port_count; i++) {
        struct port *port = &f->ports[i];

        if (!has_lid_of_its_own(f, port) || port_lid(port) != 0)
            continue;
        while (lid < f->config.lft_cap && p->used[lid])
            lid++;
        if (!claim(p, lid, 1)) {
            snprintf(error->text, sizeof(error->text),
                     "the topology has more ports than there are LIDs (%u)",
                     f->config.lft_cap - 1U);
            return WEFT_ERR_FULL;
        }
        wire_set(WIRE_PORT_INFO_LID, port->info, lid);
    }
    return 0;
}

static bool is_up(const struct port *p)
{
    return p->peer != FABRIC_NONE && port_get_physical(p) == PORT_PHYSICAL_LINK_UP;
}

static void find_ways(struct plan *p)
{
    struct fabric *f = p->f;

    for (uint32_t s = 0; s < f->switch_count; s++) {
        const struct node *n = &f->nodes[f->switches[s].node];

        p->first_way[s] = p->way_count;
        for (uint32_t number = 1; number <= n->ports; number++) {
            const struct port *port = node_port(f, n, (uint8_t)number);
            const struct node *peer;

            if (!is_up(port))
                continue;
            peer = port_node(f, &f->ports[port->peer]);
            if (node_is_switch(peer) && peer != n)
                p->ways[p->way_count++] = (struct way){peer->switch_index, (uint8_t)number};
        }
    }
    p->first_way[f->switch_count] = p->way_count;
}

static void add_targets(struct plan *p, const struct port *owner, uint8_t port)
{
    uint32_t count = UINT32_C(1) << port_lmc(owner);

    for (uint32_t i = 0; i < count; i++)
        p->targets[p->target_count++] = (struct target){(uint16_t)(port_lid(owner) + i), port};
}

/* All LIDs that end at a switch. */
static void find_targets(struct plan *p, uint32_t at)
{
    struct fabric *f = p->f;
    const struct node *n = &f->nodes[f->switches[at].node];

    p->target_count = 0;
    add_targets(p, node_port(f, n, 0), 0);
    for (uint32_t number = 1; number <= n->ports; number++) {
        const struct port *port = node_port(f, n, (uint8_t)number);
        const struct port *peer;

        if (!is_up(port))
            continue;
        peer = &f->ports[port->peer];
        if (!node_is_switch(port_node(f, peer)))
            add_targets(p, peer, (uint8_t)number);
    }
}

static void set_route(struct switch_state *s, uint16_t lid, uint8_t port)
{
    s->lft[lid] = (uint8_t)~port;
}

/* Sends the targets, one after the other, out of the ports that lead nearer to their switch. */
static void route_from(struct plan *p, uint32_t from)
{
    uint8_t nearer[TOPO_PORT_NUM_MAX];
    uint32_t count = 0, turn;

    for (uint32_t i = p->first_way[from]; i < p->first_way[from + 1]; i++)
        if (p->hops[p->ways[i].to] + 1 == p->hops[from])
            nearer[count++] = p->ways[i].port;
    WEFT_ASSERT(count > 0); /* the search has come here by one of them */
    turn = p->turn[from] % count;
    for (uint32_t i = 0; i < p->target_count; i++) {
        set_route(&p->f->switches[from], p->targets[i].lid, nearer[turn]);
        turn = turn + 1 < count ? turn + 1 : 0;
    }
    p->turn[from] += p->target_count;
}

/* Routes from everywhere to what ends at one switch. */
static void route_to(struct plan *p, uint32_t at)
{
    uint32_t head = 0, tail = 0;

    find_targets(p, at);
    for (uint32_t i = 0; i < p->target_count; i++)
        set_route(&p->f->switches[at], p->targets[i].lid, p->targets[i].port);
    memset(p->hops, 0xFF, p->f->switch_count * sizeof(*p->hops));
    p->hops[at] = 0;
    p->queue[tail++] = at;
    while (head < tail) {
        uint32_t from = p->queue[head++];

        if (from != at)
            route_from(p, from);
        for (uint32_t i = p->first_way[from]; i < p->first_way[from + 1]; i++) {
            uint32_t to = p->ways[i].to;

            if (p->hops[to] != UNREACHED)
                continue;
            p->hops[to] = (uint16_t)(p->hops[from] + 1);
            p->queue[tail++] = to;
        }
    }
}

static void activate(struct plan *p)
{
    struct fabric *f = p->f;

    for (uint32_t i = 0; i < f->port_count; i++)
        if (is_up(&f->ports[i]))
            link_begin_active(f, &f->ports[i]);
    for (uint32_t s = 0; s < f->switch_count; s++)
        wire_set(WIRE_SWITCH_INFO_LINEAR_FDB_TOP, f->switches[s].info, p->top);
}

static bool take_plan(struct plan *p)
{
    struct fabric *f = p->f;

    p->ways = fabric_take(f, f->port_count, sizeof(*p->ways));
    p->first_way = fabric_take(f, f->switch_count + 1, sizeof(*p->first_way));
    p->targets = fabric_take(f, TARGETS_MAX, sizeof(*p->targets));
    p->queue = fabric_take(f, f->switch_count, sizeof(*p->queue));
    p->hops = fabric_take(f, f->switch_count, sizeof(*p->hops));
    p->turn = fabric_take(f, f->switch_count, sizeof(*p->turn));
    p->used = fabric_take(f, TOPO_LID_UNICAST_MAX + 1, sizeof(*p->used));
    return p->ways && p->first_way && p->targets && p->queue && p->hops && p->turn && p->used;
}

static void give_plan(struct plan *p)
{
    struct fabric *f = p->f;

    fabric_give(f, p->ways, f->port_count, sizeof(*p->ways));
    fabric_give(f, p->first_way, f->switch_count + 1, sizeof(*p->first_way));
    fabric_give(f, p->targets, TARGETS_MAX, sizeof(*p->targets));
    fabric_give(f, p->queue, f->switch_count, sizeof(*p->queue));
    fabric_give(f, p->hops, f->switch_count, sizeof(*p->hops));
    fabric_give(f, p->turn, f->switch_count, sizeof(*p->turn));
    fabric_give(f, p->used, TOPO_LID_UNICAST_MAX + 1, sizeof(*p->used));
}

int routes_set_up(struct fabric *f, struct fabric_error *error)
{
    struct plan p = {.f = f};
    int err = 0;

    if (!take_plan(&p)) {
        snprintf(error->text, sizeof(error->text), "not enough memory for the routes");
        err = WEFT_ERR_NOMEM;
    }
    if (err == 0)
        err = claim_given_lids(&p, error);
    if (err == 0)
        err = give_lids(&p, error);
    if (err == 0) {
        find_ways(&p);
        for (uint32_t s = 0; s < f->switch_count; s++)
            route_to(&p, s);
        activate(&p);
    }
    give_plan(&p);
    return err;
}
