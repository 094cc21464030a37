/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Plain TCP on the loop that carries iWARP, by the same calls: what the measurements are beside. */
#include "cli/iwarp_address.h"
#include "cli/iwarp_perf.h"
#include "cli/message.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES (256 * 1024)
/* What a client says first: bytes of a message, how many, and whether each is answered. */
#define HEADER_BYTES 12

/* A listener with its connections, or a connection. */
struct perf_tcp {
    struct iwarp_session *session;
    int fd;
    uv_poll_t poll;
    bool ready, ended;
    int events;                       /* what it is watched for */
    struct perf_tcp *listener, *next; /* of a listener's connection; a listener's connections */
    /* a listener's connection: what it is in the middle of */
    uint8_t header[HEADER_BYTES];
    size_t header_bytes;
    uint32_t bytes;
    uint64_t to_take, taken, to_answer;
    bool answers_each;
};

static uint8_t buffer[BUFFER_BYTES]; /* nobody looks at what is sent */

static void on_socket(uv_poll_t *poll, int status, int events);

static struct perf_tcp *new_socket(struct iwarp_session *s, int fd)
{
    struct perf_tcp *t = calloc(1, sizeof(*t));
    int on = 1;

    if (!t || uv_poll_init(iw_loop_uv(s->loop), &t->poll, fd) != 0) {
        close(fd);
        free(t);
        return NULL;
    }
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    t->session = s;
    t->fd = fd;
    t->poll.data = t;
    return t;
}

static void watch(struct perf_tcp *t, int events, uv_poll_cb callback)
{
    if (t->events == events)
        return;
    t->events = events;
    if (events)
        uv_poll_start(&t->poll, events, callback);
    else
        uv_poll_stop(&t->poll);
}

static void on_closed(uv_handle_t *handle)
{
    struct perf_tcp *t = handle->data;

    if (t->listener) {
        struct perf_tcp **at = &t->listener->next;

        while (*at != t)
            at = &(*at)->next;
        *at = t->next;
    }
    free(t);
}

void perf_tcp_close(struct perf_tcp *t)
{
    uv_close((uv_handle_t *)&t->poll, on_closed);
    close(t->fd);
    t->fd = -1;
}

/* Sends what a listener's connection owes. */
static void answer(struct perf_tcp *t)
{
    while (t->to_answer > 0) {
        size_t bytes = t->to_answer < BUFFER_BYTES ? t->to_answer : BUFFER_BYTES;
        ssize_t sent = send(t->fd, buffer, bytes, MSG_NOSIGNAL);

        if (sent < 0) {
            watch(t, UV_READABLE | UV_WRITABLE, on_socket);
            return;
        }
        t->to_answer -= (uint64_t)sent;
    }
    watch(t, UV_READABLE, on_socket);
}

static void begin(struct perf_tcp *t)
{
    uint32_t words[3];

    memcpy(words, t->header, sizeof(words));
    t->bytes = words[0];
    t->to_take = (uint64_t)words[0] * words[1];
    t->answers_each = words[2] != 0;
    t->taken = 0;
}

static void take(struct perf_tcp *t, size_t bytes)
{
    t->taken += bytes;
    if (t->answers_each && t->taken % t->bytes == 0)
        t->to_answer += t->bytes;
    if (t->taken < t->to_take)
        return;
    if (!t->answers_each)
        t->to_answer = 1;
    t->header_bytes = 0;
}

static void on_socket(uv_poll_t *poll, int status, int events)
{
    struct perf_tcp *t = poll->data;
    bool header = t->header_bytes < HEADER_BYTES;
    size_t left = t->to_take - t->taken;
    ssize_t bytes;

    (void)status;
    if (events & UV_WRITABLE)
        answer(t);
    if (header)
        bytes = recv(t->fd, t->header + t->header_bytes, HEADER_BYTES - t->header_bytes, 0);
    else
        bytes = recv(t->fd, buffer, left < BUFFER_BYTES ? left : BUFFER_BYTES, 0);
    if (bytes < 0 && errno == EAGAIN)
        return;
    if (bytes <= 0) {
        perf_tcp_close(t);
        return;
    }
    if (header) {
        t->header_bytes += (size_t)bytes;
        if (t->header_bytes == HEADER_BYTES)
            begin(t);
        return;
    }
    take(t, (size_t)bytes);
    answer(t);
}

static void on_incoming(uv_poll_t *poll, int status, int events)
{
    struct perf_tcp *listener = poll->data;
    struct perf_tcp *t;
    int fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

    (void)status;
    (void)events;
    if (fd < 0)
        return;
    t = new_socket(listener->session, fd);
    if (!t)
        return;
    watch(t, UV_READABLE, on_socket);
    t->listener = listener;
    t->next = listener->next;
    listener->next = t;
}

struct perf_tcp *perf_tcp_serve(struct iwarp_session *s, uint16_t *ret_port)
{
    struct weft_iw_addr at = s->listens_at;
    struct sockaddr_storage address;
    struct sockaddr_in6 bound = {0};
    struct perf_tcp *t = NULL;
    socklen_t length;
    int fd;

    at.port = 0;
    length = iwarp_address_socket(&at, &address);
    fd = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, length) == 0 && listen(fd, 1024) == 0)
        t = new_socket(s, fd);
    else if (fd >= 0)
        close(fd);
    length = sizeof(bound);
    if (!t || getsockname(t->fd, (struct sockaddr *)&bound, &length) != 0) {
        message("cannot listen for plain TCP: %s", strerror(errno));
        if (t)
            perf_tcp_close(t);
        return NULL;
    }
    *ret_port = ntohs(bound.sin6_port); /* at the same place as IPv4's */
    watch(t, UV_READABLE, on_incoming);
    return t;
}

/* A client's side: straight on, waiting where it has to. */

static void on_ready(uv_poll_t *poll, int status, int events)
{
    struct perf_tcp *t = poll->data;

    (void)status;
    (void)events;
    t->ready = true;
    watch(t, 0, on_ready);
}

static bool await(struct perf_tcp *t, int events)
{
    t->ready = false;
    watch(t, events, on_ready);
    while (!t->ready) {
        if (iwarp_session_interrupted())
            return false;
        iwarp_session_turn(t->session, WEFT_TIME_NEVER);
    }
    return true;
}

struct perf_tcp *perf_tcp_connect(struct iwarp_session *s, const struct weft_iw_addr *at)
{
    struct sockaddr_storage address;
    socklen_t length = iwarp_address_socket(at, &address);
    int fd = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct perf_tcp *t;
    int error = 0;

    if (fd < 0)
        return NULL;
    if (connect(fd, (struct sockaddr *)&address, length) != 0 && errno != EINPROGRESS) {
        close(fd);
        return NULL;
    }
    t = new_socket(s, fd);
    length = sizeof(error);
    if (t && (!await(t, UV_WRITABLE) ||
              getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0))
        t->ended = true;
    return t;
}

bool perf_tcp_end(struct perf_tcp *t)
{
    ssize_t bytes;

    if (t->ended || shutdown(t->fd, SHUT_WR) != 0)
        return false;
    do {
        bytes = recv(t->fd, buffer, BUFFER_BYTES, 0);
    } while (bytes > 0 || (bytes < 0 && errno == EAGAIN && await(t, UV_READABLE)));
    t->ended = true;
    return bytes == 0;
}

static bool send_all(struct perf_tcp *t, const void *data, size_t bytes)
{
    const uint8_t *p = data;

    while (bytes > 0) {
        ssize_t sent = send(t->fd, p, bytes, MSG_NOSIGNAL);

        if (sent > 0) {
            p += sent;
            bytes -= (size_t)sent;
        } else if (errno != EAGAIN || !await(t, UV_WRITABLE)) {
            return false;
        }
    }
    return true;
}

static bool receive_all(struct perf_tcp *t, size_t bytes)
{
    while (bytes > 0) {
        ssize_t got = recv(t->fd, buffer, bytes < BUFFER_BYTES ? bytes : BUFFER_BYTES, 0);

        if (got > 0)
            bytes -= (size_t)got;
        else if (got == 0 || errno != EAGAIN || !await(t, UV_READABLE))
            return false;
    }
    return true;
}

static bool send_header(struct perf_tcp *t, uint32_t bytes, uint32_t count, uint32_t each)
{
    uint32_t words[3] = {bytes, count, each};

    return !t->ended && send_all(t, words, sizeof(words));
}

/* The same bytes again and again, as long as a message is. */
static bool send_message(struct perf_tcp *t, uint32_t bytes)
{
    while (bytes > BUFFER_BYTES) {
        if (!send_all(t, buffer, BUFFER_BYTES))
            return false;
        bytes -= BUFFER_BYTES;
    }
    return send_all(t, buffer, bytes);
}

bool perf_tcp_ping(struct perf_tcp *t, uint32_t bytes, uint32_t count, uint64_t *ret_times)
{
    if (!send_header(t, bytes, count, 1))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        weft_time began = iw_loop_now();

        if (!send_message(t, bytes) || !await(t, UV_READABLE) || !receive_all(t, bytes))
            return false;
        ret_times[i] = iw_loop_now() - began;
    }
    return true;
}

bool perf_tcp_stream(struct perf_tcp *t, uint32_t bytes, uint32_t count, weft_time *ret)
{
    weft_time began = iw_loop_now();

    if (!send_header(t, bytes, count, 0))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!send_message(t, bytes))
            return false;
    if (!receive_all(t, 1))
        return false;
    *ret = iw_loop_now() - began;
    return true;
}

struct perf_tcp *perf_tcp_free(struct perf_tcp *t)
{
    while (t) {
        struct perf_tcp *next = t->next;

        if (t->fd >= 0)
            close(t->fd);
        free(t);
        t = next;
    }
    return NULL;
}
