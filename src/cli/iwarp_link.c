/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One connection of a command: made, waited for, ended. */
#include "cli/iwarp_address.h"
#include "cli/iwarp_session.h"
#include "cli/message.h"

#include <string.h>

static uint64_t user_data(struct iwarp_link *l)
{
    uint64_t data = 0;

    memcpy(&data, &l, sizeof(void *));
    return data;
}

static bool make_queues(struct iwarp_session *s, const struct iwarp_link_config *c,
                        struct iwarp_link *l)
{
    struct weft_siw_qp_config qp = {.sends = c->sends, .recvs = c->recvs};

    if (weft_siw_cq_create(s->siw, c->one_cq ? c->sends + c->recvs : c->sends, &l->send_cqn) != 0)
        return false;
    if (c->one_cq)
        l->recv_cqn = l->send_cqn;
    else if (weft_siw_cq_create(s->siw, c->recvs, &l->recv_cqn) != 0)
        return false;
    qp.send_cqn = l->send_cqn;
    qp.recv_cqn = l->recv_cqn;
    return weft_siw_qp_create(s->siw, &qp, &l->qpn) == 0;
}

bool iwarp_link_new(struct iwarp_session *s, const struct iwarp_link_config *c,
                    struct iwarp_link *l)
{
    *l = (struct iwarp_link){.session = s, .state = IWARP_LINK_STARTING};
    if (make_queues(s, c, l))
        return true;
    message("no room for another connection");
    iwarp_link_free(l, 0);
    return false;
}

bool iwarp_link_accept(struct iwarp_link *l, const struct iwarp_waiting *w,
                       const struct weft_iwcm_param *p)
{
    struct weft_iwcm *cm = l->session->cm;
    struct weft_iwcm_param own = *p;

    own.qpn = l->qpn;
    l->id = w->id;
    l->local = w->local;
    l->remote = w->remote;
    l->peer = w->peer;
    memcpy(l->private_data, w->private_data, w->peer.private_bytes);
    l->peer.private_data = l->private_data;
    if (weft_iwcm_set_user_data(cm, l->id, user_data(l)) != 0 ||
        weft_iwcm_accept(cm, l->id, &own) != 0) {
        l->state = IWARP_LINK_ENDED;
        l->status = WEFT_IWCM_RESET;
        return false;
    }
    iw_loop_pump(l->session->loop);
    return true;
}

bool iwarp_link_connect(struct iwarp_link *l, const struct weft_iwcm_param *p)
{
    const struct iwarp_request *r = l->session->request;
    struct weft_iwcm_param own = *p;

    own.qpn = l->qpn;
    l->remote = r->remote;
    if (weft_iwcm_create(l->session->cm, user_data(l), &l->id) != 0 ||
        weft_iwcm_connect(l->session->cm, l->id, r->bind.family ? &r->bind : NULL, &l->remote,
                          &own) != 0) {
        l->state = IWARP_LINK_ENDED;
        l->status = WEFT_IWCM_NO_RESOURCES;
        return false;
    }
    iw_loop_pump(l->session->loop);
    return true;
}

bool iwarp_link_wait_up(struct iwarp_link *l, weft_time deadline)
{
    while (l->state == IWARP_LINK_STARTING) {
        if (iwarp_session_interrupted())
            return false;
        if (iw_loop_now() >= deadline) {
            l->status = WEFT_IWCM_TIMEOUT;
            return false;
        }
        iwarp_session_turn(l->session, deadline);
    }
    return l->state == IWARP_LINK_UP;
}

bool iwarp_link_poll(struct iwarp_link *l, struct weft_siw_wc *ret)
{
    struct weft_siw *siw = l->session->siw;

    return weft_siw_cq_poll(siw, l->send_cqn, ret) ||
           (l->recv_cqn != l->send_cqn && weft_siw_cq_poll(siw, l->recv_cqn, ret));
}

bool iwarp_link_wait_wc(struct iwarp_link *l, weft_time deadline, struct weft_siw_wc *ret)
{
    while (!iwarp_link_poll(l, ret)) {
        if (l->state == IWARP_LINK_ENDED || iwarp_session_interrupted() ||
            iw_loop_now() >= deadline)
            return false;
        iwarp_session_turn(l->session, deadline);
    }
    return true;
}

void iwarp_link_disconnect(struct iwarp_link *l, bool abrupt)
{
    if (l->state != IWARP_LINK_UP || weft_iwcm_disconnect(l->session->cm, l->id, abrupt) != 0)
        return;
    l->state = IWARP_LINK_CLOSING;
    iw_loop_pump(l->session->loop);
}

static void free_queues(struct iwarp_link *l)
{
    struct weft_siw *siw = l->session->siw;

    if (l->qpn)
        weft_siw_qp_destroy(siw, l->qpn);
    if (l->recv_cqn && l->recv_cqn != l->send_cqn)
        weft_siw_cq_destroy(siw, l->recv_cqn);
    if (l->send_cqn)
        weft_siw_cq_destroy(siw, l->send_cqn);
    l->qpn = l->recv_cqn = l->send_cqn = 0;
}

void iwarp_link_free(struct iwarp_link *l, weft_time deadline)
{
    iwarp_link_disconnect(l, false);
    while (l->state == IWARP_LINK_CLOSING && iw_loop_now() < deadline)
        iwarp_session_turn(l->session, deadline);
    if (l->id.v && !l->gone && weft_iwcm_destroy(l->session->cm, l->id) == 0) {
        iw_loop_pump(l->session->loop);
        while (!l->gone)
            iwarp_session_turn(l->session, iwarp_session_in(WEFT_S));
    }
    free_queues(l);
}
