/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A node: its port's configuration, its host's loop, and the checks on both. */
#include "node.h"

#include "client.h"
#include "core/mad/audit.h"

#include <weft/trace.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void node_require(struct world *w, bool condition, const char *rule)
{
    if (!condition && !w->fault)
        w->fault = rule;
}

static void check(struct node *n)
{
    const char *broken = mad_audit(n->port);

    node_require(n->world, !broken, broken);
}

static void observe(void *ctx, const struct weft_trace_event *ev)
{
    struct node *n = ctx;
    struct world *w = n->world;
    char line[256];
    size_t len = weft_trace_format(ev, line, sizeof(line));

    node_require(w, len < sizeof(line), "a trace line is short");
    for (size_t i = 0; i < len; i++)
        w->hash = (w->hash ^ (uint8_t)line[i]) * 0x100000001b3u;
    w->hash = (w->hash ^ n->index) * 0x100000001b3u;
    if (w->verbose)
        printf("# %u %s\n", n->index, line);
}

static uint32_t between(struct prng *g, uint32_t min, uint32_t max)
{
    return min + (uint32_t)prng_up_to(g, max - min);
}

static struct weft_mad_config draw_config(struct node *n)
{
    struct prng *g = &n->world->prng;
    struct weft_mad_config c;

    weft_mad_config_init(&c);
    c.seed = prng_next(g);
    c.agents = NODE_AGENTS;
    c.sends = between(g, 4, NODE_SENDS);
    c.recv_depth = between(g, 64, 96);
    c.send_depth = 64;
    c.flow.agent_limits = chance(g, 700);
    c.flow.port_budget = chance(g, 500);
    c.flow.adaptive = chance(g, 400);
    c.flow.reserve = between(g, 0, 63);
    c.flow.peers = between(g, 0, 4);
    c.flow.window_max = between(g, 1, 16);
    c.flow.window_initial = between(g, 1, c.flow.window_max);
    c.rmpp.window = between(g, 1, 20);
    c.rmpp.transfers = between(g, 1, 8);
    c.rmpp.bytes_max = (uint64_t)between(g, 1, 12) << 13;
    c.rmpp.ack_ns = between(g, 5, 60) * WEFT_MS;
    c.rmpp.receive_ns = between(g, 500, 4000) * WEFT_MS;
    c.rmpp.keep_ns = between(g, 0, 1000) * WEFT_MS;
    if (chance(g, 300))
        c.queue_timeout = between(g, 5, 400) * WEFT_MS;
    if (chance(g, 500))
        c.device.bits[WEFT_CLASS_PERF / 64] |= UINT64_C(1) << WEFT_CLASS_PERF % 64;
    if (chance(g, 700))
        c.device.bits[WEFT_CLASS_SUBN_DIRECTED / 64] |= UINT64_C(1)
                                                        << WEFT_CLASS_SUBN_DIRECTED % 64;
    client_draw_retry(n->world, &c.retry);
    c.trace = observe;
    c.trace_ctx = n;
    n->port_budget = c.flow.port_budget;
    return c;
}

void node_begin(struct node *n, struct world *w, uint32_t index)
{
    struct weft_mad_config c;

    memset(n, 0, sizeof(*n));
    n->world = w;
    n->index = index;
    n->lid = (uint16_t)(8 * (index + 1));
    n->lmc = (uint8_t)prng_up_to(&w->prng, 3);
    c = draw_config(n);
    node_require(w, weft_mad_port_new(&c, NULL, &n->port) == 0, "a port is made");
    node_require(w, weft_mad_port_set_lid(n->port, n->lid, n->lmc) == 0, "a port has a LID");
    for (uint32_t i = 0; i < NODE_AGENTS; i++)
        client_add_agent(n, i);
}

void node_end(struct node *n)
{
    n->port = weft_mad_port_free(n->port);
    for (uint32_t i = 0; i < NODE_SENDS; i++)
        free(n->sends[i].data);
}

void node_act(struct node *n)
{
    client_act(n);
    check(n);
}

/* The send that a response of these bytes would complete, if it is outstanding. */
static bool is_awaited(const struct node *n, const uint8_t *mad)
{
    for (uint32_t i = 0; i < NODE_SENDS; i++) {
        const struct node_send *s = &n->sends[i];
        enum weft_mad_state state;

        if (s->number == 0 || !s->expects || s->is_reply || s->tid != client_tid(mad) ||
            s->mgmt_class != mad[1] || weft_mad_send_state(n->port, s->id, &state) != 0)
            continue;
        if (state == WEFT_MAD_SEND_START || state == WEFT_MAD_WAIT_RESP)
            return true;
    }
    return false;
}

void node_receive(struct node *n, const struct flight *f)
{
    struct weft_mad_rx rx = f->rx;
    enum weft_mad_verdict verdict = WEFT_MAD_ACCEPTED;
    bool awaited = (f->mad[3] & WEFT_METHOD_RESPONSE) != 0 && is_awaited(n, f->mad);

    rx.data = f->mad;
    node_require(n->world, weft_mad_rx(n->port, n->world->now, &rx, &verdict) == 0,
                 "a packet is fed");
    if (n->port_budget && awaited)
        node_require(n->world, verdict != WEFT_MAD_DROP_NO_BUFFER,
                     "with the port's budget, an awaited answer finds a buffer");
    check(n);
}

/* The destination of a packet: the node whose LIDs it names. */
static void transmit(struct node *n, const struct weft_mad_tx *tx)
{
    struct world *w = n->world;
    uint32_t to = tx->to->lid / 8u - 1;
    struct weft_mad_rx rx = {.qpn = tx->qpn, .dlid = tx->to->lid, .data = tx->data, .len = tx->len};

    w->packets++;
    if (to >= w->node_count)
        return;
    rx.from = *tx->to;
    rx.from.lid = (uint16_t)(n->lid + tx->to->path_bits);
    rx.from.qpn = tx->qpn;
    rx.from.path_bits = 0;
    network_send(&w->network, w->now, to, &rx);
}

static bool take_packets(struct node *n)
{
    struct world *w = n->world;
    struct weft_mad_tx tx;
    bool any = false;

    while (n->held_count < NODE_HELD && weft_mad_poll_tx(n->port, &tx)) {
        struct node_held *h = &n->held[n->held_count++];

        h->id = tx.id;
        h->at = w->now + prng_up_to(&w->prng, w->habits.tx_delay_max);
        transmit(n, &tx);
        any = true;
    }
    return any;
}

static bool return_packets(struct node *n)
{
    struct world *w = n->world;
    bool any = false;

    for (uint32_t i = 0; i < n->held_count;) {
        if (n->held[i].at > w->now) {
            i++;
            continue;
        }
        node_require(w,
                     weft_mad_tx_done(n->port, w->now, n->held[i].id,
                                      !chance(&w->prng, w->habits.tx_error)) == 0,
                     "a packet is taken back");
        n->held[i] = n->held[--n->held_count];
        any = true;
    }
    return any;
}

void node_turn(struct node *n)
{
    struct world *w = n->world;
    bool busy;

    (void)return_packets(n);
    check(n);
    node_require(w, weft_mad_advance(n->port, w->now) == 0, "time goes on");
    check(n);
    do {
        busy = take_packets(n);
        busy |= return_packets(n);
        busy |= client_take_events(n);
        busy |= client_release(n);
        check(n);
    } while (busy && !w->fault);
}

weft_time node_next(const struct node *n)
{
    weft_time next = weft_mad_deadline(n->port);

    for (uint32_t i = 0; i < n->held_count; i++)
        next = n->held[i].at < next ? n->held[i].at : next;
    for (uint32_t i = 0; i < n->kept_count; i++)
        next = n->kept[i].at < next ? n->kept[i].at : next;
    return next;
}

void node_check_end(struct node *n)
{
    struct weft_mad_port_stats s;

    weft_mad_port_stats(n->port, &s);
    for (uint32_t i = 0; i < NODE_SENDS; i++)
        node_require(n->world, n->sends[i].number == 0, "every send is reported in the end");
    node_require(n->world, s.sends == 0 && s.queued == 0 && s.outstanding == 0,
                 "all sends are given back");
    node_require(n->world, s.recv_held == 0, "all receive buffers are given back");
    node_require(n->world, s.tx_held[0] == 0 && s.tx_held[1] == 0, "all packets are given back");
    node_require(n->world, s.rmpp_transfers == 0 && s.rmpp_bytes == 0,
                 "all transfers are forgotten");
}
