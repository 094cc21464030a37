/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Agents: lookup, and which of them an unsolicited MAD is for.
 */
#ifndef WEFT_CORE_MAD_AGENT_H
#define WEFT_CORE_MAD_AGENT_H

#include "core/mad/engine.h"

/** An agent that was removed has a stale id already while its last sends end. */
static inline weft_mad_agent_id agent_id(const struct weft_mad_port *p, const struct agent *a)
{
    return (weft_mad_agent_id){pool_handle(&p->agents, a)};
}

/** The agent of a handle, or NULL when it is stale. */
struct agent *agent_lookup(const struct weft_mad_port *p, weft_mad_agent_id id);

/** The owner of an unsolicited MAD by class version, class, vendor and method, or NULL. */
struct agent *agent_for_request(const struct weft_mad_port *p, const uint8_t *mad);

/** The agent whose transaction ids have this upper half, or NULL. */
struct agent *agent_for_tid(const struct weft_mad_port *p, uint32_t tid);

/** Gives the slot of a removed agent back once its last send has ended. */
void agent_free_if_gone(struct weft_mad_port *p, struct agent *a);

/** Whether the engine does RMPP for MADs like this one of the agent's. */
static inline bool agent_does_rmpp(const struct agent *a, const uint8_t *mad)
{
    return a->rmpp_version != 0 && !a->user_rmpp && rmpp_is_active(mad);
}

#endif
