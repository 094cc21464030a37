/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Traps: sent to the master SM, repeated until repressed (IBA 13.4.9, 14.2.5.1).
 */
#ifndef WEFT_FABRIC_TRAP_H
#define WEFT_FABRIC_TRAP_H

#include "fabric/model.h"

/** Trap numbers (IBA 14.2.5.1). */
enum trap_number {
    TRAP_LINK_STATE = 128,
    TRAP_LINK_INTEGRITY = 129,
    TRAP_BUFFER_OVERRUN = 130,
    TRAP_WATCHDOG = 131,
    TRAP_CAPABILITY = 144,
    TRAP_SYSTEM_GUID = 145,
    TRAP_BAD_MKEY = 256,
    TRAP_BAD_PKEY = 257,
    TRAP_BAD_QKEY = 258,
    TRAP_BAD_PKEY_SWITCH = 259
};

/** What trap 144 says has changed locally besides CapabilityMask: its ChangeFlags. */
enum trap_changed {
    TRAP_CHANGED_NODE_DESC = 1,
    TRAP_CHANGED_WIDTH = 2,
    TRAP_CHANGED_SPEED = 4
};

/** A trap is repeated after the port's SubnetTimeOut (4.096 us * 2^n), but not sooner than this:
 * before an SM has set it, SubnetTimeOut may be 0. Traps 256 to 259 are not sent more often than
 * that either, however many packets break a rule. */
#define TRAP_INTERVAL_MIN_NS UINT64_C(100000000)

/** @return 0 or WEFT_ERR_NOMEM */
int traps_new(struct fabric *f);
void traps_free(struct fabric *f);

/** Raises a trap: it is sent when the packet in hand is done with, and again until repressed. One
 * of the same number about the same port that is still being repeated takes the new details
 * instead. Nothing is sent while the port has no LID, knows no SM or is not Active; a trap raised
 * then is sent once all that has come (trap_port_changed()).
 * @param p       the port it is about; a switch sends from port 0
 * @param number  TRAP_LINK_STATE is a switch's only; TRAP_CAPABILITY here means that CapabilityMask
 *                has changed (IsSM)
 * @param cause   the packet that broke a key's rule (traps 256 to 259); else NULL */
void trap_raise(struct fabric *f, struct port *p, enum trap_number number,
                const struct packet *cause);

/** Raises TRAP_CAPABILITY for other changes; those of one that is still being repeated are added.
 * @param changes  of enum trap_changed */
void trap_raise_changed(struct fabric *f, struct port *p, uint8_t changes);

/** The port's LID, its SM's or its state has been set: what waited for that goes out. */
void trap_port_changed(struct fabric *f, struct port *p);

/** A TrapRepress arrived: ends the repetition of the trap whose transaction id it bears.
 * @param at  the port it came in by
 * @return whether there was such a trap */
bool trap_repress(struct fabric *f, struct port *at, const struct packet *p);

/** The Notice (IBA 13.4.8.2) at the head of the port's queue: the trap raised first of those not
 * yet repressed; without one, an empty notice.
 * @param data  64 bytes */
void trap_get_notice(const struct fabric *f, const struct port *at, uint8_t *data);

/** Set(Notice): takes the head off the queue if the data names it by number and toggle. */
void trap_set_notice(struct fabric *f, struct port *at, const uint8_t *data);

/** Traps are due (FLIGHT_TRAP; the entry's port says nothing). */
void trap_due(struct fabric *f);

#endif
