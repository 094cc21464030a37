/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sends: the one function that changes their state, and what each input brings with it. */
#include "core/mad/send.h"

#include "core/mad/agent.h"
#include "core/mad/device.h"
#include "core/mad/event.h"
#include "core/mad/flow.h"
#include "core/mad/match.h"
#include "core/mad/retry.h"
#include "core/mad/rmpp_rx.h"
#include "core/mad/rmpp_tx.h"
#include "core/mad/tx.h"

struct send *send_lookup(const struct weft_mad_port *p, weft_mad_send_id id)
{
    return pool_find(&p->sends, id.v);
}

static void send_trace(const struct weft_mad_port *p, const struct send *s, enum send_input input,
                       enum weft_mad_state from, bool refused)
{
    struct weft_trace_event ev = send_trace_event(p, s, WEFT_TRACE_STATE);

    ev.u.state.refused = refused;
    ev.u.state.from = from;
    ev.u.state.to = (enum weft_mad_state)s->state;
    ev.u.state.event = send_input_name(input);
    engine_trace(p, &ev);
}

static void send_enter(struct weft_mad_port *p, struct send *s, enum weft_mad_state next)
{
    bool was_outstanding = send_is_outstanding(s), was_queued = s->state == WEFT_MAD_QUEUED;

    s->state = (uint8_t)next;
    if (send_is_outstanding(s) != was_outstanding)
        flow_count_outstanding(p, s, !was_outstanding);
    if ((next == WEFT_MAD_QUEUED) != was_queued)
        flow_count_queued(p, s, !was_queued);
}

enum send_verdict send_step(struct weft_mad_port *p, struct send *s, enum send_input input)
{
    enum weft_mad_state from = (enum weft_mad_state)s->state;
    struct send_cell cell = send_fsm_cell(from, input);

    if (cell.verdict == SEND_NEVER) {
        WEFT_ASSERT(cell.verdict != SEND_NEVER);
        p->stats.illegal++;
    }
    if (cell.verdict == SEND_TO)
        send_enter(p, s, cell.next);
    if (p->config.trace && cell.verdict != SEND_DROP)
        send_trace(p, s, input, from, cell.verdict == SEND_NEVER);
    return cell.verdict;
}

void send_begin_attempt(struct weft_mad_port *p, struct send *s, enum send_input input)
{
    if (send_step(p, s, input) != SEND_TO)
        return;
    s->flags |= SEND_NEW_ATTEMPT;
    tx_due(p, s);
}

static void send_count_end(struct send *s, enum weft_mad_status status)
{
    struct weft_mad_agent_stats *st = &s->agent->stats;

    switch (status) {
    case WEFT_MAD_OK:
        break;
    case WEFT_MAD_TIMEOUT:
        st->timed_out++;
        break;
    case WEFT_MAD_FLUSHED:
        st->canceled++;
        break;
    case WEFT_MAD_TX_ERROR:
        st->tx_errors++;
        break;
    case WEFT_MAD_RMPP_ABORTED:
        st->rmpp_aborted++;
        break;
    case WEFT_MAD_QUEUE_TIMEOUT:
        st->queue_timed_out++;
        break;
    }
}

void send_finish(struct weft_mad_port *p, struct send *s, enum send_input input,
                 enum weft_mad_status status)
{
    bool was_queued = s->state == WEFT_MAD_QUEUED;

    if (send_step(p, s, input) != SEND_TO)
        return;
    match_forget(p, s);
    timers_disarm(&p->timers, pool_slot(&p->sends, s));
    if (was_queued)
        flow_leave(p, s);
    if (s->transfer)
        rmpp_rx_request_gone(p, s);
    s->status = (uint8_t)status;
    send_count_end(s, status);
    flow_freed(p, s);
    flow_peer_release(p, s);
    event_push_send(p, s);
}

void send_free(struct weft_mad_port *p, struct send *s)
{
    struct agent *a = s->agent;

    pool_give(&p->sends, s);
    WEFT_ASSERT(s->state == WEFT_MAD_DONE && a->live_sends > 0);
    a->live_sends--;
    agent_free_if_gone(p, a);
}

static void send_attempt_again(struct weft_mad_port *p, struct send *s)
{
    if (!flow_retry_must_queue(p, s)) {
        send_begin_attempt(p, s, SEND_RETRY);
        return;
    }
    if (send_step(p, s, SEND_RETRY_QUEUED) != SEND_TO)
        return;
    /* those who waited get the place before it stands in line itself */
    flow_freed(p, s);
    flow_enqueue(p, s);
}

/* The wait for the answer, or for an ACK, is over. */
static void send_timed_out(struct weft_mad_port *p, struct send *s)
{
    flow_peer_lost(p, s);
    if ((s->flags & SEND_RMPP) != 0) {
        if (rmpp_tx_rewind(p, s)) {
            send_begin_attempt(p, s, SEND_RETRY);
            return;
        }
    } else if (retry_next(p, s)) {
        send_attempt_again(p, s);
        return;
    }
    send_finish(p, s, SEND_TIMEOUT, WEFT_MAD_TIMEOUT);
}

void send_timer(struct weft_mad_port *p, struct send *s)
{
    switch ((enum weft_mad_state)s->state) {
    case WEFT_MAD_WAIT_RESP:
        send_timed_out(p, s);
        break;
    case WEFT_MAD_QUEUED:
        send_finish(p, s, SEND_QUEUE_DUE, WEFT_MAD_QUEUE_TIMEOUT);
        break;
    case WEFT_MAD_CANCELED:
        send_finish(p, s, SEND_CANCEL_DUE, WEFT_MAD_FLUSHED);
        break;
    case WEFT_MAD_INIT:
    case WEFT_MAD_SEND_START:
    case WEFT_MAD_EARLY_RESP:
    case WEFT_MAD_LOCAL:
    case WEFT_MAD_DONE:
        /* these states have no timer */
        WEFT_ASSERT(false);
        break;
    }
}

void send_packet_leaves(struct weft_mad_port *p, struct send *s)
{
    if ((s->flags & SEND_NEW_ATTEMPT) == 0)
        return;
    s->flags &= (uint8_t)~SEND_NEW_ATTEMPT;
    if (s->attempts > 0) {
        s->agent->stats.retried++;
        p->stats.retried++;
    }
    if (s->attempts < UINT16_MAX)
        s->attempts++;
}

/* How a send ends from whose packet nothing more is awaited. */
static enum weft_mad_status send_packet_status(const struct send *s, bool ok)
{
    if (s->state == WEFT_MAD_CANCELED)
        return WEFT_MAD_FLUSHED;
    if (!ok)
        return WEFT_MAD_TX_ERROR;
    return (enum weft_mad_status)s->status;
}

void send_skipped(struct weft_mad_port *p, struct send *s)
{
    send_finish(p, s, SEND_SKIPPED, send_packet_status(s, true));
}

void send_completed(struct weft_mad_port *p, struct send *s, bool ok)
{
    enum send_input input = SEND_SENT_LAST;
    weft_time wait = 0;

    if (!ok)
        input = SEND_SENT_ERROR;
    else if ((s->flags & SEND_RMPP) != 0)
        input = rmpp_tx_completed(p, s, &wait);
    else if (s->timeout > 0) {
        input = SEND_SENT_AWAIT;
        wait = s->plain.wait;
    }

    s->sent_at = p->now;
    if (s->state != WEFT_MAD_SEND_START) {
        send_finish(p, s, input, send_packet_status(s, ok));
    } else if (input == SEND_SENT_AWAIT) {
        if (send_step(p, s, input) == SEND_TO)
            timers_arm(&p->timers, pool_slot(&p->sends, s), engine_later(p->now, wait));
    } else if (input == SEND_SENT_MORE) {
        if (send_step(p, s, input) == SEND_STAY)
            tx_due(p, s);
    } else {
        send_finish(p, s, input, ok ? WEFT_MAD_OK : WEFT_MAD_TX_ERROR);
    }
}

void send_busy(struct weft_mad_port *p, struct send *s)
{
    if (send_step(p, s, SEND_BUSY) != SEND_STAY)
        return;
    s->flags |= SEND_NOTED_BUSY;
    s->agent->stats.busy++;
    flow_peer_lost(p, s);
}

void send_answered(struct weft_mad_port *p, struct send *s)
{
    flow_peer_answered(p, s);
    if (s->state != WEFT_MAD_SEND_START) {
        send_finish(p, s, SEND_RESPONSE, WEFT_MAD_OK);
        return;
    }
    /* the answer overtook the packet's completion, whose status the send will report */
    if (send_step(p, s, SEND_RESPONSE) == SEND_TO)
        flow_freed(p, s);
}

void send_rmpp_failed(struct weft_mad_port *p, struct send *s, uint8_t rmpp_status, bool local)
{
    s->rmpp.status = rmpp_status;
    s->rmpp.local = local;
    if (s->state != WEFT_MAD_SEND_START) {
        send_finish(p, s, SEND_RMPP_FAIL, WEFT_MAD_RMPP_ABORTED);
        return;
    }
    if (send_step(p, s, SEND_RMPP_FAIL) != SEND_TO)
        return;
    s->status = WEFT_MAD_RMPP_ABORTED;
    if (s->transfer)
        rmpp_rx_request_gone(p, s);
    flow_freed(p, s);
}

void send_agent_removed(struct weft_mad_port *p, struct send *s)
{
    bool reported_by_timer =
        s->state == WEFT_MAD_CANCELED && timers_armed(&p->timers, pool_slot(&p->sends, s));

    if (s->state == WEFT_MAD_LOCAL)
        device_send_gone(p, s);
    if (reported_by_timer) {
        send_finish(p, s, SEND_CANCEL_DUE, WEFT_MAD_FLUSHED);
    } else if (send_fsm_cell((enum weft_mad_state)s->state, SEND_REMOVE).next == WEFT_MAD_DONE) {
        send_finish(p, s, SEND_REMOVE, WEFT_MAD_FLUSHED);
    } else if (send_step(p, s, SEND_REMOVE) == SEND_TO) {
        if (s->transfer)
            rmpp_rx_request_gone(p, s);
        flow_freed(p, s);
    }
}

int weft_mad_cancel(struct weft_mad_port *p, weft_time now, weft_mad_send_id id)
{
    struct send *s = send_lookup(p, id);
    bool was_queued, was_waiting;
    int err = engine_clock(p, now);

    if (err < 0)
        return err;
    if (!s)
        return WEFT_ERR_STALE;
    was_queued = s->state == WEFT_MAD_QUEUED;
    was_waiting = s->state == WEFT_MAD_WAIT_RESP;
    if (send_step(p, s, SEND_CANCEL) != SEND_TO)
        return WEFT_ERR_STATE;
    if (was_queued)
        flow_leave(p, s);
    if (was_queued || was_waiting)
        timers_arm(&p->timers, pool_slot(&p->sends, s), now);
    if (s->transfer)
        rmpp_rx_request_gone(p, s);
    flow_freed(p, s);
    return 0;
}

int weft_mad_set_timeout(struct weft_mad_port *p, weft_time now, weft_mad_send_id id,
                         weft_time timeout)
{
    struct send *s = send_lookup(p, id);
    int err = engine_clock(p, now);

    if (err < 0)
        return err;
    if (!s)
        return WEFT_ERR_STALE;
    if (timeout == 0 || s->timeout == 0)
        return WEFT_ERR_INVALID;
    if (send_step(p, s, SEND_MODIFY) != SEND_STAY)
        return WEFT_ERR_STATE;
    /* nothing is awaited any more, and where the waits were may stand why the transfer failed */
    if (s->state == WEFT_MAD_EARLY_RESP)
        return 0;
    s->timeout = timeout;
    if ((s->flags & SEND_RMPP) != 0)
        timeout = rmpp_tx_wait(p, s);
    else
        s->plain.wait = timeout;
    if (s->state == WEFT_MAD_WAIT_RESP)
        timers_arm(&p->timers, pool_slot(&p->sends, s), engine_later(now, timeout));
    return 0;
}

int weft_mad_send_state(const struct weft_mad_port *p, weft_mad_send_id id,
                        enum weft_mad_state *ret)
{
    const struct send *s = send_lookup(p, id);

    if (!s)
        return WEFT_ERR_STALE;
    *ret = (enum weft_mad_state)s->state;
    return 0;
}
