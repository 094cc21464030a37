/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What `weft trace` can do, and how it shows what it found.
 */
#ifndef WEFT_CLI_TRACE_ACTION_H
#define WEFT_CLI_TRACE_ACTION_H

#include "capture/capture.h"

#include <jansson.h>

/** What the command line asks for. */
struct trace_request {
    bool json;
    bool payload;
    uint16_t port; /**< 0: any */
    const char *file;
};

/** What was shown so far. */
struct trace_shown {
    const struct trace_request *request;
    const struct capture *capture;
    uint64_t records;
    uint64_t errors; /**< of the traffic */
    uint64_t doubts; /**< of the capture: what is missing in it */
    /* --json: NULL when memory ran out */
    json_t *connections;
    json_t *list;
};

/** Whether a problem is the capture's rather than the traffic's. */
bool trace_is_doubt(enum weft_iwarp_problem_kind kind);

/** An end of a connection as address and port. */
#define TRACE_END_BYTES 64
const char *trace_end(const struct packet_end *end, char ret[TRACE_END_BYTES]);

/** Print as text. */
void trace_text_connection(const struct capture_connection *c);
void trace_text_record(const struct trace_shown *shown, const struct capture_connection *c,
                       const struct weft_iwarp_record *r);
void trace_text_summary(const struct trace_shown *shown);

/** Add to the lists of --json. */
void trace_json_connection(struct trace_shown *shown, const struct capture_connection *c);
void trace_json_record(struct trace_shown *shown, const struct capture_connection *c,
                       const struct weft_iwarp_record *r);

/** Prints the document and releases the lists.
 * @return one of enum cli_exit */
int trace_json_print(struct trace_shown *shown);

/** Decodes the iWARP connections of a capture file.
 * @return one of enum cli_exit */
int trace_action_decode(const struct trace_request *request);

#endif
