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
    struct pool requests, responses, completions, stagings;
    struct pool partials;       /* receivers_new() */
    uint32_t requests_given;    /* of config.requests, to QPs */
    uint32_t completions_given; /* of config.cq_entries, to completion queues */
    struct prng keys;
    struct list_node cq_events, qp_events; /* queues and QPs that have an event for the program */
};

int verbs_new(struct weft_siw *s);
void verbs_free(struct weft_siw *s);

/** The number of an object of `qps` or `cqs`: 16 bits of slot, never 0, and 16 bits that change
 * with each use of the slot. */
uint32_t verbs_number(const struct pool *p, const void *object);
/** The object of a number, or NULL. */
void *verbs_find(const struct pool *p, uint32_t number);

#endif
