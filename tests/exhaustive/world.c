/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The world's operations and the properties it checks. */
#include "world.h"

#include "core/mad/audit.h"
#include "core/mad/engine.h"
#include "packets.h"
#include "snapshot.h"

#include <string.h>

enum {
    OUR_LID = 1,
    PEER_LID = 7,
    HEAL_ROUNDS_MAX = 200,
    UNSOLICITED_MAX = 2, /* messages nobody asked for, so that searches end */
    UNSOLICITED_TID = 0x77,
    LAST_SEGMENT_BYTES = 50 /* of user data in the last segment of an incoming transfer */
};

/* Searches end here; longer than any transfer is remembered. */
#define TIME_MAX (100 * WEFT_S)

const char *world_fault;

/* Message buffers are the client's; nothing in them changes after a post. */
static uint8_t messages[WORLD_SENDS][WORLD_MESSAGE_BYTES];

/* The messages that fill the buffers; the same in every state of an exploration. */
static weft_mad_recv_id fillers[WORLD_FILLED];

static void require(bool condition, const char *rule)
{
    if (!condition && !world_fault)
        world_fault = rule;
}

static void receive_message(struct world *w, const struct weft_mad_event *ev)
{
    bool device = ev->type == WEFT_MAD_EVENT_DEVICE;

    require(device || !w->removed, "a removed agent receives nothing");
    if (ev->u.recv.solicited) {
        struct world_send *s = &w->sends[ev->user_data];

        require(s->posted && !s->done, "no answer comes after SEND_DONE");
        require(!s->received, "a request is answered once");
        s->received = true;
    } else {
        w->unsolicited++;
    }
    if (ev->u.recv.len > WEFT_MAD_BYTES) {
        uint8_t message[WORLD_MESSAGE_BYTES * 4];
        uint32_t stride = WEFT_MAD_BYTES - mad_class_data_offset(mad_class(ev->u.recv.mad));

        require(weft_mad_recv_read(w->port, ev->u.recv.id, 0, message, ev->u.recv.len) == 0,
                "a message can be read");
        for (uint32_t i = WEFT_MAD_BYTES; i < ev->u.recv.len; i++)
            require(message[i] == 2 + (i - WEFT_MAD_BYTES) / stride, "segments are put in order");
    }
    if (w->plan->release_is_op && w->kept_count < WORLD_KEPT) {
        w->kept_device[w->kept_count] = device;
        w->kept[w->kept_count++] = ev->u.recv.id;
    } else {
        require(weft_mad_recv_release(w->port, ev->u.recv.id) == 0, "a message is released");
    }
}

static void send_is_done(struct world *w, const struct weft_mad_event *ev)
{
    struct world_send *s = &w->sends[ev->user_data];
    const struct world_plan_send *plan = &w->plan->sends[ev->user_data];
    enum weft_mad_state state;

    require(s->posted && ev->u.sent.id.v == s->id.v, "SEND_DONE names a posted send");
    require(!s->done, "a send has one SEND_DONE");
    s->done = true;
    /* removal takes back the messages not polled, and the own device need not answer */
    if (ev->u.sent.status == WEFT_MAD_OK && plan->timeout > 0 && !w->removed &&
        plan->mgmt_class != WEFT_CLASS_SUBN_DIRECTED)
        require(s->received, "OK means answered");
    if (ev->u.sent.status == WEFT_MAD_TIMEOUT || ev->u.sent.status == WEFT_MAD_QUEUE_TIMEOUT)
        require(!s->received, "TIMEOUT means unanswered");
    require(weft_mad_send_state(w->port, s->id, &state) == WEFT_ERR_STALE &&
                weft_mad_cancel(w->port, w->now, s->id) == WEFT_ERR_STALE,
            "a reported send is gone");
}

static bool drain(struct world *w)
{
    struct weft_mad_event ev;
    bool any = false;

    while (weft_mad_poll_event(w->port, &ev)) {
        any = true;
        if (ev.type == WEFT_MAD_EVENT_SEND_DONE)
            send_is_done(w, &ev);
        else
            receive_message(w, &ev);
    }
    return any;
}

void world_check(const struct world *w)
{
    const char *broken = mad_audit(w->port);

    require(!broken, broken);
}

static enum weft_mad_state state_of(const struct world *w, const struct world_send *s)
{
    enum weft_mad_state state = WEFT_MAD_DONE;

    (void)weft_mad_send_state(w->port, s->id, &state);
    return state;
}

bool world_post(struct world *w, const struct world_op *op)
{
    const struct world_plan_send *plan = &w->plan->sends[op->send];
    struct weft_mad_send_req r = {.agent = w->agent,
                                  .to = {.lid = plan->dlid ? plan->dlid : PEER_LID, .qpn = 1},
                                  .data = messages[op->send],
                                  .len = plan->len,
                                  .timeout = plan->timeout,
                                  .retries = plan->retries,
                                  .queue_timeout = plan->queue_timeout,
                                  .user_data = op->send};
    struct world_send *s = &w->sends[op->send];

    /* sends are posted in their order: the others are the same by renaming */
    if (w->removed || s->posted || (op->send > 0 && !w->sends[op->send - 1].posted))
        return false;
    packet_build(messages[op->send], plan->mgmt_class, plan->method, op->send + 1u);
    if (plan->rmpp)
        packet_rmpp(messages[op->send], WEFT_RMPP_DATA, 0, 0, 0);
    if (plan->mgmt_class == WEFT_CLASS_SUBN_DIRECTED)
        memset(messages[op->send] + 32, 0xff, 4); /* DrSLID and DrDLID: no LID routed part */
    require(weft_mad_post(w->port, w->now, &r, &s->id) == 0, "a send is accepted");
    s->posted = true;
    s->tid = (uint64_t)w->agent_tid << 32 | (op->send + 1u);
    return true;
}

/* A segment of the first send, the only one that is transferred by RMPP. */
static void check_segment(const struct world *w, const uint8_t *mad)
{
    uint32_t head = mad_class_data_offset(mad_class(mad)), per = WEFT_MAD_BYTES - head;
    uint32_t last = (w->plan->sends[0].len - head + per - 1) / per;
    bool flagged = (rmpp_flags(mad) & WEFT_RMPP_FLAG_LAST) != 0;

    require(rmpp_segment(mad) >= 1 && rmpp_segment(mad) <= last,
            "a segment of the message is sent");
    require(rmpp_segment(mad) <= 1 || rmpp_segment(mad) <= w->granted,
            "no segment is sent that was not granted");
    require(flagged == (rmpp_segment(mad) == last), "the last segment is flagged");
}

bool world_poll_tx(struct world *w, const struct world_op *op)
{
    struct weft_mad_tx tx;

    (void)op;
    if (w->held_count == WORLD_HELD || !weft_mad_poll_tx(w->port, &tx))
        return false;
    if (w->plan->sends[0].rmpp && rmpp_is_active(tx.data) && rmpp_type(tx.data) == WEFT_RMPP_DATA)
        check_segment(w, tx.data);
    w->held[w->held_count++] = tx.id;
    return true;
}

static bool hand_back(struct world *w, uint32_t place, bool ok)
{
    weft_mad_tx_id id;

    if (place >= w->held_count)
        return false;
    id = w->held[place];
    w->held_count--;
    memmove(&w->held[place], &w->held[place + 1], (w->held_count - place) * sizeof(w->held[0]));
    w->held[w->held_count].v = 0;
    require(weft_mad_tx_done(w->port, w->now, id, ok) == 0, "a packet is taken back");
    require(weft_mad_tx_done(w->port, w->now, id, ok) == WEFT_ERR_STALE,
            "a packet is taken back once");
    return true;
}

void world_send_control(struct world *w)
{
    struct weft_mad_tx tx;

    while (!list_empty(&w->port->queues[1].control)) {
        require(weft_mad_poll_tx(w->port, &tx), "a packet of the engine's own goes first");
        require(weft_mad_tx_done(w->port, w->now, tx.id, true) == 0, "a packet is taken back");
    }
}

bool world_sent(struct world *w, const struct world_op *op)
{
    return hand_back(w, op->number, true);
}

bool world_not_sent(struct world *w, const struct world_op *op)
{
    return hand_back(w, op->number, false);
}

static enum weft_mad_verdict arrive(struct world *w, const uint8_t *mad)
{
    struct weft_mad_rx rx = {.qpn = mad_class_is_smi(mad_class(mad)) ? 0 : 1,
                             .dlid = OUR_LID,
                             .from = {.lid = PEER_LID, .qpn = 1},
                             .data = mad,
                             .len = WEFT_MAD_BYTES};
    enum weft_mad_verdict verdict = WEFT_MAD_ACCEPTED;

    require(weft_mad_rx(w->port, w->now, &rx, &verdict) == 0, "a packet is fed");
    return verdict;
}

/* Messages nobody asked for take buffers; they are held until the world is healed. */
static void fill_buffers(struct world *w)
{
    struct weft_mad_event ev;
    uint8_t mad[WEFT_MAD_BYTES];

    packet_build(mad, w->plan->agent.mgmt_class, WEFT_METHOD_REPORT, UNSOLICITED_TID);
    for (uint8_t i = 0; i < w->plan->filled; i++) {
        require(arrive(w, mad) == WEFT_MAD_ACCEPTED && weft_mad_poll_event(w->port, &ev),
                "a message takes a buffer");
        fillers[i] = ev.u.recv.id;
    }
    w->filled = w->plan->filled > 0;
}

static void empty_buffers(struct world *w)
{
    if (!w->filled)
        return;
    for (uint8_t i = 0; i < w->plan->filled; i++)
        require(weft_mad_recv_release(w->port, fillers[i]) == 0, "a message is released");
    w->filled = false;
}

void world_begin(struct world *w, const struct world_plan *plan, const struct weft_alloc *alloc)
{
    memset(w, 0, sizeof(*w));
    w->plan = plan;
    require(weft_mad_port_new(&plan->config, alloc, &w->port) == 0, "a port is made");
    require(weft_mad_port_set_lid(w->port, OUR_LID, 0) == 0, "the port gets its LID");
    require(weft_mad_agent_add(w->port, &plan->agent, &w->agent) == 0, "an agent is added");
    require(weft_mad_agent_tid(w->port, w->agent, &w->agent_tid) == 0, "it has a TID");
    fill_buffers(w);
}

/* A packet back for a send: its header with the R bit. */
static void build_back(const struct world *w, uint8_t send, uint8_t *mad)
{
    const struct world_plan_send *plan = &w->plan->sends[send];

    packet_build(mad, plan->mgmt_class, plan->method | WEFT_METHOD_RESPONSE, w->sends[send].tid);
}

bool world_answer(struct world *w, const struct world_op *op)
{
    struct world_send *s = &w->sends[op->send];
    enum weft_mad_verdict verdict;
    enum weft_mad_state state;
    uint8_t mad[WEFT_MAD_BYTES];

    if (!s->posted)
        return false;
    state = state_of(w, s);
    build_back(w, op->send, mad);
    mad_set_status(mad, (uint16_t)op->number);
    verdict = arrive(w, mad);
    if (w->plan->config.flow.port_budget &&
        (state == WEFT_MAD_SEND_START || state == WEFT_MAD_WAIT_RESP))
        require(verdict != WEFT_MAD_DROP_NO_BUFFER, "an answer awaited finds a buffer");
    if (state == WEFT_MAD_DONE || state == WEFT_MAD_CANCELED || state == WEFT_MAD_EARLY_RESP)
        require(verdict != WEFT_MAD_ACCEPTED && verdict != WEFT_MAD_BUSY_HELD,
                "a finished send is not found");
    return true;
}

static bool advance(struct world *w)
{
    weft_time deadline = weft_mad_deadline(w->port);

    if (deadline == WEFT_TIME_NEVER)
        return false;
    if (deadline > w->now)
        w->now = deadline;
    require(weft_mad_advance(w->port, w->now) == 0, "time goes on");
    return true;
}

bool world_advance(struct world *w, const struct world_op *op)
{
    (void)op;
    return w->now < TIME_MAX && advance(w);
}

bool world_cancel(struct world *w, const struct world_op *op)
{
    struct world_send *s = &w->sends[op->send];
    enum weft_mad_state before;

    if (!s->posted || s->done)
        return false;
    before = state_of(w, s);
    if (before == WEFT_MAD_CANCELED || before == WEFT_MAD_DONE || before == WEFT_MAD_LOCAL) {
        require(weft_mad_cancel(w->port, w->now, s->id) == WEFT_ERR_STATE, "nothing to cancel");
        return false;
    }
    require(weft_mad_cancel(w->port, w->now, s->id) == 0, "a send is canceled");
    require(state_of(w, s) == WEFT_MAD_CANCELED, "cancel leads to CANCELED");
    return true;
}

bool world_set_timeout(struct world *w, const struct world_op *op)
{
    struct world_send *s = &w->sends[op->send];

    if (!s->posted || s->done)
        return false;
    return weft_mad_set_timeout(w->port, w->now, s->id, 25 * WEFT_MS) == 0;
}

bool world_remove(struct world *w, const struct world_op *op)
{
    enum weft_mad_state before[WORLD_SENDS];

    (void)op;
    if (w->removed)
        return false;
    for (uint8_t i = 0; i < w->plan->send_count; i++)
        before[i] = state_of(w, &w->sends[i]);
    require(weft_mad_agent_remove(w->port, w->now, w->agent) == 0, "an agent is removed");
    require(weft_mad_agent_remove(w->port, w->now, w->agent) == WEFT_ERR_STALE,
            "an agent is removed once");
    w->removed = true;
    for (uint8_t i = 0; i < w->plan->send_count; i++) {
        enum weft_mad_state after = state_of(w, &w->sends[i]);
        bool at_once = before[i] == WEFT_MAD_WAIT_RESP || before[i] == WEFT_MAD_QUEUED ||
                       before[i] == WEFT_MAD_LOCAL;

        require(after == WEFT_MAD_DONE || (!at_once && after == WEFT_MAD_CANCELED),
                "removal ends what waits, and cancels what is under way");
    }
    return true;
}

bool world_drain(struct world *w, const struct world_op *op)
{
    (void)op;
    return drain(w);
}

static weft_mad_recv_id take_kept(struct world *w, uint32_t place)
{
    weft_mad_recv_id id = w->kept[place];

    w->kept_count--;
    for (uint32_t i = place; i < w->kept_count; i++) {
        w->kept[i] = w->kept[i + 1];
        w->kept_device[i] = w->kept_device[i + 1];
    }
    w->kept[w->kept_count].v = 0;
    w->kept_device[w->kept_count] = false;
    return id;
}

bool world_release(struct world *w, const struct world_op *op)
{
    weft_mad_recv_id id;

    if (op->number >= w->kept_count)
        return false;
    id = take_kept(w, op->number);
    require(weft_mad_recv_release(w->port, id) == 0, "a message is released");
    require(weft_mad_recv_release(w->port, id) == WEFT_ERR_STALE, "it is released once");
    return true;
}

bool world_request(struct world *w, const struct world_op *op)
{
    uint8_t mad[WEFT_MAD_BYTES];

    (void)op;
    if (w->unsolicited == UNSOLICITED_MAX)
        return false;
    packet_build(mad, w->plan->agent.mgmt_class, WEFT_METHOD_REPORT, UNSOLICITED_TID);
    (void)arrive(w, mad);
    return true;
}

bool world_device_answer(struct world *w, const struct world_op *op)
{
    uint8_t mad[WEFT_MAD_BYTES];

    if (op->number >= w->kept_count || !w->kept_device[op->number])
        return false;
    packet_build(mad, WEFT_CLASS_SUBN_DIRECTED, WEFT_METHOD_GET_RESP, w->sends[0].tid);
    require(weft_mad_recv_answer(w->port, w->now, take_kept(w, op->number), mad) == 0,
            "the device answers");
    return true;
}

bool world_device_pass(struct world *w, const struct world_op *op)
{
    if (op->number >= w->kept_count || !w->kept_device[op->number])
        return false;
    require(weft_mad_recv_pass(w->port, w->now, take_kept(w, op->number)) == 0,
            "the device passes a message on");
    return true;
}

bool world_ack(struct world *w, const struct world_op *op)
{
    uint8_t mad[WEFT_MAD_BYTES];

    if (!w->sends[op->send].posted)
        return false;
    build_back(w, op->send, mad);
    packet_rmpp(mad, WEFT_RMPP_ACK, 0, op->number, op->number2);
    if (arrive(w, mad) == WEFT_MAD_ACCEPTED && op->number2 > w->granted)
        w->granted = op->number2;
    return true;
}

bool world_abort(struct world *w, const struct world_op *op)
{
    uint8_t mad[WEFT_MAD_BYTES];

    if (!w->sends[op->send].posted)
        return false;
    build_back(w, op->send, mad);
    packet_rmpp_end(mad, op->number == WEFT_RMPP_STATUS_RESX ? WEFT_RMPP_STOP : WEFT_RMPP_ABORT,
                    (uint8_t)op->number);
    (void)arrive(w, mad);
    return true;
}

static bool build_incoming(const struct world *w, uint8_t send, uint8_t *mad)
{
    if (send == WORLD_NO_SEND) {
        if (w->unsolicited == UNSOLICITED_MAX)
            return false;
        packet_build(mad, w->plan->agent.mgmt_class, WEFT_METHOD_GET_MULTI, UNSOLICITED_TID);
        return true;
    }
    if (!w->sends[send].posted)
        return false;
    build_back(w, send, mad);
    return true;
}

bool world_segment(struct world *w, const struct world_op *op)
{
    unsigned flags = (op->number == 1 ? (unsigned)WEFT_RMPP_FLAG_FIRST : 0) |
                     (op->number == op->number2 ? (unsigned)WEFT_RMPP_FLAG_LAST : 0);
    uint32_t head, length = 0;
    uint8_t mad[WEFT_MAD_BYTES];

    if (!build_incoming(w, op->send, mad))
        return false;
    head = mad_class_data_offset(mad_class(mad));
    if (op->number == op->number2)
        length = head - WEFT_RMPP_DATA_OFFSET + LAST_SEGMENT_BYTES;
    packet_rmpp(mad, WEFT_RMPP_DATA, flags, op->number, length);
    memset(mad + head, (int)op->number, WEFT_MAD_BYTES - head);
    (void)arrive(w, mad);
    return true;
}

bool world_segment_abort(struct world *w, const struct world_op *op)
{
    uint8_t mad[WEFT_MAD_BYTES];

    if (!build_incoming(w, op->send, mad))
        return false;
    packet_rmpp_end(mad, WEFT_RMPP_ABORT, WEFT_RMPP_STATUS_UNSPEC);
    (void)arrive(w, mad);
    return true;
}

static void check_all_is_over(const struct world *w)
{
    struct weft_mad_port_stats stats;

    weft_mad_port_stats(w->port, &stats);
    for (uint8_t i = 0; i < w->plan->send_count; i++)
        require(w->sends[i].posted == w->sends[i].done, "every send is reported in the end");
    require(stats.sends == 0 && stats.queued == 0 && stats.outstanding == 0,
            "all sends are given back");
    require(stats.recv_held == 0, "all receive buffers are given back");
    require(stats.tx_held[0] == 0 && stats.tx_held[1] == 0, "all packets are given back");
    require(stats.rmpp_transfers == 0 && stats.rmpp_bytes == 0, "all transfers are forgotten");
    require(stats.agents == (w->removed ? 0 : 1), "a removed agent is gone");
}

void world_heal(struct world *w)
{
    static const struct world_op first = {.number = 0};

    empty_buffers(w);
    for (int round = 0; round < HEAL_ROUNDS_MAX; round++) {
        bool busy;

        do {
            busy = world_poll_tx(w, &first);
            busy |= world_sent(w, &first);
            busy |= world_release(w, &first);
            busy |= drain(w);
        } while (busy);
        world_check(w);
        if (!advance(w))
            break;
    }
    check_all_is_over(w);
}

uint64_t world_hash(const struct world *w)
{
    uint64_t hash = snapshot_hash(w->port);

    hash = snapshot_mix(hash, &w->removed, sizeof(w->removed));
    hash = snapshot_mix(hash, &w->now, sizeof(w->now));
    hash = snapshot_mix(hash, &w->unsolicited, sizeof(w->unsolicited));
    hash = snapshot_mix(hash, &w->granted, sizeof(w->granted));
    for (uint32_t i = 0; i < w->held_count; i++)
        hash = snapshot_mix(hash, &w->held[i].v, sizeof(uint32_t));
    for (uint32_t i = 0; i < w->kept_count; i++)
        hash = snapshot_mix(hash, &w->kept[i].v, sizeof(uint32_t));
    hash = snapshot_mix(hash, &w->kept_count, sizeof(w->kept_count));
    for (uint32_t i = 0; i < w->plan->send_count; i++) {
        const struct world_send *s = &w->sends[i];
        uint8_t flags = (uint8_t)(s->posted | s->received << 1 | s->done << 2);
        uint32_t slot = s->done ? 0 : (uint32_t)s->id.v;

        hash = snapshot_mix(hash, &flags, sizeof(flags));
        hash = snapshot_mix(hash, &slot, sizeof(slot));
    }
    return hash;
}
