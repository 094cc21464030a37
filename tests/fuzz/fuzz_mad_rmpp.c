/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fuzz target: a message and its answer between two ports. The input decides about each packet
 * whether it is lost, doubled, held up or damaged, and when time passes. What arrives is what was
 * sent, and both ports end empty. */
#include "mad_bytes.h"

enum {
    LANES = 2,
    FLIGHTS = 64,
    MESSAGE_MAX = 4000,
    HEAD = 56,
    STEPS_MAX = 3000
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct side {
    struct weft_mad_port *port;
    weft_mad_agent_id agent;
    uint8_t *sent;                      /* the message it has posted, while borrowed */
    uint8_t (*flights)[WEFT_MAD_BYTES]; /* packets on their way to it */
    uint32_t flight_count;
};

struct target {
    struct side sides[LANES]; /* 0 asks, 1 answers */
    struct bytes input;
    weft_time now;
    uint32_t request_len, reply_len;
    bool damaged, answered;
};

static void begin_side(struct target *t, struct side *s, uint16_t lid)
{
    struct weft_mad_agent_req r = {.qpn = 1,
                                   .mgmt_class = WEFT_CLASS_SUBN_ADM,
                                   .class_version = 2,
                                   .rmpp_version = 1,
                                   .methods = {1u << WEFT_METHOD_GET_MULTI}};
    struct weft_mad_config c;

    weft_mad_config_init(&c);
    c.sends = 8;
    c.recv_depth = 64;
    c.rmpp.window = 1 + bytes_next(&t->input) % 8;
    c.rmpp.transfers = 1 + bytes_next(&t->input) % 4;
    c.rmpp.bytes_max = (uint64_t)(1 + bytes_next(&t->input) % 8) << 13;
    c.rmpp.ack_ns = 10 * WEFT_MS;
    c.rmpp.receive_ns = 500 * WEFT_MS;
    c.rmpp.keep_ns = 100 * WEFT_MS;
    fuzz_require(weft_mad_port_new(&c, NULL, &s->port) == 0, "a port is made");
    fuzz_require(weft_mad_port_set_lid(s->port, lid, 0) == 0, "it has a LID");
    fuzz_require(weft_mad_agent_add(s->port, &r, &s->agent) == 0, "it has an agent");
    s->flights = calloc(FLIGHTS, sizeof(*s->flights));
    if (!s->flights)
        abort();
}

static uint8_t content(uint32_t at, int side)
{
    return (uint8_t)(at * 31 + at / 256 + (uint32_t)side);
}

static void post(struct target *t, int side, uint64_t tid, uint8_t method, uint32_t len,
                 weft_time timeout)
{
    struct side *s = &t->sides[side];
    struct weft_mad_send_req r = {.agent = s->agent,
                                  .to = {.lid = side == 0 ? 2 : 1, .qpn = 1},
                                  .len = len,
                                  .timeout = timeout,
                                  .retries = 3};
    uint8_t head[WEFT_MAD_BYTES];

    if (s->sent)
        return;
    s->sent = malloc(len);
    if (!s->sent)
        abort();
    packet_build(head, WEFT_CLASS_SUBN_ADM, method, tid);
    packet_rmpp(head, WEFT_RMPP_DATA, 0, 0, 0);
    memcpy(s->sent, head, HEAD);
    for (uint32_t i = HEAD; i < len; i++)
        s->sent[i] = content(i, side);
    r.data = s->sent;
    if (weft_mad_post(s->port, t->now, &r, NULL) == 0)
        return;
    fuzz_require(side == 1, "the request is accepted");
    free(s->sent);
    s->sent = NULL;
}

static void launch(struct side *to, const uint8_t *mad)
{
    if (to->flight_count < FLIGHTS)
        memcpy(to->flights[to->flight_count++], mad, WEFT_MAD_BYTES);
}

/* Takes a packet and lets the input decide what becomes of it. */
static bool transmit(struct target *t, int side)
{
    struct side *s = &t->sides[side], *to = &t->sides[1 - side];
    uint8_t fate = bytes_next(&t->input);
    struct weft_mad_tx tx;

    if (!weft_mad_poll_tx(s->port, &tx))
        return false;
    if (fate % 8 != 1)
        launch(to, tx.data);
    if (fate % 8 == 2)
        launch(to, tx.data);
    if (fate % 8 == 3 && to->flight_count > 0) {
        to->flights[to->flight_count - 1][bytes_next(&t->input) % 64] ^=
            (uint8_t)(1 + bytes_next(&t->input) % 255);
        t->damaged = true;
    }
    fuzz_require(weft_mad_tx_done(s->port, t->now, tx.id, fate != 0x84) == 0,
                 "a packet comes back");
    return true;
}

/* One of the packets on their way arrives: the first, or another that overtakes it. */
static bool arrive(struct target *t, int side)
{
    struct side *s = &t->sides[side];
    uint8_t mad[WEFT_MAD_BYTES];
    struct weft_mad_rx rx = {.qpn = 1,
                             .dlid = side == 0 ? 1 : 2,
                             .from = {.lid = side == 0 ? 2 : 1, .qpn = 1},
                             .data = mad,
                             .len = sizeof(mad)};
    uint32_t which;

    if (s->flight_count == 0)
        return false;
    which = bytes_next(&t->input) % s->flight_count;
    memcpy(mad, s->flights[which], sizeof(mad));
    s->flight_count--;
    memmove(s->flights[which], s->flights[which + 1], (s->flight_count - which) * sizeof(mad));
    fuzz_require(weft_mad_rx(s->port, t->now, &rx, NULL) == 0, "a packet is never an error");
    return true;
}

static void check_message(struct target *t, int side, const struct weft_mad_event *ev)
{
    uint32_t len = side == 0 ? t->reply_len : t->request_len;
    uint8_t *message = malloc(ev->u.recv.len);

    if (!message)
        abort();
    fuzz_require(
        weft_mad_recv_read(t->sides[side].port, ev->u.recv.id, 0, message, ev->u.recv.len) == 0,
        "a message is read");
    if (!t->damaged) {
        fuzz_require(ev->u.recv.len == len, "a message has the length it was sent with");
        for (uint32_t i = HEAD; i < len; i++)
            fuzz_require(message[i] == content(i, 1 - side), "a message is what was sent");
    }
    free(message);
}

static bool take_events(struct target *t, int side)
{
    struct side *s = &t->sides[side];
    struct weft_mad_event ev;
    bool any = false;

    while (weft_mad_poll_event(s->port, &ev)) {
        any = true;
        if (ev.type == WEFT_MAD_EVENT_SEND_DONE) {
            fuzz_require(s->sent != NULL, "a send ends once");
            fuzz_require(side == 1 || ev.u.sent.status != WEFT_MAD_OK || t->answered,
                         "OK means answered");
            free(s->sent);
            s->sent = NULL;
            continue;
        }
        check_message(t, side, &ev);
        t->answered |= side == 0;
        if (side == 1)
            post(t, 1, mad_tid(ev.u.recv.mad), WEFT_METHOD_GET_MULTI_RESP, t->reply_len, 0);
        fuzz_require(weft_mad_recv_release(s->port, ev.u.recv.id) == 0, "a message is released");
    }
    return any;
}

static bool turn(struct target *t)
{
    bool busy = false;

    for (int side = 0; side < LANES; side++) {
        busy |= transmit(t, side);
        busy |= arrive(t, side);
        busy |= take_events(t, side);
        fuzz_audit(t->sides[side].port);
    }
    return busy;
}

/* The next timer of either side fires. */
static bool pass_time(struct target *t)
{
    weft_time next = WEFT_TIME_NEVER;

    for (int side = 0; side < LANES; side++) {
        weft_time mine = weft_mad_deadline(t->sides[side].port);

        next = mine < next ? mine : next;
    }
    if (next == WEFT_TIME_NEVER)
        return false;
    t->now = next > t->now ? next : t->now;
    for (int side = 0; side < LANES; side++) {
        fuzz_require(weft_mad_advance(t->sides[side].port, t->now) == 0, "time goes on");
        fuzz_audit(t->sides[side].port);
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct target t = {.input = {.at = data, .left = size}};
    bool perfect;

    t.request_len = HEAD + bytes_next16(&t.input) % MESSAGE_MAX;
    t.reply_len = HEAD + bytes_next16(&t.input) % MESSAGE_MAX;
    begin_side(&t, &t.sides[0], 1);
    begin_side(&t, &t.sides[1], 2);
    perfect = t.input.left == 0;
    post(&t, 0, 1, WEFT_METHOD_GET_MULTI, t.request_len, 200 * WEFT_MS);
    for (int i = 0; i < STEPS_MAX; i++) {
        /* behind the end of the input every packet arrives, and time passes when all is quiet */
        bool wait = t.input.left > 0 && bytes_next(&t.input) % 16 == 0;

        if (wait && pass_time(&t))
            continue;
        if (!turn(&t) && !pass_time(&t))
            break;
    }
    for (int side = 0; side < LANES; side++) {
        struct side *s = &t.sides[side];

        fuzz_require(!s->sent, "every send ends");
        fuzz_check_end(s->port);
        weft_mad_port_free(s->port);
        free(s->flights);
    }
    fuzz_require(!perfect || t.answered, "without faults the answer arrives");
    return 0;
}
