/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * One direction of a TCP connection: captured segments, in whatever order, become pieces in order.
 */
#ifndef WEFT_CAPTURE_STREAM_H
#define WEFT_CAPTURE_STREAM_H

#include <weft/base.h>

/** Memory that one direction's waiting segments may have. */
#define STREAM_HELD_MAX   (1u << 20)
/** How many may wait: each that comes out of order is looked for a place among them. */
#define STREAM_PIECES_MAX 2048

/** Where a stream whose beginning was not captured starts. */
#define STREAM_LATE ((uint64_t)1 << 32)

/** A piece: a segment, or what of it is new. */
struct stream_piece {
    struct stream_piece *next;
    uint64_t offset;
    uint32_t skipped; /* bytes at data that are not new */
    uint32_t bytes;   /* bytes at data behind those */
    uint32_t length;  /* bytes on the wire, from `offset` on */
    weft_time time;
    uint8_t data[];
};

/** One direction. Zeroed, it has not begun. */
struct stream {
    bool begun;
    bool has_fin;   /* `fin` is where it ends */
    bool hurries;   /* what is missing will not come any more */
    uint32_t base;  /* sequence number of offset 0 */
    uint64_t next;  /* offset of the next byte to be taken */
    uint64_t acked; /* the other side has what is below */
    uint64_t fin;
    size_t held;     /* memory of the waiting pieces */
    uint32_t pieces; /* of them */
    struct stream_piece *first, *last;
};

/** Begins at a sequence number, which becomes this offset: 0 or STREAM_LATE. */
void stream_begin(struct stream *s, uint32_t seq, uint64_t offset);

/** Adds a segment: `captured` of its `length` bytes.
 * @return false: no memory */
bool stream_add(struct stream *s, uint32_t seq, const void *data, uint32_t captured,
                uint32_t length, weft_time time);

/** The other side acknowledges what is below a sequence number. What is missing there was lost on
 * the way to the capture, not on the way to the other side. */
void stream_ack(struct stream *s, uint32_t ack);

/** A FIN at a sequence number. */
void stream_fin(struct stream *s, uint32_t seq);

/** Takes the next piece.
 * @return NULL: there is none, or something in front of it is missing; otherwise to be freed */
struct stream_piece *stream_take(struct stream *s);

/** Whether everything up to the FIN was taken. */
bool stream_ended(const struct stream *s);

/** Frees the pieces that wait. */
void stream_clear(struct stream *s);

#endif
