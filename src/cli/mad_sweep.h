/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A sweep by a verb: the port it is made at, how it begins, and what its verdict says to people.
 */
#ifndef WEFT_CLI_MAD_SWEEP_H
#define WEFT_CLI_MAD_SWEEP_H

#include "cli/mad_place.h"

#include <weft/sweep.h>

/** What asks SMAs by directed routes. */
extern const struct weft_mad_agent_req mad_sweep_agent;

/** Opens a port for a sweep and nothing else.
 * @param ret    to be closed by mad_link_close() where it has an engine, also when this has failed
 * @param agent  what the sweep is to be made with
 * @return CLI_DONE; CLI_FAILED, with a message */
int mad_sweep_open(const struct mad_place *p, struct mad_link *ret, weft_mad_agent_id *agent);

/** Begins a sweep.
 * @param known  what was known of the fabric before; NULL: nothing. It must outlive the sweep
 * @return CLI_DONE; CLI_FAILED, with a message */
int mad_sweep_new(const struct weft_sweep_config *c, weft_mad_agent_id agent,
                  const struct weft_sweep_prior *known, struct weft_sweep **ret);

/** How a sweep has ended.
 * @return CLI_DONE; CLI_PART, with a message: not at its end, what was found is part of the fabric;
 *         CLI_FAILED, with a message: not even the own node has answered */
int mad_sweep_verdict(const struct mad_link *l, const struct weft_sweep *s);

#endif
