/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * TCP segments in captured packets: from the link's header to the payload. Nothing is kept.
 */
#ifndef WEFT_CAPTURE_PACKET_H
#define WEFT_CAPTURE_PACKET_H

#include <weft/base.h>

/** What a packet is. */
enum packet_kind {
    PACKET_TCP,      /* a TCP segment */
    PACKET_FRAGMENT, /* part of an IP packet with TCP in it */
    PACKET_CUT,      /* too little was captured to tell */
    PACKET_OTHER     /* neither of them */
};

enum packet_flag {
    PACKET_FIN = 1,
    PACKET_SYN = 2,
    PACKET_RST = 4,
    PACKET_ACK = 16
};

/** An end of a connection; compared as bytes, so that all of them are set. */
struct packet_end {
    uint8_t family; /* 4 or 6 */
    uint8_t reserved;
    uint16_t port;
    uint8_t ip[16]; /* IPv4 in the first four bytes, zeros behind */
};

/** A TCP segment. */
struct packet {
    struct packet_end from, to;
    uint32_t seq, ack;
    uint8_t flags;       /* of enum packet_flag */
    const uint8_t *data; /* payload, as far as it was captured */
    uint32_t captured;   /* bytes of it */
    uint32_t length;     /* bytes of it on the wire */
};

/** Whether packets of this link type (a DLT of libpcap) can be read. */
bool packet_link_known(int link);

/** Reads a packet.
 * @param data      from the link's header on
 * @param captured  bytes of it
 * @param length    bytes on the wire
 * @param ret       PACKET_TCP only */
enum packet_kind packet_read(int link, const void *data, uint32_t captured, uint32_t length,
                             struct packet *ret);

#endif
