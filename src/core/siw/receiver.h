/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The receiving half of a QP: where in the peer's FPDU stream it is.
 */
#ifndef WEFT_CORE_SIW_RECEIVER_H
#define WEFT_CORE_SIW_RECEIVER_H

#include "core/base/pool.h"
#include "core/iwarp/terminate.h"

struct qp;
struct weft_siw;

/** What of a segment is kept in front of its payload: length, header, and what RDMAP says behind
 * it in a Read Request or a Terminate. */
#define RECEIVER_HEAD_MAX (MPA_LENGTH_BYTES + DDP_UNTAGGED_BYTES + TERMINATE_MAX)

/** The part of an FPDU that comes next, when there is no CRC. */
enum receiver_phase {
    RECEIVER_HEAD,
    RECEIVER_PAYLOAD,
    RECEIVER_TAIL
};

/** The segment that is being received. */
struct segment {
    struct ddp_header h;
    const uint8_t *ulpdu; /* its beginning: `head_bytes` of it */
    uint32_t head_bytes;  /* headers, and what is not placed as payload */
    uint32_t ulpdu_bytes;
    uint32_t payload; /* bytes behind the head */
    uint32_t placed;  /* of them */
    bool rtr;         /* it is the Send of no bytes that was agreed on to begin with */
};

/** A message whose last segment has not come. One of each buffer model may be unfinished. */
struct message {
    bool open;
    uint8_t opcode;
    uint32_t name;  /* STag or MSN */
    uint64_t bytes; /* so far, but for the current segment */
};

/** Once for each QP. */
struct receiver {
    enum receiver_phase phase;
    uint32_t have;    /* bytes in `head`, or in `partial` */
    uint32_t tail;    /* pad and CRC to come */
    uint8_t *partial; /* with CRC: an FPDU that is not whole yet, or NULL */
    struct segment segment;
    struct message tagged, untagged;
    uint32_t next_msn[DDP_QUEUE_TERMINATE + 1];
    uint8_t head[RECEIVER_HEAD_MAX];
};

/** Buffers for FPDUs that are not whole: one for each QP at most, so there is always one.
 * Object: the pool's two words, then FPDU_MAX bytes. */
#define PARTIAL_STRIDE ((POOL_HEAD_BYTES + FPDU_MAX + 63) / 64 * 64)

int receivers_new(struct weft_siw *s);
void receivers_free(struct weft_siw *s);

/** At the begin of a connection: nothing has come. */
void receiver_begin(struct weft_siw *s, struct qp *qp);
/** At the end of a connection: gives back what it holds. */
void receiver_end(struct weft_siw *s, struct qp *qp);
/** Whether the stream is between two FPDUs. */
bool receiver_between(const struct qp *qp);

#endif
