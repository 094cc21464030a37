/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Waiting for a message. Who waits pumps: it looks at the ring by itself for some microseconds,
 * then sleeps until the daemon's bell, the engine's next deadline, or its own.
 */
#ifndef WEFT_UMAD_WAIT_H
#define WEFT_UMAD_WAIT_H

#include "umad/open_port.h"

/** What ended a wait. */
enum wait_end {
    WAIT_AGAIN,   /* nothing yet: look, then wait further */
    WAIT_MESSAGE, /* the inbox has one */
    WAIT_TIMEOUT,
    WAIT_SIGNAL, /* a signal was handled */
    WAIT_DEAD,   /* the fabric has ended, and there is no message */
    WAIT_CLOSED  /* the port is being closed */
};

/** Waits until the inbox has a message. The thread can be canceled while it sleeps, and only then;
 * nothing is lost by it. */
enum wait_end wait_for_message(struct visit *v, weft_time until);

/** Sleeps once, unlocked. The port has no work.
 * @param until  when to wake at the latest
 * @param wake   one more descriptor that wakes, or -1; it is hushed
 * @return WAIT_AGAIN or WAIT_SIGNAL */
enum wait_end wait_asleep(struct visit *v, weft_time until, int wake);

/** Whether those who sleep must be woken for the sake of the engine's timers. */
bool wait_too_long(const struct open_port *p);

#endif
