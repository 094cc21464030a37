/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* FPDUs as pieces of memory for TCP: head, payload, pad and CRC (RFC 5044 4). */
#include "core/base/check.h"
#include "core/iwarp/crc.h"
#include "core/siw/stream.h"
#include "core/siw/transmit.h"

#include <string.h>

/* Parts of an FPDU at most: head, pieces, tail. */
#define FPDU_PARTS (2 + WEFT_SIW_SGE_MAX)
#define TAIL_MAX   (3 + MPA_CRC_BYTES)

static_assert(STAGING_AREA >= FPDU_HEAD_MAX + STAGING_COPY_MAX + TAIL_MAX + FPDU_TERMINATE_MAX,
              "any FPDU and a Terminate");

void staging_begin(struct staging *st, uint64_t made)
{
    st->part = st->part_count = 0;
    st->fpdu = st->fpdu_count = 0;
    st->used = 0;
    st->in_area = false;
    st->bytes = 0;
    st->begin = st->made = made;
}

bool staging_room(const struct staging *st)
{
    return st->fpdu_count + 1 < STAGING_FPDUS && st->part_count + FPDU_PARTS + 1 <= STAGING_PARTS &&
           st->bytes < STAGING_BYTES_MAX &&
           st->used + FPDU_HEAD_MAX + STAGING_COPY_MAX + TAIL_MAX + FPDU_TERMINATE_MAX <=
               STAGING_AREA;
}

static void part_add(struct staging *st, const void *data, size_t bytes)
{
    WEFT_ASSERT(st->part_count < STAGING_PARTS);
    st->parts[st->part_count++] = (struct weft_siw_part){.data = data, .bytes = bytes};
}

/* The next bytes of the area are in use: with those before them they are one part. */
static void area_add(struct staging *st, uint32_t bytes)
{
    WEFT_ASSERT(st->used + bytes <= STAGING_AREA);
    if (st->in_area)
        st->parts[st->part_count - 1].bytes += bytes;
    else
        part_add(st, st->area + st->used, bytes);
    st->used += bytes;
    st->in_area = true;
}

static void fpdu_end(struct staging *st, uint32_t bytes)
{
    st->bytes += bytes;
    st->made += bytes;
    st->ends[st->fpdu_count++] = st->made;
}

/* The next contiguous piece of a payload; takes it off. */
static const uint8_t *payload_next(struct payload *p, uint32_t *ret_bytes)
{
    const uint8_t *at;
    uint32_t bytes;

    WEFT_ASSERT(p->bytes > 0);
    while (p->offset >= p->sge->bytes) {
        p->offset -= p->sge->bytes;
        p->sge++;
    }
    at = (const uint8_t *)p->sge->addr + p->offset;
    bytes = p->sge->bytes - p->offset;
    if (bytes > p->bytes)
        bytes = p->bytes;
    p->offset += bytes;
    p->bytes -= bytes;
    *ret_bytes = bytes;
    return at;
}

static uint32_t payload_copy(struct payload p, uint8_t *out)
{
    uint32_t bytes = 0, n;

    while (p.bytes > 0) {
        const uint8_t *at = payload_next(&p, &n);

        memcpy(out + bytes, at, n);
        bytes += n;
    }
    return bytes;
}

static uint32_t payload_refer(struct staging *st, struct payload p, bool with_crc, uint32_t crc)
{
    uint32_t n;

    while (p.bytes > 0) {
        const uint8_t *at = payload_next(&p, &n);

        part_add(st, at, n);
        if (with_crc)
            crc = crc_add(crc, at, n);
    }
    st->in_area = false;
    return crc;
}

/* The CRC is the one number that is not big endian. */
static void crc_put(uint8_t *out, uint32_t crc)
{
    for (uint32_t i = 0; i < MPA_CRC_BYTES; i++)
        out[i] = (uint8_t)(crc >> (8 * i));
}

static void length_put(uint8_t *out, uint32_t ulpdu_bytes)
{
    out[0] = (uint8_t)(ulpdu_bytes >> 8);
    out[1] = (uint8_t)ulpdu_bytes;
}

void staging_add(struct staging *st, const struct ddp_header *h, const struct rdmap_read *behind,
                 const struct payload *p, bool crc)
{
    uint8_t *at = st->area + st->used;
    uint32_t n = MPA_LENGTH_BYTES, sum = CRC_BEGIN, ulpdu_bytes, pad;

    n += ddp_header_write(h, at + n);
    if (behind) {
        rdmap_read_write(behind, at + n);
        n += RDMAP_READ_BYTES;
    }
    ulpdu_bytes = n - MPA_LENGTH_BYTES + p->bytes;
    pad = fpdu_pad(ulpdu_bytes);
    WEFT_ASSERT(ulpdu_bytes <= FPDU_ULPDU_MAX);
    length_put(at, ulpdu_bytes);
    if (p->bytes <= STAGING_COPY_MAX) {
        n += payload_copy(*p, at + n);
    } else {
        if (crc)
            sum = crc_add(sum, at, n);
        area_add(st, n);
        sum = payload_refer(st, *p, crc, sum);
        at = st->area + st->used;
        n = 0;
    }
    memset(at + n, 0, pad);
    n += pad;
    crc_put(at + n, crc ? crc_end(crc_add(sum, at, n)) : 0);
    area_add(st, n + MPA_CRC_BYTES);
    fpdu_end(st, MPA_LENGTH_BYTES + ulpdu_bytes + pad + MPA_CRC_BYTES);
}

uint32_t terminate_fpdu(const struct terminate *t, bool crc, void *out)
{
    const struct ddp_header h = {
        .last = true,
        .ddp_version = DDP_VERSION,
        .rdmap_version = RDMAP_VERSION,
        .opcode = RDMAP_TERMINATE,
        .queue = DDP_QUEUE_TERMINATE,
        .msn = 1,
    };
    uint8_t *at = out;
    uint32_t n = MPA_LENGTH_BYTES, pad;

    n += ddp_header_write(&h, at + n);
    n += terminate_write(t, at + n);
    length_put(at, n - MPA_LENGTH_BYTES);
    pad = fpdu_pad(n - MPA_LENGTH_BYTES);
    memset(at + n, 0, pad);
    n += pad;
    crc_put(at + n, crc ? crc_end(crc_add(CRC_BEGIN, at, n)) : 0);
    return n + MPA_CRC_BYTES;
}

void staging_add_terminate(struct staging *st, const struct terminate *t, bool crc)
{
    uint32_t n;

    WEFT_ASSERT(st->used + FPDU_TERMINATE_MAX <= STAGING_AREA);
    n = terminate_fpdu(t, crc, st->area + st->used);
    area_add(st, n);
    fpdu_end(st, n);
}

uint32_t staging_written(struct staging *st, size_t bytes)
{
    uint64_t written = st->made - st->bytes + bytes;
    uint32_t whole = 0;

    WEFT_ASSERT(bytes <= st->bytes);
    st->bytes -= bytes;
    while (st->fpdu < st->fpdu_count && st->ends[st->fpdu] <= written) {
        st->fpdu++;
        whole++;
    }
    if (st->bytes == 0)
        return whole;
    while (bytes >= st->parts[st->part].bytes)
        bytes -= st->parts[st->part++].bytes;
    st->parts[st->part].data = (const uint8_t *)st->parts[st->part].data + bytes;
    st->parts[st->part].bytes -= bytes;
    return whole;
}

bool staging_cut(struct staging *st)
{
    uint64_t written = st->made - st->bytes;
    uint64_t begin = st->fpdu > 0 ? st->ends[st->fpdu - 1] : st->begin;
    size_t bytes;

    if (st->fpdu == st->fpdu_count || written == begin)
        return false;
    st->made = st->ends[st->fpdu];
    st->fpdu_count = st->fpdu + 1;
    st->bytes = bytes = (size_t)(st->made - written);
    st->part_count = st->part;
    while (bytes > 0) {
        struct weft_siw_part *p = &st->parts[st->part_count++];

        if (p->bytes > bytes)
            p->bytes = bytes;
        bytes -= p->bytes;
    }
    /* what follows in the area is no longer what comes next */
    st->in_area = false;
    return true;
}
