/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The decoder: pieces of streams become frames and FPDUs, whatever is missing in between. */
#include "core/iwarp/decoder.h"

#include "core/base/alloc.h"
#include "core/base/check.h"
#include "core/iwarp/crc.h"
#include "core/wire/mad_header.h"

#include <string.h>

#define DECODER_ALIGN 64
#define KEY_BYTES     16

int weft_iwarp_new(const struct weft_alloc *a, struct weft_iwarp **ret)
{
    struct weft_alloc alloc = alloc_or_libc(a);
    struct weft_iwarp *d = alloc_zeroed(&alloc, sizeof(*d), DECODER_ALIGN);

    if (!d)
        return WEFT_ERR_NOMEM;
    d->alloc = alloc;
    *ret = d;
    return 0;
}

struct weft_iwarp *weft_iwarp_free(struct weft_iwarp *d)
{
    if (d)
        d->alloc.put(d->alloc.ctx, d, sizeof(*d));
    return NULL;
}

void problem_add(struct weft_iwarp_record *rec, enum weft_iwarp_problem_kind kind, uint64_t found,
                 uint64_t expected)
{
    if (rec->problem_count < WEFT_IWARP_RECORD_PROBLEMS)
        rec->problems[rec->problem_count++] = (struct weft_iwarp_problem){kind, found, expected};
}

/* Whether a whole FPDU stands there whose headers and CRC could be. */
static bool is_fpdu(const uint8_t *p, size_t bytes)
{
    uint32_t ulpdu = wire_be16(p), covered = fpdu_bytes(ulpdu) - MPA_CRC_BYTES;
    struct ddp_header h;
    uint32_t crc;

    if (ulpdu < ddp_header_bytes(p[MPA_LENGTH_BYTES]) || bytes < covered + MPA_CRC_BYTES)
        return false;
    ddp_header_read(p + MPA_LENGTH_BYTES, &h);
    if (h.ddp_version != DDP_VERSION || h.rdmap_version != RDMAP_VERSION ||
        h.opcode >= RDMAP_OPCODES)
        return false;
    crc = crc_end(crc_add(CRC_BEGIN, p, covered));
    return memcmp(p + covered, "\0\0\0\0", MPA_CRC_BYTES) == 0 ||
           (p[covered] == (uint8_t)crc && p[covered + 1] == (uint8_t)(crc >> 8) &&
            p[covered + 2] == (uint8_t)(crc >> 16) && p[covered + 3] == (uint8_t)(crc >> 24));
}

enum weft_iwarp_look weft_iwarp_look(const void *data, size_t bytes)
{
    struct mpa_frame f;
    size_t frame_bytes;
    enum mpa_verdict verdict = mpa_frame_parse(data, bytes, &f, &frame_bytes);

    if (verdict != MPA_BAD_KEY && bytes >= KEY_BYTES)
        return ((const uint8_t *)data)[9] == 'q' ? WEFT_IWARP_LOOK_REQUEST : WEFT_IWARP_LOOK_REPLY;
    if (verdict != MPA_BAD_KEY)
        return WEFT_IWARP_LOOK_SHORT;
    if (bytes < MPA_LENGTH_BYTES + DDP_TAGGED_BYTES + MPA_CRC_BYTES)
        return WEFT_IWARP_LOOK_SHORT;
    return is_fpdu(data, bytes) ? WEFT_IWARP_LOOK_FPDU : WEFT_IWARP_LOOK_OTHER;
}

static bool busy(const struct weft_iwarp *d)
{
    return d->piece_bytes > 0 || d->terms_due || d->ending;
}

int weft_iwarp_feed(struct weft_iwarp *d, enum weft_iwarp_side from, uint64_t offset,
                    const void *data, size_t bytes, weft_time time)
{
    if ((uint32_t)from >= WEFT_IWARP_SIDES || bytes > UINT64_MAX - offset)
        return WEFT_ERR_INVALID;
    if (busy(d) || d->streams[from].state == STREAM_ENDED)
        return WEFT_ERR_STATE;
    d->from = from;
    d->piece = data;
    d->piece_bytes = bytes;
    d->piece_offset = offset;
    d->piece_time = time;
    d->piece_begins = true;
    return 0;
}

int weft_iwarp_end(struct weft_iwarp *d, enum weft_iwarp_side from, weft_time time)
{
    if ((uint32_t)from >= WEFT_IWARP_SIDES)
        return WEFT_ERR_INVALID;
    if (busy(d) || d->streams[from].state == STREAM_ENDED)
        return WEFT_ERR_STATE;
    d->from = from;
    d->piece_time = time;
    d->ending = true;
    return 0;
}

static void begin_record(const struct weft_iwarp *d, enum weft_iwarp_type type,
                         struct weft_iwarp_record *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->type = type;
    ret->from = d->from;
    ret->time = d->piece_time;
    ret->offset = d->streams[d->from].next;
}

/* A record of nothing but one problem. */
static bool note(const struct weft_iwarp *d, enum weft_iwarp_problem_kind kind, uint64_t found,
                 uint64_t expected, struct weft_iwarp_record *ret)
{
    begin_record(d, WEFT_IWARP_NOTE, ret);
    problem_add(ret, kind, found, expected);
    return true;
}

static void consume(struct weft_iwarp *d, size_t bytes)
{
    WEFT_ASSERT(bytes <= d->piece_bytes);
    d->piece += bytes;
    d->piece_bytes -= bytes;
    d->piece_offset += bytes;
    d->streams[d->from].next = d->piece_offset;
    if (bytes > 0)
        d->piece_begins = false;
}

static void drop_unit(struct iwarp_stream *s)
{
    s->have = s->missing = 0;
    s->no_head = false;
}

static void lose(struct weft_iwarp *d, struct iwarp_stream *s)
{
    s->state = STREAM_LOST;
    s->lost_told = false;
    drop_unit(s);
    fpdu_forget(d, d->from);
}

/* Bytes of the unit that is being put together, as far as they are known; 0: not yet. */
static uint32_t unit_bytes(const struct iwarp_stream *s)
{
    if (s->state == STREAM_FRAME)
        return s->have < MPA_FRAME_HEAD ? MPA_FRAME_HEAD
                                        : MPA_FRAME_HEAD + (uint32_t)wire_be16(s->unit + 18);
    return s->have < MPA_LENGTH_BYTES ? 0 : fpdu_bytes(wire_be16(s->unit));
}

/* Whether the bytes there are hold all headers of the FPDU. */
static bool has_head(const struct iwarp_stream *s)
{
    uint32_t bytes = MPA_LENGTH_BYTES;

    if (s->have <= MPA_LENGTH_BYTES + 1)
        return false;
    bytes += ddp_header_bytes(s->unit[MPA_LENGTH_BYTES]);
    if (bytes == MPA_LENGTH_BYTES + DDP_UNTAGGED_BYTES &&
        (s->unit[MPA_LENGTH_BYTES + 1] & 0xF) == RDMAP_READ_REQUEST)
        bytes += RDMAP_READ_BYTES;
    return s->have >= bytes;
}

/* Bytes are missing before the piece. A hole within an FPDU leaves its end where it was. */
static bool take_gap(struct weft_iwarp *d, struct iwarp_stream *s, struct weft_iwarp_record *ret)
{
    uint64_t gap = d->piece_offset - s->next;

    if (s->state == STREAM_FPDUS && s->have >= MPA_LENGTH_BYTES && gap <= unit_bytes(s) - s->have) {
        s->no_head = s->no_head || !has_head(s);
        memset(s->unit + s->have, 0, (size_t)gap);
        s->have += (uint32_t)gap;
        s->missing += (uint32_t)gap;
        s->next = d->piece_offset;
        return false;
    }
    note(d, WEFT_IWARP_GAP, gap, 0, ret);
    s->next = d->piece_offset;
    lose(d, s);
    return true;
}

static bool begin_stream(struct weft_iwarp *d, struct iwarp_stream *s,
                         struct weft_iwarp_record *ret)
{
    s->next = d->piece_offset;
    for (uint32_t queue = 0; queue <= DDP_QUEUE_TERMINATE; queue++) {
        s->msn[queue] = 1;
        s->msn_known[queue] = true;
    }
    if (d->piece_offset == 0) {
        s->state = STREAM_FRAME;
        return false;
    }
    s->late = true;
    lose(d, s);
    return note(d, WEFT_IWARP_LATE, 0, 0, ret);
}

/* Takes bytes of the piece into the unit, until it has `wanted`. */
static void collect(struct weft_iwarp *d, struct iwarp_stream *s, uint32_t wanted)
{
    size_t bytes = wanted - s->have;

    if (bytes > d->piece_bytes)
        bytes = d->piece_bytes;
    if (s->have == 0)
        s->time = d->piece_time;
    memcpy(s->unit + s->have, d->piece, bytes);
    s->have += (uint32_t)bytes;
    consume(d, bytes);
}

static void begin_unit_record(const struct weft_iwarp *d, const struct iwarp_stream *s,
                              enum weft_iwarp_type type, struct weft_iwarp_record *ret)
{
    begin_record(d, type, ret);
    ret->time = s->time;
    ret->offset = s->next - s->have;
    ret->bytes = s->have;
}

/* The state behind a frame: markers that the other side asks for make FPDUs unreadable. */
static enum stream_state behind_frame(const struct weft_iwarp *d, enum weft_iwarp_side from,
                                      struct weft_iwarp_record *rec)
{
    const struct iwarp_stream *other = &d->streams[other_side(from)];

    if (!other->has_frame || !other->frame.markers)
        return STREAM_FPDUS;
    if (rec && !d->streams[WEFT_IWARP_RESPONDER].frame.rejected)
        problem_add(rec, WEFT_IWARP_MARKERS, 0, 0);
    return STREAM_OPAQUE;
}

/* A frame takes its bytes one by one: where it ends is known by reading it. */
static bool take_frame(struct weft_iwarp *d, struct iwarp_stream *s, struct weft_iwarp_record *ret)
{
    enum mpa_verdict verdict = MPA_MORE;
    struct mpa_frame f;
    size_t bytes;

    while (verdict == MPA_MORE && d->piece_bytes > 0) {
        uint32_t wanted = unit_bytes(s);

        collect(d, s, s->have < KEY_BYTES ? s->have + 1 : wanted);
        verdict = mpa_frame_parse(s->unit, s->have, &f, &bytes);
    }
    if (verdict == MPA_MORE)
        return false;
    begin_unit_record(d, s, WEFT_IWARP_NOTE, ret);
    if (verdict == MPA_BAD_KEY)
        problem_add(ret, WEFT_IWARP_BAD_KEY, s->have - 1, 0);
    if (verdict == MPA_TOO_LONG)
        problem_add(ret, WEFT_IWARP_PRIVATE_LENGTH, wire_be16(s->unit + 18), MPA_PRIVATE_MAX);
    if (verdict == MPA_WHOLE || verdict == MPA_BAD_LENGTH) {
        ret->type = WEFT_IWARP_FRAME;
        startup_frame(d, d->from, &f, ret);
    }
    if (verdict == MPA_BAD_LENGTH)
        problem_add(ret, WEFT_IWARP_ENHANCED_LENGTH, bytes - MPA_FRAME_HEAD, MPA_ENHANCED_BYTES);
    s->state = verdict == MPA_WHOLE ? behind_frame(d, d->from, ret) : STREAM_OPAQUE;
    drop_unit(s);
    return true;
}

/* A second MPA frame begins like an FPDU of 19792 bytes. */
static bool is_second_frame(const struct iwarp_stream *s)
{
    struct mpa_frame f;
    size_t bytes;

    return s->missing == 0 && s->have == KEY_BYTES &&
           mpa_frame_parse(s->unit, s->have, &f, &bytes) == MPA_MORE;
}

static bool take_fpdu(struct weft_iwarp *d, struct iwarp_stream *s, struct weft_iwarp_record *ret)
{
    uint32_t wanted;

    if (s->have == 0 && behind_frame(d, d->from, NULL) == STREAM_OPAQUE) {
        note(d, WEFT_IWARP_MARKERS, 0, 0, ret);
        s->state = STREAM_OPAQUE;
        return true;
    }
    if (s->have < MPA_LENGTH_BYTES)
        collect(d, s, MPA_LENGTH_BYTES);
    wanted = unit_bytes(s);
    if (wanted == 0)
        return false;
    if (s->have < KEY_BYTES)
        collect(d, s, KEY_BYTES < wanted ? KEY_BYTES : wanted);
    if (is_second_frame(s)) {
        begin_unit_record(d, s, WEFT_IWARP_NOTE, ret);
        problem_add(ret, WEFT_IWARP_SECOND_FRAME, 0, 0);
        s->state = STREAM_OPAQUE;
        drop_unit(s);
        return true;
    }
    collect(d, s, wanted);
    if (s->have < wanted)
        return false;
    begin_unit_record(d, s, WEFT_IWARP_FPDU, ret);
    fpdu_decode(d, d->from, ret);
    drop_unit(s);
    return true;
}

/* FPDUs go on where a piece begins with one: mostly they begin where TCP segments do. */
static bool take_lost(struct weft_iwarp *d, struct iwarp_stream *s, struct weft_iwarp_record *ret)
{
    bool told = s->lost_told;

    if (d->piece_begins && weft_iwarp_look(d->piece, d->piece_bytes) == WEFT_IWARP_LOOK_FPDU) {
        s->state = STREAM_FPDUS;
        return false;
    }
    if (!told)
        note(d, WEFT_IWARP_LOST, 0, 0, ret);
    consume(d, d->piece_bytes);
    s->lost_told = true;
    return !told;
}

static bool take_piece(struct weft_iwarp *d, struct iwarp_stream *s, struct weft_iwarp_record *ret)
{
    if (s->state == STREAM_NEW && begin_stream(d, s, ret))
        return true;
    if (d->piece_offset > s->next && s->state != STREAM_OPAQUE && take_gap(d, s, ret))
        return true;
    if (d->piece_offset < s->next) {
        uint64_t known = s->next - d->piece_offset;
        size_t skip = known < d->piece_bytes ? (size_t)known : d->piece_bytes;

        d->piece += skip;
        d->piece_bytes -= skip;
        d->piece_offset += skip;
        return false;
    }
    switch (s->state) {
    case STREAM_FRAME:
        return take_frame(d, s, ret);
    case STREAM_FPDUS:
        return take_fpdu(d, s, ret);
    case STREAM_LOST:
        return take_lost(d, s, ret);
    case STREAM_NEW:
    case STREAM_OPAQUE:
    case STREAM_ENDED:
        break;
    }
    consume(d, d->piece_bytes);
    return false;
}

static bool take_end(struct weft_iwarp *d, struct iwarp_stream *s, struct weft_iwarp_record *ret)
{
    bool cut = s->have > 0;

    d->ending = false;
    if (cut)
        note(d, WEFT_IWARP_CUT, s->have, unit_bytes(s), ret);
    drop_unit(s);
    s->state = STREAM_ENDED;
    return cut;
}

bool weft_iwarp_poll(struct weft_iwarp *d, struct weft_iwarp_record *ret)
{
    struct iwarp_stream *s = &d->streams[d->from];

    if (d->terms_due) {
        d->terms_due = false;
        begin_record(d, WEFT_IWARP_TERMS, ret);
        startup_terms(d, ret);
        return true;
    }
    while (d->piece_bytes > 0) {
        if (take_piece(d, s, ret))
            return true;
    }
    return d->ending && take_end(d, s, ret);
}
