/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The iWARP connections of a capture file: found, put together, decoded.
 */
#ifndef WEFT_CAPTURE_CAPTURE_H
#define WEFT_CAPTURE_CAPTURE_H

#include "capture/packet.h"

#include <weft/iwarp.h>

#include <stdio.h>

/** Bounds: connections that are remembered, iWARP connections open at a time, memory of segments
 * that wait for others. */
#define CAPTURE_CONNECTIONS_MAX 65536
#define CAPTURE_IWARP_MAX       1024
#define CAPTURE_HELD_MAX        (64u << 20)

/** Pieces of a connection that are looked at before it is taken for another protocol. */
#define CAPTURE_PIECES_LOOKED_AT 8

/** An iWARP connection. */
struct capture_connection {
    uint32_t number; /**< from 1 on, in the order in which they were found */
    bool guessed;    /**< neither SYN nor MPA frame tells the initiator */
    struct packet_end end[WEFT_IWARP_SIDES]; /**< by enum weft_iwarp_side */
};

/** Where what is found goes; called during capture_packet() and capture_finish(). */
struct capture_sink {
    void *ctx;
    /** An iWARP connection was found; records follow. */
    void (*connection)(void *ctx, const struct capture_connection *c);
    /** A record; its pointers are valid during the call. */
    void (*record)(void *ctx, const struct capture_connection *c,
                   const struct weft_iwarp_record *r);
};

/** What was counted. */
struct capture_stats {
    uint64_t packets;     /**< all of them */
    uint64_t tcp;         /**< TCP segments */
    uint64_t fragments;   /**< parts of IP packets: not put together */
    uint64_t cut;         /**< packets of which too little was captured */
    uint64_t shortened;   /**< TCP segments of which payload is missing */
    uint64_t iwarp;       /**< iWARP connections */
    uint64_t others;      /**< TCP connections with data that are not iWARP */
    uint64_t overlooked;  /**< packets of connections beyond a bound, or without memory for them */
    weft_time first_time; /**< of the first packet */
};

struct capture;

/** Makes a reader of packets.
 * @param port  connections of this port only, and those whatever they look like; 0: all
 * @return NULL: no memory */
struct capture *capture_new(uint16_t port, const struct capture_sink *sink);

/** Frees it; may be NULL. */
void capture_free(struct capture *c);

/** Takes a packet. */
void capture_packet(struct capture *c, int link, const void *data, uint32_t captured,
                    uint32_t length, weft_time time);

/** There are no more packets: what still waits for missing ones is decoded. */
void capture_finish(struct capture *c);

const struct capture_stats *capture_stats(const struct capture *c);

/** How reading a file ended. */
enum capture_file_end {
    CAPTURE_FILE_READ,       /* well */
    CAPTURE_FILE_UNREADABLE, /* it is empty, or no capture file, or of a link that is not known */
    CAPTURE_FILE_NO_READER,  /* there is no libpcap */
    CAPTURE_FILE_CUT         /* it ends or is broken within; what was before is decoded */
};

#define CAPTURE_ERROR_BYTES 512

/** Reads a capture file and finishes.
 * @param in     is closed
 * @param error  of what ended it otherwise than well: a text without a file's name */
enum capture_file_end capture_file(struct capture *c, FILE *in, char error[CAPTURE_ERROR_BYTES]);

#endif
