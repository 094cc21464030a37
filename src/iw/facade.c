/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The facade as a whole: opening, closing, the lock, who waits and who is woken. */
#include "iw/facade.h"

#include "iw/address.h"
#include "iw/error.h"
#include "iw/pause.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/random.h>

#ifdef WEFT_IW_PAUSES
static void no_pause(enum iw_point point)
{
    (void)point;
}

void (*iw_pause)(enum iw_point point) = no_pause;
#endif

bool facade_is_worker(const struct weft_iw *iw)
{
    return pthread_equal(pthread_self(), iw->worker) != 0;
}

void facade_lock(struct weft_iw *iw)
{
    IW_PAUSE(IW_POINT_LOCK);
    (void)pthread_mutex_lock(&iw->mutex);
}

static void facade_unlock(struct weft_iw *iw)
{
    IW_PAUSE(IW_POINT_UNLOCK);
    (void)pthread_mutex_unlock(&iw->mutex);
    IW_PAUSE(IW_POINT_UNLOCKED);
}

void facade_settle(struct weft_iw *iw)
{
    do
        iw_loop_pump(iw->loop);
    while (events_take(iw));
    if (!list_empty(&iw->ready) && iw->loop->waiting) {
        IW_PAUSE(IW_POINT_WAKE);
        iw_loop_wake(iw->loop);
    }
}

void facade_leave(struct weft_iw *iw)
{
    facade_settle(iw);
    facade_unlock(iw);
}

void facade_changed(struct weft_iw *iw)
{
    if (iw->sleepers > 0)
        (void)pthread_cond_broadcast(&iw->changed);
}

bool facade_wait(struct weft_iw *iw, weft_time until)
{
    struct timespec t = {.tv_sec = (time_t)(until / WEFT_S), .tv_nsec = (long)(until % WEFT_S)};
    int err;

    if (facade_is_worker(iw)) {
        iw_loop_turn(iw->loop, WEFT_MS);
        facade_settle(iw);
        return true;
    }
    IW_PAUSE(IW_POINT_UNLOCK);
    iw->sleepers++;
    if (until == WEFT_TIME_NEVER)
        err = pthread_cond_wait(&iw->changed, &iw->mutex);
    else
        err = pthread_cond_timedwait(&iw->changed, &iw->mutex, &t);
    iw->sleepers--;
    return err != ETIMEDOUT;
}

void facade_offer(struct weft_iw *iw, struct identity *who)
{
    bool wanted = who->callback && !who->given_up && !list_empty(&who->events);

    if (wanted && list_empty(&who->ready))
        list_push_back(&iw->ready, &who->ready);
    else if (!wanted)
        list_remove(&who->ready);
    facade_changed(iw);
}

static void identity_retire(struct weft_iw *iw, struct identity *who)
{
    if (who->given_up)
        return;
    who->given_up = true;
    (void)weft_iwcm_destroy(iw_loop_cm(iw->loop), who->cm);
}

void facade_give_up(struct weft_iw *iw, struct identity *who)
{
    struct list_node *n;

    identity_retire(iw, who);
    while ((n = list_pop_front(&who->events))) {
        struct event_node *e = WEFT_CONTAINER_OF(n, struct event_node, link);

        /* of that request nobody knows */
        if (e->child)
            identity_retire(iw, e->child);
        free(e);
    }
    facade_offer(iw, who);
}

static void guard_lock(void *context)
{
    facade_lock(context);
}

static void guard_unlock(void *context)
{
    facade_unlock(context);
}

static bool guard_idle(void *context)
{
    struct weft_iw *iw = context;

    facade_settle(iw);
    return list_empty(&iw->ready) && !iw->stop;
}

/* Signals are the program's: its own threads are there for them. */
static int worker_start(struct weft_iw *iw)
{
    sigset_t all, before;
    int err;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    err = pthread_create(&iw->worker, NULL, worker_main, iw);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (err)
        return -EAGAIN;
    while (!iw->started)
        (void)pthread_cond_wait(&iw->changed, &iw->mutex);
    return 0;
}

static int locks_open(struct weft_iw *iw)
{
    pthread_condattr_t clock;

    if (pthread_mutex_init(&iw->mutex, NULL) != 0)
        return -ENOMEM;
    (void)pthread_condattr_init(&clock);
    (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&iw->changed, &clock);
    (void)pthread_condattr_destroy(&clock);
    return 0;
}

static void facade_free(struct weft_iw *iw)
{
    (void)iw_loop_free(iw->loop);
    identities_free(&iw->ids);
    (void)pthread_cond_destroy(&iw->changed);
    (void)pthread_mutex_destroy(&iw->mutex);
    free(iw);
}

static int loop_open(struct weft_iw *iw, const struct weft_iw_config *c)
{
    struct weft_siw_config siw = c->siw;
    int err;

    if (siw.seed == 1 && getrandom(&siw.seed, sizeof(siw.seed), 0) < 0)
        return -EIO;
    errno = 0;
    err = iw_loop_new(&c->cm, &siw, &iw->loop);
    if (err == WEFT_ERR_NOMEM && errno == EMFILE)
        return -EMFILE;
    return error_of(ERROR_OPEN, err);
}

int weft_iw_open(const struct weft_iw_config *c, struct weft_iw **ret)
{
    static const struct weft_iw_config defaults = WEFT_IW_CONFIG_INIT;
    struct weft_iw *iw;
    int err;

    if (!c)
        c = &defaults;
    if (c->size != sizeof(*c))
        return -EINVAL;
    iw = calloc(1, sizeof(*iw));
    if (!iw)
        return -ENOMEM;
    if (locks_open(iw)) {
        free(iw);
        return -ENOMEM;
    }
    iw->guard = (struct iw_guard){guard_lock, guard_unlock, guard_idle, iw};
    iw->backlog = c->cm.backlog;
    list_init(&iw->ready);
    list_init(&iw->cq_waits);
    err = loop_open(iw, c);
    if (!err)
        err = error_of(ERROR_OPEN, identities_new(&iw->ids, c->cm.ids));
    if (!err) {
        (void)pthread_mutex_lock(&iw->mutex);
        err = worker_start(iw);
        (void)pthread_mutex_unlock(&iw->mutex);
    }
    if (err) {
        facade_free(iw);
        return err;
    }
    *ret = iw;
    return 0;
}

int weft_iw_close(struct weft_iw *iw)
{
    if (!iw)
        return 0;
    if (facade_is_worker(iw))
        return -EDEADLK;
    facade_lock(iw);
    iw->stop = true;
    iw_loop_wake(iw->loop);
    facade_unlock(iw);
    (void)pthread_join(iw->worker, NULL);
    facade_free(iw);
    return 0;
}
