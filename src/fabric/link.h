/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The state of links: training, Down, Init, Armed, Active, Disabled; width, speed and MTU that both
 * ends agree on; what a change brings with it (PortStateChange, trap 128, counters).
 */
#ifndef WEFT_FABRIC_LINK_H
#define WEFT_FABRIC_LINK_H

#include "fabric/model.h"

/** Whether packets cross the cable at this port: SMPs from Init on, others when Active at both
 * ends. */
bool link_carries(const struct fabric *f, const struct port *p, bool smp);

/** Has a port's waypoint, and that of its peer, say what follows from the port: called after every
 * change of a port's state, its peer, or whether it checks P_Keys. The functions below call it but
 * for link_init() and link_begin(). */
void link_note(struct fabric *f, const struct port *p);

/** Brings a link up while the fabric is built: Init at both ends if they have a speed and a width
 * in common. Nothing is counted and nobody told. */
void link_begin(struct port *a, struct port *b);

/** Makes a port of a link that is up Active, while the fabric is built. */
void link_begin_active(struct fabric *f, struct port *p);

/** Looks again at whether a link can be up (cable, dead nodes, disabled ends) and changes both ends
 * accordingly; called after every change of one of these. */
void link_update(struct fabric *f, struct port *p);

/** Brings the link down and lets it train again, with the speeds and widths that are enabled now
 * and that the cable can do: Set(PortInfo) with PortState Down, or with other enabled widths and
 * speeds; a script that wears the cable. */
void link_retrain(struct fabric *f, struct port *p);

/** Set(PortInfo) of the port's states by its SMA. A port that becomes Active takes an Armed
 * neighbour along, and one that becomes Armed beside an Active neighbour is Active at once
 * (IBA 7.2.7: with the first packet that comes). Port 0 of a switch has no link and is always
 * Active.
 * @param state     PORT_STATE_NOP keeps it
 * @param physical  PORT_PHYSICAL_NOP keeps it
 * @return false: no legal change (0x1C), nothing happened. See link_state_allowed() for the check
 *         alone */
bool link_set_state(struct fabric *f, struct port *p, enum port_state state,
                    enum port_physical physical);
bool link_state_allowed(const struct fabric *f, const struct port *p, enum port_state state,
                        enum port_physical physical);

/** The training timer has run out (FLIGHT_TRAINED). */
void link_trained(struct fabric *f, struct port *p);

/** Fills in a fresh port: supported and enabled widths and speeds from the words of the topology
 * file, MTU, VLs. Before the first link_update().
 * @param width,speed  the words, for example "4x", "EDR"; "" or unknown ones mean 4x and EDR */
void link_init(struct port *p, const char *width, const char *speed);

#endif
