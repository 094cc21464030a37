/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Software iWARP as a whole: two of them on one TCP that cuts as it likes, and bytes that Linux siw
 * wrote on a wire. */
#include "core/base/prng.h"

#include <weft/siw.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define WIRE_BYTES 65536
#define PD         7
#define TO_BASE    UINT64_C(0x7000000000)

/* One direction of a TCP connection. */
struct wire {
    uint8_t data[WIRE_BYTES];
    size_t bytes;
    bool fin, rst, ended;
};

struct side {
    struct weft_iwcm *cm;
    struct weft_siw *siw;
    weft_iwcm_id id;
    weft_siw_ep ep, listener;
    bool open; /* TCP is there */
    bool blocked;
    uint32_t cqn, qpn, stag;
    struct wire in; /* what the other has written */
    uint8_t memory[256];
    struct side *other;
};

struct net {
    struct side side[2]; /* the client, the server */
    struct prng chance;
    weft_time now;
};

static const struct weft_iw_addr there = {.family = 4, .port = 7174, .ip = {127, 0, 0, 1}};

static void side_open(struct side *d, const struct weft_siw_config *c)
{
    struct weft_iwcm_config cm = {sizeof(cm), 8, 4, 4};
    struct weft_siw_region region = {.base = d->memory,
                                     .bytes = sizeof(d->memory),
                                     .to = TO_BASE,
                                     .pd = PD,
                                     .access = WEFT_SIW_LOCAL_WRITE | WEFT_SIW_REMOTE_READ |
                                               WEFT_SIW_REMOTE_WRITE};
    struct weft_siw_qp_config qp = {.pd = PD, .sends = 16, .recvs = 4, .all_signaled = true};

    assert_int_equal(weft_iwcm_new(&cm, NULL, &d->cm), 0);
    assert_int_equal(weft_siw_new(c, NULL, d->cm, &d->siw), 0);
    assert_int_equal(weft_iwcm_create(d->cm, 0, &d->id), 0);
    assert_int_equal(weft_siw_cq_create(d->siw, 64, &d->cqn), 0);
    qp.send_cqn = qp.recv_cqn = d->cqn;
    assert_int_equal(weft_siw_qp_create(d->siw, &qp, &d->qpn), 0);
    assert_int_equal(weft_siw_region_register(d->siw, &region, &d->stag), 0);
}

static void net_open(struct net *n, uint64_t seed, const struct weft_siw_config *client,
                     const struct weft_siw_config *server)
{
    memset(n, 0, sizeof(*n));
    n->chance.state = seed;
    side_open(&n->side[0], client);
    side_open(&n->side[1], server);
    n->side[0].other = &n->side[1];
    n->side[1].other = &n->side[0];
}

static void net_close(struct net *n)
{
    for (int i = 0; i < 2; i++) {
        struct weft_iwcm_stats stats;

        weft_iwcm_stats(n->side[i].cm, &stats);
        assert_int_equal(stats.violations, 0);
        weft_siw_free(n->side[i].siw);
        weft_iwcm_free(n->side[i].cm);
    }
}

static void dial(struct net *n, struct side *d, weft_siw_ep ep)
{
    struct side *to = d->other;

    d->ep = ep;
    d->open = to->open = true;
    assert_int_equal(
        weft_siw_tcp_incoming(to->siw, n->now, to->listener, &there, &there, 1460, &to->ep), 0);
    assert_int_equal(weft_siw_tcp_up(d->siw, n->now, ep, &there, 1460), 0);
}

/* TCP takes some, all or nothing of a WRITE. */
static void take(struct net *n, struct side *d, const struct weft_siw_op *op)
{
    size_t taken = prng_up_to(&n->chance, op->bytes), left = taken;
    struct wire *w = &d->other->in;

    assert_false(d->blocked);
    for (uint32_t i = 0; i < op->part_count && left > 0; i++) {
        size_t some = left < op->parts[i].bytes ? left : op->parts[i].bytes;

        assert_true(w->bytes + some <= sizeof(w->data));
        memcpy(w->data + w->bytes, op->parts[i].data, some);
        w->bytes += some;
        left -= some;
    }
    assert_int_equal(left, 0);
    d->blocked = taken < op->bytes;
    assert_int_equal(weft_siw_tcp_written(d->siw, n->now, op->ep, taken), 0);
}

static bool serve(struct net *n, struct side *d)
{
    struct weft_siw_op op;

    if (!weft_siw_poll_op(d->siw, n->now, &op))
        return false;
    switch (op.type) {
    case WEFT_SIW_OP_DIAL:
        dial(n, d, op.ep);
        break;
    case WEFT_SIW_OP_BIND:
        d->listener = op.ep;
        assert_int_equal(weft_siw_tcp_bound(d->siw, n->now, op.ep, &there), 0);
        break;
    case WEFT_SIW_OP_WRITE:
        take(n, d, &op);
        break;
    case WEFT_SIW_OP_SHUT:
        d->other->in.fin = true;
        break;
    case WEFT_SIW_OP_RELEASE:
        assert_int_equal(op.ep.v, d->ep.v);
        d->open = false;
        d->other->in.fin = true;
        d->other->in.rst = op.reset;
        break;
    case WEFT_SIW_OPS:
        fail();
    }
    return true;
}

/* What a socket brings that is being closed is nobody's. */
static void told(int err)
{
    assert_true(err == 0 || err == WEFT_ERR_STALE);
}

/* Some of what is in flight arrives, through the window or not. */
static bool arrive(struct net *n, struct side *d)
{
    struct wire *w = &d->in;
    size_t room = 0, some = w->bytes ? 1 + prng_up_to(&n->chance, w->bytes - 1) : 0;
    void *window = some ? weft_siw_rx_window(d->siw, d->ep, &room) : NULL;

    if (!d->open)
        return false;
    if (some == 0) {
        if (!w->fin || w->ended)
            return false;
        w->ended = true;
        told(weft_siw_tcp_end(d->siw, n->now, d->ep, w->rst));
        return true;
    }
    if (window) {
        some = some < room ? some : room;
        memcpy(window, w->data, some);
        assert_int_equal(weft_siw_tcp_rx_placed(d->siw, n->now, d->ep, some), 0);
    } else {
        told(weft_siw_tcp_rx(d->siw, n->now, d->ep, w->data, some));
    }
    memmove(w->data, w->data + some, w->bytes - some);
    w->bytes -= some;
    return true;
}

static bool unblock(struct net *n, struct side *d)
{
    if (!d->blocked || !d->open)
        return false;
    d->blocked = false;
    return weft_siw_tcp_writable(d->siw, n->now, d->ep) == 0;
}

/* Lets things happen, in any order, until nothing does. */
static void settle(struct net *n)
{
    static bool (*const things[])(struct net *, struct side *) = {serve, arrive, unblock};
    bool any = true;

    while (any) {
        any = false;
        for (int i = 0; i < 12; i++) {
            uint64_t which = prng_up_to(&n->chance, 5);

            any |= things[which / 2](n, &n->side[which % 2]);
        }
        for (int i = 0; i < 6 && !any; i++)
            any = things[i / 2](n, &n->side[i % 2]);
    }
}

static struct weft_iwcm_event event(struct side *d, enum weft_iwcm_event_type type)
{
    struct weft_iwcm_event e;

    assert_true(weft_iwcm_poll_event(d->cm, &e));
    while (e.type == WEFT_IWCM_EVENT_DONE && type != WEFT_IWCM_EVENT_DONE) {
        assert_int_equal(e.status, WEFT_IWCM_OK);
        assert_true(weft_iwcm_poll_event(d->cm, &e));
    }
    assert_int_equal(e.type, type);
    return e;
}

static void connect_both(struct net *n)
{
    struct side *client = &n->side[0], *server = &n->side[1];
    struct weft_iwcm_param p = {.ird = 4, .ord = 4, .private_data = "hi", .private_bytes = 2};
    struct weft_iwcm_event e;

    assert_int_equal(weft_iwcm_listen(server->cm, server->id, &there, 0), 0);
    settle(n);
    p.qpn = client->qpn;
    assert_int_equal(weft_iwcm_connect(client->cm, client->id, NULL, &there, &p), 0);
    settle(n);
    e = event(server, WEFT_IWCM_EVENT_REQUEST);
    assert_int_equal(e.peer.private_bytes, 2);
    server->id = e.id;
    p.qpn = server->qpn;
    assert_int_equal(weft_iwcm_accept(server->cm, server->id, &p), 0);
    settle(n);
    e = event(client, WEFT_IWCM_EVENT_REPLY);
    assert_int_equal(e.status, WEFT_IWCM_OK);
    assert_int_equal(e.peer.private_bytes, 2);
    event(server, WEFT_IWCM_EVENT_ESTABLISHED);
}

static void post(struct net *n, struct side *d, enum weft_siw_send_opcode opcode, void *addr,
                 uint32_t bytes, uint64_t remote)
{
    struct weft_siw_sge sge = {.addr = addr, .bytes = bytes, .stag = d->stag};
    struct weft_siw_send wr = {.wr_id = (uint64_t)opcode,
                               .opcode = opcode,
                               .sge = &sge,
                               .sge_count = 1,
                               .remote_stag = d->other->stag,
                               .remote_to = remote};

    assert_int_equal(weft_siw_post_send(d->siw, n->now, d->qpn, &wr), 0);
}

static void completed(struct side *d, enum weft_siw_wc_opcode opcode)
{
    struct weft_siw_wc wc;

    assert_true(weft_siw_cq_poll(d->siw, d->cqn, &wc));
    assert_int_equal(wc.status, WEFT_SIW_WC_OK);
    assert_int_equal(wc.opcode, opcode);
}

/* A Write, a Read of what it wrote, and a Send, from the client. */
static void exchange(struct net *n)
{
    struct side *client = &n->side[0], *server = &n->side[1];
    struct weft_siw_sge sge = {.addr = server->memory + 128, .bytes = 16, .stag = server->stag};
    struct weft_siw_recv wr = {.sge = &sge, .sge_count = 1};

    assert_int_equal(weft_siw_post_recv(server->siw, server->qpn, &wr), 0);
    memcpy(client->memory, "written by WRITE", 16);
    memcpy(client->memory + 16, "brought by SEND.", 16);
    post(n, client, WEFT_SIW_WRITE, client->memory, 16, TO_BASE + 64);
    post(n, client, WEFT_SIW_READ, client->memory + 32, 16, TO_BASE + 64);
    post(n, client, WEFT_SIW_SEND, client->memory + 16, 16, 0);
    settle(n);
    completed(client, WEFT_SIW_WC_WRITE);
    completed(client, WEFT_SIW_WC_READ);
    completed(client, WEFT_SIW_WC_SEND);
    completed(server, WEFT_SIW_WC_RECV);
    assert_memory_equal(server->memory + 64, "written by WRITE", 16);
    assert_memory_equal(client->memory + 32, "written by WRITE", 16);
    assert_memory_equal(server->memory + 128, "brought by SEND.", 16);
}

static void state_is(const struct side *d, enum weft_siw_qp_state state)
{
    struct weft_siw_qp_info info;

    assert_int_equal(weft_siw_qp_query(d->siw, d->qpn, &info), 0);
    assert_int_equal(info.state, state);
    assert_int_equal(info.owner.v, 0);
}

static void closed(struct net *n, enum weft_iwcm_status client, enum weft_iwcm_status server)
{
    enum weft_iwcm_status wanted[2] = {client, server};

    for (int i = 0; i < 2; i++) {
        struct weft_iwcm_event e = event(&n->side[i], WEFT_IWCM_EVENT_CLOSED);

        assert_int_equal(e.status, wanted[i]);
        assert_false(n->side[i].open);
        state_is(&n->side[i], wanted[i] == WEFT_IWCM_OK ? WEFT_SIW_QP_IDLE : WEFT_SIW_QP_ERROR);
    }
}

/* Its memory is taken many hundred times. */
static struct weft_siw_config small(void)
{
    struct weft_siw_config c = WEFT_SIW_CONFIG_INIT;

    c.endpoints = c.qps = c.cqs = c.regions = 4;
    c.cq_entries = 64;
    c.requests = 64;
    return c;
}

/* The configs of both sides, by a number. */
static void choose(uint64_t seed, struct weft_siw_config *client, struct weft_siw_config *server)
{
    static const uint8_t rtr[] = {WEFT_SIW_RTR_NONE, WEFT_SIW_RTR_SEND, WEFT_SIW_RTR_WRITE,
                                  WEFT_SIW_RTR_READ};

    *client = *server = small();
    client->rtr = rtr[seed % 4];
    client->crc = seed / 4 % 2 ? WEFT_SIW_CRC_ON : WEFT_SIW_CRC_OFF;
    server->crc = seed / 8 % 3 == 1 ? WEFT_SIW_CRC_ON : WEFT_SIW_CRC_OFF;
    client->mpa_revision = seed % 5 ? 2 : 1;
    client->segment_bytes = seed % 3 ? 0 : 128;
}

#define SEEDS 240

static void test_two_of_them_exchange_and_close_in_good_order_R106_R126(void **state)
{
    static struct net n;

    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct weft_siw_config client, server;
        int first = seed % 2;

        choose(seed, &client, &server);
        net_open(&n, seed, &client, &server);
        connect_both(&n);
        exchange(&n);
        exchange(&n);
        assert_int_equal(weft_iwcm_disconnect(n.side[first].cm, n.side[first].id, false), 0);
        if (seed % 7 == 0)
            assert_int_equal(weft_iwcm_disconnect(n.side[!first].cm, n.side[!first].id, false), 0);
        settle(&n);
        closed(&n, WEFT_IWCM_OK, WEFT_IWCM_OK);
        net_close(&n);
    }
}

/* What is posted before a disconnect still arrives. */
static void test_a_disconnect_right_behind_a_post_loses_nothing_R125(void **state)
{
    static struct net n;

    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct weft_siw_config client, server;
        struct side *d = &n.side[0];

        choose(seed, &client, &server);
        net_open(&n, seed, &client, &server);
        connect_both(&n);
        memcpy(d->memory, "the last of them", 16);
        post(&n, d, WEFT_SIW_WRITE, d->memory, 16, TO_BASE + 64);
        assert_int_equal(weft_iwcm_disconnect(d->cm, d->id, false), 0);
        settle(&n);
        completed(d, WEFT_SIW_WC_WRITE);
        assert_memory_equal(n.side[1].memory + 64, "the last of them", 16);
        closed(&n, WEFT_IWCM_OK, WEFT_IWCM_OK);
        net_close(&n);
    }
}

static void test_an_abrupt_end_is_CLOSE_on_both_sides(void **state)
{
    static struct net n;

    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct weft_siw_config client, server;
        int first = seed % 2;

        choose(seed, &client, &server);
        net_open(&n, seed, &client, &server);
        connect_both(&n);
        post(&n, &n.side[0], WEFT_SIW_READ, n.side[0].memory, 16, TO_BASE);
        assert_int_equal(weft_iwcm_disconnect(n.side[first].cm, n.side[first].id, true), 0);
        settle(&n);
        closed(&n, first ? WEFT_IWCM_RESET : WEFT_IWCM_CANCELED,
               first ? WEFT_IWCM_CANCELED : WEFT_IWCM_RESET);
        net_close(&n);
    }
}

/* A Write to nowhere: the server says why, and both end. */
static void test_a_Terminate_reaches_who_caused_it(void **state)
{
    static struct net n;

    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct weft_siw_config client, server;
        struct weft_siw_qp_info info;

        choose(seed, &client, &server);
        net_open(&n, seed, &client, &server);
        connect_both(&n);
        post(&n, &n.side[0], WEFT_SIW_WRITE, n.side[0].memory, 16, TO_BASE + 250);
        settle(&n);
        closed(&n, WEFT_IWCM_RESET, WEFT_IWCM_PROTOCOL);
        assert_int_equal(weft_siw_qp_query(n.side[0].siw, n.side[0].qpn, &info), 0);
        assert_true(info.terminate_received);
        assert_int_equal(info.terminate_error, 0x1101);
        net_close(&n);
    }
}

/* Bytes as kernel siw wrote them, and what it was answered. */
#define REQ "4d504120494420526571204672616d65"
#define REP "4d504120494420526570204672616d65"

static size_t hex(const char *text, uint8_t *out)
{
    static const char digits[] = "0123456789abcdef";
    size_t nibbles = 0;

    for (; *text; text++) {
        const char *d = strchr(digits, *text);

        if (*text == ' ')
            continue;
        assert_non_null(d);
        out[nibbles / 2] = (uint8_t)(out[nibbles / 2] << 4 | (d - digits));
        nibbles++;
    }
    return nibbles / 2;
}

static void hears(struct net *n, const char *text)
{
    uint8_t data[256] = {0};
    size_t bytes = hex(text, data);

    assert_int_equal(weft_siw_tcp_rx(n->side[0].siw, n->now, n->side[0].ep, data, bytes), 0);
}

static void says(struct net *n, const char *text)
{
    uint8_t wanted[256] = {0}, got[256];
    size_t bytes = hex(text, wanted), done = 0;
    struct weft_siw_op op;

    while (done < bytes) {
        assert_true(weft_siw_poll_op(n->side[0].siw, n->now, &op));
        assert_int_equal(op.type, WEFT_SIW_OP_WRITE);
        for (uint32_t i = 0; i < op.part_count; i++) {
            assert_true(done + op.parts[i].bytes <= bytes);
            memcpy(got + done, op.parts[i].data, op.parts[i].bytes);
            done += op.parts[i].bytes;
        }
        assert_int_equal(weft_siw_tcp_written(n->side[0].siw, n->now, op.ep, op.bytes), 0);
    }
    assert_memory_equal(got, wanted, bytes);
}

/* The host's part of being an initiator. */
static void dials(struct net *n)
{
    struct side *d = &n->side[0];
    struct weft_iwcm_param p = {.ird = 1, .ord = 1, .qpn = d->qpn};
    struct weft_siw_op op;

    assert_int_equal(weft_iwcm_connect(d->cm, d->id, NULL, &there, &p), 0);
    assert_true(weft_siw_poll_op(d->siw, n->now, &op));
    d->ep = op.ep;
    assert_int_equal(weft_siw_tcp_up(d->siw, n->now, op.ep, &there, 1460), 0);
}

/* And of being a responder, up to a request. */
static void is_asked(struct net *n, const char *request)
{
    struct side *d = &n->side[0];
    struct weft_iwcm_param p = {.ird = 1, .ord = 1, .qpn = d->qpn};
    struct weft_siw_op op;

    assert_int_equal(weft_iwcm_listen(d->cm, d->id, &there, 0), 0);
    assert_true(weft_siw_poll_op(d->siw, n->now, &op));
    assert_int_equal(weft_siw_tcp_bound(d->siw, n->now, op.ep, &there), 0);
    assert_int_equal(weft_siw_tcp_incoming(d->siw, n->now, op.ep, &there, &there, 1460, &d->ep), 0);
    hears(n, request);
    d->id = event(d, WEFT_IWCM_EVENT_REQUEST).id;
    assert_int_equal(weft_iwcm_accept(d->cm, d->id, &p), 0);
}

static void test_rping_s_as_kernel_siw_has_it_is_sent_the_first_advertisement(void **state)
{
    struct weft_siw_config c = small();
    static struct net n;

    (void)state;
    c.crc = WEFT_SIW_CRC_ON;
    net_open(&n, 1, &c, &c);
    dials(&n);
    says(&n, REQ "50 02 0004 00010001");
    hears(&n, REP "50 02 0004 00010001");
    hex("0000007000000000 11223300 00000040", n.side[0].memory);
    post(&n, &n.side[0], WEFT_SIW_SEND, n.side[0].memory, 16, 0);
    says(&n, "0022 4143 00000000 00000000 00000001 00000000"
             "0000007000000000 11223300 00000040 266cd70b");
    completed(&n.side[0], WEFT_SIW_WC_SEND);
    net_close(&n);
}

static void test_an_initiator_of_peer_to_peer_mode_begins_as_siw_tune_does(void **state)
{
    struct weft_siw_config c = small();
    static struct net n;

    (void)state;
    c.crc = WEFT_SIW_CRC_REQUIRED;
    c.rtr = WEFT_SIW_RTR_WRITE | WEFT_SIW_RTR_READ;
    net_open(&n, 1, &c, &c);
    dials(&n);
    says(&n, REQ "50 02 0004 8001 c001");
    hears(&n, REP "50 02 0004 8001 8001");
    says(&n, "000e c140 00000001 0000000000000000 ebd34c5f");
    net_close(&n);
}

/* Nothing is written before the initiator's first FPDU, whatever is posted. */
static void test_a_responder_waits_for_siws_RTR_with_what_it_has_to_say(void **state)
{
    struct weft_siw_config c = small();
    struct weft_iwcm_event e;
    struct weft_siw_op op;
    static struct net n;

    (void)state;
    net_open(&n, 1, &c, &c);
    is_asked(&n, REQ "50 02 0004 8001 c001");
    says(&n, REP "50 02 0004 8001 8001");
    hex("0000007000000000 11223300 00000040", n.side[0].memory);
    post(&n, &n.side[0], WEFT_SIW_SEND, n.side[0].memory, 16, 0);
    assert_false(weft_siw_poll_op(n.side[0].siw, n.now, &op));
    e = event(&n.side[0], WEFT_IWCM_EVENT_DONE);
    assert_int_equal(e.call, WEFT_IWCM_CALL_ACCEPT);
    assert_false(weft_iwcm_poll_event(n.side[0].cm, &e));
    hears(&n, "000e c140 00000001 0000000000000000 ebd34c5f");
    event(&n.side[0], WEFT_IWCM_EVENT_ESTABLISHED);
    says(&n, "0022 4143 00000000 00000000 00000001 00000000"
             "0000007000000000 11223300 00000040 266cd70b");
    net_close(&n);
}

/* In RFC 5040's order, where siw's would be 02020000. */
static void test_a_bad_CRC_in_the_first_FPDU_is_answered_by_a_Terminate(void **state)
{
    struct weft_siw_config c = small();
    struct weft_siw_stats stats;
    struct weft_siw_op op;
    static struct net n;

    (void)state;
    net_open(&n, 1, &c, &c);
    is_asked(&n, REQ "50 02 0004 8001 c001");
    says(&n, REP "50 02 0004 8001 8001");
    hears(&n, "000e c140 00000001 0000000000000000 ebd34c60");
    assert_true(weft_siw_poll_op(n.side[0].siw, n.now, &op));
    assert_int_equal(op.type, WEFT_SIW_OP_WRITE);
    assert_int_equal(op.bytes, 28);
    assert_int_equal(weft_siw_tcp_written(n.side[0].siw, n.now, op.ep, op.bytes), 0);
    assert_true(weft_siw_poll_op(n.side[0].siw, n.now, &op));
    assert_int_equal(op.type, WEFT_SIW_OP_SHUT);
    weft_siw_stats(n.side[0].siw, &stats);
    assert_int_equal(stats.crc_errors, 1);
    assert_int_equal(stats.terminates_out, 1);
    assert_int_equal(weft_siw_tcp_end(n.side[0].siw, n.now, n.side[0].ep, false), 0);
    event(&n.side[0], WEFT_IWCM_EVENT_ESTABLISHED);
    event(&n.side[0], WEFT_IWCM_EVENT_CLOSED);
    net_close(&n);
}

#define FRAME_BYTES 24

/* What a hostile peer sends: a frame, mostly with one thing wrong, and rubbish behind it. */
static size_t hostile(struct net *n, const char *key, uint8_t *out)
{
    static const uint8_t first_fpdu[] = {0, 14, 0xc1, 0x40, 0, 0, 0, 1, 0, 0,
                                         0, 0,  0,    0,    0, 0, 0, 0, 0, 0};
    size_t bytes = hex(key, out), behind = prng_up_to(&n->chance, 40);

    out[bytes++] = (uint8_t)(prng_up_to(&n->chance, 3) ? 0x10 : prng_next(&n->chance));
    out[bytes++] = (uint8_t)(prng_up_to(&n->chance, 5) ? 2 : prng_up_to(&n->chance, 3));
    out[bytes++] = 0;
    out[bytes++] = (uint8_t)(prng_up_to(&n->chance, 5) ? 4 : prng_next(&n->chance));
    for (uint64_t i = 0; i < 4; i++)
        out[bytes++] = (uint8_t)(prng_up_to(&n->chance, 2) ? i % 2 : prng_next(&n->chance));
    if (prng_up_to(&n->chance, 3) == 0)
        out[prng_up_to(&n->chance, bytes - 1)] ^= (uint8_t)(1u << prng_up_to(&n->chance, 7));
    if (prng_up_to(&n->chance, 1) == 0) {
        memcpy(out + bytes, first_fpdu, sizeof(first_fpdu));
        bytes += sizeof(first_fpdu);
    }
    for (size_t i = 0; i < behind; i++)
        out[bytes++] = (uint8_t)prng_next(&n->chance);
    return bytes;
}

/* The client does whatever comes to its mind with what it hears. */
static void whims(struct net *n, struct side *d)
{
    struct weft_iwcm_param p = {.ird = 1, .ord = 1, .qpn = d->qpn};
    struct weft_iwcm_event e;

    while (weft_iwcm_poll_event(d->cm, &e)) {
        /* a QP that has a connection may not have a second: any answer will do */
        if (e.type == WEFT_IWCM_EVENT_REQUEST && prng_up_to(&n->chance, 2))
            (void)weft_iwcm_accept(d->cm, e.id, &p);
        else if (e.type == WEFT_IWCM_EVENT_ESTABLISHED && prng_up_to(&n->chance, 1))
            (void)weft_iwcm_disconnect(d->cm, e.id, prng_up_to(&n->chance, 1));
        else if (e.type != WEFT_IWCM_EVENT_GONE && e.id.v != d->id.v)
            (void)weft_iwcm_destroy(d->cm, e.id);
    }
}

/* The host does what it is told, with a TCP that now and then takes less. */
static void does(struct net *n, struct side *d)
{
    struct weft_siw_op op;

    while (weft_siw_poll_op(d->siw, n->now, &op)) {
        size_t left = prng_up_to(&n->chance, 3) ? 0 : prng_up_to(&n->chance, op.bytes);

        if (op.type == WEFT_SIW_OP_DIAL)
            assert_int_equal(weft_siw_tcp_up(d->siw, n->now, op.ep, &there, 1460), 0);
        if (op.type == WEFT_SIW_OP_DIAL)
            d->ep = op.ep;
        if (op.type != WEFT_SIW_OP_WRITE)
            continue;
        assert_int_equal(weft_siw_tcp_written(d->siw, n->now, op.ep, op.bytes - left), 0);
        told(weft_siw_tcp_writable(d->siw, n->now, op.ep));
    }
}

/* Bytes in any pieces, with anything in between, and an end of any kind or none. */
static void attack(struct net *n, struct side *d, const char *key)
{
    uint8_t data[128] = {0};
    size_t bytes = hostile(n, key, data), done = 0;

    while (done < bytes && prng_up_to(&n->chance, 15)) {
        size_t some = 1 + prng_up_to(&n->chance, bytes - done - 1);

        /* a good peer waits for the answer to its frame */
        if (done == 0 && prng_up_to(&n->chance, 2))
            some = FRAME_BYTES;
        told(weft_siw_tcp_rx(d->siw, n->now, d->ep, data + done, some));
        done += some;
        if (done == FRAME_BYTES || prng_up_to(&n->chance, 1)) {
            does(n, d);
            whims(n, d);
            does(n, d);
        }
    }
    if (prng_up_to(&n->chance, 2))
        told(weft_siw_tcp_end(d->siw, n->now, d->ep, prng_up_to(&n->chance, 1)));
}

static void all_is_over(struct net *n, struct side *d, uint32_t endpoints)
{
    struct weft_siw_stats stats;

    /* two patiences one behind the other at most, and what the client has not seen yet */
    for (int i = 0; i < 4; i++) {
        whims(n, d);
        does(n, d);
        n->now += 31 * WEFT_S;
        assert_int_equal(weft_siw_advance(d->siw, n->now), 0);
    }
    does(n, d);
    weft_siw_stats(d->siw, &stats);
    assert_int_equal(stats.endpoints, endpoints);
    assert_int_equal(stats.half_open, 0);
}

#define ATTACKS 3000

/* The attacks came as far as there is a way to come. */
static void reached(const struct side *d, enum weft_iwcm_event_type up)
{
    struct weft_iwcm_stats cm;
    struct weft_siw_stats siw;

    weft_iwcm_stats(d->cm, &cm);
    weft_siw_stats(d->siw, &siw);
    assert_in_range(siw.mpa_errors, 100, ATTACKS);
    assert_in_range(siw.fpdus_in, 20, ATTACKS);
    assert_in_range(siw.terminates_out, 20, ATTACKS);
    assert_in_range(siw.mpa_timeouts, 20, ATTACKS);
    assert_in_range(cm.events[up], 100, ATTACKS);
    assert_in_range(cm.events[WEFT_IWCM_EVENT_CLOSED], 20, ATTACKS);
}

static void test_a_responder_survives_hostile_initiators(void **state)
{
    struct weft_siw_config c = small();
    struct weft_siw_op op;
    static struct net n;
    struct side *d = &n.side[0];

    (void)state;
    net_open(&n, 5, &c, &c);
    assert_int_equal(weft_iwcm_listen(d->cm, d->id, &there, 0), 0);
    assert_true(weft_siw_poll_op(d->siw, n.now, &op));
    d->listener = op.ep;
    assert_int_equal(weft_siw_tcp_bound(d->siw, n.now, op.ep, &there), 0);
    for (int i = 0; i < ATTACKS; i++) {
        int err = weft_siw_tcp_incoming(d->siw, n.now, d->listener, &there, &there, 0, &d->ep);

        assert_true(err == 0 || err == WEFT_ERR_FULL);
        if (err == 0)
            attack(&n, d, REQ);
        if (err == WEFT_ERR_FULL || prng_up_to(&n.chance, 7) == 0)
            all_is_over(&n, d, 1);
        (void)weft_siw_qp_reset(d->siw, d->qpn);
    }
    all_is_over(&n, d, 1);
    reached(d, WEFT_IWCM_EVENT_ESTABLISHED);
    net_close(&n);
}

static void test_an_initiator_survives_hostile_responders(void **state)
{
    struct weft_siw_config c = small();
    static struct net n;
    struct side *d = &n.side[0];

    (void)state;
    c.rtr = WEFT_SIW_RTR_WRITE;
    net_open(&n, 6, &c, &c);
    for (int i = 0; i < ATTACKS; i++) {
        struct weft_iwcm_param p = {.ird = 1, .ord = 1, .qpn = d->qpn};

        assert_int_equal(weft_siw_qp_reset(d->siw, d->qpn), 0);
        assert_int_equal(weft_iwcm_connect(d->cm, d->id, NULL, &there, &p), 0);
        does(&n, d);
        attack(&n, d, REP);
        n.now += prng_up_to(&n.chance, 31) * WEFT_S;
        assert_int_equal(weft_siw_advance(d->siw, n.now), 0);
        /* whatever it is by now, it can be given up */
        assert_int_equal(weft_iwcm_destroy(d->cm, d->id), 0);
        all_is_over(&n, d, 0);
        assert_int_equal(weft_iwcm_create(d->cm, 0, &d->id), 0);
    }
    reached(d, WEFT_IWCM_EVENT_REPLY);
    net_close(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_of_them_exchange_and_close_in_good_order_R106_R126),
        cmocka_unit_test(test_a_disconnect_right_behind_a_post_loses_nothing_R125),
        cmocka_unit_test(test_an_abrupt_end_is_CLOSE_on_both_sides),
        cmocka_unit_test(test_a_Terminate_reaches_who_caused_it),
        cmocka_unit_test(test_rping_s_as_kernel_siw_has_it_is_sent_the_first_advertisement),
        cmocka_unit_test(test_an_initiator_of_peer_to_peer_mode_begins_as_siw_tune_does),
        cmocka_unit_test(test_a_responder_waits_for_siws_RTR_with_what_it_has_to_say),
        cmocka_unit_test(test_a_bad_CRC_in_the_first_FPDU_is_answered_by_a_Terminate),
        cmocka_unit_test(test_a_responder_survives_hostile_initiators),
        cmocka_unit_test(test_an_initiator_survives_hostile_responders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
