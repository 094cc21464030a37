/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The trace of a storm: `CLIENT EVENT` lines, and a capture at the clients' ports. */
#include "cli/storm_trace.h"

#include <weft/wire.h>

#include <inttypes.h>

#define TRACE_LINE_BYTES 512

void storm_trace_start(struct storm_trace *t)
{
    uint8_t header[WEFT_PCAP_FILE_HEADER_BYTES];

    t->port.pkey = WEFT_PKEY_DEFAULT_FULL;
    if (t->pcap && weft_pcap_file_header(header, sizeof(header)) > 0)
        fwrite(header, sizeof(header), 1, t->pcap);
}

static void write_packet(struct storm_trace *t, uint32_t client, const struct weft_trace_event *ev)
{
    uint8_t record[WEFT_PCAP_RECORD_BYTES_MAX];
    int length;

    t->port.lid = t->job->places[client % t->job->clients].lid;
    length = weft_pcap_trace_record(record, sizeof(record), &t->port, ev);
    if (length > 0)
        fwrite(record, (size_t)length, 1, t->pcap);
}

void storm_trace_observe(void *ctx, const struct weft_trace_event *ev)
{
    struct storm_trace *t = ctx;
    uint32_t client = storm_trace_client(t->storm);
    char line[TRACE_LINE_BYTES];

    if (t->text) {
        weft_trace_format(ev, line, sizeof(line));
        fprintf(t->text, "client %" PRIu32 ": %s\n", client, line);
    }
    if (t->pcap)
        write_packet(t, client, ev);
}
