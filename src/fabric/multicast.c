/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Multicast by MFT: a walk over the tree of copies. Tables that make a loop would let copies grow
 * without end, so both the depth of the walk and its steps are bounded. */
#include "fabric/multicast.h"

#include "core/base/pool.h"
#include "fabric/cable.h"
#include "fabric/counters.h"
#include "fabric/deliver.h"

#define POSITION_PORTS 16

/* What all copies of a packet may still cost. It is kept while one of them is under way on a cable,
 * or is being spread. The first two words are the pool's. */
struct spread {
    uint32_t link, generation;
    uint32_t holders; /* copies on cables, and walks */
    uint32_t steps;   /* links that may still be crossed */
};

struct spreads {
    struct pool pool;
    struct spread *slots;
    uint32_t count;
};

int multicast_new(struct fabric *f)
{
    struct spreads *s = fabric_take(f, 1, sizeof(*s));

    if (!s)
        return WEFT_ERR_NOMEM;
    f->spreads = s;
    /* A packet has 16 bits for the number. */
    s->count = f->config.flights < UINT16_MAX ? f->config.flights : UINT16_MAX;
    s->slots = fabric_take(f, s->count, sizeof(*s->slots));
    if (!s->slots)
        return WEFT_ERR_NOMEM;
    pool_init(&s->pool, s->slots, sizeof(*s->slots), s->count);
    return 0;
}

void multicast_free(struct fabric *f)
{
    struct spreads *s = f->spreads;

    if (!s)
        return;
    fabric_give(f, s->slots, s->count, sizeof(*s->slots));
    fabric_give(f, s, 1, sizeof(*s));
    f->spreads = NULL;
}

/* The multicast that a packet under way belongs to; NULL: it has not been spread yet. */
static struct spread *spread_of(const struct fabric *f, const struct packet *p)
{
    if (p->dlid < WEFT_LID_MULTICAST_FIRST || p->dlid == WEFT_LID_PERMISSIVE || p->pkey_index == 0)
        return NULL;
    return pool_at(&f->spreads->pool, p->pkey_index - 1U);
}

void multicast_flies(struct fabric *f, const struct packet *p)
{
    struct spread *spread = spread_of(f, p);

    if (spread)
        spread->holders++;
}

void multicast_landed(struct fabric *f, const struct packet *p)
{
    struct spread *spread = spread_of(f, p);

    if (spread && --spread->holders == 0)
        pool_give(&f->spreads->pool, spread);
}

/* Begins what is known of a multicast at the first switch that it comes to.
 * @return false: there is no room */
static bool begin(struct fabric *f, struct packet *p)
{
    struct spread *spread = pool_take(&f->spreads->pool);

    if (!spread)
        return false;
    spread->holders = 0;
    spread->steps = f->port_count;
    p->pkey_index = (uint16_t)(pool_slot(&f->spreads->pool, spread) + 1);
    return true;
}

/* A switch on the way to where the walk is. */
struct stop {
    struct port *at;
    uint16_t next; /* port that is looked at next */
    uint8_t hops;  /* links crossed until here */
};

struct walk {
    struct fabric *f;
    const struct packet *packet;
    struct stop stops[MULTICAST_DEPTH_MAX];
    uint32_t depth;
    struct spread *spread;
};

static bool is_member(const struct fabric *f, const struct node *n, uint16_t lid, uint16_t port)
{
    const struct switch_state *sw = node_switch(f, n);
    uint32_t row = (uint32_t)lid - WEFT_LID_MULTICAST_FIRST;
    uint32_t position = port / POSITION_PORTS;

    return row < f->config.mft_cap && position < sw->mft_positions &&
           (sw->mft[row * sw->mft_positions + position] >> port % POSITION_PORTS & 1) != 0;
}

static bool has_members(const struct fabric *f, const struct port *at, uint16_t lid)
{
    const struct node *n = port_node(f, at);

    for (uint16_t port = 0; port <= n->ports; port++) {
        if (port != at->number && is_member(f, n, lid, port))
            return true;
    }
    return false;
}

/* A copy has come to a switch: it is looked into next. */
static void push(struct walk *w, struct port *at, const struct packet *p)
{
    if (!has_members(w->f, at, p->dlid)) {
        counters_add(at, COUNTER_RCV_SWITCH_RELAY_ERRORS, 1);
        fabric_drop(w->f, at, p, DROP_NO_ROUTE);
        return;
    }
    if (w->depth == MULTICAST_DEPTH_MAX) {
        fabric_drop(w->f, at, p, DROP_LOOP);
        return;
    }
    w->stops[w->depth++] = (struct stop){.at = at, .hops = p->reserved};
}

/* One copy leaves a switch by one of its ports. */
static void copy(struct walk *w, struct port *out, uint8_t hops)
{
    struct packet p = *w->packet;
    struct waypoint *at;

    p.reserved = hops;
    if (out->number == 0) {
        deliver(w->f, out, &p);
        return;
    }
    if (w->spread->steps == 0) {
        fabric_drop(w->f, out, &p, DROP_LOOP);
        return;
    }
    w->spread->steps--;
    at = cable_cross(w->f, port_waypoint(w->f, out), &p);
    if (!at)
        return;
    if (waypoint_at_switch(at))
        push(w, waypoint_port(w->f, at), &p);
    else
        deliver(w->f, waypoint_port(w->f, at), &p);
}

void multicast_spread(struct fabric *f, struct port *at, struct packet *p)
{
    struct walk w = {.f = f, .packet = p};

    if (!spread_of(f, p) && !begin(f, p)) {
        fabric_drop(f, at, p, DROP_FLIGHTS);
        return;
    }
    w.spread = spread_of(f, p);
    multicast_flies(f, p);
    push(&w, at, p);
    while (w.depth > 0) {
        struct stop *stop = &w.stops[w.depth - 1];
        struct node *n = port_node(f, stop->at);
        uint16_t port = stop->next++;

        if (port > n->ports)
            w.depth--;
        else if (port != stop->at->number && is_member(f, n, p->dlid, port))
            copy(&w, node_port(f, n, (uint8_t)port), stop->hops);
    }
    multicast_landed(f, p);
}
