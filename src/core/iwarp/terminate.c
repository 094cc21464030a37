/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Terminate messages: what goes into one, and both orders of reading one. */
#include "core/iwarp/terminate.h"

#include "core/wire/mad_header.h"

#include <string.h>

#define CONTROL_BYTES 4
#define LENGTH_BYTES  2

/* Header control bits. */
#define HAS_LENGTH     0x80
#define HAS_HEADER     0x40
#define HAS_READ       0x20
/* The same as a little-endian Linux siw writes them. */
#define SWAPPED_LENGTH 0x01
#define SWAPPED_HEADER 0x02
#define SWAPPED_READ   0x04

/* What of the segment an error brings along. */
static bool brings_header(uint16_t error)
{
    if (error >> 12 == TERMINATE_LLP || error == TERMINATE_RDMAP_LOCAL ||
        error == TERMINATE_DDP_LOCAL)
        return false;
    /* A header of an unknown version or opcode is no header that anybody could read. */
    return error != TERMINATE_RDMAP_VERSION && error != TERMINATE_OPCODE &&
           error != TERMINATE_TAGGED_VERSION && error != TERMINATE_UNTAGGED_VERSION;
}

void terminate_make(uint16_t error, const void *ulpdu, uint32_t bytes, uint16_t ulpdu_bytes,
                    struct terminate *ret)
{
    const uint8_t *p = ulpdu;
    struct ddp_header h;
    uint32_t header_bytes;

    memset(ret, 0, sizeof(*ret));
    ret->error = error;
    if (!p || bytes == 0 || !brings_header(error))
        return;
    header_bytes = ddp_header_bytes(p[0]);
    if (bytes < header_bytes)
        return;
    ret->has_length = ret->has_header = true;
    ret->ulpdu_bytes = ulpdu_bytes;
    ret->header_bytes = (uint8_t)header_bytes;
    memcpy(ret->header, p, header_bytes);
    ddp_header_read(p, &h);
    if (error >> 8 == TERMINATE_READ_STAG >> 8 && !h.tagged && h.opcode == RDMAP_READ_REQUEST &&
        bytes >= DDP_UNTAGGED_BYTES + RDMAP_READ_BYTES) {
        ret->has_read = true;
        memcpy(ret->read, p + DDP_UNTAGGED_BYTES, RDMAP_READ_BYTES);
    }
}

uint32_t terminate_write(const struct terminate *t, void *out)
{
    uint8_t *begin = out, *p = begin + CONTROL_BYTES;

    wire_set_be16(begin, t->error);
    begin[2] = (uint8_t)((t->has_length ? HAS_LENGTH : 0) | (t->has_header ? HAS_HEADER : 0) |
                         (t->has_read ? HAS_READ : 0));
    begin[3] = 0;
    if (t->has_length) {
        wire_set_be16(p, t->ulpdu_bytes);
        p += LENGTH_BYTES;
    }
    if (t->has_header) {
        memcpy(p, t->header, t->header_bytes);
        p += t->header_bytes;
    }
    if (t->has_read) {
        memcpy(p, t->read, RDMAP_READ_BYTES);
        p += RDMAP_READ_BYTES;
    }
    return (uint32_t)(p - begin);
}

static bool is_known(uint16_t error)
{
    switch (error) {
#define TERMINATE_TYPE(type, text)
#define TERMINATE_ROW(error, text) case error:
#include "core/iwarp/terminate.def"
        return true;
    default:
        return false;
    }
}

/* Which order it is: the one whose error exists; if both do or neither, the one whose header
 * control bits are set; without any, RFC 5040's. */
static bool is_swapped(uint16_t error, uint16_t other, uint8_t control)
{
    if (is_known(error) != is_known(other))
        return is_known(other);
    return (control & (HAS_LENGTH | HAS_HEADER | HAS_READ)) == 0 &&
           (control & (SWAPPED_LENGTH | SWAPPED_HEADER | SWAPPED_READ)) != 0;
}

/* Takes the copied headers that the bits announce and the bytes bear out. */
static void read_copies(const uint8_t *p, uint32_t bytes, bool header, bool read,
                        struct terminate *ret)
{
    uint32_t header_bytes;

    if (bytes < LENGTH_BYTES)
        return;
    ret->has_length = true;
    ret->ulpdu_bytes = wire_be16(p);
    p += LENGTH_BYTES;
    bytes -= LENGTH_BYTES;
    if (!header || bytes == 0)
        return;
    header_bytes = ddp_header_bytes(p[0]);
    if (bytes < header_bytes)
        return;
    ret->has_header = true;
    ret->header_bytes = (uint8_t)header_bytes;
    memcpy(ret->header, p, header_bytes);
    p += header_bytes;
    bytes -= header_bytes;
    /* siw says R for whatever message and then has no Read Request behind it. */
    if (!read || bytes < RDMAP_READ_BYTES)
        return;
    ret->has_read = true;
    memcpy(ret->read, p, RDMAP_READ_BYTES);
}

bool terminate_read(const void *data, uint32_t bytes, struct terminate *ret)
{
    const uint8_t *p = data;
    uint16_t error, other;
    uint8_t control;

    if (bytes < CONTROL_BYTES)
        return false;
    memset(ret, 0, sizeof(*ret));
    error = wire_be16(p);
    other = (uint16_t)((p[0] & 0x0F) << 12 | (p[0] >> 4) << 8 | p[1]);
    control = p[2];
    ret->swapped = is_swapped(error, other, control);
    ret->error = ret->swapped ? other : error;
    p += CONTROL_BYTES;
    bytes -= CONTROL_BYTES;
    if (control & (ret->swapped ? SWAPPED_LENGTH : HAS_LENGTH))
        read_copies(p, bytes, (control & (ret->swapped ? SWAPPED_HEADER : HAS_HEADER)) != 0,
                    (control & (ret->swapped ? SWAPPED_READ : HAS_READ)) != 0, ret);
    return true;
}

static const char *type_text(uint8_t type)
{
    switch (type) {
#define TERMINATE_TYPE(type, text)                                                                 \
    case type:                                                                                     \
        return text ": unknown code";
#define TERMINATE_ROW(error, text)
#include "core/iwarp/terminate.def"
    default:
        break;
    }
    switch (type >> 4) {
    case TERMINATE_RDMAP:
        return "RDMAP: unknown type";
    case TERMINATE_DDP:
        return "DDP: unknown type";
    case TERMINATE_LLP:
        return "MPA: unknown type";
    default:
        return "unknown layer";
    }
}

const char *terminate_text(uint16_t error)
{
    switch (error) {
#define TERMINATE_TYPE(type, text)
#define TERMINATE_ROW(error, text)                                                                 \
    case error:                                                                                    \
        return text;
#include "core/iwarp/terminate.def"
    default:
        return type_text((uint8_t)(error >> 8));
    }
}
