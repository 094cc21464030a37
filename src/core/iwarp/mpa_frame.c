/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* MPA request and reply frames between host order and the wire. */
#include "core/iwarp/mpa_frame.h"

#include "core/wire/mad_header.h"

#include <string.h>

#define KEY_BYTES 16
/* The byte that tells "Req" from "Rep". */
#define KEY_KIND  9

#define FLAG_M 0x80
#define FLAG_C 0x40
#define FLAG_R 0x20
#define FLAG_S 0x10
#define LOW    0x0F

/* Enhanced data (RFC 6581 5): the first word is A, B, IRD, the second C, D, ORD. */
#define WORD_A 0x8000
#define WORD_B 0x4000
#define WORD_C 0x8000
#define WORD_D 0x4000

#define REVISION_ENHANCED 2

static const uint8_t keys[2][KEY_BYTES + 1] = {"MPA ID Req Frame", "MPA ID Rep Frame"};

static void read_enhanced(const uint8_t *p, struct mpa_frame *ret)
{
    uint16_t first = wire_be16(p), second = wire_be16(p + 2);

    ret->peer_to_peer = (first & WORD_A) != 0;
    ret->rtr =
        (uint8_t)((first & WORD_B ? MPA_RTR_SEND : 0) | (second & WORD_C ? MPA_RTR_WRITE : 0) |
                  (second & WORD_D ? MPA_RTR_READ : 0));
    ret->ird = first & MPA_READS_MAX;
    ret->ord = second & MPA_READS_MAX;
}

static void read_flags(const uint8_t *p, struct mpa_frame *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->reply = p[KEY_KIND] == keys[1][KEY_KIND];
    ret->markers = (p[16] & FLAG_M) != 0;
    ret->crc = (p[16] & FLAG_C) != 0;
    ret->rejected = (p[16] & FLAG_R) != 0;
    ret->revision = p[17];
    ret->enhanced = (p[16] & FLAG_S) != 0 && ret->revision == REVISION_ENHANCED;
    ret->reserved = p[16] & (ret->enhanced ? LOW : FLAG_S | LOW);
}

enum mpa_verdict mpa_frame_parse(const void *data, size_t bytes, struct mpa_frame *ret,
                                 size_t *ret_bytes)
{
    const uint8_t *p = data;
    size_t key = bytes < KEY_BYTES ? bytes : KEY_BYTES;
    struct mpa_frame f;
    uint16_t length;

    if (key == 0)
        return MPA_MORE;
    if (memcmp(p, keys[0], key) != 0 && memcmp(p, keys[1], key) != 0)
        return MPA_BAD_KEY;
    if (bytes < MPA_FRAME_HEAD)
        return MPA_MORE;
    length = wire_be16(p + 18);
    if (length > MPA_PRIVATE_MAX)
        return MPA_TOO_LONG;
    read_flags(p, &f);
    if (!f.enhanced || length >= MPA_ENHANCED_BYTES) {
        uint16_t ours = f.enhanced ? MPA_ENHANCED_BYTES : 0;

        if (bytes < (size_t)MPA_FRAME_HEAD + length)
            return MPA_MORE;
        if (f.enhanced)
            read_enhanced(p + MPA_FRAME_HEAD, &f);
        f.private_data = p + MPA_FRAME_HEAD + ours;
        f.private_bytes = (uint16_t)(length - ours);
    }
    *ret = f;
    *ret_bytes = (size_t)MPA_FRAME_HEAD + length;
    return f.enhanced && length < MPA_ENHANCED_BYTES ? MPA_BAD_LENGTH : MPA_WHOLE;
}

static void write_enhanced(const struct mpa_frame *f, uint8_t *p)
{
    wire_set_be16(p, (uint16_t)((f->peer_to_peer ? WORD_A : 0) |
                                (f->rtr & MPA_RTR_SEND ? WORD_B : 0) | (f->ird & MPA_READS_MAX)));
    wire_set_be16(p + 2,
                  (uint16_t)((f->rtr & MPA_RTR_WRITE ? WORD_C : 0) |
                             (f->rtr & MPA_RTR_READ ? WORD_D : 0) | (f->ord & MPA_READS_MAX)));
}

size_t mpa_frame_build(const struct mpa_frame *f, void *out)
{
    uint8_t *p = out;
    uint32_t ours = f->enhanced ? MPA_ENHANCED_BYTES : 0;
    uint32_t length = ours + f->private_bytes;

    if (length > MPA_PRIVATE_MAX)
        return 0;
    memcpy(p, keys[f->reply], KEY_BYTES);
    p[16] =
        (uint8_t)((f->markers ? FLAG_M : 0) | (f->crc ? FLAG_C : 0) | (f->rejected ? FLAG_R : 0) |
                  (f->enhanced ? FLAG_S : 0) | (f->reserved & (FLAG_S | LOW)));
    p[17] = f->revision;
    wire_set_be16(p + 18, (uint16_t)length);
    if (f->enhanced)
        write_enhanced(f, p + MPA_FRAME_HEAD);
    if (f->private_bytes)
        memcpy(p + MPA_FRAME_HEAD + ours, f->private_data, f->private_bytes);
    return MPA_FRAME_HEAD + length;
}
