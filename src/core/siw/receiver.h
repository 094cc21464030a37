/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The receiving half of a QP: where it is in the peer's stream of FPDUs.
 */
#ifndef WEFT_CORE_SIW_RECEIVER_H
#define WEFT_CORE_SIW_RECEIVER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/** Where a receiver is. */
struct receiver {
    uint32_t have; /* bytes of an FPDU that is not whole yet */
};

/** The beginning of a stream. */
static inline void receiver_reset(struct receiver *rx)
{
    memset(rx, 0, sizeof(*rx));
}

/** Whether the stream may end here: between FPDUs and between messages. */
static inline bool receiver_between(const struct receiver *rx)
{
    return rx->have == 0;
}

#endif
