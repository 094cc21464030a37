/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Clients and servers of a node. */
#include "client.h"

#include "message.h"
#include "packets.h"

#include <stdlib.h>
#include <string.h>

/* One agent of each kind may be on a node. */
static const struct weft_mad_agent_req agents[NODE_AGENTS] = {
    {.qpn = 1,
     .mgmt_class = WEFT_CLASS_SUBN_ADM,
     .class_version = 2,
     .rmpp_version = 1,
     .methods = {1u << WEFT_METHOD_GET | 1u << WEFT_METHOD_REPORT | 1u << WEFT_METHOD_GET_MULTI}},
    {.qpn = 1,
     .mgmt_class = WEFT_CLASS_PERF,
     .class_version = 1,
     .methods = {1u << WEFT_METHOD_GET}},
    {.qpn = 1,
     .mgmt_class = 0x30,
     .class_version = 1,
     .oui = {1, 2, 3},
     .rmpp_version = 1,
     .methods = {1u << WEFT_METHOD_GET | 1u << WEFT_METHOD_REPORT | 1u << WEFT_METHOD_GET_MULTI}},
    {.qpn = 0, .mgmt_class = WEFT_CLASS_SUBN_DIRECTED, .class_version = 1},
    {.qpn = 1, .send_only = true},
};

uint64_t client_tid(const uint8_t *mad)
{
    return mad_tid(mad);
}

void client_draw_retry(struct world *w, struct weft_mad_retry *ret)
{
    struct prng *g = &w->prng;

    weft_mad_retry_init(ret);
    ret->kind = chance(g, 500) ? WEFT_MAD_RETRY_BACKOFF : WEFT_MAD_RETRY_FIXED;
    ret->bound = chance(g, 300) ? WEFT_MAD_BOUND_TIME : WEFT_MAD_BOUND_RETRIES;
    ret->busy = chance(g, 300) ? WEFT_MAD_BUSY_DELIVER : WEFT_MAD_BUSY_NO_REPLY;
    ret->base_ns = (1 + prng_up_to(g, 20)) * WEFT_MS;
    ret->jitter_ns = prng_up_to(g, ret->base_ns);
    ret->cap_ns = ret->base_ns << prng_up_to(g, 4);
    ret->total_ns = chance(g, 500) ? 0 : prng_up_to(g, 200) * WEFT_MS;
}

void client_add_agent(struct node *n, uint32_t i)
{
    struct weft_mad_agent_req r = agents[i];
    struct weft_mad_retry retry;
    int err;

    if (n->agents[i].v != 0)
        return;
    if (chance(&n->world->prng, 300)) {
        client_draw_retry(n->world, &retry);
        r.retry = &retry;
    }
    err = weft_mad_agent_add(n->port, &r, &n->agents[i]);
    /* a removed agent's slot is free only when its last send has ended */
    node_require(n->world, err == 0 || err == WEFT_ERR_FULL, "an agent is added");
}

static struct node_send *free_send(struct node *n)
{
    for (uint32_t i = 0; i < NODE_SENDS; i++) {
        if (n->sends[i].number == 0)
            return &n->sends[i];
    }
    return NULL;
}

static struct node_send *find_send(struct node *n, uint64_t number)
{
    for (uint32_t i = 0; i < NODE_SENDS; i++) {
        if (n->sends[i].number == number)
            return &n->sends[i];
    }
    return NULL;
}

static struct weft_mad_addr draw_address(struct node *n)
{
    struct world *w = n->world;
    const struct node *to = &w->nodes[prng_up_to(&w->prng, w->node_count - 1)];
    struct weft_mad_addr a = {.lid =
                                  (uint16_t)(to->lid + prng_up_to(&w->prng, (1u << to->lmc) - 1)),
                              .path_bits = (uint8_t)prng_up_to(&w->prng, (1u << n->lmc) - 1),
                              .qpn = 1,
                              .qkey = WEFT_QKEY_GSI};

    if (chance(&w->prng, w->habits.grh)) {
        a.has_grh = true;
        a.grh.sgid[15] = (uint8_t)n->lid;
        a.grh.dgid[15] = (uint8_t)to->lid;
    }
    return a;
}

/* Makes the MAD or the RMPP message that the label tells of. */
static uint8_t *build(uint8_t mgmt_class, uint8_t method, uint64_t tid, bool rmpp,
                      const struct message_label *label)
{
    uint8_t *mad = calloc(1, label->len > WEFT_MAD_BYTES ? label->len : WEFT_MAD_BYTES);

    if (!mad)
        abort();
    packet_build(mad, mgmt_class, method, tid);
    if (mad_class_has_oui(mgmt_class))
        mad_set_oui(mad, 0x010203);
    if (rmpp)
        packet_rmpp(mad, WEFT_RMPP_DATA, 0, 0, 0);
    message_fill(mad, label);
    return mad;
}

/* Posts, and keeps the books if the send was accepted. */
static void post(struct node *n, struct weft_mad_send_req *r, struct node_send *s, uint8_t *data,
                 uint32_t agent)
{
    struct node_send taken = *s;
    uint32_t tid = 0;
    int err;

    r->agent = n->agents[agent];
    r->data = data;
    taken.data = data;
    taken.mgmt_class = mad_class(data);
    r->user_data = taken.number;
    *s = taken;
    if (r->retry) {
        s->retry = *r->retry;
        r->retry = &s->retry;
    }
    err = weft_mad_post(n->port, n->world->now, r, &s->id);
    if (err == 0) {
        (void)weft_mad_agent_tid(n->port, r->agent, &tid);
        s->tid = s->is_reply ? mad_tid(data) : (uint64_t)tid << 32 | (uint32_t)mad_tid(data);
        n->accepted++;
        return;
    }
    /* a peer that asks twice is answered twice, or else is told off; memory may be short */
    node_require(n->world,
                 err == WEFT_ERR_FULL || err == WEFT_ERR_STALE ||
                     (s->is_reply && err == WEFT_ERR_CONFLICT) || n->world->corrupting,
                 "a good send is accepted");
    memset(s, 0, sizeof(*s));
    free(data);
}

static void post_directed(struct node *n, struct node_send *s)
{
    struct weft_mad_send_req r = {.len = WEFT_MAD_BYTES, .timeout = 20 * WEFT_MS};
    struct message_label label = {.number = s->number, .len = 120};
    uint8_t *mad = build(WEFT_CLASS_SUBN_DIRECTED, WEFT_METHOD_GET, label.number, false, &label);

    memset(mad + WEFT_RMPP_DATA_OFFSET - 4, 0xff, 4); /* no LID routed part */
    s->directed = true;
    post(n, &r, s, mad, 3);
}

static void post_request(struct node *n)
{
    struct world *w = n->world;
    const struct habits *h = &w->habits;
    uint32_t agent = (uint32_t)prng_up_to(&w->prng, 2);
    struct node_send *s = free_send(n);
    uint8_t mgmt_class = agents[agent].mgmt_class, method = WEFT_METHOD_GET;
    uint32_t head = mad_class_data_offset(mgmt_class);
    bool rmpp = agents[agent].rmpp_version == 1 && chance(&w->prng, h->long_request);
    bool one_way = agents[agent].rmpp_version == 1 && chance(&w->prng, h->one_way);
    struct weft_mad_send_req r = {.retries = (uint8_t)prng_up_to(&w->prng, 4)};
    struct message_label label;
    struct weft_mad_retry retry;

    if (!s)
        return;
    memset(s, 0, sizeof(*s));
    s->number = ++w->number;
    if (chance(&w->prng, h->directed)) {
        post_directed(n, s);
        return;
    }
    label = (struct message_label){.number = s->number, .len = WEFT_MAD_BYTES - 10};
    if (rmpp) {
        label.len =
            head + MESSAGE_LABEL_BYTES + (uint32_t)prng_up_to(&w->prng, h->request_bytes_max);
        method = WEFT_METHOD_GET_MULTI;
    }
    if (one_way)
        method = WEFT_METHOD_REPORT;
    else
        label.reply_len = WEFT_MAD_BYTES - 20;
    if (!one_way && agents[agent].rmpp_version == 1 && chance(&w->prng, h->long_reply))
        label.reply_len =
            head + MESSAGE_LABEL_BYTES + (uint32_t)prng_up_to(&w->prng, h->reply_bytes_max);
    s->rmpp = rmpp;
    s->expects = !one_way;
    s->reply_len = label.reply_len;
    s->retries = r.retries;
    r.to = draw_address(n);
    r.len = label.len;
    r.timeout = one_way ? 0 : WEFT_MS + prng_up_to(&w->prng, h->timeout_max);
    if (chance(&w->prng, h->queue_timeout))
        r.queue_timeout = 1 + prng_up_to(&w->prng, 100) * WEFT_MS;
    if (chance(&w->prng, h->own_retry)) {
        client_draw_retry(w, &retry);
        r.retry = &retry;
    }
    /* the send-only agent asks what the other agents' servers answer, without RMPP */
    if (!rmpp && !one_way && label.reply_len == WEFT_MAD_BYTES - 20 && chance(&w->prng, 150))
        agent = 4;
    post(n, &r, s, build(mgmt_class, method, label.number, rmpp, &label), agent);
}

static struct node_send *draw_send(struct node *n)
{
    struct node_send *s = &n->sends[prng_up_to(&n->world->prng, NODE_SENDS - 1)];

    return s->number != 0 ? s : NULL;
}

static void cancel(struct node *n)
{
    struct node_send *s = draw_send(n);
    int err;

    if (!s)
        return;
    err = weft_mad_cancel(n->port, n->world->now, s->id);
    node_require(n->world, err == 0 || err == WEFT_ERR_STATE, "a send not reported is known");
}

static void set_timeout(struct node *n)
{
    struct world *w = n->world;
    struct node_send *s = draw_send(n);
    int err;

    if (!s)
        return;
    err = weft_mad_set_timeout(n->port, w->now, s->id,
                               1 + prng_up_to(&w->prng, w->habits.timeout_max));
    node_require(w, err == 0 || err == WEFT_ERR_STATE || (err == WEFT_ERR_INVALID && !s->expects),
                 "a timeout is set");
}

static void remove_agent(struct node *n)
{
    uint32_t i = (uint32_t)prng_up_to(&n->world->prng, NODE_AGENTS - 1);

    if (n->agents[i].v == 0)
        return;
    node_require(n->world, weft_mad_agent_remove(n->port, n->world->now, n->agents[i]) == 0,
                 "an agent is removed");
    n->agents[i].v = 0;
}

void client_act(struct node *n)
{
    struct world *w = n->world;
    const struct habits *h = &w->habits;
    struct weft_mad_retry retry;

    if (chance(&w->prng, h->post))
        post_request(n);
    if (chance(&w->prng, h->cancel))
        cancel(n);
    if (chance(&w->prng, h->set_timeout))
        set_timeout(n);
    if (chance(&w->prng, h->remove_agent))
        remove_agent(n);
    if (chance(&w->prng, h->add_agent))
        client_add_agent(n, (uint32_t)prng_up_to(&w->prng, NODE_AGENTS - 1));
    if (chance(&w->prng, h->set_retry)) {
        client_draw_retry(w, &retry);
        node_require(w, weft_mad_port_set_retry(n->port, &retry, chance(&w->prng, 300)) == 0,
                     "a policy is set");
    }
}

/* Whether the bytes of a received message are those that were sent. */
static bool read_whole(struct node *n, const struct weft_mad_event *ev, struct message_label *ret)
{
    uint8_t *copy = malloc(ev->u.recv.len);
    bool whole;

    if (!copy)
        abort();
    node_require(n->world, weft_mad_recv_read(n->port, ev->u.recv.id, 0, copy, ev->u.recv.len) == 0,
                 "a message is read");
    *ret = message_read(copy);
    whole = message_is_whole(copy, ev->u.recv.len);
    free(copy);
    return whole;
}

/* An answer to a request that arrived. */
static void serve(struct node *n, const struct weft_mad_event *ev,
                  const struct message_label *asked)
{
    struct world *w = n->world;
    const uint8_t *request = ev->u.recv.mad;
    bool rmpp = asked->reply_len > WEFT_MAD_BYTES - 20;
    struct message_label label = {.number = asked->number, .len = asked->reply_len};
    struct weft_mad_send_req r = {.to = ev->u.recv.from, .len = asked->reply_len, .retries = 3};
    struct node_send *s = free_send(n);
    uint32_t agent = 0;
    uint8_t *mad;

    if (!s || asked->reply_len == 0 || asked->reply_len > 1u << 16 ||
        asked->reply_len < mad_class_data_offset(mad_class(request)) + MESSAGE_LABEL_BYTES ||
        chance(&w->prng, w->habits.ignore))
        return;
    while (agents[agent].mgmt_class != mad_class(request))
        agent++;
    mad = build(mad_class(request), mad_method(request) | WEFT_METHOD_RESPONSE, mad_tid(request),
                rmpp, &label);
    if (!rmpp && chance(&w->prng, w->habits.busy))
        mad_set_status(mad, WEFT_STATUS_BUSY);
    memset(s, 0, sizeof(*s));
    s->number = ++w->number;
    s->rmpp = rmpp;
    s->is_reply = true;
    r.to.path_bits = (uint8_t)(ev->u.recv.dlid % (1u << n->lmc));
    if (r.to.has_grh) {
        memcpy(r.to.grh.sgid, ev->u.recv.from.grh.dgid, sizeof(r.to.grh.sgid));
        memcpy(r.to.grh.dgid, ev->u.recv.from.grh.sgid, sizeof(r.to.grh.dgid));
    }
    post(n, &r, s, mad, agent);
}

static void receive_answer(struct node *n, const struct weft_mad_event *ev)
{
    struct world *w = n->world;
    struct node_send *s = find_send(n, ev->user_data);
    const uint8_t *mad = ev->u.recv.mad;
    struct message_label label;
    bool whole = read_whole(n, ev, &label);

    node_require(w, s && !s->received, "an answer comes once, and before its SEND_DONE");
    if (!s)
        return;
    s->received = true;
    if (w->corrupting || s->directed)
        return;
    /* the engine's own "unsupported" echoes the request */
    if (mad_status(mad) == WEFT_STATUS_BAD_METHOD_ATTRIBUTE)
        return;
    node_require(w, whole && label.number == s->number && label.len == s->reply_len,
                 "an answer is the one asked for, and whole");
}

static void keep(struct node *n, const struct weft_mad_event *ev)
{
    struct world *w = n->world;
    struct node_kept *k;

    if (n->kept_count == NODE_KEPT) {
        node_require(w, weft_mad_recv_release(n->port, ev->u.recv.id) == 0, "it is released");
        return;
    }
    k = &n->kept[n->kept_count++];
    k->id = ev->u.recv.id;
    k->at = w->now + prng_up_to(&w->prng, w->habits.keep_max);
    k->device = ev->type == WEFT_MAD_EVENT_DEVICE;
    memcpy(k->mad, ev->u.recv.mad, sizeof(k->mad));
}

static void receive(struct node *n, const struct weft_mad_event *ev)
{
    struct world *w = n->world;
    struct message_label label;

    if (ev->type == WEFT_MAD_EVENT_RECV && ev->u.recv.solicited) {
        receive_answer(n, ev);
    } else if (ev->type == WEFT_MAD_EVENT_RECV) {
        bool whole = read_whole(n, ev, &label);

        node_require(w, whole || w->corrupting, "a request is whole");
        if (label.number < NODE_SEEN)
            w->seen[label.number / 8] |= (uint8_t)(1u << label.number % 8);
        if (mad_class(ev->u.recv.mad) != WEFT_CLASS_SUBN_DIRECTED)
            serve(n, ev, &label);
    }
    keep(n, ev);
}

static void check_status(struct node *n, const struct node_send *s, const struct weft_mad_event *ev)
{
    struct world *w = n->world;
    bool arrived = s->number >= NODE_SEEN || (w->seen[s->number / 8] >> s->number % 8 & 1) != 0;

    switch (ev->u.sent.status) {
    case WEFT_MAD_OK:
        if (s->expects)
            node_require(w, s->received || w->removing, "OK means answered");
        if (s->rmpp && !s->expects && !s->is_reply)
            node_require(w, arrived || w->removing || w->corrupting,
                         "a message that was acknowledged has arrived");
        break;
    case WEFT_MAD_TIMEOUT:
    case WEFT_MAD_QUEUE_TIMEOUT:
        node_require(w, !s->received, "TIMEOUT means unanswered");
        break;
    case WEFT_MAD_FLUSHED:
        node_require(w, w->removing || w->habits.cancel > 0, "only what was given up is flushed");
        break;
    case WEFT_MAD_TX_ERROR:
        node_require(w, w->habits.tx_error > 0, "only what was not sent ends with TX_ERROR");
        break;
    case WEFT_MAD_RMPP_ABORTED:
        break;
    }
}

bool client_take_events(struct node *n)
{
    struct weft_mad_event ev;
    bool any = false;

    while (weft_mad_poll_event(n->port, &ev)) {
        any = true;
        if (ev.type == WEFT_MAD_EVENT_SEND_DONE) {
            struct node_send *s = find_send(n, ev.user_data);

            node_require(n->world, s && s->id.v == ev.u.sent.id.v, "SEND_DONE is for a send");
            if (!s)
                continue;
            check_status(n, s, &ev);
            free(s->data);
            memset(s, 0, sizeof(*s));
        } else {
            receive(n, &ev);
        }
    }
    return any;
}

/* The device answers, passes on or consumes what was kept. */
static void use_device(struct node *n, const struct node_kept *k)
{
    struct world *w = n->world;
    uint8_t mad[WEFT_MAD_BYTES];
    int err;

    if (chance(&w->prng, w->habits.pass)) {
        err = weft_mad_recv_pass(n->port, w->now, k->id);
    } else if (chance(&w->prng, w->habits.ignore)) {
        err = weft_mad_recv_release(n->port, k->id);
    } else {
        packet_answer(mad, k->mad, 0);
        if (mad_class(mad) == WEFT_CLASS_SUBN_DIRECTED)
            mad_set_status(mad, WEFT_STATUS_DIRECTION);
        else if (message_read(mad).reply_len > 0)
            message_fill(mad, &(struct message_label){.number = message_read(mad).number,
                                                      .len = WEFT_MAD_BYTES - 20});
        memset(mad + WEFT_MAD_BYTES - 20, 0, 20);
        err = weft_mad_recv_answer(n->port, w->now, k->id, mad);
        if (err == WEFT_ERR_FULL || (err == WEFT_ERR_INVALID && w->corrupting))
            err = weft_mad_recv_release(n->port, k->id);
    }
    node_require(w, err == 0, "a device's message is dealt with");
}

bool client_release(struct node *n)
{
    bool any = false;

    for (uint32_t i = 0; i < n->kept_count;) {
        struct node_kept k = n->kept[i];

        if (k.at > n->world->now) {
            i++;
            continue;
        }
        n->kept[i] = n->kept[--n->kept_count];
        any = true;
        if (k.device)
            use_device(n, &k);
        else
            node_require(n->world, weft_mad_recv_release(n->port, k.id) == 0, "it is released");
    }
    return any;
}
