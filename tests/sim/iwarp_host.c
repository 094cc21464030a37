/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sockets in virtual time: they connect or fail, take a part of what is written, bring bytes in
 * pieces, and end. */
#include "iwarp_host.h"

#include "iwarp_node.h"

#include <string.h>

static weft_time later(struct world *w)
{
    return w->now + (w->healed ? WEFT_MS : world_draw(w, w->habits.delay_max));
}

static struct tcp_end *other(struct wire *wire, const struct tcp_end *e)
{
    return e == &wire->end[0] ? &wire->end[1] : &wire->end[0];
}

static void check_fed(struct world *w, int err)
{
    world_require(w, err == 0 || err == WEFT_ERR_STALE, "an open socket was refused");
}

static struct tcp_end *find_end(struct world *w, const struct node *n, weft_siw_ep ep,
                                struct wire **ret_wire)
{
    for (uint32_t i = 0; i < WIRES_MAX; i++) {
        for (uint32_t k = 0; k < 2; k++) {
            struct tcp_end *e = &w->wires[i].end[k];

            if (!w->wires[i].used || e->node != n || e->ep.v != ep.v || e->state == END_NONE ||
                e->state == END_GONE)
                continue;
            *ret_wire = &w->wires[i];
            return e;
        }
    }
    return NULL;
}

static void dial(struct world *w, struct node *n, const struct weft_siw_op *op)
{
    for (uint32_t i = 0; i < WIRES_MAX; i++) {
        struct wire *wire = &w->wires[i];

        if (wire->used)
            continue;
        wire->used = true;
        wire->decided = false;
        wire->at = later(w);
        wire->local = op->local;
        wire->remote = op->remote;
        for (uint32_t k = 0; k < 2; k++) {
            struct tcp_end *e = &wire->end[k];

            e->node = NULL;
            e->state = END_NONE;
            e->blocked = e->fin_told = e->lost_told = false;
            e->writable = WEFT_TIME_NEVER;
            stream_begin(&e->in, 1 + (uint32_t)world_draw(w, STREAM_WINDOW_MAX - 1));
        }
        wire->end[0].node = n;
        wire->end[0].ep = op->ep;
        wire->end[0].state = END_WAITING;
        wire->end[0].at = WEFT_TIME_NEVER;
        return;
    }
    check_fed(w, weft_siw_tcp_failed(n->siw, w->now, op->ep, WEFT_IWCM_UNREACHABLE));
    n->orphan = op->ep;
}

static void bind_listener(struct world *w, struct node *n, const struct weft_siw_op *op)
{
    bool taken = false;

    for (uint32_t i = 0; i < LISTENERS_MAX; i++)
        taken = taken || (n->listeners[i].v != 0 && n->listener_ports[i] == op->local.port);
    for (uint32_t i = 0; i < LISTENERS_MAX; i++) {
        if (n->listeners[i].v != 0)
            continue;
        n->listeners[i] = op->ep;
        n->listener_ports[i] = op->local.port;
        n->listening[i] = !taken && !world_chance(w, w->healed ? 0 : w->habits.bind_fail);
        if (n->listening[i])
            check_fed(w, weft_siw_tcp_bound(n->siw, w->now, op->ep, &op->local));
        else
            check_fed(w, weft_siw_tcp_failed(n->siw, w->now, op->ep, WEFT_IWCM_ADDRESS));
        return;
    }
    world_broken(w, "more listeners than ids");
}

static void write_some(struct world *w, struct node *n, const struct weft_siw_op *op)
{
    struct wire *wire;
    struct tcp_end *e = find_end(w, n, op->ep, &wire), *to;
    uint32_t taken, left;

    if (!e || e->blocked || e->state != END_OPEN) {
        world_broken(w, "a WRITE without a socket that takes bytes");
        return;
    }
    to = other(wire, e);
    left = stream_room(&to->in) < op->bytes ? stream_room(&to->in) : (uint32_t)op->bytes;
    if (world_chance(w, w->habits.partial))
        left = (uint32_t)world_draw(w, left);
    taken = left;
    for (uint32_t i = 0; i < op->part_count && left > 0; i++) {
        uint32_t some = left < op->parts[i].bytes ? left : (uint32_t)op->parts[i].bytes;

        stream_write(&to->in, later(w), op->parts[i].data, some);
        left -= some;
    }
    world_require(w, left == 0, "a WRITE's parts are shorter than it");
    w->totals.bytes += taken;
    e->blocked = taken < op->bytes;
    world_tell(w, n, "WRITE", op->bytes, taken, 0);
    check_fed(w, weft_siw_tcp_written(n->siw, w->now, op->ep, taken));
}

static void release_listener(struct world *w, struct node *n, weft_siw_ep ep)
{
    for (uint32_t i = 0; i < LISTENERS_MAX; i++) {
        if (n->listeners[i].v != ep.v)
            continue;
        n->listeners[i].v = 0;
        n->listening[i] = false;
        return;
    }
    world_broken(w, "RELEASE of an unknown endpoint");
}

static void wire_give(struct wire *wire)
{
    bool first = wire->end[0].state == END_GONE;
    bool second = wire->end[1].state == END_GONE || wire->end[1].state == END_NONE;

    if (first && second)
        wire->used = false;
}

static void release(struct world *w, struct node *n, const struct weft_siw_op *op)
{
    struct wire *wire;
    struct tcp_end *e = find_end(w, n, op->ep, &wire);

    if (!e && n->orphan.v == op->ep.v) {
        n->orphan.v = 0;
        return;
    }
    if (!e) {
        release_listener(w, n, op->ep);
        return;
    }
    e->state = END_GONE;
    /* who closes with bytes unread resets */
    if (op->reset || e->in.arrived > 0)
        stream_reset(&other(wire, e)->in, later(w));
    else
        stream_fin(&other(wire, e)->in, later(w));
    wire_give(wire);
}

static bool serve_one(struct world *w, struct node *n)
{
    struct weft_siw_op op;
    struct wire *wire;
    struct tcp_end *e;

    if (!weft_siw_poll_op(n->siw, w->now, &op))
        return false;
    if (op.type != WEFT_SIW_OP_WRITE)
        world_tell(w, n, "op", op.type, op.local.port, op.reset);
    switch (op.type) {
    case WEFT_SIW_OP_DIAL:
        dial(w, n, &op);
        break;
    case WEFT_SIW_OP_BIND:
        bind_listener(w, n, &op);
        break;
    case WEFT_SIW_OP_WRITE:
        write_some(w, n, &op);
        break;
    case WEFT_SIW_OP_SHUT:
        e = find_end(w, n, op.ep, &wire);
        world_require(w, e && e->state == END_OPEN, "SHUT without a socket");
        if (e)
            stream_fin(&other(wire, e)->in, later(w));
        break;
    case WEFT_SIW_OP_RELEASE:
        release(w, n, &op);
        break;
    case WEFT_SIW_OPS:
        world_broken(w, "an operation that is none");
    }
    return true;
}

/* Whom a dialed address belongs to, if somebody listens there. */
static struct node *listener_at(struct world *w, const struct weft_iw_addr *at, weft_siw_ep *ret)
{
    for (uint32_t i = 0; i < w->node_count; i++) {
        for (uint32_t k = 0; k < LISTENERS_MAX; k++) {
            const struct node *n = &w->nodes[i];

            if (n->listening[k] && n->listener_ports[k] == at->port && at->ip[3] == i + 1) {
                *ret = n->listeners[k];
                return &w->nodes[i];
            }
        }
    }
    return NULL;
}

static void decide(struct world *w, struct wire *wire)
{
    static const enum weft_iwcm_status why[] = {WEFT_IWCM_REFUSED, WEFT_IWCM_TIMEOUT,
                                                WEFT_IWCM_UNREACHABLE};
    struct tcp_end *a = &wire->end[0], *b = &wire->end[1];
    weft_siw_ep listener;
    struct node *to = listener_at(w, &wire->remote, &listener);
    enum weft_iwcm_status status = WEFT_IWCM_OK;

    wire->decided = true;
    if (!to)
        status = WEFT_IWCM_REFUSED;
    else if (world_chance(w, w->healed ? 0 : w->habits.dial_fail))
        status = why[world_draw(w, 2)];
    if (status != WEFT_IWCM_OK) {
        if (a->state == END_WAITING) {
            a->state = END_FAILED;
            check_fed(w, weft_siw_tcp_failed(a->node->siw, w->now, a->ep, status));
        }
        return;
    }
    a->at = later(w);
    b->node = to;
    b->ep = (weft_siw_ep){0};
    b->state = END_WAITING;
    b->at = later(w);
}

/* The provider hears of its connection. */
static void come_up(struct world *w, struct wire *wire, struct tcp_end *e)
{
    static const uint32_t mss[] = {0, 100, 536, 1460, 8960};
    uint32_t m = mss[world_draw(w, 4)];
    struct node *n = e->node;
    weft_siw_ep listener;

    if (e == &wire->end[0]) {
        e->state = END_OPEN;
        world_tell(w, n, "tcp up", wire->local.port, m, 0);
        check_fed(w, weft_siw_tcp_up(n->siw, w->now, e->ep, &wire->local, m));
        return;
    }
    e->state = END_GONE;
    if (listener_at(w, &wire->remote, &listener) == n &&
        weft_siw_tcp_incoming(n->siw, w->now, listener, &wire->remote, &wire->local, m, &e->ep) ==
            0) {
        e->state = END_OPEN;
        world_tell(w, n, "incoming", wire->local.port, m, 0);
        return;
    }
    stream_reset(&wire->end[0].in, later(w));
    wire_give(wire);
}

/* What arrives at a socket that is closed is answered by RST. */
static void discard(struct world *w, struct wire *wire, struct tcp_end *e)
{
    static uint8_t nowhere[STREAM_WINDOW_MAX];

    stream_arrive(&e->in, w->now);
    if (e->in.arrived == 0)
        return;
    stream_read(&e->in, nowhere, e->in.arrived);
    stream_reset(&other(wire, e)->in, later(w));
}

/* Changes a byte of what a CRC protects: TCP's own checksum is weak. */
static void damage(struct world *w, struct wire *wire, const struct tcp_end *e, uint8_t *piece,
                   uint32_t bytes)
{
    struct conn *c = world_conn(w, wire->local.port);
    const struct side *s;
    struct weft_siw_qp_info info;

    if (!c || w->healed || !world_chance(w, w->habits.damage))
        return;
    s = &c->side[e == &wire->end[1]];
    if (!s->bound || s->over || weft_siw_qp_query(e->node->siw, s->qp->qpn, &info) != 0 ||
        !info.crc || (info.state != WEFT_SIW_QP_RTS && info.state != WEFT_SIW_QP_CLOSING))
        return;
    piece[world_draw(w, bytes - 1)] ^= (uint8_t)(1u << world_draw(w, 7));
    c->damaged = c->disturbed = true;
    world_tell(w, e->node, "damage", c->port, bytes, 0);
}

static void bring(struct world *w, struct wire *wire, struct tcp_end *e)
{
    uint8_t piece[STREAM_WINDOW_MAX];
    uint32_t most = e->in.arrived - 1;
    uint32_t bytes = 1 + (uint32_t)world_draw(w, world_chance(w, 300) && most > 40 ? 40 : most);
    struct node *n = e->node;
    size_t room = 0;
    void *window = world_chance(w, 500) ? weft_siw_rx_window(n->siw, e->ep, &room) : NULL;

    if (window) {
        bytes = bytes < room ? bytes : (uint32_t)room;
        stream_read(&e->in, window, bytes);
        check_fed(w, weft_siw_tcp_rx_placed(n->siw, w->now, e->ep, bytes));
        return;
    }
    stream_read(&e->in, piece, bytes);
    damage(w, wire, e, piece, bytes);
    check_fed(w, weft_siw_tcp_rx(n->siw, w->now, e->ep, piece, bytes));
}

/* What has arrived at an open socket.
 * Returns whether there was anything. */
static bool receive(struct world *w, struct wire *wire, struct tcp_end *e)
{
    struct stream *in = &e->in;
    bool reset = in->rst <= w->now && !e->lost_told;

    stream_arrive(in, w->now);
    if (e->lost_told)
        return false;
    if (in->arrived > 0 && !(reset && world_chance(w, 500))) {
        bring(w, wire, e);
        return true;
    }
    if (reset) {
        e->lost_told = true;
        world_tell(w, e->node, "lost", e->in.bytes, 0, 0);
        check_fed(w, weft_siw_tcp_end(e->node->siw, w->now, e->ep, true));
        return true;
    }
    if (in->fin <= w->now && in->bytes == 0 && !e->fin_told) {
        e->fin_told = true;
        world_tell(w, e->node, "fin", 0, 0, 0);
        check_fed(w, weft_siw_tcp_end(e->node->siw, w->now, e->ep, false));
        return true;
    }
    return false;
}

static bool unblock(struct world *w, struct wire *wire, struct tcp_end *e)
{
    if (!e->blocked || e->lost_told)
        return false;
    if (e->writable == WEFT_TIME_NEVER && stream_room(&other(wire, e)->in) > 0)
        e->writable = later(w);
    if (e->writable > w->now)
        return false;
    e->writable = WEFT_TIME_NEVER;
    e->blocked = false;
    check_fed(w, weft_siw_tcp_writable(e->node->siw, w->now, e->ep));
    return true;
}

static bool feed_end(struct world *w, struct wire *wire, struct tcp_end *e)
{
    switch (e->state) {
    case END_WAITING:
        if (e->at > w->now)
            return false;
        come_up(w, wire, e);
        return true;
    case END_OPEN:
        return receive(w, wire, e) || unblock(w, wire, e);
    case END_GONE:
        discard(w, wire, e);
        return false;
    case END_NONE:
    case END_FAILED:
        break;
    }
    return false;
}

static bool feed(struct world *w, struct node *n)
{
    bool any = false;

    for (uint32_t i = 0; i < WIRES_MAX && !w->fault; i++) {
        struct wire *wire = &w->wires[i];

        if (wire->used && !wire->decided && wire->end[0].node == n && wire->at <= w->now) {
            decide(w, wire);
            wire_give(wire);
            any = true;
        }
        for (uint32_t k = 0; k < 2 && wire->used; k++) {
            if (wire->end[k].node == n)
                any = feed_end(w, wire, &wire->end[k]) || any;
        }
    }
    return any;
}

/* A timer that is not due does nothing; one that was due is not due again. */
static void advance(struct world *w, struct node *n)
{
    struct weft_siw_stats before, after;
    bool due = weft_siw_deadline(n->siw) <= w->now;

    weft_siw_stats(n->siw, &before);
    world_require(w, weft_siw_advance(n->siw, w->now) == 0, "advance was refused");
    world_require(w, weft_siw_deadline(n->siw) > w->now, "a deadline lies in the past");
    if (due)
        return;
    weft_siw_stats(n->siw, &after);
    world_require(w, memcmp(&before, &after, sizeof(before)) == 0, "a timer fired early");
}

void host_turn(struct world *w, struct node *n)
{
    if (w->healed)
        n->stalled = 0;
    if (n->stalled > w->now)
        return;
    if (world_chance(w, w->healed ? 0 : w->habits.stall)) {
        n->stalled = w->now + 1 + world_draw(w, w->habits.stall_max);
        return;
    }
    while (feed(w, n) && !w->fault) {
        for (uint64_t some = world_draw(w, 4); some > 0 && serve_one(w, n); some--)
            ;
    }
    do
        advance(w, n);
    while (serve_one(w, n) && !w->fault);
}

static weft_time earlier(weft_time a, weft_time b)
{
    return a < b ? a : b;
}

static weft_time end_next(const struct wire *wire, const struct tcp_end *e)
{
    const struct stream *to = &wire->end[e == &wire->end[0]].in;
    weft_time next = WEFT_TIME_NEVER;

    switch (e->state) {
    case END_WAITING:
        return e->at;
    case END_OPEN:
        if (e->lost_told)
            return next;
        if (e->blocked)
            next = e->writable != WEFT_TIME_NEVER || stream_room(to) == 0 ? e->writable : 0;
        if (!e->fin_told)
            next = earlier(next, stream_next(&e->in));
        return earlier(next, e->in.rst);
    case END_GONE:
        return e->in.marks > 0 ? e->in.mark[0].at : next;
    case END_NONE:
    case END_FAILED:
        break;
    }
    return next;
}

weft_time host_next(const struct world *w, const struct node *n)
{
    weft_time next = weft_siw_deadline(n->siw);

    for (uint32_t i = 0; i < WIRES_MAX; i++) {
        const struct wire *wire = &w->wires[i];

        if (!wire->used)
            continue;
        if (!wire->decided && wire->end[0].node == n)
            next = earlier(next, wire->at);
        for (uint32_t k = 0; k < 2; k++) {
            if (wire->end[k].node == n)
                next = earlier(next, end_next(wire, &wire->end[k]));
        }
    }
    if (!w->healed && n->stalled > w->now && next < n->stalled)
        next = n->stalled;
    return next;
}

void host_break_one(struct world *w)
{
    struct wire *wire = &w->wires[world_draw(w, WIRES_MAX - 1)];

    if (!wire->used || !wire->decided || !wire->end[1].node)
        return;
    world_tell(w, NULL, "break", wire->local.port, 0, 0);
    if (world_conn(w, wire->local.port))
        world_conn(w, wire->local.port)->disturbed = true;
    stream_reset(&wire->end[0].in, later(w));
    stream_reset(&wire->end[1].in, later(w));
}

uint32_t host_endpoints(const struct world *w, const struct node *n)
{
    uint32_t count = n->orphan.v != 0;

    for (uint32_t i = 0; i < LISTENERS_MAX; i++)
        count += n->listeners[i].v != 0;
    for (uint32_t i = 0; i < WIRES_MAX; i++) {
        const struct wire *wire = &w->wires[i];

        for (uint32_t k = 0; k < 2 && wire->used; k++) {
            const struct tcp_end *e = &wire->end[k];

            /* of an incoming one that waits the provider knows nothing */
            count += e->node == n && (e->state == END_OPEN || e->state == END_FAILED ||
                                      (k == 0 && e->state == END_WAITING));
        }
    }
    return count;
}
