/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Receive buffers, and what the owner of a received message can do with it.
 */
#include "core/mad/recv.h"

#include "core/mad/event.h"
#include "core/mad/flow.h"
#include "core/mad/rmpp_store.h"
#include "core/mad/rx.h"
#include "core/mad/send.h"
#include "core/mad/tx.h"

#include <string.h>

struct recv *recv_take(struct weft_mad_port *p, const struct weft_mad_rx *rx,
                       const struct send *request)
{
    bool kept = request && send_is_outstanding(request), fresh;
    struct recv *r;

    if (!kept && !flow_buffer_to_spare(p))
        return NULL;
    r = pool_take(&p->recvs, &fresh);
    if (!r)
        return NULL;
    if (fresh)
        r->generation = 1;
    r->place = RECV_GATHERING;
    r->solicited = request != NULL;
    r->device = false;
    r->looped = false;
    r->qpn = rx->qpn;
    r->dlid = rx->dlid;
    r->len = WEFT_MAD_BYTES;
    r->user_data = request ? request->user_data : 0;
    r->agent = NULL;
    r->local = NULL;
    r->head_bytes = WEFT_MAD_BYTES;
    r->blocks = POOL_NONE;
    r->from = rx->from;
    memcpy(r->mad, rx->data, WEFT_MAD_BYTES);
    if (!r->solicited)
        p->held_unsolicited++;
    return r;
}

void recv_free(struct weft_mad_port *p, struct recv *r)
{
    rmpp_store_free(p, r);
    if (!r->solicited)
        p->held_unsolicited--;
    r->place = RECV_FREE;
    r->generation++;
    pool_give(&p->recvs, r);
    flow_buffer_freed(p);
}

bool recv_deliver(struct weft_mad_port *p, struct agent *a, const struct weft_mad_rx *rx,
                  const struct send *request)
{
    struct recv *r = recv_take(p, rx, request);

    if (!r)
        return false;
    r->agent = a;
    event_push_recv(p, r);
    return true;
}

/* A message that its owner has polled and not released. */
static struct recv *recv_lookup(const struct weft_mad_port *p, weft_mad_recv_id id)
{
    uint32_t slot = (uint32_t)id.v - 1;
    struct recv *r;

    if (!pool_known(&p->recvs, slot))
        return NULL;
    r = pool_at(&p->recvs, slot);
    return r->place == RECV_HELD && r->generation == id.v >> 32 ? r : NULL;
}

int weft_mad_recv_read(struct weft_mad_port *p, weft_mad_recv_id id, uint32_t off, void *dst,
                       uint32_t len)
{
    struct recv *r = recv_lookup(p, id);
    uint8_t *to = dst;
    uint32_t head = 0;

    if (!r)
        return WEFT_ERR_STALE;
    if (off > r->len || len > r->len - off)
        return WEFT_ERR_INVALID;
    if (off < r->head_bytes) {
        head = r->head_bytes - off < len ? r->head_bytes - off : len;
        memcpy(to, r->mad + off, head);
    }
    if (head < len)
        rmpp_store_read(p, r, off + head - r->head_bytes, to + head, len - head);
    return 0;
}

void recv_local_gone(struct weft_mad_port *p, const struct send *s)
{
    for (uint32_t slot = 0; pool_known(&p->recvs, slot); slot++) {
        struct recv *r = pool_at(&p->recvs, slot);

        if (r->place != RECV_FREE && r->local == s)
            r->local = NULL;
    }
}

/* The buffer of a message of this port to itself takes the answer to it: given back in between, it
 * could go to a send that waits for the port's budget. */
static void recv_turn_round(struct weft_mad_port *p, struct recv *r, const void *mad)
{
    r->generation++;
    r->device = false;
    r->looped = false;
    r->solicited = true;
    p->held_unsolicited--;
    r->agent = r->local->agent;
    r->local = NULL;
    memmove(r->mad, mad, WEFT_MAD_BYTES);
    event_push_recv(p, r);
}

/* What the device did with a send of its own port ends that send. */
static void recv_local_done(struct weft_mad_port *p, struct send *local)
{
    if (local)
        send_finish(p, local, SEND_LOCAL_DONE, WEFT_MAD_OK);
}

int weft_mad_recv_release(struct weft_mad_port *p, weft_mad_recv_id id)
{
    struct recv *r = recv_lookup(p, id);
    struct send *local;

    if (!r)
        return WEFT_ERR_STALE;
    local = r->local;
    recv_free(p, r);
    recv_local_done(p, local);
    return 0;
}

static struct weft_mad_rx recv_packet(const struct recv *r)
{
    return (struct weft_mad_rx){
        .qpn = r->qpn, .dlid = r->dlid, .from = r->from, .data = r->mad, .len = WEFT_MAD_BYTES};
}

int weft_mad_recv_pass(struct weft_mad_port *p, weft_time now, weft_mad_recv_id id)
{
    struct recv *r = recv_lookup(p, id);
    uint8_t mad[WEFT_MAD_BYTES];
    struct weft_mad_rx rx;
    struct send *local;
    bool looped;
    int err = engine_clock(p, now);

    if (err < 0)
        return err;
    if (!r)
        return WEFT_ERR_STALE;
    if (!r->device)
        return WEFT_ERR_STATE;
    rx = recv_packet(r);
    memcpy(mad, r->mad, sizeof(mad));
    rx.data = mad;
    local = r->local;
    looped = r->looped;
    recv_free(p, r);
    if (looped) {
        rx_local_to_agent(p, &rx);
    } else {
        p->stats.verdicts[WEFT_MAD_ACCEPTED]--;
        p->stats.verdicts[rx_to_agent(p, &rx)]++;
    }
    recv_local_done(p, local);
    return 0;
}

int weft_mad_recv_answer(struct weft_mad_port *p, weft_time now, weft_mad_recv_id id,
                         const void *mad)
{
    struct recv *r = recv_lookup(p, id);
    struct weft_mad_rx rx;
    struct send *local;
    int err = engine_clock(p, now);

    if (err < 0)
        return err;
    if (!r)
        return WEFT_ERR_STALE;
    if (!r->device)
        return WEFT_ERR_STATE;
    rx = recv_packet(r);
    local = r->local;
    if (!r->looped)
        err = tx_reply(p, &rx, mad);
    if (err < 0)
        return err;
    if (local && !local->agent->no_recv)
        recv_turn_round(p, r, mad);
    else
        recv_free(p, r);
    recv_local_done(p, local);
    return 0;
}
