/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Terminate messages (RFC 5040 4.8): the errors they name, and both ways of writing them that are
 * found on wires: RFC 5040's, and that of Linux siw on little-endian machines, whose nibbles are
 * swapped.
 */
#ifndef WEFT_CORE_IWARP_TERMINATE_H
#define WEFT_CORE_IWARP_TERMINATE_H

#include "core/iwarp/ddp_header.h"

/** Control word, DDP segment length, DDP header, Read Request header. */
#define TERMINATE_MAX (4 + 2 + DDP_UNTAGGED_BYTES + RDMAP_READ_BYTES)

/** Who noticed. */
enum terminate_layer {
    TERMINATE_RDMAP = 0,
    TERMINATE_DDP = 1,
    TERMINATE_LLP = 2
};

/** An error, as one number: layer << 12 | etype << 8 | code. */
enum terminate_error {
    TERMINATE_RDMAP_LOCAL = 0x0000, /* local catastrophic */
    TERMINATE_READ_STAG = 0x0100,   /* remote protection: invalid STag */
    TERMINATE_READ_BOUNDS = 0x0101,
    TERMINATE_ACCESS = 0x0102,
    TERMINATE_READ_ASSOCIATION = 0x0103,
    TERMINATE_READ_WRAP = 0x0104,
    TERMINATE_CANNOT_INVALIDATE = 0x0109,
    TERMINATE_PROTECTION = 0x01FF,    /* unspecified */
    TERMINATE_RDMAP_VERSION = 0x0205, /* remote operation */
    TERMINATE_OPCODE = 0x0206,
    TERMINATE_STREAM = 0x0207,
    TERMINATE_GLOBAL = 0x0208,
    TERMINATE_CANNOT_INVALIDATE_OPERATION = 0x0209,
    TERMINATE_OPERATION = 0x02FF,
    TERMINATE_DDP_LOCAL = 0x1000,
    TERMINATE_TAGGED_STAG = 0x1100,
    TERMINATE_TAGGED_BOUNDS = 0x1101,
    TERMINATE_TAGGED_ASSOCIATION = 0x1102,
    TERMINATE_TAGGED_WRAP = 0x1103,
    TERMINATE_TAGGED_VERSION = 0x1104,
    TERMINATE_QUEUE = 0x1201, /* untagged: invalid QN */
    TERMINATE_NO_BUFFER = 0x1202,
    TERMINATE_MSN = 0x1203,
    TERMINATE_MO = 0x1204,
    TERMINATE_TOO_LONG = 0x1205,
    TERMINATE_UNTAGGED_VERSION = 0x1206,
    TERMINATE_TCP_LOST = 0x2001,
    TERMINATE_CRC = 0x2002,
    TERMINATE_MARKER = 0x2003,    /* marker and length do not match */
    TERMINATE_MPA_FRAME = 0x2004, /* invalid request or reply */
    TERMINATE_MPA_LOCAL = 0x2005,
    TERMINATE_IRD = 0x2006, /* insufficient IRD */
    TERMINATE_RTR = 0x2007  /* no matching RTR */
};

/** A Terminate message. */
struct terminate {
    uint16_t error;  /* an enum terminate_error, or what a peer made up */
    bool swapped;    /* parsed: in the order of Linux siw */
    bool has_length; /* M: the bad segment's length */
    bool has_header; /* D: its DDP header; only with M */
    bool has_read;   /* R: its Read Request; only with D */
    uint16_t ulpdu_bytes;
    uint8_t header_bytes; /* 14 or 18 */
    uint8_t header[DDP_UNTAGGED_BYTES];
    uint8_t read[RDMAP_READ_BYTES];
};

/** Makes the message for an error met in a segment: what of the segment goes into it follows from
 * the error (nothing for LLP errors, versions, opcodes and local faults).
 * @param ulpdu  the segment's beginning, may be NULL
 * @param bytes  how much of it there is
 * @param ulpdu_bytes  how long it was said to be */
void terminate_make(uint16_t error, const void *ulpdu, uint32_t bytes, uint16_t ulpdu_bytes,
                    struct terminate *ret);

/** Writes the message in RFC 5040's order; returns its bytes, at most TERMINATE_MAX. */
uint32_t terminate_write(const struct terminate *t, void *out);

/** Reads a message in either order: what is not an error of the tables in one order but is in the
 * other is read in the other. Copied headers are taken as far as bytes are there, and never
 * trusted.
 * @return false: less than four bytes */
bool terminate_read(const void *data, uint32_t bytes, struct terminate *ret);

/** An error in words, for example "DDP, tagged buffer: base or bounds"; of an unknown one its
 * layer's and type's names as far as they are known.
 * @return text */
const char *terminate_text(uint16_t error);

#endif
