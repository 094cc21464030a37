/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What the fuzz targets of the MAD engine share: reading the input, checking a port, ending it.
 */
#ifndef WEFT_TESTS_FUZZ_MAD_BYTES_H
#define WEFT_TESTS_FUZZ_MAD_BYTES_H

#include "core/mad/audit.h"
#include "packets.h"

#include <stdio.h>
#include <stdlib.h>

/** The input, read from its front; behind its end there are zeroes. */
struct bytes {
    const uint8_t *at;
    size_t left;
};

static inline uint8_t bytes_next(struct bytes *b)
{
    if (b->left == 0)
        return 0;
    b->left--;
    return *b->at++;
}

static inline uint32_t bytes_next16(struct bytes *b)
{
    uint32_t high = bytes_next(b);

    return high << 8 | bytes_next(b);
}

static inline uint64_t bytes_next64(struct bytes *b)
{
    uint64_t value = 0;

    for (int i = 0; i < 8; i++)
        value = value << 8 | bytes_next(b);
    return value;
}

static inline void fuzz_require(bool condition, const char *rule)
{
    if (condition)
        return;
    fprintf(stderr, "broken: %s\n", rule);
    abort();
}

static inline void fuzz_audit(const struct weft_mad_port *p)
{
    const char *broken = mad_audit(p);

    fuzz_require(!broken, broken);
}

/** After the last packets, messages and timers everything must have been given back. */
static inline void fuzz_check_end(const struct weft_mad_port *p)
{
    struct weft_mad_port_stats s;

    weft_mad_port_stats(p, &s);
    fuzz_require(s.sends == 0 && s.queued == 0 && s.outstanding == 0, "all sends are given back");
    fuzz_require(s.recv_held == 0, "all receive buffers are given back");
    fuzz_require(s.tx_held[0] == 0 && s.tx_held[1] == 0, "all packets are given back");
    fuzz_require(s.rmpp_transfers == 0 && s.rmpp_bytes == 0, "all transfers are forgotten");
}

#endif
