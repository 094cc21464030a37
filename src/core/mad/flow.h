/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Flow control: which sends may be outstanding, and who goes next.
 *
 * Three gates, each optional: the agent's limit, the port's receive buffers, and the destination's
 * window. A send that may not go waits in a backlog: its agent's, or, when windows are on, that of
 * its agent and destination. A backlog stands in the line of what stops its first send; whenever
 * something is freed the lines that it can help are served in turn, and no other is looked at.
 */
#ifndef WEFT_CORE_MAD_FLOW_H
#define WEFT_CORE_MAD_FLOW_H

#include "core/mad/engine.h"

/** The agent's limit for its class (Linux get_sol_fc_max_outstanding). */
uint32_t flow_agent_limit(const struct weft_mad_port *p, const struct agent *a);

/** Makes an empty backlog of an agent's sends. */
void flow_backlog_init(struct backlog *b, struct agent *a);

/** Moves the counts of outstanding sends when a send enters or leaves those states. */
void flow_count_outstanding(struct weft_mad_port *p, struct send *s, bool enters);

/** Moves the counts of queued sends. */
void flow_count_queued(struct weft_mad_port *p, struct send *s, bool enters);

/** Gives a new send its flags and its destination's window. */
void flow_classify(struct weft_mad_port *p, struct send *s);

/** Whether a new send must go into its backlog. */
bool flow_post_must_queue(const struct weft_mad_port *p, const struct send *s);

/** Whether a send in WAIT_RESP that is to be sent again must queue behind others. */
bool flow_retry_must_queue(const struct weft_mad_port *p, const struct send *s);

/** Puts a send that has just become QUEUED at the end of its backlog. */
void flow_enqueue(struct weft_mad_port *p, struct send *s);

/** A queued send leaves from the middle of its backlog. */
void flow_leave(struct weft_mad_port *p, struct send *s);

/** What a send held is free: lets others go. */
void flow_freed(struct weft_mad_port *p, struct send *s);

/** A receive buffer was given back: lets others go. */
void flow_buffer_freed(struct weft_mad_port *p);

/** Whether a receive buffer is free that no outstanding request counts on. */
bool flow_buffer_to_spare(const struct weft_mad_port *p);

/** Whether an unsolicited transfer that is complete may keep its buffer. While it was coming in it
 * could be made to give way to an answer; from now on it cannot. */
bool flow_transfer_may_stay(const struct weft_mad_port *p);

/** The destination answered, or did not (timeout or BUSY). */
void flow_peer_answered(struct weft_mad_port *p, struct send *s);
void flow_peer_lost(struct weft_mad_port *p, struct send *s);

/** The send does not need its destination's entry any longer. */
void flow_peer_release(struct weft_mad_port *p, struct send *s);

/** What stops the first send of a backlog. */
enum flow_gate {
    FLOW_OPEN,
    FLOW_PEER,
    FLOW_AGENT,
    FLOW_PORT
};

enum flow_gate flow_gate(const struct weft_mad_port *p, const struct send *s);

#endif
