/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Requests of the send queue and the receive queue of a QP, from post to completion. Their slots
 * are taken one by one from a pool that all QPs share, so a queue that is empty costs nothing.
 */
#ifndef WEFT_CORE_SIW_REQUEST_H
#define WEFT_CORE_SIW_REQUEST_H

#include "core/base/pool.h"

#include <weft/siw.h>

#include <assert.h>

struct qp;
struct region;

#define REQUEST_NONE POOL_NONE

/** How far a request of the send queue is. */
enum request_progress {
    REQUEST_POSTED,  /* not all of it is in FPDUs yet */
    REQUEST_SENT,    /* its last FPDU ends at `end` of our stream */
    REQUEST_READING, /* an RDMA Read whose response is not whole yet */
    REQUEST_DONE     /* completes when those before it have */
};

/** One request. */
struct qp_request {
    uint32_t next;       /* slot of the one posted after it, or REQUEST_NONE; free: the pool's */
    uint32_t generation; /* the pool's */
    uint64_t wr_id;
    struct weft_siw_sge sge[WEFT_SIW_SGE_MAX];
    uint64_t remote_to;
    uint64_t end;     /* SENT: how much of our stream must be written */
    uint64_t sink_to; /* READING: of the sink's first byte */
    uint32_t bytes;   /* of all pieces */
    uint32_t remote_stag;
    uint32_t placed; /* READING: bytes of the response that were placed; the receiver counts */
    union {
        uint32_t invalidate; /* SEND, LOCAL_INVALIDATE: an STag */
        uint32_t next_read;  /* READING: slot of the next read that is out, or REQUEST_NONE */
    };
    uint8_t opcode; /* enum weft_siw_send_opcode */
    uint8_t flags;
    uint8_t sge_count;
    uint8_t progress; /* enum request_progress */
    uint8_t status;   /* enum weft_siw_wc_status */
    bool own;         /* the provider's, not the program's: an RTR frame */
};
#define REQUEST_STRIDE 128
static_assert(sizeof(struct qp_request) == REQUEST_STRIDE, "two cache lines");

/** A queue of requests in the order in which they were posted. */
struct request_queue {
    uint32_t first, last; /* slots, or REQUEST_NONE */
    uint32_t count;       /* of the program's */
};

/** @name Receive queue: for the receiver
 * @{ */

/** The receive that the next message belongs to, or NULL: none is posted. */
struct qp_request *recv_first(const struct weft_siw *s, const struct qp *qp);
/** Takes that receive off the queue and makes its completion. */
void recv_complete(struct weft_siw *s, struct qp *qp, enum weft_siw_wc_status status,
                   uint32_t bytes, uint32_t invalidated, bool solicited);
/** Whether all pieces of a request lie in their regions and may be used so.
 * @param access  WEFT_SIW_LOCAL_WRITE for what is written to, 0 for what is read from */
bool request_permitted(const struct weft_siw *s, const struct qp *qp, const struct qp_request *r,
                       uint8_t access);
/** @} */

/** @name RDMA Reads that are out: for the receiver
 * @{ */

/** The read whose response comes next, or NULL: none is out. Its sink is sge[0]; the response's
 * segments name sge[0].stag and sink_to. It may be of no bytes and (an RTR frame's) name an STag
 * that is no region's. */
struct qp_request *read_first(const struct weft_siw *s, const struct qp *qp);
/** That read is done: its last segment was placed. Completions may be made, and our stream may have
 * more to write. */
void read_complete(struct weft_siw *s, struct qp *qp);
/** @} */

/** @name For the other files of the QP's side
 * @{ */

static inline void request_queue_init(struct request_queue *q)
{
    *q = (struct request_queue){.first = REQUEST_NONE, .last = REQUEST_NONE};
}

/** The request in a slot; NULL for REQUEST_NONE. */
struct qp_request *request_at(const struct weft_siw *s, uint32_t slot);
/** Puts a request behind the others of a queue. */
void request_push(struct weft_siw *s, struct request_queue *q, struct qp_request *r);
/** A request of the provider's own for the send queue: it makes no completion. */
struct qp_request *request_own(struct weft_siw *s, struct qp *qp, enum weft_siw_send_opcode opcode);
/** A read goes out. */
void read_begin(struct weft_siw *s, struct qp *qp, struct qp_request *r);
/** Completes what is done at the head of the send queue. */
void sends_retire(struct weft_siw *s, struct qp *qp);
/** Completes everything that is in a queue: what is not done as flushed. */
void sends_flush(struct weft_siw *s, struct qp *qp);
void recvs_flush(struct weft_siw *s, struct qp *qp);
/** Empties both queues without a completion. */
void requests_drop(struct weft_siw *s, struct qp *qp);
/** @} */

#endif
