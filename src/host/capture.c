/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The capture file. A packet is recorded where it leaves its sender, an answer of an SMA or PMA
 * included: what was lost on the way was sent all the same, and no packet is there twice. */
#include "host/capture.h"

#include <weft/pcap.h>

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How long a record may wait in the buffer of a daemon that is idle now and then. */
#define CAPTURE_FLUSH_NS (50 * WEFT_MS)
/* How long a pipe's reader may take at the end. */
#define CAPTURE_END_MS   2000

/* Writes out what waits, as much as the file takes now. */
static void capture_drain(struct capture *c)
{
    while (c->count > 0 && !c->failed) {
        ssize_t written = write(c->out, c->buffer + c->first, c->count);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0 && errno == EAGAIN)
            break;
        if (written <= 0) {
            c->failed = true;
            *c->error = written < 0 ? errno : EIO;
            break;
        }
        c->first += (size_t)written;
        c->count -= (size_t)written;
    }
    if (c->count == 0)
        c->first = 0;
}

/* Lets bytes wait.
 * @return false: there is no room for all of them, and nothing was taken */
static bool capture_put(struct capture *c, const uint8_t *bytes, size_t count)
{
    if (sizeof(c->buffer) - c->first - c->count < count)
        capture_drain(c);
    if (sizeof(c->buffer) - c->count < count)
        return false;
    if (sizeof(c->buffer) - c->first - c->count < count) {
        memmove(c->buffer, c->buffer + c->first, c->count);
        c->first = 0;
    }
    memcpy(c->buffer + c->first + c->count, bytes, count);
    c->count += count;
    return true;
}

static void capture_tap(void *ctx, const struct fabric_tap *t)
{
    struct capture *c = ctx;
    const struct packet *p = t->packet;
    uint8_t record[WEFT_PCAP_RECORD_BYTES_MAX];
    struct weft_mad_grh grh;
    struct weft_pcap_packet packet;
    int bytes;

    if (t->point != FABRIC_TAP_SENT || c->failed)
        return;
    packet = (struct weft_pcap_packet){.time = c->epoch + t->now,
                                       .slid = p->slid,
                                       .dlid = p->dlid,
                                       .pkey = p->pkey,
                                       .sl = p->sl,
                                       .src_qp = p->src_qpn,
                                       .dst_qp = p->dst_qpn,
                                       .qkey = p->qkey,
                                       .psn = c->psn++ & 0xFFFFFF,
                                       .mad = p->mad,
                                       .len = WEFT_MAD_BYTES};
    if (p->has_grh) {
        grh = (struct weft_mad_grh){.flow_label = p->flow_label,
                                    .hop_limit = p->hop_limit,
                                    .traffic_class = p->traffic_class};
        memcpy(grh.sgid, p->sgid, sizeof(grh.sgid));
        memcpy(grh.dgid, p->dgid, sizeof(grh.dgid));
        packet.grh = &grh;
    }
    bytes = weft_pcap_record(record, sizeof(record), &packet);
    if (bytes > 0 && !capture_put(c, record, (size_t)bytes))
        *c->lost += 1;
    if (c->flush_at == WEFT_TIME_NEVER)
        c->flush_at = 0;
}

void capture_begin(struct capture *c, int out, uint64_t *lost, int *error, struct fabric *f)
{
    uint8_t header[WEFT_PCAP_FILE_HEADER_BYTES];
    struct timespec t;

    (void)clock_gettime(CLOCK_REALTIME, &t);
    c->out = out;
    c->lost = lost;
    c->error = error;
    c->epoch = (weft_time)t.tv_sec * WEFT_S + (weft_time)t.tv_nsec;
    c->flush_at = WEFT_TIME_NEVER;
    (void)weft_pcap_file_header(header, sizeof(header));
    (void)capture_put(c, header, sizeof(header));
    capture_drain(c);
    fabric_set_tap(f, capture_tap, c);
}

weft_time capture_flush(struct capture *c, weft_time clock)
{
    if (c->failed || c->flush_at == WEFT_TIME_NEVER)
        return WEFT_TIME_NEVER;
    /* 0: there is something new */
    if (c->flush_at == 0)
        c->flush_at = clock + CAPTURE_FLUSH_NS;
    if (clock >= c->flush_at) {
        capture_drain(c);
        c->flush_at = c->count > 0 ? clock + CAPTURE_FLUSH_NS : WEFT_TIME_NEVER;
    }
    return c->flush_at;
}

int capture_end(struct capture *c, struct fabric *f)
{
    struct pollfd p = {.fd = c->out, .events = POLLOUT};

    fabric_set_tap(f, NULL, NULL);
    capture_drain(c);
    while (c->count > 0 && !c->failed) {
        /* A reader that has stopped is not waited for again. */
        if (poll(&p, 1, CAPTURE_END_MS) != 1) {
            c->failed = true;
            *c->error = ETIMEDOUT;
        }
        capture_drain(c);
    }
    return c->failed || *c->lost > 0 ? WEFT_ERR_STATE : 0;
}
