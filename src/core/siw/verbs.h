/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Everything that verbs make: QPs with their requests, completion queues, regions.
 */
#ifndef WEFT_CORE_SIW_VERBS_H
#define WEFT_CORE_SIW_VERBS_H

#include "core/base/list.h"
#include "core/base/pool.h"
#include "core/base/prng.h"

#include <weft/siw.h>

struct verbs {
    struct pool qps, cqs, regions;
    struct pool partials; /* receivers_new() */
    struct prng keys;
    struct list_node events; /* queues and QPs that have an event for the program */
};

int verbs_new(struct weft_siw *s);
void verbs_free(struct weft_siw *s);

#endif
