/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the provider has of an id, what it may say of it, and how it is made to let go. */
#include "core/iwcm/manager.h"

void iwcm_hold_begin(struct iwcm_id *c, enum hold hold)
{
    WEFT_ASSERT(hold != HOLD_NONE);
    if (c->hold == HOLD_NONE)
        iwcm_ref(c);
    c->hold = (uint8_t)hold;
    /* what it was told about an attempt does not hold for the connection, unless it is yet to be
     * told */
    if (list_empty(&c->cmd))
        c->told = ENDING_NOT;
}

void iwcm_hold_end(struct weft_iwcm *cm, struct iwcm_id *c)
{
    WEFT_ASSERT(c->hold != HOLD_NONE);
    if (!list_empty(&c->cmd))
        iwcm_cmd_withdraw(cm, c);
    iwcm_qp_unbind(cm, c);
    c->told = ENDING_NOT;
    c->end = ENDING_NOT;
    c->hold = HOLD_NONE;
    iwcm_unref(cm, c);
}

bool iwcm_may_say(const struct iwcm_id *c, enum weft_iwcm_upcall_type type)
{
    switch (type) {
    case WEFT_IWCM_UP_REQUEST:
        return c->hold == HOLD_LISTENER;
    case WEFT_IWCM_UP_REPLY:
        return c->hold == HOLD_CONNECTING;
    case WEFT_IWCM_UP_ESTABLISHED:
        return c->hold == HOLD_ACCEPTING;
    case WEFT_IWCM_UP_DISCONNECT:
        return c->hold != HOLD_NONE;
    case WEFT_IWCM_UP_CLOSE:
        /* an accepted one that was aborted before it was up */
        if (c->hold == HOLD_ACCEPTING)
            return c->told == ENDING_ABRUPT && list_empty(&c->cmd);
        return c->hold == HOLD_CONNECTION;
    case WEFT_IWCM_UPS:
        break;
    }
    return false;
}

static enum ending wanted(const struct iwcm_id *c)
{
    if (c->state == WEFT_IWCM_DESTROYING)
        return ENDING_ABRUPT;
    return c->state == WEFT_IWCM_CLOSING ? (enum ending)c->end : ENDING_NOT;
}

static enum weft_iwcm_cmd_type ending_cmd(enum hold hold, enum ending ending)
{
    if (hold == HOLD_LISTENER)
        return WEFT_IWCM_CMD_UNLISTEN;
    if (hold == HOLD_REQUEST)
        return WEFT_IWCM_CMD_REJECT;
    return ending == ENDING_ABRUPT ? WEFT_IWCM_CMD_ABORT : WEFT_IWCM_CMD_CLOSE;
}

void iwcm_decide(struct weft_iwcm *cm, struct iwcm_id *c)
{
    enum ending ending = wanted(c);

    if (c->busy != BUSY_NONE || c->hold == HOLD_NONE || ending <= c->told)
        return;
    c->told = (uint8_t)ending;
    iwcm_cmd_give(cm, c, ending_cmd((enum hold)c->hold, ending));
}

void iwcm_give_up(struct weft_iwcm *cm, struct iwcm_id *c)
{
    bool ends = c->busy == WEFT_IWCM_CMD_REJECT || c->busy == WEFT_IWCM_CMD_ABORT;

    WEFT_ASSERT(c->state == WEFT_IWCM_DESTROYING);
    if (!list_empty(&c->cmd) && !ends) {
        if (c->busy == WEFT_IWCM_CMD_CONNECT || c->busy == WEFT_IWCM_CMD_ACCEPT)
            iwcm_qp_unbind(cm, c);
        iwcm_cmd_withdraw(cm, c);
        c->told = ENDING_NOT;
    }
    iwcm_decide(cm, c);
}
