/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the host is to do: own frames first, then what the QP has. */
#include "core/siw/connection.h"
#include "core/siw/engine.h"
#include "core/siw/stream.h"

/* States in which bytes may be written. SHUT and ENDING: what is left of the startup's frame goes
 * before the FIN. */
static bool may_write(enum ep_state state)
{
    return state == EP_AWAIT_REPLY || (state >= EP_READY_WAIT && state <= EP_ENDING);
}

static bool qp_may_write(enum ep_state state)
{
    return state >= EP_READY_WAIT && state <= EP_LAST_WORDS && state != EP_SHUT;
}

static bool fill_write(struct weft_siw *s, struct ep *ep, struct weft_siw_op *ret)
{
    if (ep->blocked || ep->offered > 0 || !may_write(ep->state))
        return false;
    if (ep->out_done < ep->out_bytes) {
        ep->part.data = ep->out + ep->out_done;
        ep->part.bytes = (size_t)(ep->out_bytes - ep->out_done);
        ret->parts = &ep->part;
        ret->part_count = 1;
        ret->bytes = ep->part.bytes;
    } else if (!ep->qp || !qp_may_write(ep->state) ||
               !qp_fill(s, ep->qp, &ret->parts, &ret->part_count, &ret->bytes)) {
        return false;
    }
    WEFT_ASSERT(ret->bytes > 0 && ret->part_count > 0);
    ret->type = WEFT_SIW_OP_WRITE;
    ep->offered = ret->bytes;
    return true;
}

/* The one operation of a state that is not a WRITE. */
static bool fill_once(struct ep *ep, struct weft_siw_op *ret)
{
    bool shut = ep->state == EP_SHUT || ep->state == EP_ENDING;

    if (ep->op_given)
        return false;
    if (ep->state == EP_DIALING)
        ret->type = WEFT_SIW_OP_DIAL;
    else if (ep->state == EP_BINDING)
        ret->type = WEFT_SIW_OP_BIND;
    else if (shut && ep->out_done == ep->out_bytes && ep->offered == 0)
        ret->type = WEFT_SIW_OP_SHUT;
    else
        return false;
    ret->local = ep->local;
    ret->remote = ep->remote;
    ret->backlog = ep->backlog;
    ep->op_given = true;
    ep->known = true;
    return true;
}

static bool fill(struct weft_siw *s, struct ep *ep, struct weft_siw_op *ret)
{
    *ret = (struct weft_siw_op){.ep = {ep_handle(s, ep)}};
    if (ep->state == EP_RELEASING) {
        bool known = ep->known;

        ret->type = WEFT_SIW_OP_RELEASE;
        ret->reset = ep->reset;
        ep_give(s, ep);
        /* one that was given up before its DIAL was polled just goes */
        return known;
    }
    return fill_write(s, ep, ret) || fill_once(ep, ret);
}

bool weft_siw_poll_op(struct weft_siw *s, weft_time now, struct weft_siw_op *ret)
{
    struct weft_siw_op op;
    struct list_node *n;

    siw_clock(s, now);
    provider_commands(s);
    while ((n = list_pop_front(&s->conn.due))) {
        if (fill(s, WEFT_CONTAINER_OF(n, struct ep, due), &op)) {
            *ret = op;
            return true;
        }
    }
    return false;
}

static void frame_written(struct weft_siw *s, struct ep *ep, size_t bytes)
{
    ep->out_done = (uint16_t)(ep->out_done + bytes);
    WEFT_ASSERT(ep->out_done <= ep->out_bytes);
    if (!ep->qp && ep->out_done == ep->out_bytes &&
        (ep->state == EP_TERMINATING || ep->state == EP_LAST_WORDS))
        close_said(s, ep);
}

int weft_siw_tcp_written(struct weft_siw *s, weft_time now, weft_siw_ep ep, size_t bytes)
{
    struct ep *e = ep_find(s, ep.v);

    siw_clock(s, now);
    if (!e)
        return WEFT_ERR_STALE;
    if (e->offered == 0 || bytes > e->offered)
        return WEFT_ERR_INVALID;
    e->blocked = bytes < e->offered;
    e->offered = 0;
    s->stats.bytes_out += bytes;
    if (!e->blocked)
        ep_due(s, e);
    if (bytes == 0)
        return 0;
    close_progress(s, e);
    if (e->out_done < e->out_bytes)
        frame_written(s, e, bytes);
    else if (e->qp)
        qp_written(s, e->qp, bytes);
    return 0;
}

int weft_siw_tcp_writable(struct weft_siw *s, weft_time now, weft_siw_ep ep)
{
    struct ep *e = ep_find(s, ep.v);

    siw_clock(s, now);
    if (!e)
        return WEFT_ERR_STALE;
    e->blocked = false;
    ep_due(s, e);
    return 0;
}

void connection_output(struct weft_siw *s, struct ep *ep)
{
    if (!ep->blocked && ep->offered == 0)
        ep_due(s, ep);
}
