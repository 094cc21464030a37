/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests that wait for one look, whoever has asked first. */
#include "cli/exporter_http.h"

#include "cli/message.h"
#include "cli/verb.h"
#include "core/base/quantity.h"
#include "host/mad_link.h"
#include "library/library.h"

#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS       64
/* Of one address: nobody alone can keep all others out. */
#define CONNECTIONS_EACH  32
#define CONNECTION_MEMORY 16384
#define IDLE_S            30
/* What a connection is given at a time. */
#define BLOCK_BYTES       32768
#define ADDRESS_BYTES     128

#define MHD_FUNCTIONS(F)                                                                           \
    F(MHD_add_response_header)                                                                     \
    F(MHD_create_response_from_buffer)                                                             \
    F(MHD_create_response_from_callback)                                                           \
    F(MHD_destroy_response)                                                                        \
    F(MHD_lookup_connection_value)                                                                 \
    F(MHD_queue_response)                                                                          \
    F(MHD_resume_connection)                                                                       \
    F(MHD_start_daemon)                                                                            \
    F(MHD_stop_daemon)                                                                             \
    F(MHD_suspend_connection)

static const char *const names[] = {MHD_FUNCTIONS(LIBRARY_NAME)};

static const struct library library = {"libmicrohttpd.so.12", "libmicrohttpd12", names,
                                       sizeof(names) / sizeof(names[0])};

/* Loaded before the first server is opened. */
static struct {
    MHD_FUNCTIONS(LIBRARY_POINTER)
} libmhd;
LIBRARY_CHECK(libmhd, names);

/* The metrics in one format. */
struct page {
    struct metrics_pack *pack; /* NULL: none were published yet */
    weft_time until;           /* fresh up to then */
};

/* Who waits. */
struct waiter {
    struct MHD_Connection *connection;
    enum metrics_format format;
};

struct exporter_http {
    struct MHD_Daemon *daemon;
    int socket; /* -1: the daemon's, or none */
    int wake;   /* an eventfd */
    char address[ADDRESS_BYTES];
    struct MHD_Response *index, *healthy, *not_found, *not_allowed, *unavailable;
    pthread_mutex_t lock; /* of all below */
    struct page pages[METRICS_FORMATS];
    struct waiter waiters[CONNECTIONS];
    size_t waiter_count;
    uint64_t scrapes;
    bool closing;
};

/* How far a connection's request is. */
static char begun, waited;

static const char index_text[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><title>weft exporter</title></head>\n"
    "<body><h1>weft exporter</h1>\n<p>Counters and links of a fabric: "
    "<a href=\"/metrics\">/metrics</a>, for Prometheus. "
    "<a href=\"/healthz\">/healthz</a> says whether this runs.</p></body></html>\n";

static struct MHD_Response *fixed(const char *text, const char *type)
{
    /* The library does not write to memory that stays the caller's. */
    union {
        const char *from;
        void *to;
    } body = {.from = text};
    struct MHD_Response *r =
        libmhd.MHD_create_response_from_buffer(strlen(text), body.to, MHD_RESPMEM_PERSISTENT);

    if (r)
        (void)libmhd.MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    return r;
}

static bool responses_make(struct exporter_http *h)
{
    static const char plain[] = "text/plain; charset=utf-8";

    h->index = fixed(index_text, "text/html; charset=utf-8");
    h->healthy = fixed("ok\n", plain);
    h->not_found = fixed("not found; try /metrics\n", plain);
    h->not_allowed = fixed("only GET and HEAD\n", plain);
    h->unavailable = fixed("no metrics just now\n", plain);
    if (h->not_allowed)
        (void)libmhd.MHD_add_response_header(h->not_allowed, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    return h->index && h->healthy && h->not_found && h->not_allowed && h->unavailable;
}

static ssize_t block_read(void *self, uint64_t at, char *ret, size_t bytes)
{
    ssize_t got = metrics_reader_read(self, ret, bytes);

    (void)at;
    return got > 0 ? got : MHD_CONTENT_READER_END_WITH_ERROR;
}

static void block_end(void *self)
{
    (void)metrics_reader_free(self);
}

static const char *header(struct MHD_Connection *c, const char *name)
{
    return libmhd.MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

/* Each answer reads the page for itself, which others may replace meanwhile. */
static enum MHD_Result answer_page(struct exporter_http *h, struct MHD_Connection *c,
                                   struct metrics_pack *pack, enum metrics_format format)
{
    bool packed = metrics_gzip_of(header(c, MHD_HTTP_HEADER_ACCEPT_ENCODING));
    struct metrics_reader *reader = metrics_reader_new(pack, packed);
    struct MHD_Response *r = NULL;
    enum MHD_Result result;

    if (reader)
        r = libmhd.MHD_create_response_from_callback(metrics_pack_bytes(pack, packed), BLOCK_BYTES,
                                                     block_read, reader, block_end);
    if (!r) {
        (void)metrics_reader_free(reader);
        return libmhd.MHD_queue_response(c, MHD_HTTP_SERVICE_UNAVAILABLE, h->unavailable);
    }
    (void)libmhd.MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE,
                                         metrics_content_type(format));
    (void)libmhd.MHD_add_response_header(r, MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding");
    if (packed)
        (void)libmhd.MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
    result = libmhd.MHD_queue_response(c, MHD_HTTP_OK, r);
    libmhd.MHD_destroy_response(r);
    return result;
}

/* Gives metrics if they are fresh, or if nothing newer is to be waited for; else the connection
 * sleeps until there are some. */
static enum MHD_Result answer_metrics(struct exporter_http *h, struct MHD_Connection *c,
                                      bool has_waited)
{
    enum metrics_format format = metrics_format_of(header(c, MHD_HTTP_HEADER_ACCEPT));
    struct page *page = &h->pages[format];
    enum MHD_Result result = MHD_YES;
    const uint64_t one = 1;

    (void)pthread_mutex_lock(&h->lock);
    h->scrapes += !has_waited;
    if (h->closing || (has_waited && !page->pack) ||
        (!has_waited && h->waiter_count == CONNECTIONS)) {
        result = libmhd.MHD_queue_response(c, MHD_HTTP_SERVICE_UNAVAILABLE, h->unavailable);
    } else if (has_waited || (page->pack && mad_link_clock() < page->until)) {
        result = answer_page(h, c, page->pack, format);
    } else {
        libmhd.MHD_suspend_connection(c);
        h->waiters[h->waiter_count++] = (struct waiter){c, format};
        if (write(h->wake, &one, sizeof(one)) < 0 && errno != EAGAIN)
            result = MHD_NO;
    }
    (void)pthread_mutex_unlock(&h->lock);
    return result;
}

static enum MHD_Result answer(void *self, struct MHD_Connection *c, const char *url,
                              const char *method, const char *version, const char *body,
                              size_t *body_bytes, void **state)
{
    struct exporter_http *h = self;
    bool has_waited = *state == &waited;

    (void)version;
    (void)body;
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return libmhd.MHD_queue_response(c, MHD_HTTP_METHOD_NOT_ALLOWED, h->not_allowed);
    if (!*state) {
        *state = &begun;
        return MHD_YES;
    }
    /* Whatever comes with a GET is not looked at. */
    if (*body_bytes > 0) {
        *body_bytes = 0;
        return MHD_YES;
    }
    if (strcmp(url, "/metrics") == 0) {
        *state = &waited;
        return answer_metrics(h, c, has_waited);
    }
    if (strcmp(url, "/healthz") == 0)
        return libmhd.MHD_queue_response(c, MHD_HTTP_OK, h->healthy);
    if (strcmp(url, "/") == 0)
        return libmhd.MHD_queue_response(c, MHD_HTTP_OK, h->index);
    return libmhd.MHD_queue_response(c, MHD_HTTP_NOT_FOUND, h->not_found);
}

/* Takes ADDRESS and PORT apart; both are numbers.
 * Returns NULL: it is no address. */
static struct addrinfo *address_read(const char *where)
{
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                                   .ai_socktype = SOCK_STREAM};
    const char *colon = strrchr(where, ':');
    struct addrinfo *ret = NULL;
    char host[ADDRESS_BYTES];
    uint64_t port;
    size_t length;

    if (!colon || colon == where || (size_t)(colon - where) >= sizeof(host) ||
        !quantity_parse_count(colon + 1, &port) || port > UINT16_MAX)
        return NULL;
    length = (size_t)(colon - where);
    if (where[0] == '[' && where[length - 1] == ']') {
        where++;
        length -= 2;
    } else if (memchr(where, ':', length)) {
        return NULL;
    }
    memcpy(host, where, length);
    host[length] = '\0';
    return getaddrinfo(host, colon + 1, &hints, &ret) == 0 ? ret : NULL;
}

bool exporter_http_is_address(const char *where)
{
    struct addrinfo *address = address_read(where);

    if (address)
        freeaddrinfo(address);
    return address != NULL;
}

static void address_name(struct exporter_http *h)
{
    struct sockaddr_storage at = {.ss_family = AF_UNSPEC};
    socklen_t length = sizeof(at);
    char host[64] = "", port[8] = "";

    if (getsockname(h->socket, (struct sockaddr *)&at, &length) == 0)
        (void)getnameinfo((struct sockaddr *)&at, length, host, sizeof(host), port, sizeof(port),
                          NI_NUMERICHOST | NI_NUMERICSERV);
    (void)snprintf(h->address, sizeof(h->address), at.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s",
                   host, port);
}

static int listen_at(struct exporter_http *h, const char *where)
{
    struct addrinfo *address = address_read(where);
    const int on = 1;
    int exit_code = CLI_DONE;

    if (!address)
        return message_failed("%s is no ADDRESS:PORT", where);
    h->socket = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (h->socket < 0 || setsockopt(h->socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
        bind(h->socket, address->ai_addr, address->ai_addrlen) != 0 ||
        listen(h->socket, CONNECTIONS) != 0) {
        exit_code = message_failed("cannot listen at %s: %s", where, strerror(errno));
        message_try("--listen with an address of this machine and a port that is free");
    } else {
        address_name(h);
    }
    freeaddrinfo(address);
    return exit_code;
}

static int daemon_start(struct exporter_http *h)
{
    h->daemon = libmhd.MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, answer, h,
        MHD_OPTION_LISTEN_SOCKET, h->socket, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned)CONNECTIONS_EACH,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S, MHD_OPTION_END);
    if (!h->daemon)
        return message_failed("the HTTP server cannot be started: %s", strerror(errno));
    h->socket = -1;
    return CLI_DONE;
}

int exporter_http_open(const char *where, struct exporter_http **ret)
{
    char text[LIBRARY_TEXT_BYTES];
    struct exporter_http *h;
    int exit_code = CLI_DONE;

    if (!library_load(&library, &libmhd, text))
        return message_failed("%s", text);
    h = calloc(1, sizeof(*h));
    if (!h)
        return message_failed("there is no memory for the HTTP server");
    h->socket = -1;
    (void)pthread_mutex_init(&h->lock, NULL);
    h->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (h->wake < 0 || !responses_make(h))
        exit_code = message_failed("the HTTP server cannot be prepared: %s", strerror(errno));
    if (exit_code == CLI_DONE)
        exit_code = listen_at(h, where);
    if (exit_code == CLI_DONE)
        exit_code = daemon_start(h);
    if (exit_code == CLI_DONE)
        *ret = h;
    else
        (void)exporter_http_close(h);
    return exit_code;
}

const char *exporter_http_address(const struct exporter_http *h)
{
    return h->address;
}

int exporter_http_fd(const struct exporter_http *h)
{
    return h->wake;
}

unsigned exporter_http_wanted(struct exporter_http *h)
{
    unsigned wanted = 0;
    uint64_t count;

    (void)pthread_mutex_lock(&h->lock);
    if (read(h->wake, &count, sizeof(count)) < 0)
        count = 0;
    for (size_t i = 0; i < h->waiter_count; i++)
        wanted |= 1U << h->waiters[i].format;
    (void)pthread_mutex_unlock(&h->lock);
    return wanted;
}

uint64_t exporter_http_scrapes(struct exporter_http *h)
{
    uint64_t scrapes;

    (void)pthread_mutex_lock(&h->lock);
    scrapes = h->scrapes;
    (void)pthread_mutex_unlock(&h->lock);
    return scrapes;
}

/* Those of a format wait no more; with METRICS_FORMATS nobody does. */
static void wake_waiters(struct exporter_http *h, enum metrics_format format)
{
    size_t kept = 0;

    for (size_t i = 0; i < h->waiter_count; i++) {
        if (format == METRICS_FORMATS || h->waiters[i].format == format)
            libmhd.MHD_resume_connection(h->waiters[i].connection);
        else
            h->waiters[kept++] = h->waiters[i];
    }
    h->waiter_count = kept;
}

void exporter_http_publish(struct exporter_http *h, enum metrics_format format,
                           struct metrics_pack *p, weft_time until)
{
    struct metrics_pack *old;

    (void)pthread_mutex_lock(&h->lock);
    old = h->pages[format].pack;
    h->pages[format] = (struct page){p, until};
    wake_waiters(h, format);
    (void)pthread_mutex_unlock(&h->lock);
    (void)metrics_pack_free(old);
}

void exporter_http_refuse(struct exporter_http *h)
{
    (void)pthread_mutex_lock(&h->lock);
    wake_waiters(h, METRICS_FORMATS);
    (void)pthread_mutex_unlock(&h->lock);
}

static void response_free(struct MHD_Response *r)
{
    if (r)
        libmhd.MHD_destroy_response(r);
}

struct exporter_http *exporter_http_close(struct exporter_http *h)
{
    if (!h)
        return NULL;
    (void)pthread_mutex_lock(&h->lock);
    h->closing = true;
    wake_waiters(h, METRICS_FORMATS);
    (void)pthread_mutex_unlock(&h->lock);
    if (h->daemon)
        libmhd.MHD_stop_daemon(h->daemon);
    if (h->socket >= 0)
        (void)close(h->socket);
    if (h->wake >= 0)
        (void)close(h->wake);
    for (size_t i = 0; i < METRICS_FORMATS; i++)
        (void)metrics_pack_free(h->pages[i].pack);
    response_free(h->index);
    response_free(h->healthy);
    response_free(h->not_found);
    response_free(h->not_allowed);
    response_free(h->unavailable);
    (void)pthread_mutex_destroy(&h->lock);
    free(h);
    return NULL;
}
