/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What `weft partitions` can do, each in a file of its own.
 */
#ifndef WEFT_CLI_PARTITIONS_ACTION_H
#define WEFT_CLI_PARTITIONS_ACTION_H

#include "cli/mad_place.h"

#include <weft/base.h>

#include <stdbool.h>

/** What the command line asks for. */
struct partitions_request {
    bool json;
    bool allow_both;   /**< lint only */
    const char *file;  /**< lint only; NULL: OpenSM's own */
    const char *sysfs; /**< vf only; NULL: the system's */
    /* matrix only */
    const struct mad_place *place; /**< where to look from */
    const char *from;              /**< with `to`: the pair to explain; NULL: all */
    const char *to;
    weft_time timeout; /**< 0: the default */
};

/** Checks a partitions.conf.
 * @return one of enum cli_exit */
int partitions_action_lint(const struct partitions_request *request);

/** Reads all P_Key tables of a fabric and prints who can talk to whom.
 * @return one of enum cli_exit */
int partitions_action_matrix(const struct partitions_request *request);

/** Shows and checks which P_Keys an SR-IOV device gives to its functions.
 * @return one of enum cli_exit */
int partitions_action_vf(const struct partitions_request *request);

#endif
