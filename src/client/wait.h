/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * How long to wait for an answer before the packet is sent again, learned without a clock: from how
 * many answers needed a second packet. The wait is halved again and again while at least half of
 * the answers come in time. Where fewer do, it has become shorter than answers take: it doubles,
 * and is not tried so short any more. Packets that get lost by chance are fewer than half, and do
 * not make it longer.
 *
 * Requests are counted in batches by when they were sent: by when they end, all those that are late
 * would come together, after all those that are not.
 */
#ifndef WEFT_CLIENT_WAIT_H
#define WEFT_CLIENT_WAIT_H

#include <weft/base.h>

#include <stdbool.h>
#include <stdint.h>

/** The shortest wait is the first one divided by two to this. */
#define WAIT_HALVINGS_MAX 4

/** No batch: nothing is learned from a request that is said to be in it. */
#define WAIT_NO_BATCH 0

/** A wait. */
struct wait {
    uint8_t halvings;              /**< how often the first one is halved now */
    uint8_t most;                  /**< at most */
    uint32_t batch;                /**< number of the batch that is counted */
    uint32_t begun, in_time, late; /**< requests in it */
};

/** Begins with the whole wait; it does not get shorter than 1 ms. */
void wait_init(struct wait *ret, weft_time whole);

/** Begins with a wait that is known to be long enough: halved so often, as far as it may be. */
void wait_hurry(struct wait *w, uint8_t halvings);

/** A request is sent, and waits for as long as it says now.
 * @return to be given to wait_end() */
uint32_t wait_begin(struct wait *w);

/** It was not answered at all, which says nothing: another one takes its place in the batch. */
void wait_forget(struct wait *w, uint32_t batch);

/** Its answer has come in time, or not. */
void wait_end(struct wait *w, uint32_t batch, bool in_time);

#endif
