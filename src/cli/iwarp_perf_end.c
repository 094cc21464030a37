/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One side of a measured connection: memory, requests, what has arrived. */
#include "cli/iwarp_perf.h"
#include "cli/message.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char hello[] = "weft-perf1";

static bool post_recv(struct perf_end *e)
{
    struct weft_siw_sge sge = {.addr = e->inbox, .bytes = e->bytes};
    struct weft_siw_recv wr = {.sge = &sge, .sge_count = 1};

    return weft_siw_post_recv(e->session->siw, e->link.qpn, &wr) == 0;
}

static bool register_region(struct perf_end *e)
{
    struct weft_siw_region r = {.base = e->region,
                                .bytes = e->bytes,
                                .to = (uintptr_t)e->region,
                                .qpn = e->link.qpn,
                                .access = WEFT_SIW_LOCAL_WRITE | WEFT_SIW_REMOTE_READ |
                                          WEFT_SIW_REMOTE_WRITE};

    return weft_siw_region_register(e->session->siw, &r, &e->stag) == 0;
}

bool perf_end_new(struct perf_end *e, struct iwarp_session *s, uint32_t bytes)
{
    struct iwarp_link_config config = {.sends = PERF_SENDS, .recvs = PERF_RECVS, .one_cq = true};
    bool ready;

    *e = (struct perf_end){.session = s, .bytes = bytes};
    if (!iwarp_link_new(s, &config, &e->link))
        return false;
    e->inbox = calloc(1, bytes);
    e->source = calloc(1, bytes);
    e->region = calloc(1, bytes);
    ready = e->inbox && e->source && e->region && register_region(e);
    for (uint32_t i = 0; ready && i < PERF_RECVS; i++)
        ready = post_recv(e);
    if (ready)
        return true;
    message("no memory for a connection");
    perf_end_free(e);
    return false;
}

void perf_end_free(struct perf_end *e)
{
    iwarp_link_free(&e->link, iwarp_session_in(WEFT_S));
    if (e->stag)
        weft_siw_region_deregister(e->session->siw, e->stag);
    free(e->inbox);
    free(e->source);
    free(e->region);
}

static void put_be32(uint8_t *out, uint32_t value)
{
    value = htobe32(value);
    memcpy(out, &value, sizeof(value));
}

static uint32_t get_be32(const uint8_t *data)
{
    uint32_t value;

    memcpy(&value, data, sizeof(value));
    return be32toh(value);
}

void perf_hello_write(const struct perf_end *e, uint16_t tcp_port, uint8_t out[PERF_HELLO])
{
    uint64_t to = (uintptr_t)e->region;

    memset(out, 0, PERF_HELLO);
    memcpy(out, hello, sizeof(hello) - 1);
    out[10] = (uint8_t)(tcp_port >> 8);
    out[11] = (uint8_t)tcp_port;
    put_be32(out + 12, e->stag);
    put_be32(out + 16, (uint32_t)(to >> 32));
    put_be32(out + 20, (uint32_t)to);
    put_be32(out + 24, e->bytes);
}

bool perf_hello_read(struct perf_end *e, const struct weft_iwcm_param *p)
{
    const uint8_t *data = p->private_data;

    if (p->private_bytes != PERF_HELLO || memcmp(data, hello, sizeof(hello) - 1) != 0)
        return false;
    e->peer_tcp_port = (uint16_t)(data[10] << 8 | data[11]);
    e->peer_stag = get_be32(data + 12);
    e->peer_to = (uint64_t)get_be32(data + 16) << 32 | get_be32(data + 20);
    e->peer_bytes = get_be32(data + 24);
    return true;
}

static void take(struct perf_end *e, const struct weft_siw_wc *wc)
{
    if (wc->status != WEFT_SIW_WC_OK) {
        e->failed = true;
    } else if (wc->opcode == WEFT_SIW_WC_RECV) {
        e->received++;
        post_recv(e);
    } else {
        e->completed++;
    }
}

bool perf_turn(struct perf_end *e)
{
    struct weft_siw_wc wc;
    bool any = false;

    while (weft_siw_cq_poll(e->session->siw, e->link.send_cqn, &wc)) {
        take(e, &wc);
        any = true;
    }
    if (e->failed || e->link.state != IWARP_LINK_UP || iwarp_session_interrupted())
        return false;
    if (!any)
        iwarp_session_turn(e->session, WEFT_TIME_NEVER);
    return true;
}

bool perf_post(struct perf_end *e, enum perf_operation operation, uint32_t bytes)
{
    static const enum weft_siw_send_opcode opcodes[PERF_OPERATIONS] = {
        [PERF_SEND] = WEFT_SIW_SEND, [PERF_WRITE] = WEFT_SIW_WRITE, [PERF_READ] = WEFT_SIW_READ};
    bool read = operation == PERF_READ;
    struct weft_siw_sge sge = {
        .addr = read ? e->region : e->source, .bytes = bytes, .stag = read ? e->stag : 0};
    struct weft_siw_send wr = {.opcode = opcodes[operation],
                               .flags = WEFT_SIW_SIGNALED,
                               .sge = &sge,
                               .sge_count = 1,
                               .remote_stag = e->peer_stag,
                               .remote_to = e->peer_to};

    if (weft_siw_post_send(e->session->siw, iw_loop_now(), e->link.qpn, &wr) != 0)
        return false;
    e->posted++;
    iw_loop_pump(e->session->loop);
    return true;
}

bool perf_wait_received(struct perf_end *e, uint64_t count)
{
    while (e->received < count)
        if (!perf_turn(e))
            return false;
    return true;
}

bool perf_wait_completed(struct perf_end *e, uint64_t count)
{
    while (e->completed < count)
        if (!perf_turn(e))
            return false;
    return true;
}

bool perf_wait_written(struct perf_end *e, uint32_t bytes, uint8_t value)
{
    const volatile uint8_t *last = e->region + bytes - 1;

    while (*last != value)
        if (!perf_turn(e))
            return false;
    return true;
}

bool perf_command_send(struct perf_end *e, enum perf_command command, uint32_t bytes,
                       uint32_t count)
{
    uint64_t answered = e->received + 1;

    if (!perf_wait_completed(e, e->posted))
        return false;
    put_be32(e->source, (uint32_t)command);
    put_be32(e->source + 4, bytes);
    put_be32(e->source + 8, count);
    put_be32(e->source + 12, 0);
    return perf_post(e, PERF_SEND, PERF_COMMAND) && perf_wait_received(e, answered);
}

static uint64_t resident_bytes(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    char line[128] = "";
    char *second;

    if (!file)
        return 0;
    if (fgets(line, sizeof(line), file)) {
        (void)strtoull(line, &second, 10);
        pages = strtoull(second, NULL, 10);
    }
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void perf_usage_get(struct iwarp_session *s, struct perf_usage *ret)
{
    struct weft_siw_stats stats;

    weft_siw_stats(s->siw, &stats);
    ret->rss_bytes = resident_bytes();
    ret->siw_bytes = weft_siw_bytes(s->siw);
    ret->connections = stats.qps;
}
