/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The worker: turns of the loop, and all callbacks. */
#include "iw/facade.h"
#include "iw/pause.h"

#include <stdlib.h>

/* After so many the sockets are looked at again. */
#define CALLBACKS_PER_TURN 64

static void callback_run(struct weft_iw *iw, struct identity *who)
{
    struct event_node *e = identity_oldest(who);
    struct identity *subject = who;
    weft_iw_callback callback = who->callback;
    void *context = who->context;
    int verdict;

    WEFT_ASSERT(e && callback);
    if (!e)
        return;
    if (e->child) {
        subject = e->child;
        who->waiting--;
        subject->callback = callback;
        subject->context = context;
        subject->running++;
    }
    /* a request's callback is the listener's, too */
    who->running++;
    facade_offer(iw, who);
    IW_PAUSE(IW_POINT_CALLBACK);
    (void)pthread_mutex_unlock(&iw->mutex);
    verdict = callback(iw, &e->event, context);
    IW_PAUSE(IW_POINT_CALLED);
    facade_lock(iw);
    who->running--;
    if (e->child)
        subject->running--;
    free(e);
    if (verdict != 0 && !subject->given_up)
        facade_give_up(iw, subject);
    facade_changed(iw);
    if (subject != who)
        (void)identity_free_if_left(&iw->ids, subject);
    (void)identity_free_if_left(&iw->ids, who);
}

static void callbacks_run(struct weft_iw *iw)
{
    for (int i = 0; i < CALLBACKS_PER_TURN && !iw->stop; i++) {
        struct list_node *n = list_pop_front(&iw->ready);

        if (!n)
            return;
        callback_run(iw, WEFT_CONTAINER_OF(n, struct identity, ready));
        facade_settle(iw);
    }
}

void *worker_main(void *arg)
{
    struct weft_iw *iw = arg;

    facade_lock(iw);
    /* pthread_create() may not have written it yet */
    iw->worker = pthread_self();
    loop_share(iw->loop, &iw->guard);
    iw->started = true;
    (void)pthread_cond_broadcast(&iw->changed);
    while (!iw->stop) {
        iw_loop_turn(iw->loop, WEFT_TIME_NEVER);
        facade_settle(iw);
        callbacks_run(iw);
    }
    (void)pthread_mutex_unlock(&iw->mutex);
    return NULL;
}
