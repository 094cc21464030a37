/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The hosts of the iWARP simulation: each carries the bytes of its provider over TCP connections
 * that are slow, cut and break.
 */
#ifndef WEFT_TESTS_SIM_IWARP_HOST_H
#define WEFT_TESTS_SIM_IWARP_HOST_H

#include "iwarp_world.h"

/** Does all that is due at a node: TCP, timers, operations. */
void host_turn(struct world *w, struct node *n);
/** When host_turn() has something to do again. */
weft_time host_next(const struct world *w, const struct node *n);
/** Resets a TCP connection that is chosen by chance. */
void host_break_one(struct world *w);
/** The provider's endpoints, counted by what it asked the host for. */
uint32_t host_endpoints(const struct world *w, const struct node *n);

#endif
