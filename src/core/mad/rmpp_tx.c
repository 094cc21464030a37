/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RMPP, sender's side. One segment of a send is with the host at a time; the window says how far
 * it may go before an ACK. While segments are outstanding the timer waits for an ACK; once all are
 * acknowledged it waits for the answer, and nothing is sent again. */
#include "core/mad/rmpp_tx.h"

#include "core/mad/flow.h"
#include "core/mad/match.h"
#include "core/mad/rmpp_reply.h"
#include "core/mad/rmpp_rx.h"
#include "core/mad/send.h"
#include "core/mad/tx.h"

#include <string.h>

/* Bytes of client data in one segment: what the class header leaves. */
static uint32_t segment_bytes(const struct send *s)
{
    return WEFT_MAD_BYTES - mad_class_data_offset(s->mgmt_class);
}

static uint32_t segment_count(uint32_t bytes, uint32_t per)
{
    return bytes == 0 ? 1 : (bytes - 1) / per + 1;
}

static bool all_acked(const struct send *s)
{
    return s->rmpp.acked == s->rmpp.segments;
}

bool rmpp_tx_length_valid(uint8_t mgmt_class, uint32_t len)
{
    uint32_t head = mad_class_data_offset(mgmt_class);
    uint64_t segments = segment_count(len - head, WEFT_MAD_BYTES - head);

    return len - head + segments * (head - WEFT_RMPP_DATA_OFFSET) <= UINT32_MAX;
}

/* Whether a further segment may be sent. */
static bool more_allowed(const struct send *s)
{
    return s->rmpp.sent < s->rmpp.segments && s->rmpp.sent < s->rmpp.window_last;
}

void rmpp_tx_begin(struct weft_mad_port *p, struct send *s, uint8_t retries)
{
    uint32_t bytes = s->len - mad_class_data_offset(s->mgmt_class), per = segment_bytes(s);

    s->rmpp = (struct rmpp_send){.segments = segment_count(bytes, per),
                                 .window_last = 1,
                                 .retries = retries,
                                 .retries_left = retries};
    if (s->flags & SEND_ANSWERS)
        s->rmpp.window_last = rmpp_rx_reply_window(p, s);
}

/* Segment lengths (IBA 13.6.2): the first tells the whole payload, class headers included, the last
 * its own; those between 0. */
static uint32_t payload_length(const struct send *s, uint32_t segment)
{
    uint32_t bytes = s->len - mad_class_data_offset(s->mgmt_class), per = segment_bytes(s);
    uint32_t pad = s->rmpp.segments * per - bytes;

    if (segment == 1)
        return s->rmpp.segments * WEFT_RMPP_SEGMENT_BYTES - pad;
    return segment == s->rmpp.segments ? WEFT_RMPP_SEGMENT_BYTES - pad : 0;
}

void rmpp_tx_build(struct weft_mad_port *p, struct send *s, uint8_t *mad)
{
    uint32_t head = mad_class_data_offset(s->mgmt_class), per = segment_bytes(s);
    uint32_t segment = ++s->rmpp.sent, off = head + (segment - 1) * per;
    uint32_t bytes = s->len - off < per ? s->len - off : per;
    uint8_t flags = WEFT_RMPP_FLAG_ACTIVE;

    if (segment > s->rmpp.high)
        s->rmpp.high = segment;
    else
        p->stats.rmpp_resent++;
    if (segment == 1)
        flags |= WEFT_RMPP_FLAG_FIRST;
    if (segment == s->rmpp.segments)
        flags |= WEFT_RMPP_FLAG_LAST;
    memcpy(mad, s->data, head);
    memcpy(mad + head, s->data + off, bytes);
    memset(mad + head + bytes, 0, per - bytes);
    rmpp_set_version(mad, WEFT_RMPP_VERSION);
    rmpp_set_type(mad, WEFT_RMPP_DATA);
    rmpp_set_resp_time(mad, WEFT_RMPP_RESP_TIME_UNKNOWN);
    rmpp_set_flags(mad, flags);
    rmpp_set_status(mad, WEFT_RMPP_STATUS_OK);
    rmpp_set_segment(mad, segment);
    rmpp_set_length(mad, payload_length(s, segment));
}

weft_time rmpp_tx_wait(const struct weft_mad_port *p, const struct send *s)
{
    weft_time ack = p->config.rmpp.ack_ns;

    if (all_acked(s))
        return s->timeout;
    return s->timeout > 0 && s->timeout < ack ? s->timeout : ack;
}

enum send_input rmpp_tx_completed(const struct weft_mad_port *p, struct send *s,
                                  weft_time *ret_wait)
{
    if (all_acked(s) && s->timeout == 0)
        return SEND_SENT_LAST;
    if (more_allowed(s))
        return SEND_SENT_MORE;
    *ret_wait = rmpp_tx_wait(p, s);
    return SEND_SENT_AWAIT;
}

/* Tells the receiver that this side gives up: it need not keep what it has. */
static void tell_giving_up(struct weft_mad_port *p, const struct send *s)
{
    uint8_t mad[WEFT_MAD_BYTES] = {0};

    memcpy(mad, s->data, mad_class_data_offset(s->mgmt_class));
    mad_set_tid(mad, s->tid);
    rmpp_set_version(mad, WEFT_RMPP_VERSION);
    rmpp_make_abort(mad, WEFT_RMPP_STATUS_TMR);
    if (tx_control(p, WEFT_QP_GSI, &s->to, mad))
        p->stats.rmpp_aborts_sent++;
}

bool rmpp_tx_rewind(struct weft_mad_port *p, struct send *s)
{
    if (all_acked(s))
        return false;
    if (s->rmpp.retries_left == 0) {
        tell_giving_up(p, s);
        return false;
    }
    s->rmpp.retries_left--;
    s->rmpp.sent = s->rmpp.acked;
    /* nothing further is granted: the last segment acknowledged asks for the ACK once more */
    if (s->rmpp.acked > 0 && s->rmpp.acked == s->rmpp.window_last)
        s->rmpp.sent--;
    return true;
}

/* Double-sided transfers: having all of the request acknowledged, the requester grants the first
 * window of the answer by an ACK of segment 0. */
static void grant_answer(struct weft_mad_port *p, const struct weft_mad_rx *rx)
{
    rmpp_reply_ack(p, rx, 0, 1);
}

/* Nothing is left to do for the transfer: it is acknowledged, given up or answered. */
static bool transfer_is_over(const struct send *s)
{
    return all_acked(s) || (s->state != WEFT_MAD_SEND_START && s->state != WEFT_MAD_WAIT_RESP);
}

/* The last ACK: the send is done, or waits for its answer. */
static void ack_is_final(struct weft_mad_port *p, struct send *s, const struct weft_mad_rx *rx)
{
    if (s->timeout == 0) {
        if (s->state == WEFT_MAD_WAIT_RESP)
            send_finish(p, s, SEND_ACK_FINAL, WEFT_MAD_OK);
        else if (send_step(p, s, SEND_ACK_FINAL) == SEND_TO)
            flow_freed(p, s);
        return;
    }
    if (send_step(p, s, SEND_ACK) != SEND_STAY)
        return;
    if (s->state == WEFT_MAD_WAIT_RESP)
        timers_arm(&p->timers, pool_slot(&p->sends, s), engine_later(p->now, s->timeout));
    grant_answer(p, rx);
}

/* After a retry went back, an ACK for what was sent before it shows that less must be sent again. A
 * packet that is due already goes out in any case: it carries a segment that may be sent. */
static void skip_acked(struct send *s, uint32_t segment)
{
    bool due = !list_empty(&s->queue);
    uint32_t allowed =
        s->rmpp.window_last < s->rmpp.segments ? s->rmpp.window_last : s->rmpp.segments;

    if (due && segment == allowed)
        segment--;
    if (s->rmpp.sent < segment)
        s->rmpp.sent = segment;
}

static void ack_is_good(struct weft_mad_port *p, struct send *s, const struct weft_mad_rx *rx)
{
    uint32_t segment = rmpp_segment(rx->data);
    uint32_t slot = pool_slot(&p->sends, s);
    bool progress = segment > s->rmpp.acked;

    s->rmpp.window_last = rmpp_new_window(rx->data);
    if (progress) {
        s->rmpp.acked = segment;
        s->rmpp.retries_left = s->rmpp.retries;
        skip_acked(s, segment);
    }
    if (all_acked(s)) {
        ack_is_final(p, s, rx);
    } else if (more_allowed(s)) {
        if (send_step(p, s, SEND_ACK_MORE) == SEND_TO) {
            timers_disarm(&p->timers, slot);
            tx_due(p, s);
        }
    } else if (send_step(p, s, SEND_ACK) == SEND_STAY) {
        if (progress && s->state == WEFT_MAD_WAIT_RESP)
            timers_arm(&p->timers, slot, engine_later(p->now, rmpp_tx_wait(p, s)));
    }
}

/* Ends our transfer and tells the peer why. */
static enum weft_mad_verdict refuse(struct weft_mad_port *p, struct send *s,
                                    const struct weft_mad_rx *rx, enum weft_rmpp_status status)
{
    rmpp_reply_abort(p, rx, status);
    if (s && !transfer_is_over(s))
        send_rmpp_failed(p, s, (uint8_t)status, true);
    return WEFT_MAD_DROP_RMPP;
}

/* The checks in the order of the Linux MAD layer's process_rmpp_ack. */
static enum weft_mad_verdict receive_ack(struct weft_mad_port *p, struct send *s,
                                         const struct weft_mad_rx *rx)
{
    uint32_t segment = rmpp_segment(rx->data), window = rmpp_new_window(rx->data);

    if (rmpp_status(rx->data) != WEFT_RMPP_STATUS_OK)
        return refuse(p, s, rx, WEFT_RMPP_STATUS_BAD_STATUS);
    if (window < segment)
        return refuse(p, s, rx, WEFT_RMPP_STATUS_W2S);
    if (!s) {
        if (segment == 0 && rmpp_rx_grant(p, rx, window))
            return WEFT_MAD_ACCEPTED;
        return WEFT_MAD_DROP_RMPP;
    }
    /* acknowledged and still outstanding: it awaits its answer, and the grant may have been lost */
    if (all_acked(s) && send_is_outstanding(s) && segment > 0) {
        grant_answer(p, rx);
        return WEFT_MAD_ACCEPTED;
    }
    if (transfer_is_over(s))
        return WEFT_MAD_DROP_RMPP;
    if (segment > s->rmpp.high)
        return refuse(p, s, rx, WEFT_RMPP_STATUS_S2B);
    if (segment < s->rmpp.acked || window < s->rmpp.window_last)
        return WEFT_MAD_DROP_RMPP;
    ack_is_good(p, s, rx);
    return WEFT_MAD_ACCEPTED;
}

static enum weft_mad_verdict receive_end(struct weft_mad_port *p, struct send *s,
                                         const struct weft_mad_rx *rx)
{
    uint8_t status = rmpp_status(rx->data);

    p->stats.rmpp_aborts_seen++;
    if (!rmpp_end_valid(rmpp_type(rx->data), status))
        return refuse(p, s, rx, WEFT_RMPP_STATUS_BAD_STATUS);
    if (!s || transfer_is_over(s))
        return WEFT_MAD_DROP_RMPP;
    send_rmpp_failed(p, s, status, false);
    return WEFT_MAD_ACCEPTED;
}

enum weft_mad_verdict rmpp_tx_control(struct weft_mad_port *p, const struct weft_mad_rx *rx)
{
    struct send *s = match_rmpp(p, rx);

    if (rmpp_version(rx->data) != WEFT_RMPP_VERSION)
        return refuse(p, s, rx, WEFT_RMPP_STATUS_UNV);
    switch (rmpp_type(rx->data)) {
    case WEFT_RMPP_ACK:
        return receive_ack(p, s, rx);
    case WEFT_RMPP_STOP:
    case WEFT_RMPP_ABORT:
        return receive_end(p, s, rx);
    default:
        return refuse(p, s, rx, WEFT_RMPP_STATUS_BADT);
    }
}
