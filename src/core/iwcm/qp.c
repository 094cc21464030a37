/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The registry of queue pairs: which are known, and which connection each is bound to. */
#include "core/iwcm/manager.h"

static struct qp *find(const struct weft_iwcm *cm, uint32_t qpn)
{
    uint32_t pos = index_hash(qpn), slot;

    while ((slot = index_next(&cm->qpns, index_hash(qpn), &pos)) != INDEX_EMPTY) {
        struct qp *q = pool_at(&cm->qps, slot);

        if (q->qpn == qpn)
            return q;
    }
    return NULL;
}

int weft_iwcm_qp_add(struct weft_iwcm *cm, uint32_t qpn)
{
    struct qp *q;

    if (qpn == 0)
        return WEFT_ERR_INVALID;
    if (find(cm, qpn))
        return WEFT_ERR_CONFLICT;
    q = pool_take(&cm->qps);
    if (!q)
        return WEFT_ERR_FULL;
    q->qpn = qpn;
    q->owner = NULL;
    index_put(&cm->qpns, index_hash(qpn), pool_slot(&cm->qps, q));
    cm->stats.qps = cm->qps.used;
    return 0;
}

int weft_iwcm_qp_remove(struct weft_iwcm *cm, uint32_t qpn)
{
    struct qp *q = find(cm, qpn);

    if (!q)
        return WEFT_ERR_NOTFOUND;
    if (q->owner)
        return WEFT_ERR_STATE;
    index_remove(&cm->qpns, index_hash(qpn), pool_slot(&cm->qps, q));
    pool_give(&cm->qps, q);
    cm->stats.qps = cm->qps.used;
    return 0;
}

int weft_iwcm_qp_owner(const struct weft_iwcm *cm, uint32_t qpn, weft_iwcm_id *ret)
{
    const struct qp *q = find(cm, qpn);

    if (!q || !q->owner)
        return WEFT_ERR_NOTFOUND;
    *ret = iwcm_handle(cm, q->owner);
    return 0;
}

int iwcm_qp_free(const struct weft_iwcm *cm, uint32_t qpn)
{
    const struct qp *q = find(cm, qpn);

    if (!q)
        return WEFT_ERR_INVALID;
    return q->owner ? WEFT_ERR_CONFLICT : 0;
}

void iwcm_qp_bind(struct weft_iwcm *cm, struct iwcm_id *c, uint32_t qpn)
{
    struct qp *q = find(cm, qpn);

    WEFT_ASSERT(q && !q->owner && c->qpn == 0);
    q->owner = c;
    c->qpn = qpn;
}

void iwcm_qp_unbind(struct weft_iwcm *cm, struct iwcm_id *c)
{
    struct qp *q;

    if (c->qpn == 0)
        return;
    q = find(cm, c->qpn);
    WEFT_ASSERT(q && q->owner == c);
    q->owner = NULL;
    c->qpn = 0;
}
