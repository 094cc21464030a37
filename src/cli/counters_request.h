/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What the command line of `weft counters` asks for.
 */
#ifndef WEFT_CLI_COUNTERS_REQUEST_H
#define WEFT_CLI_COUNTERS_REQUEST_H

#include "cli/mad_place.h"
#include "client/thresholds.h"

/** What is asked for. */
struct counters_request {
    const struct mad_place *place;
    const char *of;          /**< name, pattern, GUID or LID of nodes; NULL: all */
    const char *with_switch; /**< the same: switches, with the ports at the other ends; NULL */
    const char *rail;        /**< last word of adapters' names, with the ports at the other ends */
    bool all;
    bool json;
    bool reset;
    bool yes;
    weft_time watch;   /**< 0: once */
    weft_time timeout; /**< 0: the default */
    uint64_t window;   /**< 0: the default */
    struct thresholds thresholds;
};

#endif
