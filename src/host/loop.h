/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The daemon's loop: when it looks where, and when and for how long it sleeps.
 */
#ifndef WEFT_HOST_LOOP_H
#define WEFT_HOST_LOOP_H

#include "host/serving.h"

/** Makes the loop's own descriptors and libuv's loop.
 * @return 0 or WEFT_ERR_NOMEM */
int loop_open(struct server *s);

/** Closes them; no handle of libuv's loop may be open any more. */
void loop_close(struct server *s);

/** One turn: a round of the hot path; sockets and timers now and then; sleep, when there has been
 * nothing to do for a while. */
void loop_turn(struct server *s);

#endif
