/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One FPDU as the decoder sees it: length, headers, payload, CRC. */
#include "core/iwarp/crc.h"
#include "core/iwarp/decoder.h"
#include "core/iwarp/terminate.h"
#include "core/wire/mad_header.h"

#include <string.h>

static uint32_t little_endian(const uint8_t *p)
{
    return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

/* Of whoever's word on CRCs was heard: both sides use them if one wants them (RFC 5044 7.1). */
static bool crc_wanted(const struct weft_iwarp *d)
{
    const struct iwarp_stream *i = &d->streams[WEFT_IWARP_INITIATOR];
    const struct iwarp_stream *r = &d->streams[WEFT_IWARP_RESPONDER];

    return (i->has_frame && i->frame.crc) || (r->has_frame && r->frame.crc);
}

static void judge_crc(const struct weft_iwarp *d, const struct iwarp_stream *s,
                      struct weft_iwarp_fpdu *f)
{
    uint32_t covered = s->have - MPA_CRC_BYTES;
    struct weft_iwarp_terms terms;
    bool known = startup_agreed(d, &terms), wanted = crc_wanted(d);

    f->crc_value = little_endian(s->unit + covered);
    if (known && !wanted) {
        f->crc = WEFT_IWARP_CRC_OFF;
        return;
    }
    if (s->missing > 0) {
        f->crc = WEFT_IWARP_CRC_UNKNOWN;
        return;
    }
    f->crc_expected = crc_end(crc_add(CRC_BEGIN, s->unit, covered));
    if (f->crc_value == f->crc_expected)
        f->crc = WEFT_IWARP_CRC_OK;
    else if (f->crc_value == 0 && !wanted)
        f->crc = WEFT_IWARP_CRC_OFF;
    else
        f->crc = WEFT_IWARP_CRC_BAD;
}

static void read_read_request(const uint8_t *p, struct weft_iwarp_fpdu *f)
{
    struct rdmap_read r;

    rdmap_read_read(p, &r);
    f->read = true;
    f->read_sink_stag = r.sink_stag;
    f->read_sink_to = r.sink_to;
    f->read_bytes = r.bytes;
    f->read_source_stag = r.source_stag;
    f->read_source_to = r.source_to;
}

static void read_terminate(const uint8_t *p, uint32_t bytes, struct weft_iwarp_record *rec)
{
    struct terminate t;

    if (!terminate_read(p, bytes, &t))
        return;
    rec->fpdu.terminate = true;
    rec->fpdu.terminate_error = t.error;
    rec->fpdu.terminate_swapped = t.swapped;
    problem_add(rec, t.swapped ? WEFT_IWARP_TERMINATED_SWAPPED : WEFT_IWARP_TERMINATED, t.error, 0);
}

/* Takes what the headers say, without judging it. */
static void read_headers(const uint8_t *ulpdu, struct weft_iwarp_record *rec)
{
    struct weft_iwarp_fpdu *f = &rec->fpdu;
    uint32_t bytes = ddp_header_bytes(ulpdu[0]);
    struct ddp_header h;

    ddp_header_read(ulpdu, &h);
    f->headers = true;
    f->tagged = h.tagged;
    f->last = h.last;
    f->ddp_version = h.ddp_version;
    f->rdmap_version = h.rdmap_version;
    f->opcode = h.opcode;
    f->stag = h.stag;
    f->to = h.to;
    f->queue = h.queue;
    f->msn = h.msn;
    f->mo = h.mo;
    f->payload = ulpdu + bytes;
    f->payload_bytes = f->ulpdu_bytes - bytes;
    if (h.opcode == RDMAP_TERMINATE && !h.tagged && f->missing == 0)
        read_terminate(f->payload, f->payload_bytes, rec);
    if (h.opcode != RDMAP_READ_REQUEST || h.tagged || f->payload_bytes < RDMAP_READ_BYTES)
        return;
    read_read_request(f->payload, f);
    f->payload = ulpdu + bytes + RDMAP_READ_BYTES;
    f->payload_bytes -= RDMAP_READ_BYTES;
}

static uint32_t header_bytes(const struct iwarp_stream *s, uint32_t ulpdu_bytes)
{
    uint32_t bytes = ulpdu_bytes ? ddp_header_bytes(s->unit[MPA_LENGTH_BYTES]) : DDP_TAGGED_BYTES;

    if (bytes == DDP_UNTAGGED_BYTES && ulpdu_bytes >= bytes &&
        (s->unit[MPA_LENGTH_BYTES + 1] & 0xF) == RDMAP_READ_REQUEST)
        bytes += RDMAP_READ_BYTES;
    return bytes;
}

static void tell_unknown_terms(struct weft_iwarp *d, struct weft_iwarp_record *rec)
{
    struct weft_iwarp_terms terms;

    if (d->unknown_told || startup_agreed(d, &terms))
        return;
    d->unknown_told = true;
    problem_add(rec, WEFT_IWARP_TERMS_UNKNOWN, 0, 0);
}

void fpdu_decode(struct weft_iwarp *d, enum weft_iwarp_side from, struct weft_iwarp_record *rec)
{
    struct iwarp_stream *s = &d->streams[from];
    struct weft_iwarp_fpdu *f = &rec->fpdu;
    uint32_t wanted;

    f->ulpdu_bytes = wire_be16(s->unit);
    f->missing = s->missing;
    f->payload = s->unit + MPA_LENGTH_BYTES;
    tell_unknown_terms(d, rec);
    if (s->missing > 0)
        problem_add(rec, WEFT_IWARP_GAP, s->missing, 0);
    judge_crc(d, s, f);
    if (f->crc == WEFT_IWARP_CRC_BAD)
        problem_add(rec, WEFT_IWARP_CRC_WRONG, f->crc_value, f->crc_expected);
    wanted = header_bytes(s, f->ulpdu_bytes);
    if (!s->no_head && f->ulpdu_bytes < wanted)
        problem_add(rec, WEFT_IWARP_SHORT, f->ulpdu_bytes, wanted);
    if (!s->no_head && f->ulpdu_bytes > 0 &&
        f->ulpdu_bytes >= ddp_header_bytes(s->unit[MPA_LENGTH_BYTES]))
        read_headers(s->unit + MPA_LENGTH_BYTES, rec);
    if (f->headers && f->crc != WEFT_IWARP_CRC_BAD)
        fpdu_check(d, from, rec);
    else
        fpdu_forget(d, from);
    if (!s->has_fpdu) {
        s->has_fpdu = true;
        s->first_fpdu_time = s->time;
    }
}
