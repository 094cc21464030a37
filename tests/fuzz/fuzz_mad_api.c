/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fuzz target: any sequence of calls with any arguments, stale handles and a failing allocator
 * among them. No call breaks a port; what it refuses has changed nothing; each accepted send ends
 * once. */
#include "mad_bytes.h"

enum {
    SENDS = 24,
    AGENTS = 8,
    TXS = 32,
    RECVS = 32,
    MESSAGE_BYTES = 600,
    CALLS_MAX = 400
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Handles are kept when they are stale, too: they are used again. */
struct target {
    struct weft_mad_port *port;
    struct bytes input;
    weft_time now;
    weft_mad_agent_id agents[AGENTS];
    weft_mad_send_id sends[SENDS];
    uint8_t *messages[SENDS];
    struct weft_mad_retry retries[SENDS];
    weft_mad_tx_id txs[TXS];
    weft_mad_recv_id recvs[RECVS];
    uint32_t accepted, ended, tx_at, recv_at;
    bool allocation_fails;
};

static void *get(void *ctx, size_t size, size_t align)
{
    const struct target *t = ctx;

    return t->allocation_fails ? NULL : aligned_alloc(align, size);
}

static void put(void *ctx, void *p, size_t size)
{
    (void)ctx;
    (void)size;
    free(p);
}

static uint8_t next(struct target *t)
{
    return bytes_next(&t->input);
}

/* A number in a range, now and then one at random. */
static uint32_t near(struct target *t, uint32_t range)
{
    uint8_t choice = next(t);

    if (choice == 255)
        return (uint32_t)bytes_next64(&t->input);
    return choice % (range + 1);
}

static weft_time duration(struct target *t)
{
    uint8_t choice = next(t);

    if (choice == 255)
        return bytes_next64(&t->input);
    return choice * WEFT_MS;
}

static void draw_retry(struct target *t, struct weft_mad_retry *ret)
{
    weft_mad_retry_init(ret);
    ret->kind = (enum weft_mad_retry_kind)near(t, 1);
    ret->bound = (enum weft_mad_retry_bound)near(t, 1);
    ret->busy = (enum weft_mad_busy)near(t, 1);
    ret->base_ns = duration(t);
    ret->jitter_ns = ret->base_ns < WEFT_S ? ret->base_ns / 2 : duration(t);
    ret->cap_ns = ret->base_ns < WEFT_S ? ret->base_ns * 8 : duration(t);
    ret->total_ns = duration(t);
}

static bool begin(struct target *t)
{
    struct weft_alloc alloc = {.get = get, .put = put, .ctx = t};
    struct weft_mad_config c;
    uint64_t bytes;
    int err;

    weft_mad_config_init(&c);
    c.agents = near(t, AGENTS);
    c.sends = near(t, SENDS);
    c.recv_depth = near(t, 80);
    c.send_depth = near(t, 80);
    c.flow.agent_limits = next(t) & 1;
    c.flow.port_budget = next(t) & 1;
    c.flow.adaptive = next(t) & 1;
    c.flow.reserve = near(t, 70);
    c.flow.peers = near(t, 3);
    c.flow.window_max = near(t, 8);
    c.flow.window_initial = near(t, 4);
    c.rmpp.window = near(t, 8);
    c.rmpp.transfers = near(t, 4);
    c.rmpp.bytes_max = near(t, 4) * UINT64_C(8192);
    c.rmpp.ack_ns = duration(t);
    c.rmpp.receive_ns = duration(t);
    c.rmpp.keep_ns = duration(t);
    if (next(t) & 1)
        c.queue_timeout = duration(t);
    if (next(t) & 1)
        memset(&c.device, 0xff, sizeof(c.device));
    draw_retry(t, &c.retry);
    /* configurations of more than a few megabytes are left to other tests */
    if (weft_mad_port_bytes(&c, &bytes, NULL) == 0 && bytes > 4u << 20)
        return false;
    t->allocation_fails = next(t) % 16 == 1;
    err = weft_mad_port_new(&c, &alloc, &t->port);
    fuzz_require(err == 0 || err == WEFT_ERR_INVALID ||
                     (err == WEFT_ERR_NOMEM && t->allocation_fails),
                 "a port is made, or a reason is given");
    fuzz_require((err == 0) == (t->port != NULL), "only success gives a port");
    return err == 0;
}

static void add_agent(struct target *t)
{
    static const uint8_t classes[] = {0x01, 0x81, 0x03, 0x04, 0x06, 0x07, 0x30, 0x09};
    struct weft_mad_agent_req r = {.qpn = next(t) & 1,
                                   .mgmt_class = classes[next(t) % sizeof(classes)],
                                   .class_version = (uint8_t)(1 + next(t) % 2),
                                   .oui = {0, 0, (uint8_t)(next(t) % 3)},
                                   .methods = {next(t), next(t)}};
    uint8_t choice = next(t);
    uint8_t place = next(t) % AGENTS;
    struct weft_mad_retry retry;
    weft_mad_agent_id id = {0};
    uint32_t tid;

    /* a handle in use is never lost: each agent is removed in the end */
    if (weft_mad_agent_tid(t->port, t->agents[place], &tid) == 0)
        return;
    r.rmpp_version = choice & 1;
    r.user_rmpp = (choice & 2) != 0;
    r.send_only = (choice & 12) == 12;
    r.no_recv = (choice & 16) != 0;
    if (choice & 32) {
        draw_retry(t, &retry);
        r.retry = &retry;
    }
    if (weft_mad_agent_add(t->port, &r, &id) == 0)
        t->agents[place] = id;
    else
        fuzz_require(id.v == 0, "a refused call writes nothing");
}

static void build(struct target *t, uint8_t *mad, uint32_t len)
{
    static const uint8_t classes[] = {0x01, 0x81, 0x03, 0x04, 0x06, 0x07, 0x30, 0x09};
    uint8_t head[WEFT_MAD_BYTES];
    uint8_t choice = next(t), changes;

    packet_build(head, classes[choice % sizeof(classes)], next(t), next(t) % 4);
    head[2] = (uint8_t)(1 + choice / 64 % 2);
    if (choice & 8)
        packet_rmpp(head, (enum weft_rmpp_type)(next(t) % 6), next(t), next(t) % 8, next(t));
    if (choice & 16)
        memset(head + 32, 0xff, 4);
    changes = next(t) % 4;
    for (uint8_t i = 0; i < changes; i++)
        head[next(t) % 64] = next(t);
    memset(mad, 0, len);
    memcpy(mad, head, len < sizeof(head) ? len : sizeof(head));
}

static void post(struct target *t)
{
    uint8_t slot = next(t) % SENDS;
    struct weft_mad_send_req r = {.agent = t->agents[next(t) % AGENTS],
                                  .to = {.lid = next(t) % 3, .qpn = 1, .sl = next(t) % 17},
                                  .timeout = duration(t),
                                  .retries = next(t) % 5,
                                  .queue_timeout = next(t) & 1 ? duration(t) : 0,
                                  .user_data = slot};
    weft_mad_send_id id = {0};

    if (t->messages[slot])
        return;
    r.len = next(t) & 1 ? WEFT_MAD_BYTES : bytes_next16(&t->input) % MESSAGE_BYTES;
    r.to.has_grh = next(t) % 8 == 1;
    t->messages[slot] = malloc(r.len > 0 ? r.len : 1);
    if (!t->messages[slot])
        abort();
    build(t, t->messages[slot], r.len);
    r.data = t->messages[slot];
    if (next(t) & 1) {
        draw_retry(t, &t->retries[slot]);
        r.retry = &t->retries[slot];
    }
    if (weft_mad_post(t->port, t->now, &r, &id) == 0) {
        t->sends[slot] = id;
        t->accepted++;
        return;
    }
    fuzz_require(id.v == 0, "a refused call writes nothing");
    free(t->messages[slot]);
    t->messages[slot] = NULL;
}

static void receive(struct target *t)
{
    uint8_t mad[WEFT_MAD_BYTES];
    uint8_t choice = next(t);
    struct weft_mad_rx rx = {.qpn = choice % 3,
                             .dlid = choice / 8 % 2,
                             .from = {.lid = choice / 16 % 3, .qpn = 1},
                             .data = choice == 0xee ? NULL : mad,
                             .len = choice == 0xef ? next(t) : WEFT_MAD_BYTES};
    enum weft_mad_verdict verdict;
    uint32_t tid;
    int err;

    build(t, mad, sizeof(mad));
    if (weft_mad_agent_tid(t->port, t->agents[next(t) % AGENTS], &tid) == 0)
        mad_set_tid(mad, (uint64_t)tid << 32 | (uint32_t)mad_tid(mad));
    rx.from.has_grh = choice >= 0xf8;
    err = weft_mad_rx(t->port, t->now, &rx, &verdict);
    fuzz_require(err == 0 || (err == WEFT_ERR_INVALID && (!rx.data || rx.qpn > 1)),
                 "a packet is never an error");
}

static void take_packet(struct target *t)
{
    struct weft_mad_tx tx;

    /* the place may hold one that is still out: it is lost until the end */
    if (t->tx_at < TXS && weft_mad_poll_tx(t->port, &tx))
        t->txs[t->tx_at++] = tx.id;
}

static void return_packet(struct target *t)
{
    uint8_t place = next(t) % TXS;
    int err = weft_mad_tx_done(t->port, t->now, t->txs[place], next(t) % 8 != 1);

    fuzz_require(err == 0 || err == WEFT_ERR_STALE, "a packet comes back, or did before");
    if (err == 0 && t->tx_at > 0 && place < t->tx_at) {
        weft_mad_tx_id gone = t->txs[place];

        t->txs[place] = t->txs[--t->tx_at];
        t->txs[t->tx_at] = gone;
    }
}

static void take_event(struct target *t)
{
    struct weft_mad_event ev;

    if (t->recv_at == RECVS || !weft_mad_poll_event(t->port, &ev))
        return;
    if (ev.type == WEFT_MAD_EVENT_SEND_DONE) {
        fuzz_require(ev.u.sent.id.v == t->sends[ev.user_data].v && t->messages[ev.user_data],
                     "a send ends once");
        free(t->messages[ev.user_data]);
        t->messages[ev.user_data] = NULL;
        t->ended++;
        return;
    }
    t->recvs[t->recv_at++] = ev.u.recv.id;
}

static void give_back(struct target *t)
{
    uint8_t place = next(t) % RECVS, choice = next(t), mad[WEFT_MAD_BYTES];
    weft_mad_recv_id id = t->recvs[place];
    int err;

    build(t, mad, sizeof(mad));
    if (choice % 4 == 0)
        err = weft_mad_recv_pass(t->port, t->now, id);
    else if (choice % 4 == 1)
        err = weft_mad_recv_answer(t->port, t->now, id, mad);
    else
        err = weft_mad_recv_release(t->port, id);
    if (err == 0 && t->recv_at > 0 && place < t->recv_at) {
        t->recvs[place] = t->recvs[--t->recv_at];
        t->recvs[t->recv_at] = id;
    }
}

static void read_message(struct target *t)
{
    uint8_t copy[64];

    (void)weft_mad_recv_read(t->port, t->recvs[next(t) % RECVS], near(t, 250), copy,
                             next(t) % sizeof(copy));
}

static void set_policy(struct target *t)
{
    struct weft_mad_retry retry;

    draw_retry(t, &retry);
    (void)weft_mad_port_set_retry(t->port, &retry, next(t) & 1);
    (void)weft_mad_port_set_lid(t->port, (uint16_t)near(t, 2), next(t) % 10);
}

static void ask(struct target *t)
{
    struct weft_mad_addr to = {.lid = next(t) % 3, .has_grh = next(t) % 8 == 1};
    weft_mad_agent_id agent = t->agents[next(t) % AGENTS];
    struct weft_mad_agent_stats stats;
    enum weft_mad_state state;
    uint32_t window, outstanding;

    (void)weft_mad_send_state(t->port, t->sends[next(t) % SENDS], &state);
    (void)weft_mad_agent_stats(t->port, agent, &stats);
    if (weft_mad_peer_window(t->port, &to, &window, &outstanding) == 0)
        fuzz_require(window >= 1, "the smallest window is one");
}

static void advance(struct target *t, weft_time by)
{
    weft_time before = t->now;

    t->now = by > WEFT_TIME_NEVER / 4 - t->now ? t->now : t->now + by;
    fuzz_require(weft_mad_advance(t->port, t->now) == 0, "time goes on");
    if (t->now > before)
        fuzz_require(weft_mad_advance(t->port, before) == WEFT_ERR_CLOCK, "it does not go back");
}

static void call(struct target *t)
{
    switch (next(t) % 16) {
    case 0:
        add_agent(t);
        break;
    case 1:
        (void)weft_mad_agent_remove(t->port, t->now, t->agents[next(t) % AGENTS]);
        break;
    case 2:
    case 3:
    case 4:
        post(t);
        break;
    case 5:
        (void)weft_mad_cancel(t->port, t->now, t->sends[next(t) % SENDS]);
        break;
    case 6:
        (void)weft_mad_set_timeout(t->port, t->now, t->sends[next(t) % SENDS], duration(t));
        break;
    case 7:
    case 8:
        receive(t);
        break;
    case 9:
        take_packet(t);
        break;
    case 10:
        return_packet(t);
        break;
    case 11:
        take_event(t);
        break;
    case 12:
        give_back(t);
        break;
    case 13:
        advance(t, duration(t));
        break;
    case 14:
        read_message(t);
        set_policy(t);
        break;
    default:
        ask(t);
        break;
    }
}

/* Takes and gives back all there is. */
static void drain(struct target *t)
{
    uint32_t before;

    do {
        before = t->ended;
        while (t->tx_at > 0)
            (void)weft_mad_tx_done(t->port, t->now, t->txs[--t->tx_at], true);
        while (t->recv_at > 0)
            (void)weft_mad_recv_release(t->port, t->recvs[--t->recv_at]);
        take_packet(t);
        take_event(t);
    } while (t->tx_at > 0 || t->recv_at > 0 || t->ended != before);
}

/* Everything that is out comes back, the agents are removed, and all timers fire. */
static void end(struct target *t)
{
    t->input.left = 0;
    drain(t);
    for (int i = 0; i < AGENTS; i++)
        (void)weft_mad_agent_remove(t->port, t->now, t->agents[i]);
    drain(t);
    while (weft_mad_deadline(t->port) < WEFT_TIME_NEVER) {
        if (weft_mad_deadline(t->port) > t->now)
            t->now = weft_mad_deadline(t->port);
        fuzz_require(weft_mad_advance(t->port, t->now) == 0, "time goes on");
        drain(t);
    }
    fuzz_check_end(t->port);
    fuzz_require(t->accepted == t->ended, "every send ends");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct target t = {.input = {.at = data, .left = size}};

    if (!begin(&t))
        return 0;
    for (int i = 0; t.input.left > 0 && i < CALLS_MAX; i++) {
        call(&t);
        fuzz_audit(t.port);
    }
    end(&t);
    fuzz_audit(t.port);
    weft_mad_port_free(t.port);
    for (int i = 0; i < SENDS; i++)
        free(t.messages[i]);
    return 0;
}
