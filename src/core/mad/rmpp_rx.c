/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RMPP, receiver's side. A transfer gathers segments into one receive buffer and its store; once
 * delivered it is remembered for a while, so that a repeated segment whose ACK was lost is
 * acknowledged again. */
#include "core/mad/rmpp_rx.h"

#include "core/mad/agent.h"
#include "core/mad/event.h"
#include "core/mad/flow.h"
#include "core/mad/match.h"
#include "core/mad/recv.h"
#include "core/mad/retry.h"
#include "core/mad/rmpp_reply.h"
#include "core/mad/rmpp_store.h"
#include "core/mad/rmpp_tx.h"
#include "core/mad/send.h"

#include <string.h>

/* What tells one transfer from another (Linux find_rmpp_recv). */
struct transfer_key {
    uint64_t tid;
    uint32_t src_qpn;
    uint16_t slid;
    uint8_t mgmt_class, class_version, method;
};

static struct transfer_key key_of_packet(const struct weft_mad_rx *rx)
{
    return (struct transfer_key){.tid = mad_tid(rx->data),
                                 .src_qpn = rx->from.qpn,
                                 .slid = rx->from.lid,
                                 .mgmt_class = mad_class(rx->data),
                                 .class_version = mad_class_version(rx->data),
                                 .method = mad_method(rx->data)};
}

static uint32_t key_hash(const struct transfer_key *k)
{
    return index_hash(k->tid ^ (uint64_t)k->slid << 16 ^ (uint64_t)k->src_qpn << 32);
}

static struct transfer *transfer_find(const struct weft_mad_port *p, const struct transfer_key *k)
{
    uint32_t hash = key_hash(k), pos = hash, slot;

    while ((slot = index_next(&p->transfer_index, hash, &pos)) != INDEX_EMPTY) {
        struct transfer *t = pool_at(&p->transfers, slot);

        if (t->tid == k->tid && t->slid == k->slid && t->src_qpn == k->src_qpn &&
            t->mgmt_class == k->mgmt_class && t->class_version == k->class_version &&
            t->method == k->method)
            return t;
    }
    return NULL;
}

static uint32_t transfer_timer(const struct weft_mad_port *p, const struct transfer *t)
{
    return p->sends.capacity + pool_slot(&p->transfers, t);
}

static void transfer_trace(const struct weft_mad_port *p, const struct transfer *t,
                           enum weft_trace_rmpp what, uint8_t status)
{
    struct weft_trace_event ev = {
        .type = WEFT_TRACE_RMPP, .agent = agent_id(p, t->agent), .tid = t->tid};

    if (!p->config.trace)
        return;
    ev.u.rmpp.what = what;
    ev.u.rmpp.segments = t->arrived;
    ev.u.rmpp.status = status;
    engine_trace(p, &ev);
}

/* Ties a transfer to the request it answers: that one's receive buffer is taken now. */
static void transfer_attach(struct weft_mad_port *p, struct transfer *t, struct send *s)
{
    t->request = s;
    s->transfer = t;
    if (send_is_outstanding(s))
        p->gathering++;
}

static void transfer_detach(struct weft_mad_port *p, struct transfer *t)
{
    struct send *s = t->request;

    if (!s)
        return;
    WEFT_ASSERT(s->transfer == t && (!send_is_outstanding(s) || p->gathering > 0));
    if (send_is_outstanding(s))
        p->gathering--;
    s->transfer = NULL;
    t->request = NULL;
}

/* Forgets a transfer and gives everything back that it holds. */
static void transfer_end(struct weft_mad_port *p, struct transfer *t, uint8_t status)
{
    struct recv *r = t->recv;

    WEFT_ASSERT(!r || r->solicited || p->gathering_unsolicited > 0);
    if (r && !r->solicited)
        p->gathering_unsolicited--;
    transfer_trace(p, t, WEFT_TRACE_RMPP_END, status);
    transfer_detach(p, t);
    timers_disarm(&p->timers, transfer_timer(p, t));
    list_remove(&t->age);
    index_remove(&p->transfer_index, t->hash, pool_slot(&p->transfers, t));
    pool_give(&p->transfers, t);
    if (r)
        recv_free(p, r);
}

/* Ends a transfer that cannot be completed, and the request that it answers; `local`: for what this
 * side found or could not provide, else the peer has ended it. */
static enum weft_mad_verdict transfer_fail(struct weft_mad_port *p, struct transfer *t,
                                           uint8_t status, bool local)
{
    struct send *s = t->request;

    transfer_end(p, t, status);
    if (s)
        send_rmpp_failed(p, s, status, local);
    return WEFT_MAD_DROP_RMPP;
}

bool rmpp_rx_make_room(struct weft_mad_port *p)
{
    struct list_node *oldest = list_first(&p->transfers_unsolicited);
    struct weft_mad_rx rx;
    struct transfer *t;

    if (!oldest)
        return false;
    t = WEFT_CONTAINER_OF(oldest, struct transfer, age);
    rx = recv_packet(t->recv, t->recv->mad);
    rmpp_reply_stop(p, &rx);
    transfer_end(p, t, WEFT_RMPP_STATUS_RESX);
    return true;
}

/* A slot for a new transfer: the oldest of those only remembered gives way, and to an answer also
 * the oldest that nobody asked for. */
static struct transfer *transfer_room(struct weft_mad_port *p, bool solicited)
{
    struct transfer *t = pool_take(&p->transfers);
    struct list_node *oldest;

    if (t)
        return t;
    oldest = list_first(&p->transfers_complete);
    if (oldest)
        transfer_end(p, WEFT_CONTAINER_OF(oldest, struct transfer, age), WEFT_RMPP_STATUS_OK);
    else if (!solicited || !rmpp_rx_make_room(p))
        return NULL;
    return pool_take(&p->transfers);
}

static struct transfer *transfer_begin(struct weft_mad_port *p, struct agent *a,
                                       const struct transfer_key *k, struct recv *r)
{
    struct transfer *t = transfer_room(p, r->solicited);

    if (!t)
        return NULL;
    pool_clear(t, sizeof(*t));
    t->hash = key_hash(k);
    t->mgmt_class = k->mgmt_class;
    t->class_version = k->class_version;
    t->method = k->method;
    t->slid = k->slid;
    t->src_qpn = k->src_qpn;
    t->tid = k->tid;
    t->agent = a;
    t->recv = r;
    t->window_last = 1;
    t->reply_window = 1;
    list_init(&t->age);
    r->stride = WEFT_MAD_BYTES - mad_class_data_offset(k->mgmt_class);
    index_put(&p->transfer_index, t->hash, pool_slot(&p->transfers, t));
    timers_arm(&p->timers, transfer_timer(p, t), engine_later(p->now, p->config.rmpp.receive_ns));
    if (!r->solicited) {
        list_push_back(&p->transfers_unsolicited, &t->age);
        p->gathering_unsolicited++;
    }
    transfer_trace(p, t, WEFT_TRACE_RMPP_BEGIN, 0);
    return t;
}

static bool map_has(const struct transfer *t, uint32_t segment)
{
    uint32_t bit = segment % ENGINE_WINDOW_MAX;

    return (t->map[bit / 64] >> (bit % 64) & 1) != 0;
}

static void map_flip(struct transfer *t, uint32_t segment)
{
    uint32_t bit = segment % ENGINE_WINDOW_MAX;

    t->map[bit / 64] ^= UINT64_C(1) << (bit % 64);
}

/* All segments are there: hands the message to its agent and remembers the transfer. */
static void transfer_complete(struct weft_mad_port *p, struct transfer *t)
{
    struct recv *r = t->recv;
    struct send *s = t->request;
    uint32_t pad = WEFT_RMPP_SEGMENT_BYTES - t->last_len;

    WEFT_ASSERT(r->solicited || p->gathering_unsolicited > 0);
    if (!r->solicited)
        p->gathering_unsolicited--;
    t->complete = true;
    t->recv = NULL;
    list_remove(&t->age);
    list_push_back(&p->transfers_complete, &t->age);
    timers_arm(&p->timers, transfer_timer(p, t), engine_later(p->now, p->config.rmpp.keep_ns));
    transfer_trace(p, t, WEFT_TRACE_RMPP_COMPLETE, 0);

    r->agent = t->agent;
    r->len = WEFT_MAD_BYTES + (t->last - 1) * r->stride - pad;
    r->head_bytes = r->len < WEFT_MAD_BYTES ? r->len : WEFT_MAD_BYTES;
    r->cursor_block = POOL_NONE;
    event_push_recv(p, r);
    transfer_detach(p, t);
    if (s)
        send_answered(p, s);
}

/* Whether the flag Last and the lengths of a segment agree with what is known. */
static enum weft_rmpp_status segment_check(const struct transfer *t, const uint8_t *mad)
{
    uint32_t segment = rmpp_segment(mad), len = rmpp_length(mad);
    uint32_t class_header = mad_class_data_offset(mad_class(mad)) - WEFT_RMPP_DATA_OFFSET;
    bool last = (rmpp_flags(mad) & WEFT_RMPP_FLAG_LAST) != 0;

    if (last && (len < class_header || len > WEFT_RMPP_SEGMENT_BYTES))
        return WEFT_RMPP_STATUS_BAD_LEN;
    if (t->last != 0 && (last ? segment != t->last : segment >= t->last))
        return WEFT_RMPP_STATUS_BAD_SEG;
    return last && segment < t->highest ? WEFT_RMPP_STATUS_BAD_SEG : WEFT_RMPP_STATUS_OK;
}

/* Ends a transfer for want of room. */
static enum weft_mad_verdict transfer_refuse(struct weft_mad_port *p, struct transfer *t,
                                             const struct weft_mad_rx *rx)
{
    rmpp_reply_stop(p, rx);
    return transfer_fail(p, t, WEFT_RMPP_STATUS_RESX, true);
}

/* Stores a segment that is new and within the window, and answers it as the rules say: an ACK for
 * the first one, for a full window and for the last, none for others. */
static enum weft_mad_verdict segment_store(struct weft_mad_port *p, struct transfer *t,
                                           const struct weft_mad_rx *rx)
{
    const uint8_t *mad = rx->data;
    uint32_t segment = rmpp_segment(mad);
    uint32_t head = mad_class_data_offset(t->mgmt_class);

    while (segment > 1 && !rmpp_store_put(p, t, segment, mad + head)) {
        if (!t->recv->solicited || !rmpp_rx_make_room(p))
            return transfer_refuse(p, t, rx);
    }
    map_flip(t, segment);
    if (segment > t->highest)
        t->highest = segment;
    if ((rmpp_flags(mad) & WEFT_RMPP_FLAG_LAST) != 0) {
        t->last = segment;
        t->last_len = rmpp_length(mad);
    }
    while (map_has(t, t->arrived + 1)) {
        t->arrived++;
        map_flip(t, t->arrived);
    }
    if (t->arrived == t->last && !t->recv->solicited && !flow_transfer_may_stay(p))
        return transfer_refuse(p, t, rx);
    if (t->arrived == t->last) {
        rmpp_reply_ack(p, rx, t->arrived, t->window_last);
        transfer_complete(p, t);
    } else if (t->arrived == t->window_last) {
        t->window_last += p->config.rmpp.window;
        rmpp_reply_ack(p, rx, t->arrived, t->window_last);
    }
    return WEFT_MAD_ACCEPTED;
}

static enum weft_mad_verdict segment_of(struct weft_mad_port *p, struct transfer *t,
                                        const struct weft_mad_rx *rx)
{
    uint32_t segment = rmpp_segment(rx->data);
    enum weft_rmpp_status status;

    if (segment > t->window_last)
        return WEFT_MAD_DROP_RMPP;
    if (t->complete || segment <= t->arrived) {
        p->stats.rmpp_duplicates++;
        rmpp_reply_ack(p, rx, t->arrived, t->window_last);
        return WEFT_MAD_DROP_RMPP;
    }
    if (map_has(t, segment)) {
        p->stats.rmpp_duplicates++;
        return WEFT_MAD_DROP_RMPP;
    }
    status = segment_check(t, rx->data);
    if (status != WEFT_RMPP_STATUS_OK) {
        rmpp_reply_abort(p, rx, status);
        return transfer_fail(p, t, (uint8_t)status, true);
    }
    return segment_store(p, t, rx);
}

/* Whether a packet comes from where the request went. Some responders answer by another of their
 * LIDs, so this decides only between two answers. */
static bool from_the_asked(const struct send *s, const struct weft_mad_addr *from)
{
    if ((s->flags & SEND_GRH) && from->has_grh)
        return memcmp(s->to.grh.dgid, from->grh.sgid, sizeof(from->grh.sgid)) == 0;
    return s->to.lid == from->lid;
}

/* The first segment of an answer: looks for the request, and what it means for it. */
static enum weft_mad_verdict answer_begins(struct weft_mad_port *p, const struct agent *a,
                                           const struct weft_mad_rx *rx, struct send **ret)
{
    struct send *s = match_response(p, rx);

    if (!s || s->agent != a || a->no_recv)
        return WEFT_MAD_DROP_UNMATCHED;
    if (retry_holds_busy(p, s, mad_status(rx->data))) {
        rmpp_reply_ack(p, rx, 1, 1);
        send_busy(p, s);
        return WEFT_MAD_BUSY_HELD;
    }
    if (s->transfer) {
        if (from_the_asked(s, &s->transfer->recv->from) || !from_the_asked(s, &rx->from))
            return WEFT_MAD_DROP_UNMATCHED;
        transfer_end(p, s->transfer, WEFT_RMPP_STATUS_OK);
    }
    *ret = s;
    return WEFT_MAD_ACCEPTED;
}

/* The first segment of a transfer not known. An answer needs a request that waits for it. */
static enum weft_mad_verdict segment_first(struct weft_mad_port *p, struct agent *a,
                                           const struct transfer_key *k,
                                           const struct weft_mad_rx *rx)
{
    struct send *s = NULL;
    struct transfer *t;
    struct recv *r;

    if (mad_is_response(rx->data)) {
        enum weft_mad_verdict verdict = answer_begins(p, a, rx, &s);

        if (verdict != WEFT_MAD_ACCEPTED)
            return verdict;
    }
    r = recv_take(p, rx, s);
    if (!r)
        return WEFT_MAD_DROP_NO_BUFFER;
    t = transfer_begin(p, a, k, r);
    if (!t) {
        recv_free(p, r);
        rmpp_reply_stop(p, rx);
        return WEFT_MAD_DROP_RMPP;
    }
    if (s)
        transfer_attach(p, t, s);
    return segment_of(p, t, rx);
}

static enum weft_mad_verdict receive_data(struct weft_mad_port *p, struct agent *a,
                                          const struct weft_mad_rx *rx)
{
    const uint8_t *mad = rx->data;
    struct transfer_key k = key_of_packet(rx);
    bool first = (rmpp_flags(mad) & WEFT_RMPP_FLAG_FIRST) != 0;
    struct transfer *t;

    if (rmpp_status(mad) != WEFT_RMPP_STATUS_OK) {
        rmpp_reply_abort(p, rx, WEFT_RMPP_STATUS_BAD_STATUS);
        return WEFT_MAD_DROP_RMPP;
    }
    if (first != (rmpp_segment(mad) == 1)) {
        rmpp_reply_abort(p, rx, WEFT_RMPP_STATUS_BAD_SEG);
        return WEFT_MAD_DROP_RMPP;
    }
    t = transfer_find(p, &k);
    if (t)
        return segment_of(p, t, rx);
    return first ? segment_first(p, a, &k, rx) : WEFT_MAD_DROP_RMPP;
}

/* An ABORT or STOP by the sender of what is being gathered. */
static enum weft_mad_verdict receive_end(struct weft_mad_port *p, struct transfer *t,
                                         const struct weft_mad_rx *rx)
{
    uint8_t status = rmpp_status(rx->data);

    p->stats.rmpp_aborts_seen++;
    if (!rmpp_end_valid(rmpp_type(rx->data), status)) {
        rmpp_reply_abort(p, rx, WEFT_RMPP_STATUS_BAD_STATUS);
        return transfer_fail(p, t, WEFT_RMPP_STATUS_BAD_STATUS, true);
    }
    transfer_fail(p, t, status, false);
    return WEFT_MAD_ACCEPTED;
}

enum weft_mad_verdict rmpp_rx(struct weft_mad_port *p, struct agent *a,
                              const struct weft_mad_rx *rx)
{
    struct transfer_key k = key_of_packet(rx);
    uint8_t type = rmpp_type(rx->data);
    struct transfer *t;

    if (rmpp_version(rx->data) == WEFT_RMPP_VERSION) {
        if (type == WEFT_RMPP_DATA)
            return receive_data(p, a, rx);
        t = type == WEFT_RMPP_ABORT || type == WEFT_RMPP_STOP ? transfer_find(p, &k) : NULL;
        if (t && !t->complete)
            return receive_end(p, t, rx);
    }
    return rmpp_tx_control(p, rx);
}

void rmpp_rx_timer(struct weft_mad_port *p, struct transfer *t)
{
    if (!t->complete) {
        struct weft_mad_rx rx = recv_packet(t->recv, t->recv->mad);

        rmpp_reply_abort(p, &rx, WEFT_RMPP_STATUS_T2L);
        transfer_end(p, t, WEFT_RMPP_STATUS_T2L);
        return;
    }
    transfer_end(p, t, WEFT_RMPP_STATUS_OK);
}

void rmpp_rx_request_gone(struct weft_mad_port *p, struct send *s)
{
    transfer_end(p, s->transfer, WEFT_RMPP_STATUS_OK);
}

void rmpp_rx_agent_gone(struct weft_mad_port *p, const struct agent *a)
{
    uint32_t slot = 0;
    struct transfer *t;

    while ((t = pool_next(&p->transfers, &slot))) {
        if (t->agent == a)
            transfer_end(p, t, WEFT_RMPP_STATUS_OK);
    }
}

bool rmpp_rx_grant(struct weft_mad_port *p, const struct weft_mad_rx *rx, uint32_t window)
{
    struct transfer_key k = key_of_packet(rx);
    struct transfer *t = transfer_find(p, &k);

    if (!t || !t->complete || window == 0)
        return false;
    t->reply_window = window;
    return true;
}

uint32_t rmpp_rx_reply_window(const struct weft_mad_port *p, const struct send *s)
{
    struct transfer_key k = {.tid = s->tid,
                             .src_qpn = s->to.qpn,
                             .slid = s->to.lid,
                             .mgmt_class = s->mgmt_class,
                             .class_version = mad_class_version(s->data),
                             .method = mad_method(s->data) & WEFT_METHOD_MASK};
    const struct transfer *t = transfer_find(p, &k);

    return t ? t->reply_window : 1;
}
