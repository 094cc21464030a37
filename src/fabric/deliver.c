/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Arrival: the agents of a node with their queues, programs, and answers in nobody's name. */
#include "fabric/deliver.h"

#include "core/mad/smi.h"
#include "core/wire/mad_header.h"
#include "fabric/attach.h"
#include "fabric/counters.h"
#include "fabric/fault.h"
#include "fabric/flight.h"
#include "fabric/forward.h"
#include "fabric/keys.h"
#include "fabric/pma.h"
#include "fabric/sma.h"

#define BASE_VERSION      1
#define GRH_HOP_LIMIT_MAX 0xFF

static bool is_smp(const struct packet *p)
{
    return p->dst_qpn == WEFT_QP_SMI;
}

static bool is_unicast(const struct packet *p)
{
    return p->dlid < WEFT_LID_MULTICAST_FIRST || p->dlid == WEFT_LID_PERMISSIVE;
}

/* The packet's MAD is an answer now: sends it back to where the request came from. */
static void reply(struct fabric *f, struct port *at, struct packet *p)
{
    struct port *from = port_with_lid(f, at);
    uint32_t qpn = p->src_qpn;
    uint8_t gid[sizeof(p->dgid)];

    mad_set_base_version(p->mad, BASE_VERSION);
    p->reserved2 = 0;
    p->path_bits = p->dlid == WEFT_LID_PERMISSIVE ? 0 : (uint8_t)(p->dlid - port_lid(from));
    p->dlid = p->slid;
    p->src_qpn = p->dst_qpn;
    p->dst_qpn = qpn;
    p->qkey = qpn == WEFT_QP_SMI ? 0 : WEFT_QKEY_GSI;
    if (p->has_grh) {
        if (!keys_find_gid(f, from, p->dgid, &p->sgid_index))
            p->sgid_index = 0;
        for (size_t i = 0; i < sizeof(gid); i++)
            p->dgid[i] = p->sgid[i];
        p->hop_limit = GRH_HOP_LIMIT_MAX;
    }
    f->stats.answered++;
    forward_send(f, from, p);
}

/* Get and Set that nobody takes are answered, as a host's own agents would. Nobody takes another
 * base version. */
static void unclaimed(struct fabric *f, struct port *at, struct packet *p)
{
    uint8_t method = mad_method(p->mad);
    bool known = mad_base_version(p->mad) == BASE_VERSION;

    if ((method != WEFT_METHOD_GET && method != WEFT_METHOD_SET) || mad_is_response(p->mad) ||
        !is_unicast(p)) {
        fabric_drop(f, at, p, known ? DROP_UNCLAIMED : DROP_MALFORMED);
        return;
    }
    fabric_tell(f, FABRIC_TAP_DELIVERED, at, p);
    smi_build_response(p->mad, known ? WEFT_STATUS_BAD_METHOD_ATTRIBUTE : WEFT_STATUS_BAD_VERSION);
    reply(f, at, p);
}

/* Programs of the port, or nobody. */
static void hand_over(struct fabric *f, struct port *at, struct packet *p)
{
    if (!attach_deliver(f, port_with_lid(f, at), p))
        unclaimed(f, at, p);
}

/* The agents see the port that an SMP came in by where the route names it; what came by LID is for
 * the port that has the LID. */
static enum agent_verdict ask_agent(struct fabric *f, struct port *at, struct packet *p)
{
    struct port *door = p->dlid == WEFT_LID_PERMISSIVE ? at : port_with_lid(f, at);

    return is_smp(p) ? sma_receive(f, door, p) : pma_receive(f, door, p);
}

/* As ask_agent(), with somebody watching: what the agent took has been delivered. */
static enum agent_verdict ask_watched(struct fabric *f, struct port *at, struct packet *p)
{
    struct packet before = *p;
    enum agent_verdict verdict = ask_agent(f, at, p);

    if (verdict == AGENT_ANSWERED || verdict == AGENT_CONSUMED)
        fabric_tell(f, FABRIC_TAP_DELIVERED, at, &before);
    return verdict;
}

static void serve(struct fabric *f, struct port *at, struct packet *p)
{
    switch (f->tap ? ask_watched(f, at, p) : ask_agent(f, at, p)) {
    case AGENT_ANSWERED:
        reply(f, at, p);
        return;
    case AGENT_CONSUMED:
    case AGENT_DENIED:
        return;
    case AGENT_PASS:
        hand_over(f, at, p);
        return;
    }
}

/* What an agent takes for a MAD. */
static weft_time agent_time(const struct fabric *f, const struct node *n, bool smp)
{
    return f->config.agent_ns + (smp ? 0 : n->pma_ns);
}

/* Has the packet wait until the agent has served those before it. */
static void enqueue(struct fabric *f, struct port *at, struct packet *p)
{
    struct node *n = port_node(f, at);
    bool smp = is_smp(p);
    uint32_t depth = smp ? f->config.vl15_depth : f->config.gsi_depth;
    uint32_t *waiting = smp ? &n->smps_waiting : &n->mads_waiting;
    weft_time *is_free = smp ? &n->sma_free : &n->pma_free;
    weft_time waits = *is_free > f->now ? *is_free - f->now : 0;
    weft_time done = fabric_later(f, waits + agent_time(f, n, smp));

    if (*waiting >= depth) {
        counters_add(at, smp ? COUNTER_VL15_DROPPED : COUNTER_QP1_DROPPED, 1);
        fabric_drop(f, at, p, smp ? DROP_VL15 : DROP_GSI);
        return;
    }
    if (!flight_add(f, done, FLIGHT_SERVED, port_index(f, at), p))
        return;
    *is_free = done;
    (*waiting)++;
}

static void to_agent(struct fabric *f, struct port *at, struct packet *p)
{
    const struct node *n = port_node(f, at);

    bool mute = !is_smp(p) && (n->pma_lacks & PMA_MUTE) != 0;

    if (mute || (faults_any(f) && fault_at_agent(f, n)))
        fabric_drop(f, at, p, DROP_LOST);
    else if (agent_time(f, n, is_smp(p)) > 0)
        enqueue(f, at, p);
    else
        serve(f, at, p);
}

void deliver_served(struct fabric *f, struct port *at, struct packet *p)
{
    struct node *n = port_node(f, at);

    if (is_smp(p))
        n->smps_waiting--;
    else
        n->mads_waiting--;
    if (n->dead)
        fabric_drop(f, at, p, DROP_DEAD);
    else
        serve(f, at, p);
}

/* A query that a busy SA does not look at; what belongs to a transfer under way passes. */
static bool is_sa_request(const struct packet *p)
{
    uint8_t method = mad_method(p->mad);

    return mad_class(p->mad) == WEFT_CLASS_SUBN_ADM && !mad_is_response(p->mad) &&
           method != WEFT_METHOD_TRAP && method != WEFT_METHOD_REPORT && is_unicast(p) &&
           (!rmpp_is_active(p->mad) || rmpp_type(p->mad) == WEFT_RMPP_DATA);
}

static void deliver_gmp(struct fabric *f, struct port *at, struct packet *p)
{
    if (is_sa_request(p) && port_node(f, at)->sa_busy) {
        fabric_tell(f, FABRIC_TAP_DELIVERED, at, p);
        mad_set_method(p->mad, mad_method(p->mad) | WEFT_METHOD_RESPONSE);
        mad_set_status(p->mad, WEFT_STATUS_BUSY);
        reply(f, at, p);
    } else if (mad_class(p->mad) == WEFT_CLASS_PERF && !mad_is_response(p->mad) && is_unicast(p)) {
        to_agent(f, at, p);
    } else {
        hand_over(f, at, p);
    }
}

void deliver(struct fabric *f, struct port *at, struct packet *p)
{
    uint8_t method = mad_method(p->mad);

    if (p->reserved > 0)
        p->reserved2 = 0; /* it has come by a cable, so it names no function */
    p->reserved = 0;
    if (port_node(f, at)->dead)
        fabric_drop(f, at, p, DROP_DEAD);
    else if (!keys_check(f, port_with_lid(f, at), p))
        return;
    else if (mad_base_version(p->mad) != BASE_VERSION)
        unclaimed(f, at, p);
    else if (!is_smp(p))
        deliver_gmp(f, at, p);
    else if ((method & WEFT_METHOD_RESPONSE) || method == WEFT_METHOD_TRAP)
        hand_over(f, at, p);
    else
        to_agent(f, at, p);
}
