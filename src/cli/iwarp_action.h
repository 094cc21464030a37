/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The subcommands of `weft iwarp`: each runs a request and gives an exit code.
 */
#ifndef WEFT_CLI_IWARP_ACTION_H
#define WEFT_CLI_IWARP_ACTION_H

#include "cli/iwarp_request.h"

int iwarp_ping_client(const struct iwarp_request *r);
int iwarp_ping_server(const struct iwarp_request *r);
/** listen and connect. */
int iwarp_stream(const struct iwarp_request *r);
int iwarp_perf(const struct iwarp_request *r);
/** Runs both sides on this machine, the server in a process of its own. */
int iwarp_loopback(const struct iwarp_request *r, int (*server)(const struct iwarp_request *r),
                   int (*client)(const struct iwarp_request *r));

#endif
