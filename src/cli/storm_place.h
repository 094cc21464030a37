/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Where the clients and the SA of a storm sit in a topology.
 */
#ifndef WEFT_CLI_STORM_PLACE_H
#define WEFT_CLI_STORM_PLACE_H

#include "cli/storm_job.h"

/** Loads job->topology and places the SA and the clients. The SA is on the host asked for, or else
 * on the first host of those that reach the most others. Fewer clients than hosts are placed evenly
 * over them, more several to a host, sharing its LID as virtual functions do.
 * @param job      its topology; `clients` is the number asked for, 0: one a host; `sa_wanted`.
 *                 Hosts, switches, unreachable, clients, the SA's host, LIDs, hops and places are
 *                 filled in
 * @return CLI_DONE, or CLI_USAGE or CLI_FAILED with a message */
int storm_place(struct storm_job *job);

#endif
