/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A network that loses, duplicates, delays, reorders and corrupts, as told and as chance has it.
 */
#ifndef WEFT_TESTS_SIM_NETWORK_H
#define WEFT_TESTS_SIM_NETWORK_H

#include "core/base/prng.h"

#include <weft/mad.h>

/** Probabilities are in 1/1000. */
struct network_faults {
    uint32_t loss, duplicate, corrupt;
    weft_time delay_min, delay_max; /**< spread of the delay: it reorders */
};

/** A packet under way. */
struct flight {
    weft_time at;
    uint64_t order;
    uint32_t to;           /**< number of the destination */
    struct weft_mad_rx rx; /**< without data */
    uint8_t mad[WEFT_MAD_BYTES];
};

enum {
    NETWORK_FLIGHTS_MAX = 4096 /* further packets are lost */
};

struct network {
    struct network_faults faults;
    struct prng *prng;
    uint32_t count;
    uint64_t order;
    struct flight flights[NETWORK_FLIGHTS_MAX];
};

/** True in `permille` of 1000 cases. */
bool chance(struct prng *g, uint32_t permille);

/** Takes a packet: it will arrive once, more than once, or never. rx.data is its 256 bytes. */
void network_send(struct network *n, weft_time now, uint32_t to, const struct weft_mad_rx *rx);

/** When the next packet arrives, WEFT_TIME_NEVER if none is under way. */
weft_time network_next(const struct network *n);

/** Takes the next packet that has arrived.
 * @return false: none has */
bool network_receive(struct network *n, weft_time now, struct flight *ret);

#endif
