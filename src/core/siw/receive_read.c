/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RDMA Reads: the peer's requests, which become responses of ours, and the peer's responses to our
 * own requests. */
#include "core/base/check.h"
#include "core/siw/segment.h"

static void get_read(const struct qp *qp, struct rdmap_read *ret)
{
    rdmap_read_read(qp->receiver.segment.ulpdu + DDP_UNTAGGED_BYTES, ret);
}

/* Whether the peer may read what it asks for; of no bytes it may, whatever the STag. */
static int check_source(const struct weft_siw *s, const struct qp *qp, const struct rdmap_read *r,
                        struct region **ret_region, uint8_t **ret_at)
{
    if (r->bytes == 0)
        return SEGMENT_GOOD;
    switch (region_check(s, qp, r->source_stag, r->source_to, r->bytes, WEFT_SIW_REMOTE_READ,
                         ret_region, ret_at)) {
    case REGION_OK:
        return SEGMENT_GOOD;
    case REGION_INVALID:
        return TERMINATE_READ_STAG;
    case REGION_FOREIGN:
        return TERMINATE_READ_ASSOCIATION;
    case REGION_WRAP:
        return TERMINATE_READ_WRAP;
    case REGION_BOUNDS:
        return TERMINATE_READ_BOUNDS;
    case REGION_ACCESS:
        break;
    }
    return TERMINATE_ACCESS;
}

int receive_read_request_check(struct weft_siw *s, struct qp *qp)
{
    const struct segment *seg = &qp->receiver.segment;
    struct rdmap_read r;

    if (!response_room(qp))
        return TERMINATE_NO_BUFFER;
    if (seg->h.mo != 0)
        return TERMINATE_MO;
    if (seg->payload > 0)
        return TERMINATE_TOO_LONG;
    get_read(qp, &r);
    return check_source(s, qp, &r, NULL, NULL);
}

void receive_read_request_deliver(struct weft_siw *s, struct qp *qp)
{
    struct rdmap_read r;
    struct region *region = NULL;
    uint8_t *at = NULL;
    int error;

    /* The CRC field, unchecked, may have come after the end of a registration. */
    get_read(qp, &r);
    error = check_source(s, qp, &r, &region, &at);
    if (error == SEGMENT_GOOD && !response_push(s, qp, &r, region, at))
        error = TERMINATE_NO_BUFFER;
    if (error != SEGMENT_GOOD)
        (void)segment_fail(s, qp, error);
}

int receive_read_response_check(struct weft_siw *s, struct qp *qp)
{
    const struct segment *seg = &qp->receiver.segment;
    const struct qp_request *read = read_first(s, qp);
    uint32_t left;

    if (!read)
        return TERMINATE_OPCODE;
    left = read->bytes - read->placed;
    if (seg->payload > 0) {
        if (seg->h.stag != read->sge[0].stag ||
            !region_holds(s, qp, &read->sge[0], WEFT_SIW_LOCAL_WRITE, NULL))
            return TERMINATE_TAGGED_STAG;
        if (seg->h.to != read->sink_to + read->placed)
            return TERMINATE_TAGGED_BOUNDS;
    }
    if (seg->payload > left || (seg->h.last && seg->payload < left))
        return TERMINATE_TAGGED_BOUNDS;
    return SEGMENT_GOOD;
}

void receive_read_response_deliver(struct weft_siw *s, struct qp *qp)
{
    const struct segment *seg = &qp->receiver.segment;
    struct qp_request *read = read_first(s, qp);

    WEFT_ASSERT(read);
    read->placed += seg->payload;
    if (seg->h.last)
        read_complete(s, qp);
}
