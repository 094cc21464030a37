/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Queue pairs: their state, their queues, and both halves of their stream.
 */
#ifndef WEFT_CORE_SIW_QP_H
#define WEFT_CORE_SIW_QP_H

#include "core/base/list.h"
#include "core/base/pool.h"
#include "core/iwarp/terminate.h"
#include "core/siw/completion.h"
#include "core/siw/qp_fsm.h"
#include "core/siw/receiver.h"
#include "core/siw/region.h"
#include "core/siw/request.h"
#include "core/siw/response.h"
#include "core/siw/terms.h"

#include <weft/siw.h>

struct ep;
struct staging;

/** Whether a silent peer is nudged. */
enum nudge {
    NUDGE_OFF,  /* it was heard, or never will be nudged */
    NUDGE_WAIT, /* our first FPDU is not with TCP yet */
    NUDGE_ARMED /* connection_arm() */
};

/** The transmitting half. */
struct transmitter {
    struct staging *staging; /* what is being written; NULL: nothing */
    uint64_t made, written;  /* bytes of our stream that are in FPDUs; that TCP has */
    uint32_t building;       /* slot of the request that comes next, or goes on; REQUEST_NONE */
    uint32_t done;           /* bytes of the message that goes on which are in FPDUs */
    uint32_t msn[3];         /* of the next message to each queue of the peer */
    uint16_t ulpdu_max;
    bool open;      /* may write: initiator, or the peer's first FPDU was right */
    bool answering; /* the message that goes on is a response */
    bool sending;   /* it is a request */
    bool turn;      /* next, if both have something: a response */
    uint8_t nudge;  /* enum nudge */
    uint8_t nudges; /* made */
    bool nudge_due;
};

/** A queue pair. */
struct qp {
    uint32_t own, generation; /* the pool's */
    uint32_t qpn;
    uint8_t state; /* enum weft_siw_qp_state; changed by qp_step() only */
    bool heard;    /* a byte of the peer's stream has come */
    bool ready;    /* the peer's first FPDU has passed all checks */
    bool drained;  /* CLOSING: connection_drained() was called */
    struct ep *ep; /* NULL: not bound */
    struct cq *send_cq, *recv_cq;
    struct terms terms;
    struct transmitter tx;
    struct receiver receiver;
    struct request_queue sends, recvs;
    uint32_t read_first, read_last; /* reads that are out: slots, or REQUEST_NONE */
    uint16_t reads_out;
    uint32_t reads_posted; /* reads in the send queue, out or not */
    struct response_queue responses;
    uint64_t fpdus_in, fpdus_out;
    uint16_t terminate_error;
    bool terminate_sent, terminate_received;
    struct weft_siw_qp_config config;
    struct list_node event; /* on verbs.qp_events: an event waits */
};

/** @name For the receiver
 * @{ */

/** To be called with the first bytes of the peer, once: `if (!qp->heard)`. */
void qp_heard(struct weft_siw *s, struct qp *qp);
/** To be called when the first FPDU has passed all checks, before anything of it is delivered,
 * once: `if (!qp->ready)`. Opens our direction and tells the connection. */
void qp_ready(struct weft_siw *s, struct qp *qp);
/** A check has failed: a Terminate for it goes out, everything is flushed. The receiver delivers
 * nothing any more: the QP is in neither RTS nor CLOSING.
 * @param ulpdu  the segment's beginning, for terminate_make(); may be NULL */
void qp_fail(struct weft_siw *s, struct qp *qp, uint16_t error, const void *ulpdu, uint32_t bytes,
             uint16_t ulpdu_bytes);
/** The same without a Terminate. */
void qp_fail_silently(struct weft_siw *s, struct qp *qp);
/** The peer's Terminate. */
void qp_peer_terminated(struct weft_siw *s, struct qp *qp, const struct terminate *t);

/** Whether messages of the peer are still taken. */
static inline bool qp_receiving(const struct qp *qp)
{
    return qp->state == WEFT_SIW_QP_RTS || qp->state == WEFT_SIW_QP_CLOSING;
}
/** @} */

/** The one place that changes a QP's state.
 * @return the table's cell */
struct qp_cell qp_step(struct weft_siw *s, struct qp *qp, enum qp_input input);

/** CLOSING: tells the connection when everything is written and answered. */
void qp_check_drained(struct weft_siw *s, struct qp *qp);

#endif
