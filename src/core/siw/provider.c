/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Serving the connection manager: its commands, and what it is told. */
#include "core/siw/engine.h"
#include "core/siw/negotiate.h"
#include "core/siw/stream.h"

static void done(struct weft_siw *s, const struct weft_iwcm_cmd *cmd, enum weft_iwcm_status status)
{
    weft_iwcm_cmd_done(s->cm, cmd->id, cmd->type, status, 0, NULL);
}

/* The ep that a command is about; NULL: it has ended by itself. */
static struct ep *ep_of(const struct weft_siw *s, const struct weft_iwcm_cmd *cmd)
{
    struct ep *ep = ep_find(s, cmd->provider);

    return ep && ep->id.v == cmd->id.v ? ep : NULL;
}

static void cmd_connect(struct weft_siw *s, const struct weft_iwcm_cmd *cmd)
{
    const struct qp *qp = qp_find(s, cmd->param.qpn);
    struct mpa_frame request;
    struct ep *ep;

    if (!qp || !qp_connectable(qp) ||
        negotiate_request(&s->config, &cmd->param, &request) != WEFT_IWCM_OK) {
        done(s, cmd, WEFT_IWCM_BAD_PARAM);
        return;
    }
    ep = ep_new(s, EP_DIALING);
    if (!ep) {
        done(s, cmd, WEFT_IWCM_NO_RESOURCES);
        return;
    }
    ep->id = cmd->id;
    ep->qpn = cmd->param.qpn;
    ep->local = cmd->local;
    ep->remote = cmd->remote;
    ep->out_bytes = (uint16_t)mpa_frame_build(&request, ep->out);
    WEFT_ASSERT(ep->out_bytes > 0);
    ep->request = request;
    ep->request.private_data = NULL;
    ep_arm(s, ep, siw_after(s, s->config.dial_timeout_ns));
    ep_due(s, ep);
    weft_iwcm_cmd_done(s->cm, cmd->id, cmd->type, WEFT_IWCM_OK, ep_handle(s, ep), NULL);
}

static void cmd_accept(struct weft_siw *s, const struct weft_iwcm_cmd *cmd)
{
    struct ep *ep = ep_of(s, cmd);
    enum weft_iwcm_status status;

    if (!ep || ep->state != EP_REQUESTED) {
        done(s, cmd, WEFT_IWCM_RESET);
        return;
    }
    status = startup_accept(s, ep, &cmd->param);
    if (status != WEFT_IWCM_OK)
        ep->id.v = 0;
    done(s, cmd, status);
    if (ep->state == EP_STREAMING)
        provider_established(s, ep);
}

static void cmd_reject(struct weft_siw *s, const struct weft_iwcm_cmd *cmd)
{
    struct ep *ep = ep_of(s, cmd);
    bool fits = true;

    if (ep && ep->state == EP_REQUESTED) {
        ep->id.v = 0;
        fits = startup_reject(s, ep, cmd->param.private_data, cmd->param.private_bytes);
    }
    done(s, cmd, fits ? WEFT_IWCM_OK : WEFT_IWCM_BAD_PARAM);
}

static void cmd_listen(struct weft_siw *s, const struct weft_iwcm_cmd *cmd)
{
    struct ep *ep = ep_new(s, EP_BINDING);

    if (!ep) {
        done(s, cmd, WEFT_IWCM_NO_RESOURCES);
        return;
    }
    ep->id = cmd->id;
    ep->local = cmd->local;
    ep->backlog = cmd->backlog;
    ep_due(s, ep);
}

/* Requests that are not whole yet have nobody to ask any more. */
static void reset_half_open(struct weft_siw *s, uint64_t listener)
{
    uint32_t slot = 0;
    struct ep *ep;

    while ((ep = pool_next(&s->conn.eps, &slot))) {
        if (ep->state == EP_AWAIT_REQUEST && ep->listener == listener)
            close_ep(s, ep, EP_UNLISTEN, WEFT_IWCM_CANCELED);
    }
}

static void cmd_unlisten(struct weft_siw *s, const struct weft_iwcm_cmd *cmd)
{
    struct ep *ep = ep_of(s, cmd);

    if (ep && ep->state == EP_LISTENING) {
        ep->id.v = 0;
        reset_half_open(s, cmd->provider);
        close_ep(s, ep, EP_UNLISTEN, WEFT_IWCM_CANCELED);
    }
    done(s, cmd, WEFT_IWCM_OK);
}

static void cmd_end(struct weft_siw *s, const struct weft_iwcm_cmd *cmd)
{
    struct ep *ep = ep_of(s, cmd);

    done(s, cmd, WEFT_IWCM_OK);
    if (!ep)
        return;
    if (cmd->type == WEFT_IWCM_CMD_CLOSE)
        close_orderly(s, ep);
    else
        close_ep(s, ep, EP_ABORT, WEFT_IWCM_CANCELED);
}

void provider_commands(struct weft_siw *s)
{
    static void (*const commands[WEFT_IWCM_CMDS])(struct weft_siw *,
                                                  const struct weft_iwcm_cmd *) = {
        [WEFT_IWCM_CMD_CONNECT] = cmd_connect,   [WEFT_IWCM_CMD_ACCEPT] = cmd_accept,
        [WEFT_IWCM_CMD_REJECT] = cmd_reject,     [WEFT_IWCM_CMD_LISTEN] = cmd_listen,
        [WEFT_IWCM_CMD_UNLISTEN] = cmd_unlisten, [WEFT_IWCM_CMD_CLOSE] = cmd_end,
        [WEFT_IWCM_CMD_ABORT] = cmd_end,
    };
    struct weft_iwcm_cmd cmd;

    while (weft_iwcm_poll_cmd(s->cm, &cmd)) {
        WEFT_ASSERT((unsigned)cmd.type < WEFT_IWCM_CMDS);
        commands[cmd.type](s, &cmd);
    }
}

/* An upcall with the addresses and terms of an ep. */
static struct weft_iwcm_upcall about(const struct ep *ep, enum weft_iwcm_upcall_type type)
{
    return (struct weft_iwcm_upcall){
        .type = type,
        .peer = {.ird = ep->terms.ird, .ord = ep->terms.ord},
        .local = ep->local,
        .remote = ep->remote,
    };
}

int provider_request(struct weft_siw *s, struct ep *ep, uint16_t ird, uint16_t ord)
{
    const struct ep *listener = ep_find(s, ep->listener);
    struct weft_iwcm_upcall u = about(ep, WEFT_IWCM_UP_REQUEST);

    if (!listener)
        return WEFT_ERR_STALE;
    u.provider = ep_handle(s, ep);
    u.peer.private_data = ep->request.private_data;
    u.peer.private_bytes = ep->request.private_bytes;
    u.peer.ird = ird;
    u.peer.ord = ord;
    return weft_iwcm_upcall(s->cm, listener->id, &u, &ep->id);
}

void provider_reply(struct weft_siw *s, struct ep *ep, enum weft_iwcm_status status,
                    const struct mpa_frame *reply)
{
    struct weft_iwcm_upcall u = about(ep, WEFT_IWCM_UP_REPLY);
    weft_iwcm_id id = ep->id;

    u.status = status;
    if (reply) {
        u.peer.private_data = reply->private_data;
        u.peer.private_bytes = reply->private_bytes;
    }
    if (status != WEFT_IWCM_OK)
        ep->id.v = 0;
    weft_iwcm_upcall(s->cm, id, &u, NULL);
}

void provider_established(struct weft_siw *s, struct ep *ep)
{
    struct weft_iwcm_upcall u = about(ep, WEFT_IWCM_UP_ESTABLISHED);

    weft_iwcm_upcall(s->cm, ep->id, &u, NULL);
}

void provider_disconnect(struct weft_siw *s, struct ep *ep)
{
    struct weft_iwcm_upcall u = {.type = WEFT_IWCM_UP_DISCONNECT};

    weft_iwcm_upcall(s->cm, ep->id, &u, NULL);
}

void provider_close(struct weft_siw *s, struct ep *ep, enum weft_iwcm_status status)
{
    struct weft_iwcm_upcall u = {.type = WEFT_IWCM_UP_CLOSE, .status = status};
    weft_iwcm_id id = ep->id;

    ep->id.v = 0;
    weft_iwcm_upcall(s->cm, id, &u, NULL);
}

void provider_listening(struct weft_siw *s, struct ep *ep, enum weft_iwcm_status status)
{
    bool ok = status == WEFT_IWCM_OK;
    weft_iwcm_id id = ep->id;

    if (!ok)
        ep->id.v = 0;
    weft_iwcm_cmd_done(s->cm, id, WEFT_IWCM_CMD_LISTEN, status, ok ? ep_handle(s, ep) : 0,
                       ok ? &ep->local : NULL);
}
