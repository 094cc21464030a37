/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The MPA startup: a peer's request or reply as it arrives, and what becomes of it. */
#include "core/siw/engine.h"
#include "core/siw/negotiate.h"
#include "core/siw/stream.h"

#include <string.h>

_Static_assert(FPDU_TERMINATE_MAX <= MPA_FRAME_MAX, "a Terminate fits the place of a frame");

/* Adds bytes to the peer's frame and reads it.
 * @param ret_glued  bytes follow the frame */
static enum mpa_verdict frame_rx(struct ep *ep, const uint8_t *data, size_t bytes,
                                 struct mpa_frame *ret, bool *ret_glued)
{
    size_t room = sizeof(ep->in) - ep->in_bytes, taken = bytes < room ? bytes : room;
    size_t length = 0, before = ep->in_bytes;
    enum mpa_verdict verdict;

    memcpy(ep->in + before, data, taken);
    ep->in_bytes = (uint16_t)(before + taken);
    verdict = mpa_frame_parse(ep->in, ep->in_bytes, ret, &length);
    WEFT_ASSERT(verdict != MPA_MORE || taken == bytes);
    *ret_glued = before + bytes > length;
    return verdict;
}

static void write_frame(struct weft_siw *s, struct ep *ep, const struct mpa_frame *f)
{
    size_t length = mpa_frame_build(f, ep->out);

    WEFT_ASSERT(length > 0 && ep->out_done == ep->out_bytes);
    ep->out_bytes = (uint16_t)length;
    ep->out_done = 0;
    ep_due(s, ep);
}

bool startup_reject(struct weft_siw *s, struct ep *ep, const void *private_data, uint16_t bytes)
{
    struct mpa_frame reply;
    bool fits = negotiate_reject(&ep->request, private_data, bytes, &reply);

    write_frame(s, ep, &reply);
    close_with_last_words(s, ep, EP_REFUSE, WEFT_IWCM_OK);
    return fits;
}

static void ask_client(struct weft_siw *s, struct ep *ep, uint16_t ird, uint16_t ord)
{
    ep_step(s, ep, EP_REQUEST);
    if (provider_request(s, ep, ird, ord) == 0)
        return;
    s->stats.upcalls_refused++;
    startup_reject(s, ep, NULL, 0);
}

void startup_request_rx(struct weft_siw *s, struct ep *ep, const uint8_t *data, size_t bytes)
{
    enum request_verdict what = REQUEST_DROP;
    uint16_t ird = 0, ord = 0;
    enum mpa_verdict verdict;
    bool glued;

    verdict = frame_rx(ep, data, bytes, &ep->request, &glued);
    if (verdict == MPA_MORE)
        return;
    if ((verdict == MPA_WHOLE || verdict == MPA_BAD_LENGTH) && !glued)
        what = negotiate_incoming(&s->config, verdict, &ep->request, &ird, &ord);
    if (what == REQUEST_ASK) {
        ask_client(s, ep, ird, ord);
        return;
    }
    s->stats.mpa_errors++;
    if (what == REQUEST_REJECT)
        startup_reject(s, ep, NULL, 0);
    else
        close_ep(s, ep, EP_CUT, WEFT_IWCM_PROTOCOL);
}

enum weft_iwcm_status startup_accept(struct weft_siw *s, struct ep *ep,
                                     const struct weft_iwcm_param *p)
{
    struct qp *qp = qp_find(s, p->qpn);
    enum weft_iwcm_status status = WEFT_IWCM_BAD_PARAM;
    struct mpa_frame reply;

    if (qp && qp_connectable(qp))
        status = negotiate_accept(&s->config, &ep->request, p, &reply, &ep->terms);
    if (status != WEFT_IWCM_OK) {
        startup_reject(s, ep, NULL, 0);
        return status;
    }
    ep->qpn = p->qpn;
    write_frame(s, ep, &reply);
    ep_step(s, ep, ep->terms.rtr ? EP_ACCEPT_RTR : EP_ACCEPT);
    if (ep->state == EP_READY_WAIT)
        ep_arm(s, ep, siw_after(s, s->config.request_timeout_ns));
    startup_bind(s, ep, qp);
    return WEFT_IWCM_OK;
}

void startup_bind(struct weft_siw *s, struct ep *ep, struct qp *qp)
{
    ep->terms.ulpdu_max = negotiate_ulpdu_max(&s->config, ep->mss);
    ep->qp = qp;
    qp_connect(s, qp, ep, &ep->terms);
    ep_due(s, ep);
}

/* The reply cannot be met. RFC 6581 wants a Terminate for terms, RFC 5044 (8) wants the connection
 * closed without a word for everything else. */
static void refuse_reply(struct weft_siw *s, struct ep *ep, const struct mpa_frame *reply,
                         const struct reply_outcome *outcome)
{
    struct terminate t;

    if (outcome->status != WEFT_IWCM_REJECTED)
        s->stats.mpa_errors++;
    ep->terms = outcome->terms;
    if (!outcome->terminate || ep->out_done < ep->out_bytes) {
        provider_reply(s, ep, outcome->status, reply);
        close_ep(s, ep, EP_CUT, outcome->status);
        return;
    }
    terminate_make(outcome->terminate, NULL, 0, 0, &t);
    ep->out_bytes = (uint16_t)terminate_fpdu(&t, outcome->terms.crc, ep->out);
    ep->out_done = 0;
    s->stats.terminates_out++;
    close_with_last_words(s, ep, EP_REFUSE, outcome->status);
    provider_reply(s, ep, outcome->status, reply);
}

void startup_reply_rx(struct weft_siw *s, struct ep *ep, const uint8_t *data, size_t bytes)
{
    struct reply_outcome outcome = {.status = WEFT_IWCM_PROTOCOL};
    struct mpa_frame reply = {0};
    enum mpa_verdict verdict;
    struct qp *qp;
    bool glued;

    verdict = frame_rx(ep, data, bytes, &reply, &glued);
    if (verdict == MPA_MORE)
        return;
    if (verdict == MPA_WHOLE || verdict == MPA_BAD_LENGTH)
        negotiate_reply(&s->config, &ep->request, verdict, &reply, &outcome);
    /* the responder may not begin before it has our first FPDU */
    if (glued && outcome.status == WEFT_IWCM_OK)
        outcome.status = WEFT_IWCM_PROTOCOL;
    qp = qp_find(s, ep->qpn);
    if (outcome.status == WEFT_IWCM_OK && (!qp || !qp_connectable(qp)))
        outcome.status = WEFT_IWCM_BAD_PARAM;
    if (outcome.status != WEFT_IWCM_OK) {
        refuse_reply(s, ep, &reply, &outcome);
        return;
    }
    ep->terms = outcome.terms;
    ep_step(s, ep, EP_REPLY);
    startup_bind(s, ep, qp);
    provider_reply(s, ep, WEFT_IWCM_OK, &reply);
}
