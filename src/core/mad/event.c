/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The event queue: a ring of codes that name a send or a received message. */
#include "core/mad/event.h"

#include "core/mad/agent.h"
#include "core/mad/recv.h"
#include "core/mad/send.h"

/* A code is the slot, with the lowest bit telling sends from messages. */
static void event_push(struct weft_mad_port *p, uint32_t code)
{
    uint32_t at = p->events_first + p->events_count;

    WEFT_ASSERT(p->events_count < p->events_size);
    p->events[at < p->events_size ? at : at - p->events_size] = code;
    p->events_count++;
}

void event_push_send(struct weft_mad_port *p, struct send *s)
{
    event_push(p, pool_slot(&p->sends, s) << 1 | 1);
    if (p->config.trace) {
        struct weft_trace_event ev = send_trace_event(p, s, WEFT_TRACE_EVENT);

        ev.u.event.type = WEFT_MAD_EVENT_SEND_DONE;
        ev.u.event.status = (enum weft_mad_status)s->status;
        engine_trace(p, &ev);
    }
}

void event_push_recv(struct weft_mad_port *p, struct recv *r)
{
    r->place = RECV_EVENT;
    event_push(p, pool_slot(&p->recvs, r) << 1);
    if (r->agent)
        r->agent->stats.received++;
    if (p->config.trace) {
        struct weft_trace_event ev = {.type = WEFT_TRACE_EVENT, .tid = mad_tid(r->mad)};

        if (r->agent)
            ev.agent = agent_id(p, r->agent);
        ev.u.event.type = r->device ? WEFT_MAD_EVENT_DEVICE : WEFT_MAD_EVENT_RECV;
        ev.u.event.len = r->len;
        engine_trace(p, &ev);
    }
}

void event_drop_agent(struct weft_mad_port *p, const struct agent *a)
{
    uint32_t count = p->events_count;

    /* those kept move up: entries left behind would take the room of events to come */
    p->events_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t code = p->events[(p->events_first + i) % p->events_size];
        struct recv *r = (code & 1) != 0 ? NULL : pool_at(&p->recvs, code >> 1);

        if (r && r->agent == a)
            recv_free(p, r);
        else
            event_push(p, code);
    }
}

static void event_of_send(struct weft_mad_port *p, struct send *s, struct weft_mad_event *ret)
{
    *ret = (struct weft_mad_event){.type = WEFT_MAD_EVENT_SEND_DONE,
                                   .agent = agent_id(p, s->agent),
                                   .user_data = s->user_data};
    ret->u.sent.id = send_id(p, s);
    ret->u.sent.status = (enum weft_mad_status)s->status;
    ret->u.sent.busy = (s->flags & SEND_NOTED_BUSY) != 0;
    ret->u.sent.attempts = s->attempts;
    if (s->status == WEFT_MAD_RMPP_ABORTED) {
        ret->u.sent.rmpp_status = s->rmpp.status;
        ret->u.sent.rmpp_local = s->rmpp.local;
    }
    send_free(p, s);
}

static void event_of_recv(struct weft_mad_port *p, struct recv *r, struct weft_mad_event *ret)
{
    ret->type = r->device ? WEFT_MAD_EVENT_DEVICE : WEFT_MAD_EVENT_RECV;
    ret->agent = r->agent ? agent_id(p, r->agent) : (weft_mad_agent_id){0};
    ret->user_data = r->user_data;
    ret->u.recv.id = recv_id(p, r);
    ret->u.recv.mad = r->mad;
    ret->u.recv.len = r->len;
    ret->u.recv.solicited = r->solicited;
    ret->u.recv.qpn = r->qpn;
    ret->u.recv.dlid = r->dlid;
    ret->u.recv.from = r->from;
    r->place = RECV_HELD;
    /* a held message is its owner's, whatever becomes of the agent */
    r->agent = NULL;
}

bool weft_mad_poll_event(struct weft_mad_port *p, struct weft_mad_event *ret)
{
    uint32_t code;

    if (p->events_count == 0)
        return false;
    code = p->events[p->events_first];
    p->events_first = p->events_first + 1 < p->events_size ? p->events_first + 1 : 0;
    p->events_count--;
    if ((code & 1) != 0)
        event_of_send(p, pool_at(&p->sends, code >> 1), ret);
    else
        event_of_recv(p, pool_at(&p->recvs, code >> 1), ret);
    return true;
}
