/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All ways in which an endpoint ends. */
#include "core/siw/connection.h"
#include "core/siw/engine.h"
#include "core/siw/stream.h"

/* Whether TCP is ended by RST: when the peer deserves no more, or does not listen. */
static bool ends_by_reset(enum ep_state from, enum ep_input input, enum weft_iwcm_status status)
{
    if (input == EP_UNLISTEN)
        return from == EP_AWAIT_REQUEST;
    if (input == EP_CUT)
        return status != WEFT_IWCM_REJECTED;
    return input != EP_DRAINED && input != EP_FIN && input != EP_SAID &&
           input != EP_PEER_TERMINATE && input != EP_TCP_FAILED;
}

static bool has_last_words(enum ep_state state)
{
    return state == EP_TERMINATING || state == EP_LAST_WORDS || state == EP_ENDING;
}

/* Tells the connection manager, if it does not know yet, how what it knows has ended. */
static void report(struct weft_siw *s, struct ep *ep, enum ep_state from,
                   enum weft_iwcm_status status)
{
    if (ep->id.v == 0)
        return;
    if (from == EP_DIALING || from == EP_AWAIT_REPLY) {
        provider_reply(s, ep, status, NULL);
    } else if (from == EP_BINDING) {
        provider_listening(s, ep, status);
    } else if (from >= EP_READY_WAIT) {
        if (from == EP_READY_WAIT && status != WEFT_IWCM_CANCELED)
            provider_established(s, ep);
        provider_close(s, ep, status);
    }
    ep->id.v = 0;
}

void close_ep(struct weft_siw *s, struct ep *ep, enum ep_input input, enum weft_iwcm_status status)
{
    enum ep_state from = ep->state;
    struct qp *qp = ep->qp;

    if (ep_step(s, ep, input) != EP_TO)
        return;
    WEFT_ASSERT(ep->state == EP_RELEASING);
    ep->reset = ends_by_reset(from, input, status);
    ep->offered = 0;
    ep_due(s, ep);
    if (has_last_words(from) && status != WEFT_IWCM_CANCELED)
        status = ep->why;
    if (qp) {
        bool failed = has_last_words(from) || input == EP_FAIL || input == EP_TERMINATE ||
                      input == EP_PEER_TERMINATE;

        if (status != WEFT_IWCM_OK && !failed)
            qp_abort(s, qp);
        qp_unbind(s, qp, status == WEFT_IWCM_OK);
        ep->qp = NULL;
    }
    report(s, ep, from, status);
}

static void be_patient(struct weft_siw *s, struct ep *ep)
{
    ep_arm(s, ep, siw_after(s, s->config.close_timeout_ns));
}

void close_progress(struct weft_siw *s, struct ep *ep)
{
    if (ep->state == EP_CLOSING || ep->state == EP_PEER_SHUT)
        be_patient(s, ep);
}

void close_orderly(struct weft_siw *s, struct ep *ep)
{
    if (ep_step(s, ep, EP_CLOSE) != EP_TO)
        return;
    be_patient(s, ep);
    qp_close(s, ep->qp);
}

void connection_drained(struct weft_siw *s, struct ep *ep)
{
    if (ep->in_fin) {
        ep->drained = true;
    } else if (ep->state == EP_PEER_SHUT) {
        close_ep(s, ep, EP_DRAINED, WEFT_IWCM_OK);
    } else if (ep_step(s, ep, EP_DRAINED) == EP_TO) {
        be_patient(s, ep);
        ep_due(s, ep);
    }
}

/* A FIN for a QP that is well: DISCONNECT is for what ends in good order alone, and comes before
 * CLOSE, so what the QP says meanwhile has to wait. */
static void fin_for_qp(struct weft_siw *s, struct ep *ep)
{
    enum ep_state from = ep->state;
    bool orderly;

    ep->in_fin = true;
    ep->drained = false;
    orderly = qp_peer_fin(s, ep->qp);
    ep->in_fin = false;
    if (ep->state != from)
        return;
    if (!orderly) {
        close_ep(s, ep, EP_LOST, WEFT_IWCM_RESET);
        return;
    }
    if (from == EP_SHUT) {
        close_ep(s, ep, EP_FIN, WEFT_IWCM_OK);
        return;
    }
    if (from == EP_READY_WAIT)
        provider_established(s, ep);
    ep_step(s, ep, EP_FIN);
    be_patient(s, ep);
    if (from != EP_CLOSING)
        provider_disconnect(s, ep);
    if (ep->drained)
        close_ep(s, ep, EP_DRAINED, WEFT_IWCM_OK);
    else
        ep_due(s, ep);
}

void close_peer_fin(struct weft_siw *s, struct ep *ep)
{
    enum ep_state next = ep_fsm_cell(ep->state, EP_FIN).next;

    if (ep->state == EP_READY_WAIT || ep->state == EP_STREAMING || ep->state == EP_CLOSING ||
        ep->state == EP_SHUT)
        fin_for_qp(s, ep);
    else if (next == EP_RELEASING)
        close_ep(s, ep, EP_FIN, WEFT_IWCM_RESET);
    else if (ep_step(s, ep, EP_FIN) == EP_TO)
        be_patient(s, ep);
}

void close_with_last_words(struct weft_siw *s, struct ep *ep, enum ep_input input,
                           enum weft_iwcm_status status)
{
    if (ep_fsm_cell(ep->state, input).next == EP_RELEASING) {
        close_ep(s, ep, input, status);
        return;
    }
    if (ep->state == EP_READY_WAIT)
        provider_established(s, ep);
    if (ep_step(s, ep, input) != EP_TO)
        return;
    ep->why = status;
    be_patient(s, ep);
    ep_due(s, ep);
}

void close_said(struct weft_siw *s, struct ep *ep)
{
    if (ep_fsm_cell(ep->state, EP_SAID).next == EP_RELEASING) {
        close_ep(s, ep, EP_SAID, ep->why);
    } else if (ep_step(s, ep, EP_SAID) == EP_TO) {
        be_patient(s, ep);
        ep_due(s, ep);
    }
}

void connection_failed(struct weft_siw *s, struct ep *ep, bool terminate_due)
{
    if (terminate_due)
        close_with_last_words(s, ep, EP_TERMINATE, WEFT_IWCM_PROTOCOL);
    else
        close_ep(s, ep, EP_FAIL, WEFT_IWCM_FAILED);
}

void connection_terminated(struct weft_siw *s, struct ep *ep)
{
    close_said(s, ep);
}

void connection_peer_terminated(struct weft_siw *s, struct ep *ep)
{
    close_ep(s, ep, EP_PEER_TERMINATE, WEFT_IWCM_RESET);
}
