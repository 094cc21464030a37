/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * `weft topology`: what the command line asks for, and the actions that have a file of their own.
 */
#ifndef WEFT_CLI_TOPOLOGY_ACTION_H
#define WEFT_CLI_TOPOLOGY_ACTION_H

#include "cli/mad_place.h"
#include "topology/convert.h"

#include <stdbool.h>
#include <stddef.h>

/** What a topology is converted to. */
enum topology_form {
    TOPOLOGY_IBNETDISCOVER,
    TOPOLOGY_IBSIM,
    TOPOLOGY_JSON,
    TOPOLOGY_SLURM,
    TOPOLOGY_DOT
};

/** What the command line asks for. */
struct topology_request {
    bool json;
    bool ignored;
    bool lids;
    bool options_of_convert; /**< one of those below was given */
    bool no_hosts;
    size_t form;       /**< enum topology_form */
    size_t host_names; /**< enum topo_host_names */
    char *rail;        /**< NULL: not said */
    char *output;      /**< NULL: standard output */
    const char *spec;
    const char *second; /**< diff only; NULL: the live fabric */
    struct mad_place place;
};

/** Converts a topology.
 * @return CLI_DONE; with a message CLI_PART: the form cannot say all of it; CLI_USAGE, CLI_FAILED
 */
int topology_convert(const struct topology_request *request);

/** Writes a topology as a document.
 * @return false: the stream failed, or there is no memory */
bool topology_write_json(const struct topo *t, FILE *out);

/** Sweeps a fabric.
 * @param ret  to be given to topo_free(); written with CLI_DONE and CLI_PART
 * @return CLI_DONE; with a message CLI_PART: somebody did not answer; CLI_FAILED */
int topology_sweep(const struct mad_place *place, struct topo **ret);

#endif
