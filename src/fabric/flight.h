/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The scheduler: packets under way and all else that happens later, in order of time and, at equal
 * times, in the order in which they were scheduled.
 */
#ifndef WEFT_FABRIC_FLIGHT_H
#define WEFT_FABRIC_FLIGHT_H

#include "fabric/model.h"

/** What happens at a later time. */
enum flight_kind {
    FLIGHT_ARRIVE, /* the packet arrives at `port` from its cable: forward_arrive() */
    FLIGHT_SERVED, /* the node's agent comes to the packet that waits at `port`: deliver_served() */
    FLIGHT_TRAINED, /* the training of the link at `port` ends: link_trained() */
    FLIGHT_TRAP,    /* traps are due: trap_due(); the port says nothing */
    FLIGHT_SCRIPT,  /* scripted lines are due: script_due() */
    FLIGHT_LEASE    /* an M_Key lease ends at `port`: mkey_lease_ended() */
};

/** Makes the scheduler; f->config.flights entries.
 * @return 0 or WEFT_ERR_NOMEM */
int flights_new(struct fabric *f);
void flights_free(struct fabric *f);

/** Schedules something; the packet, if any, is copied.
 * @param at      f->now or later; entries for f->now happen within the call that drives the fabric
 * @param packet  NULL: none
 * @return false: all entries are in use, and a packet was dropped (DROP_FLIGHTS) and counted. The
 *         entries kept back for the last four kinds (one for each port) never run out */
bool flight_add(struct fabric *f, weft_time at, enum flight_kind kind, uint32_t port,
                const struct packet *packet);

/** Runs everything that is due at f->now. */
void flights_run(struct fabric *f);

/** When the next thing happens; WEFT_TIME_NEVER: nothing is scheduled. */
weft_time flights_deadline(const struct fabric *f);

#endif
