/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Between a sweep and a topology: what was found, as ibnetdiscover would print it, and what is
 * known from a topology that was saved.
 */
#ifndef WEFT_CLI_SWEEP_TOPO_H
#define WEFT_CLI_SWEEP_TOPO_H

#include "topology/topology.h"

#include <weft/sweep.h>

/** Makes the topology of what was found: switches, then CAs, then routers. Nodes with GUID 0 are
 * left out. In names whatever is not printable ASCII becomes a blank, as in ibnetdiscover.
 * @param ret  to be given to topo_free(); written only on success
 * @return 0; WEFT_ERR_NOMEM; WEFT_ERR_FULL */
int sweep_topo(const struct weft_sweep *s, struct topo **ret);

/** What a topology knows of ports.
 * @return to be given to weft_sweep_prior_free(); NULL without memory */
struct weft_sweep_prior *known_of_topo(const struct topo *t);

#endif
