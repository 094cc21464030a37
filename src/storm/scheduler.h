/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The events of a storm in the order of time; events of one instant in the order they were added.
 */
#ifndef WEFT_STORM_SCHEDULER_H
#define WEFT_STORM_SCHEDULER_H

#include <weft/base.h>

/** What happens. */
enum storm_event_type {
    STORM_START,      /**< a client starts */
    STORM_TIMER,      /**< a timer of a client's engine may be due */
    STORM_READ_DONE,  /**< a client has read the MAD it was reading */
    STORM_REASK,      /**< a client asks a failed query anew; arg is its slot */
    STORM_AT_SA,      /**< a request arrives at the SA; arg is the query */
    STORM_TAKEN,      /**< the SA has moved a request to its software queue, or answered BUSY */
    STORM_SERVED,     /**< the SA has an answer ready */
    STORM_ANSWER,     /**< an answer arrives at a client; arg is the query */
    STORM_ANSWER_BUSY /**< a BUSY answer arrives at a client; arg is the query */
};

/** One event, 32 bytes: two to a cache line. */
struct storm_event {
    weft_time time;
    uint64_t order; /**< sequence number << 8 | type: unique, so the order of events is too */
    uint64_t tid;   /**< transaction id of a packet */
    uint32_t client;
    uint32_t arg;
};

static inline enum storm_event_type storm_event_type(const struct storm_event *e)
{
    return (enum storm_event_type)(e->order & 0xff);
}

/** A heap in which every node has four children. */
struct storm_scheduler_heap {
    struct storm_event *events;
    size_t count, space;
};

/** Packets live for microseconds and timers for seconds: kept apart, the heap of what is soon stays
 * small enough for the cache. Members are private to scheduler.c but for `failed`. */
struct storm_scheduler {
    struct storm_scheduler_heap soon, later;
    struct weft_alloc alloc;
    uint64_t sequence;
    weft_time now; /**< time of the event taken last */
    bool failed;   /**< memory ran out: an event is missing */
};

/** Starts empty, at time 0.
 * @param alloc  where memory comes from when the heaps grow; copied */
void storm_scheduler_init(struct storm_scheduler *s, const struct weft_alloc *alloc);

/** Adds an event. When memory runs out it is lost and s->failed is set.
 * @param time  not before the event taken last */
void storm_scheduler_add(struct storm_scheduler *s, weft_time time, enum storm_event_type type,
                         uint32_t client, uint32_t arg, uint64_t tid);

/** Takes the next event.
 * @return false when there is none */
bool storm_scheduler_take(struct storm_scheduler *s, struct storm_event *ret);

/** Gives all memory back. */
void storm_scheduler_done(struct storm_scheduler *s);

#endif
