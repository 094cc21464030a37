/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What came out of a storm, in sentences, and which of its policies did best.
 *
 * More clients with all answers are better. Among equals it is the time until all had them, unless
 * the clients start over a longer time than the SA needs for all of them: then that time is the
 * last client's start, whatever the policy, and what counts is the slowest client's own wait.
 */
#ifndef WEFT_CLI_STORM_VERDICT_H
#define WEFT_CLI_STORM_VERDICT_H

#include "cli/storm_job.h"

#include <stdbool.h>
#include <stdio.h>

/** Whether every client got all its answers. */
static inline bool storm_verdict_complete(const struct storm_outcome *o)
{
    return o->result.clients.clients_failed == 0;
}

/** The earliest time at which every client can have all its answers: the SA has answered everything
 * once, and the last client has started. */
weft_time storm_verdict_least_time(const struct storm_job *job);

/** Whether some policy's run was ended by the duration. */
bool storm_verdict_cut(const struct storm_job *job);

/** Whether an outcome is to be marked: none is better, and there are worse ones. */
bool storm_verdict_best(const struct storm_job *job, const struct storm_outcome *o);

/** Writes the sentences as HTML, without a paragraph around them. */
void storm_verdict_write(const struct storm_job *job, FILE *out);

#endif
