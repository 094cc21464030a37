/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A topology named on the command line: loaded, or the reason why not in one wording for all verbs.
 */
#ifndef WEFT_CLI_TOPOLOGY_LOAD_H
#define WEFT_CLI_TOPOLOGY_LOAD_H

#include "topology/topology.h"

/** Loads a topology, or says why there is none and what to try.
 * @param spec  a file's name, "-" for standard input, or a generator's text
 * @param ret   the topology, to be given to topo_free(); written only on success
 * @return CLI_DONE; with a message CLI_USAGE when a generator's text is wrong, or CLI_FAILED */
int topology_load(const char *spec, struct topo **ret);

/** What messages call a topology.
 * @param spec  as topology_load()
 * @return "standard input", or spec itself */
const char *topology_shown_name(const char *spec);

#endif
