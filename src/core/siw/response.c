/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RDMA Reads of the peer, from their request to the moment when TCP has the last byte. */
#include "core/siw/response.h"

#include "core/siw/connection.h"
#include "core/siw/engine.h"
#include "core/siw/qp.h"
#include "core/siw/transmit.h"

struct response *response_at(const struct weft_siw *s, uint32_t slot)
{
    return pool_at(&s->verbs.responses, slot);
}

bool response_room(const struct qp *qp)
{
    return qp->responses.count < qp->terms.ird && !qp->drained;
}

bool response_push(struct weft_siw *s, struct qp *qp, const struct rdmap_read *read,
                   struct region *region, const void *from)
{
    struct response_queue *q = &qp->responses;
    struct response *r = response_room(qp) ? pool_take(&s->verbs.responses) : NULL;
    uint32_t slot;

    if (!r)
        return false;
    slot = pool_slot(&s->verbs.responses, r);
    r->next = POOL_NONE;
    r->region = region;
    r->from = from;
    r->sink_to = read->sink_to;
    r->sink_stag = read->sink_stag;
    r->bytes = read->bytes;
    r->end = 0;
    if (region)
        region_pin(region);
    if (q->first == POOL_NONE)
        q->first = slot;
    else
        response_at(s, q->last)->next = slot;
    q->last = slot;
    if (q->building == POOL_NONE)
        q->building = slot;
    q->count++;
    transmit_kick(s, qp);
    return true;
}

static void response_end(struct weft_siw *s, struct response_queue *q)
{
    struct response *r = response_at(s, q->first);

    q->first = r->next;
    q->count--;
    if (r->region)
        region_unpin(r->region);
    pool_give(&s->verbs.responses, r);
}

void responses_retire(struct weft_siw *s, struct qp *qp)
{
    struct response_queue *q = &qp->responses;

    while (q->count > 0 && q->first != q->building &&
           response_at(s, q->first)->end <= qp->tx.written)
        response_end(s, q);
}

void responses_drop(struct weft_siw *s, struct qp *qp)
{
    struct response_queue *q = &qp->responses;

    while (q->count > 0)
        response_end(s, q);
    q->building = POOL_NONE;
    qp->tx.answering = false;
}
