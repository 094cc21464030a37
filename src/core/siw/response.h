/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * RDMA Reads of the peer that are being answered, in the order of their requests.
 */
#ifndef WEFT_CORE_SIW_RESPONSE_H
#define WEFT_CORE_SIW_RESPONSE_H

#include "core/base/pool.h"
#include "core/iwarp/ddp_header.h"

#include <weft/siw.h>

struct qp;
struct region;

/** One response. */
struct response {
    uint32_t next;         /* slot of the next one, or POOL_NONE; free: the pool's */
    uint32_t generation;   /* the pool's */
    struct region *region; /* whose bytes are pinned; NULL when there are none */
    const uint8_t *from;
    uint64_t sink_to;
    uint64_t end; /* of its last FPDU in our stream; 0: that is not made yet */
    uint32_t sink_stag;
    uint32_t bytes;
};

/** The responses of a QP. */
struct response_queue {
    uint32_t first, last; /* slots, or POOL_NONE */
    uint32_t building;    /* the first one that is not all in FPDUs yet, or POOL_NONE */
    uint32_t count;
};

/** Answers a Read Request whose source was checked.
 * @param region  where its bytes are; NULL when there are none
 * @param from    its first byte
 * @return false: as many as agreed on are being answered */
bool response_push(struct weft_siw *s, struct qp *qp, const struct rdmap_read *r,
                   struct region *region, const void *from);

/** Whether response_push() would take one more. */
bool response_room(const struct qp *qp);

/** The response in a slot that is one. */
struct response *response_at(const struct weft_siw *s, uint32_t slot);
/** Ends the responses that are with TCP. */
void responses_retire(struct weft_siw *s, struct qp *qp);
/** Ends all responses. */
void responses_drop(struct weft_siw *s, struct qp *qp);

#endif
