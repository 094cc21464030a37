/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests in the queues of a QP: in order of posting, completed in that order. */
#include "core/siw/request.h"

#include "core/siw/connection.h"
#include "core/siw/engine.h"
#include "core/siw/qp.h"
#include "core/siw/transmit.h"

/* The request in a slot that is one. */
static struct qp_request *request_in(const struct weft_siw *s, uint32_t slot)
{
    return pool_at(&s->verbs.requests, slot);
}

struct qp_request *request_at(const struct weft_siw *s, uint32_t slot)
{
    return slot == REQUEST_NONE ? NULL : request_in(s, slot);
}

void request_push(struct weft_siw *s, struct request_queue *q, struct qp_request *r)
{
    uint32_t slot = pool_slot(&s->verbs.requests, r);

    r->next = REQUEST_NONE;
    if (q->first == REQUEST_NONE)
        q->first = slot;
    else
        request_in(s, q->last)->next = slot;
    q->last = slot;
    if (!r->own)
        q->count++;
}

/* Takes the first request off a queue that has one. */
static struct qp_request *request_pop(const struct weft_siw *s, struct request_queue *q)
{
    struct qp_request *r = request_in(s, q->first);

    q->first = r->next;
    if (q->first == REQUEST_NONE)
        q->last = REQUEST_NONE;
    if (!r->own)
        q->count--;
    return r;
}

struct qp_request *request_own(struct weft_siw *s, struct qp *qp, enum weft_siw_send_opcode opcode)
{
    struct qp_request *r = pool_take(&s->verbs.requests);

    /* the pool has one more for each QP */
    WEFT_ASSERT(r && qp->sends.first == REQUEST_NONE);
    if (!r)
        return NULL;
    pool_clear(r, sizeof(*r));
    r->own = true;
    r->opcode = (uint8_t)opcode;
    request_push(s, &qp->sends, r);
    qp->tx.building = qp->sends.first;
    qp->reads_posted += opcode == WEFT_SIW_READ;
    return r;
}

bool request_permitted(const struct weft_siw *s, const struct qp *qp, const struct qp_request *r,
                       uint8_t access)
{
    for (uint32_t i = 0; i < r->sge_count; i++) {
        if (!region_holds(s, qp, &r->sge[i], access, NULL))
            return false;
    }
    return true;
}

struct qp_request *recv_first(const struct weft_siw *s, const struct qp *qp)
{
    return request_at(s, qp->recvs.first);
}

void recv_complete(struct weft_siw *s, struct qp *qp, enum weft_siw_wc_status status,
                   uint32_t bytes, uint32_t invalidated, bool solicited)
{
    struct qp_request *r = request_pop(s, &qp->recvs);
    struct weft_siw_wc wc = {
        .qpn = qp->qpn,
        .opcode = WEFT_SIW_WC_RECV,
        .status = status,
        .bytes = bytes,
        .invalidated = invalidated,
        .solicited = solicited,
    };

    wc.wr_id = r->wr_id;
    pool_give(&s->verbs.requests, r);
    cq_complete(s, qp->recv_cq, &wc);
}

struct qp_request *read_first(const struct weft_siw *s, const struct qp *qp)
{
    return request_at(s, qp->read_first);
}

void read_begin(struct weft_siw *s, struct qp *qp, struct qp_request *r)
{
    uint32_t slot = pool_slot(&s->verbs.requests, r);

    r->progress = REQUEST_READING;
    r->placed = 0;
    r->next_read = REQUEST_NONE;
    if (qp->read_first == REQUEST_NONE)
        qp->read_first = slot;
    else
        request_in(s, qp->read_last)->next_read = slot;
    qp->read_last = slot;
    qp->reads_out++;
}

/* A read is out no more. */
static struct qp_request *read_end(struct weft_siw *s, struct qp *qp)
{
    struct qp_request *r = read_first(s, qp);

    if (!r)
        return NULL;
    qp->read_first = r->next_read;
    qp->reads_out--;
    r->progress = REQUEST_DONE;
    if (!r->own)
        region_unpin_stag(s, r->sge[0].stag);
    return r;
}

void read_complete(struct weft_siw *s, struct qp *qp)
{
    struct qp_request *r = read_end(s, qp);

    WEFT_ASSERT(r);
    /* it may have been invalidated meanwhile: that is what was asked for */
    if (r->flags & WEFT_SIW_INVALIDATING)
        (void)region_invalidate(s, qp, r->sge[0].stag, false);
    transmit_advance(s, qp);
}

static enum weft_siw_wc_opcode wc_opcode(const struct qp_request *r)
{
    switch ((enum weft_siw_send_opcode)r->opcode) {
    case WEFT_SIW_WRITE:
        return WEFT_SIW_WC_WRITE;
    case WEFT_SIW_READ:
        return WEFT_SIW_WC_READ;
    case WEFT_SIW_LOCAL_INVALIDATE:
        return WEFT_SIW_WC_LOCAL_INVALIDATE;
    case WEFT_SIW_SEND:
    case WEFT_SIW_SEND_OPCODES:
        break;
    }
    return WEFT_SIW_WC_SEND;
}

/* Ends the first request of the send queue. */
static void send_complete(struct weft_siw *s, struct qp *qp, enum weft_siw_wc_status status)
{
    struct qp_request *r = request_pop(s, &qp->sends);
    struct weft_siw_wc wc = {.wr_id = r->wr_id, .qpn = qp->qpn, .status = status};
    bool signaled = r->flags & WEFT_SIW_SIGNALED || status != WEFT_SIW_WC_OK, own = r->own;

    wc.opcode = wc_opcode(r);
    if (r->opcode == WEFT_SIW_READ) {
        qp->reads_posted--;
        wc.bytes = status == WEFT_SIW_WC_OK ? r->bytes : 0;
    }
    pool_give(&s->verbs.requests, r);
    if (own)
        return;
    if (signaled)
        cq_complete(s, qp->send_cq, &wc);
    else
        cq_release(qp->send_cq);
}

void sends_retire(struct weft_siw *s, struct qp *qp)
{
    struct qp_request *r;

    while ((r = request_at(s, qp->sends.first))) {
        bool sent = r->progress == REQUEST_SENT && r->end <= qp->tx.written;

        if (!sent && r->progress != REQUEST_DONE)
            return;
        send_complete(s, qp, (enum weft_siw_wc_status)r->status);
    }
}

void sends_flush(struct weft_siw *s, struct qp *qp)
{
    struct qp_request *r;

    sends_retire(s, qp);
    /* what is out in good order was flushed too, unless it has a status of its own */
    while ((r = read_end(s, qp)))
        if (r->status == WEFT_SIW_WC_OK)
            r->status = WEFT_SIW_WC_FLUSHED;
    qp->tx.building = REQUEST_NONE;
    qp->tx.sending = false;
    while ((r = request_at(s, qp->sends.first)))
        send_complete(s, qp,
                      r->status == WEFT_SIW_WC_OK && r->progress != REQUEST_DONE
                          ? WEFT_SIW_WC_FLUSHED
                          : (enum weft_siw_wc_status)r->status);
}

void recvs_flush(struct weft_siw *s, struct qp *qp)
{
    while (recv_first(s, qp))
        recv_complete(s, qp, WEFT_SIW_WC_FLUSHED, 0, 0, false);
}

void requests_drop(struct weft_siw *s, struct qp *qp)
{
    struct qp_request *r;

    while (read_end(s, qp))
        ;
    qp->tx.building = REQUEST_NONE;
    qp->tx.sending = false;
    qp->reads_posted = 0;
    while (qp->sends.first != REQUEST_NONE) {
        r = request_pop(s, &qp->sends);
        if (!r->own)
            cq_release(qp->send_cq);
        pool_give(&s->verbs.requests, r);
    }
    while (qp->recvs.first != REQUEST_NONE) {
        r = request_pop(s, &qp->recvs);
        cq_release(qp->recv_cq);
        pool_give(&s->verbs.requests, r);
    }
}
