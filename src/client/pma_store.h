/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Counters of very many ports, kept small: most of what a port counts is 0, and is not written
 * down.
 */
#ifndef WEFT_CLIENT_PMA_STORE_H
#define WEFT_CLIENT_PMA_STORE_H

#include <weft/counters.h>

/** The place of a port of which nothing is kept. */
#define PMA_STORE_NONE UINT32_MAX

/** What is kept. */
struct pma_store {
    struct weft_alloc alloc;
    uint64_t **chunks; /* of words, which do not move */
    uint32_t chunk_count, chunk_space;
    uint32_t used; /* words of the last chunk */
};

/** Begins with nothing.
 * @param a  where memory comes from, copied */
void pma_store_init(struct pma_store *s, const struct weft_alloc *a);

void pma_store_free(struct pma_store *s);

/** Keeps values.
 * @param place  PMA_STORE_NONE, or that of what they take the place of; receives theirs
 * @return 0; WEFT_ERR_NOMEM: nothing has changed */
int pma_store_put(struct pma_store *s, uint32_t *place, const struct weft_pma_values *v);

/** Gives values back.
 * @param place  of pma_store_put(), or PMA_STORE_NONE: nothing is present */
void pma_store_get(const struct pma_store *s, uint32_t place, struct weft_pma_values *ret);

#endif
