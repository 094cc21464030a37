/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A thread of the library that keeps a port going while no thread of the program is in umad_recv():
 * timers, RMPP, MADs that nobody asked for, and the descriptor that the program polls. It is
 * started when first needed, blocks all signals, and otherwise keeps out of the way.
 */
#ifndef WEFT_UMAD_KEEPER_H
#define WEFT_UMAD_KEEPER_H

#include "umad/open_port.h"

/** Something began that must go on by itself: starts the thread or wakes it.
 * @return 0; WEFT_ERR_NOMEM: there can be no thread */
int keeper_need(struct open_port *p);

/** A thread leaves the port: wakes the library's if that rests and nobody else looks after it. */
void keeper_left_alone(struct open_port *p);

/** Ends the thread of a port that is being closed; the port is locked, and unlocked meanwhile. */
void keeper_end(struct open_port *p);

/** Starts the thread again that fork() has left behind: for calls by which a child goes on with the
 * port. One that only gives up what it has must not take packets from its parent. */
void keeper_resume(struct open_port *p);

/** In the child of fork(): the thread is not there. */
void keeper_lost(struct open_port *p);

#endif
