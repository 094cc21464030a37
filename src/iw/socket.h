/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The sockets of a loop, and the loop's inside. What needs uv is done by the loop's own thread:
 * others, that hold the guard, put the socket on `due` and wake it.
 */
#ifndef WEFT_IW_SOCKET_H
#define WEFT_IW_SOCKET_H

#include "core/base/list.h"
#include "iw/loop.h"

#define IW_SCRATCH_BYTES (256u << 10)

enum iw_socket_kind {
    IW_SOCKET_DIALING,
    IW_SOCKET_CONNECTED,
    IW_SOCKET_LISTENING
};

struct iw_socket {
    struct iw_loop *loop;
    struct iw_socket *chain; /* of its bucket */
    struct list_node due;    /* the loop's thread has something to do */
    struct list_node paused; /* a listener that waits for descriptors */
    weft_siw_ep ep;
    enum iw_socket_kind kind;
    int fd;
    bool released;   /* the ep is gone: close */
    bool reset;      /* with RST */
    bool has_poll;   /* `poll` is a handle of the loop */
    bool ended;      /* nothing more to read */
    bool want_write; /* a write was cut short */
    bool bulk;       /* the last read had a large place to go to */
    int watched;     /* what `poll` waits for */
    uv_poll_t poll;
};

/** Who keeps the loop's objects from several threads. The loop's thread holds it but while it
 * waits. */
struct iw_guard {
    void (*lock)(void *context);
    void (*unlock)(void *context);
    /** Takes what is to be told; called before each wait.
     * @return whether there is nothing to do but wait */
    bool (*idle)(void *context);
    void *context;
};

struct iw_loop {
    uv_loop_t uv;
    uv_async_t wake;
    uv_timer_t alarm;
    uv_timer_t resume; /* paused listeners try again */
    uv_prepare_t prepare;
    struct weft_iwcm *cm;
    struct weft_siw *siw;
    const struct iw_guard *guard; /* NULL: one thread only */
    uv_thread_t owner;            /* with a guard: the loop's thread */
    bool waiting;                 /* the guard is free: in uv_run() before the first event */
    weft_time alarm_at;           /* what a wait ends at; NEVER: nothing */
    struct list_node due, paused;
    int last_error; /* why the last dial or bind failed at once */
    struct iw_socket **buckets;
    size_t bucket_mask;
    uint8_t *scratch;
};

/** Takes the guard back after a wait. Each callback of uv begins with it. */
void loop_enter(struct iw_loop *l);
/** Lets other threads in while the loop waits. To be called before the first turn, by its thread.
 */
void loop_share(struct iw_loop *l, const struct iw_guard *guard);
/** Timer of `resume`. */
void loop_resume(uv_timer_t *timer);
/** Whether the caller may use uv. */
bool loop_is_own(const struct iw_loop *l);

/** Does one thing that the provider wants. */
void socket_op(struct iw_loop *l, const struct weft_siw_op *op);
/** Does what is on `due`; on the loop's thread.
 * @return whether there was anything */
bool socket_due(struct iw_loop *l);
/** Watches listeners again that had no descriptors. */
void socket_resume(struct iw_loop *l);
/** Closes everything with RST; on the loop's thread. */
void socket_close_all(struct iw_loop *l);

#endif
