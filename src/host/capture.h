/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Every packet into a capture file, once: as its sender has put it on the link.
 */
#ifndef WEFT_HOST_CAPTURE_H
#define WEFT_HOST_CAPTURE_H

#include "host/serving.h"

/** A capture. */
struct capture {
    FILE *out;
    weft_time epoch;    /* the fabric's 0 in the world's time */
    weft_time flush_at; /* the machine's time; WEFT_TIME_NEVER: nothing waits */
    uint32_t psn;
    bool failed; /* the file could not be written: no more is tried */
};

/** Begins a capture: writes the file's header and sets the fabric's tap. */
void capture_begin(struct capture *c, FILE *out, struct fabric *f);

/** Writes out what is buffered where that is due.
 * @return when it is due next, of the machine's time; WEFT_TIME_NEVER: nothing waits */
weft_time capture_flush(struct capture *c, weft_time clock);

/** Ends a capture: the tap is taken off, everything is written out.
 * @return 0; WEFT_ERR_STATE: the file could not be written */
int capture_end(struct capture *c, struct fabric *f);

#endif
