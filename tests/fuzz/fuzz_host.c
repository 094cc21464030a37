/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fuzz target: three clients say anything to a daemon, in messages and in shared memory. Whatever
 * it was, when they have gone nothing of them is left, and another client is answered.
 *
 * The input is a list of steps: a byte for client and action, then what the action wants. The
 * daemon is in this process and does its rounds between the steps, without sleeping. */
#include "channel/message.h"
#include "host/pump.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CLIENTS   3
#define STEPS_MAX 200
/* Rounds in which the daemon must have dealt with whoever has gone. */
#define ROUNDS    64

/* What a step does. */
enum action {
    ACT_RAW,     /* a length, and so many bytes as a message */
    ACT_HELLO,   /* role, port, a node; right otherwise */
    ACT_TYPED,   /* a type, whose head and size are right, a length, the beginning of its body */
    ACT_COMMAND, /* a length, and a line */
    ACT_PACKET,  /* a length, and the beginning of a packet into the ring */
    ACT_WORD,    /* offset and value of a word of the shared memory */
    ACT_READ,    /* takes what has come */
    ACT_CLOSE,
    ACTIONS
};

/* The input that is left. */
struct input {
    const uint8_t *at;
    size_t left;
};

struct guest {
    int socket; /* or -1 */
    int fds[MESSAGE_FDS];
    struct rings *rings;
    uint32_t tid_first;
};

static const char topology[] =
    "switchguid=0x10(10)\n"
    "Switch 4 \"S-0000000000000010\" # \"sw\" base port 0 lid 0 lmc 0\n"
    "[1] \"H-0000000000000020\"[1](21) # \"a\" lid 0 4xEDR\n"
    "[2] \"H-0000000000000030\"[1](31) # \"b\" lid 0 4xEDR\n"
    "\n"
    "caguid=0x20\n"
    "Ca 1 \"H-0000000000000020\" # \"a\"\n"
    "[1](21) \"S-0000000000000010\"[1] # lid 0 lmc 0 \"sw\" lid 0 4xEDR\n"
    "\n"
    "caguid=0x30\n"
    "Ca 1 \"H-0000000000000030\" # \"b\"\n"
    "[1](31) \"S-0000000000000010\"[2] # lid 0 lmc 0 \"sw\" lid 0 4xEDR\n";

static char folder[32];
static char path[64];
static struct message_text message;

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_host: %s\n", what);
    abort();
}

static struct fabric *new_fabric(void)
{
    struct topo_error topo_error;
    struct fabric_error error;
    struct fabric_config c;
    struct fabric *f = NULL;
    struct topo *t = NULL;

    fabric_config_init(&c);
    c.flights = 64;
    c.deliveries = 64;
    c.attachments = CLIENTS + 1;
    c.up = true;
    require(topo_parse(topology, sizeof(topology) - 1, &t, &topo_error) == 0, "no topology");
    require(fabric_new(&c, t, NULL, &f, &error) == 0, "no fabric");
    topo_free(t);
    return f;
}

static struct server *new_server(struct fabric *f)
{
    struct server_options o;
    struct fabric_error error = {""};
    struct server *s = NULL;

    (void)snprintf(folder, sizeof(folder), "/tmp/weft-fuzz-XXXXXX");
    require(mkdtemp(folder) != NULL, "no folder");
    (void)snprintf(path, sizeof(path), "%s/s", folder);
    server_options_init(&o);
    o.socket_path = path;
    o.clients = CLIENTS + 1;
    require(server_new(&o, f, &s, &error) == 0, error.text);
    return s;
}

static void turn(struct server *s)
{
    (void)uv_run(&s->loop, UV_RUN_NOWAIT);
    (void)pump_round(s, server_clock());
}

static uint32_t take(struct input *in, size_t bytes)
{
    uint32_t value = 0;

    for (; bytes > 0 && in->left > 0; bytes--, in->left--)
        value = value << 8 | *in->at++;
    return value;
}

/* The next bytes of the input, a length before them. */
static const uint8_t *take_bytes(struct input *in, size_t max, size_t *ret)
{
    const uint8_t *bytes;
    size_t length = take(in, 2) % (max + 1);

    *ret = length < in->left ? length : in->left;
    bytes = in->at;
    in->at += *ret;
    in->left -= *ret;
    return bytes;
}

static void guest_close(struct guest *g)
{
    if (g->socket < 0)
        return;
    (void)close(g->socket);
    for (int i = 0; i < MESSAGE_FDS; i++)
        if (g->fds[i] >= 0)
            (void)close(g->fds[i]);
    if (g->rings)
        (void)munmap(g->rings, sizeof(*g->rings));
    *g = (struct guest){.socket = -1, .fds = {-1, -1, -1}};
}

static void guest_open(struct guest *g)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};

    if (g->socket >= 0)
        return;
    (void)snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
    g->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    require(g->socket >= 0 && connect(g->socket, (struct sockaddr *)&to, sizeof(to)) == 0,
            "the daemon does not listen");
}

/* Takes what has come, and maps the memory that has come with it. Returns the last one's type. */
static uint16_t guest_read(struct guest *g)
{
    uint16_t type = 0;
    size_t bytes;
    int fds[MESSAGE_FDS];

    while (g->socket >= 0 &&
           message_receive(g->socket, &message, sizeof(message), &bytes, fds) == 0) {
        require(message_has_head(&message, bytes), "the daemon says what is no message");
        type = message.head.type;
        if (type == MESSAGE_WELCOME)
            g->tid_first = ((const struct message_welcome *)(const void *)&message)->tid_first;
        if (fds[MESSAGE_FD_MEMORY] < 0)
            continue;
        require(!g->rings && type == MESSAGE_WELCOME, "memory comes twice");
        memcpy(g->fds, fds, sizeof(fds));
        g->rings = mmap(NULL, sizeof(*g->rings), PROT_READ | PROT_WRITE, MAP_SHARED,
                        fds[MESSAGE_FD_MEMORY], 0);
        require(g->rings != MAP_FAILED, "the memory cannot be mapped");
    }
    return type;
}

static void say_hello(struct guest *g, uint8_t role, uint8_t port, uint8_t node)
{
    static const char *const nodes[] = {"a", "b", "sw", "lid:1", "nobody", ""};
    struct message_hello m = {.role = role, .port = port};

    message_begin(&m, MESSAGE_HELLO);
    message_put_text(m.node, sizeof(m.node), nodes[node % (sizeof(nodes) / sizeof(nodes[0]))]);
    (void)message_send(g->socket, &m, sizeof(m), NULL);
}

static void say_typed(struct guest *g, struct input *in)
{
    uint16_t type = (uint16_t)(take(in, 1) % (MESSAGE_PACKET + 1));
    size_t bytes = message_bytes(type), given;
    const uint8_t *body = take_bytes(in, sizeof(struct packet), &given);

    if (bytes < sizeof(message.head))
        return;
    memset(&message, 0, bytes);
    message_begin(&message, type);
    if (given > bytes - sizeof(message.head))
        given = bytes - sizeof(message.head);
    memcpy(message.text, body, given);
    (void)message_send(g->socket, &message, bytes, NULL);
}

static void say_command(struct guest *g, struct input *in)
{
    size_t given;
    const uint8_t *line = take_bytes(in, 300, &given);

    message_begin(&message, MESSAGE_COMMAND);
    memcpy(message.text, line, given);
    message.text[given] = '\0';
    (void)message_send(g->socket, &message, sizeof(message.head) + given + 1, NULL);
}

/* A packet whose sender is right, so that more of it is looked at. */
static void put_packet(struct guest *g, struct input *in)
{
    struct packet p = {.dlid = 1};
    size_t given;
    const uint8_t *bytes = take_bytes(in, sizeof(p), &given);

    memcpy(&p, bytes, given);
    for (int i = 0; i < 4; i++)
        p.mad[8 + i] = (uint8_t)(g->tid_first >> (24 - 8 * i));
    (void)rings_send(g->rings, g->fds[MESSAGE_FD_DAEMON_BELL], &p);
}

static void put_word(struct guest *g, struct input *in)
{
    size_t offset = take(in, 3) % (sizeof(*g->rings) / sizeof(uint32_t));
    _Atomic uint32_t *words = (void *)g->rings;

    atomic_store(&words[offset], take(in, 4));
    bell_ring(g->fds[MESSAGE_FD_DAEMON_BELL]);
}

static void step(struct guest *g, enum action action, struct input *in)
{
    const uint8_t *bytes;
    size_t given;

    guest_open(g);
    switch (action) {
    case ACT_RAW:
        bytes = take_bytes(in, 1024, &given);
        (void)message_send(g->socket, bytes, given, NULL);
        break;
    case ACT_HELLO:
        say_hello(g, (uint8_t)take(in, 1), (uint8_t)take(in, 1), (uint8_t)take(in, 1));
        break;
    case ACT_TYPED:
        say_typed(g, in);
        break;
    case ACT_COMMAND:
        say_command(g, in);
        break;
    case ACT_PACKET:
        if (g->rings)
            put_packet(g, in);
        break;
    case ACT_WORD:
        if (g->rings)
            put_word(g, in);
        break;
    case ACT_READ:
        (void)guest_read(g);
        break;
    case ACT_CLOSE:
    case ACTIONS:
        guest_close(g);
        break;
    }
}

static void expect_nothing_left(struct server *s)
{
    struct fabric_stats stats;

    for (int i = 0; i < ROUNDS && s->stats.clients > 0; i++)
        turn(s);
    fabric_stats(s->fabric, &stats);
    require(s->stats.clients == 0 && stats.attachments == 0, "who has gone is still there");
    require(list_empty(&s->active) && list_empty(&s->ringing), "its ring is still looked at");
}

static void expect_service(struct server *s)
{
    struct guest g = {.socket = -1, .fds = {-1, -1, -1}};
    struct message_head ask;
    uint16_t type = 0;

    guest_open(&g);
    say_hello(&g, CHANNEL_ROLE_QUERY, 0, 2);
    message_begin(&ask, MESSAGE_NODE_QUERY);
    require(message_send(g.socket, &ask, sizeof(ask), NULL) == 0, "the daemon does not listen");
    for (int i = 0; i < ROUNDS && type != MESSAGE_NODE; i++) {
        turn(s);
        type = guest_read(&g);
    }
    /* A command may have changed the node's name. */
    require(type == MESSAGE_NODE || type == MESSAGE_REFUSED, "another client gets no answer");
    guest_close(&g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {.at = data, .left = size};
    struct fabric *f = new_fabric();
    struct server *s = new_server(f);
    struct guest guests[CLIENTS];

    for (int i = 0; i < CLIENTS; i++)
        guests[i] = (struct guest){.socket = -1, .fds = {-1, -1, -1}};
    for (int i = 0; i < STEPS_MAX && in.left > 0; i++) {
        uint8_t what = (uint8_t)take(&in, 1);
        struct guest *g = &guests[what / ACTIONS % CLIENTS];

        step(g, (enum action)(what % ACTIONS), &in);
        turn(s);
        if (what % ACTIONS == ACT_HELLO)
            (void)guest_read(g);
    }
    for (int i = 0; i < CLIENTS; i++)
        guest_close(&guests[i]);
    expect_nothing_left(s);
    expect_service(s);
    server_free(s);
    fabric_free(f);
    require(rmdir(folder) == 0, "something is left beside the socket");
    return 0;
}
