/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A node of the simulation: a port, its agents with their clients and servers, and its host.
 */
#ifndef WEFT_TESTS_SIM_NODE_H
#define WEFT_TESTS_SIM_NODE_H

#include "network.h"

enum node_limits {
    NODES_MAX = 4,
    NODE_AGENTS = 5,
    NODE_SENDS = 64,
    NODE_HELD = 512,
    NODE_KEPT = 256,
    NODE_SEEN = 1 << 16
};

/** What chance may do; a class that is switched off has 0. In 1/1000, but for times. */
struct habits {
    uint32_t post, cancel, set_timeout, add_agent, remove_agent, set_retry;
    uint32_t one_way, directed, own_retry, queue_timeout, grh, long_request, long_reply;
    uint32_t ignore, busy, tx_error, pass;
    weft_time tx_delay_max, keep_max, timeout_max;
    uint32_t request_bytes_max, reply_bytes_max;
};

/** A send that was accepted. */
struct node_send {
    uint64_t number; /* 0: unused */
    weft_mad_send_id id;
    uint64_t tid;
    uint8_t *data;
    uint8_t mgmt_class;
    bool expects, received, rmpp, directed, is_reply;
    uint32_t reply_len, retries;
    struct weft_mad_retry retry;
};

struct node_held {
    weft_time at;
    weft_mad_tx_id id;
};

struct node_kept {
    weft_time at;
    weft_mad_recv_id id;
    bool device;
    uint8_t mad[WEFT_MAD_BYTES];
};

/** What all nodes share. */
struct world {
    struct prng prng;
    struct network network;
    struct habits habits;
    weft_time now;
    uint64_t number; /* of the last request */
    uint64_t hash;
    uint64_t packets;
    bool verbose, healed, corrupting, removing;
    const char *fault;
    struct node *nodes;
    uint32_t node_count;
    uint8_t seen[NODE_SEEN / 8]; /* one-way messages that arrived, by number */
};

struct node {
    struct world *world;
    struct weft_mad_port *port;
    uint32_t index;
    uint16_t lid;
    uint8_t lmc;
    bool port_budget;
    uint64_t accepted;
    weft_mad_agent_id agents[NODE_AGENTS];
    struct node_send sends[NODE_SENDS];
    struct node_held held[NODE_HELD];
    uint32_t held_count;
    struct node_kept kept[NODE_KEPT];
    uint32_t kept_count;
};

/** Notes a broken rule; the first one stays. */
void node_require(struct world *w, bool condition, const char *rule);

/** Makes a node's port from the world's chance. */
void node_begin(struct node *n, struct world *w, uint32_t index);

/** Frees a node with all it holds. */
void node_end(struct node *n);

/** One operation of the node's clients, by chance. */
void node_act(struct node *n);

/** Feeds a packet. */
void node_receive(struct node *n, const struct flight *f);

/** The host's loop: what is due at the world's time. */
void node_turn(struct node *n);

/** When the host's loop has something to do next. */
weft_time node_next(const struct node *n);

/** After healing: everything has ended and was given back. */
void node_check_end(struct node *n);

#endif
