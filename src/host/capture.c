/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The capture file. A packet is recorded where it leaves its sender, an answer of an SMA or PMA
 * included: what was lost on the way was sent all the same, and no packet is there twice. */
#include "host/capture.h"

#include <weft/pcap.h>

#include <string.h>
#include <time.h>

/* How long a record may wait in the buffer of a daemon that is idle now and then. */
#define CAPTURE_FLUSH_NS (50 * WEFT_MS)

static void capture_write(struct capture *c, const uint8_t *bytes, size_t count)
{
    if (!c->failed && fwrite(bytes, 1, count, c->out) != count)
        c->failed = true;
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
    if (bytes > 0)
        capture_write(c, record, (size_t)bytes);
    if (c->flush_at == WEFT_TIME_NEVER)
        c->flush_at = 0;
}

void capture_begin(struct capture *c, FILE *out, struct fabric *f)
{
    uint8_t header[WEFT_PCAP_FILE_HEADER_BYTES];
    struct timespec t;

    (void)clock_gettime(CLOCK_REALTIME, &t);
    *c = (struct capture){.out = out,
                          .epoch = (weft_time)t.tv_sec * WEFT_S + (weft_time)t.tv_nsec,
                          .flush_at = WEFT_TIME_NEVER};
    (void)weft_pcap_file_header(header, sizeof(header));
    capture_write(c, header, sizeof(header));
    if (fflush(out) != 0)
        c->failed = true;
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
        c->flush_at = WEFT_TIME_NEVER;
        if (fflush(c->out) != 0)
            c->failed = true;
    }
    return c->flush_at;
}

int capture_end(struct capture *c, struct fabric *f)
{
    fabric_set_tap(f, NULL, NULL);
    if (!c->failed && fflush(c->out) != 0)
        c->failed = true;
    return c->failed ? WEFT_ERR_STATE : 0;
}
