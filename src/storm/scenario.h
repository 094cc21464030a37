/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What happens to the fabric and how its parts behave: every number of a storm that is no policy.
 */
#ifndef WEFT_STORM_SCENARIO_H
#define WEFT_STORM_SCENARIO_H

#include "storm/field.h"

#include <weft/base.h>

/** What the SA does with more requests than it can serve. */
enum storm_overload {
    STORM_DROP, /**< nothing but the receive queue: what does not fit is lost */
    STORM_BUSY, /**< beyond a number of waiting requests it answers BUSY, at a small cost */
    STORM_STALE /**< as OpenSM: requests wait, and are answered although nobody waits any longer */
};

/** The names of enum storm_overload, closed by NULL. */
extern const char *const storm_overload_words[];

/** Every number of a scenario. All members are uint64_t, as struct storm_field wants them. */
struct storm_scenario {
    uint64_t joins;      /**< multicast groups each client joins, one after the other */
    uint64_t paths;      /**< path queries of each client, after its joins */
    uint64_t width;      /**< path queries a client has under way at a time; 0: all */
    uint64_t agents;     /**< agents of a client that share its queries */
    uint64_t spread_ns;  /**< clients start at random within this time */
    uint64_t timeout_ns; /**< how long a client waits for an answer */
    uint64_t retries;    /**< further packets for one query */

    uint64_t recv_depth; /**< receive buffers of a client */
    uint64_t read_ns;    /**< time a client takes to read a received MAD, its buffer held */
    uint64_t send_ns;    /**< time between two packets of one client */

    uint64_t rogues;           /**< clients more, that ask for everything and never give up */
    uint64_t rogue_queries;    /**< queries of a rogue */
    uint64_t rogue_width;      /**< queries it has under way at a time */
    uint64_t rogue_timeout_ns; /**< how long it waits before it asks again */

    uint64_t hop_ns;        /**< latency of one link and the switch behind it */
    uint64_t host_ns;       /**< latency of adapter and software, both ends together */
    uint64_t loss_request;  /**< requests lost on the way, in millionths */
    uint64_t loss_response; /**< answers lost on the way, in millionths */

    uint64_t sa_rate;       /**< requests the SA can answer per second */
    uint64_t sa_queue;      /**< receive buffers of the SA */
    uint64_t sa_overload;   /**< enum storm_overload */
    uint64_t sa_backlog;    /**< busy, stale: requests that fit into its software queue */
    uint64_t sa_busy_above; /**< busy: waiting requests from which on it answers BUSY */
    uint64_t sa_busy_ns;    /**< busy: time a BUSY answer takes */
    uint64_t sa_take_ns;    /**< busy, stale: time to move a request to the software queue */
    uint64_t sa_stale_ns;   /**< stale: a request that waited longer is thrown away */

    uint64_t duration_ns; /**< when the run ends even if clients are still waiting */
};

/** A preset. */
struct storm_preset {
    const char *name;
    const char *help;                       /**< what it plays, one line */
    void (*fill)(struct storm_scenario *s); /* writes what it does not share with the others */
};

/** The presets, closed by one whose name is NULL; the first is the default. */
extern const struct storm_preset storm_presets[];

/** The fields of struct storm_scenario, closed by one whose key is NULL. */
extern const struct storm_field storm_scenario_fields[];

/** Fills in a preset.
 * @param name  one of storm_presets
 * @param ret   all its numbers, written only on success
 * @return 0; WEFT_ERR_NOTFOUND: no preset has this name */
int storm_scenario_preset(const char *name, struct storm_scenario *ret);

/** Checks every field against its range, and what no single range can say.
 * @param s        the numbers
 * @param ret_why  the key of a number out of range, or a sentence without full stop; constant,
 *                 written only on failure
 * @return 0; WEFT_ERR_INVALID */
int storm_scenario_check(const struct storm_scenario *s, const char **ret_why);

/** Queries of one client that behaves. */
static inline uint64_t storm_scenario_queries(const struct storm_scenario *s)
{
    return s->joins + s->paths;
}

#endif
