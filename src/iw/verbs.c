/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Verbs under the facade's lock, and waiting for completions. */
#include "iw/error.h"
#include "iw/facade.h"

#include <errno.h>

static struct weft_siw *siw_of(struct weft_iw *iw)
{
    return iw_loop_siw(iw->loop);
}

static int verb_end(struct weft_iw *iw, enum error_call call, int err)
{
    facade_leave(iw);
    return error_of(call, err);
}

int weft_iw_cq_create(struct weft_iw *iw, uint32_t entries, uint32_t *ret_cqn)
{
    facade_lock(iw);
    return verb_end(iw, ERROR_OPEN, weft_siw_cq_create(siw_of(iw), entries, ret_cqn));
}

int weft_iw_cq_destroy(struct weft_iw *iw, uint32_t cqn)
{
    int err;

    facade_lock(iw);
    err = weft_siw_cq_destroy(siw_of(iw), cqn);
    /* the number may come again before they wake */
    for (struct list_node *n = iw->cq_waits.next; !err && n != &iw->cq_waits; n = n->next) {
        struct cq_wait *w = WEFT_CONTAINER_OF(n, struct cq_wait, link);

        if (w->cqn == cqn)
            w->ended = true;
    }
    facade_changed(iw);
    return verb_end(iw, ERROR_OTHER, err);
}

int weft_iw_qp_create(struct weft_iw *iw, const struct weft_siw_qp_config *c, uint32_t *ret_qpn)
{
    facade_lock(iw);
    return verb_end(iw, ERROR_OPEN, weft_siw_qp_create(siw_of(iw), c, ret_qpn));
}

/* Whether the connection of a QP that cannot be destroyed yet is ending by itself. */
static bool qp_ends(struct weft_iw *iw, uint32_t qpn)
{
    struct weft_iwcm *cm = iw_loop_cm(iw->loop);
    enum weft_iwcm_state state;
    weft_iwcm_id owner;

    return weft_iwcm_qp_owner(cm, qpn, &owner) == 0 && weft_iwcm_state(cm, owner, &state) == 0 &&
           (state == WEFT_IWCM_CLOSING || state == WEFT_IWCM_DESTROYING);
}

int weft_iw_qp_destroy(struct weft_iw *iw, uint32_t qpn)
{
    int err;

    facade_lock(iw);
    while ((err = weft_siw_qp_destroy(siw_of(iw), qpn)) == WEFT_ERR_STATE && qp_ends(iw, qpn)) {
        if (facade_is_worker(iw)) {
            facade_leave(iw);
            return -EDEADLK;
        }
        (void)facade_wait(iw, WEFT_TIME_NEVER);
    }
    return verb_end(iw, ERROR_OTHER, err);
}

int weft_iw_qp_reset(struct weft_iw *iw, uint32_t qpn)
{
    facade_lock(iw);
    return verb_end(iw, ERROR_OTHER, weft_siw_qp_reset(siw_of(iw), qpn));
}

int weft_iw_qp_query(struct weft_iw *iw, uint32_t qpn, struct weft_siw_qp_info *ret)
{
    facade_lock(iw);
    return verb_end(iw, ERROR_OTHER, weft_siw_qp_query(siw_of(iw), qpn, ret));
}

int weft_iw_register(struct weft_iw *iw, const struct weft_siw_region *r, uint32_t *ret_stag)
{
    facade_lock(iw);
    return verb_end(iw, ERROR_OPEN, weft_siw_region_register(siw_of(iw), r, ret_stag));
}

int weft_iw_deregister(struct weft_iw *iw, uint32_t stag)
{
    facade_lock(iw);
    return verb_end(iw, ERROR_OTHER, weft_siw_region_deregister(siw_of(iw), stag));
}

int weft_iw_post_send(struct weft_iw *iw, uint32_t qpn, const struct weft_siw_send *wr)
{
    facade_lock(iw);
    return verb_end(iw, ERROR_POST, weft_siw_post_send(siw_of(iw), iw_loop_now(), qpn, wr));
}

int weft_iw_post_recv(struct weft_iw *iw, uint32_t qpn, const struct weft_siw_recv *wr)
{
    facade_lock(iw);
    return verb_end(iw, ERROR_POST, weft_siw_post_recv(siw_of(iw), qpn, wr));
}

static uint32_t cq_take(struct weft_iw *iw, uint32_t cqn, uint32_t count, struct weft_siw_wc *ret)
{
    uint32_t n = 0;

    while (n < count && weft_siw_cq_poll(siw_of(iw), cqn, &ret[n]))
        n++;
    return n;
}

static int count_of(uint32_t n)
{
    return n < INT32_MAX ? (int)n : INT32_MAX;
}

int weft_iw_poll(struct weft_iw *iw, uint32_t cqn, uint32_t count, struct weft_siw_wc *ret)
{
    uint32_t n;
    int err = 0;

    facade_lock(iw);
    n = cq_take(iw, cqn, count < INT32_MAX ? count : INT32_MAX, ret);
    /* nothing: is there such a queue? An event that nobody waits for does no harm. */
    if (n == 0)
        err = weft_siw_cq_arm(siw_of(iw), cqn, false);
    facade_leave(iw);
    return err ? error_of(ERROR_OTHER, err) : count_of(n);
}

/* @return how many, or a negative errno */
static int cq_wait(struct weft_iw *iw, struct cq_wait *w, uint32_t count, weft_time until,
                   struct weft_siw_wc *ret)
{
    bool late = false;

    for (;;) {
        uint32_t n;

        if (w->ended)
            return -ENOENT;
        w->something = false;
        n = cq_take(iw, w->cqn, count, ret);
        if (n > 0 || count == 0)
            return count_of(n);
        if (late)
            return -ETIMEDOUT;
        /* what is made from here on, under the lock, raises an event */
        if (weft_siw_cq_arm(siw_of(iw), w->cqn, false))
            return -ENOENT;
        while (!w->something && !w->ended && !late)
            late = !facade_wait(iw, until);
    }
}

int weft_iw_wait_cq(struct weft_iw *iw, uint32_t cqn, uint32_t count, int timeout_ms,
                    struct weft_siw_wc *ret)
{
    struct cq_wait w = {.cqn = cqn};
    weft_time until = WEFT_TIME_NEVER;
    int result;

    if (facade_is_worker(iw))
        return -EDEADLK;
    if (timeout_ms >= 0)
        until = iw_loop_now() + (weft_time)timeout_ms * WEFT_MS;
    facade_lock(iw);
    list_init(&w.link);
    list_push_back(&iw->cq_waits, &w.link);
    result = cq_wait(iw, &w, count < INT32_MAX ? count : INT32_MAX, until, ret);
    list_remove(&w.link);
    facade_leave(iw);
    return result;
}

void weft_iw_stats(struct weft_iw *iw, struct weft_siw_stats *ret)
{
    facade_lock(iw);
    weft_siw_stats(siw_of(iw), ret);
    facade_leave(iw);
}
