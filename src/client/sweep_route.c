/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ways to what a sweep has found: the one by which it was found, and a second one. */
#include "client/sweep_state.h"

/* So many links are looked at for a second way. */
#define CANDIDATES_MAX 64

uint32_t weft_sweep_end_port(const struct weft_sweep *s, uint32_t port)
{
    const struct weft_sweep_node *n = &s->nodes[s->ports[port].node];

    return n->type == WEFT_SWEEP_SWITCH ? n->first_port : port;
}

/* The port through which a port's node was reached first; WEFT_SWEEP_NONE: it is the own one. */
static uint32_t via_of(const struct weft_sweep *s, uint32_t port)
{
    return s->ports[weft_sweep_end_port(s, port)].via;
}

void weft_sweep_route(const struct weft_sweep *s, uint32_t port, struct weft_route *ret)
{
    const struct weft_sweep_node *n = &s->nodes[s->ports[port].node];
    uint32_t via = via_of(s, port);

    if (n->type == WEFT_SWEEP_SWITCH) {
        *ret = n->route;
        return;
    }
    *ret = (struct weft_route){.hops = 0};
    if (via == WEFT_SWEEP_NONE)
        return;
    *ret = s->nodes[s->ports[via].node].route;
    (void)route_extend(ret, s->ports[via].number);
}

/* Whether the way to a switch, or the own node, passes a switch. Ways are no longer than routes,
 * and lead through nodes that were found earlier. */
static bool passes(const struct weft_sweep *s, uint32_t node, uint32_t what)
{
    for (;;) {
        uint32_t via = via_of(s, s->nodes[node].first_port);

        if (node == what)
            return true;
        if (s->nodes[node].type != WEFT_SWEEP_SWITCH || via == WEFT_SWEEP_NONE)
            return false;
        node = s->ports[via].node;
    }
}

/* A port that leads to a switch by another way than the first. */
static uint32_t entrance(const struct weft_sweep *s, uint32_t node, int *candidates)
{
    const struct weft_sweep_node *n = &s->nodes[node];

    for (uint32_t i = 1; i <= n->port_count && *candidates > 0; i++) {
        uint32_t from = s->ports[n->first_port + i].peer;

        if (from == WEFT_SWEEP_NONE || from == via_of(s, n->first_port))
            continue;
        --*candidates;
        if (s->nodes[s->ports[from].node].type == WEFT_SWEEP_SWITCH &&
            !s->ports[weft_sweep_end_port(s, from)].silent && !passes(s, s->ports[from].node, node))
            return from;
    }
    return WEFT_SWEEP_NONE;
}

uint32_t sweep_way_around(const struct weft_sweep *s, uint32_t port)
{
    uint32_t node = s->ports[port].node;
    int candidates = CANDIDATES_MAX;
    struct weft_route unused;

    if (s->nodes[node].type != WEFT_SWEEP_SWITCH) {
        if (via_of(s, port) == WEFT_SWEEP_NONE)
            return WEFT_SWEEP_NONE;
        node = s->ports[via_of(s, port)].node;
    }
    while (candidates > 0 && s->nodes[node].type == WEFT_SWEEP_SWITCH) {
        uint32_t via = via_of(s, s->nodes[node].first_port);
        uint32_t around = via == WEFT_SWEEP_NONE ? WEFT_SWEEP_NONE : entrance(s, node, &candidates);

        if (around != WEFT_SWEEP_NONE && sweep_route_around(s, port, around, &unused))
            return around;
        if (via == WEFT_SWEEP_NONE)
            break;
        node = s->ports[via].node;
    }
    return WEFT_SWEEP_NONE;
}

bool sweep_route_around(const struct weft_sweep *s, uint32_t port, uint32_t around,
                        struct weft_route *ret)
{
    uint32_t through = s->ports[s->ports[around].peer].node;
    uint8_t tail[WEFT_DIRECTED_HOP_COUNT_MAX];
    uint8_t hops = 0;
    bool fits;

    /* Back from the port to where the second way meets the first. */
    while (s->ports[port].node != through) {
        uint32_t via = via_of(s, port);

        if (via == WEFT_SWEEP_NONE || hops == WEFT_DIRECTED_HOP_COUNT_MAX)
            return false;
        tail[hops++] = s->ports[via].number;
        port = via;
    }
    weft_sweep_route(s, around, ret);
    fits = route_extend(ret, s->ports[around].number);
    while (fits && hops > 0)
        fits = route_extend(ret, tail[--hops]);
    return fits;
}
