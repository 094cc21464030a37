/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Completion queues: reserved when a request is posted, filled when it ends, polled in order. */
#include "core/siw/completion.h"

#include "core/siw/engine.h"

struct cq *cq_find(const struct weft_siw *s, uint32_t cqn)
{
    return verbs_find(&s->verbs.cqs, cqn);
}

int weft_siw_cq_create(struct weft_siw *s, uint32_t entries, uint32_t *ret_cqn)
{
    struct verbs *v = &s->verbs;
    struct cq *cq;

    if (entries == 0)
        return WEFT_ERR_INVALID;
    if (entries > s->config.cq_entries - v->completions_given)
        return WEFT_ERR_FULL;
    cq = pool_take(&v->cqs);
    if (!cq)
        return WEFT_ERR_FULL;
    pool_clear(cq, sizeof(*cq));
    v->completions_given += entries;
    cq->cqn = verbs_number(&v->cqs, cq);
    cq->first = cq->last = POOL_NONE;
    cq->limit = entries;
    list_init(&cq->event);
    *ret_cqn = cq->cqn;
    return 0;
}

static struct completion *completion_pop(struct weft_siw *s, struct cq *cq)
{
    struct completion *c;

    if (cq->count == 0)
        return NULL;
    c = pool_at(&s->verbs.completions, cq->first);
    cq->first = c->next;
    cq->count--;
    return c;
}

int weft_siw_cq_destroy(struct weft_siw *s, uint32_t cqn)
{
    struct cq *cq = cq_find(s, cqn);
    struct completion *c;

    if (!cq)
        return WEFT_ERR_NOTFOUND;
    if (cq->users > 0)
        return WEFT_ERR_CONFLICT;
    WEFT_ASSERT(cq->reserved == 0);
    while ((c = completion_pop(s, cq)))
        pool_give(&s->verbs.completions, c);
    s->verbs.completions_given -= cq->limit;
    list_remove(&cq->event);
    pool_give(&s->verbs.cqs, cq);
    return 0;
}

static void cq_tell(struct weft_siw *s, struct cq *cq, const struct weft_siw_wc *wc)
{
    if (cq->armed == CQ_ARMED_SOLICITED && !wc->solicited && wc->status == WEFT_SIW_WC_OK)
        return;
    cq->armed = CQ_UNARMED;
    if (list_empty(&cq->event))
        list_push_back(&s->verbs.cq_events, &cq->event);
}

void cq_complete(struct weft_siw *s, struct cq *cq, const struct weft_siw_wc *wc)
{
    struct pool *pool = &s->verbs.completions;
    struct completion *c = pool_take(pool);
    uint32_t slot;

    WEFT_ASSERT(c && cq->reserved > 0);
    slot = pool_slot(pool, c);
    c->wr_id = wc->wr_id;
    c->qpn = wc->qpn;
    c->bytes = wc->bytes;
    c->invalidated = wc->invalidated;
    c->opcode = (uint8_t)wc->opcode;
    c->status = (uint8_t)wc->status;
    c->solicited = wc->solicited;
    if (cq->count == 0)
        cq->first = slot;
    else
        ((struct completion *)pool_at(pool, cq->last))->next = slot;
    cq->last = slot;
    cq->count++;
    cq->reserved--;
    if (cq->armed != CQ_UNARMED)
        cq_tell(s, cq, wc);
}

bool weft_siw_cq_poll(struct weft_siw *s, uint32_t cqn, struct weft_siw_wc *ret)
{
    struct cq *cq = cq_find(s, cqn);
    struct completion *c = cq ? completion_pop(s, cq) : NULL;

    if (!c)
        return false;
    *ret = (struct weft_siw_wc){
        .wr_id = c->wr_id,
        .qpn = c->qpn,
        .opcode = (enum weft_siw_wc_opcode)c->opcode,
        .status = (enum weft_siw_wc_status)c->status,
        .bytes = c->bytes,
        .invalidated = c->invalidated,
        .solicited = c->solicited,
    };
    pool_give(&s->verbs.completions, c);
    return true;
}

int weft_siw_cq_arm(struct weft_siw *s, uint32_t cqn, bool solicited_only)
{
    struct cq *cq = cq_find(s, cqn);

    if (!cq)
        return WEFT_ERR_NOTFOUND;
    /* asking for less does not take back what was asked for before */
    if (!solicited_only)
        cq->armed = CQ_ARMED;
    else if (cq->armed == CQ_UNARMED)
        cq->armed = CQ_ARMED_SOLICITED;
    return 0;
}
