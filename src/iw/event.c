/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The core's events on their way to callbacks and to those who wait. */
#include "iw/address.h"
#include "iw/error.h"
#include "iw/facade.h"

#include <stdlib.h>
#include <string.h>

/* The child of a request that cannot be told: the peer is rejected. */
static void request_refuse(struct weft_iw *iw, weft_iwcm_id child)
{
    struct weft_iwcm *cm = iw_loop_cm(iw->loop);

    /* it has its listener's, whose GONE its own is not */
    (void)weft_iwcm_set_user_data(cm, child, 0);
    (void)weft_iwcm_destroy(cm, child);
}

static void event_fill(struct event_node *e, struct identity *who,
                       const struct weft_iwcm_event *from, enum weft_iw_event_type type)
{
    e->event = (struct weft_iw_event){.type = type, .id = who->id, .peer = from->peer};
    if (type != WEFT_IW_CLOSED) {
        who->local = from->local;
        who->remote = from->remote;
    }
    (void)address_to_sockaddr(&who->local, &e->event.local);
    (void)address_to_sockaddr(&who->remote, &e->event.remote);
    if (from->peer.private_bytes > 0)
        memcpy(e->private_data, from->peer.private_data, from->peer.private_bytes);
    e->event.peer.private_data = e->private_data;
}

static void event_queue(struct weft_iw *iw, struct identity *who, struct event_node *e)
{
    list_push_back(&who->events, &e->link);
    facade_offer(iw, who);
}

static void take_request(struct weft_iw *iw, struct identity *listener,
                         const struct weft_iwcm_event *from)
{
    struct identity *child = NULL;
    struct event_node *e = NULL;

    if (listener->waiting < listener->backlog && identity_reserve(listener, 1))
        child = identity_new(&iw->ids);
    if (!child) {
        request_refuse(iw, from->id);
        return;
    }
    e = identity_event(listener);
    WEFT_ASSERT(e);
    child->cm = from->id;
    event_fill(e, child, from, WEFT_IW_REQUEST);
    /* the private data of `from` end with this */
    (void)weft_iwcm_set_user_data(iw_loop_cm(iw->loop), child->cm, child->id.v);
    e->event.listener = listener->id;
    e->child = child;
    listener->waiting++;
    event_queue(iw, listener, e);
}

/* Reasons that the own machine has, which the call itself can return. */
static bool is_local(enum weft_iwcm_status status)
{
    return status == WEFT_IWCM_ADDRESS || status == WEFT_IWCM_UNREACHABLE ||
           status == WEFT_IWCM_NO_RESOURCES || status == WEFT_IWCM_BAD_PARAM;
}

static void take_event(struct weft_iw *iw, struct identity *who, const struct weft_iwcm_event *from,
                       enum weft_iw_event_type type)
{
    struct event_node *e;

    if (type == WEFT_IW_REPLY && who->dialing && is_local(from->status)) {
        who->dialed = from->status;
        return;
    }
    e = identity_event(who);
    WEFT_ASSERT(e);
    if (!e)
        return;
    event_fill(e, who, from, type);
    if (type == WEFT_IW_REPLY) {
        e->event.status = error_of_status(from->status);
        e->event.rejected = from->status == WEFT_IWCM_REJECTED;
    }
    event_queue(iw, who, e);
}

static void take_done(struct weft_iw *iw, struct identity *who, const struct weft_iwcm_event *from)
{
    struct identity_calls *calls = &who->calls[from->call];

    calls->done++;
    calls->status = from->status;
    if (from->call == WEFT_IWCM_CALL_LISTEN) {
        who->local = from->local;
        who->error = iw->loop->last_error;
    }
    facade_changed(iw);
}

static void take_gone(struct weft_iw *iw, struct identity *who)
{
    who->gone = true;
    facade_changed(iw);
    (void)identity_free_if_left(&iw->ids, who);
}

static void take(struct weft_iw *iw, const struct weft_iwcm_event *from)
{
    struct identity *who = identity_find(&iw->ids, from->user_data);

    if (!who || (who->given_up && from->type != WEFT_IWCM_EVENT_GONE)) {
        if (from->type == WEFT_IWCM_EVENT_REQUEST)
            request_refuse(iw, from->id);
        return;
    }
    switch (from->type) {
    case WEFT_IWCM_EVENT_DONE:
        take_done(iw, who, from);
        break;
    case WEFT_IWCM_EVENT_REQUEST:
        take_request(iw, who, from);
        break;
    case WEFT_IWCM_EVENT_REPLY:
        take_event(iw, who, from, WEFT_IW_REPLY);
        break;
    case WEFT_IWCM_EVENT_ESTABLISHED:
        take_event(iw, who, from, WEFT_IW_ESTABLISHED);
        break;
    case WEFT_IWCM_EVENT_CLOSED:
        take_event(iw, who, from, WEFT_IW_CLOSED);
        break;
    case WEFT_IWCM_EVENT_GONE:
        if (from->id.v == who->cm.v)
            take_gone(iw, who);
        break;
    case WEFT_IWCM_EVENTS:
        break;
    }
}

static void take_completions(struct weft_iw *iw, uint32_t cqn)
{
    for (struct list_node *n = iw->cq_waits.next; n != &iw->cq_waits; n = n->next) {
        struct cq_wait *w = WEFT_CONTAINER_OF(n, struct cq_wait, link);

        if (w->cqn == cqn)
            w->something = true;
    }
    facade_changed(iw);
}

bool events_take(struct weft_iw *iw)
{
    struct weft_iwcm_event event;
    struct weft_siw_event queue;
    bool any = false;

    while (weft_iwcm_poll_event(iw_loop_cm(iw->loop), &event)) {
        take(iw, &event);
        any = true;
    }
    while (weft_siw_poll_event(iw_loop_siw(iw->loop), &queue))
        if (queue.type == WEFT_SIW_EVENT_CQ)
            take_completions(iw, queue.number);
    return any;
}
