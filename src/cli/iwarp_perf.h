/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What both sides of `weft iwarp perf` have: a connection with memory that the other one may read
 * and write, the commands between them, and plain TCP beside it.
 */
#ifndef WEFT_CLI_IWARP_PERF_H
#define WEFT_CLI_IWARP_PERF_H

#include "cli/iwarp_session.h"

#define PERF_SENDS   64
#define PERF_RECVS   512
/** Sends between two credits of the receiver, and how many of these may be out. */
#define PERF_CREDIT  128
/** Requests posted at a time, of RDMA Reads as many as the peer serves. */
#define PERF_DEPTH   16
#define PERF_HELLO   32 /* bytes of private data */
#define PERF_COMMAND 16 /* bytes of a command */

enum perf_operation {
    PERF_SEND,
    PERF_WRITE,
    PERF_READ,
    PERF_OPERATIONS
};

/** What a client asks for. */
enum perf_command {
    PERF_COMMAND_SYNC = 1,   /* answer, with a struct perf_usage */
    PERF_COMMAND_SEND_BACK,  /* `count` Sends come, answer each with one as long */
    PERF_COMMAND_WRITE_BACK, /* the same with RDMA Writes */
    PERF_COMMAND_TAKE        /* `count` Sends come, give credits */
};

/** What a process holds. */
struct perf_usage {
    uint64_t rss_bytes, siw_bytes;
    uint32_t connections;
};

/** One side of the measured connection. */
struct perf_end {
    struct iwarp_session *session;
    struct iwarp_link link;
    uint8_t *inbox;  /* where all Sends arrive, one over the other */
    uint8_t *source; /* what is sent and written */
    uint8_t *region; /* what the peer writes and reads */
    uint32_t bytes;  /* of each of them */
    uint32_t stag;
    uint32_t peer_stag, peer_bytes;
    uint64_t peer_to;
    uint16_t peer_tcp_port;
    uint64_t received; /* Sends */
    uint64_t taken;    /* of these, what a server has dealt with, or is waiting for */
    uint64_t posted, completed;
    bool failed;
};

bool perf_end_new(struct perf_end *e, struct iwarp_session *s, uint32_t bytes);
void perf_end_free(struct perf_end *e);
/** The private data by which the two get to know each other's memory. */
void perf_hello_write(const struct perf_end *e, uint16_t tcp_port, uint8_t out[PERF_HELLO]);
/** @return false: it is somebody else's */
bool perf_hello_read(struct perf_end *e, const struct weft_iwcm_param *p);
/** Takes completions, and when there are none turns the loop once.
 * @return false: the connection is over */
bool perf_turn(struct perf_end *e);
/** Posts one request; true when it was taken. */
bool perf_post(struct perf_end *e, enum perf_operation operation, uint32_t bytes);
/** Waits until so many Sends have arrived, or so many own requests are done. */
bool perf_wait_received(struct perf_end *e, uint64_t count);
bool perf_wait_completed(struct perf_end *e, uint64_t count);
/** Waits until the last of `bytes` of the region has this value. */
bool perf_wait_written(struct perf_end *e, uint32_t bytes, uint8_t value);
/** The value that the ping-pong of Writes ends its nth message with. */
static inline uint8_t perf_mark(uint64_t n)
{
    return (uint8_t)(1 + n % 255);
}
bool perf_command_send(struct perf_end *e, enum perf_command command, uint32_t bytes,
                       uint32_t count);
void perf_usage_get(struct iwarp_session *s, struct perf_usage *ret);

/** Serves clients; `once`: ends with the first one. `out` gets the line `listening on`. */
int perf_serve(const struct iwarp_request *r, FILE *out, bool once);

/** Plain TCP on the same loop. */
struct perf_tcp;

/** Listens beside the listener of iWARP.
 * @return NULL: no, with a message */
struct perf_tcp *perf_tcp_serve(struct iwarp_session *s, uint16_t *ret_port);
/** A connection to the peer's.
 * @return NULL: it cannot be reached */
struct perf_tcp *perf_tcp_connect(struct iwarp_session *s, const struct weft_iw_addr *at);
/** Ends it in good order: waits for the peer's end. */
bool perf_tcp_end(struct perf_tcp *t);
/** Ping-pong; fills round trip times in ns. */
bool perf_tcp_ping(struct perf_tcp *t, uint32_t bytes, uint32_t count, uint64_t *ret_times);
/** Sends `count` times `bytes`, until the peer has all; gives the time it took. */
bool perf_tcp_stream(struct perf_tcp *t, uint32_t bytes, uint32_t count, weft_time *ret);
/** Closes a connection; the loop's next turns free it. */
void perf_tcp_close(struct perf_tcp *t);
/** Frees a listener with all its connections, or what was not closed, after the loop. */
struct perf_tcp *perf_tcp_free(struct perf_tcp *t);

#endif
