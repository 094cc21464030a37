/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The pump: ring, engine, inbox. */
#include "umad/pump.h"

#include "core/wire/mad_header.h"
#include "umad/question.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* A bigger share of the ring in one go would keep the lock from others. */
#define PUMP_BATCH RINGS_SLOTS

weft_time pump_clock(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (weft_time)t.tv_sec * WEFT_S + (weft_time)t.tv_nsec;
}

bool pump_has_work(const struct open_port *p)
{
    return ring_waiting(&p->channel.rings->to_client, p->own) ||
           atomic_load(&p->channel.rings->closed) != 0;
}

static bool lid_is_ours(const struct open_port *p, uint16_t lid)
{
    return lid >= p->base_lid && lid < p->base_lid + (1u << p->lmc);
}

/* Which of the port's LIDs a packet came to. */
static uint8_t path_bits_of(struct open_port *p, uint16_t dlid)
{
    if (dlid == 0 || dlid >= WEFT_LID_MULTICAST_FIRST)
        return 0;
    /* an SM has given the port another one */
    if (!lid_is_ours(p, dlid))
        question_lid(p);
    return lid_is_ours(p, dlid) ? (uint8_t)(dlid - p->base_lid) : 0;
}

/* GIDs of our own are the fabric's business, which has compared them: the engine sees none. */
static void pump_packet(struct open_port *p, weft_time now, const struct packet *packet)
{
    struct weft_mad_rx rx = {.qpn = (uint8_t)packet->dst_qpn,
                             .dlid = packet->dlid,
                             .from = {.lid = packet->slid,
                                      .sl = packet->sl,
                                      .qpn = packet->src_qpn,
                                      .qkey = packet->qkey,
                                      .pkey_index = packet->pkey_index,
                                      .has_grh = packet->has_grh != 0},
                             .data = packet->mad,
                             .len = WEFT_MAD_BYTES};

    if (packet->dst_qpn > WEFT_QP_GSI || packet->sl > 15)
        return;
    rx.from.path_bits = path_bits_of(p, packet->dlid);
    if (rx.from.has_grh) {
        rx.from.grh = (struct weft_mad_grh){.flow_label = packet->flow_label,
                                            .traffic_class = packet->traffic_class,
                                            .hop_limit = packet->hop_limit,
                                            .sgid_index = packet->sgid_index};
        memcpy(rx.from.grh.sgid, packet->sgid, sizeof(packet->sgid));
    }
    (void)weft_mad_rx(p->engine, now, &rx, NULL);
}

static void pump_in(struct open_port *p, weft_time now)
{
    struct packet packet;

    for (int i = 0; i < PUMP_BATCH; i++) {
        int taken = rings_receive(p->channel.rings, p->channel.daemon_bell, &p->own, &packet);

        if (taken == 0)
            return;
        if (taken < 0) {
            pump_died(p);
            return;
        }
        p->moved_at = now;
        pump_packet(p, now, &packet);
    }
}

static void packet_make(const struct weft_mad_tx *tx, struct packet *ret)
{
    const struct weft_mad_addr *to = tx->to;

    memset(ret, 0, offsetof(struct packet, mad));
    ret->dlid = to->lid;
    ret->sl = to->sl;
    ret->path_bits = to->path_bits;
    ret->src_qpn = tx->qpn;
    ret->dst_qpn = to->qpn;
    ret->qkey = tx->qpn == WEFT_QP_SMI ? 0 : to->qkey;
    ret->pkey_index = to->pkey_index;
    if (to->has_grh) {
        ret->has_grh = 1;
        ret->hop_limit = to->grh.hop_limit;
        ret->traffic_class = to->grh.traffic_class;
        ret->sgid_index = to->grh.sgid_index;
        ret->flow_label = to->grh.flow_label;
        memcpy(ret->dgid, to->grh.dgid, sizeof(ret->dgid));
    }
    memcpy(ret->mad, tx->data, sizeof(ret->mad));
}

/* Sends what is due, as far as the ring has room; the bell tells when it has some again. */
static void pump_packets(struct open_port *p, weft_time now)
{
    struct rings *rings = p->channel.rings;
    struct weft_mad_tx tx;
    struct packet packet;

    while ((ring_has_room(&rings->to_daemon) || !ring_ask_room(&rings->to_daemon)) &&
           weft_mad_poll_tx(p->engine, &tx)) {
        packet_make(&tx, &packet);
        (void)rings_send(rings, p->channel.daemon_bell, &packet);
        (void)weft_mad_tx_done(p->engine, now, tx.id, true);
        p->moved_at = now;
    }
}

static bool agent_find(const struct open_port *p, weft_mad_agent_id id, uint32_t *ret)
{
    for (uint32_t i = 0; i < UMAD_CA_MAX_AGENTS; i++) {
        if (p->agents[i].registered && p->agents[i].id.v == id.v) {
            *ret = i;
            return true;
        }
    }
    return false;
}

/* As Linux fills it in: no Q_Key. */
static void addr_fill(ib_mad_addr_t *ret, const struct weft_mad_addr *from)
{
    ret->qpn = htonl(from->qpn);
    ret->lid = htons(from->lid);
    ret->sl = from->sl;
    ret->path_bits = from->path_bits;
    ret->pkey_index = from->pkey_index;
    if (!from->has_grh)
        return;
    ret->grh_present = 1;
    ret->gid_index = from->grh.sgid_index;
    ret->hop_limit = from->grh.hop_limit;
    ret->traffic_class = from->grh.traffic_class;
    ret->flow_label = htonl(from->grh.flow_label);
    memcpy(ret->gid, from->grh.sgid, sizeof(ret->gid));
}

static void event_received(struct open_port *p, const struct weft_mad_event *ev)
{
    struct message *m = NULL;
    uint32_t agent;
    bool known = agent_find(p, ev->agent, &agent);

    if (known)
        m = message_take(&p->pool, 0);
    if (!m) {
        /* for the program an answer that there is no memory for never came */
        if (known && ev->u.recv.solicited)
            ((struct message *)(uintptr_t)ev->user_data)->status = ETIMEDOUT;
        (void)weft_mad_recv_release(p->engine, ev->u.recv.id);
        return;
    }
    m->agent = agent;
    m->length = ev->u.recv.len;
    m->first = ev->u.recv.mad;
    m->received = ev->u.recv.id;
    addr_fill(&m->addr, &ev->u.recv.from);
    message_queue_put(&p->inbox, m);
}

/* Of the ends of a send only "no answer came" is reported, by giving the MAD's header back. A
 * transfer that was broken off is one that no answer will come to; so is one whose answer is lost.
 */
static void event_sent(struct open_port *p, const struct weft_mad_event *ev)
{
    struct message *m = (struct message *)(uintptr_t)ev->user_data;
    enum weft_mad_status status = ev->u.sent.status;

    p->pending--;
    if (m->timeout_ms == 0 ||
        (m->status == 0 && status != WEFT_MAD_TIMEOUT && status != WEFT_MAD_RMPP_ABORTED)) {
        message_give(&p->pool, m);
        return;
    }
    m->status = ETIMEDOUT;
    m->length = WEFT_MAD_HEADER_BYTES;
    m->first = m->data;
    message_queue_put(&p->inbox, m);
}

void pump_events(struct open_port *p)
{
    struct weft_mad_event ev;

    while (weft_mad_poll_event(p->engine, &ev)) {
        if (ev.type == WEFT_MAD_EVENT_RECV)
            event_received(p, &ev);
        else if (ev.type == WEFT_MAD_EVENT_SEND_DONE)
            event_sent(p, &ev);
    }
}

void pump_show(struct open_port *p)
{
    bool filled = p->inbox.count > 0 || p->dead;

    atomic_store_explicit(&p->filled, filled, memory_order_relaxed);
    if (!p->watched || filled == p->signaled)
        return;
    if (filled)
        bell_ring(p->fd);
    else
        bell_hush(p->fd);
    p->signaled = filled;
}

void pump_died(struct open_port *p)
{
    p->dead = true;
    pump_show(p);
}

void pump_out(struct open_port *p, weft_time now)
{
    pump_packets(p, now);
    pump_events(p);
    pump_show(p);
}

void pump(struct open_port *p)
{
    weft_time now = pump_clock();

    question_hear(p);
    pump_in(p, now);
    (void)weft_mad_advance(p->engine, now);
    pump_out(p, now);
    p->pumped_at = now;
    if (atomic_load(&p->channel.rings->closed) != 0 &&
        !ring_waiting(&p->channel.rings->to_client, p->own))
        pump_died(p);
}
