/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Receive buffers: taking, filling, delivering, reading and giving back. */
#include "core/mad/recv.h"

#include "core/mad/device.h"
#include "core/mad/event.h"
#include "core/mad/flow.h"
#include "core/mad/rmpp_rx.h"
#include "core/mad/rmpp_store.h"

#include <string.h>

struct recv *recv_take(struct weft_mad_port *p, const struct weft_mad_rx *rx,
                       const struct send *request)
{
    bool kept = p->buffer_claimed || (request && send_is_outstanding(request));
    struct recv *r;

    if (!kept && !flow_buffer_to_spare(p))
        return NULL;
    while (!(r = pool_take(&p->recvs))) {
        if (!request || !rmpp_rx_make_room(p))
            return NULL;
    }
    p->buffer_claimed = false;
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

static void recv_give(struct weft_mad_port *p, struct recv *r)
{
    rmpp_store_free(p, r);
    WEFT_ASSERT(r->solicited || p->held_unsolicited > 0);
    WEFT_ASSERT(!p->buffer_claimed);
    if (!r->solicited)
        p->held_unsolicited--;
    pool_give(&p->recvs, r);
}

void recv_free(struct weft_mad_port *p, struct recv *r)
{
    recv_give(p, r);
    flow_buffer_freed(p);
}

void recv_route(struct weft_mad_port *p, struct recv *r)
{
    recv_give(p, r);
    p->buffer_claimed = true;
}

void recv_routed(struct weft_mad_port *p)
{
    p->buffer_claimed = false;
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

struct recv *recv_lookup(const struct weft_mad_port *p, weft_mad_recv_id id)
{
    struct recv *r = pool_find(&p->recvs, id.v);

    return r && r->place == RECV_HELD ? r : NULL;
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

int weft_mad_recv_release(struct weft_mad_port *p, weft_mad_recv_id id)
{
    struct recv *r = recv_lookup(p, id);
    struct send *local;

    if (!r)
        return WEFT_ERR_STALE;
    local = r->local;
    recv_free(p, r);
    device_local_done(p, local);
    return 0;
}
