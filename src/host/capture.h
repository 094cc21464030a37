/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Every packet into a capture file, once: as its sender has put it on the link.
 *
 * The file may be a pipe whose reader is slow or stopped: the daemon never waits for it while it
 * serves. What finds no room is left out, whole packets of it, and counted.
 */
#ifndef WEFT_HOST_CAPTURE_H
#define WEFT_HOST_CAPTURE_H

#include "host/serving.h"

/** What waits for the file at most. */
#define CAPTURE_BYTES (1 << 20)

/** A capture. */
struct capture {
    int out;
    uint64_t *lost;     /* packets that found no room */
    weft_time epoch;    /* the fabric's 0 in the world's time */
    weft_time flush_at; /* the machine's time; WEFT_TIME_NEVER: nothing waits */
    uint32_t psn;
    bool failed;         /* the file could not be written: no more is tried */
    int *error;          /* why, an errno value */
    size_t first, count; /* what waits in the buffer */
    uint8_t buffer[CAPTURE_BYTES];
};

/** Begins a capture: writes the file's header and sets the fabric's tap.
 * @param out    a descriptor; should not block
 * @param lost   counts the packets that are left out
 * @param error  receives an errno value when the file can be written no more */
void capture_begin(struct capture *c, int out, uint64_t *lost, int *error, struct fabric *f);

/** Writes out what is buffered where that is due.
 * @return when it is due next, of the machine's time; WEFT_TIME_NEVER: nothing waits */
weft_time capture_flush(struct capture *c, weft_time clock);

/** Ends a capture: the tap is taken off, everything is written out; for that a pipe's reader gets
 * two seconds.
 * @return 0; WEFT_ERR_STATE: the file could not be written, or packets are missing in it */
int capture_end(struct capture *c, struct fabric *f);

#endif
