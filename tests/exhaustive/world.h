/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A small world around one port: its client, its host and its wire, one operation at a time.
 */
#ifndef WEFT_TESTS_EXHAUSTIVE_WORLD_H
#define WEFT_TESTS_EXHAUSTIVE_WORLD_H

#include <weft/mad.h>
#include <weft/wire.h>

enum world_limits {
    WORLD_SENDS = 4,
    WORLD_HELD = 12,
    WORLD_KEPT = 16,
    WORLD_FILLED = 63,
    WORLD_MESSAGE_BYTES = 700,
    WORLD_NO_SEND = 0xff
};

/** A send that the client may post. */
struct world_plan_send {
    uint8_t mgmt_class;
    uint8_t method;
    uint8_t retries;
    uint16_t dlid;
    uint16_t len;
    bool rmpp;
    weft_time timeout, queue_timeout;
};

/** What a world is made of; constant while it is explored. */
struct world_plan {
    struct weft_mad_config config;
    struct weft_mad_agent_req agent;
    struct world_plan_send sends[WORLD_SENDS];
    uint8_t send_count;
    bool drain_is_op;   /**< events wait until an operation drains them; else drained at once */
    bool release_is_op; /**< messages are kept until an operation releases them */
    uint8_t filled;     /**< receive buffers that are in use from the start */
};

struct world_send {
    weft_mad_send_id id;
    uint64_t tid;
    bool posted, received, done;
};

/** Everything that is not in the port; a plain value, so that a copy is a snapshot. */
struct world {
    const struct world_plan *plan;
    struct weft_mad_port *port;
    weft_mad_agent_id agent;
    uint32_t agent_tid;
    bool removed;
    uint8_t held_count, kept_count;
    bool kept_device[WORLD_KEPT];
    weft_mad_tx_id held[WORLD_HELD]; /* packets with the host, oldest first */
    weft_mad_recv_id kept[WORLD_KEPT];
    bool filled; /* the buffers in use from the start still are */
    weft_time now;
    uint32_t unsolicited; /* messages nobody asked for that were delivered */
    uint32_t granted;     /* highest segment that an ACK has allowed */
    struct world_send sends[WORLD_SENDS];
};

/** One operation. */
struct world_op {
    const char *name;
    /** Does it; false: it is not possible now, nothing was done. */
    bool (*apply)(struct world *w, const struct world_op *op);
    uint8_t send;     /**< the send concerned, or WORLD_NO_SEND */
    uint32_t number;  /**< segment, place in a list, or status */
    uint32_t number2; /**< window, length or flags */
};

/** What went wrong; NULL while all is well. The first fault stays. */
extern const char *world_fault;

/** Makes the world's port and agent.
 * @param alloc  where the port's memory comes from */
void world_begin(struct world *w, const struct world_plan *plan, const struct weft_alloc *alloc);

/** Lets the engine's own packets (ACKs and the like) leave: when they do decides nothing. */
void world_send_control(struct world *w);

/** Checks what must be true between any two operations; sets world_fault. */
void world_check(const struct world *w);

/** Heals the world: hands over all packets, releases all messages, lets all timers fire. Then every
 * send must have ended and everything must have been given back; sets world_fault. */
void world_heal(struct world *w);

/** Hashes what is not in the port. */
uint64_t world_hash(const struct world *w);

bool world_post(struct world *w, const struct world_op *op);
bool world_poll_tx(struct world *w, const struct world_op *op);
bool world_sent(struct world *w, const struct world_op *op);     /**< number: place in held */
bool world_not_sent(struct world *w, const struct world_op *op); /**< number: place in held */
bool world_answer(struct world *w, const struct world_op *op);   /**< number: MAD status */
bool world_advance(struct world *w, const struct world_op *op);
bool world_cancel(struct world *w, const struct world_op *op);
bool world_set_timeout(struct world *w, const struct world_op *op);
bool world_remove(struct world *w, const struct world_op *op);
bool world_drain(struct world *w, const struct world_op *op);
bool world_release(struct world *w, const struct world_op *op);
bool world_request(struct world *w, const struct world_op *op); /**< an unsolicited MAD arrives */
bool world_device_answer(struct world *w, const struct world_op *op);
bool world_device_pass(struct world *w, const struct world_op *op);
bool world_ack(struct world *w, const struct world_op *op);   /**< segment, NewWindowLast */
bool world_abort(struct world *w, const struct world_op *op); /**< status; 1: a STOP */
/** A segment arrives that answers the send, or of an unsolicited transfer.
 * number: segment; number2: number of the last one, which carries the flag. */
bool world_segment(struct world *w, const struct world_op *op);
bool world_segment_abort(struct world *w, const struct world_op *op); /**< by its sender */

#endif
