/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What a `weft storm` command line asks for.
 */
#ifndef WEFT_CLI_STORM_REQUEST_H
#define WEFT_CLI_STORM_REQUEST_H

#include "cli/storm_job.h"

#include <stdbool.h>

/** Numbers that one command line can change. */
#define STORM_OVERRIDES_MAX 64

/** What is to be done with the job, and the strings that the job borrows. */
struct storm_request {
    char *report; /**< file, or NULL; owned, as all strings here */
    char *trace;  /**< file, or NULL */
    char *pcap;   /**< file, or NULL */
    bool json;    /**< JSON in place of the table */
    bool list;    /**< only show what there is */
    bool stopped; /**< nothing is to be done: help was shown, or a message */

    char *topology, *scenario, *sa_host;
    /* --set, and the options that stand for one, in their order. */
    struct {
        const char *key; /* NULL: text has key and value */
        char *text;
    } overrides[STORM_OVERRIDES_MAX];
    size_t override_count;
};

/** Reads the command line.
 * @param argc  as given to the verb
 * @param argv  as given to the verb
 * @param r     filled; give it to storm_request_free() in any case
 * @param job   filled but for what comes from the topology; `clients` is 0 for one a host
 * @return the exit code when r->stopped, otherwise CLI_DONE */
int storm_request_parse(int argc, const char **argv, struct storm_request *r,
                        struct storm_job *job);

/** Frees what request and job own. */
void storm_request_free(struct storm_request *r, struct storm_job *job);

#endif
