/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * "Did you mean": the known word that is nearest to a mistyped one.
 */
#ifndef WEFT_CORE_BASE_SUGGEST_H
#define WEFT_CORE_BASE_SUGGEST_H

#include <stddef.h>

/** A search for the nearest word. */
struct suggest {
    const char *wrong;
    size_t wrong_length;
    const char *best;
    size_t best_distance;
};

/** Starts a search.
 * @param s      filled
 * @param wrong  what was written; borrowed */
void suggest_start(struct suggest *s, const char *wrong);

/** Offers one known word; borrowed. */
void suggest_offer(struct suggest *s, const char *word);

/** The nearest word offered, or NULL when none is near enough to be meant. */
const char *suggest_best(const struct suggest *s);

#endif
