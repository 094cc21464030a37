/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * One direction of a TCP connection in virtual time: bytes in order, late, within a window; then
 * FIN, or RST at any place.
 */
#ifndef WEFT_TESTS_SIM_IWARP_STREAM_H
#define WEFT_TESTS_SIM_IWARP_STREAM_H

#include <weft/base.h>

enum {
    STREAM_WINDOW_MAX = 16384,
    STREAM_MARKS = 64
};

/** A part of the stream that arrives at once. */
struct stream_mark {
    weft_time at;
    uint32_t bytes;
};

struct stream {
    uint32_t window;  /**< bytes that may be under way or unread */
    uint32_t bytes;   /**< that are */
    uint32_t arrived; /**< of these: can be read */
    uint32_t marks;
    weft_time last; /**< nothing overtakes what was sent before */
    weft_time fin;  /**< when it arrives, if it is sent; behind all bytes */
    weft_time rst;  /**< likewise; it may overtake bytes */
    struct stream_mark mark[STREAM_MARKS];
    uint8_t data[STREAM_WINDOW_MAX];
};

void stream_begin(struct stream *s, uint32_t window);

/** Bytes that it would take now. */
uint32_t stream_room(const struct stream *s);
/** Takes bytes, at most its room, that arrive at a time or later. */
void stream_write(struct stream *s, weft_time at, const void *data, uint32_t bytes);
void stream_fin(struct stream *s, weft_time at);
void stream_reset(struct stream *s, weft_time at);

/** Lets arrive what is due. */
void stream_arrive(struct stream *s, weft_time now);
/** Takes bytes that have arrived. */
void stream_read(struct stream *s, void *ret, uint32_t bytes);

/** When something arrives next, or WEFT_TIME_NEVER. */
weft_time stream_next(const struct stream *s);

#endif
