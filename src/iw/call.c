/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The calls that connect: create, listen, connect, accept, reject, disconnect, destroy, wait. */
#include "iw/address.h"
#include "iw/error.h"
#include "iw/facade.h"

#include <errno.h>

/* REPLY or ESTABLISHED, and CLOSED. */
#define EVENTS_OF_CONNECTION 2

static struct weft_iwcm *cm_of(struct weft_iw *iw)
{
    return iw_loop_cm(iw->loop);
}

/* Locks, too. NULL: the id is gone. */
static struct identity *call_begin(struct weft_iw *iw, weft_iw_id id)
{
    struct identity *who;

    facade_lock(iw);
    who = identity_find(&iw->ids, id.v);
    return who && !who->given_up ? who : NULL;
}

static int call_end(struct weft_iw *iw, int err)
{
    facade_leave(iw);
    return err;
}

/* Begins to look at an id across a wait, and ends. */
static void visit(struct identity *who)
{
    who->visitors++;
}

static void visit_end(struct weft_iw *iw, struct identity *who)
{
    who->visitors--;
    (void)identity_free_if_left(&iw->ids, who);
}

/* Waits for the core's DONE of a call that it has taken. The id may be freed by this. */
static int call_done(struct weft_iw *iw, struct identity *who, enum weft_iwcm_call call,
                     enum weft_iwcm_status *ret)
{
    struct identity_calls *calls = &who->calls[call];
    uint32_t ticket = ++calls->begun;
    int err = 0;

    visit(who);
    facade_settle(iw);
    who->dialing = false;
    while ((int32_t)(calls->done - ticket) < 0 && !who->given_up)
        (void)facade_wait(iw, WEFT_TIME_NEVER);
    if ((int32_t)(calls->done - ticket) < 0)
        err = -ESTALE;
    else
        *ret = calls->status;
    return err;
}

int weft_iw_create(struct weft_iw *iw, weft_iw_callback callback, void *context, weft_iw_id *ret)
{
    struct identity *who;
    int err;

    facade_lock(iw);
    who = identity_new(&iw->ids);
    if (!who)
        return call_end(iw, -ENOMEM);
    who->callback = callback;
    who->context = context;
    err = weft_iwcm_create(cm_of(iw), who->id.v, &who->cm);
    if (err) {
        who->gone = true;
        (void)identity_free_if_left(&iw->ids, who);
        return call_end(iw, error_of(ERROR_OPEN, err));
    }
    *ret = who->id;
    return call_end(iw, 0);
}

int weft_iw_set_callback(struct weft_iw *iw, weft_iw_id id, weft_iw_callback callback,
                         void *context)
{
    struct identity *who = call_begin(iw, id);

    if (!who)
        return call_end(iw, -ESTALE);
    who->callback = callback;
    who->context = context;
    facade_offer(iw, who);
    return call_end(iw, 0);
}

static int connect_error(enum weft_iwcm_status status)
{
    /* what a reply calls EHOSTUNREACH comes from far away */
    return status == WEFT_IWCM_UNREACHABLE ? -ENETUNREACH : error_of_status(status);
}

int weft_iw_connect(struct weft_iw *iw, weft_iw_id id, const struct sockaddr *from,
                    const struct sockaddr *to, const struct weft_iwcm_param *p)
{
    enum weft_iwcm_status status = WEFT_IWCM_OK;
    struct weft_iw_addr own, peer;
    struct identity *who;
    int err;

    if ((from && !address_from_sockaddr(from, &own)) || !address_from_sockaddr(to, &peer))
        return -EINVAL;
    who = call_begin(iw, id);
    if (!who)
        return call_end(iw, -ESTALE);
    if (!identity_reserve(who, EVENTS_OF_CONNECTION))
        return call_end(iw, -ENOMEM);
    err = weft_iwcm_connect(cm_of(iw), who->cm, from ? &own : NULL, &peer, p);
    if (err)
        return call_end(iw, error_of(ERROR_BEGIN, err));
    who->dialing = true;
    who->dialed = WEFT_IWCM_OK;
    err = call_done(iw, who, WEFT_IWCM_CALL_CONNECT, &status);
    if (!err)
        err = connect_error(status != WEFT_IWCM_OK ? status : who->dialed);
    visit_end(iw, who);
    return call_end(iw, err);
}

static int listen_error(const struct identity *who, enum weft_iwcm_status status)
{
    if (status == WEFT_IWCM_ADDRESS)
        return who->error != 0 ? -who->error : -EADDRINUSE;
    return error_of_status(status);
}

int weft_iw_listen(struct weft_iw *iw, weft_iw_id id, const struct sockaddr *at, uint32_t backlog,
                   struct sockaddr_storage *ret_local)
{
    enum weft_iwcm_status status = WEFT_IWCM_OK;
    struct weft_iw_addr own;
    struct identity *who;
    int err;

    if (!address_from_sockaddr(at, &own))
        return -EINVAL;
    who = call_begin(iw, id);
    if (!who)
        return call_end(iw, -ESTALE);
    err = weft_iwcm_listen(cm_of(iw), who->cm, &own, backlog);
    if (err)
        return call_end(iw, error_of(ERROR_BEGIN, err));
    who->backlog = backlog > 0 ? backlog : iw->backlog;
    err = call_done(iw, who, WEFT_IWCM_CALL_LISTEN, &status);
    if (!err)
        err = listen_error(who, status);
    if (!err && ret_local)
        (void)address_to_sockaddr(&who->local, ret_local);
    visit_end(iw, who);
    return call_end(iw, err);
}

int weft_iw_accept(struct weft_iw *iw, weft_iw_id id, const struct weft_iwcm_param *p)
{
    enum weft_iwcm_status status = WEFT_IWCM_OK;
    struct identity *who = call_begin(iw, id);
    int err;

    if (!who)
        return call_end(iw, -ESTALE);
    if (!identity_reserve(who, EVENTS_OF_CONNECTION))
        return call_end(iw, -ENOMEM);
    err = weft_iwcm_accept(cm_of(iw), who->cm, p);
    if (err)
        return call_end(iw, error_of(ERROR_CARRY_ON, err));
    err = call_done(iw, who, WEFT_IWCM_CALL_ACCEPT, &status);
    visit_end(iw, who);
    return call_end(iw, err ? err : error_of_status(status));
}

int weft_iw_reject(struct weft_iw *iw, weft_iw_id id, const void *private_data, uint16_t bytes)
{
    enum weft_iwcm_status status = WEFT_IWCM_OK;
    struct identity *who = call_begin(iw, id);
    int err;

    if (!who)
        return call_end(iw, -ESTALE);
    err = weft_iwcm_reject(cm_of(iw), who->cm, private_data, bytes);
    if (err)
        return call_end(iw, error_of(ERROR_CARRY_ON, err));
    err = call_done(iw, who, WEFT_IWCM_CALL_REJECT, &status);
    visit_end(iw, who);
    return call_end(iw, err);
}

int weft_iw_disconnect(struct weft_iw *iw, weft_iw_id id, bool abrupt)
{
    enum weft_iwcm_status status = WEFT_IWCM_OK;
    struct identity *who = call_begin(iw, id);
    int err;

    if (!who)
        return call_end(iw, -ESTALE);
    err = weft_iwcm_disconnect(cm_of(iw), who->cm, abrupt);
    if (err)
        return call_end(iw, error_of(ERROR_CARRY_ON, err));
    err = call_done(iw, who, WEFT_IWCM_CALL_DISCONNECT, &status);
    visit_end(iw, who);
    return call_end(iw, err);
}

int weft_iw_destroy(struct weft_iw *iw, weft_iw_id id)
{
    struct identity *who;
    bool second;

    if (facade_is_worker(iw))
        return -EDEADLK;
    facade_lock(iw);
    who = identity_find(&iw->ids, id.v);
    if (!who)
        return call_end(iw, -ESTALE);
    second = who->given_up;
    if (!second)
        facade_give_up(iw, who);
    visit(who);
    facade_settle(iw);
    while (!who->gone || who->running > 0)
        (void)facade_wait(iw, WEFT_TIME_NEVER);
    visit_end(iw, who);
    return call_end(iw, second ? -ESTALE : 0);
}

int weft_iw_destroy_later(struct weft_iw *iw, weft_iw_id id)
{
    struct identity *who = call_begin(iw, id);

    if (!who)
        return call_end(iw, -ESTALE);
    facade_give_up(iw, who);
    return call_end(iw, 0);
}

static int event_wait(struct weft_iw *iw, struct identity *who, int timeout_ms,
                      struct event_node **ret)
{
    weft_time until = WEFT_TIME_NEVER;
    bool late = false;

    if (timeout_ms >= 0)
        until = iw_loop_now() + (weft_time)timeout_ms * WEFT_MS;
    for (;;) {
        if (who->given_up)
            return -ESTALE;
        if (who->callback)
            return -EINVAL;
        *ret = identity_oldest(who);
        if (*ret)
            return 0;
        if (late)
            return -ETIMEDOUT;
        late = !facade_wait(iw, until);
    }
}

int weft_iw_wait(struct weft_iw *iw, weft_iw_id id, int timeout_ms, struct weft_iw_event *ret)
{
    struct event_node *e = NULL;
    struct identity *who;
    int err;

    if (facade_is_worker(iw))
        return -EDEADLK;
    who = call_begin(iw, id);
    if (!who)
        return call_end(iw, -ESTALE);
    visit(who);
    identity_unshow(who);
    facade_settle(iw);
    err = event_wait(iw, who, timeout_ms, &e);
    if (e) {
        /* another thread may have been given one meanwhile */
        identity_unshow(who);
        who->shown = e;
        if (e->child)
            who->waiting--;
        *ret = e->event;
    }
    visit_end(iw, who);
    return call_end(iw, err);
}

int weft_iw_state(struct weft_iw *iw, weft_iw_id id, enum weft_iwcm_state *ret)
{
    struct identity *who = call_begin(iw, id);

    if (!who)
        return call_end(iw, -ESTALE);
    return call_end(iw, error_of(ERROR_OTHER, weft_iwcm_state(cm_of(iw), who->cm, ret)));
}
