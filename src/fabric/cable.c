/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One cable: link state, partition enforcement at both ends, faults, latency, counters. */
#include "fabric/cable.h"

#include "fabric/counters.h"
#include "fabric/fault.h"
#include "fabric/flight.h"
#include "fabric/keys.h"

static bool carries(const struct waypoint *w, const struct packet *p)
{
    return (w->flags & (p->dst_qpn == WEFT_QP_SMI ? WAYPOINT_SMPS : WAYPOINT_DATA)) != 0;
}

static bool keys_allow(struct fabric *f, const struct waypoint *w, const struct packet *p,
                       enum keys_side side)
{
    return (w->flags & WAYPOINT_CHECKS) == 0 || keys_pass(f, waypoint_port(f, w), p, side);
}

/* Counts the packet at the port that takes it from the cable. */
static bool take(struct fabric *f, struct waypoint *at, struct packet *p)
{
    counters_received(f, at, p);
    return keys_allow(f, at, p, KEYS_INBOUND);
}

/* What faults make of a packet on the cable: a copy behind it, a delay, or its end. */
static bool suffer(struct fabric *f, struct port *out, struct packet *p, weft_time *ret_delay)
{
    struct fault_fate fate = fault_on_link(f, out, p);
    struct port *peer = &f->ports[out->peer];
    struct packet copy;

    *ret_delay += fate.delay;
    if (fate.lost) {
        fabric_drop(f, out, p, DROP_LOST);
        return false;
    }
    if (fate.corrupt) {
        counters_add(peer, COUNTER_SYMBOL_ERRORS, 1);
        counters_add(peer, COUNTER_RCV_ERRORS, 1);
        fabric_drop(f, peer, p, DROP_CORRUPT);
        return false;
    }
    /* A copy is not copied again: with many links before it there would be no end. */
    copy = *p;
    copy.reserved2 = CABLE_IS_COPY;
    for (uint8_t i = 0; i < fate.copies && p->reserved2 != CABLE_IS_COPY; i++)
        (void)flight_add(f, fabric_later(f, *ret_delay), FLIGHT_ARRIVE, out->peer, &copy);
    return true;
}

struct waypoint *cable_cross(struct fabric *f, struct waypoint *out, struct packet *p)
{
    weft_time delay = f->config.hop_ns;
    struct waypoint *at;

    if (!carries(out, p)) {
        counters_add(waypoint_port(f, out), COUNTER_XMIT_DISCARDS, 1);
        fabric_drop(f, waypoint_port(f, out), p, DROP_LINK);
        return NULL;
    }
    if (p->reserved >= CABLE_HOPS_MAX) {
        fabric_drop(f, waypoint_port(f, out), p, DROP_LOOP);
        return NULL;
    }
    if (!keys_allow(f, out, p, KEYS_OUTBOUND))
        return NULL;
    /* The reserved bytes are 0 for all but the fabric. One counts links. The other is the function
     * that sends, until the first cable, and then tells copies. */
    if (p->reserved == 0)
        p->reserved2 = 0;
    p->reserved++;
    fabric_work(f);
    counters_sent(f, out, p);
    f->stats.hops++;
    if (faults_any(f) && !suffer(f, waypoint_port(f, out), p, &delay))
        return NULL;
    if (delay > 0) {
        (void)flight_add(f, fabric_later(f, delay), FLIGHT_ARRIVE, out->peer, p);
        return NULL;
    }
    at = &f->waypoints[out->peer];
    return take(f, at, p) ? at : NULL;
}

bool cable_arrive(struct fabric *f, struct waypoint *at, struct packet *p)
{
    struct port *port = waypoint_port(f, at);

    if (port_node(f, port)->dead) {
        fabric_drop(f, port, p, DROP_DEAD);
        return false;
    }
    if (!carries(at, p)) {
        fabric_drop(f, port, p, DROP_LINK);
        return false;
    }
    return take(f, at, p);
}
