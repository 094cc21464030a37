/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Questions that are asked often: a path, a subscription to Reports, a multicast group to join.
 */
#ifndef WEFT_CLIENT_SA_MAKE_H
#define WEFT_CLIENT_SA_MAKE_H

#include "client/sa.h"

/** All traps, all producers. */
#define SA_ANY_TRAP     0xFFFF
#define SA_ANY_PRODUCER 0xFFFFFF

/** Makes the Set(InformInfo) that subscribes to a trap of the whole subnet, or ends that.
 * @param trap       number, or SA_ANY_TRAP
 * @param subscribe  false: ends it
 * @param ret        the question */
void sa_make_trap(uint16_t trap, bool subscribe, struct sa_question *ret);

/** Makes the Set or Delete(MCMemberRecord) that joins a multicast group that exists, or leaves it.
 * @param mgid      the group
 * @param port_gid  who joins
 * @param state     bits of JoinState: 1 full member, 2 non-member, 4 send-only
 * @param join      false: leaves
 * @param ret       the question */
void sa_make_group(const uint8_t mgid[16], const uint8_t port_gid[16], uint8_t state, bool join,
                   struct sa_question *ret);

/** Makes the Get(PathRecord) for one reversible path.
 * @param sgid  from there
 * @param dgid  to there
 * @param ret   the question */
void sa_make_path(const uint8_t sgid[16], const uint8_t dgid[16], struct sa_question *ret);

#endif
