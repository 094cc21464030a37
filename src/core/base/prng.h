/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Seeded pseudo-random numbers: SplitMix64, the same on every machine and compiler.
 */
#ifndef WEFT_CORE_BASE_PRNG_H
#define WEFT_CORE_BASE_PRNG_H

#include <stdint.h>

struct prng {
    uint64_t state;
};

static inline uint64_t prng_next(struct prng *g)
{
    uint64_t z = g->state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/** Uniform in 0..max, both included: the part of the range that would make small values likelier is
 * drawn again. */
static inline uint64_t prng_up_to(struct prng *g, uint64_t max)
{
    uint64_t n = max + 1, limit, v;

    if (n == 0)
        return prng_next(g);
    limit = UINT64_MAX - UINT64_MAX % n;
    do
        v = prng_next(g);
    while (v >= limit);
    return v % n;
}

#endif
