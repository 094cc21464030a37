/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The port: configuration, memory, time and counters. */
#include "core/base/alloc.h"
#include "core/mad/engine.h"
#include "core/mad/peer.h"
#include "core/mad/retry.h"
#include "core/mad/rmpp_rx.h"
#include "core/mad/send.h"

#include <string.h>

/* Packets of two QPs with the host, and those of the engine's own. */
#define PORT_TXS(depth)     (2 * (depth) + ENGINE_CONTROL_DEPTH)
#define PORT_RMPP_BYTES_MAX ((UINT64_C(1) << 32) - (UINT64_C(1) << 20))
#define PORT_ALIGN          64
/* Entries left out so that the heap's second entry begins a cache line. */
#define PORT_HEAP_SHIFT     (PORT_ALIGN / sizeof(struct timer) - 1)

int weft_mad_config_init_sized(struct weft_mad_config *ret, size_t size)
{
    if (size != sizeof(*ret))
        return WEFT_ERR_INVALID;
    *ret = (struct weft_mad_config){
        .size = size,
        .seed = 1,
        .port_number = 1,
        .agents = 32,
        .tid_first = 1,
        .tid_last = ENGINE_TID_MAX,
        .sends = 1024,
        .recv_depth = 512,
        .send_depth = 128,
        .queue_timeout = WEFT_TIME_NEVER,
        .flow = {.agent_limits = true,
                 .reserve = WEFT_MAD_EIGHTH,
                 .peers = 64,
                 .window_initial = 4,
                 .window_max = 64},
        .rmpp = {.window = WEFT_MAD_EIGHTH,
                 .transfers = 32,
                 .bytes_max = 1 << 20,
                 .ack_ns = 2 * WEFT_S,
                 .receive_ns = 40 * WEFT_S,
                 .keep_ns = 10 * WEFT_S},
    };
    weft_mad_retry_init(&ret->retry);
    return 0;
}

static uint32_t clamp_depth(uint32_t depth)
{
    if (depth < ENGINE_QUEUE_MIN)
        return ENGINE_QUEUE_MIN;
    return depth > ENGINE_QUEUE_MAX ? ENGINE_QUEUE_MAX : depth;
}

static bool in_range(uint32_t value, uint32_t min, uint32_t max)
{
    return value >= min && value <= max;
}

static bool flow_config_valid(const struct weft_mad_config *c)
{
    const struct weft_mad_flow *f = &c->flow;

    return f->reserve < c->recv_depth && f->peers <= ENGINE_PEERS_MAX &&
           in_range(f->window_max, 1, UINT16_MAX) && in_range(f->window_initial, 1, f->window_max);
}

/* An id of its own for each agent, also while those of removed agents are still in use. */
static bool tid_range_valid(const struct weft_mad_config *c)
{
    return in_range(c->tid_first, 1, ENGINE_TID_MAX) &&
           in_range(c->tid_last, c->tid_first, ENGINE_TID_MAX) &&
           c->tid_last - c->tid_first >= c->agents - 1;
}

static bool rmpp_config_valid(const struct weft_mad_rmpp *r)
{
    return in_range(r->window, 1, ENGINE_WINDOW_MAX) &&
           in_range(r->transfers, 1, ENGINE_TRANSFERS_MAX) && r->bytes_max <= PORT_RMPP_BYTES_MAX &&
           r->ack_ns > 0 && r->receive_ns > 0;
}

/* Copies a configuration with its derived values filled in; false when it breaks a documented rule.
 */
static bool config_resolve(const struct weft_mad_config *c, struct weft_mad_config *ret)
{
    if (c->size != sizeof(*c))
        return false;
    *ret = *c;
    ret->recv_depth = clamp_depth(c->recv_depth);
    ret->send_depth = clamp_depth(c->send_depth);
    if (ret->flow.reserve == WEFT_MAD_EIGHTH)
        ret->flow.reserve = ret->recv_depth / 8;
    if (ret->rmpp.window == WEFT_MAD_EIGHTH)
        ret->rmpp.window = ret->recv_depth / 8;
    return in_range(c->port_number, 1, UINT8_MAX - 1) &&
           in_range(c->agents, 1, ENGINE_AGENTS_MAX) && tid_range_valid(c) &&
           in_range(c->sends, 1, ENGINE_SENDS_MAX) && retry_policy_valid(&c->retry) &&
           flow_config_valid(ret) && rmpp_config_valid(&ret->rmpp);
}

/* Where each array lies in the port's one allocation. */
struct plan {
    uint64_t total;
    uint32_t peers, backlogs, blocks, events, send_entries, peer_entries, transfer_entries, timers;
    uint64_t agents_at, place_at, heap_at, events_at, send_index_at, peer_index_at;
    uint64_t transfer_index_at, peers_at, backlogs_at, sends_at, txs_at, recvs_at, transfers_at,
        blocks_at;
};

static uint64_t plan_add(struct plan *plan, size_t size, uint64_t count)
{
    uint64_t at = plan->total;

    plan->total += (size * count + PORT_ALIGN - 1) / PORT_ALIGN * PORT_ALIGN;
    return at;
}

/* What every transaction touches comes first, so that small ports fit into few pages. */
static void plan_make(const struct weft_mad_config *c, struct plan *plan)
{
    uint32_t peers = c->flow.adaptive ? c->flow.peers : 0;
    uint64_t pairs = (uint64_t)peers * c->agents;

    *plan = (struct plan){.peers = peers,
                          .backlogs = pairs < c->sends ? (uint32_t)pairs : c->sends,
                          .blocks = (uint32_t)(c->rmpp.bytes_max / sizeof(struct rmpp_block)),
                          .events = c->sends + c->recv_depth,
                          .send_entries = index_entries(c->sends),
                          .peer_entries = index_entries(peers),
                          .transfer_entries = index_entries(c->rmpp.transfers),
                          .timers = c->sends + c->rmpp.transfers};
    plan_add(plan, sizeof(struct weft_mad_port), 1);
    plan->agents_at = plan_add(plan, sizeof(struct agent), c->agents);
    plan->place_at = plan_add(plan, sizeof(uint32_t), plan->timers);
    plan->send_index_at = plan_add(plan, sizeof(struct index_entry), plan->send_entries);
    plan->peer_index_at = plan_add(plan, sizeof(struct index_entry), plan->peer_entries);
    plan->transfer_index_at = plan_add(plan, sizeof(struct index_entry), plan->transfer_entries);
    plan->events_at = plan_add(plan, sizeof(uint32_t), plan->events);
    plan->heap_at = plan_add(plan, sizeof(struct timer), plan->timers + PORT_HEAP_SHIFT) +
                    PORT_HEAP_SHIFT * sizeof(struct timer);
    plan->sends_at = plan_add(plan, sizeof(struct send), c->sends);
    plan->peers_at = plan_add(plan, sizeof(struct peer), peers);
    plan->backlogs_at = plan_add(plan, sizeof(struct backlog), plan->backlogs);
    plan->txs_at = plan_add(plan, sizeof(struct tx), PORT_TXS(c->send_depth));
    plan->recvs_at = plan_add(plan, sizeof(struct recv), c->recv_depth);
    plan->transfers_at = plan_add(plan, sizeof(struct transfer), c->rmpp.transfers);
    plan->blocks_at = plan_add(plan, sizeof(struct rmpp_block), plan->blocks);
}

int weft_mad_port_bytes(const struct weft_mad_config *c, uint64_t *ret_total, uint32_t *ret_send)
{
    struct weft_mad_config resolved;
    struct plan plan;

    if (!config_resolve(c, &resolved))
        return WEFT_ERR_INVALID;
    plan_make(&resolved, &plan);
    *ret_total = plan.total;
    if (ret_send)
        *ret_send = (uint32_t)(sizeof(struct send) + TIMERS_BYTES_PER_ID + sizeof(uint32_t) +
                               sizeof(struct index_entry) * plan.send_entries / resolved.sends);
    return 0;
}

static void port_lay_out(struct weft_mad_port *p, const struct plan *plan)
{
    const struct weft_mad_config *c = &p->config;
    unsigned char *base = (unsigned char *)p;

    pool_init(&p->agents, base + plan->agents_at, sizeof(struct agent), c->agents);
    pool_init(&p->sends, base + plan->sends_at, sizeof(struct send), c->sends);
    pool_init(&p->txs, base + plan->txs_at, sizeof(struct tx), PORT_TXS(c->send_depth));
    pool_init(&p->recvs, base + plan->recvs_at, sizeof(struct recv), c->recv_depth);
    pool_init(&p->peers, base + plan->peers_at, sizeof(struct peer), plan->peers);
    pool_init(&p->backlogs, base + plan->backlogs_at, sizeof(struct backlog), plan->backlogs);
    pool_init(&p->transfers, base + plan->transfers_at, sizeof(struct transfer), c->rmpp.transfers);
    pool_init(&p->blocks, base + plan->blocks_at, sizeof(struct rmpp_block), plan->blocks);
    index_init(&p->send_index, (struct index_entry *)(void *)(base + plan->send_index_at),
               plan->send_entries);
    index_init(&p->peer_index, (struct index_entry *)(void *)(base + plan->peer_index_at),
               plan->peer_entries);
    index_init(&p->transfer_index, (struct index_entry *)(void *)(base + plan->transfer_index_at),
               plan->transfer_entries);
    timers_init(&p->timers, (struct timer *)(void *)(base + plan->heap_at),
                (uint32_t *)(void *)(base + plan->place_at), plan->timers);
    p->events = (uint32_t *)(void *)(base + plan->events_at);
    p->events_size = plan->events;
}

int weft_mad_port_new(const struct weft_mad_config *c, const struct weft_alloc *a,
                      struct weft_mad_port **ret)
{
    struct weft_alloc alloc = alloc_or_libc(a);
    struct weft_mad_config resolved;
    struct weft_mad_port *p;
    struct plan plan;

    if (!config_resolve(c, &resolved))
        return WEFT_ERR_INVALID;
    plan_make(&resolved, &plan);
    if (plan.total > SIZE_MAX)
        return WEFT_ERR_NOMEM;
    p = alloc.get(alloc.ctx, (size_t)plan.total, PORT_ALIGN);
    if (!p)
        return WEFT_ERR_NOMEM;
    memset(p, 0, sizeof(*p));
    p->config = resolved;
    p->alloc = alloc;
    p->bytes = plan.total;
    p->tid_next = resolved.tid_first;
    p->prng.state = resolved.seed;
    port_lay_out(p, &plan);
    for (int qpn = 0; qpn < 2; qpn++) {
        list_init(&p->queues[qpn].control);
        list_init(&p->queues[qpn].due);
    }
    list_init(&p->waiting);
    list_init(&p->peers_idle);
    list_init(&p->transfers_unsolicited);
    list_init(&p->transfers_complete);
    *ret = p;
    return 0;
}

struct weft_mad_port *weft_mad_port_free(struct weft_mad_port *p)
{
    if (p)
        p->alloc.put(p->alloc.ctx, p, (size_t)p->bytes);
    return NULL;
}

int weft_mad_port_set_lid(struct weft_mad_port *p, uint16_t base_lid, uint8_t lmc)
{
    if (lmc > 7 || base_lid >= WEFT_LID_MULTICAST_FIRST)
        return WEFT_ERR_INVALID;
    p->base_lid = base_lid;
    p->lmc = lmc;
    return 0;
}

int weft_mad_advance(struct weft_mad_port *p, weft_time now)
{
    uint32_t id;
    int err = engine_clock(p, now);

    if (err < 0)
        return err;
    while (timers_pop(&p->timers, now, &id)) {
        if (id < p->sends.capacity)
            send_timer(p, pool_at(&p->sends, id));
        else
            rmpp_rx_timer(p, pool_at(&p->transfers, id - p->sends.capacity));
    }
    return 0;
}

weft_time weft_mad_deadline(const struct weft_mad_port *p)
{
    return timers_deadline(&p->timers);
}

void weft_mad_port_stats(const struct weft_mad_port *p, struct weft_mad_port_stats *ret)
{
    uint32_t slot = 0;
    const struct agent *a;

    *ret = p->stats;
    ret->agents = 0;
    while ((a = pool_next(&p->agents, &slot)))
        ret->agents += a->present;
    ret->sends = p->sends.used;
    ret->outstanding = p->outstanding;
    ret->queued = p->queued;
    ret->recv_held = p->recvs.used;
    ret->recv_depth = p->config.recv_depth;
    for (int qpn = 0; qpn < 2; qpn++)
        ret->tx_held[qpn] = p->queues[qpn].held;
    ret->peers = p->peers.used;
    ret->rmpp_transfers = p->transfers.used;
    ret->rmpp_bytes = (uint64_t)p->blocks.used * sizeof(struct rmpp_block);
}
