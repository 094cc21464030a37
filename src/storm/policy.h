/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Client policies: how a client asks again and how much it asks at a time.
 */
#ifndef WEFT_STORM_POLICY_H
#define WEFT_STORM_POLICY_H

#include "storm/field.h"
#include "storm/scenario.h"

#include <weft/mad.h>

/** One policy. All members are uint64_t, as struct storm_field wants them. */
struct storm_policy {
    uint64_t kind;       /**< enum weft_mad_retry_kind */
    uint64_t bound;      /**< enum weft_mad_retry_bound */
    uint64_t busy;       /**< enum weft_mad_busy */
    uint64_t base_ns;    /**< struct weft_mad_retry */
    uint64_t jitter_ns;  /**< struct weft_mad_retry */
    uint64_t cap_ns;     /**< struct weft_mad_retry */
    uint64_t total_ns;   /**< struct weft_mad_retry */
    uint64_t timeout_ns; /**< STORM_INHERIT: the scenario's */
    uint64_t retries;    /**< STORM_INHERIT: the scenario's */

    uint64_t agent_limits;     /**< struct weft_mad_flow */
    uint64_t port_budget;      /**< struct weft_mad_flow */
    uint64_t reserve;          /**< struct weft_mad_flow; STORM_INHERIT: an eighth of recv-depth */
    uint64_t adaptive;         /**< struct weft_mad_flow */
    uint64_t window_initial;   /**< struct weft_mad_flow */
    uint64_t window_max;       /**< struct weft_mad_flow */
    uint64_t queue_timeout_ns; /**< struct weft_mad_config; 0: for ever */

    uint64_t reask;          /**< 1: a query that ends with an error is asked anew */
    uint64_t reask_delay_ns; /**< this long after the error */
};

/** A named policy. */
struct storm_policy_name {
    const char *name;
    const char *help;                     /**< what it is, one line */
    void (*fill)(struct storm_policy *p); /* writes what sets it apart; NULL: nothing does */
};

/** The named policies, closed by one whose name is NULL. */
extern const struct storm_policy_name storm_policy_names[];

/** The fields of struct storm_policy, closed by one whose key is NULL. */
extern const struct storm_field storm_policy_fields[];

/** Fills in a named policy.
 * @param name  one of storm_policy_names
 * @param ret   all its numbers, written only on success
 * @return 0; WEFT_ERR_NOTFOUND: no policy has this name */
int storm_policy_named(const char *name, struct storm_policy *ret);

/** Turns a policy into the configuration of a client's port.
 * @param p    the policy
 * @param s    the scenario it lives in; checked
 * @param ret  the configuration, but for seed, sends and trace; written only on success
 * @return 0; WEFT_ERR_INVALID: jitter is above base, base above cap, the reserve leaves no
 *             buffer for an answer, or the first window is above the largest */
int storm_policy_config(const struct storm_policy *p, const struct storm_scenario *s,
                        struct weft_mad_config *ret);

#endif
