/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Drives a machine of src/client at a port until it has ended.
 */
#ifndef WEFT_CLI_MAD_DRIVE_H
#define WEFT_CLI_MAD_DRIVE_H

#include "host/mad_link.h"

/** What is driven. */
struct mad_machine {
    void *self;
    bool (*poll)(void *self, struct weft_mad_send_req *ret); /**< gives the next send to post */
    void (*event)(void *self, const struct weft_mad_event *ev);
    bool (*done)(const void *self);
};

/** Posts what it wants to send and feeds it events.
 * @return CLI_DONE: it has ended; CLI_FAILED, with a message: the port did, or the engine refuses
 *         a send */
int mad_drive(struct mad_link *l, const struct mad_machine *m);

#endif
