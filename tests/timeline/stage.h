/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The stage of a scenario: one port, its agents, and a peer at the other end of the wire. Commands
 * act on it; what happens is told line by line.
 */
#ifndef WEFT_TESTS_TIMELINE_STAGE_H
#define WEFT_TESTS_TIMELINE_STAGE_H

#include <stdbool.h>

/** Takes a line of what happened, without a newline. */
typedef void (*stage_tell_fn)(void *ctx, const char *line);

struct stage;

/** An empty stage: its first command makes the port. Never NULL. */
struct stage *stage_new(stage_tell_fn tell, void *ctx);

struct stage *stage_free(struct stage *s);

/** Does a command.
 * @return NULL, or what is wrong with it */
const char *stage_do(struct stage *s, const char *command);

#endif
