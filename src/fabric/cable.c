/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One cable: link state, partition enforcement at both ends, faults, latency, counters. */
#include "fabric/cable.h"

#include "fabric/counters.h"
#include "fabric/fault.h"
#include "fabric/flight.h"
#include "fabric/keys.h"
#include "fabric/link.h"

/* Counts the packet at the port that takes it from the cable. */
static bool take(struct fabric *f, struct port *at, struct packet *p)
{
    counters_received(at, p);
    return keys_pass(f, at, p, KEYS_INBOUND);
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

struct port *cable_cross(struct fabric *f, struct port *out, struct packet *p)
{
    weft_time delay = f->config.hop_ns;

    if (!link_carries(f, out, p->dst_qpn == WEFT_QP_SMI)) {
        counters_add(out, COUNTER_XMIT_DISCARDS, 1);
        fabric_drop(f, out, p, DROP_LINK);
        return NULL;
    }
    if (p->reserved >= CABLE_HOPS_MAX) {
        fabric_drop(f, out, p, DROP_LOOP);
        return NULL;
    }
    if (!keys_pass(f, out, p, KEYS_OUTBOUND))
        return NULL;
    /* The reserved bytes are 0 for all but the fabric. One counts links. The other is the function
     * that sends, until the first cable, and then tells copies. */
    if (p->reserved == 0)
        p->reserved2 = 0;
    p->reserved++;
    fabric_work(f);
    counters_sent(out, p);
    f->stats.hops++;
    if (faults_any(f) && !suffer(f, out, p, &delay))
        return NULL;
    if (delay > 0) {
        (void)flight_add(f, fabric_later(f, delay), FLIGHT_ARRIVE, out->peer, p);
        return NULL;
    }
    return take(f, &f->ports[out->peer], p) ? &f->ports[out->peer] : NULL;
}

bool cable_arrive(struct fabric *f, struct port *at, struct packet *p)
{
    if (port_node(f, at)->dead) {
        fabric_drop(f, at, p, DROP_DEAD);
        return false;
    }
    if (!link_carries(f, at, p->dst_qpn == WEFT_QP_SMI)) {
        fabric_drop(f, at, p, DROP_LINK);
        return false;
    }
    return take(f, at, p);
}
