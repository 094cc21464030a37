/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A fabric daemon for the tests of the drop-in. */
#include "umad_fixture.h"

#include "channel/message.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define CLIENTS     64
#define PATIENCE_MS 20000

struct client {
    int socket;      /* -1: none */
    int daemon_bell; /* -1: asks only */
    int client_bell; /* writing end */
    struct rings *rings;
    uint32_t taken;
    unsigned number; /* of those with rings */
    uint8_t port;
};

static struct {
    pthread_mutex_t mutex;
    pthread_t thread;
    struct fake_node node;
    char folder[32], path[64];
    int listener, wake;
    struct client clients[CLIENTS];
    unsigned opened, sent, claims, lost;
    bool stop, hold, refuse, pause;
} fake = {.mutex = PTHREAD_MUTEX_INITIALIZER};

const struct fake_node fake_adapter = {.type = 1, .ports = 2, .states = {0, 2, 4}, .pkeys = 3};

static struct client *client_of_port(unsigned number)
{
    for (int i = 0; i < CLIENTS; i++) {
        struct client *c = &fake.clients[i];

        if (c->socket >= 0 && c->rings && c->number == number)
            return c;
    }
    return NULL;
}

static void client_close(struct client *c)
{
    const int fds[] = {c->socket, c->daemon_bell, c->client_bell};

    if (c->rings)
        (void)munmap(c->rings, sizeof(*c->rings));
    for (int i = 0; i < 3; i++) {
        if (fds[i] >= 0)
            (void)close(fds[i]);
    }
    *c = (struct client){.socket = -1, .daemon_bell = -1, .client_bell = -1};
}

static void give(struct client *c, const struct packet *p)
{
    if (!ring_put(&c->rings->to_client, p))
        return;
    if (atomic_exchange(&c->rings->client_asleep, 0) != 0)
        bell_ring(c->client_bell);
}

static void answer(struct client *c, const struct packet *p)
{
    uint8_t method = mad_method(p->mad);
    struct packet a = *p;

    if (method != WEFT_METHOD_GET && method != WEFT_METHOD_SET)
        return;
    a.slid = p->dlid;
    a.dlid = (uint16_t)(FAKE_PORTS + c->number);
    a.src_qpn = p->dst_qpn;
    a.dst_qpn = p->src_qpn;
    mad_set_method(a.mad, WEFT_METHOD_GET_RESP);
    if (mad_class(p->mad) == WEFT_CLASS_SUBN_DIRECTED)
        mad_set_status(a.mad, WEFT_STATUS_DIRECTION);
    give(c, &a);
    if (p->dlid == FAKE_TWICE)
        give(c, &a);
}

static void carry(struct client *c, const struct packet *p)
{
    struct client *to = client_of_port(p->dlid - FAKE_PORTS);
    struct packet a = *p;

    a.slid = (uint16_t)(FAKE_PORTS + c->number);
    if (to)
        give(to, &a);
}

static void serve(struct client *c, const struct packet *p)
{
    fake.sent++;
    if (p->dlid >= FAKE_PORTS && p->dlid != WEFT_LID_PERMISSIVE)
        carry(c, p);
    else if (p->dlid == FAKE_LOSES && fake.lost++ % 4 != 3)
        return;
    else if (p->dlid != FAKE_SILENT)
        answer(c, p);
}

static void client_packets(struct client *c)
{
    struct packet p;

    bell_hush(c->daemon_bell);
    if (fake.hold)
        return;
    do {
        /* a client that takes no answers is not heard either, until it rings */
        while (!ring_ask_room(&c->rings->to_client) &&
               ring_take(&c->rings->to_daemon, &c->taken, &p) > 0)
            serve(c, &p);
        if (ring_owes_bell(&c->rings->to_daemon))
            bell_ring(c->client_bell);
        atomic_store(&c->rings->daemon_asleep, 1);
    } while (ring_has_room(&c->rings->to_client) && ring_waiting(&c->rings->to_daemon, c->taken));
}

/* Who has asked may have closed since. */
static void say(struct client *c, const void *message, size_t bytes)
{
    int err = message_send(c->socket, message, bytes, NULL);

    assert_true(err == 0 || err == WEFT_ERR_STATE);
}

static void say_result(struct client *c, int err, uint32_t value)
{
    struct message_result m = {.err = err, .value = value};

    message_begin(&m, MESSAGE_RESULT);
    if (err)
        message_put_text(m.text, sizeof(m.text), "no");
    say(c, &m, sizeof(m));
}

static void say_node(struct client *c)
{
    struct message_node m = {.guid = 0x1122334455667788,
                             .system_guid = 0x99aabbccddeeff00,
                             .revision = 0xA1,
                             .type = fake.node.type,
                             .ports = fake.node.ports};

    message_begin(&m, MESSAGE_NODE);
    say(c, &m, sizeof(m));
}

static void say_port(struct client *c, uint32_t number)
{
    struct message_port m = {.guid = 0x1122334455667788 + number,
                             .gid_prefix = 0xfe80000000000000,
                             .capability = 0x02514868,
                             .lid = (uint16_t)(c->rings ? FAKE_PORTS + c->number : 0x700 + number),
                             .sm_lid = 9,
                             .rate_gbps = 100,
                             .lmc = c->rings ? 0 : 1,
                             .sm_sl = 3,
                             .number = (uint8_t)number,
                             .pkey_count = fake.node.pkeys};

    if (number > fake.node.ports || (number == 0) != (fake.node.type == 2)) {
        say_result(c, WEFT_ERR_INVALID, 0);
        return;
    }
    m.state = fake.node.states[number % 10];
    m.physical_state = m.state > 1 ? 5 : 2;
    for (unsigned i = 0; i < m.pkey_count && i < CHANNEL_PKEYS_MAX; i++)
        m.pkeys[i] = (uint16_t)(0xFFFF - i);
    message_begin(&m, MESSAGE_PORT);
    say(c, &m, sizeof(m));
}

static void say_path(struct client *c)
{
    struct message_text m;
    size_t bytes = message_make_text(&m, MESSAGE_PATH, "/nowhere/issm");

    say(c, &m, bytes);
}

static void make_rings(struct client *c, int fds[MESSAGE_FDS])
{
    int ends[2];

    fds[MESSAGE_FD_MEMORY] = memfd_create("rings", MFD_CLOEXEC);
    assert_int_equal(ftruncate(fds[MESSAGE_FD_MEMORY], sizeof(*c->rings)), 0);
    c->rings = mmap(NULL, sizeof(*c->rings), PROT_READ | PROT_WRITE, MAP_SHARED,
                    fds[MESSAGE_FD_MEMORY], 0);
    assert_ptr_not_equal(c->rings, MAP_FAILED);
    rings_init(c->rings);
    atomic_store(&c->rings->daemon_asleep, 1);
    c->daemon_bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    assert_int_equal(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
    c->client_bell = ends[1];
    fds[MESSAGE_FD_DAEMON_BELL] = c->daemon_bell;
    fds[MESSAGE_FD_CLIENT_BELL] = ends[0];
    c->number = fake.opened++;
}

static void say_welcome(struct client *c, const struct message_hello *hello)
{
    struct message_welcome m = {.slots = RINGS_SLOTS, .port = hello->port};
    int fds[MESSAGE_FDS];
    bool rings = hello->role == CHANNEL_ROLE_RINGS;

    message_begin(&m, MESSAGE_WELCOME);
    c->port = hello->port;
    if (rings) {
        make_rings(c, fds);
        m.tid_first = 0x100 * (c->number + 1);
        m.tid_last = m.tid_first + 0xFF;
    }
    assert_int_equal(message_send(c->socket, &m, sizeof(m), rings ? fds : NULL), 0);
    if (rings) {
        (void)close(fds[MESSAGE_FD_MEMORY]);
        (void)close(fds[MESSAGE_FD_CLIENT_BELL]);
    }
}

static void client_message(struct client *c)
{
    union {
        struct message_head head;
        struct message_hello hello;
        struct message_number number;
        uint8_t bytes[1024];
    } m;
    size_t bytes;

    if (message_receive(c->socket, &m, sizeof(m), &bytes, NULL) < 0) {
        client_close(c);
        return;
    }
    switch ((enum message_type)m.head.type) {
    case MESSAGE_HELLO:
        say_welcome(c, &m.hello);
        break;
    case MESSAGE_NODE_QUERY:
        say_node(c);
        break;
    case MESSAGE_PORT_QUERY:
        say_port(c, m.number.number);
        break;
    case MESSAGE_ISSM_PATH:
        say_path(c);
        break;
    case MESSAGE_AGENT_ADD:
        fake.claims += fake.refuse ? 0 : 1;
        say_result(c, fake.refuse ? WEFT_ERR_CONFLICT : 0, 5);
        break;
    case MESSAGE_AGENT_REMOVE:
        fake.claims--;
        say_result(c, 0, 0);
        break;
    case MESSAGE_ISSM:
    case MESSAGE_COMMAND:
    case MESSAGE_PACKET:
    case MESSAGE_WELCOME:
    case MESSAGE_REFUSED:
    case MESSAGE_RESULT:
    case MESSAGE_NODE:
    case MESSAGE_PORT:
    case MESSAGE_PATH:
    case MESSAGE_TEXT:
    default:
        say_result(c, WEFT_ERR_INVALID, 0);
    }
}

static void accept_one(void)
{
    for (int i = 0; i < CLIENTS; i++) {
        if (fake.clients[i].socket < 0) {
            fake.clients[i].socket = accept4(fake.listener, NULL, NULL, SOCK_CLOEXEC);
            return;
        }
    }
}

/* Does nothing while it is to pause. */
static void wait_paused(void)
{
    while (fake.pause && !fake.stop) {
        struct pollfd fd = {.fd = fake.wake, .events = POLLIN};

        (void)pthread_mutex_unlock(&fake.mutex);
        (void)poll(&fd, 1, PATIENCE_MS);
        (void)pthread_mutex_lock(&fake.mutex);
        bell_hush(fake.wake);
    }
}

static void *run(void *arg)
{
    (void)pthread_mutex_lock(&fake.mutex);
    while (!fake.stop) {
        struct pollfd fds[2 + 2 * CLIENTS];

        fds[0] = (struct pollfd){.fd = fake.wake, .events = POLLIN};
        fds[1] = (struct pollfd){.fd = fake.listener, .events = POLLIN};
        for (int i = 0; i < CLIENTS; i++) {
            fds[2 + 2 * i] = (struct pollfd){.fd = fake.clients[i].socket, .events = POLLIN};
            fds[3 + 2 * i] = (struct pollfd){.fd = fake.clients[i].daemon_bell, .events = POLLIN};
        }
        (void)pthread_mutex_unlock(&fake.mutex);
        (void)poll(fds, 2 + 2 * CLIENTS, PATIENCE_MS);
        (void)pthread_mutex_lock(&fake.mutex);
        bell_hush(fake.wake);
        wait_paused();
        for (int i = 0; i < CLIENTS; i++) {
            struct client *c = &fake.clients[i];

            if (c->rings)
                client_packets(c);
            if (c->socket >= 0 && c->socket == fds[2 + 2 * i].fd && fds[2 + 2 * i].revents)
                client_message(c);
        }
        if (fds[1].revents)
            accept_one();
    }
    (void)pthread_mutex_unlock(&fake.mutex);
    return arg;
}

static void lock(void)
{
    (void)pthread_mutex_lock(&fake.mutex);
}

static void unlock(void)
{
    bell_ring(fake.wake);
    (void)pthread_mutex_unlock(&fake.mutex);
}

void fake_start(const struct fake_node *n)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    fake.node = *n;
    fake.stop = fake.hold = fake.refuse = fake.pause = false;
    fake.opened = fake.sent = fake.claims = fake.lost = 0;
    for (int i = 0; i < CLIENTS; i++)
        fake.clients[i] = (struct client){.socket = -1, .daemon_bell = -1, .client_bell = -1};
    (void)snprintf(fake.folder, sizeof(fake.folder), "/tmp/weft-umad-XXXXXX");
    assert_non_null(mkdtemp(fake.folder));
    (void)snprintf(fake.path, sizeof(fake.path), "%s/s", fake.folder);
    memcpy(address.sun_path, fake.path, sizeof(fake.path));
    fake.listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fake.listener, (const struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(fake.listener, CLIENTS), 0);
    fake.wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    assert_int_equal(pthread_create(&fake.thread, NULL, run, NULL), 0);
    assert_int_equal(setenv("WEFT_FABRIC", fake.path, 1), 0);
    assert_int_equal(setenv("WEFT_NODE", "n", 1), 0);
    assert_int_equal(unsetenv("WEFT_PORT"), 0);
}

void fake_stop(void)
{
    lock();
    fake.stop = true;
    unlock();
    assert_int_equal(pthread_join(fake.thread, NULL), 0);
    for (int i = 0; i < CLIENTS; i++)
        client_close(&fake.clients[i]);
    (void)close(fake.listener);
    (void)close(fake.wake);
    assert_int_equal(unlink(fake.path), 0);
    assert_int_equal(rmdir(fake.folder), 0);
    assert_int_equal(unsetenv("WEFT_FABRIC"), 0);
    assert_int_equal(unsetenv("WEFT_NODE"), 0);
}

unsigned fake_sent(void)
{
    unsigned sent;

    lock();
    sent = fake.sent;
    unlock();
    return sent;
}

unsigned fake_claims(void)
{
    unsigned claims;

    lock();
    claims = fake.claims;
    unlock();
    return claims;
}

void fake_inject(unsigned port, const struct packet *p)
{
    struct client *c;

    lock();
    c = client_of_port(port);
    if (c)
        give(c, p);
    unlock();
    assert_non_null(c);
}

void fake_forget_sleep(unsigned port)
{
    const struct client *c;

    lock();
    c = client_of_port(port);
    if (c)
        atomic_store(&c->rings->client_asleep, 0);
    unlock();
    assert_non_null(c);
}

void fake_hold(bool on)
{
    lock();
    fake.hold = on;
    unlock();
}

void fake_pause(bool on)
{
    lock();
    fake.pause = on;
    unlock();
}

bool fake_is_asked(void)
{
    bool asked = false;

    lock();
    for (int i = 0; i < CLIENTS; i++) {
        const struct client *c = &fake.clients[i];
        char first;

        asked = asked || (c->socket >= 0 && c->rings &&
                          recv(c->socket, &first, 1, MSG_PEEK | MSG_DONTWAIT) > 0);
    }
    unlock();
    return asked;
}

void fake_refuse_claims(bool on)
{
    lock();
    fake.refuse = on;
    unlock();
}

void fake_break(unsigned port)
{
    struct client *c;

    lock();
    c = client_of_port(port);
    if (c) {
        atomic_fetch_add(&c->rings->to_client.written, RINGS_SLOTS + 1);
        bell_ring(c->client_bell);
    }
    unlock();
    assert_non_null(c);
}

void fake_end(bool abruptly)
{
    lock();
    for (int i = 0; i < CLIENTS; i++) {
        struct client *c = &fake.clients[i];

        if (c->rings && !abruptly) {
            atomic_store(&c->rings->closed, 1);
            bell_ring(c->client_bell);
        }
        client_close(c);
    }
    unlock();
}

void fake_request(struct fake_buffer *b, uint8_t mgmt_class, uint16_t lid, uint32_t tid)
{
    memset(b, 0, sizeof(*b));
    packet_build(b->mad, mgmt_class, WEFT_METHOD_GET, tid);
    (void)umad_set_addr(b, lid, mad_class_is_smi(mgmt_class) ? 0 : 1, 0,
                        mad_class_is_smi(mgmt_class) ? 0 : (int)WEFT_QKEY_GSI);
}

int fake_open(void)
{
    int fd = umad_open_port(NULL, 0);

    assert_true(fd >= 0);
    return fd;
}

int fake_agent(int fd, uint8_t mgmt_class)
{
    int agent = umad_register(fd, mgmt_class, packet_class_version(mgmt_class), 0, NULL);

    assert_true(agent >= 0);
    return agent;
}

void fake_send(int fd, int agent, uint16_t lid, uint32_t tid, int timeout_ms, int retries)
{
    struct fake_buffer b;

    fake_request(&b, WEFT_CLASS_PERF, lid, tid);
    assert_int_equal(umad_send(fd, agent, &b, WEFT_MAD_BYTES, timeout_ms, retries), 0);
}

int fake_receive(int fd, int agent, struct fake_buffer *b)
{
    int length = WEFT_MAD_BYTES;

    assert_int_equal(umad_recv(fd, b, &length, PATIENCE_MS), agent);
    return length;
}
