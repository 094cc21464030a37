/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What stands in front of an FPDU's payload: MPA's length, DDP's and RDMAP's headers (RFC 5041 4,
 * RFC 5040 4).
 */
#ifndef WEFT_CORE_IWARP_DDP_HEADER_H
#define WEFT_CORE_IWARP_DDP_HEADER_H

#include <weft/base.h>

#define DDP_TAGGED_BYTES   14
#define DDP_UNTAGGED_BYTES 18
#define RDMAP_READ_BYTES   28
/** MPA's length field in front, MPA's CRC behind. */
#define MPA_LENGTH_BYTES   2
#define MPA_CRC_BYTES      4
/** The longest: length, untagged header, Read Request. */
#define FPDU_HEAD_MAX      (MPA_LENGTH_BYTES + DDP_UNTAGGED_BYTES + RDMAP_READ_BYTES)
#define FPDU_ULPDU_MAX     65535
/** The longest FPDU: length, ULPDU, pad, CRC. */
#define FPDU_MAX           (MPA_LENGTH_BYTES + FPDU_ULPDU_MAX + 3 + MPA_CRC_BYTES)

enum rdmap_opcode {
    RDMAP_WRITE = 0,
    RDMAP_READ_REQUEST = 1,
    RDMAP_READ_RESPONSE = 2,
    RDMAP_SEND = 3,
    RDMAP_SEND_INVALIDATE = 4,
    RDMAP_SEND_SE = 5,
    RDMAP_SEND_SE_INVALIDATE = 6,
    RDMAP_TERMINATE = 7,
    RDMAP_OPCODES
};

/** Queue numbers of untagged messages. */
enum ddp_queue {
    DDP_QUEUE_SEND = 0,
    DDP_QUEUE_READ = 1,
    DDP_QUEUE_TERMINATE = 2
};

#define DDP_VERSION   1
#define RDMAP_VERSION 1

/** DDP and RDMAP header of one segment. */
struct ddp_header {
    bool tagged, last;
    uint8_t ddp_version, rdmap_version;
    uint8_t opcode;          /* 0..15 */
    uint32_t stag;           /* tagged: of the buffer; untagged: to invalidate, or 0 */
    uint64_t to;             /* tagged */
    uint32_t queue, msn, mo; /* untagged */
};

/** What a Read Request says after its header. */
struct rdmap_read {
    uint32_t sink_stag, bytes, source_stag;
    uint64_t sink_to, source_to;
};

/** Bytes of the DDP header that begins with this octet. */
static inline uint32_t ddp_header_bytes(uint8_t control)
{
    return control & 0x80 ? DDP_TAGGED_BYTES : DDP_UNTAGGED_BYTES;
}

/** Bytes of pad behind a ULPDU, to a multiple of four with the length field. */
static inline uint32_t fpdu_pad(uint32_t ulpdu_bytes)
{
    return (0u - (MPA_LENGTH_BYTES + ulpdu_bytes)) & 3;
}

/** Reads a header of ddp_header_bytes(). Nothing is judged. */
void ddp_header_read(const void *data, struct ddp_header *ret);

/** Writes a header; returns its bytes. */
uint32_t ddp_header_write(const struct ddp_header *h, void *out);

/** Reads and writes RDMAP_READ_BYTES. */
void rdmap_read_read(const void *data, struct rdmap_read *ret);
void rdmap_read_write(const struct rdmap_read *r, void *out);

/** An opcode's name, for example "Read Request"; "reserved" for 8 to 15. */
const char *rdmap_opcode_name(uint8_t opcode);

#endif
