/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Serving a fabric: from topology and script to a daemon, and what it tells on the way.
 */
#ifndef WEFT_CLI_FABRIC_SERVE_H
#define WEFT_CLI_FABRIC_SERVE_H

#include "cli/fabric_request.h"

/** Serves until the daemon is told to end.
 * @param r  the request; its `server` gets the socket's path and the capture
 * @return one of enum cli_exit, with a message where it is not CLI_DONE */
int fabric_serve(struct fabric_request *r);

#endif
