/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * One storm: many clients with real engines, one SA, in virtual time.
 *
 * A run is a function of its configuration: no clock, no I/O, no floating point.
 */
#ifndef WEFT_STORM_STORM_H
#define WEFT_STORM_STORM_H

#include "storm/client.h"
#include "storm/measure.h"
#include "storm/policy.h"
#include "storm/scenario.h"

#include <weft/base.h>

/** Most clients of one storm, rogues not counted: four for each LID that a subnet can have. */
#define STORM_CLIENTS_MAX 200000u

/** Everything a storm is made from. */
struct storm_config {
    const struct storm_scenario *scenario; /**< copied */
    const struct storm_policy *policy;     /**< copied */
    const struct storm_client_place
        *places;             /**< one a client that behaves; read by storm_new() only */
    uint32_t clients;        /**< clients that behave, 1..STORM_CLIENTS_MAX */
    uint16_t sa_lid;         /**< where the SA is */
    uint64_t seed;           /**< of starts, losses and jitter */
    bool check;              /**< look into each engine after each step; costs half the speed */
    weft_mad_trace_fn trace; /**< sees what every engine does, or NULL; see storm_trace_client() */
    void *trace_ctx;         /**< handed to trace */
};

/** What a storm has come to. */
struct storm_result {
    struct storm_client_totals clients; /**< what the clients did */
    uint64_t answers;                   /**< answers the SA sent, BUSY not included */
    uint64_t busy;                      /**< BUSY answers the SA sent */
    uint64_t duplicates;                /**< answers to questions that the SA had answered before */
    uint64_t stale;                     /**< answers that nobody waited for when they arrived */
    uint64_t sa_dropped;                /**< requests lost at the SA: either queue was full */
    uint64_t sa_expired;                /**< requests the SA threw away for their age */
    uint32_t queue_peak;                /**< most requests waiting at the SA */
    uint64_t lost;                      /**< packets lost on the way, both directions */
    uint64_t mads;                      /**< packets put on the fabric, both directions */
    uint64_t events;                    /**< steps of the simulation */
    weft_time end;           /**< when the last client that behaves finished, or the duration */
    weft_time quiet;         /**< when the SA had worked off its queues and the last packet had
                                  arrived; with rogues: the end */
    weft_time last_start;    /**< when the last client that behaves starts */
    bool cut;                /**< the duration was reached with clients still waiting */
    uint32_t waiting;        /**< of the failed clients: those that still waited when it was cut */
    weft_time p50, p99, max; /**< from a client's start to its last answer, over those that got
                                  all; WEFT_TIME_NEVER when none did */
    uint64_t trace_hash;     /**< of everything every engine and the SA did */
    const struct storm_measure *over_time; /**< valid until storm_free() */
};

struct storm;

/** Makes a storm.
 * @param c      its configuration, checked here
 * @param alloc  where memory comes from; copied. Large pieces are asked for; most of their pages
 *               are never touched
 * @param ret    the storm; give it to storm_free(). Written only on success
 * @return 0; WEFT_ERR_INVALID: scenario, policy or number of clients is out of range, see
 *               storm_scenario_check() and storm_policy_config(); WEFT_ERR_NOMEM */
int storm_new(const struct storm_config *c, const struct weft_alloc *alloc, struct storm **ret);

/** Runs some steps.
 * @param steps     at most this many
 * @param ret_done  whether the storm is over; written only on success
 * @return 0; WEFT_ERR_NOMEM: memory for events ran out, the run is worthless;
 *                  WEFT_ERR_STATE: a promise was broken, see storm_violation() */
int storm_run(struct storm *s, uint64_t steps, bool *ret_done);

/** Clients that behave and have finished, for a progress bar. */
uint32_t storm_finished(const struct storm *s);

/** Which promise was broken.
 * @param ret_client  whose; written only when there is one
 * @return a constant sentence without full stop, or NULL */
const char *storm_violation(const struct storm *s, uint32_t *ret_client);

/** Whose event an observer is looking at; only to be called by the observer. */
uint32_t storm_trace_client(const struct storm *s);

/** Sums up. Call it when storm_run() said that the storm is over. */
void storm_result(struct storm *s, struct storm_result *ret);

/** Frees a storm; NULL is fine.
 * @return NULL */
struct storm *storm_free(struct storm *s);

/** Bytes that the clients of a storm, its rogues included, touch at least: an estimate before it is
 * made.
 * @param clients  clients that behave
 * @return 0 when the configuration is wrong */
uint64_t storm_bytes(const struct storm_scenario *s, const struct storm_policy *p,
                     uint32_t clients);

#endif
