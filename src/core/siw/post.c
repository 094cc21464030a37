/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Posting to the send queue and the receive queue. */
#include "core/siw/connection.h"
#include "core/siw/engine.h"
#include "core/siw/qp.h"
#include "core/siw/stream.h"
#include "core/siw/transmit.h"

/* Bytes of all pieces together.
 * Returns false: there are too many of one or the other. */
static bool pieces_add(const struct weft_siw_sge *sge, uint32_t count, uint32_t *ret_bytes)
{
    uint64_t bytes = 0;

    if (count > WEFT_SIW_SGE_MAX)
        return false;
    for (uint32_t i = 0; i < count; i++)
        bytes += sge[i].bytes;
    *ret_bytes = (uint32_t)bytes;
    return bytes <= UINT32_MAX;
}

static bool send_is_valid(const struct qp *qp, const struct weft_siw_send *wr)
{
    uint8_t flags = WEFT_SIW_SIGNALED | WEFT_SIW_FENCE;

    switch (wr->opcode) {
    case WEFT_SIW_SEND:
        flags |= WEFT_SIW_SOLICITED | WEFT_SIW_INVALIDATING;
        break;
    case WEFT_SIW_WRITE:
        break;
    case WEFT_SIW_READ:
        /* where no reads were agreed on it would wait for ever */
        if (wr->sge_count != 1 || wr->sge[0].stag == 0 || qp->terms.ord == 0)
            return false;
        flags |= WEFT_SIW_INVALIDATING;
        break;
    case WEFT_SIW_LOCAL_INVALIDATE:
        if (wr->sge_count != 0)
            return false;
        break;
    case WEFT_SIW_SEND_OPCODES:
    default:
        return false;
    }
    return !(wr->flags & ~flags);
}

static struct qp_request *request_make(struct weft_siw *s, uint64_t wr_id,
                                       const struct weft_siw_sge *sge, uint32_t count,
                                       uint32_t bytes)
{
    struct qp_request *r = pool_take(&s->verbs.requests);

    WEFT_ASSERT(r);
    r->wr_id = wr_id;
    for (uint32_t i = 0; i < count; i++)
        r->sge[i] = sge[i];
    r->sge_count = (uint8_t)count;
    r->bytes = bytes;
    r->progress = REQUEST_POSTED;
    r->status = WEFT_SIW_WC_OK;
    r->own = false;
    return r;
}

int weft_siw_post_send(struct weft_siw *s, weft_time now, uint32_t qpn,
                       const struct weft_siw_send *wr)
{
    struct qp *qp = qp_find(s, qpn);
    struct qp_request *r;
    uint32_t bytes;

    siw_clock(s, now);
    if (!qp)
        return WEFT_ERR_NOTFOUND;
    if (qp->state != WEFT_SIW_QP_RTS)
        return WEFT_ERR_STATE;
    if (!send_is_valid(qp, wr) || !pieces_add(wr->sge, wr->sge_count, &bytes))
        return WEFT_ERR_INVALID;
    if (qp->sends.count == qp->config.sends || !cq_reserve(qp->send_cq))
        return WEFT_ERR_FULL;
    r = request_make(s, wr->wr_id, wr->sge, wr->sge_count, bytes);
    r->opcode = (uint8_t)wr->opcode;
    r->flags = qp->config.all_signaled ? wr->flags | WEFT_SIW_SIGNALED : wr->flags;
    r->remote_stag = wr->remote_stag;
    r->remote_to = wr->remote_to;
    r->invalidate = wr->invalidate;
    request_push(s, &qp->sends, r);
    qp->reads_posted += wr->opcode == WEFT_SIW_READ;
    if (qp->tx.building == REQUEST_NONE)
        qp->tx.building = qp->sends.last;
    if (wr->opcode == WEFT_SIW_LOCAL_INVALIDATE)
        transmit_advance(s, qp);
    else
        transmit_kick(s, qp);
    return 0;
}

int weft_siw_post_recv(struct weft_siw *s, uint32_t qpn, const struct weft_siw_recv *wr)
{
    struct qp *qp = qp_find(s, qpn);
    struct qp_request *r;
    uint32_t bytes;

    if (!qp)
        return WEFT_ERR_NOTFOUND;
    if (qp->state != WEFT_SIW_QP_IDLE && !qp_receiving(qp))
        return WEFT_ERR_STATE;
    if (!pieces_add(wr->sge, wr->sge_count, &bytes))
        return WEFT_ERR_INVALID;
    if (qp->recvs.count == qp->config.recvs || !cq_reserve(qp->recv_cq))
        return WEFT_ERR_FULL;
    r = request_make(s, wr->wr_id, wr->sge, wr->sge_count, bytes);
    request_push(s, &qp->recvs, r);
    return 0;
}
