/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What is checked of a packet but its way: P_Keys, Q_Keys and GIDs, of senders, receivers, and
 * switch ports that enforce partitions (IBA 10.9, 10.2.4).
 */
#ifndef WEFT_FABRIC_KEYS_H
#define WEFT_FABRIC_KEYS_H

#include "fabric/model.h"

/** Finds the entry that a packet's P_Key matches: the same 15 bits, not 0, and a full member on at
 * least one side. A full entry comes before a limited one, whatever their order.
 * @return whether there is one */
bool keys_find_pkey(const struct fabric *f, const struct port *p, uint16_t pkey,
                    uint16_t *ret_index);

/** The GID at an index of a port's table.
 * @return false: beyond the table, or an empty entry */
bool keys_gid(const struct fabric *f, const struct port *p, uint8_t index, uint8_t ret[16]);

/** Finds a GID of a port, with its own subnet prefix or the link-local one.
 * @return whether it is one */
bool keys_find_gid(const struct fabric *f, const struct port *p, const uint8_t gid[16],
                   uint8_t *ret_index);

/** Fills in what a sender leaves to its port: P_Key, Q_Key and source GID.
 * @param from  the port that holds the tables
 * @return why the port does not send it: an index names nothing, or the packet contradicts itself;
 *         DROPS: it does */
enum drop keys_stamp(const struct fabric *f, const struct port *from, struct packet *p);

/** Checks a packet that arrived at the port it is for: QPs, GID, Q_Key, P_Key.
 * Violations are counted in PortInfo and bring a trap. Fills in pkey_index.
 * @param holder  the port that holds the tables
 * @return false: dropped and counted */
bool keys_check(struct fabric *f, struct port *holder, struct packet *p);

/** A side of a switch's port. */
enum keys_side {
    KEYS_INBOUND,
    KEYS_OUTBOUND
};

/** Whether keys_pass() may refuse a packet at a port, going out or coming in. */
bool keys_checks(const struct fabric *f, const struct port *p);

/** Partition enforcement at a switch's external port; other ports pass all. What goes out must
 * match an entry of the port's table as at its receiver; what comes in must be in the table, as a
 * limited member if it is there as one.
 * @return false: dropped and counted, trap 259 */
bool keys_pass(struct fabric *f, struct port *p, const struct packet *packet, enum keys_side side);

#endif
