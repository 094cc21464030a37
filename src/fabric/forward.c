/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The way of a packet: directed routes, LIDs, and routes that are both. */
#include "fabric/forward.h"

#include "core/mad/smi.h"
#include "core/wire/mad_header.h"
#include "fabric/cable.h"
#include "fabric/counters.h"
#include "fabric/deliver.h"
#include "fabric/keys.h"
#include "fabric/multicast.h"

static bool is_directed(const struct packet *p)
{
    return p->dst_qpn == WEFT_QP_SMI && mad_class(p->mad) == WEFT_CLASS_SUBN_DIRECTED;
}

static struct smi_node smi_node_of(const struct waypoint *w)
{
    return (struct smi_node){.is_switch = waypoint_at_switch(w), .port_count = w->node_ports};
}

static struct waypoint *lost(struct fabric *f, const struct waypoint *at, const struct packet *p,
                             enum drop why)
{
    fabric_drop(f, waypoint_port(f, at), p, why);
    return NULL;
}

/* A switch knows no way. */
static struct waypoint *relay_error(struct fabric *f, const struct waypoint *at,
                                    const struct packet *p, enum drop why)
{
    if (why == DROP_LOOP)
        counters_add_loop(waypoint_port(f, at));
    else
        counters_add(waypoint_port(f, at), COUNTER_RCV_SWITCH_RELAY_ERRORS, 1);
    return lost(f, at, p, why);
}

/* The port that a switch's linear forwarding table gives for a LID; 255: none. */
static uint8_t linear_port(const struct fabric *f, const struct switch_state *sw, uint16_t lid)
{
    uint16_t top = be16_at(sw->info + WIRE_AT_SWITCH_INFO_LINEAR_FDB_TOP);

    return lid <= top && lid < f->config.lft_cap ? (uint8_t)~sw->lft[lid] : UINT8_MAX;
}

/* Whether a LID is one of this port's. */
static bool owns_lid(const struct fabric *f, const struct waypoint *w, uint16_t lid)
{
    return port_owns_lid(waypoint_port(f, w), lid);
}

/* Routes by DLID at a switch.
 * @param at        the port it came in by; 0 when the switch itself sends it
 * @param ret_here  the packet is for the switch itself
 * @return the port to leave by; NULL: none, the packet is at its end or *ret_here */
static struct waypoint *route(struct fabric *f, struct waypoint *at, struct packet *p,
                              bool *ret_here)
{
    uint8_t out;

    *ret_here = false;
    if (p->dlid >= WEFT_LID_MULTICAST_FIRST && p->dlid != WEFT_LID_PERMISSIVE) {
        multicast_spread(f, waypoint_port(f, at), p);
        return NULL;
    }
    if (at->number == 0 && owns_lid(f, at, p->dlid)) {
        *ret_here = true;
        return NULL;
    }
    out = linear_port(f, &f->switches[at->switch_index], p->dlid);
    if (out > at->node_ports || p->dlid == 0)
        return relay_error(f, at, p, DROP_NO_ROUTE);
    if (out == at->number)
        return relay_error(f, at, p, DROP_LOOP);
    if (out > 0)
        return waypoint_beside(at, out);
    *ret_here = owns_lid(f, waypoint_beside(at, 0), p->dlid);
    return *ret_here ? NULL : relay_error(f, at, p, DROP_NO_ROUTE);
}

/* The directed part of the way at a node.
 * @return as route() */
static struct waypoint *follow(struct fabric *f, struct waypoint *at, struct packet *p,
                               struct smi_decision d, bool *ret_here)
{
    *ret_here = false;
    switch (d.verdict) {
    case SMI_TO_SMA:
    case SMI_TO_SM:
        deliver(f, waypoint_port(f, at), p);
        return NULL;
    case SMI_FORWARD_PORT:
        p->slid = p->dlid = WEFT_LID_PERMISSIVE;
        return waypoint_beside(at, d.port);
    case SMI_FORWARD_LID:
        p->slid = port_lid(waypoint_port(f, waypoint_beside(at, 0)));
        p->dlid = d.dlid;
        return route(f, waypoint_beside(at, 0), p, ret_here);
    case SMI_DISCARD:
    case SMI_SEND_AS_ADDRESSED:
        break;
    }
    return lost(f, at, p, DROP_HOPS);
}

/* A packet has come by its LID to the node that it names. */
static struct waypoint *arrive_by_lid(struct fabric *f, struct waypoint *at, struct packet *p)
{
    struct waypoint *door = waypoint_at_switch(at) ? waypoint_beside(at, 0) : at;
    struct smi_node node = smi_node_of(at);
    struct waypoint *out = NULL;
    bool here = true;

    /* An SMP whose directed part led back to this switch's own LID comes here twice. */
    for (int turns = 0; here && turns < 2; turns++) {
        if (!is_directed(p)) {
            deliver(f, waypoint_port(f, at), p);
            return NULL;
        }
        out = follow(f, door, p, smi_receive(p->mad, &node, door->number), &here);
    }
    return here ? lost(f, at, p, DROP_HOPS) : out;
}

/* A packet has come out of a cable.
 * @return the port to leave by; NULL: it is at its end */
static struct waypoint *enter(struct fabric *f, struct waypoint *at, struct packet *p)
{
    bool here = false;
    struct waypoint *out;

    if (p->dlid == WEFT_LID_PERMISSIVE) {
        struct smi_node node = smi_node_of(at);

        if (p->dst_qpn != WEFT_QP_SMI)
            return lost(f, at, p, DROP_NO_ROUTE);
        if (!is_directed(p)) {
            deliver(f, waypoint_port(f, at), p);
            return NULL;
        }
        out = follow(f, at, p, smi_receive(p->mad, &node, at->number), &here);
        return here ? arrive_by_lid(f, at, p) : out;
    }
    if (waypoint_at_switch(at)) {
        out = route(f, at, p, &here);
        return here ? arrive_by_lid(f, at, p) : out;
    }
    if (p->dlid >= WEFT_LID_MULTICAST_FIRST) {
        deliver(f, waypoint_port(f, at), p);
        return NULL;
    }
    return owns_lid(f, at, p->dlid) ? arrive_by_lid(f, at, p) : lost(f, at, p, DROP_NO_ROUTE);
}

static void travel(struct fabric *f, struct waypoint *out, struct packet *p)
{
    while (out) {
        struct waypoint *at = cable_cross(f, out, p);

        out = at ? enter(f, at, p) : NULL;
    }
}

/* The first step of a packet that goes by its DLID. */
static void start_by_lid(struct fabric *f, struct waypoint *from, struct packet *p)
{
    bool here = owns_lid(f, from, p->dlid);
    struct waypoint *out = from;

    if (!here && waypoint_at_switch(from))
        out = route(f, from, p, &here);
    else if (p->dlid == 0)
        out = lost(f, from, p, DROP_NO_ROUTE);
    travel(f, here ? arrive_by_lid(f, from, p) : out, p);
}

/* The LIDs of a packet as it leaves the node. */
static void address(struct port *from, struct packet *p, enum smi_verdict verdict)
{
    if (verdict == SMI_SEND_AS_ADDRESSED) {
        p->slid = port_lid(from) | (p->path_bits & (uint16_t)((1U << port_lmc(from)) - 1));
    } else {
        p->slid = WEFT_LID_PERMISSIVE;
        p->dlid = WEFT_LID_PERMISSIVE;
    }
}

void forward_send(struct fabric *f, struct port *from, struct packet *p)
{
    struct waypoint *start = port_waypoint(f, from), *out;
    struct smi_node node = smi_node_of(start);
    struct smi_decision d = {.verdict = SMI_SEND_AS_ADDRESSED};
    bool here = false;
    enum drop refusal;

    if (is_directed(p))
        d = smi_send(p->mad, &node, from->number);
    p->reserved = 0;
    address(from, p, d.verdict);
    refusal = port_node(f, from)->dead ? DROP_DEAD : keys_stamp(f, from, p);
    fabric_tell(f, FABRIC_TAP_SENT, from, p);
    p->pkey_index = 0; /* under way it is multicast.h's */
    if (refusal != DROPS) {
        fabric_drop(f, from, p, refusal);
    } else if (d.verdict == SMI_SEND_AS_ADDRESSED) {
        start_by_lid(f, start, p);
    } else {
        out = follow(f, start, p, d, &here);
        travel(f, here ? arrive_by_lid(f, start, p) : out, p);
    }
}

void forward_arrive(struct fabric *f, struct port *at, struct packet *p)
{
    struct waypoint *w = port_waypoint(f, at);

    if (cable_arrive(f, w, p))
        travel(f, enter(f, w, p), p);
}
