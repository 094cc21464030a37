/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Transmission: building packets and handing them to the host. */
#include "core/mad/tx.h"

#include "core/mad/agent.h"
#include "core/mad/rmpp_tx.h"
#include "core/mad/send.h"
#include "core/mad/smi.h"

#include <string.h>

void tx_due(struct weft_mad_port *p, struct send *s)
{
    struct send_queue *q = &p->queues[s->agent->qpn];

    list_push_back(&q->due, &s->queue);
    if (q->held + q->due_count >= p->config.send_depth)
        p->stats.tx_overflowed++;
    q->due_count++;
}

static struct tx *tx_take(struct weft_mad_port *p, uint8_t qpn)
{
    struct tx *t = pool_take(&p->txs);

    if (!t)
        return NULL;
    list_init(&t->queue);
    t->qpn = qpn;
    t->held = false;
    t->send = NULL;
    return t;
}

bool tx_control(struct weft_mad_port *p, uint8_t qpn, const struct weft_mad_addr *to,
                const void *mad)
{
    struct tx *t = p->control_used < ENGINE_CONTROL_DEPTH ? tx_take(p, qpn) : NULL;

    if (!t) {
        p->stats.control_dropped++;
        return false;
    }
    p->control_used++;
    t->to = *to;
    memcpy(t->mad, mad, sizeof(t->mad));
    list_push_back(&p->queues[qpn].control, &t->queue);
    return true;
}

int tx_reply(struct weft_mad_port *p, const struct weft_mad_rx *rx, const void *mad)
{
    struct weft_mad_addr to = rx->from;
    uint8_t smp[WEFT_MAD_BYTES];

    to.path_bits = (uint8_t)(rx->dlid % (1u << p->lmc));
    if (to.has_grh) {
        memcpy(to.grh.sgid, rx->from.grh.dgid, sizeof(to.grh.sgid));
        memcpy(to.grh.dgid, rx->from.grh.sgid, sizeof(to.grh.dgid));
        /* what is left of the way here says nothing about the way back */
        to.grh.hop_limit = UINT8_MAX;
    }
    to.qkey = rx->qpn == WEFT_QP_GSI ? WEFT_QKEY_GSI : 0;
    if (mad_class(mad) == WEFT_CLASS_SUBN_DIRECTED && !p->config.hops_by_host) {
        memcpy(smp, mad, sizeof(smp));
        if (smi_send(smp, &smi_own_node, p->config.port_number).verdict == SMI_DISCARD)
            return WEFT_ERR_INVALID;
        mad = smp;
    }
    return tx_control(p, rx->qpn, &to, mad) ? 0 : WEFT_ERR_FULL;
}

/* Builds the packet of a send that is due. */
static void tx_build(struct weft_mad_port *p, struct send *s, struct tx *t)
{
    if (s->flags & SEND_RMPP) {
        rmpp_tx_build(p, s, t->mad);
    } else {
        memcpy(t->mad, s->data, s->len);
        memset(t->mad + s->len, 0, sizeof(t->mad) - s->len);
    }
    mad_set_tid(t->mad, s->tid);
    if ((s->flags & SEND_DIRECTED) && !p->config.hops_by_host) {
        /* checked at post; it only moves the hop pointer now */
        (void)smi_send(t->mad, &smi_own_node, p->config.port_number);
    }
}

static void tx_hand_over(struct weft_mad_port *p, struct tx *t, struct weft_mad_tx *ret)
{
    const struct send *s = t->send;

    t->held = true;
    ret->id.v = pool_handle(&p->txs, t);
    ret->qpn = t->qpn;
    ret->len = WEFT_MAD_BYTES;
    ret->data = t->mad;
    ret->to = s ? &s->to : &t->to;
    ret->wait = 0;
    if (s)
        ret->wait = s->flags & SEND_RMPP ? s->timeout : s->plain.wait;
    p->stats.tx_packets++;
    if (p->config.trace) {
        struct weft_trace_event ev = {.type = WEFT_TRACE_TX, .tid = mad_tid(t->mad)};

        if (s) {
            ev.agent = agent_id(p, s->agent);
            ev.send = send_id(p, s);
        }
        ev.u.packet.qpn = t->qpn;
        ev.u.packet.peer = ret->to;
        ev.u.packet.mad = t->mad;
        ev.u.packet.len = WEFT_MAD_BYTES;
        engine_trace(p, &ev);
    }
}

/* The next send of a QP whose packet is still wanted. */
static struct send *tx_next_due(struct weft_mad_port *p, struct send_queue *q)
{
    while (q->held < p->config.send_depth) {
        struct list_node *n = list_pop_front(&q->due);
        struct send *s;

        if (!n)
            return NULL;
        s = WEFT_CONTAINER_OF(n, struct send, queue);
        WEFT_ASSERT(q->due_count > 0);
        q->due_count--;
        if (s->state == WEFT_MAD_SEND_START)
            return s;
        send_skipped(p, s);
    }
    return NULL;
}

/* The next packet of a QP: the engine's own go first. */
static struct tx *tx_next(struct weft_mad_port *p, uint8_t qpn)
{
    struct send_queue *q = &p->queues[qpn];
    struct list_node *n = list_pop_front(&q->control);
    struct send *s;
    struct tx *t;

    if (n)
        return WEFT_CONTAINER_OF(n, struct tx, queue);
    s = tx_next_due(p, q);
    if (!s)
        return NULL;
    /* there is a slot for each packet that the host may hold */
    t = tx_take(p, qpn);
    WEFT_ASSERT(t);
    if (!t)
        return NULL;
    t->send = s;
    q->held++;
    tx_build(p, s, t);
    send_packet_leaves(p, s);
    return t;
}

bool weft_mad_poll_tx(struct weft_mad_port *p, struct weft_mad_tx *ret)
{
    struct tx *t = tx_next(p, WEFT_QP_SMI);

    if (!t)
        t = tx_next(p, WEFT_QP_GSI);
    if (!t)
        return false;
    tx_hand_over(p, t, ret);
    return true;
}

int weft_mad_tx_done(struct weft_mad_port *p, weft_time now, weft_mad_tx_id id, bool ok)
{
    struct tx *t = pool_find(&p->txs, id.v);
    struct send *s;
    int err = engine_clock(p, now);

    if (err < 0)
        return err;
    if (!t || !t->held)
        return WEFT_ERR_STALE;
    s = t->send;
    WEFT_ASSERT(s ? p->queues[t->qpn].held > 0 : p->control_used > 0);
    if (s)
        p->queues[t->qpn].held--;
    else
        p->control_used--;
    pool_give(&p->txs, t);
    if (s)
        send_completed(p, s, ok);
    return 0;
}
