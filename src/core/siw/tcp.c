/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the host tells of its sockets: connections made, bytes, ends. */
#include "core/siw/connection.h"
#include "core/siw/engine.h"
#include "core/siw/stream.h"

int weft_siw_tcp_up(struct weft_siw *s, weft_time now, weft_siw_ep ep,
                    const struct weft_iw_addr *local, uint32_t mss)
{
    struct ep *e = ep_find(s, ep.v);

    siw_clock(s, now);
    if (!e)
        return WEFT_ERR_STALE;
    if (ep_step(s, e, EP_TCP_UP) != EP_TO)
        return WEFT_ERR_STATE;
    e->local = *local;
    e->mss = mss;
    ep_arm(s, e, siw_after(s, s->config.reply_timeout_ns));
    ep_due(s, e);
    return 0;
}

int weft_siw_tcp_failed(struct weft_siw *s, weft_time now, weft_siw_ep ep,
                        enum weft_iwcm_status status)
{
    struct ep *e = ep_find(s, ep.v);

    siw_clock(s, now);
    if (!e)
        return WEFT_ERR_STALE;
    if (status == WEFT_IWCM_OK || (unsigned)status >= WEFT_IWCM_STATUSES)
        return WEFT_ERR_INVALID;
    if (ep_fsm_cell(e->state, EP_TCP_FAILED).verdict != EP_TO)
        return WEFT_ERR_STATE;
    close_ep(s, e, EP_TCP_FAILED, status);
    return 0;
}

int weft_siw_tcp_bound(struct weft_siw *s, weft_time now, weft_siw_ep ep,
                       const struct weft_iw_addr *local)
{
    struct ep *e = ep_find(s, ep.v);

    siw_clock(s, now);
    if (!e)
        return WEFT_ERR_STALE;
    if (ep_step(s, e, EP_TCP_BOUND) != EP_TO)
        return WEFT_ERR_STATE;
    e->local = *local;
    provider_listening(s, e, WEFT_IWCM_OK);
    return 0;
}

int weft_siw_tcp_incoming(struct weft_siw *s, weft_time now, weft_siw_ep listener,
                          const struct weft_iw_addr *local, const struct weft_iw_addr *remote,
                          uint32_t mss, weft_siw_ep *ret)
{
    struct ep *of = ep_find(s, listener.v), *ep;

    siw_clock(s, now);
    if (!of)
        return WEFT_ERR_STALE;
    if (ep_step(s, of, EP_INCOMING) != EP_STAY)
        return WEFT_ERR_STATE;
    ep = ep_new(s, EP_AWAIT_REQUEST);
    if (!ep) {
        s->stats.incoming_full++;
        return WEFT_ERR_FULL;
    }
    ep->known = true;
    ep->listener = listener.v;
    ep->local = *local;
    ep->remote = *remote;
    ep->mss = mss;
    ep_arm(s, ep, siw_after(s, s->config.request_timeout_ns));
    *ret = (weft_siw_ep){ep_handle(s, ep)};
    return 0;
}

/* Whether bytes from the peer are the QP's. */
static bool qp_takes(const struct ep *ep)
{
    return ep->qp && (ep->state == EP_READY_WAIT || ep->state == EP_STREAMING ||
                      ep->state == EP_CLOSING || ep->state == EP_SHUT);
}

int weft_siw_tcp_rx(struct weft_siw *s, weft_time now, weft_siw_ep ep, const void *data,
                    size_t bytes)
{
    struct ep *e = ep_find(s, ep.v);
    enum ep_verdict verdict;

    siw_clock(s, now);
    if (!e)
        return WEFT_ERR_STALE;
    verdict = ep_fsm_cell(e->state, EP_DATA).verdict;
    if (verdict == EP_DROP)
        return WEFT_ERR_STATE;
    if (bytes == 0)
        return 0;
    s->stats.bytes_in += bytes;
    close_progress(s, e);
    if (verdict == EP_TO) {
        s->stats.mpa_errors++;
        close_ep(s, e, EP_DATA, WEFT_IWCM_PROTOCOL);
    } else if (e->state == EP_AWAIT_REQUEST) {
        startup_request_rx(s, e, data, bytes);
    } else if (e->state == EP_AWAIT_REPLY) {
        startup_reply_rx(s, e, data, bytes);
    } else if (qp_takes(e)) {
        qp_rx(s, e->qp, data, bytes);
    }
    return 0;
}

void *weft_siw_rx_window(struct weft_siw *s, weft_siw_ep ep, size_t *ret_bytes)
{
    struct ep *e = ep_find(s, ep.v);

    return e && qp_takes(e) ? qp_rx_window(s, e->qp, ret_bytes) : NULL;
}

int weft_siw_tcp_rx_placed(struct weft_siw *s, weft_time now, weft_siw_ep ep, size_t bytes)
{
    struct ep *e = ep_find(s, ep.v);
    size_t room = 0;

    siw_clock(s, now);
    if (!e)
        return WEFT_ERR_STALE;
    if (!weft_siw_rx_window(s, ep, &room) || bytes > room)
        return WEFT_ERR_INVALID;
    if (bytes == 0)
        return 0;
    s->stats.bytes_in += bytes;
    close_progress(s, e);
    qp_rx_placed(s, e->qp, bytes);
    return 0;
}

int weft_siw_tcp_end(struct weft_siw *s, weft_time now, weft_siw_ep ep, bool lost)
{
    struct ep *e = ep_find(s, ep.v);

    siw_clock(s, now);
    if (!e)
        return WEFT_ERR_STALE;
    if (ep_fsm_cell(e->state, EP_LOST).verdict == EP_DROP)
        return WEFT_ERR_STATE;
    if (lost)
        close_ep(s, e, EP_LOST, WEFT_IWCM_RESET);
    else
        close_peer_fin(s, e);
    return 0;
}

void connection_peer_ready(struct weft_siw *s, struct ep *ep)
{
    if (ep_step(s, ep, EP_READY) == EP_TO)
        provider_established(s, ep);
}
