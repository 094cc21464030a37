/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A MAD engine at a port of an adapter, through libibumad: the kernel sends and receives single
 * packets, and retries, matching, flow control and RMPP are the engine's. mad_link.h is its front.
 */
#ifndef WEFT_HOST_HCA_LINK_H
#define WEFT_HOST_HCA_LINK_H

#include "channel/message.h"
#include "host/hca_ports.h"
#include "host/hca_room.h"

#include <weft/mad.h>

/** As many as the kernel has for a program at a port. */
#define HCA_AGENTS_MAX 32

/** An agent: the engine's and the kernel's. */
struct hca_agent {
    weft_mad_agent_id id; /* v 0: none */
    uint32_t tid;         /* upper half of the engine's transaction ids */
    int number;           /* the kernel's */
    uint8_t qpn;
    uint8_t mgmt_class;
};

/** What has happened to packets. All only grow. */
struct hca_stats {
    uint64_t sent;
    uint64_t received;
    uint64_t returned; /**< sends whose time at the kernel was up */
    uint64_t refused;  /**< sends not taken since their transaction id is still outstanding there */
    uint64_t short_of; /**< sends not taken for want of memory */
    uint64_t strangers; /**< packets to send, or that came, of no agent that is known */
};

/** A program at a port. */
struct hca_link {
    struct weft_mad_port *engine;
    weft_time now;
    bool ended; /* the adapter has gone */
    struct hca_choice choice;
    struct hca_stats stats;
    /* private to hca_link.c */
    int portids[2]; /* by QP; the same where one device does both; -1: none */
    struct hca_room room;
    uint16_t base_lid;
    uint8_t lmc;
    struct hca_agent agents[2][HCA_AGENTS_MAX]; /* by QP */
    void *packet;                               /* an ib_user_mad with room for a MAD */
};

/** Opens a port and makes the engine.
 * @param choice  from hca_ports_choose(), among what hca_ports_read() has found
 * @param c       of the engine; port number and hop rules are filled in. NULL: the defaults
 * @param text    why not: a sentence that says what to do
 * @return 0; WEFT_ERR_STATE: the kernel refuses; WEFT_ERR_NOMEM; WEFT_ERR_INVALID: a field of c is
 *         out of its range */
int hca_link_open(struct hca_link *ret, const struct hca_choice *choice,
                  const struct weft_mad_config *c, char text[CHANNEL_TEXT_BYTES]);

/** Closes the port and frees the engine with all its sends. */
void hca_link_close(struct hca_link *l);

/** As mad_link_agent_add(). */
int hca_link_agent_add(struct hca_link *l, const struct weft_mad_agent_req *r,
                       weft_mad_agent_id *ret, char text[CHANNEL_TEXT_BYTES]);

/** As weft_mad_agent_remove(). */
int hca_link_agent_remove(struct hca_link *l, weft_mad_agent_id id);

/** Whether it is ibsim's library that is behind the port. */
bool hca_link_is_ibsim(const struct hca_link *l);

/** Asks anew what the port is like.
 * @return whether there was an answer */
bool hca_link_look(struct hca_link *l);

/** Feeds the engine what has come, fires timers, and sends what is due. */
void hca_link_move(struct hca_link *l);

/** As mad_link_wait(). */
void hca_link_wait(struct hca_link *l, weft_time until);

#endif
