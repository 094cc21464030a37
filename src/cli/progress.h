/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A progress bar for long work: on stderr, only when that is a terminal.
 */
#ifndef WEFT_CLI_PROGRESS_H
#define WEFT_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/** One bar. Members are private to progress.c. */
struct progress {
    const char *what;
    bool visible;
    bool drawn;
    uint64_t next_draw_ns;
};

/** Starts a bar; it appears when the work turns out to be long.
 * @param p     filled
 * @param what  what is being done, e.g. "storm"; borrowed until progress_end() */
void progress_start(struct progress *p, const char *what);

/** Moves the bar. Cheap when nothing is to be drawn, but it reads the clock: call it every few
 * milliseconds of work rather than every step.
 * @param p      the bar
 * @param done   0..total
 * @param total  0 when unknown: only `done` is shown */
void progress_update(struct progress *p, uint64_t done, uint64_t total);

/** Takes the bar off the screen. */
void progress_end(struct progress *p);

#endif
