/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* MPA startup as the decoder sees it: both frames, what is wrong with them, what they agree on. */
#include "core/iwarp/decoder.h"

#include <string.h>

#define REVISION_MAX 2

static_assert((int)WEFT_IWARP_RTR_SEND == (int)MPA_RTR_SEND &&
                  (int)WEFT_IWARP_RTR_WRITE == (int)MPA_RTR_WRITE &&
                  (int)WEFT_IWARP_RTR_READ == (int)MPA_RTR_READ,
              "both name the same bits");

static void fill(const struct mpa_frame *f, struct weft_iwarp_frame *ret)
{
    *ret = (struct weft_iwarp_frame){
        .reply = f->reply,
        .markers = f->markers,
        .crc = f->crc,
        .rejected = f->rejected,
        .enhanced = f->enhanced,
        .peer_to_peer = f->peer_to_peer,
        .revision = f->revision,
        .rtr = f->rtr,
        .ird = f->ird,
        .ord = f->ord,
        .private_bytes = f->private_bytes,
        .private_data = f->private_data,
    };
}

static uint16_t smaller(uint16_t a, uint16_t b)
{
    return a < b ? a : b;
}

bool startup_agreed(const struct weft_iwarp *d, struct weft_iwarp_terms *ret)
{
    const struct iwarp_stream *i = &d->streams[WEFT_IWARP_INITIATOR];
    const struct iwarp_stream *r = &d->streams[WEFT_IWARP_RESPONDER];

    if (!i->has_frame || !r->has_frame)
        return false;
    memset(ret, 0, sizeof(*ret));
    ret->crc = i->frame.crc || r->frame.crc;
    ret->enhanced = i->frame.enhanced && r->frame.enhanced;
    if (!ret->enhanced)
        return true;
    /* "No negotiation" is the largest number: the other one holds (RFC 6581 6). */
    ret->reads[WEFT_IWARP_INITIATOR] = smaller(i->frame.ord, r->frame.ird);
    ret->reads[WEFT_IWARP_RESPONDER] = smaller(r->frame.ord, i->frame.ird);
    if (i->frame.peer_to_peer && r->frame.peer_to_peer)
        ret->rtr = i->frame.rtr & r->frame.rtr;
    return true;
}

static void compare_frames(struct weft_iwarp *d, struct weft_iwarp_record *rec)
{
    const struct iwarp_stream *i = &d->streams[WEFT_IWARP_INITIATOR];
    const struct iwarp_stream *r = &d->streams[WEFT_IWARP_RESPONDER];

    if (r->frame.revision > i->frame.revision)
        problem_add(rec, WEFT_IWARP_REVISION, r->frame.revision, i->frame.revision);
    if (i->frame.enhanced && r->frame.revision == REVISION_MAX && !r->frame.enhanced)
        problem_add(rec, WEFT_IWARP_NOT_ENHANCED, 0, 0);
    if (i->has_fpdu && i->first_fpdu_time < r->frame_time)
        problem_add(rec, WEFT_IWARP_BEFORE_REPLY, 0, 0);
}

void startup_frame(struct weft_iwarp *d, enum weft_iwarp_side from, const struct mpa_frame *f,
                   struct weft_iwarp_record *rec)
{
    struct iwarp_stream *s = &d->streams[from];

    fill(f, &rec->frame);
    s->frame = *f;
    s->frame.private_data = NULL;
    s->frame_time = s->time;
    if (f->reply != (from == WEFT_IWARP_RESPONDER)) {
        problem_add(rec, WEFT_IWARP_WRONG_FRAME, from, 0);
        return;
    }
    s->has_frame = true;
    if (f->revision < 1 || f->revision > REVISION_MAX)
        problem_add(rec, WEFT_IWARP_REVISION, f->revision, REVISION_MAX);
    if (f->rejected && !f->reply)
        problem_add(rec, WEFT_IWARP_REQUEST_REJECTS, 0, 0);
    if (d->streams[other_side(from)].has_frame) {
        compare_frames(d, rec);
        d->terms_due = !d->streams[WEFT_IWARP_RESPONDER].frame.rejected;
    }
}

void startup_terms(const struct weft_iwarp *d, struct weft_iwarp_record *rec)
{
    const struct mpa_frame *i = &d->streams[WEFT_IWARP_INITIATOR].frame;
    const struct mpa_frame *r = &d->streams[WEFT_IWARP_RESPONDER].frame;

    if (!startup_agreed(d, &rec->terms) || !rec->terms.enhanced)
        return;
    if (r->ord > i->ird && r->ord != MPA_READS_NONE)
        problem_add(rec, WEFT_IWARP_READS_TOO_MANY, r->ord, i->ird);
    if (i->peer_to_peer && r->peer_to_peer && rec->terms.rtr == 0)
        problem_add(rec, WEFT_IWARP_NO_RTR, 0, 0);
}
