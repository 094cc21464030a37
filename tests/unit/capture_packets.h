/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Captured packets, written byte by byte.
 */
#ifndef WEFT_TESTS_CAPTURE_PACKETS_H
#define WEFT_TESTS_CAPTURE_PACKETS_H

#include "capture/packet.h"
#include "core/wire/mad_header.h"
#include "iwarp_frames.h"

#include <pcap/pcap.h>

#define PACKET_MAX 2048

/** A segment to be captured: what is not said is 0. */
struct segment {
    int side; /* 0 sends to 1, or the other way */
    uint32_t seq, ack;
    uint8_t flags;
    const void *data;
    uint32_t bytes;
    bool six;
};

static const uint16_t segment_ports[2] = {40000, 7174};

/** Writes TCP header and data; returns the bytes. */
static inline uint32_t write_tcp(const struct segment *s, uint8_t *out)
{
    memset(out, 0, 20);
    wire_set_be16(out, segment_ports[s->side]);
    wire_set_be16(out + 2, segment_ports[1 - s->side]);
    wire_set_be32(out + 4, s->seq);
    wire_set_be32(out + 8, s->ack);
    out[12] = 0x50;
    out[13] = s->flags;
    if (s->bytes)
        memcpy(out + 20, s->data, s->bytes);
    return 20 + s->bytes;
}

/** Writes an IP packet with a segment; returns its bytes. */
static inline uint32_t write_ip(const struct segment *s, uint8_t *out)
{
    uint32_t tcp;

    if (s->six) {
        memset(out, 0, 40);
        tcp = write_tcp(s, out + 40);
        out[0] = 0x60;
        wire_set_be16(out + 4, (uint16_t)tcp);
        out[6] = 6;
        out[8] = out[24] = 0xFD;
        out[23] = (uint8_t)(1 + s->side);
        out[39] = (uint8_t)(2 - s->side);
        return 40 + tcp;
    }
    memset(out, 0, 20);
    tcp = write_tcp(s, out + 20);
    out[0] = 0x45;
    wire_set_be16(out + 2, (uint16_t)(20 + tcp));
    out[6] = 0x40;
    out[9] = 6;
    out[12] = out[16] = 192;
    out[15] = (uint8_t)(1 + s->side);
    out[19] = (uint8_t)(2 - s->side);
    return 20 + tcp;
}

#endif
