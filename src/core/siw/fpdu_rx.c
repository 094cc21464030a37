/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* FPDUs out of a peer's byte stream, however it is cut (RFC 5044 4). */
#include "core/base/check.h"
#include "core/iwarp/crc.h"
#include "core/siw/segment.h"
#include "core/siw/stream.h"

#include <string.h>

int receivers_new(struct weft_siw *s)
{
    void *base = siw_take(s, (uint64_t)s->config.qps * PARTIAL_STRIDE, 64);

    if (!base)
        return WEFT_ERR_NOMEM;
    pool_init(&s->verbs.partials, base, PARTIAL_STRIDE, s->config.qps);
    return 0;
}

void receivers_free(struct weft_siw *s)
{
    siw_give(s, s->verbs.partials.base, (uint64_t)s->config.qps * PARTIAL_STRIDE);
}

/* Takes a buffer for an FPDU that is not whole. */
static uint8_t *partial_take(struct weft_siw *s)
{
    uint8_t *object = pool_take(&s->verbs.partials);

    WEFT_ASSERT(object);
    return object + POOL_HEAD_BYTES;
}

static void partial_give(struct weft_siw *s, uint8_t *partial)
{
    pool_give(&s->verbs.partials, partial - POOL_HEAD_BYTES);
}

void receiver_begin(struct weft_siw *s, struct qp *qp)
{
    struct receiver *r = &qp->receiver;

    (void)s;
    r->phase = RECEIVER_HEAD;
    r->have = r->tail = 0;
    r->partial = NULL;
    r->tagged.open = r->untagged.open = false;
    for (uint32_t q = 0; q <= DDP_QUEUE_TERMINATE; q++)
        r->next_msn[q] = 1;
}

void receiver_end(struct weft_siw *s, struct qp *qp)
{
    if (qp->receiver.partial)
        partial_give(s, qp->receiver.partial);
    qp->receiver.partial = NULL;
}

bool receiver_between(const struct qp *qp)
{
    return qp->receiver.phase == RECEIVER_HEAD && qp->receiver.have == 0;
}

/* What the length field says. */
static uint32_t length_get(const uint8_t *fpdu)
{
    return (uint32_t)fpdu[0] << 8 | fpdu[1];
}

/* Bytes of an FPDU, of which the length field is there. */
static uint32_t fpdu_bytes(const uint8_t *fpdu)
{
    uint32_t ulpdu_bytes = length_get(fpdu);

    return MPA_LENGTH_BYTES + ulpdu_bytes + fpdu_pad(ulpdu_bytes) + MPA_CRC_BYTES;
}

/* The CRC is the one number that is not big endian. */
static bool crc_fits(const uint8_t *fpdu, uint32_t bytes)
{
    const uint8_t *p = fpdu + bytes - MPA_CRC_BYTES;
    uint32_t crc = crc_end(crc_add(CRC_BEGIN, fpdu, bytes - MPA_CRC_BYTES));

    return crc == ((uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0]);
}

/* A whole FPDU that has a CRC: nothing of it counts before that is checked. */
static void receive_whole(struct weft_siw *s, struct qp *qp, const uint8_t *fpdu)
{
    const uint8_t *ulpdu = fpdu + MPA_LENGTH_BYTES;
    uint32_t ulpdu_bytes = length_get(fpdu), head_bytes = ulpdu_bytes;

    if (!crc_fits(fpdu, fpdu_bytes(fpdu))) {
        s->stats.crc_errors++;
        qp_fail(s, qp, TERMINATE_CRC, NULL, 0, 0);
        return;
    }
    if (ulpdu_bytes >= DDP_TAGGED_BYTES)
        head_bytes = segment_head_bytes(ulpdu, ulpdu_bytes);
    if (segment_begin(s, qp, ulpdu, head_bytes, ulpdu_bytes) &&
        segment_payload(s, qp, ulpdu + head_bytes, ulpdu_bytes - head_bytes))
        segment_end(s, qp);
}

/* Takes bytes towards an FPDU that was cut; returns how many. */
static uint32_t gather(struct receiver *r, const uint8_t *data, size_t bytes)
{
    uint32_t wanted = r->have < MPA_LENGTH_BYTES ? MPA_LENGTH_BYTES : fpdu_bytes(r->partial);
    uint32_t n = wanted - r->have;

    if (n > bytes)
        n = (uint32_t)bytes;
    memcpy(r->partial + r->have, data, n);
    r->have += n;
    return n;
}

static size_t receive_checked(struct weft_siw *s, struct qp *qp, const uint8_t *data, size_t bytes)
{
    struct receiver *r = &qp->receiver;
    uint8_t *partial;
    uint32_t n;

    if (!r->partial) {
        if (bytes >= MPA_LENGTH_BYTES && bytes >= fpdu_bytes(data)) {
            n = fpdu_bytes(data);
            receive_whole(s, qp, data);
            return n;
        }
        r->partial = partial_take(s);
    }
    n = gather(r, data, bytes);
    if (r->have < MPA_LENGTH_BYTES || r->have < fpdu_bytes(r->partial))
        return n;
    /* What is delivered may end the connection, and with it what the receiver holds. */
    partial = r->partial;
    r->partial = NULL;
    r->have = 0;
    receive_whole(s, qp, partial);
    partial_give(s, partial);
    return n;
}

/* How many bytes of length and headers are known to belong to an FPDU that begins so. */
static uint32_t head_wanted(const struct receiver *r)
{
    uint32_t ulpdu_bytes;

    if (r->have < MPA_LENGTH_BYTES)
        return MPA_LENGTH_BYTES;
    ulpdu_bytes = length_get(r->head);
    if (ulpdu_bytes < DDP_TAGGED_BYTES)
        return MPA_LENGTH_BYTES;
    if (r->have < MPA_LENGTH_BYTES + 2)
        return MPA_LENGTH_BYTES + 2;
    return MPA_LENGTH_BYTES + segment_head_bytes(r->head + MPA_LENGTH_BYTES, ulpdu_bytes);
}

static void payload_or_tail(struct receiver *r)
{
    r->phase = r->segment.placed < r->segment.payload ? RECEIVER_PAYLOAD : RECEIVER_TAIL;
}

static uint32_t receive_head(struct weft_siw *s, struct qp *qp, const uint8_t *data, size_t bytes)
{
    struct receiver *r = &qp->receiver;
    uint32_t n = 0, wanted, ulpdu_bytes;

    while ((wanted = head_wanted(r)) > r->have && n < bytes) {
        uint32_t part = wanted - r->have;

        if (part > bytes - n)
            part = (uint32_t)(bytes - n);
        memcpy(r->head + r->have, data + n, part);
        r->have += part;
        n += part;
    }
    if (r->have < wanted)
        return n;
    ulpdu_bytes = length_get(r->head);
    if (segment_begin(s, qp, r->head + MPA_LENGTH_BYTES, wanted - MPA_LENGTH_BYTES, ulpdu_bytes)) {
        r->tail = fpdu_pad(ulpdu_bytes) + MPA_CRC_BYTES;
        payload_or_tail(r);
    }
    return n;
}

static uint32_t receive_payload(struct weft_siw *s, struct qp *qp, const uint8_t *data,
                                size_t bytes)
{
    struct receiver *r = &qp->receiver;
    uint32_t n = r->segment.payload - r->segment.placed;

    if (n > bytes)
        n = (uint32_t)bytes;
    if (segment_payload(s, qp, data, n))
        payload_or_tail(r);
    return n;
}

static uint32_t receive_tail(struct weft_siw *s, struct qp *qp, size_t bytes)
{
    struct receiver *r = &qp->receiver;
    uint32_t n = r->tail;

    if (n > bytes)
        n = (uint32_t)bytes;
    r->tail -= n;
    if (r->tail == 0) {
        r->phase = RECEIVER_HEAD;
        r->have = 0;
        segment_end(s, qp);
    }
    return n;
}

/* Without CRC: the head is gathered, what follows is placed as it comes. */
static size_t receive_streamed(struct weft_siw *s, struct qp *qp, const uint8_t *data, size_t bytes)
{
    switch (qp->receiver.phase) {
    case RECEIVER_HEAD:
        return receive_head(s, qp, data, bytes);
    case RECEIVER_PAYLOAD:
        return receive_payload(s, qp, data, bytes);
    case RECEIVER_TAIL:
        break;
    }
    return receive_tail(s, qp, bytes);
}

void qp_rx(struct weft_siw *s, struct qp *qp, const uint8_t *data, size_t bytes)
{
    if (bytes > 0 && !qp->heard)
        qp_heard(s, qp);
    while (bytes > 0 && qp_receiving(qp)) {
        size_t n = qp->terms.crc ? receive_checked(s, qp, data, bytes)
                                 : receive_streamed(s, qp, data, bytes);

        WEFT_ASSERT(n <= bytes);
        data += n;
        bytes -= n;
    }
}

void *qp_rx_window(struct weft_siw *s, struct qp *qp, size_t *ret_bytes)
{
    uint32_t bytes = 0;
    uint8_t *window;

    if (!qp_receiving(qp) || qp->receiver.phase != RECEIVER_PAYLOAD)
        return NULL;
    window = segment_window(s, qp, &bytes);
    if (window)
        *ret_bytes = bytes;
    return window;
}

void qp_rx_placed(struct weft_siw *s, struct qp *qp, size_t bytes)
{
    struct receiver *r = &qp->receiver;

    (void)s;
    if (bytes == 0)
        return;
    WEFT_ASSERT(r->phase == RECEIVER_PAYLOAD && bytes <= r->segment.payload - r->segment.placed);
    r->segment.placed += (uint32_t)bytes;
    payload_or_tail(r);
}
