/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fuzz target: two streams in pieces, with holes, repeats and ends anywhere. Records are in order
 * and within what was fed, their pointers can be read, their problems have words.
 *
 * Input: for each piece a byte (bit 0: the side; bits 1 to 3: how), its length, its bytes. */
#include "core/iwarp/crc.h"
#include "core/iwarp/ddp_header.h"

#include <weft/iwarp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum how {
    HOW_PLAIN,
    HOW_FPDU,  /* as the ULPDU of an FPDU with its CRC */
    HOW_HOLE,  /* behind a hole of its first byte's size */
    HOW_AGAIN, /* from so many bytes before on */
    HOW_FAR,   /* behind a hole of 2^40 bytes */
    HOW_END
};

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_iwarp_decoder: %s\n", what);
    abort();
}

static unsigned sum_of(const void *data, uint32_t bytes)
{
    const uint8_t *p = data;
    unsigned sum = 0;

    for (uint32_t i = 0; i < bytes; i++)
        sum += p[i];
    return sum;
}

static void check_record(const struct weft_iwarp_record *r, uint64_t end[WEFT_IWARP_SIDES])
{
    static volatile unsigned sink;
    char text[WEFT_IWARP_TEXT_BYTES];

    require(r->problem_count <= WEFT_IWARP_RECORD_PROBLEMS, "too many problems");
    require(r->type != WEFT_IWARP_NOTE || r->problem_count > 0, "a note without a problem");
    require(r->offset + r->bytes >= r->offset && r->offset + r->bytes <= end[r->from],
            "a record beyond what was fed");
    for (uint32_t i = 0; i < r->problem_count; i++) {
        size_t bytes = weft_iwarp_problem_text(&r->problems[i], text, sizeof(text));

        require(bytes > 0 && bytes < sizeof(text), "a problem's text does not fit");
    }
    if (r->type == WEFT_IWARP_FRAME)
        sink = sum_of(r->frame.private_data, r->frame.private_bytes);
    if (r->type == WEFT_IWARP_FPDU)
        sink = sum_of(r->fpdu.payload, r->fpdu.payload_bytes);
    (void)sink;
}

static void poll_all(struct weft_iwarp *d, uint64_t end[WEFT_IWARP_SIDES])
{
    static struct weft_iwarp_record r;
    uint32_t records = 0;

    while (weft_iwarp_poll(d, &r)) {
        check_record(&r, end);
        require(++records < 1000, "records do not end");
    }
}

static uint32_t as_fpdu(const uint8_t *data, uint32_t bytes, uint8_t out[300])
{
    uint32_t at = MPA_LENGTH_BYTES + bytes, crc;

    memset(out, 0, 300);
    out[1] = (uint8_t)bytes;
    memcpy(out + MPA_LENGTH_BYTES, data, bytes);
    at += fpdu_pad(bytes);
    crc = crc_end(crc_add(CRC_BEGIN, out, at));
    for (uint32_t i = 0; i < MPA_CRC_BYTES; i++)
        out[at++] = (uint8_t)(crc >> 8 * i);
    return at;
}

static void feed(struct weft_iwarp *d, uint8_t control, const uint8_t *data, uint32_t bytes,
                 uint64_t end[WEFT_IWARP_SIDES])
{
    enum weft_iwarp_side side = control & 1 ? WEFT_IWARP_RESPONDER : WEFT_IWARP_INITIATOR;
    enum how how = (enum how)(control >> 1 & 7);
    uint64_t offset = end[side];
    uint8_t out[300];

    if (how == HOW_END) {
        (void)weft_iwarp_end(d, side, offset);
        poll_all(d, end);
        return;
    }
    if (how == HOW_FPDU) {
        bytes = as_fpdu(data, bytes, out);
        data = out;
    }
    if (how == HOW_HOLE && bytes > 0)
        offset += data[0];
    if (how == HOW_AGAIN && bytes > 0)
        offset -= data[0] < offset ? data[0] : offset;
    if (how == HOW_FAR)
        offset += (uint64_t)1 << 40;
    if (weft_iwarp_feed(d, side, offset, data, bytes, offset) != 0)
        return;
    if (offset + bytes > end[side])
        end[side] = offset + bytes;
    poll_all(d, end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t end[WEFT_IWARP_SIDES] = {0};
    struct weft_iwarp *d;

    require(weft_iwarp_new(NULL, &d) == 0, "no decoder");
    (void)weft_iwarp_look(data, size);
    while (size >= 2) {
        uint32_t bytes = data[1];

        if (bytes > size - 2)
            bytes = (uint32_t)size - 2;
        feed(d, data[0], data + 2, bytes, end);
        data += 2 + bytes;
        size -= 2 + bytes;
    }
    weft_iwarp_free(d);
    return 0;
}
