/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The way between a client and the SA: how long a packet travels, and whether it arrives.
 *
 * A fabric with link-level flow control loses no packet for want of room and the packets of a storm
 * fill no link, so the way is a constant time; loss stands for bit errors and restarted links.
 */
#ifndef WEFT_STORM_NETWORK_H
#define WEFT_STORM_NETWORK_H

#include "core/base/prng.h"
#include "storm/scenario.h"

#include <weft/base.h>

/** Direction of a packet. */
enum storm_network_direction {
    STORM_NETWORK_REQUEST,
    STORM_NETWORK_RESPONSE
};

/** The ways of one storm. */
struct storm_network {
    weft_time host_ns, hop_ns;
    uint32_t loss[2];    /* per direction, millionths */
    struct prng prng[2]; /* one per direction: losing more answers loses no other requests */
    uint64_t lost[2];    /**< packets lost per direction */
};

static inline void storm_network_init(struct storm_network *n, const struct storm_scenario *s,
                                      uint64_t seed)
{
    *n = (struct storm_network){
        .host_ns = s->host_ns,
        .hop_ns = s->hop_ns,
        .loss = {(uint32_t)s->loss_request, (uint32_t)s->loss_response},
        .prng = {{seed}, {~seed}},
    };
}

/** How long a packet travels over a number of links. */
static inline weft_time storm_network_latency(const struct storm_network *n, uint16_t hops)
{
    return n->host_ns + n->hop_ns * hops;
}

/** Decides whether the next packet of a direction is lost on the way, and counts it. */
static inline bool storm_network_loses(struct storm_network *n, enum storm_network_direction d)
{
    if (n->loss[d] == 0 || prng_up_to(&n->prng[d], 999999) >= n->loss[d])
        return false;
    n->lost[d]++;
    return true;
}

#endif
