/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * MPA request and reply frames (RFC 5044 7.1), with the enhanced data of RFC 6581.
 */
#ifndef WEFT_CORE_IWARP_MPA_FRAME_H
#define WEFT_CORE_IWARP_MPA_FRAME_H

#include <weft/base.h>

#define MPA_FRAME_HEAD     20
#define MPA_PRIVATE_MAX    512
#define MPA_FRAME_MAX      (MPA_FRAME_HEAD + MPA_PRIVATE_MAX)
#define MPA_ENHANCED_BYTES 4
#define MPA_READS_MAX      0x3FFF
/** IRD or ORD: no automatic negotiation (RFC 6581 6). */
#define MPA_READS_NONE     0x3FFF

/** Ready-to-receive frames: bits of a set. */
enum mpa_rtr {
    MPA_RTR_NONE = 0,
    MPA_RTR_SEND = 1,
    MPA_RTR_WRITE = 2,
    MPA_RTR_READ = 4
};

/** A frame. */
struct mpa_frame {
    bool reply;
    bool markers, crc, rejected, enhanced; /* M, C, R, S; S only in revision 2 */
    uint8_t reserved;                      /* the low four bits of the flags, as they came; in other
                                              revisions than 2 S is one of them */
    uint8_t revision;
    /* enhanced only */
    bool peer_to_peer; /* A */
    uint8_t rtr;       /* set of enum mpa_rtr: B, C, D */
    uint16_t ird, ord; /* of the sender of the frame */
    /* the user's, without the enhanced data; parsed: points into the bytes */
    const void *private_data;
    uint16_t private_bytes;
};

enum mpa_verdict {
    MPA_WHOLE,     /* a frame, *ret_bytes long */
    MPA_MORE,      /* the beginning of one */
    MPA_BAD_KEY,   /* neither request nor reply */
    MPA_TOO_LONG,  /* PD_Length above 512 */
    MPA_BAD_LENGTH /* S with less than four bytes; *ret (without private data) and *ret_bytes are
                      written */
};

/** Reads a frame of either kind from the beginning of a stream. A wrong key is told by the first
 * byte that differs, a wrong length as soon as it is there. Revisions are not judged. */
enum mpa_verdict mpa_frame_parse(const void *data, size_t bytes, struct mpa_frame *ret,
                                 size_t *ret_bytes);

/** Writes a frame.
 * @param out  MPA_FRAME_MAX bytes
 * @return its length; 0: the private data does not fit */
size_t mpa_frame_build(const struct mpa_frame *f, void *out);

#endif
