/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The fabric daemon: serves one fabric, in real time, to programs on a Unix socket.
 */
#ifndef WEFT_HOST_SERVER_H
#define WEFT_HOST_SERVER_H

#include "fabric/fabric.h"

/** A daemon. */
struct server;

/** Attachments that a fabric needs which serves so many clients: their own, those of IsSM by file,
 * and one for the questions of others. */
#define SERVER_ATTACHMENTS(clients) ((clients) + 4097)

/** How to serve. */
struct server_options {
    const char *socket_path; /**< at most 107 bytes */
    unsigned socket_mode;    /**< permissions of the socket, default 0600 */
    uint32_t clients;        /**< default 1000: clients at one time */
    double time_scale;       /**< default 1: fabric seconds in one second, 0.001..1,000,000 */
    weft_time spin_ns;       /**< how long an idle daemon looks at the rings before it sleeps,
                                  where that has found something of late; default 50 us, 0 on
                                  one processor: never */
    int pcap; /**< default -1: none; a descriptor that every packet is written to. It should not
                   block: what a slow reader has no room for is left out and counted */
    /** Called about once a second and before the end, for a status line; may be NULL. */
    void (*status)(void *ctx, const struct server *s);
    void *status_ctx;
};

/** Fills in the defaults. */
void server_options_init(struct server_options *ret);

/** Binds the socket, which replaces one that nobody listens on any more, and prepares serving.
 * @param f      the fabric; it stays the caller's and must outlive the server
 * @param ret    the server, for server_free()
 * @param error  why not: names the path and what to try
 * @return 0; WEFT_ERR_CONFLICT: another daemon listens there; WEFT_ERR_STATE: the path cannot be
 *         bound (no permission, no folder, no socket but another kind of file, too long);
 *         WEFT_ERR_INVALID: an option is out of range; WEFT_ERR_NOMEM */
int server_new(const struct server_options *o, struct fabric *f, struct server **ret,
               struct fabric_error *error);

/** Serves until SIGTERM, SIGINT or server_stop(); the signals count from server_new() on.
 * @return 0; WEFT_ERR_STATE: the pcap file could not be written (disk full) or lacks packets:
 *         the daemon goes on to serve until it ends, then this is returned */
int server_run(struct server *s);

/** Ends server_run() soon; may be called from the status callback. */
void server_stop(struct server *s);

/** Tells all clients that the fabric has ended, removes the socket and the FIFOs beside it; NULL is
 * fine.
 * @return NULL */
struct server *server_free(struct server *s);

/** What the daemon has done. */
struct server_stats {
    uint32_t clients;        /**< connected now, all roles */
    uint64_t clients_ever;   /**< connected so far */
    uint64_t clients_thrown; /**< disconnected for breaking the protocol */
    uint64_t packets_in;     /**< taken from clients */
    uint64_t packets_out;    /**< given to clients */
    uint64_t receiver_full;  /**< packets dropped because a client does not read */
    uint64_t sleeps;         /**< times the daemon slept */
    uint64_t bells;          /**< times it woke a client */
    uint64_t issm_refused;   /**< times a file for IsSM was opened and the bit could not be set: the
                                  fabric has too few attachments */
    uint64_t pcap_lost;      /**< packets that are missing in the capture */
    int pcap_error;          /**< why the capture is written no more: an errno value; 0: it is */
};

/** Reads the counters. */
void server_stats(const struct server *s, struct server_stats *ret);
/** The fabric's time now. */
weft_time server_now(const struct server *s);
/** The fabric it serves. */
struct fabric *server_fabric(const struct server *s);

#endif
