/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Timer queue: one deadline for each of a fixed set of ids. The earliest comes first; equal
 * deadlines come in the order they were armed.
 */
#ifndef WEFT_CORE_BASE_TIMERS_H
#define WEFT_CORE_BASE_TIMERS_H

#include <weft/base.h>

/** An armed timer. */
struct timer {
    weft_time deadline;
    uint32_t serial; /* order of arming, compared modulo 2^32 */
    uint32_t id;
};

/** Timers that are disarmed but still in the heap, at most. */
#define TIMERS_LEAVING 8

/** A heap of four children a node: removal from its middle moves few entries, and the four are
 * one cache line.
 *
 * With very many timers each step into the heap is a cache miss. So a timer that is disarmed first
 * only gets marked, and the lines that its removal needs are fetched meanwhile; the removal comes
 * with the next few others, or never, when the id is armed again before. The first entry of the
 * heap is never one that is leaving, so the earliest deadline is exact at any time. */
struct timers {
    struct timer *heap;
    uint32_t *place; /* by id: position in the heap + 1, 0 when not there; TIMERS_MARK: leaving */
    uint32_t count, serial;
    uint32_t leaving[TIMERS_LEAVING]; /* ring of ids, some of them armed again since */
    uint32_t leaving_next;
};

#define TIMERS_MARK (UINT32_C(1) << 31)

/** Bytes of timer per id, for the memory plan. */
#define TIMERS_BYTES_PER_ID (sizeof(struct timer) + sizeof(uint32_t))

/** Makes an empty queue for fewer than 2^31 ids.
 * @param heap   room for one entry for each id; best if the second one begins a cache line, since
 *               four children then share one
 * @param place  one entry for each id */
void timers_init(struct timers *t, struct timer *heap, uint32_t *place, uint32_t ids);

/** Arms or re-arms a timer; one for WEFT_TIME_NEVER is armed and never fires. */
void timers_arm(struct timers *t, uint32_t id, weft_time deadline);

/** Disarms a timer; harmless when it is not armed. */
void timers_disarm(struct timers *t, uint32_t id);

static inline bool timers_armed(const struct timers *t, uint32_t id)
{
    return t->place[id] - 1 < TIMERS_MARK - 1;
}

/** Tells the processor that a timer will be disarmed soon. */
static inline void timers_prefetch(const struct timers *t, uint32_t id)
{
    __builtin_prefetch(&t->place[id], 1);
}

/** The earliest deadline, or WEFT_TIME_NEVER. */
static inline weft_time timers_deadline(const struct timers *t)
{
    return t->count ? t->heap[0].deadline : WEFT_TIME_NEVER;
}

/** Takes off the earliest timer if it is due.
 * @return whether one was due; *ret_id is its id */
bool timers_pop(struct timers *t, weft_time now, uint32_t *ret_id);

#endif
