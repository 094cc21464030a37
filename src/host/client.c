/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Clients: accepted, let in, read, disconnected. */
#include "host/client.h"

#include "host/pump.h"
#include "host/request.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* Connections taken in one go. */
#define CLIENT_ACCEPTS 64

struct client *client_at(struct server *s, struct fabric_attachment at)
{
    uint32_t hash = index_hash(at.v), pos = hash, slot;

    if (s->delivered_to && s->delivered_to->at.v == at.v)
        return s->delivered_to;
    while ((slot = index_next(&s->by_attachment, hash, &pos)) != INDEX_EMPTY)
        if (s->slots[slot]->at.v == at.v) {
            s->delivered_to = s->slots[slot];
            return s->slots[slot];
        }
    return NULL;
}

static void client_closed(uv_handle_t *handle)
{
    struct client *c = handle->data;

    message_close(c->socket);
    free(c->pending);
    free(c);
}

/* Gives up what a client has in the fabric and in memory. */
static void client_release(struct client *c)
{
    struct server *s = c->server;

    list_remove(&c->active);
    list_remove(&c->ringing);
    if (s->delivered_to == c)
        s->delivered_to = NULL;
    if (c->at.v != 0) {
        index_remove(&s->by_attachment, index_hash(c->at.v), c->slot);
        (void)fabric_detach(s->fabric, s->now, c->at);
        c->at.v = 0;
    }
    if (c->rings) {
        atomic_store(&c->rings->closed, 1);
        (void)munmap(c->rings, sizeof(*c->rings));
        c->rings = NULL;
    }
    if (c->daemon_bell >= 0) {
        /* The client has the same open file, so closing it here does not end the watch. */
        (void)epoll_ctl(s->bells, EPOLL_CTL_DEL, c->daemon_bell, NULL);
        (void)close(c->daemon_bell);
    }
    if (c->client_bell >= 0) {
        bell_ring(c->client_bell);
        (void)close(c->client_bell);
    }
    c->daemon_bell = -1;
    c->client_bell = -1;
}

void client_leave(struct client *c)
{
    struct server *s = c->server;

    if (c->leaving)
        return;
    c->leaving = true;
    client_release(c);
    list_remove(&c->all);
    s->slots[c->slot] = NULL;
    s->stats.clients--;
    uv_close((uv_handle_t *)&c->poll, client_closed);
}

/* Says why, and disconnects. */
static void client_dismiss(struct client *c, int err, const char *text)
{
    struct message_result m = {.err = err};

    message_begin(&m, MESSAGE_REFUSED);
    message_put_text(m.text, sizeof(m.text), text);
    (void)message_send(c->socket, &m, sizeof(m), NULL);
    client_leave(c);
}

void client_throw(struct client *c, int err, const char *format, ...)
{
    char text[CHANNEL_TEXT_BYTES];
    va_list args;

    if (c->leaving)
        return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    c->server->stats.clients_thrown++;
    client_dismiss(c, err, text);
}

/* The other end has gone: what it had put into its ring was sent. */
static void client_gone(struct client *c)
{
    struct server *s = c->server;

    if (c->rings) {
        (void)pump_client(c, RINGS_SLOTS);
        pump_ring(s);
    }
    client_leave(c);
}

static void client_ready(uv_poll_t *handle, int status, int events);

/* Reads as long as there is no answer that waits. */
static void client_watch(struct client *c)
{
    int events = UV_DISCONNECT | (c->pending ? UV_WRITABLE : UV_READABLE);

    (void)uv_poll_start(&c->poll, events, client_ready);
}

void client_answer(struct client *c, const void *message, size_t bytes)
{
    int err = message_send(c->socket, message, bytes, NULL);

    if (err != WEFT_ERR_FULL)
        return;
    /* What is wrong with a socket in another way shows when it is read. */
    c->pending = malloc(bytes);
    if (!c->pending) {
        client_throw(c, WEFT_ERR_NOMEM, "the fabric daemon has no memory for the answer");
        return;
    }
    memcpy(c->pending, message, bytes);
    c->pending_bytes = bytes;
    client_watch(c);
}

/* Sends the answer that waits. */
static void client_write(struct client *c)
{
    if (message_send(c->socket, c->pending, c->pending_bytes, NULL) == WEFT_ERR_FULL)
        return;
    free(c->pending);
    c->pending = NULL;
    client_watch(c);
}

static void client_read(struct client *c)
{
    struct server *s = c->server;

    for (int i = 0; i < SERVER_MESSAGES && !c->leaving && !c->pending; i++) {
        size_t bytes = 0;
        /* Without room for descriptors the kernel closes those that come. */
        int err = message_receive(c->socket, s->buffer, sizeof(s->buffer), &bytes, NULL);

        if (err == WEFT_ERR_NOTFOUND)
            return;
        if (err == WEFT_ERR_STATE)
            client_gone(c);
        else if (err)
            client_throw(c, err, "no message has more than %d bytes", CHANNEL_MESSAGE_BYTES_MAX);
        else
            request_handle(c, s->buffer, bytes);
    }
}

static void client_ready(uv_poll_t *handle, int status, int events)
{
    struct client *c = handle->data;

    if (c->leaving)
        return;
    if (c->pending && (events & UV_WRITABLE) != 0)
        client_write(c);
    if (c->pending && (status < 0 || (events & UV_DISCONNECT) != 0))
        client_gone(c);
    else if (!c->pending)
        client_read(c);
    pump_ring(c->server);
}

/* A free slot; there is one. */
static uint32_t client_slot(struct server *s)
{
    while (s->slots[s->slot_next])
        s->slot_next = (s->slot_next + 1) % s->options.clients;
    return s->slot_next;
}

/* Makes a client of a connection. */
static int client_new(struct server *s, int fd)
{
    struct client *c = calloc(1, sizeof(*c));
    struct ucred who = {.pid = 0, .uid = (uid_t)-1};
    socklen_t bytes = sizeof(who);

    if (!c)
        return WEFT_ERR_NOMEM;
    *c = (struct client){.server = s,
                         .socket = fd,
                         .since = server_clock(),
                         .number = ++s->number_next,
                         .daemon_bell = -1,
                         .client_bell = -1};
    list_init(&c->all);
    list_init(&c->active);
    list_init(&c->ringing);
    if (uv_poll_init(&s->loop, &c->poll, fd) != 0) {
        free(c);
        return WEFT_ERR_NOMEM;
    }
    c->poll.data = c;
    (void)getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &bytes);
    c->pid = who.pid;
    c->uid = who.uid;
    c->slot = client_slot(s);
    s->slots[c->slot] = c;
    list_push_back(&s->clients, &c->all);
    s->stats.clients++;
    s->stats.clients_ever++;
    client_watch(c);
    return 0;
}

/* Sends away a connection that there is no room for. */
static void client_refuse(int fd, const char *text)
{
    struct message_result m = {.err = WEFT_ERR_FULL};

    message_begin(&m, MESSAGE_REFUSED);
    message_put_text(m.text, sizeof(m.text), text);
    (void)message_send(fd, &m, sizeof(m), NULL);
    message_close(fd);
}

void client_accept(struct server *s)
{
    for (int i = 0; i < CLIENT_ACCEPTS; i++) {
        int fd = accept4(s->listener.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

        if (fd < 0 && (errno == EMFILE || errno == ENFILE) && s->spare_fd >= 0) {
            (void)close(s->spare_fd);
            fd = accept4(s->listener.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
            if (fd >= 0)
                client_refuse(fd, "the fabric daemon may not open more files: raise its limit "
                                  "(ulimit -n)");
            s->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
            continue;
        }
        if (fd < 0)
            return;
        if (s->stats.clients >= s->options.clients)
            client_refuse(fd, "the fabric daemon has as many clients as it may: end some, or start "
                              "it with a larger number of clients");
        else if (client_new(s, fd) != 0)
            client_refuse(fd, "the fabric daemon has no memory for another client");
    }
}

/* Makes a client's memory and bells.
 * @param fds  receives what the client gets, for the caller to close */
static int client_share(struct client *c, int fds[MESSAGE_FDS])
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = c};
    int ends[2] = {-1, -1};
    void *at;

    fds[MESSAGE_FD_MEMORY] = memfd_create("weft-rings", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    fds[MESSAGE_FD_DAEMON_BELL] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return WEFT_ERR_FULL;
    fds[MESSAGE_FD_CLIENT_BELL] = ends[0];
    c->client_bell = ends[1];
    if (fds[MESSAGE_FD_MEMORY] < 0 || fds[MESSAGE_FD_DAEMON_BELL] < 0 ||
        ftruncate(fds[MESSAGE_FD_MEMORY], sizeof(struct rings)) < 0 ||
        fcntl(fds[MESSAGE_FD_MEMORY], F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
        return WEFT_ERR_FULL;
    at = mmap(NULL, sizeof(struct rings), PROT_READ | PROT_WRITE, MAP_SHARED,
              fds[MESSAGE_FD_MEMORY], 0);
    if (at == MAP_FAILED)
        return WEFT_ERR_NOMEM;
    c->rings = at;
    c->daemon_bell = fcntl(fds[MESSAGE_FD_DAEMON_BELL], F_DUPFD_CLOEXEC, 0);
    if (c->daemon_bell < 0 ||
        epoll_ctl(c->server->bells, EPOLL_CTL_ADD, c->daemon_bell, &event) < 0)
        return WEFT_ERR_FULL;
    return 0;
}

/* Says why a client gets no port. */
static int client_no_port(const struct client *c, uint8_t port, int err, struct fabric_error *error)
{
    if (err == WEFT_ERR_FULL)
        return server_refuse(error, err,
                             "the fabric has as many programs as it may: end some, or start the "
                             "daemon with a larger number of clients");
    if (err == WEFT_ERR_NOTFOUND)
        return server_refuse(error, err,
                             "the node has no virtual function %u: CAs have as many as weft fabric "
                             "--vfs says, numbered from 1",
                             c->function);
    return server_refuse(error, err,
                         "the node has no port %u for programs: a CA's and a router's begin at 1, "
                         "a switch has port 0 only",
                         port);
}

/* Attaches a client to its port. */
static int client_attach(struct client *c, uint8_t port, struct message_welcome *welcome,
                         struct fabric_error *error)
{
    struct server *s = c->server;
    struct fabric_tids tids;
    int err =
        fabric_attach_function(s->fabric, c->node, port, c->function, &c->at, &c->port, &tids);

    if (err)
        return client_no_port(c, port, err, error);
    index_put(&s->by_attachment, index_hash(c->at.v), c->slot);
    welcome->tid_first = tids.first;
    welcome->tid_last = tids.last;
    return 0;
}

/* Finds the port that a QUERY is about, which attaches nothing. */
static int client_pick_port(struct client *c, uint8_t port, struct fabric_error *error)
{
    int err = fabric_pick_port(c->server->fabric, c->node, port, c->function, &c->port);

    return err ? client_no_port(c, port, err, error) : 0;
}

/* Lets a client in, but for its rings. */
static int client_admit(struct client *c, const struct message_hello *hello,
                        struct message_welcome *welcome, struct fabric_error *error)
{
    int err;

    if (hello->role < CHANNEL_ROLE_RINGS || hello->role > CHANNEL_ROLE_CONTROL)
        return server_refuse(error, WEFT_ERR_INVALID, "there is no role %u", hello->role);
    if (!message_text_ended(hello->node, sizeof(hello->node)) ||
        !message_text_ended(hello->program, sizeof(hello->program)))
        return server_refuse(error, WEFT_ERR_FORMAT, "a text in HELLO is not ended by a zero");
    c->role = (enum channel_role)hello->role;
    memcpy(c->program, hello->program, sizeof(c->program));
    c->function = hello->vf;
    if (c->role == CHANNEL_ROLE_CONTROL)
        return 0;
    err = fabric_find(c->server->fabric, hello->node, &c->node, error);
    if (err)
        return err;
    return c->role == CHANNEL_ROLE_QUERY ? client_pick_port(c, hello->port, error)
                                         : client_attach(c, hello->port, welcome, error);
}

void client_greet(struct client *c, const struct message_hello *hello)
{
    struct message_welcome welcome = {.client = c->number};
    int fds[MESSAGE_FDS] = {-1, -1, -1};
    struct fabric_error error = {""};
    int err = client_admit(c, hello, &welcome, &error);

    if (err) {
        client_dismiss(c, err, error.text);
        return;
    }
    message_begin(&welcome, MESSAGE_WELCOME);
    welcome.port = c->port;
    c->greeted = true;
    if (c->role == CHANNEL_ROLE_RINGS) {
        welcome.slots = RINGS_SLOTS;
        err = client_share(c, fds);
        if (err)
            client_throw(c, err,
                         "the fabric daemon cannot share memory with another client: raise "
                         "its limits of memory and files");
        else
            pump_activate(c, server_clock());
    }
    /* The socket of a client that has said nothing but HELLO has room. */
    if (!err && message_send(c->socket, &welcome, sizeof(welcome), fds[0] >= 0 ? fds : NULL) != 0)
        client_leave(c);
    for (int i = 0; i < MESSAGE_FDS; i++)
        if (fds[i] >= 0)
            (void)close(fds[i]);
}

void client_expire(struct server *s)
{
    weft_time now = server_clock();
    struct list_node *n, *next;

    for (n = s->clients.next; n != &s->clients; n = next) {
        struct client *c = WEFT_CONTAINER_OF(n, struct client, all);

        next = n->next;
        if (!c->greeted && now - c->since > SERVER_HELLO_NS)
            client_throw(c, WEFT_ERR_STATE, "no HELLO came within %u seconds",
                         (unsigned)(SERVER_HELLO_NS / WEFT_S));
    }
}
