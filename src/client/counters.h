/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Reads the counters of a fabric that was swept. A machine without I/O above the MAD engine, driven
 * as sweep.h says.
 *
 * Agents are asked: that of a switch for its external ports, and port 0 where that is an enhanced
 * one; that of each CA or router port that was reached for this port. First each says once what it
 * has (ClassPortInfo); then it is asked for all its ports at once: for the extended counters where
 * it has them, for the classic ones where it has nothing wider. Who falls silent is asked no more,
 * and waited for by nobody. Only counters_reset() ever writes.
 */
#ifndef WEFT_CLIENT_COUNTERS_H
#define WEFT_CLIENT_COUNTERS_H

#include "client/gmp_asker.h"
#include "client/pma.h"
#include "client/sweep.h"

/** What is known of a port. */
enum counters_state {
    COUNTERS_UNASKED,   /**< not wanted, or not there */
    COUNTERS_READ,      /**< all was read */
    COUNTERS_QUIET,     /**< not read: the sum of the switch's ports is not above any limit */
    COUNTERS_PART,      /**< some was read, then the agent was silent or refused */
    COUNTERS_REFUSED,   /**< the agent answers, but not with counters */
    COUNTERS_SILENT,    /**< the agent does not answer */
    COUNTERS_NO_ADDRESS /**< it has no LID: no subnet manager has given it one */
};

/** What to read. */
struct counters_config {
    struct gmp_asker_config asker; /**< how patiently */
    const bool *wanted;            /**< for each port of the sweep; NULL: all. Borrowed */
    /** If not NULL: of switches that can sum their ports the sums are asked for first, and the
     * ports only where one of these PMA_ERRORS sums is above. Borrowed. */
    const uint64_t *limits;
};

/** Fills in the defaults. */
void counters_config_init(struct counters_config *ret);

/** The counters of a fabric. */
struct counters;

/** Begins to read.
 * @param sweep  has ended; borrowed
 * @param c      NULL: the defaults
 * @param known  an earlier reading, of another sweep, too: whom that has asked what it has is not
 *               asked again; NULL: none
 * @param agent  for requests of class 0x04 on QP1
 * @return 0; WEFT_ERR_INVALID: a field of c is out of its range; WEFT_ERR_NOMEM */
int counters_new(const struct sweep *sweep, const struct counters_config *c,
                 const struct counters *known, weft_mad_agent_id agent, struct counters **ret);

/** Frees them; the engine must hold none of their sends any more. NULL is fine.
 * @return NULL */
struct counters *counters_free(struct counters *c);

/** The next request to post.
 * @return false: none for now */
bool counters_poll(struct counters *c, struct weft_mad_send_req *ret);

/** Feeds an event of the engine; those of others are ignored. */
void counters_event(struct counters *c, const struct weft_mad_event *ev);

/** Whether all was read that can be. */
bool counters_done(const struct counters *c);

/** How it went.
 * @return 0; WEFT_ERR_NOMEM: what was read until then stays */
int counters_verdict(const struct counters *c);

/** What is known of a port of the sweep. */
enum counters_state counters_state(const struct counters *c, uint32_t port);

/** What was read of it. */
const struct pma_values *counters_get(const struct counters *c, uint32_t port);

/** What its agent has; NULL: it has not said. */
const struct pma_abilities *counters_abilities(const struct counters *c, uint32_t port);

/** Begins to set to 0 what was read of the ports in state COUNTERS_READ; drive it on as before.
 * Values stay as read.
 * @return 0; WEFT_ERR_STATE: it is still reading; WEFT_ERR_NOMEM */
int counters_reset(struct counters *c);

/** Whether a port's counters were reset. */
bool counters_was_reset(const struct counters *c, uint32_t port);

/** What has been sent and heard. */
void counters_stats(const struct counters *c, struct gmp_asker_stats *ret);

/** The port of a reading's sweep that has the node GUID and number of another sweep's.
 * @return SWEEP_NONE: there is none */
uint32_t counters_port_in(const struct counters *in, const struct sweep *sweep, uint32_t port);

/** What has happened at a port between two readings, perhaps of two sweeps.
 * @param old  the earlier one
 * @param new  the later one
 * @param port in the later one's sweep
 * @return false: one of the two did not read it */
bool counters_delta(const struct counters *old, const struct counters *new, uint32_t port,
                    struct pma_delta *ret);

#endif
