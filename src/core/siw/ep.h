/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Endpoints: TCP connections and listeners, from DIAL, BIND or an incoming connection to RELEASE.
 */
#ifndef WEFT_CORE_SIW_EP_H
#define WEFT_CORE_SIW_EP_H

#include "core/base/list.h"
#include "core/base/pool.h"
#include "core/base/timers.h"

#include <weft/siw.h>

/** All endpoints of a provider. */
struct connections {
    struct pool eps;
    struct timers timers; /* one for each ep, by its slot */
    struct list_node due; /* eps that have something for the host to do */
};

int connections_new(struct weft_siw *s);
void connections_free(struct weft_siw *s);

#endif
