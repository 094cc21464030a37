/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The trace of a storm: `CLIENT EVENT` lines, and a capture at the clients' ports. */
#include "cli/storm_trace.h"

#include <inttypes.h>

#include <weft/pcap.h>
#include <weft/trace.h>

#define TRACE_LINE_BYTES 512

/* The only P_Key of a storm: full member of the default partition (IBA 10.9.1.2). */
#define DEFAULT_PKEY 0xffff

void storm_trace_start(struct storm_trace *t)
{
    uint8_t header[WEFT_PCAP_FILE_HEADER_BYTES];

    if (t->pcap != NULL && weft_pcap_file_header(header, sizeof(header)) > 0)
        fwrite(header, sizeof(header), 1, t->pcap);
}

static void write_packet(struct storm_trace *t, uint32_t client, const struct weft_trace_event *ev)
{
    const struct weft_mad_addr *peer = ev->u.packet.peer;
    uint16_t own_lid = t->job->places[client % t->job->clients].lid;
    bool sent = ev->type == WEFT_TRACE_TX;
    const struct weft_pcap_packet packet = {
        .time = ev->time,
        .slid = sent ? own_lid : peer->lid,
        .dlid = sent ? peer->lid : own_lid,
        .pkey = DEFAULT_PKEY,
        .sl = peer->sl,
        .src_qp = sent ? ev->u.packet.qpn : peer->qpn,
        .dst_qp = sent ? peer->qpn : ev->u.packet.qpn,
        .qkey = WEFT_QKEY_GSI,
        .psn = t->psn++ & 0xffffff,
        .mad = ev->u.packet.mad,
        .len = ev->u.packet.len,
    };
    uint8_t record[WEFT_PCAP_RECORD_BYTES_MAX];
    int length = weft_pcap_record(record, sizeof(record), &packet);

    if (length > 0)
        fwrite(record, (size_t)length, 1, t->pcap);
}

void storm_trace_observe(void *ctx, const struct weft_trace_event *ev)
{
    struct storm_trace *t = ctx;
    uint32_t client = storm_trace_client(t->storm);
    char line[TRACE_LINE_BYTES];

    if (t->text != NULL) {
        weft_trace_format(ev, line, sizeof(line));
        fprintf(t->text, "client %" PRIu32 ": %s\n", client, line);
    }
    if (t->pcap != NULL && (ev->type == WEFT_TRACE_TX || ev->type == WEFT_TRACE_RX))
        write_packet(t, client, ev);
}
