/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * One node of the iWARP simulation: a connection manager, a provider, and a program that uses them
 * by chance and knows what it was promised.
 */
#ifndef WEFT_TESTS_SIM_IWARP_NODE_H
#define WEFT_TESTS_SIM_IWARP_NODE_H

#include "iwarp_world.h"

enum {
    IDS_MAX = 24,
    LISTENERS_MAX = IDS_MAX,
    NODE_QPS_MAX = 6,
    NODE_CQS = 2,
    RECVS_MAX = 12,
    PD = 3
};

struct posted_recv {
    uint64_t wr_id;
    uint8_t *memory;
    uint32_t bytes;
};

struct qp_record {
    bool used;
    uint32_t qpn, send_cq, recv_cq; /**< queues by their place in the node */
    struct conn *conn;              /**< bound to; NULL: free */
    struct side *side;
    struct posted_recv recvs[RECVS_MAX];
    uint32_t recv_count;
    uint64_t recv_serial;
};

/** An id, as the program knows it. */
struct ident {
    bool used, listener, destroyed;
    bool request;   /**< to be answered */
    bool attempt;   /**< owed REPLY */
    bool accepting; /**< owed ESTABLISHED */
    bool up;        /**< owed CLOSED */
    weft_iwcm_id id;
    uint64_t user_data;
    uint8_t owed[WEFT_IWCM_CALLS]; /**< DONEs */
    struct conn *conn;
    struct side *side;
};

struct node {
    uint32_t number;
    struct world *world;
    struct weft_iwcm *cm;
    struct weft_siw *siw;
    struct weft_siw_config config;
    /* the host's */
    weft_siw_ep listeners[LISTENERS_MAX];
    uint16_t listener_ports[LISTENERS_MAX];
    bool listening[LISTENERS_MAX];
    weft_siw_ep orphan; /**< could not even dial; 0: none */
    weft_time stalled;
    /* the program's */
    struct ident ids[IDS_MAX];
    struct qp_record qps[NODE_QPS_MAX];
    uint32_t cqn[NODE_CQS];
    bool armed[NODE_CQS];
    uint32_t regions;
    uint64_t user_data;
    bool unlistened; /**< a listener was destroyed once */
};

void node_begin(struct node *n, struct world *w, uint32_t number);
/** One thing that the program does. */
void node_act(struct node *n);
/** Takes all completions and events. */
void node_poll(struct node *n);
/** What holds between any two steps. */
void node_check(struct node *n);
/** And after all nodes were checked. */
void node_check_terminated(struct node *n);
/** Ends what is not a connection that is up. */
void node_wind_down(struct node *n);
/** Ends the connections in good order, or gives everything up. */
void node_close(struct node *n, bool all);
/** Nothing is owed, nothing is left. */
void node_check_end(struct node *n);
void node_end(struct node *n);

#endif
