/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Looks at a fabric for `weft counters`: sweeps it, chooses ports, reads their counters, and waits
 * for those who do not answer beside all of that.
 */
#ifndef WEFT_CLI_COUNTERS_LOOK_H
#define WEFT_CLI_COUNTERS_LOOK_H

#include "cli/counters_request.h"

#include <weft/counters.h>

/** Where it looks from. */
struct counters_eye {
    struct mad_link link;
    weft_mad_agent_id smp, gmp;
    uint16_t pkey_index; /**< of the default partition, as last seen */
};

/** What it has seen. Start from zeroes. */
struct counters_look {
    struct weft_sweep *sweep;
    struct weft_counters *counters;
    bool *wanted; /**< for each port of the sweep */
    weft_time at; /**< when it was read, by the clock of the link */
};

/** Opens the port.
 * @return CLI_DONE; CLI_FAILED, with a message; give it to counters_eye_close() in any case */
int counters_eye_open(const struct counters_request *r, struct counters_eye *ret);
void counters_eye_close(struct counters_eye *e);

/** Looks anew at the port's P_Key table, and has counters read by it. */
void counters_eye_configure(struct counters_eye *e, struct weft_counters_config *ret);

/** Sweeps and reads.
 * @param known  an earlier look: only what may have changed of its fabric is asked, and its agents
 *               need not say again what they have; NULL
 * @param ret    give it to counters_look_free() in any case, after counters_eye_close() where this
 *               has failed
 * @return CLI_DONE; CLI_USAGE: nobody is meant by what the command line selects; CLI_FAILED; both
 *         with a message */
int counters_look(const struct counters_request *r, struct counters_eye *e,
                  const struct counters_look *known, struct counters_look *ret);

/** Sets what was read to 0.
 * @return CLI_DONE; CLI_FAILED, with a message */
int counters_look_reset(struct counters_eye *e, struct counters_look *l);

void counters_look_free(struct counters_look *l);

/** Chooses ports of a sweep, as far as that has come.
 * @param wanted   NULL, or what was chosen before; becomes, for each port, whether it is wanted; to
 *                 be freed
 * @param ret_any  whether any node is
 * @return false: there is no memory, and nothing has changed */
bool counters_select(const struct counters_request *r, const struct weft_sweep *s, bool **wanted,
                     bool *ret_any);

/** Says that no node is wanted, and which may have been meant.
 * @return CLI_FAILED */
int counters_select_nobody(const struct counters_request *r, const struct weft_sweep *s);

#endif
