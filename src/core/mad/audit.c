/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Audit: the invariants of a port. */
#include "core/mad/audit.h"

#include "core/mad/engine.h"
#include "core/mad/flow.h"
#include "core/mad/peer.h"

struct tally {
    uint32_t sends, outstanding, queued, gathering;
};

static const char *audit_send(const struct weft_mad_port *p, const struct send *s)
{
    bool armed = timers_armed(&p->timers, pool_slot(&p->sends, s));
    bool listed = !list_empty(&s->queue);

    switch ((enum weft_mad_state)s->state) {
    case WEFT_MAD_INIT:
        return "a send in use is past INIT";
    case WEFT_MAD_QUEUED:
        if (!listed)
            return "a QUEUED send is in a backlog";
        return armed == (s->queue_timeout != WEFT_TIME_NEVER)
                   ? NULL
                   : "a QUEUED send has a timer if and only if its stay is bounded";
    case WEFT_MAD_WAIT_RESP:
        return armed && !listed ? NULL : "a WAIT_RESP send has a timer and is on no list";
    case WEFT_MAD_SEND_START:
    case WEFT_MAD_EARLY_RESP:
        return armed ? "a send whose packet has not left has no timer" : NULL;
    case WEFT_MAD_CANCELED:
        return armed && listed ? "a CANCELED send is reported by its timer or its packet" : NULL;
    case WEFT_MAD_LOCAL:
    case WEFT_MAD_DONE:
        return armed || listed ? "a finished or local send has no timer and no list" : NULL;
    }
    return "a send has a state";
}

static const char *audit_sends(const struct weft_mad_port *p, struct tally *ret)
{
    uint32_t slot = 0;
    const struct send *s;

    while ((s = pool_next(&p->sends, &slot))) {
        const char *broken = audit_send(p, s);

        if (broken)
            return broken;
        ret->sends++;
        ret->queued += s->state == WEFT_MAD_QUEUED;
        if (send_is_outstanding(s) && s->timeout > 0) {
            ret->outstanding++;
            ret->gathering += s->transfer != NULL;
        }
        if (s->transfer && s->transfer->request != s)
            return "a send and the transfer that answers it know each other";
    }
    return NULL;
}

static const char *audit_agent(const struct weft_mad_port *p, const struct agent *a)
{
    uint32_t outstanding = 0, queued = 0, live = 0, slot = 0;
    const struct send *s;

    while ((s = pool_next(&p->sends, &slot))) {
        if (s->agent != a)
            continue;
        live++;
        queued += s->state == WEFT_MAD_QUEUED;
        outstanding += send_is_outstanding(s) && (s->flags & SEND_LIMITED) != 0;
    }
    if (outstanding != a->stats.outstanding || queued != a->stats.queued || live != a->live_sends)
        return "an agent's counts are those of its sends";
    if (a->stats.limit > 0 && a->stats.outstanding > a->stats.limit)
        return "an agent's outstanding sends stay within its limit";
    return NULL;
}

static const char *audit_backlog(const struct weft_mad_port *p, const struct backlog *b)
{
    struct list_node *n = list_first(&b->sends);
    const struct send *first;
    enum flow_gate gate;

    if (!n)
        return list_empty(&b->turn) ? NULL : "an empty backlog stands in no line";
    first = WEFT_CONTAINER_OF(n, struct send, queue);
    gate = flow_gate(p, first);
    if (gate == FLOW_OPEN)
        return "the first send of a backlog is stopped by something";
    return list_empty(&b->turn) ? "a backlog that is not empty stands in a line" : NULL;
}

static const char *audit_peer(const struct weft_mad_port *p, const struct peer *d)
{
    uint32_t outstanding = 0, users = 0, slot = 0;
    const struct send *s;

    while ((s = pool_next(&p->sends, &slot))) {
        if (s->peer != d)
            continue;
        users++;
        outstanding += send_is_outstanding(s);
    }
    if (outstanding != d->outstanding || users != d->users)
        return "a destination's counts are those of its sends";
    if ((users == 0) == list_empty(&d->idle))
        return "a destination is idle if and only if no send uses it";
    for (struct list_node *n = d->backlogs.next; n != &d->backlogs; n = n->next) {
        const struct backlog *b = WEFT_CONTAINER_OF(n, struct backlog, by_peer);
        const char *broken = audit_backlog(p, b);

        if (broken)
            return broken;
        if (list_empty(&b->sends))
            return "a destination has no empty backlogs";
    }
    return NULL;
}

static const char *audit_buffers(const struct weft_mad_port *p, const struct tally *t)
{
    uint32_t unsolicited = 0, coming_in = 0, used = 0, slot = 0;
    const struct recv *r;

    while ((r = pool_next(&p->recvs, &slot))) {
        used++;
        unsolicited += !r->solicited;
        coming_in += !r->solicited && r->place == RECV_GATHERING;
    }
    if (used != p->recvs.used || unsolicited != p->held_unsolicited ||
        coming_in != p->gathering_unsolicited)
        return "receive buffers in use are counted";
    if (p->config.flow.port_budget &&
        p->config.recv_depth - used + p->gathering_unsolicited < t->outstanding - t->gathering)
        return "with the port's budget on, every outstanding request has a free receive buffer";
    return NULL;
}

static const char *audit_queues(const struct weft_mad_port *p)
{
    for (int qpn = 0; qpn < 2; qpn++) {
        const struct send_queue *q = &p->queues[qpn];
        uint32_t due = 0;

        for (const struct list_node *n = q->due.next; n != &q->due; n = n->next)
            due++;
        if (due != q->due_count)
            return "packets due are counted";
        if (q->held > p->config.send_depth)
            return "no more packets are with the host than the send queue holds";
    }
    return p->events_count <= p->events_size ? NULL : "the event queue does not overflow";
}

static const char *audit_owners(const struct weft_mad_port *p)
{
    const char *broken = NULL;
    uint32_t slot = 0;
    const struct agent *a;
    const struct peer *d;

    while (!broken && (a = pool_next(&p->agents, &slot))) {
        broken = audit_agent(p, a);
        if (!broken)
            broken = audit_backlog(p, &a->backlog);
    }
    slot = 0;
    while (!broken && (d = pool_next(&p->peers, &slot)))
        broken = audit_peer(p, d);
    return broken;
}

const char *mad_audit(const struct weft_mad_port *p)
{
    struct tally t = {0};
    const char *broken = audit_sends(p, &t);

    if (broken)
        return broken;
    if (t.sends != p->sends.used)
        return "send slots in use are counted";
    if (t.outstanding != p->outstanding || t.queued != p->queued || t.gathering != p->gathering)
        return "the port's counts are those of its sends";
    if (p->stats.illegal != 0)
        return "no input met a cell marked NEVER";
    broken = audit_owners(p);
    if (!broken)
        broken = audit_buffers(p, &t);
    return broken ? broken : audit_queues(p);
}
