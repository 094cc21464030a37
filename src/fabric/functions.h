/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Functions of CAs (SR-IOV): 0 is the physical one (PF), the others are virtual (VF). All share
 * LIDs, GIDs and links of their ports; of the P_Key table each sees what it is assigned.
 *
 * Maps and translation are those of <weft/pkey.h>. The tables themselves stay in fabric.pkeys: a
 * cache is filled from them when something is looked up, and serves until another port's is wanted
 * or functions_write_pkeys() has changed it: nobody else writes them once the fabric is built.
 */
#ifndef WEFT_FABRIC_FUNCTIONS_H
#define WEFT_FABRIC_FUNCTIONS_H

#include "fabric/model.h"

#include <weft/pkey.h>

/** @return 0 or WEFT_ERR_NOMEM */
int functions_new(struct fabric *f);
void functions_free(struct fabric *f);

/** Whether a port has a function of this number; every port has function 0. */
bool functions_has(const struct fabric *f, const struct port *p, uint16_t function);

/** The keys that a function sees, 0 where nothing is assigned.
 * @param function  one that the port has
 * @param first     first + count is at most port_pkey_count() */
void functions_view(const struct fabric *f, const struct port *p, uint16_t function, uint16_t first,
                    uint16_t *keys, uint16_t count);

/** The physical index of a MAD that a function sends; WEFT_PKEY_UNASSIGNED, which no table has: an
 * index that stands for nothing.
 * @param qpn  0 or 1: the QP it goes out from */
uint16_t functions_send(const struct fabric *f, const struct port *p, uint16_t function,
                        uint8_t qpn, uint16_t index);

/** Whether a function takes a MAD that the port has let in, by the P_Key in it.
 * @param ret_index  its index in the function's table */
bool functions_receive(const struct fabric *f, const struct port *p, uint16_t function,
                       const struct packet *packet, uint16_t *ret_index);

/** Whether a function may send this SMP. A VF may ask the SMA of its own node, and no other unless
 * the administrator lets it: by a way out and back it would be a stranger there that may Set.
 * @param packet  one for QP0 */
bool functions_may_send_smp(const struct fabric *f, const struct port *p, uint16_t function,
                            const struct packet *packet);

/** Lets a VF send SMPs to whomever, or no longer. */
void functions_let_send_smps(const struct fabric *f, const struct port *p, uint16_t function,
                             bool on);

/** Writes entries of the physical table of any port, as a Set(P_KeyTable) does, and tells the
 * functions that see a change. The PF of a port without VFs is told in any case.
 * @param first  first + count is at most port_pkey_count() */
void functions_write_pkeys(struct fabric *f, struct port *p, uint16_t first, const uint16_t *keys,
                           uint16_t count);

/** Assigns a virtual entry, and tells the function.
 * @param physical  WEFT_PKEY_UNASSIGNED: none
 * @return 0; WEFT_ERR_INVALID: no such VF or entry; WEFT_ERR_CONFLICT: strict, and the VF has this
 *         partition or entry already */
int functions_assign(struct fabric *f, const struct port *p, uint16_t function, uint16_t virt,
                     uint16_t physical);

#endif
