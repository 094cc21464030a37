/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Sends: lookup, the step of the machine, and how they end.
 */
#ifndef WEFT_CORE_MAD_SEND_H
#define WEFT_CORE_MAD_SEND_H

#include "core/mad/agent.h"
#include "core/mad/engine.h"

static inline weft_mad_send_id send_id(const struct weft_mad_port *p, const struct send *s)
{
    return (weft_mad_send_id){pool_handle(&p->sends, s)};
}

/** The head of a trace event about a send. */
static inline struct weft_trace_event
send_trace_event(const struct weft_mad_port *p, const struct send *s, enum weft_trace_type type)
{
    return (struct weft_trace_event){
        .type = type, .agent = agent_id(p, s->agent), .send = send_id(p, s), .tid = s->tid};
}

/** The send of a handle, or NULL when it is stale. */
struct send *send_lookup(const struct weft_mad_port *p, weft_mad_send_id id);

/** Applies an input: the only place where a send's state and the counts that follow from it change.
 * @return the verdict; SEND_NEVER has changed nothing */
enum send_verdict send_step(struct weft_mad_port *p, struct send *s, enum send_input input);

/** Applies an input that begins an attempt: its first packet becomes due. */
void send_begin_attempt(struct weft_mad_port *p, struct send *s, enum send_input input);

/** Applies an input that must finish the send, frees what it held, lets others go, and queues its
 * SEND_DONE. */
void send_finish(struct weft_mad_port *p, struct send *s, enum send_input input,
                 enum weft_mad_status status);

/** Gives the slot back after SEND_DONE was polled. */
void send_free(struct weft_mad_port *p, struct send *s);

/** The send's timer fired. */
void send_timer(struct weft_mad_port *p, struct send *s);

/** A packet of it is handed to the host. */
void send_packet_leaves(struct weft_mad_port *p, struct send *s);

/** Its turn to be transmitted came after it was answered or given up. */
void send_skipped(struct weft_mad_port *p, struct send *s);

/** Its packet came back from the host. */
void send_completed(struct weft_mad_port *p, struct send *s, bool ok);

/** An answer has arrived whole and was queued for the agent. */
void send_answered(struct weft_mad_port *p, struct send *s);

/** A BUSY answer has arrived that is taken as no reply. */
void send_busy(struct weft_mad_port *p, struct send *s);

/** Its RMPP transfer failed, by this side's judgement or the other's. */
void send_rmpp_failed(struct weft_mad_port *p, struct send *s, uint8_t rmpp_status, bool local);

/** Its agent is being removed. */
void send_agent_removed(struct weft_mad_port *p, struct send *s);

#endif
