/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Moves packets between ring and engine, fires timers, and turns the engine's events into messages
 * for umad_recv(). The port is locked.
 */
#ifndef WEFT_UMAD_PUMP_H
#define WEFT_UMAD_PUMP_H

#include "umad/open_port.h"

/** The clock of all engines here. */
weft_time pump_clock(void);

/** Takes what has come, fires timers, sends what is due. */
void pump(struct open_port *p);

/** The same without a look at the ring: after a call that made packets or events. */
void pump_out(struct open_port *p, weft_time now);

/** Makes messages of the engine's events. */
void pump_events(struct open_port *p);

/** Whether the ring has a packet, or the fabric has ended. */
bool pump_has_work(const struct open_port *p);

/** Notes what has changed in the inbox: for the descriptor that programs poll, and for a thread
 * that spins. */
void pump_show(struct open_port *p);

/** Notes that the fabric has ended: programs are to look at that like at a message. */
void pump_died(struct open_port *p);

#endif
