/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the provider tells: checked against what it holds and against the table, then done. */
#include "core/iwcm/manager.h"

static bool valid(const struct weft_iwcm_upcall *u, const weft_iwcm_id *ret_child)
{
    if ((unsigned)u->type >= WEFT_IWCM_UPS || (unsigned)u->status >= WEFT_IWCM_STATUSES)
        return false;
    if (u->type == WEFT_IWCM_UP_DISCONNECT || u->type == WEFT_IWCM_UP_CLOSE)
        return true;
    if (u->type == WEFT_IWCM_UP_REQUEST && !ret_child)
        return false;
    return u->peer.private_bytes <= WEFT_IWCM_PRIVATE_MAX &&
           (u->peer.private_bytes == 0 || u->peer.private_data);
}

static enum iwcm_input upcall_input(const struct weft_iwcm_upcall *u)
{
    switch (u->type) {
    case WEFT_IWCM_UP_REQUEST:
        return IWCM_IN_UP_REQUEST;
    case WEFT_IWCM_UP_REPLY:
        return u->status == WEFT_IWCM_OK ? IWCM_IN_UP_REPLY_OK : IWCM_IN_UP_REPLY_FAILED;
    case WEFT_IWCM_UP_ESTABLISHED:
        return IWCM_IN_UP_ESTABLISHED;
    case WEFT_IWCM_UP_DISCONNECT:
        return IWCM_IN_UP_DISCONNECT;
    case WEFT_IWCM_UP_CLOSE:
    case WEFT_IWCM_UPS:
        break;
    }
    return IWCM_IN_UP_CLOSE;
}

/* Peer and addresses, as the next event tells them. */
static void learn(struct weft_iwcm *cm, struct iwcm_id *c, const struct weft_iwcm_upcall *u)
{
    iwcm_terms_set(cm, &c->peer, &u->peer);
    if (u->local.family != 0)
        c->local = u->local;
    if (u->remote.family != 0)
        c->remote = u->remote;
}

static int requested(struct weft_iwcm *cm, struct iwcm_id *listener,
                     const struct weft_iwcm_upcall *u, weft_iwcm_id *ret_child)
{
    struct iwcm_id *c;

    if (listener->requests >= listener->backlog) {
        cm->stats.backlog_full++;
        return WEFT_ERR_FULL;
    }
    c = iwcm_take(cm, WEFT_IWCM_CONN_RECV, listener->user_data);
    if (!c)
        return WEFT_ERR_FULL;
    c->provider = u->provider;
    c->listener = listener;
    list_push_back(&listener->children, &c->sibling);
    listener->requests++;
    iwcm_hold_begin(c, HOLD_REQUEST);
    learn(cm, c, u);
    iwcm_event_put(cm, c, WEFT_IWCM_EVENT_REQUEST, WEFT_IWCM_CALLS, WEFT_IWCM_OK);
    *ret_child = iwcm_handle(cm, c);
    return 0;
}

/* The connection is up: the client hears of it, or it is aborted. */
static void up(struct weft_iwcm *cm, struct iwcm_id *c, const struct weft_iwcm_upcall *u,
               enum weft_iwcm_event_type event)
{
    iwcm_hold_begin(c, HOLD_CONNECTION);
    if (c->state != WEFT_IWCM_DESTROYING) {
        learn(cm, c, u);
        iwcm_event_put(cm, c, event, WEFT_IWCM_CALLS, WEFT_IWCM_OK);
    }
    iwcm_decide(cm, c);
}

static void not_up(struct weft_iwcm *cm, struct iwcm_id *c, const struct weft_iwcm_upcall *u)
{
    if (c->state != WEFT_IWCM_DESTROYING) {
        learn(cm, c, u);
        iwcm_event_put(cm, c, WEFT_IWCM_EVENT_REPLY, WEFT_IWCM_CALLS, u->status);
    }
    iwcm_hold_end(cm, c);
}

/* Disconnects that were not DONE yet are now: one with the provider, and one that waits for it. */
static void closed(struct weft_iwcm *cm, struct iwcm_id *c, enum weft_iwcm_status status)
{
    bool given = c->busy == WEFT_IWCM_CMD_CLOSE || c->busy == WEFT_IWCM_CMD_ABORT;
    bool waits = c->end > c->told;

    if (c->state != WEFT_IWCM_DESTROYING) {
        for (int i = 0; i < given + waits; i++)
            iwcm_event_put(cm, c, WEFT_IWCM_EVENT_DONE, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
        iwcm_event_put(cm, c, WEFT_IWCM_EVENT_CLOSED, WEFT_IWCM_CALLS, status);
    }
    iwcm_hold_end(cm, c);
}

static int upcall(struct weft_iwcm *cm, weft_iwcm_id id, const struct weft_iwcm_upcall *u,
                  weft_iwcm_id *ret_child)
{
    struct iwcm_id *c = iwcm_find(cm, id);
    enum iwcm_verdict verdict;

    if (!c)
        return WEFT_ERR_STALE;
    if (!valid(u, ret_child))
        return WEFT_ERR_INVALID;
    verdict = iwcm_may_say(c, u->type) ? iwcm_step(c, upcall_input(u)) : IWCM_VIOLATION;
    if (verdict == IWCM_VIOLATION)
        return WEFT_ERR_STATE;
    switch (u->type) {
    case WEFT_IWCM_UP_REQUEST:
        return verdict == IWCM_IGNORE ? WEFT_ERR_FULL : requested(cm, c, u, ret_child);
    case WEFT_IWCM_UP_REPLY:
        if (u->status == WEFT_IWCM_OK)
            up(cm, c, u, WEFT_IWCM_EVENT_REPLY);
        else
            not_up(cm, c, u);
        break;
    case WEFT_IWCM_UP_ESTABLISHED:
        up(cm, c, u, WEFT_IWCM_EVENT_ESTABLISHED);
        break;
    case WEFT_IWCM_UP_CLOSE:
        closed(cm, c, u->status);
        break;
    case WEFT_IWCM_UP_DISCONNECT: /* the state is all that changes */
    case WEFT_IWCM_UPS:
        break;
    }
    return 0;
}

int weft_iwcm_upcall(struct weft_iwcm *cm, weft_iwcm_id id, const struct weft_iwcm_upcall *u,
                     weft_iwcm_id *ret_child)
{
    int err = upcall(cm, id, u, ret_child);

    cm->stats.violations += err < 0 && err != WEFT_ERR_FULL;
    return err;
}
