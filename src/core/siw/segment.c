/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* DDP segments: what each must be, whatever message it belongs to; the rest by opcode. */
#include "core/siw/segment.h"

#include "core/base/check.h"

#include <string.h>

#define TERMINATE_CONTROL_BYTES 4

/* What an opcode asks of its segments. */
struct rule {
    bool tagged, single;
    uint8_t queue, least, kept;
    int (*check)(struct weft_siw *s, struct qp *qp);
    void (*deliver)(struct weft_siw *s, struct qp *qp);
};

static const struct rule rules[RDMAP_OPCODES] = {
#define SEGMENT(opcode, tagged, queue, single, least, kept, name)                                  \
    [opcode] = {                                                                                   \
        tagged, single, queue, least, kept, receive_##name##_check, receive_##name##_deliver},
#include "core/siw/segment.def"
};

/* The rule of a ULPDU's beginning, if its opcode has one and comes in this buffer model. */
static const struct rule *find_rule(bool tagged, uint8_t opcode)
{
    return opcode < RDMAP_OPCODES && rules[opcode].tagged == tagged ? &rules[opcode] : NULL;
}

static const struct rule *peek_rule(const uint8_t *ulpdu)
{
    return find_rule((ulpdu[0] & 0x80) != 0, ulpdu[1] & 0x0F);
}

uint32_t segment_head_bytes(const uint8_t *ulpdu, uint32_t ulpdu_bytes)
{
    const struct rule *rule = peek_rule(ulpdu);
    uint32_t bytes = ddp_header_bytes(ulpdu[0]) + (rule ? rule->kept : 0);

    return bytes < ulpdu_bytes ? bytes : ulpdu_bytes;
}

/* Whether a ULPDU is long enough for the headers that it begins. */
static bool length_fits(const uint8_t *ulpdu, uint32_t ulpdu_bytes)
{
    const struct rule *rule;

    if (ulpdu_bytes < DDP_TAGGED_BYTES)
        return false;
    rule = peek_rule(ulpdu);
    return ulpdu_bytes >= ddp_header_bytes(ulpdu[0]) + (rule ? rule->least : 0u);
}

/* The message that the segment belongs to. */
static struct message *segment_message(struct receiver *r)
{
    return r->segment.h.tagged ? &r->tagged : &r->untagged;
}

static uint32_t message_name(const struct ddp_header *h)
{
    return h->tagged ? h->stag : h->msn;
}

/* A Terminate may break any message off: nothing comes after it. */
static bool begins_message(struct receiver *r)
{
    return !segment_message(r)->open || r->segment.h.opcode == RDMAP_TERMINATE;
}

/* Messages of a queue come by number; one that has begun goes on as it began. */
static int check_order(struct receiver *r)
{
    const struct ddp_header *h = &r->segment.h;
    const struct message *m = segment_message(r);

    if (!begins_message(r))
        return h->opcode == m->opcode && message_name(h) == m->name ? SEGMENT_GOOD
                                                                    : TERMINATE_OPCODE;
    return h->tagged || h->msn == r->next_msn[h->queue] ? SEGMENT_GOOD : TERMINATE_MSN;
}

/* Versions, opcode, queue and order; then what the opcode asks. */
static int check(struct weft_siw *s, struct qp *qp)
{
    struct receiver *r = &qp->receiver;
    const struct ddp_header *h = &r->segment.h;
    const struct rule *rule = find_rule(h->tagged, h->opcode);
    int error;

    if (h->ddp_version != DDP_VERSION)
        return h->tagged ? TERMINATE_TAGGED_VERSION : TERMINATE_UNTAGGED_VERSION;
    if (h->rdmap_version != RDMAP_VERSION)
        return TERMINATE_RDMAP_VERSION;
    if (!rule || (rule->single && !h->last))
        return TERMINATE_OPCODE;
    if (!h->tagged && h->queue != rule->queue)
        return h->queue > DDP_QUEUE_TERMINATE ? TERMINATE_QUEUE : TERMINATE_OPCODE;
    error = check_order(r);
    if (error != SEGMENT_GOOD)
        return error;
    if (begins_message(r))
        *segment_message(r) = (struct message){.opcode = h->opcode, .name = message_name(h)};
    return rule->check(s, qp);
}

/* Whether the segment is the peer's first and a Send that was agreed on to be no more than that: a
 * Write or a Read of no bytes needs no such exception. */
static bool is_rtr(const struct qp *qp)
{
    const struct segment *seg = &qp->receiver.segment;

    return !qp->ready && !qp->terms.initiator && qp->terms.rtr == WEFT_SIW_RTR_SEND &&
           seg->h.opcode == RDMAP_SEND && seg->h.last && seg->payload == 0;
}

bool segment_fail(struct weft_siw *s, struct qp *qp, int error)
{
    const struct segment *seg = &qp->receiver.segment;

    if (!seg->h.tagged && seg->h.queue == DDP_QUEUE_SEND)
        receive_send_failed(s, qp, error);
    qp_fail(s, qp, (uint16_t)error, seg->ulpdu, seg->head_bytes, (uint16_t)seg->ulpdu_bytes);
    return false;
}

bool segment_begin(struct weft_siw *s, struct qp *qp, const uint8_t *ulpdu, uint32_t head_bytes,
                   uint32_t ulpdu_bytes)
{
    struct segment *seg = &qp->receiver.segment;
    int error;

    *seg = (struct segment){.ulpdu = ulpdu,
                            .head_bytes = head_bytes,
                            .ulpdu_bytes = ulpdu_bytes,
                            .payload = ulpdu_bytes - head_bytes};
    if (!length_fits(ulpdu, ulpdu_bytes))
        return segment_fail(s, qp, TERMINATE_MARKER);
    ddp_header_read(ulpdu, &seg->h);
    s->stats.fpdus_in++;
    qp->fpdus_in++;
    seg->rtr = is_rtr(qp);
    error = check(s, qp);
    return error == SEGMENT_GOOD || segment_fail(s, qp, error);
}

bool segment_payload(struct weft_siw *s, struct qp *qp, const uint8_t *data, uint32_t bytes)
{
    struct segment *seg = &qp->receiver.segment;

    WEFT_ASSERT(bytes <= seg->payload - seg->placed);
    while (bytes > 0) {
        uint32_t n = 0;
        uint8_t *place = NULL;
        int error = segment_place(s, qp, &place, &n);

        if (error != SEGMENT_GOOD)
            return segment_fail(s, qp, error);
        WEFT_ASSERT(n > 0);
        if (n > bytes)
            n = bytes;
        if (place)
            memcpy(place, data, n);
        seg->placed += n;
        data += n;
        bytes -= n;
    }
    return true;
}

uint8_t *segment_window(struct weft_siw *s, struct qp *qp, uint32_t *ret_bytes)
{
    uint8_t *place = NULL;
    uint32_t bytes = 0;

    if (segment_place(s, qp, &place, &bytes) != SEGMENT_GOOD || !place)
        return NULL;
    *ret_bytes = bytes;
    return place;
}

void segment_end(struct weft_siw *s, struct qp *qp)
{
    struct receiver *r = &qp->receiver;
    const struct segment *seg = &r->segment;
    struct message *m = segment_message(r);

    WEFT_ASSERT(seg->placed == seg->payload);
    m->bytes += seg->payload;
    m->open = !seg->h.last;
    if (!seg->h.tagged && seg->h.last)
        r->next_msn[seg->h.queue]++;
    if (!qp->ready)
        qp_ready(s, qp);
    if (qp_receiving(qp))
        rules[seg->h.opcode].deliver(s, qp);
}
