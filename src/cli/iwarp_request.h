/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What a user asks of `weft iwarp`.
 */
#ifndef WEFT_CLI_IWARP_REQUEST_H
#define WEFT_CLI_IWARP_REQUEST_H

#include "cli/options.h"

#include <weft/siw.h>

#define IWARP_PORT          7174
#define IWARP_SIZES_MAX     32
#define IWARP_BLOCK_MAX     65536
#define IWARP_PERF_SIZE_MAX (16 << 20)

enum iwarp_action {
    IWARP_LISTEN,
    IWARP_CONNECT,
    IWARP_PING,
    IWARP_PERF,
    IWARP_ACTIONS
};

/** Private data as given. */
struct iwarp_private {
    bool given;
    uint16_t bytes;
    uint8_t data[WEFT_IWCM_PRIVATE_MAX];
};

/** The command line of one subcommand. */
struct iwarp_request {
    enum iwarp_action action;
    bool server;   /**< this side listens */
    bool loopback; /**< perf: both sides */
    bool json, verbose, persistent, tcp;
    struct weft_iw_addr bind;   /**< own address; family 0: any */
    struct weft_iw_addr remote; /**< client: whom to call */
    struct weft_siw_config siw;
    struct iwarp_private private_data;
    struct iwarp_private reject;
    uint64_t count;       /**< pings; 0: endless */
    uint64_t size;        /**< of a ping or a block; 0: lines */
    uint64_t server_size; /**< the largest ping that a server takes */
    uint64_t window;
    weft_time timeout;
    weft_time seconds; /**< perf: of one measurement */
    uint64_t connections, idle;
    uint64_t sizes[IWARP_SIZES_MAX];
    uint32_t size_count;
};

/** Fills a request from the command line.
 * @param o  started; stopped when something is wrong, with the message out */
void iwarp_request_parse(struct options *o, struct iwarp_request *r);

/** The table for struct options_about. */
extern const struct options_about iwarp_about;

#endif
