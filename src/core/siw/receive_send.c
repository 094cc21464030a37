/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sends: messages to queue 0, each into the receive that was posted first. */
#include "core/base/check.h"
#include "core/siw/segment.h"

int receive_send_check(struct weft_siw *s, struct qp *qp)
{
    const struct segment *seg = &qp->receiver.segment;
    const struct message *m = &qp->receiver.untagged;
    const struct qp_request *recv = recv_first(s, qp);

    if (seg->rtr)
        return seg->h.mo == 0 ? SEGMENT_GOOD : TERMINATE_MO;
    if (!recv)
        return TERMINATE_NO_BUFFER;
    if (seg->h.mo != m->bytes)
        return TERMINATE_MO;
    if (seg->payload > recv->bytes - m->bytes)
        return TERMINATE_TOO_LONG;
    if (!m->open && !request_permitted(s, qp, recv, WEFT_SIW_LOCAL_WRITE))
        return TERMINATE_DDP_LOCAL;
    return SEGMENT_GOOD;
}

/* The receive ends by the error if that is its own; otherwise it is flushed with the others. */
void receive_send_failed(struct weft_siw *s, struct qp *qp, int error)
{
    if (error == TERMINATE_TOO_LONG)
        recv_complete(s, qp, WEFT_SIW_WC_TOO_LONG, 0, 0, false);
    else if (error == TERMINATE_DDP_LOCAL)
        recv_complete(s, qp, WEFT_SIW_WC_LOCAL, 0, 0, false);
}

static int invalidate(struct weft_siw *s, const struct qp *qp)
{
    switch (region_invalidate(s, qp, qp->receiver.segment.h.stag, true)) {
    case REGION_OK:
        return SEGMENT_GOOD;
    case REGION_INVALID:
        return TERMINATE_READ_STAG;
    case REGION_FOREIGN:
        return TERMINATE_READ_ASSOCIATION;
    case REGION_WRAP:
    case REGION_BOUNDS:
    case REGION_ACCESS:
        break;
    }
    return TERMINATE_CANNOT_INVALIDATE;
}

void receive_send_deliver(struct weft_siw *s, struct qp *qp)
{
    const struct segment *seg = &qp->receiver.segment;
    uint8_t opcode = seg->h.opcode;
    bool solicited = opcode == RDMAP_SEND_SE || opcode == RDMAP_SEND_SE_INVALIDATE;
    uint32_t invalidated = 0;
    int error = SEGMENT_GOOD;

    if (!seg->h.last || seg->rtr)
        return;
    if (opcode == RDMAP_SEND_INVALIDATE || opcode == RDMAP_SEND_SE_INVALIDATE) {
        invalidated = seg->h.stag;
        error = invalidate(s, qp);
    }
    if (error != SEGMENT_GOOD)
        (void)segment_fail(s, qp, error);
    else
        recv_complete(s, qp, WEFT_SIW_WC_OK, (uint32_t)qp->receiver.untagged.bytes, invalidated,
                      solicited);
}
