/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Flow control: the gates and the backlogs. */
#include "core/mad/flow.h"

#include "core/mad/peer.h"
#include "core/mad/send.h"
#include "core/mad/tx.h"

uint32_t flow_agent_limit(const struct weft_mad_port *p, const struct agent *a)
{
    uint32_t depth = p->config.recv_depth;

    if (!p->config.flow.agent_limits || a->no_recv)
        return 0;
    if (a->send_only || a->mgmt_class == WEFT_CLASS_CM)
        return depth / 4;
    if (a->mgmt_class == WEFT_CLASS_SUBN_ADM)
        return depth / 32;
    if (mad_class_is_smi(a->mgmt_class))
        return (depth < ENGINE_SMP_QUEUE_MAX ? depth : ENGINE_SMP_QUEUE_MAX) / 4;
    return 0;
}

static bool flow_class_is_limited(uint8_t mgmt_class)
{
    return mgmt_class == WEFT_CLASS_CM || mgmt_class == WEFT_CLASS_SUBN_ADM ||
           mad_class_is_smi(mgmt_class);
}

void flow_classify(struct weft_mad_port *p, struct send *s)
{
    if (s->timeout == 0)
        return;
    if (s->agent->stats.limit > 0 && flow_class_is_limited(s->mgmt_class) &&
        !(s->flags & SEND_RMPP))
        s->flags |= SEND_LIMITED;
    if (p->config.flow.adaptive && !(s->flags & SEND_DIRECTED)) {
        s->peer = peer_take(p, &s->to);
        if (s->peer)
            s->peer->users++;
        else
            p->stats.peers_full++;
    }
}

void flow_count_outstanding(struct weft_mad_port *p, struct send *s, bool enters)
{
    uint32_t d = enters ? 1 : UINT32_MAX;

    WEFT_ASSERT(enters || s->timeout == 0 || p->outstanding > 0);
    WEFT_ASSERT(enters || !s->transfer || p->gathering > 0);
    WEFT_ASSERT(enters || !(s->flags & SEND_LIMITED) || s->agent->stats.outstanding > 0);
    WEFT_ASSERT(enters || !s->peer || s->peer->outstanding > 0);
    if (s->flags & SEND_LIMITED)
        s->agent->stats.outstanding += d;
    if (s->timeout > 0) {
        p->outstanding += d;
        if (s->transfer)
            p->gathering += d;
    }
    if (s->peer)
        s->peer->outstanding += d;
}

void flow_count_queued(struct weft_mad_port *p, struct send *s, bool enters)
{
    uint32_t d = enters ? 1 : UINT32_MAX;

    WEFT_ASSERT(enters || (s->agent->stats.queued > 0 && p->queued > 0));
    s->agent->stats.queued += d;
    p->queued += d;
}

void flow_backlog_init(struct backlog *b, struct agent *a)
{
    list_init(&b->sends);
    list_init(&b->turn);
    list_init(&b->by_peer);
    b->agent = a;
}

/* The backlog that the send is in or would join; NULL when that is still to be made. */
static struct backlog *flow_backlog(const struct send *s)
{
    if (!s->peer)
        return &s->agent->backlog;
    for (struct list_node *n = s->peer->backlogs.next; n != &s->peer->backlogs; n = n->next) {
        struct backlog *b = WEFT_CONTAINER_OF(n, struct backlog, by_peer);

        if (b->agent == s->agent)
            return b;
    }
    return NULL;
}

static struct backlog *flow_backlog_make(struct weft_mad_port *p, const struct send *s)
{
    struct backlog *b = pool_take(&p->backlogs);

    /* there is one for each send, or for each pair of agent and destination */
    WEFT_ASSERT(b);
    if (!b)
        __builtin_unreachable();
    flow_backlog_init(b, s->agent);
    list_push_back(&s->peer->backlogs, &b->by_peer);
    return b;
}

/* An empty backlog stands in no line, and one that was made for a destination is given back. */
static void flow_backlog_emptied(struct weft_mad_port *p, struct backlog *b)
{
    list_remove(&b->turn);
    if (list_empty(&b->by_peer))
        return;
    list_remove(&b->by_peer);
    pool_give(&p->backlogs, b);
}

static bool flow_others_wait(const struct send *s)
{
    const struct backlog *b = flow_backlog(s);

    return b && !list_empty(&b->sends);
}

static struct send *backlog_first(const struct backlog *b)
{
    struct list_node *n = list_first(&b->sends);

    return n ? WEFT_CONTAINER_OF(n, struct send, queue) : NULL;
}

/* Whether the receive queue can take one more answer. `gathering` requests have their buffer, and
 * unsolicited transfers still coming in give way to answers. */
static bool flow_port_has_room(const struct weft_mad_port *p)
{
    uint32_t solicited = p->recvs.used - p->held_unsolicited;
    uint32_t unsolicited = p->held_unsolicited - p->gathering_unsolicited;
    uint32_t kept = p->config.flow.reserve;

    if (unsolicited > kept)
        kept = unsolicited;
    return p->outstanding - p->gathering + solicited + kept < p->config.recv_depth;
}

bool flow_buffer_to_spare(const struct weft_mad_port *p)
{
    if (!p->config.flow.port_budget)
        return true;
    return p->config.recv_depth - p->recvs.used > p->outstanding - p->gathering;
}

bool flow_transfer_may_stay(const struct weft_mad_port *p)
{
    uint32_t to_spare = p->recvs.capacity - p->recvs.used + p->gathering_unsolicited;

    return !p->config.flow.port_budget || to_spare > p->outstanding - p->gathering;
}

enum flow_gate flow_gate(const struct weft_mad_port *p, const struct send *s)
{
    if (s->peer && !peer_open(s->peer, s->peer->outstanding))
        return FLOW_PEER;
    /* removal ends its sends one by one; none of them takes the place of another meanwhile */
    if (!s->agent->present)
        return FLOW_AGENT;
    if ((s->flags & SEND_LIMITED) && s->agent->stats.outstanding >= s->agent->stats.limit)
        return FLOW_AGENT;
    if (p->config.flow.port_budget && s->timeout > 0 && !flow_port_has_room(p))
        return FLOW_PORT;
    return FLOW_OPEN;
}

static bool flow_is_gated(const struct weft_mad_port *p, const struct send *s)
{
    return s->peer || (s->flags & SEND_LIMITED) || (p->config.flow.port_budget && s->timeout > 0);
}

bool flow_post_must_queue(const struct weft_mad_port *p, const struct send *s)
{
    return flow_is_gated(p, s) && (flow_others_wait(s) || flow_gate(p, s) != FLOW_OPEN);
}

bool flow_retry_must_queue(const struct weft_mad_port *p, const struct send *s)
{
    if (!flow_is_gated(p, s))
        return false;
    if (flow_others_wait(s))
        return true;
    /* its own place is free for it, unless another backlog stands in line for that place, or the
     * window has shrunk below what is outstanding */
    if ((s->flags & SEND_LIMITED) && !list_empty(&s->agent->waiting))
        return true;
    if (p->config.flow.port_budget && !list_empty(&p->waiting))
        return true;
    return s->peer &&
           (!list_empty(&s->peer->waiting) || !peer_open(s->peer, s->peer->outstanding - 1));
}

static void flow_stand_in_line(struct weft_mad_port *p, struct backlog *b, struct send *first,
                               enum flow_gate gate)
{
    struct list_node *line = &p->waiting;

    if (gate == FLOW_PEER)
        line = &first->peer->waiting;
    else if (gate == FLOW_AGENT)
        line = &first->agent->waiting;
    list_remove(&b->turn);
    list_push_back(line, &b->turn);
}

/* Lets the sends of a backlog go, in order, up to the first that is stopped. */
static void flow_serve(struct weft_mad_port *p, struct backlog *b)
{
    struct send *s;

    while ((s = backlog_first(b))) {
        enum flow_gate gate = flow_gate(p, s);

        if (gate != FLOW_OPEN) {
            flow_stand_in_line(p, b, s, gate);
            return;
        }
        list_remove(&s->queue);
        timers_disarm(&p->timers, pool_slot(&p->sends, s));
        send_begin_attempt(p, s, SEND_RELEASE);
    }
    flow_backlog_emptied(p, b);
}

void flow_enqueue(struct weft_mad_port *p, struct send *s)
{
    struct backlog *b = flow_backlog(s);
    bool first;

    if (!b)
        b = flow_backlog_make(p, s);
    first = list_empty(&b->sends);
    s->agent->stats.limited++;
    p->stats.limited++;
    list_push_back(&b->sends, &s->queue);
    if (s->queue_timeout != WEFT_TIME_NEVER)
        timers_arm(&p->timers, pool_slot(&p->sends, s), engine_later(p->now, s->queue_timeout));
    if (first)
        flow_serve(p, b);
}

void flow_leave(struct weft_mad_port *p, struct send *s)
{
    struct backlog *b = flow_backlog(s);
    bool was_first = b && b->sends.next == &s->queue;

    list_remove(&s->queue);
    if (was_first)
        flow_serve(p, b);
}

static void flow_serve_line(struct weft_mad_port *p, struct list_node *line)
{
    struct list_node *n = list_first(line);

    if (n)
        flow_serve(p, WEFT_CONTAINER_OF(n, struct backlog, turn));
}

static bool flow_agent_has_room(const struct agent *a)
{
    return a->present && a->stats.outstanding < a->stats.limit;
}

void flow_buffer_freed(struct weft_mad_port *p)
{
    if (!p->config.flow.port_budget)
        return;
    while (!list_empty(&p->waiting) && flow_port_has_room(p))
        flow_serve_line(p, &p->waiting);
}

void flow_freed(struct weft_mad_port *p, struct send *s)
{
    while (s->peer && !list_empty(&s->peer->waiting) && peer_open(s->peer, s->peer->outstanding))
        flow_serve_line(p, &s->peer->waiting);
    while (!list_empty(&s->agent->waiting) && flow_agent_has_room(s->agent))
        flow_serve_line(p, &s->agent->waiting);
    flow_buffer_freed(p);
}

void flow_peer_answered(struct weft_mad_port *p, struct send *s)
{
    if (s->peer)
        peer_grow(p, s->peer);
}

void flow_peer_lost(struct weft_mad_port *p, struct send *s)
{
    if (s->peer)
        peer_shrink(p, s->peer, s->sent_at);
}

void flow_peer_release(struct weft_mad_port *p, struct send *s)
{
    struct peer *d = s->peer;

    WEFT_ASSERT(!d || d->users > 0);
    s->peer = NULL;
    if (d && --d->users == 0)
        list_push_back(&p->peers_idle, &d->idle);
}
