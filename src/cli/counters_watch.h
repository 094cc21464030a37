/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * `weft counters --watch`: looks again and again, and tells what has happened between.
 */
#ifndef WEFT_CLI_COUNTERS_WATCH_H
#define WEFT_CLI_COUNTERS_WATCH_H

#include "cli/counters_look.h"

/** Watches until q, SIGINT or SIGTERM. On a terminal it shows one screen, else it prints lines of
 * what has changed.
 * @param first  what was seen first; replaced on the way
 * @return CLI_DONE; CLI_FAILED, with a message */
int counters_watch(const struct counters_request *r, struct counters_eye *e,
                   struct counters_look *first);

#endif
