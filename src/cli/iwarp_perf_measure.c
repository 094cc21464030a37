/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Measurements: ping-pong, streams, connections. How often follows from a first, short run. */
#include "cli/iwarp_perf_measure.h"

#include "cli/message.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_COUNT 20
#define COUNT_MIN   20
#define COUNT_MAX   1000000
#define FIRST_BYTES (4 << 20)
#define IDLE_BATCH  64

/* How often something is done that took so long, to last as long as the user wants. */
static uint32_t enough(const struct perf_end *e, uint32_t count, weft_time took)
{
    double wanted = (double)e->session->request->seconds * count / (double)(took ? took : 1);

    if (wanted < COUNT_MIN)
        return COUNT_MIN;
    return wanted > COUNT_MAX ? COUNT_MAX : (uint32_t)wanted;
}

static int compare_times(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static void summarize(uint64_t *times, uint32_t count, uint32_t ways, struct perf_latency *ret)
{
    qsort(times, count, sizeof(*times), compare_times);
    ret->count = count;
    ret->p50 = times[count / 2] / ways;
    ret->p99 = times[(uint64_t)count * 99 / 100] / ways;
}

static bool ping_sends(struct perf_end *e, uint32_t bytes, uint32_t count, uint64_t *times)
{
    uint64_t base;

    if (!perf_command_send(e, PERF_COMMAND_SEND_BACK, bytes, count))
        return false;
    base = e->received;
    for (uint32_t i = 0; i < count; i++) {
        weft_time began = iw_loop_now();

        if (!perf_post(e, PERF_SEND, bytes) || !perf_wait_received(e, base + i + 1))
            return false;
        times[i] = iw_loop_now() - began;
    }
    return true;
}

static bool ping_writes(struct perf_end *e, uint32_t bytes, uint32_t count, uint64_t *times)
{
    e->region[bytes - 1] = 0;
    if (!perf_command_send(e, PERF_COMMAND_WRITE_BACK, bytes, count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        weft_time began = iw_loop_now();

        if (!perf_wait_completed(e, e->posted))
            return false;
        e->source[bytes - 1] = perf_mark(i);
        if (!perf_post(e, PERF_WRITE, bytes) || !perf_wait_written(e, bytes, perf_mark(i)))
            return false;
        times[i] = iw_loop_now() - began;
    }
    return true;
}

static bool ping_reads(struct perf_end *e, uint32_t bytes, uint32_t count, uint64_t *times)
{
    for (uint32_t i = 0; i < count; i++) {
        weft_time began = iw_loop_now();

        if (!perf_post(e, PERF_READ, bytes) || !perf_wait_completed(e, e->posted))
            return false;
        times[i] = iw_loop_now() - began;
    }
    return true;
}

static bool ping(struct perf_end *e, enum perf_operation operation, uint32_t bytes, uint32_t count,
                 uint64_t *times)
{
    switch (operation) {
    case PERF_SEND:
        return ping_sends(e, bytes, count, times);
    case PERF_WRITE:
        return ping_writes(e, bytes, count, times);
    case PERF_READ:
        return ping_reads(e, bytes, count, times);
    case PERF_OPERATIONS:
    default:
        return false;
    }
}

static bool measure_latency(struct perf_end *e, enum perf_operation operation, uint32_t bytes,
                            struct perf_latency *ret)
{
    uint64_t first[FIRST_COUNT];
    uint64_t *times;
    uint32_t count;
    bool done;

    if (!ping(e, operation, bytes, FIRST_COUNT, first))
        return false;
    summarize(first, FIRST_COUNT, 1, ret);
    count = enough(e, 1, ret->p50);
    times = calloc(count, sizeof(*times));
    done = times && ping(e, operation, bytes, count, times);
    if (done)
        summarize(times, count, operation == PERF_READ ? 1 : 2, ret);
    free(times);
    return done;
}

/* Posts `count` requests, no more at a time than fit. */
static bool stream(struct perf_end *e, enum perf_operation operation, uint32_t bytes,
                   uint32_t count, weft_time *ret)
{
    uint32_t depth = PERF_DEPTH;
    uint64_t credits_base;
    weft_time began;

    if (operation == PERF_READ && e->link.terms.ord < depth)
        depth = e->link.terms.ord;
    if (operation == PERF_SEND && !perf_command_send(e, PERF_COMMAND_TAKE, bytes, count))
        return false;
    credits_base = e->received;
    began = iw_loop_now();
    for (uint32_t i = 0; i < count; i++) {
        uint64_t credits = i / PERF_CREDIT;

        if (operation == PERF_SEND && credits > 1 &&
            !perf_wait_received(e, credits_base + credits - 1))
            return false;
        if (e->posted - e->completed >= depth && !perf_wait_completed(e, e->posted - depth + 1))
            return false;
        if (!perf_post(e, operation, bytes))
            return false;
    }
    if (operation == PERF_SEND && !perf_wait_received(e, credits_base + count / PERF_CREDIT))
        return false;
    if (!perf_wait_completed(e, e->posted) ||
        (operation != PERF_READ && !perf_command_send(e, PERF_COMMAND_SYNC, 0, 0)))
        return false;
    *ret = iw_loop_now() - began;
    return true;
}

static uint32_t first_stream(uint32_t bytes)
{
    uint32_t count = FIRST_BYTES / bytes;

    return count > 1000 ? 1000 : count < COUNT_MIN ? COUNT_MIN : count;
}

bool perf_measure(struct perf_end *e, enum perf_operation operation, uint32_t bytes,
                  struct perf_figure *ret)
{
    uint32_t count = first_stream(bytes);
    weft_time took;

    if (bytes > e->peer_bytes) {
        message("messages of %u bytes do not fit the peer's memory of %u", bytes, e->peer_bytes);
        return false;
    }
    if (!measure_latency(e, operation, bytes, &ret->latency) ||
        !stream(e, operation, bytes, count, &took))
        return false;
    count = enough(e, count, took);
    if (!stream(e, operation, bytes, count, &took))
        return false;
    ret->bytes_per_second = (double)bytes * count * 1e9 / (double)took;
    return true;
}

bool perf_measure_tcp(struct perf_tcp *t, struct perf_end *e, uint32_t bytes,
                      struct perf_figure *ret)
{
    uint64_t first[FIRST_COUNT];
    uint64_t *times;
    uint32_t count;
    weft_time took;
    bool done;

    if (!perf_tcp_ping(t, bytes, FIRST_COUNT, first))
        return false;
    summarize(first, FIRST_COUNT, 1, &ret->latency);
    count = enough(e, 1, ret->latency.p50);
    times = calloc(count, sizeof(*times));
    done = times && perf_tcp_ping(t, bytes, count, times);
    if (done)
        summarize(times, count, 2, &ret->latency);
    free(times);
    count = first_stream(bytes);
    if (!done || !perf_tcp_stream(t, bytes, count, &took))
        return false;
    count = enough(e, count, took);
    if (!perf_tcp_stream(t, bytes, count, &took))
        return false;
    ret->bytes_per_second = (double)bytes * count * 1e9 / (double)took;
    return true;
}

static bool connect_once(struct iwarp_session *s, const struct weft_iw_addr *remote)
{
    struct iwarp_link_config config = {.sends = 1, .recvs = 1, .one_cq = true};
    struct weft_iwcm_param param = {0};
    struct iwarp_link l;
    bool good;

    (void)remote;
    if (!iwarp_link_new(s, &config, &l))
        return false;
    iwarp_link_connect(&l, &param);
    good = iwarp_link_wait_up(&l, WEFT_TIME_NEVER);
    iwarp_link_free(&l, WEFT_TIME_NEVER);
    return good && l.status == WEFT_IWCM_OK;
}

static bool tcp_connect_once(struct iwarp_session *s, const struct weft_iw_addr *at)
{
    struct perf_tcp *t = perf_tcp_connect(s, at);
    bool good = t && perf_tcp_end(t);

    if (t)
        perf_tcp_close(t);
    return good;
}

static bool repeat(struct perf_end *e, const struct weft_iw_addr *at, uint64_t count,
                   bool (*once)(struct iwarp_session *s, const struct weft_iw_addr *at),
                   double *ret_per_second)
{
    weft_time began = iw_loop_now();

    for (uint64_t i = 0; i < count; i++)
        if (!once(e->session, at))
            return false;
    *ret_per_second = (double)count * 1e9 / (double)(iw_loop_now() - began);
    return true;
}

bool perf_measure_rate(struct perf_end *e, bool tcp, struct perf_rate *ret)
{
    struct weft_iw_addr at = e->link.remote;

    *ret = (struct perf_rate){.count = e->session->request->connections};
    if (!repeat(e, &at, ret->count, connect_once, &ret->per_second))
        return false;
    at.port = e->peer_tcp_port;
    return !tcp || repeat(e, &at, ret->count, tcp_connect_once, &ret->tcp_per_second);
}

static bool ask_usage(struct perf_end *e, struct perf_usage *ret)
{
    uint64_t words[3];

    if (!perf_command_send(e, PERF_COMMAND_SYNC, 0, 0))
        return false;
    memcpy(words, e->inbox, sizeof(words));
    ret->rss_bytes = be64toh(words[0]);
    ret->siw_bytes = be64toh(words[1]);
    ret->connections = (uint32_t)be64toh(words[2]);
    return true;
}

/* Opens all connections, some at a time. */
static bool open_idle(struct iwarp_session *s, struct iwarp_link *links, uint64_t count)
{
    struct iwarp_link_config config = {.sends = 1, .recvs = 1, .one_cq = true};
    struct weft_iwcm_param param = {0};

    for (uint64_t i = 0; i < count; i++) {
        if (!iwarp_link_new(s, &config, &links[i]))
            return false;
        iwarp_link_connect(&links[i], &param);
        if (i >= IDLE_BATCH && !iwarp_link_wait_up(&links[i - IDLE_BATCH], WEFT_TIME_NEVER))
            return false;
    }
    for (uint64_t i = 0; i < count; i++)
        if (!iwarp_link_wait_up(&links[i], WEFT_TIME_NEVER))
            return false;
    return true;
}

bool perf_measure_idle(struct perf_end *e, struct perf_idle *ret)
{
    struct perf_usage before;
    struct iwarp_link *links;
    uint64_t count = e->session->request->idle;
    bool good;

    *ret = (struct perf_idle){.count = count};
    links = calloc(count, sizeof(*links));
    if (!links || !ask_usage(e, &before)) {
        free(links);
        return false;
    }
    ret->server_rss_before = before.rss_bytes;
    perf_usage_get(e->session, &before);
    ret->client_rss_before = before.rss_bytes;
    good = open_idle(e->session, links, count) && ask_usage(e, &ret->server);
    perf_usage_get(e->session, &ret->client);
    for (uint64_t i = 0; i < count && links[i].session; i++)
        iwarp_link_disconnect(&links[i], true);
    for (uint64_t i = 0; i < count && links[i].session; i++)
        iwarp_link_free(&links[i], 0);
    free(links);
    return good;
}
