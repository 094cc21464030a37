/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The daemon's life and its loop. */
#include "host/capture.h"
#include "host/client.h"
#include "host/issm.h"
#include "host/listen.h"
#include "host/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define SERVER_CLIENTS_DEFAULT 1000
#define SERVER_CLIENTS_MAX     32768
#define SERVER_SCALE_MIN       0.001
#define SERVER_SCALE_MAX       1e6
#define SERVER_SPIN_MAX        WEFT_S
/* What this machine does not live to see, and its timers do not know. */
#define SERVER_SLEEP_END       1e18
/* Fabric time that 64 bits do not hold. */
#define SERVER_TIME_END        0x1p64
/* Descriptors of one client: socket, two bells; and a few of the daemon's own. */
#define SERVER_FILES_CLIENT    3
#define SERVER_FILES_OWN       64

static const int server_signals[] = {SIGTERM, SIGINT};

weft_time server_clock(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (weft_time)t.tv_sec * WEFT_S + (weft_time)t.tv_nsec;
}

weft_time server_fabric_time(const struct server *s, weft_time clock)
{
    weft_time passed = clock - s->started;
    double scaled;

    if (s->options.time_scale == 1)
        return passed;
    scaled = (double)passed * s->options.time_scale;
    return scaled < SERVER_TIME_END ? (weft_time)scaled : WEFT_TIME_NEVER - 1;
}

void server_tick(struct server *s, weft_time clock)
{
    weft_time now = server_fabric_time(s, clock);

    if (now > s->now)
        s->now = now;
}

weft_time server_clock_at(const struct server *s, weft_time t)
{
    double passed;

    if (t == WEFT_TIME_NEVER)
        return WEFT_TIME_NEVER;
    passed = (double)t / s->options.time_scale + 1;
    if (passed > SERVER_SLEEP_END)
        return WEFT_TIME_NEVER;
    return s->started + (s->options.time_scale == 1 ? t : (weft_time)passed);
}

int server_refuse(struct fabric_error *error, int err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(error->text, sizeof(error->text), format, args);
    va_end(args);
    return err;
}

void server_options_init(struct server_options *ret)
{
    *ret = (struct server_options){.socket_mode = 0600,
                                   .clients = SERVER_CLIENTS_DEFAULT,
                                   .time_scale = 1,
                                   .pcap = -1,
                                   .spin_ns = spin_usual_ns()};
}

static int server_check(const struct server_options *o, struct fabric_error *error)
{
    if (!o->socket_path)
        return server_refuse(error, WEFT_ERR_INVALID, "no socket is named");
    if (o->socket_mode > 0777)
        return server_refuse(error, WEFT_ERR_INVALID, "the socket's mode is beyond 0777");
    if (o->clients == 0 || o->clients > SERVER_CLIENTS_MAX)
        return server_refuse(error, WEFT_ERR_INVALID, "the number of clients is 1 to %d",
                             SERVER_CLIENTS_MAX);
    if (!(o->time_scale >= SERVER_SCALE_MIN && o->time_scale <= SERVER_SCALE_MAX))
        return server_refuse(error, WEFT_ERR_INVALID, "the scale of time is 0.001 to 1000000");
    if (o->spin_ns > SERVER_SPIN_MAX)
        return server_refuse(error, WEFT_ERR_INVALID, "looking before sleeping takes 1 s at most");
    return 0;
}

static void server_signalled(uv_signal_t *handle, int number)
{
    (void)number;
    server_stop(handle->data);
}

static void server_second(uv_timer_t *handle)
{
    struct server *s = handle->data;

    client_expire(s);
    if (s->options.status)
        s->options.status(s->options.status_ctx, s);
}

static void server_connection(uv_poll_t *handle, int status, int events)
{
    (void)status;
    (void)events;
    client_accept(handle->data);
}

/* Makes the descriptors that are the daemon's own. */
static int server_files(struct server *s, struct fabric_error *error)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0 &&
        files.rlim_cur < (rlim_t)s->options.clients * SERVER_FILES_CLIENT + SERVER_FILES_OWN) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    s->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    /* A client's bell is a pipe whose other end may be gone. */
    (void)sigaction(SIGPIPE, &ignore, &s->pipe_before);
    if (s->spare_fd < 0 || loop_open(s) != 0)
        return server_refuse(error, WEFT_ERR_NOMEM, "the system gives no event loop: %s",
                             strerror(errno));
    return 0;
}

/* From the moment on that there is a socket to be removed; to be told twice is fine. */
static void server_hear_signals(struct server *s)
{
    for (size_t i = 0; i < sizeof(server_signals) / sizeof(server_signals[0]); i++)
        (void)uv_signal_start(&s->signals[i], server_signalled, server_signals[i]);
}

/* Makes the loop's handles. */
static int server_handles(struct server *s, struct fabric_error *error)
{
    int failed;

    failed = uv_signal_init(&s->loop, &s->signals[0]);
    failed |= uv_signal_init(&s->loop, &s->signals[1]);
    failed |= uv_timer_init(&s->loop, &s->second);
    WEFT_ASSERT(failed == 0);
    s->signals[0].data = s;
    s->signals[1].data = s;
    s->second.data = s;
    s->handles = true;
    /* These make descriptors non-blocking and can fail only with a wrong one. */
    failed |= uv_poll_init(&s->loop, &s->listening, s->listener.fd);
    s->listening.data = s;
    if (failed)
        return server_refuse(error, WEFT_ERR_NOMEM, "the system gives no event loop");
    (void)uv_poll_start(&s->listening, UV_READABLE, server_connection);
    (void)uv_timer_start(&s->second, server_second, 1000, 1000);
    server_hear_signals(s);
    return 0;
}

/* Takes the memory for as many clients as there may be. */
static int server_memory(struct server *s)
{
    uint32_t entries = index_entries(s->options.clients);
    struct index_entry *index = calloc(entries, sizeof(*index));

    s->slots = calloc(s->options.clients, sizeof(struct client *));
    if (!index || !s->slots) {
        free(index);
        return WEFT_ERR_NOMEM;
    }
    index_init(&s->by_attachment, index, entries);
    return 0;
}

int server_new(const struct server_options *o, struct fabric *f, struct server **ret,
               struct fabric_error *error)
{
    struct server *s;
    int err = server_check(o, error);

    if (err)
        return err;
    s = calloc(1, sizeof(*s));
    if (!s)
        return server_refuse(error, WEFT_ERR_NOMEM, "there is no memory for the daemon");
    s->options = *o;
    s->fabric = f;
    s->spare_fd = -1;
    s->bells = -1;
    s->alarm = -1;
    (void)sigaction(SIGPIPE, NULL, &s->pipe_before);
    s->listener = (struct listener){.fd = -1, .lock = -1};
    s->started = server_clock();
    list_init(&s->clients);
    list_init(&s->active);
    list_init(&s->ringing);
    if (server_memory(s) != 0)
        err = server_refuse(error, WEFT_ERR_NOMEM, "there is no memory for so many clients");
    if (!err)
        err = server_files(s, error);
    if (!err)
        err = listener_open(o->socket_path, o->socket_mode, &s->listener, error);
    if (!err && issm_new(s, &s->issm) != 0)
        err = server_refuse(error, WEFT_ERR_NOMEM, "there is no memory for the daemon");
    if (!err)
        err = server_handles(s, error);
    if (!err && o->pcap >= 0) {
        s->capture = calloc(1, sizeof(*s->capture));
        if (s->capture)
            capture_begin(s->capture, o->pcap, &s->stats.pcap_lost, &s->stats.pcap_error, f);
        else
            err = server_refuse(error, WEFT_ERR_NOMEM, "there is no memory for the capture");
    }
    if (err) {
        server_free(s);
        return err;
    }
    *ret = s;
    return 0;
}

int server_run(struct server *s)
{
    server_hear_signals(s);
    while (!s->stopping)
        loop_turn(s);
    if (s->options.status)
        s->options.status(s->options.status_ctx, s);
    return s->capture ? capture_end(s->capture, s->fabric) : 0;
}

void server_stop(struct server *s)
{
    s->stopping = true;
}

/* Ends the loop with all its handles. */
static void server_close(struct server *s)
{
    struct list_node *n;

    while ((n = list_first(&s->clients)))
        client_leave(WEFT_CONTAINER_OF(n, struct client, all));
    if (s->issm)
        issm_close(s->issm);
    if (!s->handles)
        return;
    uv_close((uv_handle_t *)&s->signals[0], NULL);
    uv_close((uv_handle_t *)&s->signals[1], NULL);
    uv_close((uv_handle_t *)&s->second, NULL);
    uv_close((uv_handle_t *)&s->listening, NULL);
    (void)uv_run(&s->loop, UV_RUN_DEFAULT);
}

struct server *server_free(struct server *s)
{
    if (!s)
        return NULL;
    server_close(s);
    if (s->capture)
        (void)capture_end(s->capture, s->fabric);
    if (s->issm)
        issm_free(s->issm);
    loop_close(s);
    listener_close(&s->listener);
    if (s->spare_fd >= 0)
        (void)close(s->spare_fd);
    (void)sigaction(SIGPIPE, &s->pipe_before, NULL);
    free(s->capture);
    free(s->faults.text);
    free(s->slots);
    free(s->by_attachment.entries);
    free(s);
    return NULL;
}

void server_stats(const struct server *s, struct server_stats *ret)
{
    *ret = s->stats;
}

weft_time server_now(const struct server *s)
{
    return server_fabric_time(s, server_clock());
}

struct fabric *server_fabric(const struct server *s)
{
    return s->fabric;
}
