/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Queue pairs: made and ended by the program, connected and let go by a connection, failed by
 * whoever finds a reason. */
#include "core/siw/qp.h"

#include "core/siw/connection.h"
#include "core/siw/engine.h"
#include "core/siw/stream.h"
#include "core/siw/transmit.h"

struct qp *qp_find(const struct weft_siw *s, uint32_t qpn)
{
    return verbs_find(&s->verbs.qps, qpn);
}

struct qp_cell qp_step(struct weft_siw *s, struct qp *qp, enum qp_input input)
{
    struct qp_cell cell = qp_fsm_cell((enum weft_siw_qp_state)qp->state, input);

    WEFT_ASSERT(cell.verdict != QP_NEVER);
    if (cell.verdict != QP_TO)
        return cell;
    if (qp->state == WEFT_SIW_QP_RTS && list_empty(&qp->event))
        list_push_back(&s->verbs.qp_events, &qp->event);
    qp->state = (uint8_t)cell.next;
    return cell;
}

/* The queues of a new QP, or of one that is as new. */
static void queues_init(struct qp *qp)
{
    request_queue_init(&qp->sends);
    request_queue_init(&qp->recvs);
    qp->read_first = qp->read_last = REQUEST_NONE;
    qp->responses = (struct response_queue){
        .first = POOL_NONE,
        .last = POOL_NONE,
        .building = POOL_NONE,
    };
    qp->tx.building = REQUEST_NONE;
}

int weft_siw_qp_create(struct weft_siw *s, const struct weft_siw_qp_config *c, uint32_t *ret_qpn)
{
    struct cq *send_cq = cq_find(s, c->send_cqn), *recv_cq = cq_find(s, c->recv_cqn);
    uint64_t requests = (uint64_t)c->sends + c->recvs;
    struct verbs *v = &s->verbs;
    struct qp *qp;

    if (c->sends == 0)
        return WEFT_ERR_INVALID;
    if (!send_cq || !recv_cq)
        return WEFT_ERR_NOTFOUND;
    if (requests > s->config.requests - v->requests_given)
        return WEFT_ERR_FULL;
    qp = pool_take(&v->qps);
    if (!qp)
        return WEFT_ERR_FULL;
    pool_clear(qp, sizeof(*qp));
    qp->qpn = verbs_number(&v->qps, qp);
    if (weft_iwcm_qp_add(s->cm, qp->qpn) != 0) {
        pool_give(&v->qps, qp);
        return WEFT_ERR_FULL;
    }
    qp->state = WEFT_SIW_QP_IDLE;
    qp->config = *c;
    qp->send_cq = send_cq;
    qp->recv_cq = recv_cq;
    send_cq->users++;
    recv_cq->users++;
    v->requests_given += (uint32_t)requests;
    list_init(&qp->event);
    queues_init(qp);
    *ret_qpn = qp->qpn;
    return 0;
}

int weft_siw_qp_destroy(struct weft_siw *s, uint32_t qpn)
{
    struct qp *qp = qp_find(s, qpn);

    if (!qp)
        return WEFT_ERR_NOTFOUND;
    if (qp->ep || weft_iwcm_qp_remove(s->cm, qpn) == WEFT_ERR_STATE)
        return WEFT_ERR_STATE;
    requests_drop(s, qp);
    qp->send_cq->users--;
    qp->recv_cq->users--;
    s->verbs.requests_given -= qp->config.sends + qp->config.recvs;
    list_remove(&qp->event);
    pool_give(&s->verbs.qps, qp);
    return 0;
}

int weft_siw_qp_reset(struct weft_siw *s, uint32_t qpn)
{
    struct qp *qp = qp_find(s, qpn);
    weft_iwcm_id owner;

    if (!qp)
        return WEFT_ERR_NOTFOUND;
    if (qp->ep || weft_iwcm_qp_owner(s->cm, qpn, &owner) == 0)
        return WEFT_ERR_STATE;
    requests_drop(s, qp);
    qp_step(s, qp, QP_RESET);
    list_remove(&qp->event);
    return 0;
}

int weft_siw_qp_query(const struct weft_siw *s, uint32_t qpn, struct weft_siw_qp_info *ret)
{
    const struct qp *qp = qp_find(s, qpn);
    weft_iwcm_id owner = {0};

    if (!qp)
        return WEFT_ERR_NOTFOUND;
    /* not found: it has none */
    (void)weft_iwcm_qp_owner(s->cm, qpn, &owner);
    *ret = (struct weft_siw_qp_info){
        .state = (enum weft_siw_qp_state)qp->state,
        .owner = owner,
        .ird = qp->terms.ird,
        .ord = qp->terms.ord,
        .crc = qp->terms.crc,
        .mpa_revision = qp->terms.revision,
        .rtr = qp->terms.rtr,
        .ulpdu_bytes_max = qp->tx.ulpdu_max,
        .terminate_sent = qp->terminate_sent,
        .terminate_received = qp->terminate_received,
        .terminate_error = qp->terminate_error,
        .fpdus_out = qp->fpdus_out,
        .fpdus_in = qp->fpdus_in,
    };
    return 0;
}

bool qp_connectable(const struct qp *qp)
{
    return qp->state == WEFT_SIW_QP_IDLE && !qp->ep;
}

void qp_connect(struct weft_siw *s, struct qp *qp, struct ep *ep, const struct terms *t)
{
    WEFT_ASSERT(qp_connectable(qp) && qp->sends.first == REQUEST_NONE);
    qp->ep = ep;
    qp->terms = *t;
    qp->heard = qp->ready = qp->drained = false;
    qp->terminate_sent = qp->terminate_received = false;
    qp->terminate_error = 0;
    qp->fpdus_in = qp->fpdus_out = 0;
    qp_step(s, qp, QP_CONNECT);
    receiver_begin(s, qp);
    transmit_begin(s, qp);
}

void qp_check_drained(struct weft_siw *s, struct qp *qp)
{
    if (qp->state != WEFT_SIW_QP_CLOSING || qp->drained || qp->tx.staging ||
        qp->sends.first != REQUEST_NONE || qp->responses.count > 0)
        return;
    qp_step(s, qp, QP_DRAINED);
    qp->drained = true;
    qp->tx.nudge_due = false;
    connection_drained(s, qp->ep);
}

void qp_close(struct weft_siw *s, struct qp *qp)
{
    qp_step(s, qp, QP_CLOSE);
    qp_check_drained(s, qp);
}

/* Nothing goes out any more, everything is flushed. */
static void flush(struct weft_siw *s, struct qp *qp)
{
    transmit_drop(s, qp);
    sends_flush(s, qp);
    responses_drop(s, qp);
    recvs_flush(s, qp);
}

void qp_abort(struct weft_siw *s, struct qp *qp)
{
    qp_step(s, qp, QP_ABORT);
    flush(s, qp);
}

bool qp_peer_fin(struct weft_siw *s, struct qp *qp)
{
    if (!qp_receiving(qp))
        return false;
    /* what is asked of the peer now, it cannot answer */
    if (!receiver_between(qp) || qp->reads_posted > 0) {
        qp_abort(s, qp);
        return false;
    }
    qp_step(s, qp, QP_PEER_FIN);
    qp_check_drained(s, qp);
    return true;
}

void qp_unbind(struct weft_siw *s, struct qp *qp, bool orderly)
{
    qp_step(s, qp, orderly ? QP_UNBIND_ORDERLY : QP_UNBIND);
    if (!qp->ep)
        return;
    flush(s, qp);
    receiver_end(s, qp);
    qp->ep = NULL;
}

void qp_fail(struct weft_siw *s, struct qp *qp, uint16_t error, const void *ulpdu, uint32_t bytes,
             uint16_t ulpdu_bytes)
{
    struct terminate t;

    if (!qp_receiving(qp))
        return;
    if (qp->drained) {
        /* behind our FIN nothing can be said any more */
        qp_fail_silently(s, qp);
        return;
    }
    terminate_make(error, ulpdu, bytes, ulpdu_bytes, &t);
    qp->terminate_sent = true;
    qp->terminate_error = error;
    s->stats.terminates_out++;
    qp->tx.nudge_due = false;
    qp->tx.nudge = NUDGE_OFF;
    qp_step(s, qp, QP_LOCAL_ERROR);
    if (!transmit_terminate(s, qp, &t)) {
        sends_flush(s, qp);
        responses_drop(s, qp);
    }
    recvs_flush(s, qp);
    connection_failed(s, qp->ep, true);
}

void qp_fail_silently(struct weft_siw *s, struct qp *qp)
{
    if (!qp_receiving(qp))
        return;
    qp_abort(s, qp);
    connection_failed(s, qp->ep, false);
}

/* Whether a Terminate brings the header of something else than a Read Request: a Send with
 * Invalidate can have the errors of reads, too. */
static bool is_about_another(const struct terminate *t)
{
    struct ddp_header h;

    if (!t->has_header)
        return false;
    ddp_header_read(t->header, &h);
    return h.tagged || h.opcode != RDMAP_READ_REQUEST;
}

/* The read that a Terminate is about, or NULL: by the Read Request it brings, or, without one, the
 * oldest, if the error is one that reads have. */
static struct qp_request *read_named(const struct weft_siw *s, const struct qp *qp,
                                     const struct terminate *t)
{
    struct qp_request *r = read_first(s, qp);
    struct rdmap_read read;

    if (t->has_read) {
        rdmap_read_read(t->read, &read);
        while (r && (r->sge[0].stag != read.sink_stag || r->sink_to != read.sink_to))
            r = request_at(s, r->next_read);
        return r;
    }
    if (is_about_another(t))
        return NULL;
    switch (t->error) {
    case TERMINATE_READ_STAG:
    case TERMINATE_READ_BOUNDS:
    case TERMINATE_READ_ASSOCIATION:
    case TERMINATE_READ_WRAP:
        return r;
    default:
        return NULL;
    }
}

void qp_peer_terminated(struct weft_siw *s, struct qp *qp, const struct terminate *t)
{
    struct qp_request *r;

    if (!qp_receiving(qp))
        return;
    r = read_named(s, qp, t);
    if (r)
        r->status = WEFT_SIW_WC_REMOTE;
    s->stats.terminates_in++;
    qp->terminate_received = true;
    qp->terminate_error = t->error;
    qp_step(s, qp, QP_PEER_TERMINATE);
    flush(s, qp);
    connection_peer_terminated(s, qp->ep);
}
