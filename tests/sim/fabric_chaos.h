/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A small fabric whose programs do what chance, or a fuzzer, wants: sound requests and hostile
 * ones, faults, attaching and leaving. What must hold is looked at after every step.
 */
#ifndef WEFT_TESTS_SIM_FABRIC_CHAOS_H
#define WEFT_TESTS_SIM_FABRIC_CHAOS_H

#include "fabric/fabric.h"

/** Where decisions come from. */
struct chaos_source {
    /** A number from 0 to max. */
    uint32_t (*draw)(void *ctx, uint32_t max);
    void *ctx;
};

/** What came of it. */
struct chaos_result {
    const char *fault; /**< what was broken, or NULL */
    uint64_t hash;     /**< of the whole history */
    struct fabric_stats stats;
};

/** Builds a fabric, does so many steps, heals all and looks whether it comes to rest.
 * @param verbose  prints the history */
struct chaos_result chaos_run(const struct chaos_source *source, uint32_t steps, bool verbose);

#endif
