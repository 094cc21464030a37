/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Posting: checks on a MAD that a client wants to send, and its way into the machine. */
#include "core/mad/agent.h"
#include "core/mad/device.h"
#include "core/mad/flow.h"
#include "core/mad/match.h"
#include "core/mad/retry.h"
#include "core/mad/rmpp_tx.h"
#include "core/mad/send.h"
#include "core/mad/smi.h"
#include "core/mad/tx.h"

#include <string.h>

/* Whether the MAD may leave by this agent at all. */
static bool post_header_valid(const struct agent *a, const struct weft_mad_send_req *r)
{
    const uint8_t *mad = r->data;
    bool rmpp;

    if (!mad || r->len < WEFT_MAD_HEADER_BYTES || mad_base_version(mad) != WEFT_MAD_BASE_VERSION)
        return false;
    if (mad_class_is_smi(mad_class(mad)) != (a->qpn == WEFT_QP_SMI))
        return false;
    if (mad_class_has_rmpp(mad_class(mad)) && r->len < WEFT_RMPP_DATA_OFFSET)
        return false;
    if (a->rmpp_version != 0 && !mad_class_has_rmpp(mad_class(mad)))
        return false;
    rmpp = r->len >= WEFT_RMPP_DATA_OFFSET && agent_does_rmpp(a, mad);
    if (rmpp)
        return r->len >= mad_class_data_offset(mad_class(mad)) &&
               rmpp_tx_length_valid(mad_class(mad), r->len);
    return r->len <= WEFT_MAD_BYTES;
}

static bool post_policy_valid(const struct weft_mad_send_req *r)
{
    return (!r->retry || retry_policy_valid(r->retry)) && r->to.sl < 16 && r->to.qpn <= 0xffffff;
}

static struct send *post_take(struct weft_mad_port *p)
{
    struct send *s = pool_take(&p->sends);

    if (!s)
        return NULL;
    pool_clear(s, offsetof(struct send, to));
    list_init(&s->queue);
    return s;
}

/* A request carries its agent's half of the transaction id, a response that of who asked. */
static uint64_t post_tid(const struct agent *a, const uint8_t *mad)
{
    if (mad_is_response(mad))
        return mad_tid(mad);
    return (uint64_t)a->tid << 32 | (uint32_t)mad_tid(mad);
}

static void post_fill(struct weft_mad_port *p, struct send *s, struct agent *a,
                      const struct weft_mad_send_req *r)
{
    const uint8_t *mad = r->data;

    s->agent = a;
    s->user_data = r->user_data;
    s->mgmt_class = mad_class(mad);
    s->len = r->len;
    s->timeout = r->timeout;
    s->queue_timeout = r->queue_timeout ? r->queue_timeout : p->config.queue_timeout;
    s->data = mad;
    s->retry = r->retry;
    s->to = r->to;
    s->path_bits = r->to.path_bits;
    if (r->to.has_grh)
        s->flags |= SEND_GRH;
    s->tid = post_tid(a, mad);
    if (mad_is_response(mad))
        s->flags |= SEND_ANSWERS;
    if (s->mgmt_class == WEFT_CLASS_SUBN_DIRECTED)
        s->flags |= SEND_DIRECTED;
    else if (r->len >= WEFT_RMPP_DATA_OFFSET && agent_does_rmpp(a, mad))
        s->flags |= SEND_RMPP;
}

/* Where a directed-route SMP goes: SMI_DISCARD if it must not be sent. The packet is a copy: the
 * hop pointer of the client's buffer stays. */
static enum smi_verdict post_directed(const struct weft_mad_port *p, const struct send *s,
                                      uint8_t *ret_smp)
{
    memcpy(ret_smp, s->data, s->len);
    memset(ret_smp + s->len, 0, WEFT_MAD_BYTES - s->len);
    mad_set_tid(ret_smp, s->tid);
    return smi_send(ret_smp, &smi_own_node, p->config.port_number).verdict;
}

static void post_start(struct weft_mad_port *p, struct send *s, uint8_t retries)
{
    if (s->flags & SEND_RMPP)
        rmpp_tx_begin(p, s, retries);
    else
        retry_begin(p, s, retries);
    flow_classify(p, s);
    match_learn(p, s);
    if (flow_post_must_queue(p, s)) {
        if (send_step(p, s, SEND_POST_QUEUED) == SEND_TO)
            flow_enqueue(p, s);
    } else {
        send_begin_attempt(p, s, SEND_POST);
    }
}

/* Takes a slot back that was never accepted. */
static int post_refuse(struct weft_mad_port *p, struct send *s, int err)
{
    pool_give(&p->sends, s);
    return err;
}

static int post(struct weft_mad_port *p, struct agent *a, const struct weft_mad_send_req *r,
                weft_mad_send_id *ret)
{
    enum smi_verdict way = SMI_SEND_AS_ADDRESSED;
    uint8_t smp[WEFT_MAD_BYTES];
    struct send *s;

    if (!post_header_valid(a, r) || !post_policy_valid(r))
        return WEFT_ERR_INVALID;
    match_prefetch(p, post_tid(a, r->data));
    s = post_take(p);
    if (!s)
        return WEFT_ERR_FULL;
    post_fill(p, s, a, r);
    if ((s->flags & SEND_DIRECTED) && !p->config.hops_by_host)
        way = post_directed(p, s, smp);
    if (way == SMI_DISCARD)
        return post_refuse(p, s, WEFT_ERR_INVALID);
    if (match_conflict(p, s))
        return post_refuse(p, s, WEFT_ERR_CONFLICT);
    a->live_sends++;
    a->stats.sent++;
    if (ret)
        *ret = send_id(p, s);
    if (way == SMI_TO_SMA || way == SMI_TO_SM)
        device_post(p, s, smp);
    else
        post_start(p, s, r->retries);
    return 0;
}

int weft_mad_post(struct weft_mad_port *p, weft_time now, const struct weft_mad_send_req *r,
                  weft_mad_send_id *ret)
{
    struct agent *a = agent_lookup(p, r->agent);
    int err = engine_clock(p, now);

    if (err == 0)
        err = a ? post(p, a, r, ret) : WEFT_ERR_STALE;
    if (err < 0) {
        p->stats.refused++;
        if (a)
            a->stats.refused++;
    }
    return err;
}
