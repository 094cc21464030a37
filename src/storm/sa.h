/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The subnet administrator as a queueing model: a receive queue, a software queue, and two threads.
 *
 * The receiver moves requests from the receive queue to the software queue, or answers BUSY. The
 * worker answers requests, one at a time. With STORM_DROP there is no software queue and no
 * receiver: the worker takes from the receive queue.
 *
 * Each thread is driven from outside: start it when it may have something to do, and finish it at
 * the time that starting gave.
 */
#ifndef WEFT_STORM_SA_H
#define WEFT_STORM_SA_H

#include "storm/scenario.h"

#include <weft/base.h>

/** A request as the SA keeps it. */
struct storm_sa_request {
    uint64_t tid;
    weft_time arrived;
    uint32_t client;
    uint32_t query;
};

/** A FIFO of fixed size. */
struct storm_sa_queue {
    struct storm_sa_request *ring;
    uint32_t size; /* a power of two */
    uint32_t limit;
    uint32_t first, count;
};

/** The SA. Members are private to sa.c but for the counters. */
struct storm_sa {
    struct storm_sa_queue receive, software;
    struct storm_sa_request taking, serving;
    bool receiver_works, worker_works, taking_is_busy;
    enum storm_overload overload;
    weft_time service_ns, take_ns, busy_ns, stale_ns;
    uint32_t busy_above;
    struct weft_alloc alloc;

    uint64_t dropped;         /**< requests lost because the receive queue was full */
    uint64_t backlog_dropped; /**< requests lost because the software queue was full */
    uint64_t expired;         /**< requests thrown away because they had waited too long */
    uint32_t queue_peak;      /**< most requests waiting, both queues together */
};

/** Makes an idle SA.
 * @param s      its rate, queues and overload mode; checked
 * @param alloc  where memory comes from; copied
 * @return 0; WEFT_ERR_NOMEM */
int storm_sa_init(struct storm_sa *sa, const struct storm_scenario *s,
                  const struct weft_alloc *alloc);

/** Gives all memory back. */
void storm_sa_done(struct storm_sa *sa);

/** A request has arrived.
 * @return false: it was lost, the receive queue is full */
bool storm_sa_receive(struct storm_sa *sa, const struct storm_sa_request *r);

/** Lets the receiver take the next request, if it is idle and there is one.
 * @return when storm_sa_receiver_finish() is to be called; WEFT_TIME_NEVER: not */
weft_time storm_sa_receiver_start(struct storm_sa *sa, weft_time now);

/** The receiver is through with its request: it is in the software queue (or lost, when that is
 * full), or is to be answered BUSY.
 * @param ret_busy  the request to be answered BUSY; written only then
 * @return whether there is one */
bool storm_sa_receiver_finish(struct storm_sa *sa, struct storm_sa_request *ret_busy);

/** Lets the worker take the next request, if it is idle and there is one. Those that have waited
 * too long are thrown away on the way, which costs no time.
 * @return when storm_sa_worker_finish() is to be called; WEFT_TIME_NEVER: not */
weft_time storm_sa_worker_start(struct storm_sa *sa, weft_time now);

/** The worker has the answer to its request ready.
 * @param ret  the request to be answered */
void storm_sa_worker_finish(struct storm_sa *sa, struct storm_sa_request *ret);

/** Requests waiting in both queues; those that a thread has in hand do not count. */
static inline uint32_t storm_sa_waiting(const struct storm_sa *sa)
{
    return sa->receive.count + sa->software.count;
}

#endif
