/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The client's calls. */
#include "core/iwcm/manager.h"

struct iwcm_id *iwcm_known(const struct weft_iwcm *cm, weft_iwcm_id id)
{
    struct iwcm_id *c = iwcm_find(cm, id);

    return c && c->known ? c : NULL;
}

int weft_iwcm_create(struct weft_iwcm *cm, uint64_t user_data, weft_iwcm_id *ret)
{
    struct iwcm_id *c = iwcm_take(cm, WEFT_IWCM_IDLE, user_data);

    if (!c)
        return WEFT_ERR_FULL;
    c->known = true;
    *ret = iwcm_handle(cm, c);
    return 0;
}

/* Whether the client may call at all.
 * @return 0, or the error to answer */
static int allowed(struct iwcm_id *c, enum iwcm_input input)
{
    if (!c)
        return WEFT_ERR_STALE;
    if (iwcm_fsm_cell((enum weft_iwcm_state)c->state, input).verdict == IWCM_REFUSE)
        return WEFT_ERR_STATE;
    return c->events_waiting >= EVENTS_BEFORE_CALL ? WEFT_ERR_FULL : 0;
}

/* Whether a call may give a command that needs the provider to hold just that. */
static int allowed_now(struct iwcm_id *c, enum iwcm_input input, enum hold hold)
{
    int err = allowed(c, input);

    if (err < 0)
        return err;
    if (c->busy != BUSY_NONE || c->hold != hold)
        return WEFT_ERR_STATE;
    /* it has the terms of one event at a time */
    return iwcm_event_tells_terms(c) ? WEFT_ERR_FULL : 0;
}

static bool address_valid(const struct weft_iw_addr *a)
{
    return a->family == 4 || a->family == 6;
}

static bool param_valid(const struct weft_iwcm_param *p)
{
    return p->private_bytes <= WEFT_IWCM_PRIVATE_MAX && (p->private_bytes == 0 || p->private_data);
}

static void give(struct weft_iwcm *cm, struct iwcm_id *c, enum weft_iwcm_cmd_type type,
                 const struct weft_iwcm_param *p)
{
    iwcm_terms_set(cm, &c->own, p);
    iwcm_cmd_give(cm, c, type);
}

int weft_iwcm_connect(struct weft_iwcm *cm, weft_iwcm_id id, const struct weft_iw_addr *from,
                      const struct weft_iw_addr *to, const struct weft_iwcm_param *p)
{
    struct iwcm_id *c = iwcm_known(cm, id);
    int err = allowed_now(c, IWCM_IN_CONNECT, HOLD_NONE);

    if (err < 0)
        return err;
    if (!address_valid(to) || !param_valid(p) ||
        (from && from->family != 0 && from->family != to->family))
        return WEFT_ERR_INVALID;
    err = iwcm_qp_free(cm, p->qpn);
    if (err < 0)
        return err;
    iwcm_step(c, IWCM_IN_CONNECT);
    c->local = from ? *from : (struct weft_iw_addr){0};
    c->remote = *to;
    iwcm_qp_bind(cm, c, p->qpn);
    give(cm, c, WEFT_IWCM_CMD_CONNECT, p);
    return 0;
}

int weft_iwcm_listen(struct weft_iwcm *cm, weft_iwcm_id id, const struct weft_iw_addr *at,
                     uint32_t backlog)
{
    struct iwcm_id *c = iwcm_known(cm, id);
    int err = allowed_now(c, IWCM_IN_LISTEN, HOLD_NONE);

    if (err < 0)
        return err;
    if (!address_valid(at))
        return WEFT_ERR_INVALID;
    iwcm_step(c, IWCM_IN_LISTEN);
    c->local = *at;
    c->remote = (struct weft_iw_addr){0};
    c->backlog = backlog > 0 ? backlog : cm->config.backlog;
    iwcm_cmd_give(cm, c, WEFT_IWCM_CMD_LISTEN);
    return 0;
}

int weft_iwcm_accept(struct weft_iwcm *cm, weft_iwcm_id id, const struct weft_iwcm_param *p)
{
    struct iwcm_id *c = iwcm_known(cm, id);
    int err = allowed_now(c, IWCM_IN_ACCEPT, HOLD_REQUEST);

    if (err < 0)
        return err;
    if (!param_valid(p))
        return WEFT_ERR_INVALID;
    err = iwcm_qp_free(cm, p->qpn);
    if (err < 0)
        return err;
    iwcm_step(c, IWCM_IN_ACCEPT);
    iwcm_qp_bind(cm, c, p->qpn);
    give(cm, c, WEFT_IWCM_CMD_ACCEPT, p);
    return 0;
}

int weft_iwcm_reject(struct weft_iwcm *cm, weft_iwcm_id id, const void *private_data,
                     uint16_t bytes)
{
    struct weft_iwcm_param p = {.private_data = private_data, .private_bytes = bytes};
    struct iwcm_id *c = iwcm_known(cm, id);
    int err = allowed_now(c, IWCM_IN_REJECT, HOLD_REQUEST);

    if (err < 0)
        return err;
    if (!param_valid(&p))
        return WEFT_ERR_INVALID;
    iwcm_step(c, IWCM_IN_REJECT);
    c->told = ENDING_ABRUPT;
    give(cm, c, WEFT_IWCM_CMD_REJECT, &p);
    return 0;
}

static void done_at_once(struct weft_iwcm *cm, struct iwcm_id *c)
{
    iwcm_event_put(cm, c, WEFT_IWCM_EVENT_DONE, WEFT_IWCM_CALL_DISCONNECT, WEFT_IWCM_OK);
}

/* Ending a connection harder than it is being ended. */
static void escalate(struct weft_iwcm *cm, struct iwcm_id *c)
{
    if (c->end > c->told)
        done_at_once(cm, c); /* one that waits becomes this one: its call is done */
    c->end = ENDING_ABRUPT;
    iwcm_decide(cm, c);
}

int weft_iwcm_disconnect(struct weft_iwcm *cm, weft_iwcm_id id, bool abrupt)
{
    enum ending ending = abrupt ? ENDING_ABRUPT : ENDING_ORDERLY;
    struct iwcm_id *c = iwcm_known(cm, id);
    int err = allowed(c, IWCM_IN_DISCONNECT);

    if (err < 0)
        return err;
    if (iwcm_step(c, IWCM_IN_DISCONNECT) == IWCM_TO) {
        c->end = (uint8_t)ending;
        iwcm_decide(cm, c);
    } else if (c->state == WEFT_IWCM_CLOSING && abrupt && c->end != ENDING_ABRUPT) {
        escalate(cm, c);
    } else {
        done_at_once(cm, c);
    }
    return 0;
}

/* The rest of destroy, once the state says so. */
static void end(struct weft_iwcm *cm, struct iwcm_id *c)
{
    iwcm_events_drop(cm, c);
    iwcm_give_up(cm, c);
    iwcm_unref(cm, c);
}

/* Children that the client has not heard of: nobody else can end them. */
static void end_children(struct weft_iwcm *cm, struct iwcm_id *listener)
{
    struct list_node *n;

    while ((n = list_pop_front(&listener->children))) {
        struct iwcm_id *c = WEFT_CONTAINER_OF(n, struct iwcm_id, sibling);

        c->listener = NULL;
        listener->requests--;
        iwcm_step(c, IWCM_IN_DESTROY);
        end(cm, c);
    }
}

int weft_iwcm_destroy(struct weft_iwcm *cm, weft_iwcm_id id)
{
    struct iwcm_id *c = iwcm_known(cm, id);

    if (!c)
        return WEFT_ERR_STALE;
    if (iwcm_step(c, IWCM_IN_DESTROY) == IWCM_REFUSE)
        return WEFT_ERR_STATE;
    end_children(cm, c);
    end(cm, c);
    return 0;
}
