/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The facade's inside. Everything is under one mutex, which is released while a thread waits for
 * `changed`, while the worker waits in its loop, and while a callback runs.
 */
#ifndef WEFT_IW_FACADE_H
#define WEFT_IW_FACADE_H

#include "iw/identity.h"
#include "iw/socket.h"

#include <weft/iw.h>

#include <pthread.h>

struct weft_iw {
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* whatever a thread may wait for */
    uint32_t sleepers;      /* threads that wait for it */
    pthread_t worker;
    bool started, stop; /* the worker has begun, is to end */
    struct iw_guard guard;
    struct iw_loop *loop;
    struct identities ids;
    struct list_node ready;    /* ids with events for their callbacks */
    struct list_node cq_waits; /* threads that wait for completions */
    uint32_t backlog;          /* of listeners that name none */
};

/** A thread that waits for completions; on its stack. */
struct cq_wait {
    struct list_node link;
    uint32_t cqn;
    bool something; /* the queue was armed and has something */
    bool ended;     /* the queue is no more */
};

/** Whether the caller is the worker, in a callback. */
bool facade_is_worker(const struct weft_iw *iw);
void facade_lock(struct weft_iw *iw);
/** Carries out what the calls before made due, and releases the lock. */
void facade_leave(struct weft_iw *iw);
/** The same without releasing it: sockets, events, callers that wait, the worker. */
void facade_settle(struct weft_iw *iw);
/** Waits until something changes; the worker makes a turn of its loop meanwhile.
 * @param until  on iw_loop_now()'s clock, or WEFT_TIME_NEVER
 * @return whether there may be something; false: it is that late */
bool facade_wait(struct weft_iw *iw, weft_time until);
/** Wakes the threads in facade_wait(). */
void facade_changed(struct weft_iw *iw);

/** Takes the core's events: to the ids' queues, to those who wait.
 * @return whether there were any */
bool events_take(struct weft_iw *iw);

/** The client has given an id up: no callback of it begins any more. */
void facade_give_up(struct weft_iw *iw, struct identity *who);
/** An id's events are for its callback now, or not any more. */
void facade_offer(struct weft_iw *iw, struct identity *who);

/** The worker's thread: its argument is the facade. */
void *worker_main(void *arg);

#endif
