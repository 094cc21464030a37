/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The loop: waits, feeds the provider, does what it wants done. */
#include "iw/loop.h"

#include "iw/pause.h"
#include "iw/socket.h"

#include <stdlib.h>
#include <time.h>

/* A wait of a month: the timer of uv counts milliseconds in 64 bits, but deadlines are ours. */
#define WAIT_MAX (UINT64_C(30) * 24 * 3600 * WEFT_S)

weft_time iw_loop_now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (weft_time)t.tv_sec * WEFT_S + (weft_time)t.tv_nsec;
}

struct weft_iwcm *iw_loop_cm(struct iw_loop *l)
{
    return l->cm;
}

struct weft_siw *iw_loop_siw(struct iw_loop *l)
{
    return l->siw;
}

uv_loop_t *iw_loop_uv(struct iw_loop *l)
{
    return &l->uv;
}

void loop_enter(struct iw_loop *l)
{
    if (!l->guard || !l->waiting)
        return;
    l->guard->lock(l->guard->context);
    l->waiting = false;
}

bool loop_is_own(const struct iw_loop *l)
{
    uv_thread_t self = uv_thread_self();

    return !l->guard || uv_thread_equal(&l->owner, &self);
}

static void on_wake(uv_async_t *async)
{
    loop_enter(async->data);
}

static void on_alarm(uv_timer_t *timer)
{
    struct iw_loop *l = timer->data;

    loop_enter(l);
    l->alarm_at = WEFT_TIME_NEVER;
}

void loop_resume(uv_timer_t *timer)
{
    loop_enter(timer->data);
    socket_resume(timer->data);
}

/* The last thing before uv waits. */
static void on_prepare(uv_prepare_t *prepare)
{
    struct iw_loop *l = prepare->data;

    l->waiting = true;
    l->guard->unlock(l->guard->context);
}

void loop_share(struct iw_loop *l, const struct iw_guard *guard)
{
    l->guard = guard;
    l->owner = uv_thread_self();
    (void)uv_prepare_start(&l->prepare, on_prepare);
}

static int handles_open(struct iw_loop *l)
{
    if (uv_loop_init(&l->uv) != 0)
        return WEFT_ERR_NOMEM;
    /* These three cannot fail. */
    (void)uv_timer_init(&l->uv, &l->alarm);
    (void)uv_timer_init(&l->uv, &l->resume);
    (void)uv_prepare_init(&l->uv, &l->prepare);
    l->alarm.data = l;
    l->resume.data = l;
    l->prepare.data = l;
    l->wake.data = l;
    if (uv_async_init(&l->uv, &l->wake, on_wake) != 0) {
        uv_close((uv_handle_t *)&l->alarm, NULL);
        uv_close((uv_handle_t *)&l->resume, NULL);
        uv_close((uv_handle_t *)&l->prepare, NULL);
        (void)uv_run(&l->uv, UV_RUN_NOWAIT);
        (void)uv_loop_close(&l->uv);
        return WEFT_ERR_NOMEM;
    }
    return 0;
}

static int machines_new(struct iw_loop *l, const struct weft_iwcm_config *cm,
                        const struct weft_siw_config *siw)
{
    size_t buckets = 16;
    int err = weft_iwcm_new(cm, NULL, &l->cm);

    if (!err)
        err = weft_siw_new(siw, NULL, l->cm, &l->siw);
    if (err)
        return err;
    while (buckets < siw->endpoints)
        buckets *= 2;
    l->bucket_mask = buckets - 1;
    l->buckets = calloc(buckets, sizeof(void *));
    l->scratch = malloc(IW_SCRATCH_BYTES);
    return l->buckets && l->scratch ? 0 : WEFT_ERR_NOMEM;
}

static void machines_free(struct iw_loop *l)
{
    (void)weft_siw_free(l->siw);
    (void)weft_iwcm_free(l->cm);
    free(l->buckets);
    free(l->scratch);
    free(l);
}

int iw_loop_new(const struct weft_iwcm_config *cm, const struct weft_siw_config *siw,
                struct iw_loop **ret)
{
    struct iw_loop *l = calloc(1, sizeof(*l));
    int err;

    if (!l)
        return WEFT_ERR_NOMEM;
    l->alarm_at = WEFT_TIME_NEVER;
    list_init(&l->due);
    list_init(&l->paused);
    err = machines_new(l, cm, siw);
    if (!err)
        err = handles_open(l);
    if (err) {
        machines_free(l);
        return err;
    }
    *ret = l;
    return 0;
}

static void close_handle(uv_handle_t *handle, void *context)
{
    (void)context;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

struct iw_loop *iw_loop_free(struct iw_loop *l)
{
    if (!l)
        return NULL;
    l->guard = NULL;
    socket_close_all(l);
    uv_walk(&l->uv, close_handle, NULL);
    (void)uv_run(&l->uv, UV_RUN_DEFAULT);
    (void)uv_loop_close(&l->uv);
    machines_free(l);
    return NULL;
}

void iw_loop_wake(struct iw_loop *l)
{
    (void)uv_async_send(&l->wake);
}

void iw_loop_pump(struct iw_loop *l)
{
    bool own = loop_is_own(l);
    struct weft_siw_op op;

    do {
        while (weft_siw_poll_op(l->siw, iw_loop_now(), &op))
            socket_op(l, &op);
    } while (own && socket_due(l));
    if (!own && l->waiting && (!list_empty(&l->due) || weft_siw_deadline(l->siw) < l->alarm_at)) {
        IW_PAUSE(IW_POINT_WAKE);
        iw_loop_wake(l);
    }
}

/* Rounded up: a timer that rings early would ring again and again. One that is set for a time
 * before stays: it costs less to wake once for nothing than to set it at every turn. */
static void alarm_set(struct iw_loop *l, weft_time now, weft_time at)
{
    if (at >= l->alarm_at)
        return;
    l->alarm_at = at;
    uv_update_time(&l->uv);
    (void)uv_timer_start(&l->alarm, on_alarm, (at - now + WEFT_MS - 1) / WEFT_MS, 0);
}

void iw_loop_turn(struct iw_loop *l, weft_time wait)
{
    weft_time now, until;

    iw_loop_pump(l);
    if (l->guard && !l->guard->idle(l->guard->context))
        wait = 0;
    now = iw_loop_now();
    until = weft_siw_deadline(l->siw);
    if (wait < WAIT_MAX && now + wait < until)
        until = now + wait;
    if (until > now) {
        alarm_set(l, now, until);
        (void)uv_run(&l->uv, UV_RUN_ONCE);
    } else {
        (void)uv_run(&l->uv, UV_RUN_NOWAIT);
    }
    loop_enter(l);
    (void)weft_siw_advance(l->siw, iw_loop_now());
    iw_loop_pump(l);
}
