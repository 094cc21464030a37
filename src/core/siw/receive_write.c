/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RDMA Writes: each segment stands for itself, at any place of its region (RFC 5041 5.4). */
#include "core/siw/segment.h"

int receive_write_permitted(const struct weft_siw *s, const struct qp *qp, uint32_t stag,
                            uint64_t to, uint32_t bytes, uint8_t **ret_at)
{
    switch (region_check(s, qp, stag, to, bytes, WEFT_SIW_REMOTE_WRITE, NULL, ret_at)) {
    case REGION_OK:
        return SEGMENT_GOOD;
    case REGION_INVALID:
        return TERMINATE_TAGGED_STAG;
    case REGION_FOREIGN:
        return TERMINATE_TAGGED_ASSOCIATION;
    case REGION_WRAP:
        return TERMINATE_TAGGED_WRAP;
    case REGION_BOUNDS:
        return TERMINATE_TAGGED_BOUNDS;
    case REGION_ACCESS:
        break;
    }
    /* DDP has no code for it. */
    return TERMINATE_ACCESS;
}

int receive_write_check(struct weft_siw *s, struct qp *qp)
{
    const struct segment *seg = &qp->receiver.segment;

    /* Without bytes the STag means nothing: ready-to-receive frames name any. */
    if (seg->payload == 0)
        return SEGMENT_GOOD;
    return receive_write_permitted(s, qp, seg->h.stag, seg->h.to, seg->payload, NULL);
}

void receive_write_deliver(struct weft_siw *s, struct qp *qp)
{
    /* The target of a Write is told nothing. */
    (void)s;
    (void)qp;
}
