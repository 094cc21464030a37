/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A program that connects, listens, accepts, posts and gives up by chance. */
#include "iwarp_node.h"

#include "core/iwcm/audit.h"
#include "core/siw/engine.h"
#include "iwarp_host.h"
#include "iwarp_model.h"

#include <string.h>

static void require(struct node *n, bool holds, const char *rule)
{
    world_require(n->world, holds, rule);
}

static bool happens(struct node *n, uint32_t permille)
{
    return world_chance(n->world, permille);
}

static uint64_t draw(struct node *n, uint64_t max)
{
    return world_draw(n->world, max);
}

static struct ident *find_id(struct node *n, weft_iwcm_id id)
{
    for (uint32_t i = 0; i < IDS_MAX; i++) {
        if (n->ids[i].used && n->ids[i].id.v == id.v)
            return &n->ids[i];
    }
    return NULL;
}

static struct ident *id_new(struct node *n, weft_iwcm_id id, uint64_t user_data)
{
    require(n, !find_id(n, id), "an id was given twice");
    for (uint32_t i = 0; i < IDS_MAX; i++) {
        if (n->ids[i].used)
            continue;
        n->ids[i] = (struct ident){.used = true, .id = id, .user_data = user_data};
        return &n->ids[i];
    }
    world_broken(n->world, "more ids than there are");
    return NULL;
}

static struct ident *id_create(struct node *n)
{
    weft_iwcm_id id;
    int err = weft_iwcm_create(n->cm, ++n->user_data, &id);

    require(n, err == 0 || err == WEFT_ERR_FULL, "create was refused");
    return err == 0 ? id_new(n, id, n->user_data) : NULL;
}

/* What the model knows of a connection ends with the attempt, or the connection. */
static void unbind(struct node *n, struct ident *d)
{
    if (d->side)
        side_end(n->world, d->side);
    d->side = NULL;
    d->conn = NULL;
}

/* A QP that may be bound, ready for it. */
static struct qp_record *free_qp(struct node *n)
{
    struct qp_record *qp = &n->qps[draw(n, NODE_QPS_MAX - 1)];
    struct weft_siw_qp_info info;

    if (!qp->used || qp->conn || weft_siw_qp_query(n->siw, qp->qpn, &info) != 0)
        return NULL;
    if (info.state == WEFT_SIW_QP_IDLE)
        return qp;
    require(n, info.state == WEFT_SIW_QP_ERROR, "a free QP is neither IDLE nor in ERROR");
    require(n, weft_siw_qp_reset(n->siw, qp->qpn) == 0, "a free QP could not be reset");
    require(n, qp->recv_count == 0, "a QP in ERROR has receives");
    return qp;
}

static struct weft_iw_addr address(uint32_t number, uint16_t port)
{
    return (struct weft_iw_addr){
        .family = 4, .port = port, .ip = {10, 0, 0, (uint8_t)(number + 1)}};
}

static struct weft_iwcm_param terms(struct node *n, const struct qp_record *qp)
{
    static const uint8_t words[WEFT_IWCM_PRIVATE_MAX];
    struct weft_iwcm_param p = {.private_data = words, .qpn = qp->qpn};

    p.private_bytes = (uint16_t)(happens(n, 50) ? draw(n, 512) : draw(n, 64));
    p.ird = (uint16_t)draw(n, n->config.ird_max);
    p.ord = (uint16_t)draw(n, n->config.ord_max);
    return p;
}

static void act_listen(struct node *n)
{
    struct weft_iw_addr at = address(n->number, (uint16_t)(1 + draw(n, 2)));
    struct ident *d = id_create(n);

    if (!d)
        return;
    d->listener = true;
    if (weft_iwcm_listen(n->cm, d->id, &at, (uint32_t)draw(n, 4)) == 0)
        d->owed[WEFT_IWCM_CALL_LISTEN]++;
}

static void act_connect(struct node *n)
{
    struct world *w = n->world;
    uint32_t whom = (uint32_t)draw(n, w->node_count - 1);
    struct weft_iw_addr from, to = address(whom, (uint16_t)(1 + draw(n, 2)));
    struct qp_record *qp = free_qp(n);
    struct weft_iwcm_param p;
    struct conn *c;
    struct ident *d;

    if (!qp || w->conn_count == CONNS_MAX)
        return;
    d = id_create(n);
    if (!d)
        return;
    c = &w->conns[w->conn_count];
    c->port = (uint16_t)(1000 + w->conn_count);
    from = address(n->number, c->port);
    p = terms(n, qp);
    if (weft_iwcm_connect(n->cm, d->id, &from, &to, &p) != 0) {
        world_broken(w, "connect of a new id was refused");
        return;
    }
    w->conn_count++;
    w->totals.conns++;
    d->attempt = true;
    d->owed[WEFT_IWCM_CALL_CONNECT]++;
    d->conn = c;
    d->side = &c->side[0];
    qp->conn = c;
    qp->side = d->side;
    side_begin(w, d->side, n, qp);
    world_tell(w, n, "connect", c->port, to.ip[3], p.private_bytes);
}

static void act_accept(struct node *n, struct ident *d)
{
    struct qp_record *qp = free_qp(n);
    struct weft_iwcm_param p;
    int err;

    if (!qp)
        return;
    p = terms(n, qp);
    err = weft_iwcm_accept(n->cm, d->id, &p);
    world_tell(n->world, n, "accept", d->conn->port, p.private_bytes, 0);
    require(n, err == 0 || err == WEFT_ERR_FULL, "accept was refused");
    if (err != 0)
        return;
    d->request = false;
    d->accepting = true;
    d->owed[WEFT_IWCM_CALL_ACCEPT]++;
    d->side = &d->conn->side[1];
    qp->conn = d->conn;
    qp->side = d->side;
    side_begin(n->world, d->side, n, qp);
}

static void act_reject(struct node *n, struct ident *d)
{
    uint16_t bytes = (uint16_t)draw(n, 512);
    static const uint8_t words[WEFT_IWCM_PRIVATE_MAX];
    int err = weft_iwcm_reject(n->cm, d->id, words, bytes);

    require(n, err == 0 || err == WEFT_ERR_FULL, "reject was refused");
    world_tell(n->world, n, "reject", d->conn->port, bytes, 0);
    if (err != 0)
        return;
    d->request = false;
    d->owed[WEFT_IWCM_CALL_REJECT]++;
    d->conn = NULL;
}

static void act_disconnect(struct node *n, struct ident *d, bool abrupt)
{
    int err = weft_iwcm_disconnect(n->cm, d->id, abrupt);

    require(n, err == 0 || err == WEFT_ERR_FULL, "disconnect of a connection was refused");
    if (err != 0)
        return;
    world_tell(n->world, n, "disconnect", d->conn->port, abrupt, 0);
    d->owed[WEFT_IWCM_CALL_DISCONNECT]++;
    if (abrupt)
        d->conn->disturbed = true;
    if (!d->conn->closed)
        d->conn->closed_at = n->world->now;
    d->conn->closed = true;
}

static void act_destroy(struct node *n, struct ident *d)
{
    int err = weft_iwcm_destroy(n->cm, d->id);

    world_tell(n->world, n, "destroy", d->conn ? d->conn->port : 0, d->user_data, 0);
    if (d->destroyed) {
        require(n, err == WEFT_ERR_STATE, "an id was destroyed twice");
        return;
    }
    require(n, err == 0, "destroy was refused");
    d->destroyed = true;
    if (d->conn)
        d->conn->disturbed = true;
    if (d->listener)
        n->unlistened = true;
}

static void act_receive(struct node *n, struct qp_record *qp)
{
    struct world *w = n->world;
    uint32_t bytes = happens(n, w->habits.short_receive) ? (uint32_t)draw(n, w->habits.message_max)
                                                         : w->habits.message_max;
    struct weft_siw_sge sge[2];
    struct weft_siw_recv wr = {.wr_id = qp->recv_serial, .sge = sge, .sge_count = 2};
    uint8_t *memory;
    int err;

    if (!qp->used || qp->recv_count == RECVS_MAX)
        return;
    memory = guarded_new(bytes);
    sge[0] = (struct weft_siw_sge){memory, (uint32_t)draw(n, bytes), 0};
    sge[1] = (struct weft_siw_sge){memory + sge[0].bytes, bytes - sge[0].bytes, 0};
    err = weft_siw_post_recv(n->siw, qp->qpn, &wr);
    if (err != 0) {
        require(n, err == WEFT_ERR_FULL || err == WEFT_ERR_STATE, "a receive was refused");
        guarded_free(memory);
        return;
    }
    qp->recvs[qp->recv_count++] = (struct posted_recv){qp->recv_serial++, memory, bytes};
}

static void drop_receives(struct qp_record *qp)
{
    for (uint32_t i = 0; i < qp->recv_count; i++)
        guarded_free(qp->recvs[i].memory);
    qp->recv_count = 0;
}

static void act_qp(struct node *n, struct qp_record *qp)
{
    struct weft_siw_qp_config c = {.pd = PD};
    int err;

    if (!qp->used) {
        *qp = (struct qp_record){0};
        c.sends = 1 + (uint32_t)draw(n, 15);
        c.recvs = 1 + (uint32_t)draw(n, RECVS_MAX - 1);
        qp->send_cq = (uint32_t)draw(n, NODE_CQS - 1);
        qp->recv_cq = (uint32_t)draw(n, NODE_CQS - 1);
        c.send_cqn = n->cqn[qp->send_cq];
        c.recv_cqn = n->cqn[qp->recv_cq];
        require(n, weft_siw_qp_create(n->siw, &c, &qp->qpn) == 0, "no QP is left");
        qp->used = true;
        return;
    }
    node_poll(n);
    /* an attempt that is canceled may leave it before the program hears of that */
    if (qp->conn && !qp->side->up)
        return;
    err = weft_siw_qp_destroy(n->siw, qp->qpn);
    require(n, err == (qp->conn ? WEFT_ERR_STATE : 0), "a QP's end");
    if (err != 0)
        return;
    drop_receives(qp);
    qp->used = false;
}

static struct qp_record *qp_of(struct node *n, uint32_t qpn)
{
    for (uint32_t i = 0; i < NODE_QPS_MAX; i++) {
        if (n->qps[i].used && n->qps[i].qpn == qpn)
            return &n->qps[i];
    }
    return NULL;
}

static void take_received(struct node *n, struct qp_record *qp, const struct weft_siw_wc *wc)
{
    struct posted_recv r = qp->recvs[0];

    if (qp->recv_count == 0 || r.wr_id != wc->wr_id) {
        world_broken(n->world, "a receive completed out of order");
        return;
    }
    qp->recv_count--;
    memmove(qp->recvs, qp->recvs + 1, qp->recv_count * sizeof(qp->recvs[0]));
    if (qp->side)
        side_received(n->world, qp->conn, qp->side, &r, wc);
    else
        world_broken(n->world, "a receive completed without a connection");
    require(n, guarded_whole(r.memory, r.bytes), "bytes beside a receive were written");
    guarded_free(r.memory);
}

static void take_completion(struct node *n, uint32_t cq, const struct weft_siw_wc *wc)
{
    struct qp_record *qp = qp_of(n, wc->qpn);
    bool received = wc->opcode == WEFT_SIW_WC_RECV;

    world_tell(n->world, n, "wc", wc->wr_id, (uint64_t)wc->opcode << 8 | wc->status, wc->bytes);
    if (!qp || cq != (received ? qp->recv_cq : qp->send_cq)) {
        world_broken(n->world, "a completion in a queue that is not its own");
        return;
    }
    if (received)
        take_received(n, qp, wc);
    else if (qp->side)
        side_sent(n->world, qp->conn, qp->side, wc);
    else
        world_broken(n->world, "a send completed without a connection");
}

/* Only the first receive can have a part of its message. */
static void check_receives(struct node *n)
{
    for (uint32_t k = 0; k < NODE_QPS_MAX; k++) {
        const struct qp_record *qp = &n->qps[k];

        for (uint32_t i = 1; i < qp->recv_count; i++)
            require(n, guarded_untouched(qp->recvs[i].memory, 0, qp->recvs[i].bytes),
                    "a receive was written before its turn");
    }
}

static void take_completions(struct node *n)
{
    struct weft_siw_event event;
    struct weft_siw_wc wc;

    while (weft_siw_poll_event(n->siw, &event)) {
        for (uint32_t i = 0; i < NODE_CQS; i++) {
            if (event.type != WEFT_SIW_EVENT_CQ || event.number != n->cqn[i])
                continue;
            require(n, n->armed[i], "an event of a queue that was not armed");
            n->armed[i] = false;
        }
    }
    for (uint32_t i = 0; i < NODE_CQS; i++) {
        while (!n->world->fault && weft_siw_cq_poll(n->siw, n->cqn[i], &wc)) {
            require(n, !n->armed[i], "a completion without the event that was asked for");
            take_completion(n, i, &wc);
        }
        if (!n->armed[i] && happens(n, 300))
            n->armed[i] = weft_siw_cq_arm(n->siw, n->cqn[i], false) == 0;
    }
    check_receives(n);
}

static void on_done(struct node *n, struct ident *d, const struct weft_iwcm_event *e)
{
    require(n, d->owed[e->call] > 0, "DONE of a call that was not made");
    d->owed[e->call]--;
    if (e->call == WEFT_IWCM_CALL_DISCONNECT)
        require(n, e->status == WEFT_IWCM_OK, "a disconnect was refused late");
    if (e->status == WEFT_IWCM_OK)
        return;
    if (e->call == WEFT_IWCM_CALL_CONNECT) {
        require(n, d->attempt, "a late error of connect");
        d->attempt = false;
        unbind(n, d);
    } else if (e->call == WEFT_IWCM_CALL_ACCEPT) {
        require(n, d->accepting, "a late error of accept");
        d->accepting = false;
        unbind(n, d);
    }
}

static void on_request(struct node *n, const struct weft_iwcm_event *e)
{
    const struct ident *listener = find_id(n, e->listener);
    struct conn *c = world_conn(n->world, e->remote.port);
    struct ident *d;

    require(n, listener && !listener->destroyed && listener->listener,
            "a REQUEST to nobody who listens");
    require(n, c && !c->side[1].bound, "a REQUEST of nobody");
    d = id_new(n, e->id, listener ? listener->user_data : 0);
    if (!d || !listener)
        return;
    require(n, e->user_data == listener->user_data, "a REQUEST has other user data");
    d->request = true;
    d->conn = c;
    if (happens(n, 500)) {
        d->user_data = ++n->user_data;
        require(n, weft_iwcm_set_user_data(n->cm, d->id, d->user_data) == 0, "user data");
    }
}

static void on_up(struct node *n, struct ident *d)
{
    d->attempt = d->accepting = false;
    d->up = true;
    d->side->up = true;
    n->world->totals.up++;
}

static void on_reply(struct node *n, struct ident *d, const struct weft_iwcm_event *e)
{
    require(n, d->attempt, "a REPLY without a connect");
    d->attempt = false;
    if (e->status == WEFT_IWCM_OK) {
        on_up(n, d);
        return;
    }
    if (d->conn)
        d->conn->refused = true;
    unbind(n, d);
}

static void ended_badly(struct node *n, struct conn *c)
{
    if (!c->ended_badly)
        c->ended_at = n->world->now;
    c->ended_badly = true;
}

static void on_closed(struct node *n, struct ident *d, const struct weft_iwcm_event *e)
{
    struct weft_siw_qp_info info;

    require(n, d->up, "CLOSED of what was not up");
    d->up = false;
    require(n, weft_siw_qp_query(n->siw, d->side->qp->qpn, &info) == 0, "a QP is lost");
    require(n,
            (info.state == WEFT_SIW_QP_IDLE) == (e->status == WEFT_IWCM_OK) &&
                (e->status == WEFT_IWCM_OK || info.state == WEFT_SIW_QP_ERROR),
            "a QP's state after CLOSED");
    if (e->status == WEFT_IWCM_OK)
        n->world->totals.orderly++;
    else
        ended_badly(n, d->conn);
    unbind(n, d);
}

static void on_gone(struct node *n, struct ident *d)
{
    require(n, d->destroyed, "GONE without a destroy");
    unbind(n, d);
    d->used = false;
}

static void take_event(struct node *n, const struct weft_iwcm_event *e)
{
    struct ident *d = find_id(n, e->id);

    world_tell(n->world, n, weft_iwcm_event_name(e->type), e->user_data,
               (uint64_t)e->call << 8 | e->status, e->peer.private_bytes);
    if (e->type == WEFT_IWCM_EVENT_REQUEST) {
        on_request(n, e);
        return;
    }
    if (!d) {
        world_broken(n->world, "an event of an id that has gone or never was");
        return;
    }
    require(n, d->user_data == e->user_data, "an event has other user data");
    require(n, !d->destroyed || e->type == WEFT_IWCM_EVENT_GONE,
            "an event of a destroyed id that is not GONE");
    switch (e->type) {
    case WEFT_IWCM_EVENT_DONE:
        on_done(n, d, e);
        break;
    case WEFT_IWCM_EVENT_REPLY:
        on_reply(n, d, e);
        break;
    case WEFT_IWCM_EVENT_ESTABLISHED:
        require(n, d->accepting, "ESTABLISHED without an accept");
        on_up(n, d);
        break;
    case WEFT_IWCM_EVENT_CLOSED:
        on_closed(n, d, e);
        break;
    case WEFT_IWCM_EVENT_GONE:
        on_gone(n, d);
        break;
    case WEFT_IWCM_EVENT_REQUEST:
    case WEFT_IWCM_EVENTS:
        world_broken(n->world, "an event that is none");
    }
}

void node_poll(struct node *n)
{
    struct weft_iwcm_event e;

    take_completions(n);
    while (!n->world->fault && weft_iwcm_poll_event(n->cm, &e)) {
        take_completions(n);
        take_event(n, &e);
    }
}

/* How often an id is given up: one that has nothing to do any more, soon. */
static uint32_t destroys(const struct node *n, const struct ident *d)
{
    if (d->listener)
        return n->world->habits.unlisten;
    if (!d->request && !d->attempt && !d->accepting && !d->up)
        return 300;
    return n->world->habits.destroy;
}

/* One thing with an id that is used, if it is in a state for it. */
static void act_id(struct node *n, struct ident *d)
{
    const struct habits *h = &n->world->habits;

    if (d->destroyed) {
        if (happens(n, 20))
            act_destroy(n, d);
        return;
    }
    if (d->request && happens(n, h->accept))
        act_accept(n, d);
    else if (d->request && happens(n, h->reject))
        act_reject(n, d);
    else if (d->up && happens(n, h->close))
        act_disconnect(n, d, false);
    else if (d->up && happens(n, h->abrupt))
        act_disconnect(n, d, true);
    else if (d->up && happens(n, h->withdraw))
        side_withdraw(n->world, d->conn, d->side);
    else if (happens(n, destroys(n, d)))
        act_destroy(n, d);
    for (uint64_t some = draw(n, 6); d->up && some > 0 && happens(n, h->post); some--)
        side_post(n->world, d->conn, d->side);
}

void node_act(struct node *n)
{
    const struct habits *h = &n->world->habits;
    struct ident *d = &n->ids[draw(n, IDS_MAX - 1)];
    bool listens = false;

    for (uint32_t i = 0; i < IDS_MAX; i++)
        listens = listens || (n->ids[i].used && n->ids[i].listener && !n->ids[i].destroyed);
    if (!listens || happens(n, h->listen))
        act_listen(n);
    if (happens(n, h->connect))
        act_connect(n);
    for (uint32_t i = 0; i < NODE_QPS_MAX; i++) {
        for (uint64_t some = draw(n, 4); some > 0 && happens(n, h->receive); some--)
            act_receive(n, &n->qps[i]);
    }
    if (happens(n, 30))
        act_qp(n, &n->qps[draw(n, NODE_QPS_MAX - 1)]);
    for (uint32_t i = 0; i < IDS_MAX; i++) {
        if (n->ids[i].used && (d == &n->ids[i] || happens(n, 500)))
            act_id(n, &n->ids[i]);
    }
    if (!happens(n, h->lazy))
        node_poll(n);
}

void node_check(struct node *n)
{
    struct weft_iwcm_stats cm;
    struct weft_siw_stats s;
    struct world *w = n->world;
    uint32_t qps = 0;

    weft_iwcm_stats(n->cm, &cm);
    weft_siw_stats(n->siw, &s);
    require(n, cm.violations == 0, "the provider has broken its contract");
    require(n, s.upcalls_refused == 0 || cm.backlog_full + cm.ids_full > 0 || n->unlistened,
            "a REQUEST was refused though there was room");
    require(n, s.endpoints == host_endpoints(w, n), "endpoints in use");
    for (uint32_t i = 0; i < NODE_QPS_MAX; i++)
        qps += n->qps[i].used;
    require(n, s.qps == qps && cm.qps == qps, "QPs in use");
    require(n, s.regions == n->regions, "regions in use");
    require(n, iwcm_audit(n->cm) == NULL, "the connection manager's audit");
    for (uint32_t i = 0; i < NODE_QPS_MAX; i++) {
        struct qp_record *qp = &n->qps[i];

        if (!qp->used || !qp->side)
            continue;
        side_check_terminate(w, qp->conn, qp->side);
        if (happens(n, 60))
            side_check_area(w, qp->conn, qp->side);
    }
}

void node_check_terminated(struct node *n)
{
    for (uint32_t i = 0; i < NODE_QPS_MAX; i++) {
        struct qp_record *qp = &n->qps[i];

        if (qp->used && qp->side)
            side_check_terminated(n->world, qp->conn, qp->side);
    }
}

void node_wind_down(struct node *n)
{
    for (uint32_t i = 0; i < IDS_MAX; i++) {
        struct ident *d = &n->ids[i];

        if (d->used && !d->destroyed && !d->up && !d->attempt && !d->accepting)
            act_destroy(n, d);
        /* who may speak first does */
        if (d->used && d->up && !d->destroyed && d->side == &d->conn->side[0])
            side_post_empty(n->world, d->conn, d->side);
    }
}

void node_close(struct node *n, bool all)
{
    for (uint32_t i = 0; i < IDS_MAX; i++) {
        struct ident *d = &n->ids[i];

        if (!d->used || d->destroyed)
            continue;
        if (all)
            act_destroy(n, d);
        else if (d->up && (d->side == &d->conn->side[0] || happens(n, 500)))
            act_disconnect(n, d, false);
    }
}

void node_check_end(struct node *n)
{
    struct weft_siw_stats s;

    for (uint32_t i = 0; i < IDS_MAX; i++)
        require(n, !n->ids[i].used, "an id was destroyed and is not gone");
    for (uint32_t i = 0; i < NODE_QPS_MAX; i++) {
        struct qp_record *qp = &n->qps[i];

        require(n, !qp->conn, "a QP is bound at the end");
        if (!qp->used)
            continue;
        require(n, weft_siw_qp_destroy(n->siw, qp->qpn) == 0, "a QP could not be destroyed");
        drop_receives(qp);
        qp->used = false;
    }
    for (uint32_t i = 0; i < NODE_CQS; i++)
        require(n, weft_siw_cq_destroy(n->siw, n->cqn[i]) == 0, "a queue could not be destroyed");
    weft_siw_stats(n->siw, &s);
    require(n, s.endpoints == 0 && s.half_open == 0 && s.qps == 0 && s.regions == 0,
            "something is in use at the end");
    require(n,
            n->siw->verbs.requests.used == 0 && n->siw->verbs.responses.used == 0 &&
                n->siw->verbs.completions.used == 0 && n->siw->verbs.stagings.used == 0 &&
                n->siw->verbs.partials.used == 0 && n->siw->verbs.requests_given == 0,
            "something leaks");
    require(n, weft_siw_deadline(n->siw) == WEFT_TIME_NEVER, "a timer runs at the end");
}

static void choose_config(struct node *n, struct weft_siw_config *c)
{
    *c = (struct weft_siw_config)WEFT_SIW_CONFIG_INIT;
    c->seed = prng_next(&n->world->prng);
    c->endpoints = happens(n, 200) ? 6 : 64;
    c->qps = NODE_QPS_MAX;
    c->cqs = NODE_CQS;
    c->cq_entries = 512;
    c->requests = 512;
    c->regions = happens(n, 100) ? 16 : 512;
    c->ird_max = (uint16_t)draw(n, 8);
    c->ord_max = (uint16_t)draw(n, 8);
    c->mpa_revision = happens(n, 250) ? 1 : 2;
    c->crc = (enum weft_siw_crc)draw(n, 2);
    c->rtr = (uint8_t)draw(n, 7);
    c->strict_reads = happens(n, 200);
    c->markers = happens(n, 20);
    c->nudge_ns = happens(n, 500) ? 0 : 20 * WEFT_MS;
    c->segment_bytes = happens(n, 500) ? 0 : 128 + (uint32_t)draw(n, 3000);
}

void node_begin(struct node *n, struct world *w, uint32_t number)
{
    struct weft_iwcm_config cm = WEFT_IWCM_CONFIG_INIT;

    *n = (struct node){.number = number, .world = w};
    cm.ids = happens(n, 300) ? 6 : IDS_MAX;
    cm.qps = NODE_QPS_MAX;
    choose_config(n, &n->config);
    require(n, weft_iwcm_new(&cm, NULL, &n->cm) == 0, "no connection manager");
    require(n, weft_siw_new(&n->config, NULL, n->cm, &n->siw) == 0, "no provider");
    for (uint32_t i = 0; i < NODE_CQS && !w->fault; i++)
        require(n, weft_siw_cq_create(n->siw, 256, &n->cqn[i]) == 0, "no queue");
    for (uint32_t i = 0; i < NODE_QPS_MAX && !w->fault; i++)
        act_qp(n, &n->qps[i]);
}

void node_end(struct node *n)
{
    for (uint32_t i = 0; i < NODE_QPS_MAX; i++)
        drop_receives(&n->qps[i]);
    weft_siw_free(n->siw);
    weft_iwcm_free(n->cm);
}
