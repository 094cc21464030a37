/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ways to what a sweep has found: the one by which it was found, and a second one. */
#include "client/sweep_state.h"

/* So many links are looked at for a second way. */
#define CANDIDATES_MAX 64

uint32_t sweep_end_port(const struct sweep *s, uint32_t port)
{
    const struct sweep_node *n = &s->nodes[s->ports[port].node];

    return n->type == SWEEP_SWITCH ? n->first_port : port;
}

/* The port through which a port's node was reached first; SWEEP_NONE: it is the own one. */
static uint32_t via_of(const struct sweep *s, uint32_t port)
{
    return s->ports[sweep_end_port(s, port)].via;
}

void sweep_route(const struct sweep *s, uint32_t port, struct route *ret)
{
    const struct sweep_node *n = &s->nodes[s->ports[port].node];
    uint32_t via = via_of(s, port);

    if (n->type == SWEEP_SWITCH) {
        *ret = n->route;
        return;
    }
    *ret = (struct route){.hops = 0};
    if (via == SWEEP_NONE)
        return;
    *ret = s->nodes[s->ports[via].node].route;
    (void)route_extend(ret, s->ports[via].number);
}

/* Whether the way to a switch, or the own node, passes a switch. Ways are no longer than routes,
 * and lead through nodes that were found earlier. */
static bool passes(const struct sweep *s, uint32_t node, uint32_t what)
{
    for (;;) {
        uint32_t via = via_of(s, s->nodes[node].first_port);

        if (node == what)
            return true;
        if (s->nodes[node].type != SWEEP_SWITCH || via == SWEEP_NONE)
            return false;
        node = s->ports[via].node;
    }
}

/* A port that leads to a switch by another way than the first. */
static uint32_t entrance(const struct sweep *s, uint32_t node, int *candidates)
{
    const struct sweep_node *n = &s->nodes[node];

    for (uint32_t i = 1; i <= n->port_count && *candidates > 0; i++) {
        uint32_t from = s->ports[n->first_port + i].peer;

        if (from == SWEEP_NONE || from == via_of(s, n->first_port))
            continue;
        --*candidates;
        if (s->nodes[s->ports[from].node].type == SWEEP_SWITCH &&
            !s->ports[sweep_end_port(s, from)].silent && !passes(s, s->ports[from].node, node))
            return from;
    }
    return SWEEP_NONE;
}

uint32_t sweep_way_around(const struct sweep *s, uint32_t port)
{
    uint32_t node = s->ports[port].node;
    int candidates = CANDIDATES_MAX;
    struct route unused;

    if (s->nodes[node].type != SWEEP_SWITCH) {
        if (via_of(s, port) == SWEEP_NONE)
            return SWEEP_NONE;
        node = s->ports[via_of(s, port)].node;
    }
    while (candidates > 0 && s->nodes[node].type == SWEEP_SWITCH) {
        uint32_t via = via_of(s, s->nodes[node].first_port);
        uint32_t around = via == SWEEP_NONE ? SWEEP_NONE : entrance(s, node, &candidates);

        if (around != SWEEP_NONE && sweep_route_around(s, port, around, &unused))
            return around;
        if (via == SWEEP_NONE)
            break;
        node = s->ports[via].node;
    }
    return SWEEP_NONE;
}

bool sweep_route_around(const struct sweep *s, uint32_t port, uint32_t around, struct route *ret)
{
    uint32_t through = s->ports[s->ports[around].peer].node;
    uint8_t tail[ROUTE_HOPS_MAX];
    uint8_t hops = 0;
    bool fits;

    /* Back from the port to where the second way meets the first. */
    while (s->ports[port].node != through) {
        uint32_t via = via_of(s, port);

        if (via == SWEEP_NONE || hops == ROUTE_HOPS_MAX)
            return false;
        tail[hops++] = s->ports[via].number;
        port = via;
    }
    sweep_route(s, around, ret);
    fits = route_extend(ret, s->ports[around].number);
    while (fits && hops > 0)
        fits = route_extend(ret, tail[--hops]);
    return fits;
}
