/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fuzz target: any packets, at any moment, fed to a port with requests outstanding. Each of its
 * sends still ends once, and nothing stays taken. */
#include "mad_bytes.h"

enum {
    SENDS = 16,
    HELD = 64,
    KEPT = 256,
    MESSAGE_BYTES = 700,
    OPERATIONS_MAX = 300
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct target {
    struct weft_mad_port *port;
    weft_time now;
    weft_mad_agent_id agents[3];
    uint64_t tids[SENDS];
    uint8_t *messages[SENDS]; /* borrowed by the port while not NULL */
    weft_mad_tx_id held[HELD];
    weft_mad_recv_id kept[KEPT];
    uint32_t held_count, kept_count;
};

static const struct weft_mad_agent_req agents[3] = {
    {.qpn = 1,
     .mgmt_class = WEFT_CLASS_SUBN_ADM,
     .class_version = 2,
     .rmpp_version = 1,
     .methods = {UINT64_MAX, UINT64_MAX}},
    {.qpn = 1,
     .mgmt_class = 0x30,
     .class_version = 1,
     .oui = {0, 0, 1},
     .rmpp_version = 1,
     .user_rmpp = true,
     .methods = {UINT64_MAX, UINT64_MAX}},
    {.qpn = 0,
     .mgmt_class = WEFT_CLASS_SUBN_DIRECTED,
     .class_version = 1,
     .methods = {UINT64_MAX, UINT64_MAX}},
};

static void begin(struct target *t, struct bytes *b)
{
    uint8_t choice = bytes_next(b);
    struct weft_mad_config c;

    weft_mad_config_init(&c);
    c.agents = 3;
    c.sends = SENDS;
    c.recv_depth = 64;
    c.flow.port_budget = (choice & 1) != 0;
    c.flow.adaptive = (choice & 2) != 0;
    c.flow.reserve = (choice & 4) != 0 ? 60 : 4;
    c.flow.peers = 2;
    c.rmpp.window = (choice & 8) != 0 ? 2 : 1024;
    c.rmpp.transfers = (choice & 16) != 0 ? 1 : 8;
    c.rmpp.bytes_max = (choice & 32) != 0 ? 1 << 14 : 1 << 18;
    if (choice & 64)
        memset(&c.device, 0xff, sizeof(c.device));
    fuzz_require(weft_mad_port_new(&c, NULL, &t->port) == 0, "a port is made");
    fuzz_require(weft_mad_port_set_lid(t->port, 16, choice >> 7) == 0, "it has a LID");
    for (int i = 0; i < 3; i++)
        fuzz_require(weft_mad_agent_add(t->port, &agents[i], &t->agents[i]) == 0, "it has agents");
}

static void post(struct target *t, struct bytes *b)
{
    uint8_t choice = bytes_next(b), slot = choice % SENDS, agent = choice / SENDS % 3;
    bool rmpp = agent == 0 && (choice & 0x80) != 0;
    struct weft_mad_send_req r = {.agent = t->agents[agent],
                                  .to = {.lid = 7, .qpn = 1},
                                  .len = rmpp ? MESSAGE_BYTES : WEFT_MAD_BYTES,
                                  .timeout = bytes_next(b) * WEFT_MS,
                                  .retries = bytes_next(b) % 4,
                                  .user_data = slot};
    uint32_t tid;

    if (t->messages[slot])
        return;
    t->messages[slot] = calloc(1, r.len);
    if (!t->messages[slot])
        abort();
    r.data = t->messages[slot];
    packet_build(t->messages[slot], agents[agent].mgmt_class,
                 rmpp ? WEFT_METHOD_GET_MULTI : WEFT_METHOD_GET, slot);
    if (rmpp)
        packet_rmpp(t->messages[slot], WEFT_RMPP_DATA, 0, 0, 0);
    if (agent == 2)
        memset(t->messages[slot] + 32, 0xff, 4);
    fuzz_require(weft_mad_agent_tid(t->port, t->agents[agent], &tid) == 0, "an agent has a TID");
    t->tids[slot] = (uint64_t)tid << 32 | slot;
    fuzz_require(weft_mad_post(t->port, t->now, &r, NULL) == 0, "a good send is accepted");
}

static void feed(struct target *t, struct bytes *b, const uint8_t *mad, uint32_t len)
{
    uint8_t choice = bytes_next(b);
    struct weft_mad_rx rx = {.qpn = choice & 1,
                             .dlid = 16 + (choice >> 1 & 1),
                             .from = {.lid = choice & 4 ? 8 : 7, .qpn = choice & 8 ? 2 : 1},
                             .data = mad,
                             .len = len};

    rx.from.has_grh = (choice & 0xf0) == 0xf0;
    fuzz_require(weft_mad_rx(t->port, t->now, &rx, NULL) == 0, "a packet is never an error");
}

/* The bytes as they come, in a block of just their length. */
static void feed_raw(struct target *t, struct bytes *b)
{
    uint32_t len = bytes_next(b) % 4 ? WEFT_MAD_BYTES : bytes_next16(b) % 300;
    uint8_t *mad = malloc(len > 0 ? len : 1);

    if (!mad)
        abort();
    for (uint32_t i = 0; i < len; i++)
        mad[i] = bytes_next(b);
    feed(t, b, mad, len);
    free(mad);
}

/* An answer, ACK or segment that nearly fits: the input changes some of its bytes. */
static void feed_near(struct target *t, struct bytes *b)
{
    uint8_t choice = bytes_next(b), slot = choice % SENDS, agent = choice / SENDS % 3;
    uint8_t mad[WEFT_MAD_BYTES], changes = bytes_next(b) % 6;

    packet_build(mad, agents[agent].mgmt_class, bytes_next(b), t->tids[slot]);
    if (choice & 0x80)
        packet_rmpp(mad, (enum weft_rmpp_type)(bytes_next(b) % 6), bytes_next(b),
                    bytes_next(b) % 16, bytes_next(b) % 256);
    for (uint8_t i = 0; i < changes; i++)
        mad[bytes_next(b) % 64] = bytes_next(b);
    feed(t, b, mad, sizeof(mad));
}

static void take_packet(struct target *t)
{
    struct weft_mad_tx tx;

    if (t->held_count < HELD && weft_mad_poll_tx(t->port, &tx))
        t->held[t->held_count++] = tx.id;
}

static void return_packet(struct target *t, uint8_t place, bool ok)
{
    if (t->held_count == 0)
        return;
    place = (uint8_t)(place % t->held_count);
    fuzz_require(weft_mad_tx_done(t->port, t->now, t->held[place], ok) == 0, "a packet comes back");
    t->held[place] = t->held[--t->held_count];
}

static bool take_events(struct target *t)
{
    struct weft_mad_event ev;
    bool any = false;

    while (t->kept_count < KEPT && weft_mad_poll_event(t->port, &ev)) {
        any = true;
        if (ev.type == WEFT_MAD_EVENT_SEND_DONE) {
            fuzz_require(t->messages[ev.user_data] != NULL, "a send ends once");
            free(t->messages[ev.user_data]);
            t->messages[ev.user_data] = NULL;
        } else {
            uint8_t last;

            fuzz_require(weft_mad_recv_read(t->port, ev.u.recv.id, ev.u.recv.len - 1, &last, 1) ==
                             0,
                         "a message is as long as it says");
            t->kept[t->kept_count++] = ev.u.recv.id;
        }
    }
    return any;
}

static void give_back(struct target *t, uint8_t how)
{
    uint8_t mad[WEFT_MAD_BYTES];
    weft_mad_recv_id id;

    if (t->kept_count == 0)
        return;
    id = t->kept[--t->kept_count];
    packet_build(mad, agents[how / 4 % 3].mgmt_class, WEFT_METHOD_GET_RESP, t->tids[how % SENDS]);
    if (how % 4 == 1 && weft_mad_recv_pass(t->port, t->now, id) == 0)
        return;
    if (how % 4 == 2 && weft_mad_recv_answer(t->port, t->now, id, mad) == 0)
        return;
    fuzz_require(weft_mad_recv_release(t->port, id) == 0, "a message is released");
}

static void advance(struct target *t, weft_time by)
{
    t->now += by;
    fuzz_require(weft_mad_advance(t->port, t->now) == 0, "time goes on");
}

static void act(struct target *t, struct bytes *b)
{
    uint8_t choice = bytes_next(b);

    switch (choice % 8) {
    case 0:
        post(t, b);
        break;
    case 1:
        feed_raw(t, b);
        break;
    case 2:
    case 3:
        feed_near(t, b);
        break;
    case 4:
        take_packet(t);
        break;
    case 5:
        return_packet(t, choice / 8, bytes_next(b) % 8 != 0);
        break;
    case 6:
        advance(t, bytes_next16(b) * WEFT_MS);
        break;
    default:
        (void)take_events(t);
        give_back(t, choice / 8);
        break;
    }
}

static void end(struct target *t)
{
    for (;;) {
        weft_time deadline;
        bool busy;

        do {
            take_packet(t);
            busy = t->held_count > 0;
            return_packet(t, 0, true);
            busy |= take_events(t);
            busy |= t->kept_count > 0;
            while (t->kept_count > 0)
                give_back(t, 0);
        } while (busy);
        deadline = weft_mad_deadline(t->port);
        if (deadline == WEFT_TIME_NEVER)
            break;
        advance(t, deadline > t->now ? deadline - t->now : 0);
    }
    for (int i = 0; i < SENDS; i++)
        fuzz_require(!t->messages[i], "every send ends");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes b = {.at = data, .left = size};
    struct target t = {.now = 0};

    begin(&t, &b);
    for (int i = 0; b.left > 0 && i < OPERATIONS_MAX; i++) {
        act(&t, &b);
        fuzz_audit(t.port);
    }
    end(&t);
    fuzz_audit(t.port);
    fuzz_check_end(t.port);
    weft_mad_port_free(t.port);
    return 0;
}
