/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which FPDU comes next: a message at a time, requests and responses in turn. */
#include "core/siw/transmit.h"

#include "core/siw/connection.h"
#include "core/siw/engine.h"
#include "core/siw/qp.h"
#include "core/siw/stream.h"

/* A frame that says only "here I am" names this STag: some peers refuse 0 (RFC 6581 9 leaves it
 * open). */
#define EMPTY_STAG 1
/* A peer on a busy machine may need long until it can hear: each waits twice as long as the one
 * before. */
#define NUDGES_MAX 8
/* Smaller segments could not hold a Read Request or a Terminate. */
#define ULPDU_MIN  128

/* MULPDU, from the terms, or what the config says if that is less. */
static uint16_t ulpdu_max(const struct weft_siw *s, const struct terms *t)
{
    uint32_t most = t->ulpdu_max ? t->ulpdu_max : FPDU_ULPDU_MAX;
    uint32_t fpdu = s->config.segment_bytes;

    if (fpdu > 0 && fpdu < FPDU_MAX) {
        uint32_t ulpdu =
            fpdu < ULPDU_MIN ? ULPDU_MIN : (fpdu - MPA_CRC_BYTES) / 4 * 4 - MPA_LENGTH_BYTES;

        if (ulpdu < most)
            most = ulpdu;
    }
    return (uint16_t)(most < ULPDU_MIN ? ULPDU_MIN : most);
}

/* The frame that the initiator was told to begin with (RFC 6581 9). */
static void rtr_post(struct weft_siw *s, struct qp *qp)
{
    struct qp_request *r = NULL;

    switch ((enum weft_siw_rtr)qp->terms.rtr) {
    case WEFT_SIW_RTR_SEND:
        r = request_own(s, qp, WEFT_SIW_SEND);
        break;
    case WEFT_SIW_RTR_WRITE:
        r = request_own(s, qp, WEFT_SIW_WRITE);
        break;
    case WEFT_SIW_RTR_READ:
        r = request_own(s, qp, WEFT_SIW_READ);
        r->sge[0].stag = EMPTY_STAG;
        break;
    case WEFT_SIW_RTR_NONE:
        break;
    }
    if (r)
        r->remote_stag = EMPTY_STAG;
}

void transmit_begin(struct weft_siw *s, struct qp *qp)
{
    struct transmitter *tx = &qp->tx;

    *tx = (struct transmitter){
        .building = REQUEST_NONE,
        .msn = {1, 1, 1},
        .ulpdu_max = ulpdu_max(s, &qp->terms),
        .open = qp->terms.initiator,
    };
    if (!tx->open)
        return;
    if (s->config.nudge_ns > 0)
        tx->nudge = NUDGE_WAIT;
    rtr_post(s, qp);
    transmit_kick(s, qp);
}

bool transmit_idle(const struct qp *qp)
{
    const struct transmitter *tx = &qp->tx;

    return !tx->staging && tx->building == REQUEST_NONE && qp->responses.building == POOL_NONE &&
           !tx->nudge_due;
}

void transmit_kick(struct weft_siw *s, struct qp *qp)
{
    /* with something on its way the connection comes back by itself */
    if (qp->tx.open && !qp->tx.staging && qp_receiving(qp) && !transmit_idle(qp))
        connection_output(s, qp->ep);
}

static void staging_give(struct weft_siw *s, struct transmitter *tx)
{
    pool_give(&s->verbs.stagings, tx->staging);
    tx->staging = NULL;
}

void transmit_drop(struct weft_siw *s, struct qp *qp)
{
    if (qp->tx.staging)
        staging_give(s, &qp->tx);
    qp->tx.nudge_due = false;
    qp->tx.nudge = NUDGE_OFF;
}

/* A request cannot be begun: it completes with a status and the QP fails; but what was begun before
 * is written first. */
static void request_fault(struct weft_siw *s, struct qp *qp, struct qp_request *r,
                          enum weft_siw_wc_status status)
{
    if (qp->tx.staging && qp->tx.staging->fpdu_count > 0)
        return;
    r->status = (uint8_t)status;
    r->progress = REQUEST_DONE;
    qp->tx.building = r->next;
    qp_fail(s, qp, TERMINATE_RDMAP_LOCAL, NULL, 0, 0);
}

/* Does what needs no TCP, at the place in the send queue where it is due.
 * Returns the request that is next; NULL: none, or it has to wait, or the QP has failed. */
static struct qp_request *request_next(struct weft_siw *s, struct qp *qp)
{
    struct qp_request *r;

    while ((r = request_at(s, qp->tx.building))) {
        if (r->flags & WEFT_SIW_FENCE && qp->reads_out > 0)
            return NULL;
        if (r->opcode != WEFT_SIW_LOCAL_INVALIDATE)
            return r;
        if (region_invalidate(s, qp, r->invalidate, false) != REGION_OK) {
            request_fault(s, qp, r, WEFT_SIW_WC_INVALIDATE);
            return NULL;
        }
        r->progress = REQUEST_DONE;
        qp->tx.building = r->next;
    }
    return NULL;
}

/* Whether the send queue has a message that may begin. */
static bool request_ready(struct weft_siw *s, struct qp *qp)
{
    struct qp_request *r = request_next(s, qp);
    bool read = r && r->opcode == WEFT_SIW_READ;

    if (!r || r->own)
        return r;
    if (read && qp->reads_out >= qp->terms.ord)
        return false;
    if (request_permitted(s, qp, r, read ? WEFT_SIW_LOCAL_WRITE : 0))
        return true;
    request_fault(s, qp, r, WEFT_SIW_WC_LOCAL);
    return false;
}

void transmit_advance(struct weft_siw *s, struct qp *qp)
{
    if (!qp_receiving(qp))
        return;
    if (!qp->tx.sending)
        (void)request_next(s, qp);
    if (!qp_receiving(qp))
        return;
    sends_retire(s, qp);
    qp_check_drained(s, qp);
    transmit_kick(s, qp);
}

static struct ddp_header header(enum rdmap_opcode opcode, bool last)
{
    return (struct ddp_header){
        .last = last,
        .ddp_version = DDP_VERSION,
        .rdmap_version = RDMAP_VERSION,
        .opcode = (uint8_t)opcode,
    };
}

static struct ddp_header tagged(enum rdmap_opcode opcode, bool last, uint32_t stag, uint64_t to)
{
    struct ddp_header h = header(opcode, last);

    h.tagged = true;
    h.stag = stag;
    h.to = to;
    return h;
}

static void fpdu_add(struct qp *qp, const struct ddp_header *h, const struct rdmap_read *behind,
                     const struct payload *p)
{
    staging_add(qp->tx.staging, h, behind, p, qp->terms.crc);
    qp->tx.made = qp->tx.staging->made;
}

/* How much of what is left of a message goes into its next segment. */
static uint32_t segment_payload_bytes(const struct transmitter *tx, uint32_t bytes, bool is_tagged)
{
    uint32_t head = is_tagged ? DDP_TAGGED_BYTES : DDP_UNTAGGED_BYTES;
    uint32_t most = tx->ulpdu_max - head;
    uint32_t left = bytes - tx->done;

    return left < most ? left : most;
}

static enum rdmap_opcode send_opcode(const struct qp_request *r)
{
    bool solicited = r->flags & WEFT_SIW_SOLICITED;

    if (r->flags & WEFT_SIW_INVALIDATING)
        return solicited ? RDMAP_SEND_SE_INVALIDATE : RDMAP_SEND_INVALIDATE;
    return solicited ? RDMAP_SEND_SE : RDMAP_SEND;
}

static void send_segment(struct qp *qp, const struct qp_request *r, bool last,
                         const struct payload *p)
{
    struct ddp_header h = header(send_opcode(r), last);

    if (r->flags & WEFT_SIW_INVALIDATING)
        h.stag = r->invalidate;
    h.queue = DDP_QUEUE_SEND;
    h.msn = qp->tx.msn[DDP_QUEUE_SEND];
    h.mo = qp->tx.done;
    fpdu_add(qp, &h, NULL, p);
}

static void read_segment(struct weft_siw *s, struct qp *qp, struct qp_request *r)
{
    struct ddp_header h = header(RDMAP_READ_REQUEST, true);
    struct payload none = {0};
    struct rdmap_read read = {
        .bytes = r->bytes,
        .sink_stag = r->sge[0].stag,
        .source_stag = r->remote_stag,
        .source_to = r->remote_to,
    };

    r->sink_to = 0;
    if (!r->own) {
        struct region *region = region_find(s, r->sge[0].stag);

        region_pin(region);
        r->sink_to = region->to + (uint64_t)((uint8_t *)r->sge[0].addr - region->base);
    }
    read.sink_to = r->sink_to;
    h.queue = DDP_QUEUE_READ;
    h.msn = qp->tx.msn[DDP_QUEUE_READ]++;
    fpdu_add(qp, &h, &read, &none);
    read_begin(s, qp, r);
}

/* The message is all in FPDUs. */
static void request_made(struct qp *qp, struct qp_request *r)
{
    struct transmitter *tx = &qp->tx;

    if (r->opcode != WEFT_SIW_READ) {
        r->progress = REQUEST_SENT;
        r->end = tx->made;
    }
    if (r->opcode == WEFT_SIW_SEND)
        tx->msn[DDP_QUEUE_SEND]++;
    tx->sending = false;
    tx->done = 0;
    tx->building = r->next;
}

/* One more segment of the request that goes on. */
static void request_segment(struct weft_siw *s, struct qp *qp)
{
    struct transmitter *tx = &qp->tx;
    struct qp_request *r = request_at(s, tx->building);
    struct payload p = {.sge = r->sge, .offset = tx->done};
    bool write = r->opcode == WEFT_SIW_WRITE, last;

    if (r->opcode == WEFT_SIW_READ) {
        read_segment(s, qp, r);
        request_made(qp, r);
        return;
    }
    p.bytes = segment_payload_bytes(tx, r->bytes, write);
    last = p.bytes == r->bytes - tx->done;
    if (write) {
        struct ddp_header h = tagged(RDMAP_WRITE, last, r->remote_stag, r->remote_to + tx->done);

        fpdu_add(qp, &h, NULL, &p);
    } else {
        send_segment(qp, r, last, &p);
    }
    tx->done += p.bytes;
    if (last)
        request_made(qp, r);
}

/* One more segment of the response that goes on. */
static void response_segment(struct weft_siw *s, struct qp *qp)
{
    struct transmitter *tx = &qp->tx;
    struct response *r = response_at(s, qp->responses.building);
    struct weft_siw_sge piece = {.bytes = r->bytes};
    struct payload p = {.sge = &piece, .offset = tx->done};
    struct ddp_header h;
    bool last;

    /* of a piece to send, nothing is written through the pointer */
    memcpy(&piece.addr, &r->from, sizeof(piece.addr));
    p.bytes = segment_payload_bytes(tx, r->bytes, true);
    last = p.bytes == r->bytes - tx->done;
    h = tagged(RDMAP_READ_RESPONSE, last, r->sink_stag, r->sink_to + tx->done);
    fpdu_add(qp, &h, NULL, &p);
    tx->done += p.bytes;
    if (!last)
        return;
    r->end = tx->made;
    tx->answering = false;
    tx->done = 0;
    qp->responses.building = r->next;
}

static void nudge_segment(struct qp *qp)
{
    struct ddp_header h = tagged(RDMAP_WRITE, true, EMPTY_STAG, 0);
    struct payload none = {0};

    qp->tx.nudge_due = false;
    fpdu_add(qp, &h, NULL, &none);
}

/* Adds one FPDU.
 * Returns false: there is none to add, or the QP has failed. */
static bool segment_next(struct weft_siw *s, struct qp *qp)
{
    struct transmitter *tx = &qp->tx;

    if (!tx->answering && !tx->sending) {
        bool answer = qp->responses.building != POOL_NONE;

        if (tx->nudge_due) {
            nudge_segment(qp);
            return true;
        }
        /* our own first message goes out before anything else: it may be the RTR frame */
        tx->sending = !(answer && tx->turn) && request_ready(s, qp);
        if (!qp_receiving(qp))
            return false;
        tx->answering = answer && !tx->sending;
        tx->turn = tx->sending;
    }
    if (tx->sending)
        request_segment(s, qp);
    else if (tx->answering)
        response_segment(s, qp);
    else
        return false;
    return true;
}

/* Makes FPDUs of what is due.
 * Returns whether there are any. */
static bool staging_make(struct weft_siw *s, struct qp *qp)
{
    struct transmitter *tx = &qp->tx;

    if (!tx->open || qp->drained || !qp_receiving(qp) || transmit_idle(qp))
        return false;
    tx->staging = pool_take(&s->verbs.stagings);
    WEFT_ASSERT(tx->staging);
    staging_begin(tx->staging, tx->made);
    while (staging_room(tx->staging) && segment_next(s, qp))
        ;
    if (!qp_receiving(qp))
        return tx->staging;
    if (tx->staging->fpdu_count == 0)
        staging_give(s, tx);
    /* invalidations may be done */
    sends_retire(s, qp);
    qp_check_drained(s, qp);
    return tx->staging;
}

bool qp_fill(struct weft_siw *s, struct qp *qp, const struct weft_siw_part **ret_parts,
             uint32_t *ret_count, size_t *ret_bytes)
{
    struct staging *st;

    if (!qp->tx.staging && !staging_make(s, qp))
        return false;
    st = qp->tx.staging;
    *ret_parts = st->parts + st->part;
    *ret_count = st->part_count - st->part;
    *ret_bytes = st->bytes;
    return true;
}

/* The Terminate is with TCP: nothing of the program's memory is needed any more. */
static void terminate_written(struct weft_siw *s, struct qp *qp)
{
    sends_flush(s, qp);
    responses_drop(s, qp);
    qp_step(s, qp, QP_TERMINATED);
    connection_terminated(s, qp->ep);
}

void qp_written(struct weft_siw *s, struct qp *qp, size_t bytes)
{
    struct transmitter *tx = &qp->tx;
    uint32_t whole;

    if (!tx->staging)
        return;
    tx->written += bytes;
    whole = staging_written(tx->staging, bytes);
    qp->fpdus_out += whole;
    s->stats.fpdus_out += whole;
    if (tx->staging->bytes == 0)
        staging_give(s, tx);
    if (qp->state == WEFT_SIW_QP_TERMINATE) {
        if (!tx->staging)
            terminate_written(s, qp);
        return;
    }
    if (tx->nudge == NUDGE_WAIT && whole > 0) {
        tx->nudge = NUDGE_ARMED;
        connection_arm(s, qp->ep, siw_after(s, s->config.nudge_ns));
    }
    responses_retire(s, qp);
    transmit_advance(s, qp);
}

bool transmit_terminate(struct weft_siw *s, struct qp *qp, const struct terminate *t)
{
    struct transmitter *tx = &qp->tx;
    bool begun = tx->staging && staging_cut(tx->staging);

    if (!tx->staging) {
        tx->staging = pool_take(&s->verbs.stagings);
        WEFT_ASSERT(tx->staging);
    }
    if (!begun)
        staging_begin(tx->staging, tx->written);
    staging_add_terminate(tx->staging, t, qp->terms.crc);
    tx->made = tx->staging->made;
    return begun;
}

void qp_heard(struct weft_siw *s, struct qp *qp)
{
    qp->heard = true;
    qp->tx.nudge_due = false;
    if (qp->tx.nudge == NUDGE_ARMED)
        connection_arm(s, qp->ep, WEFT_TIME_NEVER);
    qp->tx.nudge = NUDGE_OFF;
}

void qp_ready(struct weft_siw *s, struct qp *qp)
{
    qp->ready = true;
    if (qp->tx.open)
        return;
    qp->tx.open = true;
    connection_peer_ready(s, qp->ep);
    transmit_kick(s, qp);
}

void qp_timer(struct weft_siw *s, struct qp *qp)
{
    struct transmitter *tx = &qp->tx;

    if (tx->nudge != NUDGE_ARMED || !qp_receiving(qp) || qp->drained)
        return;
    if (!tx->nudge_due) {
        tx->nudge_due = true;
        tx->nudges++;
        s->stats.nudges++;
    }
    if (tx->nudges < NUDGES_MAX)
        connection_arm(s, qp->ep, siw_after(s, s->config.nudge_ns << tx->nudges));
    else
        tx->nudge = NUDGE_OFF;
    transmit_kick(s, qp);
}
