/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Discovery of a fabric by directed routes: which nodes there are, their ports, and what the cables
 * connect. A machine without I/O above the MAD engine.
 *
 * It begins at the own node and goes on breadth first, many questions at a time. Each link is
 * crossed once and each node is asked once, however many ways lead to it. Who does not answer is
 * remembered and not asked again. The host drives it so:
 *
 *     while (sweep_poll())            weft_mad_post();
 *     if (sweep_done())               that is all, perhaps because sweep_poll() has found that what
 *                                     still waits is not worth a question any more
 *     while (weft_mad_poll_event())   sweep_event(), then weft_mad_recv_release() what was received
 */
#ifndef WEFT_CLIENT_SWEEP_H
#define WEFT_CLIENT_SWEEP_H

#include "client/asker.h"

/** No node, no port. */
#define SWEEP_NONE UINT32_MAX

/** NodeDescription and a final 0. */
#define SWEEP_NAME_BYTES 65

/** As NodeInfo:NodeType. */
enum sweep_node_type {
    SWEEP_CA = 1,
    SWEEP_SWITCH = 2,
    SWEEP_ROUTER = 3
};

/** A node that was found. */
struct sweep_node {
    uint64_t guid;
    uint32_t first_port;    /* its port 0; port p is so many further */
    uint16_t partition_cap; /* entries of the P_Key table of each CA or router port, or of port 0 */
    uint16_t enforcement_cap;    /* switches: of each other port; 0 until SwitchInfo was read */
    uint8_t type;                /* enum sweep_node_type */
    uint8_t port_count;          /* without port 0 */
    char name[SWEEP_NAME_BYTES]; /* NodeDescription as it came, perhaps empty: not safe to print */
    struct route route;          /* to a switch, or the own node */
};

/** A port of it. */
struct sweep_port {
    uint64_t guid; /* where reached; a switch's is at port 0 */
    uint32_t node;
    uint32_t peer; /* the port at the other end of the cable, or SWEEP_NONE */
    uint32_t via;  /* the port through which it was reached first; SWEEP_NONE: the own one */
    uint16_t lid;
    uint8_t number;
    uint8_t state;  /* PortInfo:PortState, 1 Down..4 Active; 0: not known */
    bool reached;   /* it has answered for itself: CA and router ports, port 0 of switches */
    bool silent;    /* it was reached, then it answered no more */
    bool mute_peer; /* its link is up, but nobody answers behind it */
    bool enforces_in, enforces_out; /* partition enforcement, external ports of switches */
};

/** A sweep. */
struct sweep;

/** Makes one.
 * @param c      how patiently to ask; NULL: the defaults
 * @param agent  for requests of class 0x81 on QP0
 * @return 0; WEFT_ERR_INVALID: a field of c is out of its range; WEFT_ERR_NOMEM */
int sweep_new(const struct asker_config *c, weft_mad_agent_id agent, struct sweep **ret);

/** Frees it; the engine must hold none of its sends any more. NULL is fine.
 * @return NULL */
struct sweep *sweep_free(struct sweep *s);

/** The next request to post.
 * @return false: none for now */
bool sweep_poll(struct sweep *s, struct weft_mad_send_req *ret);

/** Feeds an event of the engine; those of others are ignored. */
void sweep_event(struct sweep *s, const struct weft_mad_event *ev);

/** Whether the sweep has ended. */
bool sweep_done(const struct sweep *s);

/** How it went.
 * @return 0; WEFT_ERR_NOTFOUND: not even the own node answers; WEFT_ERR_FULL: there are more than
 *         65536 nodes; WEFT_ERR_NOMEM; with the last two what was found until then stays */
int sweep_verdict(const struct sweep *s);

/** Nodes found, the own one first, then by distance, more or less. */
uint32_t sweep_node_count(const struct sweep *s);
const struct sweep_node *sweep_node(const struct sweep *s, uint32_t node);
/** Ports of all nodes, those of a node by number. */
uint32_t sweep_port_count(const struct sweep *s);
const struct sweep_port *sweep_port(const struct sweep *s, uint32_t port);

/** Which port answers for a port: of a switch port 0, of others the port itself. */
uint32_t sweep_end_port(const struct sweep *s, uint32_t port);

/** The way to a port that was reached. */
void sweep_route(const struct sweep *s, uint32_t port, struct route *ret);

/** Answers that came to other links than before: a node GUID that two nodes have. */
uint32_t sweep_conflicts(const struct sweep *s);

#endif
