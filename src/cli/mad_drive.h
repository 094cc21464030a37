/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Drives machines of src/client at a port until one has ended.
 */
#ifndef WEFT_CLI_MAD_DRIVE_H
#define WEFT_CLI_MAD_DRIVE_H

#include "host/mad_link.h"

#include <signal.h>

/** What is driven. */
struct mad_machine {
    void *self;
    bool (*poll)(void *self, struct weft_mad_send_req *ret); /**< gives the next send to post */
    void (*event)(void *self, const struct weft_mad_event *ev);
    bool (*done)(const void *self);
};

/** How fast and how far to drive: of one port, from one call to the next. */
struct mad_pace {
    weft_time until;                  /**< WEFT_TIME_NEVER: to the end */
    uint64_t rate;                    /**< packets a second, those sent again too; 0: no bound */
    const volatile sig_atomic_t *end; /**< drive no further once this is not 0; may be NULL */
    weft_time held;                   /**< grows: how long the rate has held requests back */
    /* private to mad_drive.c */
    weft_time next;      /* when the next packet may go */
    weft_time held_from; /* since when it has held something back; 0: it does not */
    uint64_t retried;    /* as the engine counts them, accounted for */
};

/** Posts what it wants to send and feeds it events.
 * @return CLI_DONE: it has ended; CLI_FAILED, with a message: the port did, or the engine refuses
 *         a send */
int mad_drive(struct mad_link *l, const struct mad_machine *m);

/** The same for several machines, until the first of them has ended or the pace says so.
 * @return CLI_DONE, also when it has not ended; CLI_FAILED as mad_drive() */
int mad_drive_paced(struct mad_link *l, const struct mad_machine *all, size_t count,
                    struct mad_pace *pace);

/** Takes all sends of an agent back and registers another in its place.
 * @return CLI_DONE; CLI_FAILED, with a message */
int mad_drive_renew(struct mad_link *l, const struct mad_machine *all, size_t count,
                    const struct weft_mad_agent_req *r, weft_mad_agent_id *agent);

#endif
