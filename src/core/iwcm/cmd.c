/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands for the provider: one queue over all ids, at most one command of each. */
#include "core/iwcm/manager.h"

void iwcm_cmd_give(struct weft_iwcm *cm, struct iwcm_id *c, enum weft_iwcm_cmd_type type)
{
    WEFT_ASSERT(c->busy == BUSY_NONE);
    c->busy = (uint8_t)type;
    iwcm_ref(c);
    list_push_back(&cm->cmds, &c->cmd);
}

bool iwcm_cmd_taken(const struct iwcm_id *c)
{
    return c->busy != BUSY_NONE && list_empty(&c->cmd);
}

/* The reference stays with the caller, to be dropped when it needs the id no more. */
static void finish(struct weft_iwcm *cm, struct iwcm_id *c)
{
    c->busy = BUSY_NONE;
    iwcm_terms_clear(cm, &c->own);
}

void iwcm_cmd_withdraw(struct weft_iwcm *cm, struct iwcm_id *c)
{
    WEFT_ASSERT(!list_empty(&c->cmd));
    list_remove(&c->cmd);
    finish(cm, c);
    WEFT_ASSERT(c->refs > 1);
    iwcm_unref(cm, c);
}

bool weft_iwcm_poll_cmd(struct weft_iwcm *cm, struct weft_iwcm_cmd *ret)
{
    struct list_node *n = list_pop_front(&cm->cmds);
    struct iwcm_id *c;

    if (!n)
        return false;
    c = WEFT_CONTAINER_OF(n, struct iwcm_id, cmd);
    *ret = (struct weft_iwcm_cmd){
        .type = (enum weft_iwcm_cmd_type)c->busy,
        .id = iwcm_handle(cm, c),
        .provider = c->provider,
        .local = c->local,
        .remote = c->remote,
        .backlog = c->backlog,
        .param = {.private_data = c->own.data ? c->own.data->bytes : NULL,
                  .private_bytes = c->own.bytes,
                  .ird = c->own.ird,
                  .ord = c->own.ord,
                  .qpn = c->qpn},
    };
    cm->stats.cmds[c->busy]++;
    if (c->busy == WEFT_IWCM_CMD_CONNECT)
        iwcm_hold_begin(c, HOLD_CONNECTING);
    if (c->busy == WEFT_IWCM_CMD_ACCEPT)
        iwcm_hold_begin(c, HOLD_ACCEPTING);
    if (c->busy == WEFT_IWCM_CMD_REJECT)
        iwcm_hold_end(cm, c);
    return true;
}

static enum iwcm_input answer_input(enum weft_iwcm_cmd_type type, bool ok)
{
    switch (type) {
    case WEFT_IWCM_CMD_CONNECT:
        return ok ? IWCM_IN_CONNECT_TAKEN : IWCM_IN_CONNECT_FAILED;
    case WEFT_IWCM_CMD_ACCEPT:
        return ok ? IWCM_IN_ACCEPT_TAKEN : IWCM_IN_ACCEPT_FAILED;
    case WEFT_IWCM_CMD_LISTEN:
        return ok ? IWCM_IN_LISTEN_TAKEN : IWCM_IN_LISTEN_FAILED;
    case WEFT_IWCM_CMD_REJECT:
        return IWCM_IN_REJECT_DONE;
    case WEFT_IWCM_CMD_UNLISTEN:
        return IWCM_IN_UNLISTEN_DONE;
    case WEFT_IWCM_CMD_CLOSE:
    case WEFT_IWCM_CMD_ABORT:
    case WEFT_IWCM_CMDS:
        break;
    }
    return IWCM_IN_END_DONE;
}

static enum weft_iwcm_call call_of(enum weft_iwcm_cmd_type type)
{
    switch (type) {
    case WEFT_IWCM_CMD_CONNECT:
        return WEFT_IWCM_CALL_CONNECT;
    case WEFT_IWCM_CMD_ACCEPT:
        return WEFT_IWCM_CALL_ACCEPT;
    case WEFT_IWCM_CMD_REJECT:
        return WEFT_IWCM_CALL_REJECT;
    case WEFT_IWCM_CMD_LISTEN:
        return WEFT_IWCM_CALL_LISTEN;
    case WEFT_IWCM_CMD_UNLISTEN:
    case WEFT_IWCM_CMD_CLOSE:
    case WEFT_IWCM_CMD_ABORT:
    case WEFT_IWCM_CMDS:
        break;
    }
    return WEFT_IWCM_CALL_DISCONNECT;
}

/* A connect or accept that has succeeded already cannot fail any more, nor one that has failed. */
static bool too_late(const struct iwcm_id *c, enum iwcm_input input)
{
    return (input == IWCM_IN_CONNECT_FAILED && c->hold != HOLD_CONNECTING) ||
           (input == IWCM_IN_ACCEPT_FAILED && c->hold != HOLD_ACCEPTING);
}

/* What follows from an answer that is in order. */
static void answered(struct weft_iwcm *cm, struct iwcm_id *c, enum iwcm_input input,
                     enum weft_iwcm_status status)
{
    enum weft_iwcm_call call = call_of((enum weft_iwcm_cmd_type)c->busy);
    /* CLOSED told a disconnect's DONE where it came first */
    bool told = input == IWCM_IN_END_DONE && c->hold == HOLD_NONE;

    if (c->state != WEFT_IWCM_DESTROYING && !told)
        iwcm_event_put(cm, c, WEFT_IWCM_EVENT_DONE, call, status);
    finish(cm, c);
    if (input == IWCM_IN_LISTEN_TAKEN)
        iwcm_hold_begin(c, HOLD_LISTENER);
    if (input == IWCM_IN_CONNECT_FAILED || input == IWCM_IN_ACCEPT_FAILED ||
        input == IWCM_IN_UNLISTEN_DONE)
        iwcm_hold_end(cm, c);
    iwcm_decide(cm, c);
    iwcm_unref(cm, c);
}

static int cmd_done(struct weft_iwcm *cm, weft_iwcm_id id, enum weft_iwcm_cmd_type type,
                    enum weft_iwcm_status status, uint64_t provider,
                    const struct weft_iw_addr *local)
{
    struct iwcm_id *c = iwcm_find(cm, id);
    enum iwcm_input input = answer_input(type, status == WEFT_IWCM_OK);

    if (!c)
        return WEFT_ERR_STALE;
    if ((unsigned)type >= WEFT_IWCM_CMDS || (unsigned)status >= WEFT_IWCM_STATUSES)
        return WEFT_ERR_INVALID;
    if (!iwcm_cmd_taken(c) || c->busy != type || too_late(c, input) ||
        iwcm_step(c, input) == IWCM_VIOLATION)
        return WEFT_ERR_STATE;
    if (input == IWCM_IN_CONNECT_TAKEN || input == IWCM_IN_LISTEN_TAKEN)
        c->provider = provider;
    if (input == IWCM_IN_LISTEN_TAKEN && local)
        c->local = *local;
    answered(cm, c, input, status);
    return 0;
}

int weft_iwcm_cmd_done(struct weft_iwcm *cm, weft_iwcm_id id, enum weft_iwcm_cmd_type type,
                       enum weft_iwcm_status status, uint64_t provider,
                       const struct weft_iw_addr *local)
{
    int err = cmd_done(cm, id, type, status, provider, local);

    cm->stats.violations += err < 0;
    return err;
}
