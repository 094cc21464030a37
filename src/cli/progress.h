/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A progress bar or a status line for long work: on stderr, only when that is a terminal.
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
 * @param p       filled
 * @param what    what is being done, e.g. "storm"; borrowed until progress_end()
 * @param now_ns  of a clock that only grows; the same one as in progress_update() */
void progress_start(struct progress *p, const char *what, uint64_t now_ns);

/** Moves the bar.
 * @param p       the bar
 * @param now_ns  the time: nothing is drawn more often than ten times a second
 * @param done    0..total
 * @param total   0 when unknown: only `done` is shown */
void progress_update(struct progress *p, uint64_t now_ns, uint64_t done, uint64_t total);

/** Shows a line of text in place of a bar, at once, cut at the terminal's width.
 * @param text  printable, without a newline */
void progress_text(struct progress *p, const char *text);

/** Takes the bar off the screen. */
void progress_end(struct progress *p);

#endif
