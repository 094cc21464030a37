/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What a storm is judged by: counts over time in equal steps, and percentiles.
 */
#ifndef WEFT_STORM_MEASURE_H
#define WEFT_STORM_MEASURE_H

#include <weft/base.h>

/** Steps that a series has at most; a run ends with more than half of them, if it is long enough.
 */
#define STORM_MEASURE_STEPS 1024

/** What is counted over time. */
enum storm_measure_what {
    STORM_MEASURE_RESOLVED, /**< clients that got all their answers */
    STORM_MEASURE_REQUESTS, /**< MADs the clients sent */
    STORM_MEASURE_ANSWERS,  /**< MADs the SA sent, BUSY included */
    STORM_MEASURE_BUSY,     /**< BUSY answers the SA sent */
    STORM_MEASURE_STALE,    /**< answers that nobody waited for */
    STORM_MEASURE_DROPPED,  /**< requests lost at the SA's queues */
    STORM_MEASURE_WHATS
};

/** One step of time. */
struct storm_measure_step {
    uint32_t counts[STORM_MEASURE_WHATS];
    uint32_t queue_peak; /**< most requests waiting at the SA within the step */
};

/** Counts over time. When a run outgrows the steps, two and two become one. */
struct storm_measure {
    uint32_t step_log2; /**< log2 of a step's length in ns */
    uint32_t steps;     /**< steps begun */
    uint32_t queue_now; /* the queue's length since the last storm_measure_queue() */
    struct storm_measure_step step[STORM_MEASURE_STEPS];
};

/** Starts at time 0 with short steps. */
void storm_measure_init(struct storm_measure *m);

/** Counts one at a time that is not before an earlier one. */
void storm_measure_count(struct storm_measure *m, weft_time now, enum storm_measure_what what);

/** Notes the length of the SA's queues. */
void storm_measure_queue(struct storm_measure *m, weft_time now, uint32_t waiting);

/** The nearest-rank percentile: the smallest value that `percent` of all values do not exceed.
 * @param sorted   ascending
 * @param count    more than 0
 * @param percent  1..100 */
weft_time storm_measure_percentile(const weft_time *sorted, size_t count, uint32_t percent);

/** Sorts ascending, in place. */
void storm_measure_sort(weft_time *values, size_t count);

#endif
