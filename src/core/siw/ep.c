/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Endpoints: their slots, states, timers and turns. */
#include "core/siw/ep.h"

#include "core/siw/connection.h"
#include "core/siw/engine.h"
#include "core/siw/stream.h"

/* The heap of struct timers likes its second entry at a cache line's beginning. */
#define HEAP_ALIGN 64

static uint64_t heap_bytes(const struct weft_siw *s)
{
    return (uint64_t)s->config.endpoints * sizeof(struct timer);
}

static uint64_t place_bytes(const struct weft_siw *s)
{
    return (uint64_t)s->config.endpoints * sizeof(uint32_t);
}

static uint64_t ep_bytes(const struct weft_siw *s)
{
    return (uint64_t)s->config.endpoints * sizeof(struct ep);
}

int connections_new(struct weft_siw *s)
{
    struct connections *c = &s->conn;
    uint32_t n = s->config.endpoints;
    void *eps = siw_take(s, ep_bytes(s), _Alignof(struct ep));

    list_init(&c->due);
    pool_init(&c->eps, eps, sizeof(struct ep), n);
    c->timer_heap = siw_take(s, heap_bytes(s), HEAP_ALIGN);
    c->timer_place = siw_take(s, place_bytes(s), _Alignof(uint32_t));
    if (!eps || !c->timer_heap || !c->timer_place) {
        connections_free(s);
        return WEFT_ERR_NOMEM;
    }
    timers_init(&c->timers, c->timer_heap, c->timer_place, n);
    return 0;
}

void connections_free(struct weft_siw *s)
{
    struct connections *c = &s->conn;

    siw_give(s, c->timer_place, place_bytes(s));
    siw_give(s, c->timer_heap, heap_bytes(s));
    siw_give(s, c->eps.base, ep_bytes(s));
    c->timer_place = NULL;
    c->timer_heap = NULL;
    c->eps.base = NULL;
}

struct ep *ep_new(struct weft_siw *s, enum ep_state state)
{
    struct ep *ep = pool_take(&s->conn.eps);

    WEFT_ASSERT(state == EP_DIALING || state == EP_BINDING || state == EP_AWAIT_REQUEST);
    if (!ep)
        return NULL;
    /* the two frames are not worth clearing */
    pool_clear(ep, offsetof(struct ep, in));
    list_init(&ep->due);
    ep->state = state;
    ep->deadline = WEFT_TIME_NEVER;
    ep->qp_deadline = WEFT_TIME_NEVER;
    if (state == EP_AWAIT_REQUEST)
        s->conn.half_open++;
    return ep;
}

struct ep *ep_find(const struct weft_siw *s, uint64_t handle)
{
    struct ep *ep = pool_find(&s->conn.eps, handle);

    return ep && ep->state != EP_RELEASING ? ep : NULL;
}

uint64_t ep_handle(const struct weft_siw *s, const struct ep *ep)
{
    return pool_handle(&s->conn.eps, ep);
}

static void arm(struct weft_siw *s, const struct ep *ep)
{
    weft_time first = ep->deadline < ep->qp_deadline ? ep->deadline : ep->qp_deadline;
    uint32_t slot = pool_slot(&s->conn.eps, ep);

    if (first == WEFT_TIME_NEVER)
        timers_disarm(&s->conn.timers, slot);
    else
        timers_arm(&s->conn.timers, slot, first);
}

void ep_arm(struct weft_siw *s, struct ep *ep, weft_time deadline)
{
    ep->deadline = deadline;
    arm(s, ep);
}

void connection_arm(struct weft_siw *s, struct ep *ep, weft_time deadline)
{
    if (ep->state == EP_RELEASING)
        return;
    ep->qp_deadline = deadline;
    arm(s, ep);
}

enum ep_verdict ep_step(struct weft_siw *s, struct ep *ep, enum ep_input input)
{
    struct ep_cell cell = ep_fsm_cell(ep->state, input);

    WEFT_ASSERT(cell.verdict != EP_NEVER);
    if (cell.verdict != EP_TO)
        return cell.verdict;
    if (ep->state == EP_AWAIT_REQUEST)
        s->conn.half_open--;
    ep->state = cell.next;
    ep->op_given = false;
    if (cell.next == EP_RELEASING)
        ep->qp_deadline = WEFT_TIME_NEVER;
    ep_arm(s, ep, WEFT_TIME_NEVER);
    return EP_TO;
}

void ep_due(struct weft_siw *s, struct ep *ep)
{
    if (list_empty(&ep->due))
        list_push_back(&s->conn.due, &ep->due);
}

void ep_give(struct weft_siw *s, struct ep *ep)
{
    WEFT_ASSERT(ep->state == EP_RELEASING && !ep->qp);
    list_remove(&ep->due);
    pool_give(&s->conn.eps, ep);
}

static void time_out(struct weft_siw *s, struct ep *ep)
{
    if (ep->state == EP_AWAIT_REQUEST || ep->state == EP_AWAIT_REPLY || ep->state == EP_READY_WAIT)
        s->stats.mpa_timeouts++;
    close_ep(s, ep, EP_TIMEOUT, WEFT_IWCM_TIMEOUT);
}

static void fire(struct weft_siw *s, struct ep *ep)
{
    if (ep->qp_deadline <= s->now) {
        ep->qp_deadline = WEFT_TIME_NEVER;
        if (ep->qp)
            qp_timer(s, ep->qp);
    }
    if (ep->state == EP_RELEASING)
        return;
    if (ep->deadline <= s->now)
        time_out(s, ep);
    else
        arm(s, ep);
}

int weft_siw_advance(struct weft_siw *s, weft_time now)
{
    uint32_t slot;

    if (now < s->now)
        return WEFT_ERR_CLOCK;
    s->now = now;
    while (timers_pop(&s->conn.timers, now, &slot))
        fire(s, pool_at(&s->conn.eps, slot));
    return 0;
}

weft_time weft_siw_deadline(const struct weft_siw *s)
{
    return timers_deadline(&s->conn.timers);
}
