/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where the payload of a segment belongs. Asked again for each part that arrives: in between the
 * program may have ended a registration. */
#include "core/base/check.h"
#include "core/siw/segment.h"

static uint32_t smaller(uint64_t a, uint32_t b)
{
    return a < b ? (uint32_t)a : b;
}

/* A Send goes into the pieces of the first receive, one after another. */
static int place_send(const struct weft_siw *s, const struct qp *qp, uint32_t left, uint8_t **ret,
                      uint32_t *ret_bytes)
{
    const struct qp_request *recv = recv_first(s, qp);
    uint64_t offset = qp->receiver.untagged.bytes + qp->receiver.segment.placed;
    const struct weft_siw_sge *piece;

    WEFT_ASSERT(recv && offset < recv->bytes);
    for (piece = recv->sge; offset >= piece->bytes; piece++)
        offset -= piece->bytes;
    if (!region_holds(s, qp, piece, WEFT_SIW_LOCAL_WRITE, NULL))
        return TERMINATE_DDP_LOCAL;
    *ret = (uint8_t *)piece->addr + offset;
    *ret_bytes = smaller(piece->bytes - offset, left);
    return SEGMENT_GOOD;
}

static int place_write(const struct weft_siw *s, const struct qp *qp, uint32_t left, uint8_t **ret,
                       uint32_t *ret_bytes)
{
    const struct segment *seg = &qp->receiver.segment;
    int error = receive_write_permitted(s, qp, seg->h.stag, seg->h.to + seg->placed, left, ret);

    *ret_bytes = left;
    return error;
}

static int place_read_response(const struct weft_siw *s, const struct qp *qp, uint32_t left,
                               uint8_t **ret, uint32_t *ret_bytes)
{
    const struct qp_request *read = read_first(s, qp);

    WEFT_ASSERT(read);
    if (!region_holds(s, qp, &read->sge[0], WEFT_SIW_LOCAL_WRITE, NULL))
        return TERMINATE_TAGGED_STAG;
    *ret = (uint8_t *)read->sge[0].addr + read->placed + qp->receiver.segment.placed;
    *ret_bytes = left;
    return SEGMENT_GOOD;
}

int segment_place(struct weft_siw *s, struct qp *qp, uint8_t **ret, uint32_t *ret_bytes)
{
    const struct segment *seg = &qp->receiver.segment;
    uint32_t left = seg->payload - seg->placed;

    WEFT_ASSERT(left > 0);
    switch (seg->h.opcode) {
    case RDMAP_SEND:
    case RDMAP_SEND_INVALIDATE:
    case RDMAP_SEND_SE:
    case RDMAP_SEND_SE_INVALIDATE:
        return place_send(s, qp, left, ret, ret_bytes);
    case RDMAP_WRITE:
        return place_write(s, qp, left, ret, ret_bytes);
    case RDMAP_READ_RESPONSE:
        return place_read_response(s, qp, left, ret, ret_bytes);
    default:
        /* What a Terminate says beyond its longest form. */
        *ret = NULL;
        *ret_bytes = left;
        return SEGMENT_GOOD;
    }
}
