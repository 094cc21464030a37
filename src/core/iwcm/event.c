/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events for the client: one queue over all ids. */
#include "core/iwcm/manager.h"

#define OF(node, member) WEFT_CONTAINER_OF(node, struct event, member)

void iwcm_event_put(struct weft_iwcm *cm, struct iwcm_id *c, enum weft_iwcm_event_type type,
                    enum weft_iwcm_call call, enum weft_iwcm_status status)
{
    struct event *e = pool_take(&cm->events);

    WEFT_ASSERT(e && c->events_waiting < EVENTS_PER_ID);
    e->id = c;
    e->type = (uint8_t)type;
    e->call = (uint8_t)call;
    e->status = (uint8_t)status;
    list_init(&e->queue);
    list_init(&e->mine);
    list_push_back(&cm->queue, &e->queue);
    list_push_back(&c->events, &e->mine);
    c->events_waiting++;
    cm->stats.events[type]++;
}

static void take_off(struct weft_iwcm *cm, struct event *e)
{
    list_remove(&e->queue);
    list_remove(&e->mine);
    e->id->events_waiting--;
    pool_give(&cm->events, e);
}

void iwcm_events_drop(struct weft_iwcm *cm, struct iwcm_id *c)
{
    while (!list_empty(&c->events)) {
        take_off(cm, OF(list_first(&c->events), mine));
        cm->stats.dropped++;
    }
}

bool iwcm_event_tells_terms(const struct iwcm_id *c)
{
    for (struct list_node *n = c->events.next; n != &c->events; n = n->next) {
        const struct event *e = OF(n, mine);

        if (e->type == WEFT_IWCM_EVENT_REPLY || e->type == WEFT_IWCM_EVENT_ESTABLISHED)
            return true;
    }
    return false;
}

/* From now on the client knows the child. */
static void introduce(struct weft_iwcm *cm, struct iwcm_id *c, struct weft_iwcm_event *ret)
{
    ret->listener = iwcm_handle(cm, c->listener);
    c->listener->requests--;
    list_remove(&c->sibling);
    c->listener = NULL;
    c->known = true;
}

static void fill_terms(const struct iwcm_id *c, struct weft_iwcm_event *ret)
{
    ret->peer = (struct weft_iwcm_param){
        .private_data = c->peer.data ? c->peer.data->bytes : NULL,
        .private_bytes = c->peer.bytes,
        .ird = c->peer.ird,
        .ord = c->peer.ord,
    };
    ret->local = c->local;
    ret->remote = c->remote;
}

bool weft_iwcm_poll_event(struct weft_iwcm *cm, struct weft_iwcm_event *ret)
{
    struct list_node *first = list_first(&cm->queue);
    struct iwcm_id *c;
    struct event *e;

    if (!first)
        return false;
    e = OF(first, queue);
    c = e->id;
    *ret = (struct weft_iwcm_event){
        .type = (enum weft_iwcm_event_type)e->type,
        .id = iwcm_handle(cm, c),
        .user_data = c->user_data,
        .call = (enum weft_iwcm_call)e->call,
        .status = (enum weft_iwcm_status)e->status,
    };
    take_off(cm, e);
    if (ret->type == WEFT_IWCM_EVENT_REQUEST)
        introduce(cm, c, ret);
    if (ret->type == WEFT_IWCM_EVENT_REQUEST || ret->type == WEFT_IWCM_EVENT_REPLY ||
        ret->type == WEFT_IWCM_EVENT_ESTABLISHED)
        fill_terms(c, ret);
    if (ret->type == WEFT_IWCM_EVENT_DONE && ret->call == WEFT_IWCM_CALL_LISTEN)
        ret->local = c->local;
    if (ret->type == WEFT_IWCM_EVENT_GONE)
        iwcm_give(cm, c);
    return true;
}
