/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The peer's Terminate. */
#include "core/base/check.h"
#include "core/siw/segment.h"

int receive_terminate_check(struct weft_siw *s, struct qp *qp)
{
    (void)s;
    return qp->receiver.segment.h.mo == 0 ? SEGMENT_GOOD : TERMINATE_MO;
}

void receive_terminate_deliver(struct weft_siw *s, struct qp *qp)
{
    const struct segment *seg = &qp->receiver.segment;
    struct terminate t;
    bool whole =
        terminate_read(seg->ulpdu + DDP_UNTAGGED_BYTES, seg->head_bytes - DDP_UNTAGGED_BYTES, &t);

    WEFT_ASSERT(whole);
    if (whole)
        qp_peer_terminated(s, qp, &t);
}
