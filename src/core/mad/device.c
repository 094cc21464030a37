/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The own node: DEVICE messages and what the host does with them, and SMPs of this port to itself.
 */
#include "core/mad/device.h"

#include "core/mad/agent.h"
#include "core/mad/event.h"
#include "core/mad/match.h"
#include "core/mad/recv.h"
#include "core/mad/rx.h"
#include "core/mad/send.h"
#include "core/mad/tx.h"

#include <string.h>

bool device_offer(struct weft_mad_port *p, const struct weft_mad_rx *rx, struct send *local)
{
    struct recv *r = recv_take(p, rx, NULL);

    if (!r)
        return false;
    r->device = true;
    r->looped = local != NULL;
    r->local = local;
    if (local)
        r->user_data = local->user_data;
    event_push_recv(p, r);
    return true;
}

/* Gives an SMP that never left the node to an agent of this port: a response goes to whose
 * transaction id it has. */
static enum weft_mad_verdict device_to_agent(struct weft_mad_port *p, const struct weft_mad_rx *rx)
{
    bool response = mad_is_response(rx->data);
    struct agent *a = response ? agent_for_tid(p, (uint32_t)(mad_tid(rx->data) >> 32))
                               : agent_for_request(p, rx->data);

    if (!a || a->no_recv)
        return response ? WEFT_MAD_DROP_UNMATCHED : WEFT_MAD_DROP_NO_AGENT;
    return recv_deliver(p, a, rx, NULL) ? WEFT_MAD_ACCEPTED : WEFT_MAD_DROP_NO_BUFFER;
}

void device_post(struct weft_mad_port *p, struct send *s, const uint8_t *smp)
{
    struct weft_mad_rx rx = {.qpn = WEFT_QP_SMI,
                             .dlid = WEFT_LID_PERMISSIVE,
                             .from = {.lid = WEFT_LID_PERMISSIVE},
                             .data = smp,
                             .len = WEFT_MAD_BYTES};
    enum weft_mad_verdict verdict = WEFT_MAD_DROP_NO_BUFFER;

    match_learn(p, s);
    if (send_step(p, s, SEND_POST_LOCAL) != SEND_TO)
        return;
    if (!device_wants(p, smp))
        verdict = device_to_agent(p, &rx);
    else if (device_offer(p, &rx, s))
        return;
    rx_count_passed(p, &rx, verdict);
    send_finish(p, s, SEND_LOCAL_DONE, WEFT_MAD_OK);
}

void device_send_gone(struct weft_mad_port *p, const struct send *s)
{
    uint32_t slot = 0;
    struct recv *r;

    while ((r = pool_next(&p->recvs, &slot))) {
        if (r->local == s)
            r->local = NULL;
    }
}

void device_local_done(struct weft_mad_port *p, struct send *local)
{
    if (local)
        send_finish(p, local, SEND_LOCAL_DONE, WEFT_MAD_OK);
}

/* The DEVICE message that a call is about. */
static int device_message(struct weft_mad_port *p, weft_time now, weft_mad_recv_id id,
                          struct recv **ret)
{
    struct recv *r = recv_lookup(p, id);
    int err = engine_clock(p, now);

    if (err < 0)
        return err;
    if (!r)
        return WEFT_ERR_STALE;
    if (!r->device)
        return WEFT_ERR_STATE;
    *ret = r;
    return 0;
}

int weft_mad_recv_pass(struct weft_mad_port *p, weft_time now, weft_mad_recv_id id)
{
    uint8_t mad[WEFT_MAD_BYTES];
    enum weft_mad_verdict verdict;
    struct weft_mad_rx rx;
    struct send *local;
    struct recv *r;
    bool looped;
    int err = device_message(p, now, id, &r);

    if (err < 0)
        return err;
    memcpy(mad, r->mad, sizeof(mad));
    rx = recv_packet(r, mad);
    local = r->local;
    looped = r->looped;
    recv_route(p, r);
    verdict = looped ? device_to_agent(p, &rx) : rx_to_agent(p, &rx);
    rx_count_passed(p, &rx, verdict);
    recv_routed(p);
    device_local_done(p, local);
    return 0;
}

int weft_mad_recv_answer(struct weft_mad_port *p, weft_time now, weft_mad_recv_id id,
                         const void *mad)
{
    uint8_t answer[WEFT_MAD_BYTES];
    struct weft_mad_rx rx;
    struct send *local;
    struct recv *r;
    int err = device_message(p, now, id, &r);

    if (err < 0)
        return err;
    memcpy(answer, mad, sizeof(answer));
    rx = recv_packet(r, answer);
    local = r->local;
    if (!r->looped)
        err = tx_reply(p, &rx, answer);
    if (err < 0)
        return err;
    recv_route(p, r);
    if (local && !local->agent->no_recv) {
        bool delivered = recv_deliver(p, local->agent, &rx, local);

        WEFT_ASSERT(delivered);
    }
    recv_routed(p);
    device_local_done(p, local);
    return 0;
}
