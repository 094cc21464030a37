/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The scheduler: packets under way and all else that happens later, in order of time and, at equal
 * times, in the order in which they were scheduled.
 */
#ifndef WEFT_FABRIC_FLIGHT_H
#define WEFT_FABRIC_FLIGHT_H

#include "fabric/model.h"

/** What happens at a later time. The first two kinds carry a packet, and each is an entry of its
 * own. The others are timers that never run out: FLIGHT_TRAINED and FLIGHT_LEASE are one for each
 * port, which scheduling again sets to the new time; FLIGHT_TRAP and FLIGHT_SCRIPT are one for the
 * whole fabric, which scheduling again never sets later than it was, so their functions look at all
 * that waits and schedule what remains. */
enum flight_kind {
    FLIGHT_ARRIVE, /* the packet arrives at `port` from its cable: forward_arrive() */
    FLIGHT_SERVED, /* the node's agent comes to the packet that waits at `port`: deliver_served() */
    FLIGHT_TRAINED, /* the training of the link at `port` ends: link_trained() */
    FLIGHT_LEASE,   /* an M_Key lease ends at `port`: mkey_lease_ended() */
    FLIGHT_TRAP,    /* traps are due: trap_due() */
    FLIGHT_SCRIPT   /* scripted lines are due: script_due() */
};

/** Makes the scheduler, for f->config.flights packets; the ports are there already.
 * @return 0 or WEFT_ERR_NOMEM */
int flights_new(struct fabric *f);
void flights_free(struct fabric *f);

/** Schedules something; the packet, if any, is copied.
 * @param at      f->now or later; entries for f->now happen within the call that drives the fabric
 * @param port    index; FLIGHT_TRAP and FLIGHT_SCRIPT do not look at it
 * @param packet  of the first two kinds; else NULL
 * @return false: all entries are in use, and the packet was dropped (DROP_FLIGHTS) and counted */
bool flight_add(struct fabric *f, weft_time at, enum flight_kind kind, uint32_t port,
                const struct packet *packet);

/** Runs everything that is due at f->now, until f->work_left is 0. */
void flights_run(struct fabric *f);

/** When the next thing happens; WEFT_TIME_NEVER: nothing is scheduled. */
weft_time flights_deadline(const struct fabric *f);

#endif
