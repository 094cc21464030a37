/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sockets: dial, listen, accept, read, write, close. */
#include "iw/socket.h"

#include "iw/address.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

/* One listener, or one peer that never stops, is not to keep the others waiting. */
#define ACCEPTS_PER_TURN 64
#define READS_PER_TURN   64
#define READ_BYTES_TURN  (1u << 20)
/* A place for so much gets the bulk of a read; behind it only the next header is taken. */
#define WINDOW_LARGE     (16u << 10)
#define WINDOW_BEHIND    64u
#define BACKLOG_MIN      128
#define BACKLOG_MAX      4096
/* How long a listener that has no descriptors waits for some. */
#define RESUME_MS        50

_Static_assert(sizeof(struct weft_siw_part) == sizeof(struct iovec) &&
                   offsetof(struct weft_siw_part, data) == offsetof(struct iovec, iov_base) &&
                   offsetof(struct weft_siw_part, bytes) == offsetof(struct iovec, iov_len),
               "parts are written as they are");

static struct iw_socket **bucket_of(struct iw_loop *l, weft_siw_ep ep)
{
    /* slot and generation are in different halves */
    return &l->buckets[(ep.v ^ ep.v >> 32) & l->bucket_mask];
}

static struct iw_socket *socket_find(struct iw_loop *l, weft_siw_ep ep)
{
    struct iw_socket *s = *bucket_of(l, ep);

    while (s && s->ep.v != ep.v)
        s = s->chain;
    return s;
}

static struct iw_socket *socket_new(struct iw_loop *l, enum iw_socket_kind kind, int fd)
{
    struct iw_socket *s = calloc(1, sizeof(*s));

    if (!s)
        return NULL;
    s->loop = l;
    s->kind = kind;
    s->fd = fd;
    list_init(&s->due);
    list_init(&s->paused);
    return s;
}

static void socket_name(struct iw_socket *s, weft_siw_ep ep)
{
    struct iw_socket **bucket = bucket_of(s->loop, ep);

    s->ep = ep;
    s->chain = *bucket;
    *bucket = s;
}

static void socket_unname(struct iw_socket *s)
{
    struct iw_socket **at = bucket_of(s->loop, s->ep);

    while (*at != s)
        at = &(*at)->chain;
    *at = s->chain;
}

static void on_ready(uv_poll_t *poll, int status, int events);

static int wanted(const struct iw_socket *s)
{
    switch (s->kind) {
    case IW_SOCKET_DIALING:
        return UV_WRITABLE;
    case IW_SOCKET_LISTENING:
        return list_empty(&s->paused) ? UV_READABLE : 0;
    case IW_SOCKET_CONNECTED:
        break;
    }
    return (s->ended ? 0 : UV_READABLE) | (s->want_write ? UV_WRITABLE : 0);
}

/* What to wait for has changed. */
static void socket_watch(struct iw_socket *s)
{
    if (s->has_poll && s->watched == wanted(s))
        return;
    if (list_empty(&s->due))
        list_push_back(&s->loop->due, &s->due);
}

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

static void socket_close(struct iw_socket *s)
{
    struct linger linger = {.l_onoff = 1};

    list_remove(&s->due);
    list_remove(&s->paused);
    if (s->reset)
        (void)setsockopt(s->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
    if (s->has_poll)
        uv_close((uv_handle_t *)&s->poll, on_closed);
    if (s->fd >= 0)
        (void)close(s->fd);
    if (!s->has_poll)
        free(s);
}

static weft_time now(void)
{
    return iw_loop_now();
}

/* A dial or bind that came to nothing; the provider's RELEASE follows. */
static void socket_failed(struct iw_socket *s, int number)
{
    s->ended = true;
    s->loop->last_error = number;
    (void)weft_siw_tcp_failed(s->loop->siw, now(), s->ep, address_status(number));
}

static void socket_lost(struct iw_socket *s)
{
    s->ended = true;
    s->want_write = false;
    (void)weft_siw_tcp_end(s->loop->siw, now(), s->ep, true);
}

/* Bytes of a segment. */
static uint32_t socket_mss(int fd)
{
    struct tcp_info info = {.tcpi_snd_mss = 0};
    socklen_t length = sizeof(info);
    int mss = 0;

    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 && info.tcpi_snd_mss > 0)
        return info.tcpi_snd_mss;
    length = sizeof(mss);
    (void)getsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &mss, &length);
    return mss > 0 ? (uint32_t)mss : 0;
}

static void socket_at_once(int fd)
{
    int on = 1;

    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

static void socket_local(int fd, struct weft_iw_addr *ret)
{
    struct sockaddr_storage own;
    socklen_t length = sizeof(own);

    *ret = (struct weft_iw_addr){.family = 0};
    if (getsockname(fd, (struct sockaddr *)&own, &length) == 0)
        (void)address_from_sockaddr((struct sockaddr *)&own, ret);
}

static void dial_up(struct iw_socket *s)
{
    struct weft_iw_addr local;

    s->kind = IW_SOCKET_CONNECTED;
    socket_at_once(s->fd);
    socket_local(s->fd, &local);
    (void)weft_siw_tcp_up(s->loop->siw, now(), s->ep, &local, socket_mss(s->fd));
}

/* @return 0, or an errno */
static int dial_begin(struct iw_socket *s, const struct weft_siw_op *op)
{
    struct sockaddr_storage own, peer;
    socklen_t length = address_to_sockaddr(&op->remote, &peer);
    socklen_t own_length = address_to_sockaddr(&op->local, &own);
    int on = 1;

    s->fd = socket(peer.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    if (s->fd < 0)
        return errno;
    if (own_length > 0) {
        if (op->local.port != 0)
            (void)setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
        if (bind(s->fd, (struct sockaddr *)&own, own_length) < 0)
            return errno;
    }
    if (connect(s->fd, (struct sockaddr *)&peer, length) == 0 || errno == EINPROGRESS)
        return 0;
    return errno;
}

static int bind_begin(struct iw_socket *s, const struct weft_siw_op *op)
{
    struct sockaddr_storage at;
    socklen_t length = address_to_sockaddr(&op->local, &at);
    int on = 1, off = 0;
    int backlog = BACKLOG_MIN;

    s->fd = socket(at.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    if (s->fd < 0)
        return errno;
    (void)setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (op->local.family == 6 && address_is_any(&op->local))
        (void)setsockopt(s->fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    if (op->backlog > BACKLOG_MIN)
        backlog = op->backlog < BACKLOG_MAX ? (int)op->backlog : BACKLOG_MAX;
    if (bind(s->fd, (struct sockaddr *)&at, length) < 0 || listen(s->fd, backlog) < 0)
        return errno;
    return 0;
}

static void op_open(struct iw_loop *l, const struct weft_siw_op *op)
{
    bool listens = op->type == WEFT_SIW_OP_BIND;
    struct iw_socket *s = socket_new(l, listens ? IW_SOCKET_LISTENING : IW_SOCKET_DIALING, -1);
    struct weft_iw_addr local;
    int number;

    if (!s) {
        l->last_error = ENOMEM;
        (void)weft_siw_tcp_failed(l->siw, now(), op->ep, WEFT_IWCM_NO_RESOURCES);
        return;
    }
    socket_name(s, op->ep);
    number = listens ? bind_begin(s, op) : dial_begin(s, op);
    if (number != 0) {
        socket_failed(s, number);
        return;
    }
    socket_watch(s);
    if (listens) {
        socket_local(s->fd, &local);
        (void)weft_siw_tcp_bound(l->siw, now(), s->ep, &local);
    }
}

static void op_write(struct iw_socket *s, const struct weft_siw_op *op)
{
    struct iw_loop *l = s->loop;
    struct msghdr message = {.msg_iovlen = op->part_count < IOV_MAX ? op->part_count : IOV_MAX};
    size_t asked = op->bytes;
    ssize_t n;
    int number;

    /* sendmsg() does not write to what it sends */
    message.msg_iov = (struct iovec *)(uintptr_t)op->parts;
    if (op->part_count > IOV_MAX) {
        asked = 0;
        for (int i = 0; i < IOV_MAX; i++)
            asked += op->parts[i].bytes;
    }
    do
        n = sendmsg(s->fd, &message, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    number = errno;
    (void)weft_siw_tcp_written(l->siw, now(), s->ep, n > 0 ? (size_t)n : 0);
    if (n >= 0 && (size_t)n == asked) {
        if (asked < op->bytes)
            (void)weft_siw_tcp_writable(l->siw, now(), s->ep);
        return;
    }
    if (n < 0 && number != EAGAIN && number != ENOBUFS && number != ENOMEM) {
        socket_lost(s);
    } else {
        s->want_write = true;
    }
    socket_watch(s);
}

static void op_release(struct iw_socket *s, bool reset)
{
    socket_unname(s);
    s->released = true;
    s->reset = reset;
    if (list_empty(&s->due))
        list_push_back(&s->loop->due, &s->due);
}

void socket_op(struct iw_loop *l, const struct weft_siw_op *op)
{
    struct iw_socket *s = socket_find(l, op->ep);

    switch (op->type) {
    case WEFT_SIW_OP_DIAL:
    case WEFT_SIW_OP_BIND:
        op_open(l, op);
        break;
    case WEFT_SIW_OP_WRITE:
        op_write(s, op);
        break;
    case WEFT_SIW_OP_SHUT:
        (void)shutdown(s->fd, SHUT_WR);
        break;
    case WEFT_SIW_OP_RELEASE:
        /* there is none if there was no memory for it */
        if (s)
            op_release(s, op->reset);
        break;
    case WEFT_SIW_OPS:
        break;
    }
}

/* Data go where they belong if that is known: behind it only the next header is wanted, for then
 * the next place is known.
 * @return whether to go on */
static bool read_once(struct iw_socket *s, size_t *bytes)
{
    struct iw_loop *l = s->loop;
    size_t place = 0, asked, got;
    void *window = weft_siw_rx_window(l->siw, s->ep, &place);
    struct iovec v[2] = {{.iov_base = window, .iov_len = window ? place : 0},
                         {.iov_base = l->scratch, .iov_len = IW_SCRATCH_BYTES}};
    ssize_t n;

    if (v[0].iov_len >= WINDOW_LARGE || (v[0].iov_len > 0 && s->bulk))
        v[1].iov_len = WINDOW_BEHIND;
    /* the last segment of a message is short, and the next message's first one is not */
    s->bulk = v[0].iov_len >= WINDOW_LARGE;
    asked = v[0].iov_len + v[1].iov_len;
    do
        n = readv(s->fd, v[0].iov_len > 0 ? v : v + 1, v[0].iov_len > 0 ? 2 : 1);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN)
        return false;
    if (n < 0) {
        socket_lost(s);
        return false;
    }
    if (n == 0) {
        s->ended = true;
        (void)weft_siw_tcp_end(l->siw, now(), s->ep, false);
        return false;
    }
    got = (size_t)n;
    *bytes += got;
    place = got < v[0].iov_len ? got : v[0].iov_len;
    if (place > 0)
        (void)weft_siw_tcp_rx_placed(l->siw, now(), s->ep, place);
    if (got > place)
        (void)weft_siw_tcp_rx(l->siw, now(), s->ep, l->scratch, got - place);
    return got == asked;
}

static void socket_read(struct iw_socket *s)
{
    size_t bytes = 0;

    for (int i = 0; i < READS_PER_TURN && bytes < READ_BYTES_TURN; i++)
        if (!read_once(s, &bytes))
            break;
}

static void accepted(struct iw_socket *listener, int fd, const struct sockaddr_storage *from)
{
    struct iw_loop *l = listener->loop;
    struct iw_socket *s = socket_new(l, IW_SOCKET_CONNECTED, fd);
    struct weft_iw_addr local, remote;
    weft_siw_ep ep;

    socket_local(fd, &local);
    if (!s || !address_from_sockaddr((const struct sockaddr *)from, &remote) ||
        weft_siw_tcp_incoming(l->siw, now(), listener->ep, &local, &remote, socket_mss(fd), &ep)) {
        free(s);
        (void)close(fd);
        return;
    }
    socket_at_once(fd);
    socket_name(s, ep);
    socket_watch(s);
}

static void socket_pause(struct iw_socket *s)
{
    struct iw_loop *l = s->loop;

    if (list_empty(&s->paused))
        list_push_back(&l->paused, &s->paused);
    if (!uv_is_active((uv_handle_t *)&l->resume))
        (void)uv_timer_start(&l->resume, loop_resume, RESUME_MS, 0);
    socket_watch(s);
}

static void socket_accept(struct iw_socket *s)
{
    struct sockaddr_storage from;
    socklen_t length;

    for (int i = 0; i < ACCEPTS_PER_TURN; i++) {
        int fd;

        length = sizeof(from);
        fd = accept4(s->fd, (struct sockaddr *)&from, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            accepted(s, fd, &from);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            socket_pause(s);
            return;
        } else if (errno == EAGAIN) {
            return;
        }
        /* otherwise that one connection is lost already */
    }
}

void socket_resume(struct iw_loop *l)
{
    struct list_node *n;

    while ((n = list_pop_front(&l->paused)))
        socket_watch(WEFT_CONTAINER_OF(n, struct iw_socket, paused));
}

static void socket_dialed(struct iw_socket *s)
{
    int number = 0;
    socklen_t length = sizeof(number);

    (void)getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &number, &length);
    if (number != 0) {
        socket_failed(s, number);
        return;
    }
    dial_up(s);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    struct iw_socket *s = poll->data;
    struct iw_loop *l = s->loop;

    loop_enter(l);
    /* uv has stopped to watch: reading tells what is wrong, after what came before */
    if (status < 0)
        s->watched = 0;
    if (s->released)
        return;
    if (s->kind == IW_SOCKET_LISTENING) {
        socket_accept(s);
    } else if (s->kind == IW_SOCKET_DIALING) {
        socket_dialed(s);
    } else {
        if ((events & UV_WRITABLE) != 0 && s->want_write) {
            s->want_write = false;
            (void)weft_siw_tcp_writable(l->siw, now(), s->ep);
        }
        if (!s->ended && (status < 0 || (events & UV_READABLE) != 0))
            socket_read(s);
        else if (s->ended && status < 0)
            socket_lost(s); /* behind a FIN nothing is read that could tell */
    }
    socket_watch(s);
    iw_loop_pump(l);
}

static void due_watch(struct iw_socket *s)
{
    if (!s->has_poll) {
        if (uv_poll_init(&s->loop->uv, &s->poll, s->fd) != 0) {
            if (s->kind == IW_SOCKET_CONNECTED)
                socket_lost(s);
            else
                socket_failed(s, ENOMEM);
            return;
        }
        s->has_poll = true;
        s->poll.data = s;
    }
    s->watched = wanted(s);
    if (s->watched != 0)
        (void)uv_poll_start(&s->poll, s->watched, on_ready);
    else
        (void)uv_poll_stop(&s->poll);
}

bool socket_due(struct iw_loop *l)
{
    struct list_node *n;
    bool any = false;

    while ((n = list_pop_front(&l->due))) {
        struct iw_socket *s = WEFT_CONTAINER_OF(n, struct iw_socket, due);

        any = true;
        if (s->released)
            socket_close(s);
        else
            due_watch(s);
    }
    return any;
}

void socket_close_all(struct iw_loop *l)
{
    for (size_t i = 0; i <= l->bucket_mask; i++) {
        struct iw_socket *s = l->buckets[i];

        while (s) {
            struct iw_socket *next = s->chain;

            s->reset = true;
            socket_close(s);
            s = next;
        }
        l->buckets[i] = NULL;
    }
    /* what was released and not closed yet is not in a bucket */
    (void)socket_due(l);
}
