/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * One `weft storm` command: what was asked for, and what came out. Filled by verb_storm.c, shown by
 * the table, the JSON document and the report.
 */
#ifndef WEFT_CLI_STORM_JOB_H
#define WEFT_CLI_STORM_JOB_H

#include "storm/storm.h"
#include "topology/topology.h"

/** Policies compared in one run: more curves cannot be told apart. */
#define STORM_POLICIES_MAX 16

/** One policy and its storm. */
struct storm_outcome {
    char *name; /**< as written on the command line; owned */
    struct storm_policy policy;
    struct storm_result result; /**< over_time points to `over_time` below */
    struct storm_measure over_time;
};

/** The command. */
struct storm_job {
    const char *scenario_name; /**< of a preset */
    struct storm_scenario scenario;
    const char *topology;           /**< file or generator, as written */
    uint32_t hosts;                 /**< of the topology */
    uint32_t switches;              /**< of the topology */
    uint32_t unreachable;           /**< hosts without a path to the SA; they take no part */
    uint32_t clients;               /**< clients that behave */
    const char *sa_wanted;          /**< GUID or name of the SA's host, or NULL: any */
    char sa_host[TOPO_LABEL_BYTES]; /**< the SA's host, for people */
    uint64_t sa_guid;               /**< of its node; 0 where the topology gives none */
    uint16_t sa_lid;
    uint16_t hops_min, hops_max;       /**< links between a client and the SA */
    struct storm_client_place *places; /**< one a client; owned */
    uint64_t seed;
    struct storm_outcome outcomes[STORM_POLICIES_MAX];
    size_t outcome_count;
};

/** The least time in which the SA can answer every query once: what no policy can beat. */
static inline weft_time storm_job_least_time(const struct storm_job *job)
{
    return WEFT_S / job->scenario.sa_rate * storm_scenario_queries(&job->scenario) * job->clients;
}

#endif
