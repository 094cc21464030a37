/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reception: validation, then device, RMPP, matching or routing. */
#include "core/mad/rx.h"

#include "core/mad/agent.h"
#include "core/mad/device.h"
#include "core/mad/flow.h"
#include "core/mad/match.h"
#include "core/mad/recv.h"
#include "core/mad/retry.h"
#include "core/mad/rmpp_rx.h"
#include "core/mad/send.h"
#include "core/mad/smi.h"
#include "core/mad/tx.h"

#include <string.h>

/* What can be said about a packet without looking at the port's state (Linux validate_mad). */
static enum weft_mad_verdict rx_validate(const struct weft_mad_rx *rx)
{
    const uint8_t *mad = rx->data;

    if (rx->len != WEFT_MAD_BYTES || mad_base_version(mad) != WEFT_MAD_BASE_VERSION)
        return WEFT_MAD_DROP_MALFORMED;
    if (mad_class_is_smi(mad_class(mad)) != (rx->qpn == WEFT_QP_SMI))
        return WEFT_MAD_DROP_QP;
    if (mad_class(mad) == WEFT_CLASS_CM && mad_attr_id(mad) != WEFT_ATTR_CLASS_PORT_INFO &&
        mad_method(mad) != WEFT_METHOD_SEND)
        return WEFT_MAD_DROP_MALFORMED;
    return WEFT_MAD_ACCEPTED;
}

/* A Get or Set that nobody on this node handles is answered, so that the asker need not time out
 * (Linux generate_unmatched_resp). */
static enum weft_mad_verdict rx_unsupported(struct weft_mad_port *p, const struct weft_mad_rx *rx)
{
    uint8_t method = mad_method(rx->data), answer[WEFT_MAD_BYTES];

    if (method != WEFT_METHOD_GET && method != WEFT_METHOD_SET)
        return WEFT_MAD_DROP_NO_AGENT;
    memcpy(answer, rx->data, sizeof(answer));
    if (mad_class_is_smi(mad_class(answer))) {
        smi_build_response(answer, WEFT_STATUS_BAD_METHOD_ATTRIBUTE);
    } else {
        mad_set_method(answer, WEFT_METHOD_GET_RESP);
        mad_set_status(answer, WEFT_STATUS_BAD_METHOD_ATTRIBUTE);
    }
    if (tx_reply(p, rx, answer) == 0)
        p->stats.unsupported++;
    return WEFT_MAD_DROP_NO_AGENT;
}

enum weft_mad_verdict rx_to_agent(struct weft_mad_port *p, const struct weft_mad_rx *rx)
{
    struct agent *a = agent_for_request(p, rx->data);

    if (!a)
        return rx_unsupported(p, rx);
    if (agent_does_rmpp(a, rx->data))
        return rmpp_rx(p, a, rx);
    return recv_deliver(p, a, rx, NULL) ? WEFT_MAD_ACCEPTED : WEFT_MAD_DROP_NO_BUFFER;
}

/* A response that is one packet, or an RMPP segment for an agent that does RMPP itself. */
static enum weft_mad_verdict rx_answer(struct weft_mad_port *p, struct send *s,
                                       const struct weft_mad_rx *rx)
{
    struct agent *a = s->agent;

    if (retry_holds_busy(p, s, mad_status(rx->data))) {
        send_busy(p, s);
        return WEFT_MAD_BUSY_HELD;
    }
    if ((mad_status(rx->data) & WEFT_STATUS_BUSY) != 0)
        s->flags |= SEND_NOTED_BUSY;
    else
        s->flags &= (uint8_t)~SEND_NOTED_BUSY;
    if (a->no_recv)
        return WEFT_MAD_DROP_UNMATCHED;
    /* an answer that was coming in segments gives its buffer to this one */
    if (s->transfer)
        rmpp_rx_request_gone(p, s);
    if (!recv_deliver(p, a, rx, s))
        return WEFT_MAD_DROP_NO_BUFFER;
    send_answered(p, s);
    return WEFT_MAD_ACCEPTED;
}

/* A response without a request that waits for it: only an agent that does RMPP itself takes it, as
 * the further segments of an answer whose first one completed the request. */
static enum weft_mad_verdict rx_unmatched(struct weft_mad_port *p, const struct weft_mad_rx *rx)
{
    struct agent *a = agent_for_tid(p, (uint32_t)(mad_tid(rx->data) >> 32));

    if (!a || !a->user_rmpp || !rmpp_is_active(rx->data))
        return WEFT_MAD_DROP_UNMATCHED;
    return recv_deliver(p, a, rx, NULL) ? WEFT_MAD_ACCEPTED : WEFT_MAD_DROP_NO_BUFFER;
}

static enum weft_mad_verdict rx_response(struct weft_mad_port *p, const struct weft_mad_rx *rx)
{
    struct send *s;
    struct agent *a;

    if (rmpp_is_active(rx->data)) {
        a = agent_for_tid(p, (uint32_t)(mad_tid(rx->data) >> 32));
        if (a && agent_does_rmpp(a, rx->data))
            return rmpp_rx(p, a, rx);
    }
    s = match_response(p, rx);
    return s ? rx_answer(p, s, rx) : rx_unmatched(p, rx);
}

static enum weft_mad_verdict rx_route(struct weft_mad_port *p, const struct weft_mad_rx *rx)
{
    if (mad_is_response(rx->data))
        return rx_response(p, rx);
    if (device_wants(p, rx->data))
        return device_offer(p, rx, NULL) ? WEFT_MAD_ACCEPTED : WEFT_MAD_DROP_NO_BUFFER;
    return rx_to_agent(p, rx);
}

/* A directed-route SMP first passes the SMI, here or at the host: only one that ends here goes on.
 */
static enum weft_mad_verdict rx_directed(struct weft_mad_port *p, const struct weft_mad_rx *rx)
{
    struct weft_mad_rx here = *rx;
    uint8_t smp[WEFT_MAD_BYTES];
    struct smi_decision d;

    if (p->config.hops_by_host)
        return rx_route(p, rx);
    memcpy(smp, rx->data, sizeof(smp));
    d = smi_receive(smp, &smi_own_node, p->config.port_number);
    if (d.verdict != SMI_TO_SMA && d.verdict != SMI_TO_SM)
        return WEFT_MAD_DROP_HOPS;
    here.data = smp;
    return rx_route(p, &here);
}

static void rx_trace(const struct weft_mad_port *p, const struct weft_mad_rx *rx,
                     enum weft_trace_type type, enum weft_mad_verdict verdict)
{
    struct weft_trace_event ev = {.type = type};

    if (rx->len >= WEFT_MAD_HEADER_BYTES)
        ev.tid = mad_tid(rx->data);
    ev.u.packet.qpn = rx->qpn;
    ev.u.packet.verdict = verdict;
    ev.u.packet.dlid = rx->dlid;
    ev.u.packet.peer = &rx->from;
    ev.u.packet.mad = rx->data;
    ev.u.packet.len = rx->len;
    engine_trace(p, &ev);
}

void rx_count_passed(struct weft_mad_port *p, const struct weft_mad_rx *rx,
                     enum weft_mad_verdict verdict)
{
    p->stats.passed[verdict]++;
    if (p->config.trace && verdict != WEFT_MAD_ACCEPTED)
        rx_trace(p, rx, WEFT_TRACE_DROP, verdict);
}

int weft_mad_rx(struct weft_mad_port *p, weft_time now, const struct weft_mad_rx *rx,
                enum weft_mad_verdict *ret)
{
    enum weft_mad_verdict verdict;
    int err = engine_clock(p, now);

    if (err < 0)
        return err;
    if (!rx->data || rx->qpn > WEFT_QP_GSI)
        return WEFT_ERR_INVALID;
    if (p->config.trace)
        rx_trace(p, rx, WEFT_TRACE_RX, WEFT_MAD_ACCEPTED);
    verdict = rx_validate(rx);
    if (verdict == WEFT_MAD_ACCEPTED)
        verdict =
            mad_class(rx->data) == WEFT_CLASS_SUBN_DIRECTED ? rx_directed(p, rx) : rx_route(p, rx);
    p->stats.verdicts[verdict]++;
    if (p->config.trace && verdict != WEFT_MAD_ACCEPTED)
        rx_trace(p, rx, WEFT_TRACE_DROP, verdict);
    if (ret)
        *ret = verdict;
    return 0;
}
