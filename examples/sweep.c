/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What there is on a fabric, which ports have counted errors, and the path from here to the last
 * host: discovery, counters and SA client of libweft, each driven by the same loop. Packets go over
 * the socket of a fabric daemon; a program on an adapter would have another open_place(), move()
 * and rest(), and leave the rest as it is.
 *
 *     cc -o sweep sweep.c $(pkg-config --cflags --libs libweft)
 *     weft fabric --topology fat-tree:hosts=4,radix=4 --listen fabric.sock --daemon
 *     sweep fabric.sock host-00003
 */
#define _POSIX_C_SOURCE 200809L

#include <weft/counters.h>
#include <weft/sa.h>
#include <weft/sweep.h>

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* The daemon's protocol, docs/fabric-protocol.md: magic, version and type, then what a type has. */
enum {
    MAGIC = 0x74666577,
    VERSION = 1,
    HELLO = 1,
    PORT_QUERY = 5,
    PACKET = 16,
    WELCOME = 32,
    PORT = 36,
    ROLE_SOCKET = 2,
    MESSAGE_BYTES = 65536
};

struct head {
    uint32_t magic;
    uint16_t version, type;
};

struct hello {
    struct head head;
    uint8_t role, port, zero[6];
    char node[128], program[32];
};

struct welcome {
    struct head head;
    uint32_t number, tid_first, tid_last, slots;
    uint8_t port, zero[7];
};

struct port_query {
    struct head head;
    uint32_t number, zero;
};

struct port {
    struct head head;
    uint64_t guid, gid_prefix;
    uint32_t capability;
    uint16_t lid, sm_lid, rate;
    uint8_t lmc, sm_sl;
};

struct packet {
    struct head head;
    uint16_t slid, dlid;
    uint8_t sl, path_bits, has_grh, zero;
    uint32_t src_qpn, dst_qpn, qkey;
    uint16_t pkey_index, pkey;
    uint8_t grh[40]; /* hop limit to DGID: not for packets within a subnet */
    uint8_t mad[WEFT_MAD_BYTES];
};

/* A program at a port. */
struct place {
    int fd;
    struct weft_mad_port *engine;
    weft_time now;
    struct port is;
};

static void end(const char *what, const char *why)
{
    fprintf(stderr, "sweep: %s: %s\n", what, why);
    exit(1);
}

static void must(const char *what, int err)
{
    if (err < 0)
        end(what, weft_strerror(err));
}

static weft_time clock_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (weft_time)t.tv_sec * WEFT_S + (weft_time)t.tv_nsec;
}

static void say(const struct place *p, const void *message, size_t bytes)
{
    if (send(p->fd, message, bytes, MSG_NOSIGNAL) < 0)
        end("the daemon", strerror(errno));
}

/* Waits for the answer to what was said last. */
static void hear(const struct place *p, uint16_t type, void *ret, size_t bytes)
{
    static uint8_t message[MESSAGE_BYTES];
    struct head head;
    ssize_t got = recv(p->fd, message, sizeof(message), 0);

    if (got < (ssize_t)sizeof(head))
        end("the daemon", got < 0 ? strerror(errno) : "it has gone");
    memcpy(&head, message, sizeof(head));
    if (head.type != type || (size_t)got < bytes)
        end("the daemon refuses", (const char *)message + 16);
    memcpy(ret, message, bytes);
}

static void open_place(const char *path, const char *node, struct place *ret)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    struct hello hello = {.head = {MAGIC, VERSION, HELLO}, .role = ROLE_SOCKET};
    struct port_query query = {.head = {MAGIC, VERSION, PORT_QUERY}};
    struct weft_mad_config config;
    struct welcome welcome;

    *ret = (struct place){.fd = socket(AF_UNIX, SOCK_SEQPACKET, 0), .now = clock_now()};
    snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
    if (ret->fd < 0 || connect(ret->fd, (struct sockaddr *)&to, sizeof(to)) < 0)
        end(path, strerror(errno));
    snprintf(hello.node, sizeof(hello.node), "%s", node);
    snprintf(hello.program, sizeof(hello.program), "sweep");
    say(ret, &hello, sizeof(hello));
    hear(ret, WELCOME, &welcome, sizeof(welcome));
    query.number = welcome.port;
    say(ret, &query, sizeof(query));
    hear(ret, PORT, &ret->is, sizeof(ret->is));

    must("the engine", weft_mad_config_init(&config));
    config.tid_first = welcome.tid_first;
    config.tid_last = welcome.tid_last;
    config.port_number = welcome.port;
    config.hops_by_host = true;       /* the daemon takes the steps of directed routes */
    config.flow.agent_limits = false; /* each of the machines has a window of its own */
    must("the engine", weft_mad_port_new(&config, NULL, &ret->engine));
    must("the LID", weft_mad_port_set_lid(ret->engine, ret->is.lid, ret->is.lmc));
}

static void close_place(struct place *p)
{
    (void)weft_mad_port_free(p->engine);
    close(p->fd);
}

static weft_mad_agent_id agent(struct place *p, uint8_t qpn, uint8_t mgmt_class)
{
    struct weft_mad_agent_req r = {.qpn = qpn, .mgmt_class = mgmt_class, .class_version = 1};
    weft_mad_agent_id id;

    if (mgmt_class == WEFT_CLASS_SUBN_ADM)
        r = weft_sa_agent(false);
    must("an agent", weft_mad_agent_add(p->engine, &r, &id));
    return id;
}

/* What mad.h says: first what has arrived, then timers, then what is to be sent. */
static void move(struct place *p)
{
    struct packet in;
    struct weft_mad_tx tx;

    p->now = clock_now();
    while (recv(p->fd, &in, sizeof(in), MSG_DONTWAIT) == sizeof(in)) {
        struct weft_mad_rx rx = {.qpn = (uint8_t)in.dst_qpn,
                                 .dlid = in.dlid,
                                 .from = {.lid = in.slid,
                                          .sl = in.sl,
                                          .qpn = in.src_qpn,
                                          .qkey = in.qkey,
                                          .pkey_index = in.pkey_index},
                                 .data = in.mad,
                                 .len = sizeof(in.mad)};

        if (in.head.type == PACKET)
            (void)weft_mad_rx(p->engine, p->now, &rx, NULL);
    }
    must("time", weft_mad_advance(p->engine, p->now));
    while (weft_mad_poll_tx(p->engine, &tx)) {
        struct packet out = {.head = {MAGIC, VERSION, PACKET},
                             .dlid = tx.to->lid,
                             .slid = tx.to->lid == WEFT_LID_PERMISSIVE ? WEFT_LID_PERMISSIVE : 0,
                             .sl = tx.to->sl,
                             .src_qpn = tx.qpn,
                             .dst_qpn = tx.to->qpn,
                             .qkey = tx.qpn == WEFT_QP_SMI ? 0 : tx.to->qkey,
                             .pkey_index = tx.to->pkey_index};

        memcpy(out.mad, tx.data, sizeof(out.mad));
        say(p, &out, sizeof(out));
        must("a packet", weft_mad_tx_done(p->engine, p->now, tx.id, true));
    }
}

/* Sleeps until a packet has come, or something is due. */
static void rest(const struct place *p, weft_time until)
{
    struct pollfd fd = {.fd = p->fd, .events = POLLIN};
    weft_time engine = weft_mad_deadline(p->engine);
    int timeout = -1;

    if (engine < until)
        until = engine;
    if (until != WEFT_TIME_NEVER)
        timeout = until <= p->now ? 0 : (int)((until - p->now) / WEFT_MS + 1);
    if (poll(&fd, 1, timeout) > 0 && (fd.revents & POLLHUP) != 0)
        end("the daemon", "it has gone");
}

static void release(struct place *p, const struct weft_mad_event *ev)
{
    if (ev->type == WEFT_MAD_EVENT_RECV)
        must("a MAD", weft_mad_recv_release(p->engine, ev->u.recv.id));
}

static struct weft_sweep *sweep(struct place *p)
{
    struct weft_mad_send_req request;
    struct weft_mad_event ev;
    struct weft_sweep *s;

    must("a sweep", weft_sweep_new(NULL, agent(p, 0, WEFT_CLASS_SUBN_DIRECTED), NULL, &s));
    for (;;) {
        bool busy = false;

        for (; weft_sweep_poll(s, &request); busy = true)
            must("a request", weft_mad_post(p->engine, p->now, &request, NULL));
        if (weft_sweep_done(s))
            break;
        move(p);
        for (; weft_mad_poll_event(p->engine, &ev); busy = true) {
            weft_sweep_event(s, &ev);
            release(p, &ev);
        }
        if (!busy)
            rest(p, WEFT_TIME_NEVER);
    }
    must("the sweep", weft_sweep_verdict(s));
    return s;
}

static struct weft_counters *counters(struct place *p, const struct weft_sweep *s)
{
    struct weft_mad_send_req request;
    struct weft_mad_event ev;
    struct weft_counters *c;

    must("counters", weft_counters_new(s, NULL, NULL, agent(p, 1, WEFT_CLASS_PERF), NULL, &c));
    for (;;) {
        bool busy = false;

        for (; weft_counters_poll(c, &request); busy = true)
            must("a request", weft_mad_post(p->engine, p->now, &request, NULL));
        if (weft_counters_done(c))
            break;
        move(p);
        for (; weft_mad_poll_event(p->engine, &ev); busy = true) {
            weft_counters_event(c, &ev);
            release(p, &ev);
        }
        if (!busy)
            rest(p, WEFT_TIME_NEVER);
    }
    must("the counters", weft_counters_verdict(c));
    return c;
}

/* A GID as on the wire. */
static void gid_make(uint64_t prefix, uint64_t guid, uint8_t ret[16])
{
    for (int i = 0; i < 8; i++) {
        ret[i] = (uint8_t)(prefix >> (56 - 8 * i));
        ret[8 + i] = (uint8_t)(guid >> (56 - 8 * i));
    }
}

/* Asks for one path, and reads a field of the record by its name. */
static struct weft_sa *path(struct place *p, uint64_t to_guid)
{
    struct weft_sa *sa;
    struct weft_sa_question question;
    struct weft_sa_result result;
    struct weft_mad_event ev;
    uint8_t from[16], to[16];
    uint64_t dlid;

    if (p->is.sm_lid == 0) {
        printf("no path: no SM has made itself known to this port\n");
        return NULL;
    }
    must("the SA", weft_sa_new(NULL, p->engine, agent(p, 1, WEFT_CLASS_SUBN_ADM), NULL, &sa));
    weft_sa_sm(sa, p->now, p->is.sm_lid, p->is.sm_sl);
    gid_make(p->is.gid_prefix, p->is.guid, from);
    gid_make(p->is.gid_prefix, to_guid, to);
    weft_sa_make_path(from, to, &question);
    must("a question", weft_sa_ask(sa, p->now, &question));
    while (!weft_sa_poll(sa, &result)) {
        bool busy = false;

        weft_sa_move(sa, p->now);
        move(p);
        for (; weft_mad_poll_event(p->engine, &ev); busy = true) {
            weft_sa_event(sa, p->now, &ev);
            release(p, &ev);
        }
        if (!busy)
            rest(p, weft_sa_deadline(sa));
    }
    if (result.outcome == WEFT_SA_ANSWERED) {
        must("a record", weft_wire_get(weft_wire_find(WEFT_WIRE_PATH_RECORD, "dlid"),
                                       result.records, result.stride, &dlid));
        printf("a path leads to LID %" PRIu64 "\n", dlid);
    } else {
        printf("no path: outcome %d, status 0x%04x\n", (int)result.outcome, result.status);
    }
    return sa;
}

static void print_port(const struct weft_sweep *s, uint32_t port)
{
    const struct weft_sweep_port *p = weft_sweep_port(s, port);

    /* A name may hold anything. */
    for (const char *c = weft_sweep_node(s, p->node)->name; *c != '\0'; c++)
        putchar(*c >= ' ' && *c <= '~' ? *c : '?');
    printf("/%u", p->number);
}

static void print_all(const struct weft_sweep *s, const struct weft_counters *c)
{
    uint32_t cables = 0, read = 0;

    for (uint32_t i = 0; i < weft_sweep_port_count(s); i++) {
        uint32_t peer = weft_sweep_port(s, i)->peer;

        cables += peer != WEFT_SWEEP_NONE && peer > i;
        read += weft_counters_state(c, i) == WEFT_COUNTERS_READ;
    }
    printf("%" PRIu32 " nodes, %" PRIu32 " cables, counters of %" PRIu32 " ports\n",
           weft_sweep_node_count(s), cables, read);
    for (uint32_t i = 0; i < weft_sweep_port_count(s); i++) {
        struct weft_pma_values v;

        weft_counters_get(c, i, &v);
        for (int e = 0; e < (int)WEFT_PMA_ERRORS; e++) {
            if (v.value[e] == 0 || e == (int)WEFT_PMA_XMIT_WAIT)
                continue;
            print_port(s, i);
            printf(": %s %" PRIu64 "\n", weft_pma_name((enum weft_pma_counter)e), v.value[e]);
        }
    }
}

int main(int argc, char **argv)
{
    struct place p;
    struct weft_sweep *s;
    struct weft_counters *c;
    struct weft_sa *sa;
    uint64_t last = 0;

    if (argc != 3) {
        fprintf(stderr, "usage: sweep SOCKET NODE\n");
        return 2;
    }
    open_place(argv[1], argv[2], &p);
    s = sweep(&p);
    c = counters(&p, s);
    print_all(s, c);
    for (uint32_t i = 0; i < weft_sweep_port_count(s); i++) {
        const struct weft_sweep_port *port = weft_sweep_port(s, i);

        if (port->reached && weft_sweep_node(s, port->node)->type == WEFT_SWEEP_CA)
            last = port->guid > last ? port->guid : last;
    }
    sa = path(&p, last);
    /* The engine first: it must hold nothing of the others when they go. */
    close_place(&p);
    (void)weft_sa_free(sa);
    (void)weft_counters_free(c);
    (void)weft_sweep_free(s);
    return 0;
}
