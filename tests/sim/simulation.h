/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A simulation: ports on a faulty network, their clients and servers, and what must always hold.
 *
 * A seed decides everything. It also switches whole classes of operations and faults off, so that
 * each seed is a different kind of day (swarm testing).
 */
#ifndef WEFT_TESTS_SIM_SIMULATION_H
#define WEFT_TESTS_SIM_SIMULATION_H

#include <weft/mad.h>

/** What a simulation tells about itself. */
struct simulation_result {
    const char *fault;   /**< NULL, or the rule that was broken */
    uint64_t trace_hash; /**< of all lines of all ports' traces */
    uint64_t sends;      /**< sends accepted */
    uint64_t packets;    /**< packets that were handed to the network */
    uint64_t retried, limited, transfers;
    weft_time time; /**< virtual time that passed */
};

/** Runs one seed.
 * @param steps    operations before the network heals
 * @param verbose  prints each line of the ports' traces */
struct simulation_result simulation_run(uint64_t seed, uint32_t steps, bool verbose);

#endif
