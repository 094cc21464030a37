/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* DDP and RDMAP headers between host order and the wire. */
#include "core/iwarp/ddp_header.h"

#include "core/wire/mad_header.h"

#include <string.h>

#define TAGGED       0x80
#define LAST         0x40
#define DDP_VERSIONS 0x03
#define OPCODES      0x0F

void ddp_header_read(const void *data, struct ddp_header *ret)
{
    const uint8_t *p = data;

    memset(ret, 0, sizeof(*ret));
    ret->tagged = (p[0] & TAGGED) != 0;
    ret->last = (p[0] & LAST) != 0;
    ret->ddp_version = p[0] & DDP_VERSIONS;
    ret->rdmap_version = p[1] >> 6;
    ret->opcode = p[1] & OPCODES;
    ret->stag = wire_be32(p + 2);
    if (ret->tagged) {
        ret->to = wire_be64(p + 6);
        return;
    }
    ret->queue = wire_be32(p + 6);
    ret->msn = wire_be32(p + 10);
    ret->mo = wire_be32(p + 14);
}

uint32_t ddp_header_write(const struct ddp_header *h, void *out)
{
    uint8_t *p = out;

    p[0] = (uint8_t)((h->tagged ? TAGGED : 0) | (h->last ? LAST : 0) |
                     (h->ddp_version & DDP_VERSIONS));
    p[1] = (uint8_t)(h->rdmap_version << 6 | (h->opcode & OPCODES));
    wire_set_be32(p + 2, h->stag);
    if (h->tagged) {
        wire_set_be64(p + 6, h->to);
        return DDP_TAGGED_BYTES;
    }
    wire_set_be32(p + 6, h->queue);
    wire_set_be32(p + 10, h->msn);
    wire_set_be32(p + 14, h->mo);
    return DDP_UNTAGGED_BYTES;
}

void rdmap_read_read(const void *data, struct rdmap_read *ret)
{
    const uint8_t *p = data;

    ret->sink_stag = wire_be32(p);
    ret->sink_to = wire_be64(p + 4);
    ret->bytes = wire_be32(p + 12);
    ret->source_stag = wire_be32(p + 16);
    ret->source_to = wire_be64(p + 20);
}

void rdmap_read_write(const struct rdmap_read *r, void *out)
{
    uint8_t *p = out;

    wire_set_be32(p, r->sink_stag);
    wire_set_be64(p + 4, r->sink_to);
    wire_set_be32(p + 12, r->bytes);
    wire_set_be32(p + 16, r->source_stag);
    wire_set_be64(p + 20, r->source_to);
}

const char *rdmap_opcode_name(uint8_t opcode)
{
    static const char *const names[RDMAP_OPCODES] = {
        "Write",
        "Read Request",
        "Read Response",
        "Send",
        "Send with Invalidate",
        "Send with SE",
        "Send with SE and Invalidate",
        "Terminate",
    };

    return opcode < RDMAP_OPCODES ? names[opcode] : "reserved";
}
