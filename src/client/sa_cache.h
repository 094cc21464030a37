/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Paths that the SA has told, for as long as they may be used without asking again.
 */
#ifndef WEFT_CLIENT_SA_CACHE_H
#define WEFT_CLIENT_SA_CACHE_H

#include <weft/wire.h>

/** Bytes of a PathRecord. */
#define SA_PATH_BYTES 64

/** Paths. */
struct sa_cache;

/** Makes one.
 * @param paths  the most it keeps; beyond them, the oldest goes
 * @param ttl    how long each may be used
 * @param a      where memory comes from, copied; NULL: malloc and free
 * @return NULL: no memory */
struct sa_cache *sa_cache_new(uint32_t paths, weft_time ttl, const struct weft_alloc *a);

/** Frees it; NULL is fine.
 * @return NULL */
struct sa_cache *sa_cache_free(struct sa_cache *c);

/** Keeps the answer to a question, in place of an older one.
 * @param mask    component mask of the question
 * @param wanted  record of the question */
void sa_cache_put(struct sa_cache *c, weft_time now, uint64_t mask,
                  const uint8_t wanted[SA_PATH_BYTES], const uint8_t path[SA_PATH_BYTES]);

/** The answer to a question.
 * @return NULL: there is none, or it has expired. Valid until the next sa_cache_put() */
const uint8_t *sa_cache_find(const struct sa_cache *c, weft_time now, uint64_t mask,
                             const uint8_t wanted[SA_PATH_BYTES]);

/** Forgets all. */
void sa_cache_clear(struct sa_cache *c);

#endif
