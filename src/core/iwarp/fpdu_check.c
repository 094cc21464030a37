/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Segments against the rules and against what came before: RFC 5040, RFC 5041, from the side of
 * somebody who only watches. */
#include "core/iwarp/decoder.h"

#include <string.h>

#define NO_QUEUE UINT32_MAX

/* What each opcode's segments look like. */
static const struct {
    bool tagged, single;
    uint32_t queue;
} shapes[RDMAP_OPCODES] = {
    [RDMAP_WRITE] = {true, false, NO_QUEUE},
    [RDMAP_READ_REQUEST] = {false, true, DDP_QUEUE_READ},
    [RDMAP_READ_RESPONSE] = {true, false, NO_QUEUE},
    [RDMAP_SEND] = {false, false, DDP_QUEUE_SEND},
    [RDMAP_SEND_INVALIDATE] = {false, false, DDP_QUEUE_SEND},
    [RDMAP_SEND_SE] = {false, false, DDP_QUEUE_SEND},
    [RDMAP_SEND_SE_INVALIDATE] = {false, false, DDP_QUEUE_SEND},
    [RDMAP_TERMINATE] = {false, true, DDP_QUEUE_TERMINATE},
};

void fpdu_forget(struct weft_iwarp *d, enum weft_iwarp_side from)
{
    struct iwarp_stream *s = &d->streams[from];

    memset(s->msn_known, 0, sizeof(s->msn_known));
    s->untagged.open = s->tagged.open = false;
    /* It may have been a Read Request, or have answered one of the other side. */
    s->reads_unknown = d->streams[other_side(from)].reads_unknown = true;
}

/* Whether it is a segment of its opcode at all; if not nothing more can be said. */
static bool check_shape(struct weft_iwarp_record *rec)
{
    const struct weft_iwarp_fpdu *f = &rec->fpdu;

    if (f->ddp_version != DDP_VERSION)
        problem_add(rec, WEFT_IWARP_DDP_VERSION, f->ddp_version, DDP_VERSION);
    if (f->rdmap_version != RDMAP_VERSION)
        problem_add(rec, WEFT_IWARP_RDMAP_VERSION, f->rdmap_version, RDMAP_VERSION);
    if (f->ddp_version != DDP_VERSION || f->rdmap_version != RDMAP_VERSION)
        return false;
    if (f->opcode >= RDMAP_OPCODES) {
        problem_add(rec, WEFT_IWARP_OPCODE, f->opcode, 0);
        return false;
    }
    if (f->tagged != shapes[f->opcode].tagged) {
        problem_add(rec, f->tagged ? WEFT_IWARP_TAGGED : WEFT_IWARP_NOT_TAGGED, f->opcode, 0);
        return false;
    }
    if (!f->tagged && f->queue != shapes[f->opcode].queue) {
        problem_add(rec, WEFT_IWARP_QUEUE, f->queue, shapes[f->opcode].queue);
        return false;
    }
    if (shapes[f->opcode].single && !f->last)
        problem_add(rec, WEFT_IWARP_NOT_LAST, f->opcode, 0);
    return true;
}

static void check_startup(const struct weft_iwarp *d, enum weft_iwarp_side from,
                          struct weft_iwarp_record *rec)
{
    const struct iwarp_stream *s = &d->streams[from];
    const struct iwarp_stream *r = &d->streams[WEFT_IWARP_RESPONDER];

    if (s->terminated)
        problem_add(rec, WEFT_IWARP_AFTER_TERMINATE, 0, 0);
    if (r->has_frame && r->frame.rejected)
        problem_add(rec, WEFT_IWARP_AFTER_REJECT, 0, 0);
    else if (from == WEFT_IWARP_INITIATOR && !s->has_fpdu && r->has_frame &&
             s->time < r->frame_time)
        problem_add(rec, WEFT_IWARP_BEFORE_REPLY, 0, 0);
}

/* Which ready-to-receive frame this segment would be. */
static uint8_t as_rtr(const struct weft_iwarp_fpdu *f)
{
    if (f->payload_bytes != 0 || !f->last)
        return 0;
    if (f->opcode == RDMAP_WRITE)
        return WEFT_IWARP_RTR_WRITE;
    if (f->opcode == RDMAP_SEND)
        return WEFT_IWARP_RTR_SEND;
    return f->read && f->read_bytes == 0 ? WEFT_IWARP_RTR_READ : 0;
}

static void check_rtr(struct weft_iwarp *d, enum weft_iwarp_side from,
                      struct weft_iwarp_record *rec)
{
    struct iwarp_stream *s = &d->streams[from];
    struct weft_iwarp_terms terms;

    if (from != WEFT_IWARP_INITIATOR || s->has_fpdu || s->late || !startup_agreed(d, &terms) ||
        terms.rtr == 0)
        return;
    rec->fpdu.rtr = (as_rtr(&rec->fpdu) & terms.rtr) != 0;
    if (!rec->fpdu.rtr && !rec->fpdu.terminate)
        problem_add(rec, WEFT_IWARP_WRONG_RTR, 0, 0);
}

static void check_open(struct open_message *m, struct weft_iwarp_record *rec)
{
    if (m->open && m->opcode != rec->fpdu.opcode) {
        problem_add(rec, WEFT_IWARP_INTERRUPTED, rec->fpdu.opcode, m->opcode);
        m->open = false;
    }
}

static void check_untagged(struct iwarp_stream *s, struct weft_iwarp_record *rec)
{
    const struct weft_iwarp_fpdu *f = &rec->fpdu;
    struct open_message *m = &s->untagged;
    uint32_t queue = f->queue;
    uint64_t so_far;

    check_open(m, rec);
    so_far = m->open ? m->bytes : 0;
    if (!s->msn_known[queue]) {
        so_far = f->mo; /* there may have been segments that nobody saw */
    } else if (f->msn != s->msn[queue]) {
        problem_add(rec, WEFT_IWARP_MSN, f->msn, s->msn[queue]);
        so_far = 0;
    }
    if (f->mo != so_far)
        problem_add(rec, WEFT_IWARP_MO, f->mo, so_far);
    s->msn_known[queue] = true;
    s->msn[queue] = f->msn + (f->last ? 1 : 0);
    m->open = !f->last;
    m->opcode = f->opcode;
    m->bytes = (uint64_t)f->mo + f->payload_bytes;
    /* RFC 6581 does not say whether a Send that is a ready-to-receive frame has an MSN. */
    if (f->rtr && f->opcode == RDMAP_SEND)
        s->msn_known[queue] = false;
}

static void check_read_request(const struct weft_iwarp *d, struct iwarp_stream *s,
                               enum weft_iwarp_side from, struct weft_iwarp_record *rec)
{
    const struct weft_iwarp_fpdu *f = &rec->fpdu;
    struct weft_iwarp_terms terms;

    if (!f->read || s->read_count == READS_KEPT)
        s->reads_unknown = true;
    if (s->reads_unknown)
        return;
    s->reads[(s->read_first + s->read_count) % READS_KEPT] =
        (struct open_read){f->read_sink_stag, f->read_bytes, f->read_sink_to};
    s->read_count++;
    if (startup_agreed(d, &terms) && terms.enhanced && s->read_count > terms.reads[from])
        problem_add(rec, WEFT_IWARP_TOO_MANY_READS, s->read_count, terms.reads[from]);
}

/* Against the first Read Request of `asker` that waits. */
static void check_read_response(struct iwarp_stream *asker, struct weft_iwarp_record *rec)
{
    const struct weft_iwarp_fpdu *f = &rec->fpdu;
    const struct open_read *r = &asker->reads[asker->read_first];
    uint64_t total;

    if (asker->reads_unknown || !asker->has_frame)
        return;
    if (asker->read_count == 0) {
        problem_add(rec, WEFT_IWARP_NO_READ, 0, 0);
        return;
    }
    total = asker->read_done + f->payload_bytes;
    /* With nothing in it, the tag and the place say nothing. */
    if (f->payload_bytes > 0 && f->stag != r->stag)
        problem_add(rec, WEFT_IWARP_READ_STAG, f->stag, r->stag);
    else if (f->payload_bytes > 0 && f->to != r->to + asker->read_done)
        problem_add(rec, WEFT_IWARP_READ_TO, f->to, r->to + asker->read_done);
    if (f->last ? total != r->bytes : total > r->bytes)
        problem_add(rec, WEFT_IWARP_READ_LENGTH, total, r->bytes);
    asker->read_done = total;
    if (f->last) {
        asker->read_done = 0;
        asker->read_first = (asker->read_first + 1) % READS_KEPT;
        asker->read_count--;
    }
}

static void check_tagged(struct weft_iwarp *d, enum weft_iwarp_side from,
                         struct weft_iwarp_record *rec)
{
    struct open_message *m = &d->streams[from].tagged;

    check_open(m, rec);
    m->open = !rec->fpdu.last;
    m->opcode = rec->fpdu.opcode;
    if (rec->fpdu.opcode == RDMAP_READ_RESPONSE)
        check_read_response(&d->streams[other_side(from)], rec);
}

void fpdu_check(struct weft_iwarp *d, enum weft_iwarp_side from, struct weft_iwarp_record *rec)
{
    struct iwarp_stream *s = &d->streams[from];

    check_startup(d, from, rec);
    if (!check_shape(rec)) {
        fpdu_forget(d, from);
        return;
    }
    check_rtr(d, from, rec);
    if (rec->fpdu.tagged)
        check_tagged(d, from, rec);
    else
        check_untagged(s, rec);
    if (rec->fpdu.opcode == RDMAP_READ_REQUEST)
        check_read_request(d, s, from, rec);
    if (rec->fpdu.opcode == RDMAP_TERMINATE)
        s->terminated = true;
}
