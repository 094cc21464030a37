/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The world of the iWARP simulation: nodes, the connections between them, and what happened.
 */
#ifndef WEFT_TESTS_SIM_IWARP_WORLD_H
#define WEFT_TESTS_SIM_IWARP_WORLD_H

#include "core/base/prng.h"
#include "iwarp_stream.h"

#include <weft/siw.h>

struct node;
struct qp_record;

enum {
    NODES_MAX = 3,
    WIRES_MAX = 64,
    CONNS_MAX = 160,  /**< connections that a seed tries */
    LOG_MAX = 80,     /**< requests of one side of a connection */
    AREA_BYTES = 2048 /**< what a side offers its peer: one half to read, all to write */
};

/** A request to a send queue, as it was posted. */
struct entry {
    uint8_t opcode, flags;
    bool signaled;
    bool misses;     /**< a tagged one that names no memory of the peer */
    bool local;      /**< its own piece of memory is none */
    uint16_t wrong;  /**< the Terminate it deserves, if `faulty` */
    bool faulty;     /**< the peer must refuse it */
    uint32_t bytes;  /**< of the message */
    uint32_t offset; /**< in the peer's area */
    uint64_t seed;   /**< of its bytes */
    uint32_t token;  /**< STag that a Send invalidates */
    uint32_t stag;   /**< of its own memory; 0: none was registered */
    uint8_t *memory; /**< its own; NULL once it has completed */
    uint8_t *before; /**< READ: the peer's area at posting */
};

/** One side of a connection. */
struct side {
    struct node *node; /**< NULL: not known yet */
    struct qp_record *qp;
    bool bound; /**< the QP is its */
    bool up, over;
    struct entry log[LOG_MAX];
    uint32_t posted, completed; /**< of the log */
    bool failed;                /**< a request did not end well */
    uint32_t heard;             /**< of the peer's log: all before has arrived */
    uint32_t received;          /**< the peer's Sends before have completed receives */
    uint32_t sends_heard;
    uint8_t *area; /**< what the peer may use, in a block with guards */
    uint64_t to;
    uint32_t stag, token;
    uint8_t base[AREA_BYTES]; /**< the area after all of the peer's that has certainly arrived */
    uint8_t view[AREA_BYTES]; /**< after all that the peer has posted */
    uint8_t token_memory[1];
    bool token_spent; /**< the peer has posted its invalidation */
    bool withdrawn;   /**< the area is registered no more */
    bool said;        /**< it has sent a Terminate: `said_error` */
    uint16_t said_error;
};

/** A connection, or an attempt, by the initiator's TCP port. */
struct conn {
    uint16_t port;
    bool disturbed; /**< by something that may end it: a reset, a destroy, an abrupt end */
    bool damaged;   /**< bytes that a CRC protects were changed under way */
    bool refused;   /**< the initiator has refused the reply, perhaps by a Terminate */
    bool closed;    /**< a side has begun to close it in good order, at `closed_at` */
    weft_time closed_at;
    bool ended_badly; /**< it was up and ended in another way, first at `ended_at` */
    weft_time ended_at;
    struct side side[2];
};

enum end_state {
    END_NONE,    /**< not there yet */
    END_WAITING, /**< TCP has it, the provider is told at `at` */
    END_OPEN,
    END_FAILED, /**< not connected; RELEASE is to come */
    END_GONE    /**< released */
};

/** One end of a TCP connection. */
struct tcp_end {
    struct node *node;
    weft_siw_ep ep;
    enum end_state state;
    weft_time at;
    bool blocked, fin_told, lost_told;
    weft_time writable;
    struct stream in;
};

/** A TCP connection. */
struct wire {
    bool used, decided;
    weft_time at; /**< when it is decided whether it comes up */
    struct weft_iw_addr local, remote;
    struct tcp_end end[2];
};

/** How often what is done or goes wrong, in 1/1000; 0 in some seeds. */
struct habits {
    uint32_t connect, accept, reject, post, receive, close, abrupt, destroy, listen, unlisten;
    uint32_t wrong, withdraw, reset, dial_fail, bind_fail, stall, lazy, starve, short_receive;
    uint32_t partial, damage;
    weft_time delay_max, stall_max;
    uint32_t message_max;
};

/** What was seen, for the report. */
struct iwarp_totals {
    uint64_t conns, up, orderly, requests, completions, terminates, bytes;
};

struct world {
    struct prng prng;
    weft_time now, healed_at;
    uint64_t hash;
    bool verbose, healed;
    const char *fault;
    struct habits habits;
    uint32_t node_count;
    struct node *nodes;
    uint32_t conn_count;
    struct conn *conns; /**< CONNS_MAX */
    struct wire *wires; /**< WIRES_MAX */
    struct iwarp_totals totals;
};

/** What one seed came to. */
struct iwarp_result {
    const char *fault; /**< NULL, or the rule that was broken */
    uint64_t hash;     /**< of all that happened */
    weft_time time;
    struct iwarp_totals totals;
};

/** Runs one seed.
 * @param steps    steps before the world heals
 * @param verbose  prints what happens */
struct iwarp_result iwarp_run(uint64_t seed, uint32_t steps, bool verbose);

/** True in `permille` of 1000 cases. */
bool world_chance(struct world *w, uint32_t permille);
uint64_t world_draw(struct world *w, uint64_t max);
/** A rule is broken; the first one counts. */
void world_broken(struct world *w, const char *rule);
void world_require(struct world *w, bool holds, const char *rule);
/** A line of the history: what, to whom, and numbers. */
void world_tell(struct world *w, const struct node *n, const char *what, uint64_t a, uint64_t b,
                uint64_t c);
/** The connection of an initiator's port; NULL: none. */
struct conn *world_conn(struct world *w, uint16_t port);

#endif
