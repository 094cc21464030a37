/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Audit: the invariants of a connection manager. */
#include "core/iwcm/audit.h"

#include "core/iwcm/manager.h"

struct tally {
    uint32_t events, buffers, bound, cmds;
};

static bool queued(const struct iwcm_id *c, enum weft_iwcm_cmd_type type)
{
    return c->busy == type && !list_empty(&c->cmd);
}

/* What the provider has follows from the state, but in DESTROYING. */
static bool hold_fits(const struct iwcm_id *c)
{
    switch ((enum weft_iwcm_state)c->state) {
    case WEFT_IWCM_IDLE:
        return c->hold == HOLD_NONE || (c->hold == HOLD_REQUEST && queued(c, WEFT_IWCM_CMD_REJECT));
    case WEFT_IWCM_LISTEN:
        return (c->hold == HOLD_NONE && c->busy == WEFT_IWCM_CMD_LISTEN) ||
               (c->hold == HOLD_LISTENER && c->busy == BUSY_NONE);
    case WEFT_IWCM_CONN_RECV:
        return c->hold == HOLD_ACCEPTING ||
               (c->hold == HOLD_REQUEST &&
                (c->busy == BUSY_NONE || queued(c, WEFT_IWCM_CMD_ACCEPT)));
    case WEFT_IWCM_CONN_SENT:
        return c->hold == HOLD_CONNECTING ||
               (c->hold == HOLD_NONE && queued(c, WEFT_IWCM_CMD_CONNECT));
    case WEFT_IWCM_ESTABLISHED:
    case WEFT_IWCM_CLOSING:
        return c->hold == HOLD_CONNECTION;
    case WEFT_IWCM_DESTROYING:
        return c->hold < HOLDS;
    case WEFT_IWCM_STATES:
        break;
    }
    return false;
}

static bool qp_due(const struct iwcm_id *c)
{
    return c->hold == HOLD_CONNECTING || c->hold == HOLD_ACCEPTING || c->hold == HOLD_CONNECTION ||
           queued(c, WEFT_IWCM_CMD_CONNECT) || queued(c, WEFT_IWCM_CMD_ACCEPT);
}

static const char *audit_refs(const struct iwcm_id *c)
{
    bool client = c->state != WEFT_IWCM_DESTROYING;
    uint32_t holders = client ? 1 : 0;
    const struct event *e;

    holders += c->busy != BUSY_NONE;
    holders += c->hold != HOLD_NONE;
    if (c->refs != holders)
        return "an id's references are those of its holders";
    if (client)
        return NULL;
    if (c->events_waiting != (c->refs == 0 ? 1 : 0))
        return "a destroyed id has one event, GONE, when nobody holds it";
    if (c->refs > 0)
        return NULL;
    e = WEFT_CONTAINER_OF(c->events.next, struct event, mine);
    return e->type == WEFT_IWCM_EVENT_GONE && c->known ? NULL : "the last event is GONE";
}

static const char *audit_endings(const struct iwcm_id *c)
{
    bool listed = !list_empty(&c->cmd);

    if (listed && c->busy == BUSY_NONE)
        return "what is in the queue of commands has one";
    if (c->hold == HOLD_NONE && (c->told != ENDING_NOT || c->end != ENDING_NOT))
        return "who holds nothing has nothing to end";
    if (c->end != ENDING_NOT && c->state != WEFT_IWCM_CLOSING && c->state != WEFT_IWCM_DESTROYING)
        return "only a connection that closes is asked to end";
    if (c->busy == BUSY_NONE && c->hold != HOLD_NONE && c->state == WEFT_IWCM_DESTROYING &&
        c->told != ENDING_ABRUPT)
        return "what a destroyed id has with the provider is being ended";
    if (c->busy == BUSY_NONE && c->state == WEFT_IWCM_CLOSING && c->told < c->end)
        return "what the client asked for was given to the provider";
    return NULL;
}

/* Lengths of lists, bounded so that a broken one ends. */
static uint32_t length(const struct list_node *head, uint32_t most)
{
    uint32_t n = 0;

    for (const struct list_node *at = head->next; at != head && n <= most; at = at->next)
        n++;
    return n;
}

static const char *audit_children(const struct weft_iwcm *cm, const struct iwcm_id *c)
{
    if (length(&c->children, cm->ids.used) != c->requests)
        return "requests that wait are counted at their listener";
    if (c->requests > c->backlog || (c->requests > 0 && c->state != WEFT_IWCM_LISTEN))
        return "a listener has no more requests than its backlog, and others have none";
    if (!c->listener != list_empty(&c->sibling))
        return "a child that nobody knows is its listener's";
    if (c->listener && (c->known || c->state != WEFT_IWCM_CONN_RECV || c->events_waiting != 1))
        return "a child that nobody knows has its REQUEST in the queue";
    if (!c->known && !c->listener && c->state != WEFT_IWCM_DESTROYING)
        return "an id that nobody knows and that is no listener's is being destroyed";
    return NULL;
}

static const char *audit_id(const struct weft_iwcm *cm, const struct iwcm_id *c, struct tally *t)
{
    const char *broken = audit_refs(c);

    t->events += c->events_waiting;
    t->buffers += c->own.data != NULL;
    t->buffers += c->peer.data != NULL;
    t->bound += c->qpn != 0;
    t->cmds += !list_empty(&c->cmd);
    if (!broken)
        broken = audit_endings(c);
    if (!broken)
        broken = audit_children(cm, c);
    if (broken)
        return broken;
    if (!hold_fits(c))
        return "what the provider holds follows from the state";
    if ((c->qpn != 0) != qp_due(c))
        return "a QP is bound from connect or accept until the end of the connection";
    if (length(&c->events, EVENTS_PER_ID) != c->events_waiting)
        return "an id's events are counted";
    return NULL;
}

static const char *audit_qps(const struct weft_iwcm *cm, const struct tally *t)
{
    uint32_t slot = 0, bound = 0;
    const struct qp *q;

    while ((q = pool_next(&cm->qps, &slot))) {
        bound += q->owner != NULL;
        if (q->owner && q->owner->qpn != q->qpn)
            return "a QP and the id that it is bound to know each other";
    }
    return bound == t->bound ? NULL : "a QP is bound to one id";
}

const char *iwcm_audit(const struct weft_iwcm *cm)
{
    struct tally t = {0};
    const struct iwcm_id *c;
    uint32_t slot = 0;

    while ((c = pool_next(&cm->ids, &slot))) {
        const char *broken = audit_id(cm, c, &t);

        if (broken)
            return broken;
    }
    if (t.events != length(&cm->queue, t.events) || t.events != cm->events.used)
        return "the queue has the events of all ids";
    if (t.cmds != length(&cm->cmds, t.cmds))
        return "the queue of commands has those of all ids";
    if (t.buffers != cm->buffers.used)
        return "private data are kept for an id";
    if (cm->stats.ids != cm->ids.used || cm->stats.qps != cm->qps.used)
        return "ids and QPs in use are counted";
    return audit_qps(cm, &t);
}
