/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Cost of the MAD engine: a solicited transaction with few and with very many outstanding, bytes of
 * memory for each, and an RMPP transfer between two ports in memory. */
#include <weft/mad.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define TIMEOUT (1000 * WEFT_S)

struct bench {
    struct weft_mad_port *port;
    weft_mad_agent_id agent;
    uint8_t request[WEFT_MAD_BYTES];
    uint8_t answer[WEFT_MAD_BYTES];
    weft_time now;
    uint32_t next_tid;
};

static void fail(const char *what, int err)
{
    fprintf(stderr, "bench_mad: %s: %s\n", what, weft_strerror(err));
    exit(3);
}

static uint64_t clock_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (uint64_t)ts.tv_sec * WEFT_S + (uint64_t)ts.tv_nsec;
}

/* Memory with huge pages where the system gives them: what is measured is the engine, not page
 * tables. */
static void *huge_get(void *ctx, size_t size, size_t align)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)ctx;
    (void)align;
    if (p == MAP_FAILED)
        return NULL;
    (void)madvise(p, size, MADV_HUGEPAGE);
    return p;
}

static void huge_put(void *ctx, void *p, size_t size)
{
    (void)ctx;
    munmap(p, size);
}

static const struct weft_alloc huge = {.get = huge_get, .put = huge_put};

static void bench_open(struct bench *b, uint32_t sends)
{
    struct weft_mad_agent_req agent = {.qpn = 1, .mgmt_class = WEFT_CLASS_PERF, .class_version = 1};
    struct weft_mad_config c;
    int err;

    memset(b, 0, sizeof(*b));
    weft_mad_config_init(&c);
    c.sends = sends;
    err = weft_mad_port_new(&c, &huge, &b->port);
    if (err < 0)
        fail("cannot make a port", err);
    err = weft_mad_agent_add(b->port, &agent, &b->agent);
    if (err < 0)
        fail("cannot add an agent", err);
    b->request[0] = 1;
    b->request[1] = WEFT_CLASS_PERF;
    b->request[2] = 1;
    b->request[3] = WEFT_METHOD_GET;
    b->request[17] = 0x12;
    memcpy(b->answer, b->request, sizeof(b->answer));
    b->answer[3] = WEFT_METHOD_GET_RESP;
}

static void put_tid(uint8_t *mad, uint32_t high, uint32_t low)
{
    for (int i = 0; i < 4; i++) {
        mad[8 + i] = (uint8_t)(high >> (24 - 8 * i));
        mad[12 + i] = (uint8_t)(low >> (24 - 8 * i));
    }
}

/* Post, transmit and complete one request. */
static void bench_ask(struct bench *b, uint32_t tid)
{
    struct weft_mad_send_req r = {.agent = b->agent,
                                  .to = {.lid = 7, .qpn = 1, .qkey = WEFT_QKEY_GSI},
                                  .data = b->request,
                                  .len = WEFT_MAD_BYTES,
                                  .timeout = TIMEOUT,
                                  .retries = 3,
                                  .user_data = tid};
    struct weft_mad_tx tx;
    int err;

    put_tid(b->request, 0, tid);
    b->now += 100;
    err = weft_mad_post(b->port, b->now, &r, NULL);
    if (err < 0)
        fail("post", err);
    if (!weft_mad_poll_tx(b->port, &tx))
        fail("nothing to transmit", WEFT_ERR_STATE);
    weft_mad_tx_done(b->port, b->now, tx.id, true);
}

/* Feed the answer of one request, drain both events, and fire timers as a host does. */
static void bench_answer(struct bench *b, uint32_t agent_tid, uint32_t tid)
{
    struct weft_mad_rx rx = {.qpn = 1,
                             .from = {.lid = 7, .qpn = 1, .qkey = WEFT_QKEY_GSI},
                             .data = b->answer,
                             .len = WEFT_MAD_BYTES};
    struct weft_mad_event ev;
    uint8_t copy[WEFT_MAD_BYTES];
    int events = 0;

    put_tid(b->answer, agent_tid, tid);
    b->now += 100;
    weft_mad_rx(b->port, b->now, &rx, NULL);
    weft_mad_advance(b->port, b->now);
    while (weft_mad_poll_event(b->port, &ev)) {
        events++;
        if (ev.type == WEFT_MAD_EVENT_RECV) {
            weft_mad_recv_read(b->port, ev.u.recv.id, 0, copy, sizeof(copy));
            weft_mad_recv_release(b->port, ev.u.recv.id);
        }
    }
    if (events != 2)
        fail("an answer gave other than two events", WEFT_ERR_STATE);
}

/* The next number of a permutation of 0..n-1, without memory: a generator of full period over the
 * next power of two, whose numbers outside are passed over. */
static uint32_t permute(uint32_t *state, uint32_t n)
{
    uint32_t mask = 1;

    while (mask < n)
        mask *= 2;
    do
        *state = (*state * 1664525u + 1013904223u) & (mask - 1);
    while (*state >= n);
    return *state;
}

/* Keeps `outstanding` requests open. Those asked in one epoch are answered in the next, in random
 * order, and for each answer a new one is asked. */
static double bench_transactions(uint32_t outstanding, uint32_t epochs)
{
    struct bench b;
    uint32_t agent_tid, state = 1;
    uint64_t begin = 0;

    bench_open(&b, outstanding + 1);
    weft_mad_agent_tid(b.port, b.agent, &agent_tid);
    for (uint32_t i = 0; i < outstanding; i++)
        bench_ask(&b, b.next_tid++);
    for (uint32_t epoch = 0; epoch <= epochs; epoch++) {
        uint32_t first = epoch * outstanding;

        /* the first epoch warms up */
        if (epoch == 1)
            begin = clock_ns();
        for (uint32_t i = 0; i < outstanding; i++) {
            bench_answer(&b, agent_tid, first + permute(&state, outstanding));
            bench_ask(&b, b.next_tid++);
        }
    }
    begin = clock_ns() - begin;
    weft_mad_port_free(b.port);
    return (double)begin / ((double)outstanding * epochs);
}

/* Moves packets from one port to the other until both are quiet; returns how many. */
static uint64_t bench_carry(struct weft_mad_port *from, struct weft_mad_port *to, weft_time now)
{
    struct weft_mad_tx tx;
    uint64_t packets = 0;

    while (weft_mad_poll_tx(from, &tx)) {
        struct weft_mad_rx rx = {.qpn = tx.qpn,
                                 .from = {.lid = 7, .qpn = 1, .qkey = WEFT_QKEY_GSI},
                                 .data = tx.data,
                                 .len = tx.len};

        weft_mad_rx(to, now, &rx, NULL);
        weft_mad_tx_done(from, now, tx.id, true);
        packets++;
    }
    return packets;
}

/* Sends one message from a port to another and reads it there. */
static double bench_rmpp(uint32_t bytes, uint32_t times)
{
    struct weft_mad_agent_req owner = {.qpn = 1,
                                       .mgmt_class = WEFT_CLASS_SUBN_ADM,
                                       .class_version = 2,
                                       .rmpp_version = 1,
                                       .methods = {1u << WEFT_METHOD_GET_MULTI, 0}};
    struct weft_mad_port *port[2];
    weft_mad_agent_id agent[2];
    uint8_t *message = calloc(1, bytes), *copy = malloc(bytes);
    struct weft_mad_send_req r = {
        .to = {.lid = 7, .qpn = 1, .qkey = WEFT_QKEY_GSI}, .data = message, .len = bytes};
    struct weft_mad_config c;
    uint64_t begin;
    weft_time now = 0;

    if (!message || !copy)
        fail("memory", WEFT_ERR_NOMEM);
    weft_mad_config_init(&c);
    c.rmpp.bytes_max = (uint64_t)bytes * 2 + (1 << 20);
    for (int i = 0; i < 2; i++) {
        if (weft_mad_port_new(&c, &huge, &port[i]) < 0 ||
            weft_mad_agent_add(port[i], &owner, &agent[i]) < 0)
            fail("cannot set up", WEFT_ERR_NOMEM);
    }
    message[0] = 1;
    message[1] = WEFT_CLASS_SUBN_ADM;
    message[2] = 2;
    message[3] = WEFT_METHOD_GET_MULTI;
    message[26] = WEFT_RMPP_FLAG_ACTIVE;
    r.agent = agent[0];
    begin = clock_ns();
    for (uint32_t i = 0; i < times; i++) {
        struct weft_mad_event ev;
        int received = 0;

        put_tid(message, 0, i + 1);
        weft_mad_post(port[0], now, &r, NULL);
        while (bench_carry(port[0], port[1], now) + bench_carry(port[1], port[0], now) > 0)
            now += 1000;
        while (weft_mad_poll_event(port[1], &ev)) {
            received += ev.u.recv.len == bytes &&
                        weft_mad_recv_read(port[1], ev.u.recv.id, 0, copy, bytes) == 0;
            weft_mad_recv_release(port[1], ev.u.recv.id);
        }
        while (weft_mad_poll_event(port[0], &ev))
            ;
        if (received != 1)
            fail("the message did not arrive", WEFT_ERR_STATE);
    }
    begin = clock_ns() - begin;
    for (int i = 0; i < 2; i++)
        weft_mad_port_free(port[i]);
    free(message);
    free(copy);
    return (double)bytes * times / (double)begin;
}

int main(void)
{
    struct weft_mad_config c;
    uint64_t total;
    uint32_t per_send;
    double few, many;

    weft_mad_config_init(&c);
    c.sends = 1 << 20;
    weft_mad_port_bytes(&c, &total, &per_send);
    few = bench_transactions(100, 20000);
    printf("solicited transaction, 100 outstanding        %8.0f ns\n", few);
    many = bench_transactions(1000000, 3);
    printf("solicited transaction, 1,000,000 outstanding  %8.0f ns  (%.2f x)\n", many, many / few);
    printf("engine memory for each outstanding send       %8u bytes\n", per_send);
    printf("RMPP, 1 MiB between two ports, read out       %8.2f GB/s\n", bench_rmpp(1 << 20, 1000));
    printf("RMPP, 64 MiB between two ports, read out      %8.2f GB/s\n", bench_rmpp(64 << 20, 5));
    return 0;
}
