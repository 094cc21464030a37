/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A client: an engine port, and the program above it that asks the SA until it has all answers.
 *
 * The program joins its groups one after the other, then asks for its paths, at most `width` at a
 * time. What it does about an error is the policy's choice: it gives the query up, or asks it anew.
 */
#ifndef WEFT_STORM_CLIENT_H
#define WEFT_STORM_CLIENT_H

#include "storm/measure.h"
#include "storm/network.h"
#include "storm/policy.h"
#include "storm/query.h"
#include "storm/scenario.h"
#include "storm/scheduler.h"

#include <weft/mad.h>
#include <weft/trace.h>

/** What all clients of a storm have done. */
struct storm_client_totals {
    uint64_t asked;            /**< queries asked for the first time */
    uint64_t reasked;          /**< queries asked anew after an error */
    uint64_t accepted;         /**< sends the engines accepted */
    uint64_t completed;        /**< sends the engines reported done */
    uint64_t requests;         /**< packets sent */
    uint64_t rogue_requests;   /**< of these, by rogues */
    uint64_t stale;            /**< answers that nobody waited for */
    uint64_t recv_dropped;     /**< answers lost because the client had no receive buffer */
    uint64_t timeouts;         /**< sends that ended without an answer */
    uint64_t queries_resolved; /**< queries of clients that behave */
    uint64_t queries_failed;   /**< queries of clients that behave; those never asked included */
    uint32_t clients_resolved; /**< clients that behave and got all answers */
    uint32_t clients_failed;   /**< clients that behave and did not */
};

/** How clients of one kind behave. */
struct storm_client_behaviour {
    uint32_t joins;
    uint32_t queries; /**< joins included */
    uint32_t width;   /**< path queries under way at a time */
    uint32_t agents;
    weft_time timeout_ns;
    uint8_t retries;
    bool reask;
    weft_time reask_delay_ns;
    bool rogue;
};

/** What the clients of one storm share. */
struct storm_client_env {
    struct storm_scheduler *scheduler;
    struct storm_network *network;
    struct storm_measure *measure;
    struct storm_query_answers answers;
    struct storm_client_totals totals;
    struct weft_mad_addr sa; /**< where requests go */
    weft_time read_ns, send_ns;
    bool port_budget;        /**< the policy promises that no answer is lost */
    bool check;              /**< look into the engine after each step */
    uint64_t trace_hash;     /**< of every trace event of every client, in order */
    weft_mad_trace_fn trace; /**< a further observer, or NULL */
    void *trace_ctx;
    uint32_t trace_client; /**< during the observer's call: whose event it is */
    const char *violation; /**< NULL, or the first rule found broken */
    uint32_t violator;     /**< the client concerned */
};

/** A query under way. */
struct storm_client_slot {
    uint8_t mad[STORM_QUERY_BYTES]; /* lent to the engine while asked */
    weft_time asked_at;
    uint32_t query;
    uint16_t next_free;
    uint16_t status; /* of the answer, once there is one */
    uint8_t state;   /* enum in client.c */
};

/** A client. Members are private to client.c but for those of the first group, which the storm
 * reads. */
struct storm_client {
    weft_time started_at;  /**< WEFT_TIME_NEVER before */
    weft_time finished_at; /**< WEFT_TIME_NEVER before */
    struct weft_mad_port *port;
    uint16_t hops; /**< links to the SA */
    bool failed;   /**< some query did not get its answer */

    uint16_t lid;
    uint16_t free_slot;
    uint32_t index;
    struct storm_client_env *env;
    const struct storm_client_behaviour *behaviour;
    struct storm_client_slot *slots;
    weft_mad_agent_id *agents;
    weft_mad_recv_id reading; /* the received MAD it is reading, or none */
    weft_time timer_at;       /* when its timer event comes */
    weft_time link_free_at;   /* when its last packet has left */
    uint32_t next_query, under_way, next_tid;
};

/** Where a client is. */
struct storm_client_place {
    uint16_t hops; /**< links to the SA */
    uint16_t lid;  /**< its port's base LID */
};

/** Makes a client with its port.
 * @param c          filled; on failure what was made is left to the allocator
 * @param env        shared; must outlive the client
 * @param behaviour  must outlive the client
 * @param place      where it is; copied
 * @param index      its number, also in events
 * @param config     of its port; seed, sends and trace are set here
 * @param seed       of the storm
 * @param alloc      where memory comes from
 * @return 0, WEFT_ERR_NOMEM, or another error of the engine: the configuration is wrong
 */
int storm_client_init(struct storm_client *c, struct storm_client_env *env,
                      const struct storm_client_behaviour *behaviour,
                      const struct storm_client_place *place, uint32_t index,
                      const struct weft_mad_config *config, uint64_t seed,
                      const struct weft_alloc *alloc);

/** Frees a client's port. */
void storm_client_done(struct storm_client *c);

/** The client starts to ask. */
void storm_client_start(struct storm_client *c, weft_time now);

/** A timer event of the client has come. */
void storm_client_timer(struct storm_client *c, weft_time now);

/** The client has read the MAD it was reading. */
void storm_client_read_done(struct storm_client *c, weft_time now);

/** The client asks the failed query of a slot anew. */
void storm_client_reask(struct storm_client *c, weft_time now, uint32_t slot);

/** A packet of the SA arrives at the client.
 * @param query   which query it answers
 * @param tid     of the request
 * @param status  0 or WEFT_STATUS_BUSY */
void storm_client_answer(struct storm_client *c, weft_time now, uint32_t query, uint64_t tid,
                         uint16_t status);

/** The slots that a client of this behaviour needs: its queries under way at a time. */
uint32_t storm_client_slots(const struct storm_client_behaviour *b);

#endif
