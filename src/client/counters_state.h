/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What a reading of counters is made of, for the files that are parts of it.
 */
#ifndef WEFT_CLIENT_COUNTERS_STATE_H
#define WEFT_CLIENT_COUNTERS_STATE_H

#include "client/gmp_asker.h"
#include "client/pma_store.h"
#include "client/redirect.h"

#include <weft/counters.h>

/** No agent. */
#define COUNTERS_NO_AGENT UINT32_MAX

/** What is asked. */
enum counters_ask {
    COUNTERS_ASK_ABILITIES,
    COUNTERS_ASK_SUM_CLASSIC,
    COUNTERS_ASK_SUM_EXTENDED,
    COUNTERS_ASK_CLASSIC,
    COUNTERS_ASK_EXTENDED,
    COUNTERS_ASK_RESET_CLASSIC,
    COUNTERS_ASK_RESET_EXTENDED
};

/** Who answers for some ports. */
struct counters_agent {
    uint32_t port;                 /**< of the sweep: the one that answers */
    uint32_t qpn, qkey;            /**< where it answers, with the next three */
    uint16_t lid;                  /**< 0: nowhere, it has none */
    uint16_t pkey_index;           /**< of the partition */
    uint8_t sl;                    /**< service level */
    struct weft_pma_abilities has; /**< `told`: it has said so; else what all have */
    uint16_t found_at;             /**< the LID that the sweep has said */
    bool told, silent, redirected;
    bool reads;   /**< its ports are asked */
    bool quiet;   /**< the sum of its ports is not above any limit */
    bool stopped; /**< it does not answer the sweep any more: nothing of it counts */
};

/** A port of the sweep. */
struct counters_port {
    uint32_t agent;     /**< who answers for it; COUNTERS_NO_AGENT: nobody, or not wanted */
    uint32_t place;     /**< of its values in the store */
    uint8_t asked, got; /**< questions for its values, and answers */
    uint8_t resets;     /**< that are not confirmed */
    bool wanted : 1;    /**< and it is there */
    bool refused : 1;   /**< an answer had no values */
    bool is_reset : 1;  /**< it is, or was begun to be */
};

struct weft_counters {
    struct weft_alloc alloc;
    const struct weft_sweep *sweep;
    struct gmp_asker *asker;
    const uint64_t *limits;
    struct redirect_from here; /**< the own port */
    struct counters_port *ports;
    struct counters_agent *agents;
    struct pma_store values;
    uint32_t port_count;
    uint32_t agent_count, agent_space;
    int verdict;
};

/** Puts a question to an agent. Without memory for it the verdict is that. */
void counters_put(struct weft_counters *c, enum counters_ask kind,
                  const struct counters_agent *whom, uint32_t about);

/** Asks an agent for all its ports that are wanted and were not asked yet. */
void counters_ask_ports(struct weft_counters *c, struct counters_agent *a);

/** Begins with an agent's ports: with their sum, where that may be enough. What it has is known. */
void counters_agent_begin(struct weft_counters *c, struct counters_agent *a);

#endif
