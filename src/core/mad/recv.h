/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Receive buffers: taking, filling, delivering and giving back.
 */
#ifndef WEFT_CORE_MAD_RECV_H
#define WEFT_CORE_MAD_RECV_H

#include "core/mad/engine.h"

static inline weft_mad_recv_id recv_id(const struct weft_mad_port *p, const struct recv *r)
{
    return (weft_mad_recv_id){pool_handle(&p->recvs, r)};
}

/** Takes a buffer and fills it with a packet.
 * @param request  the send it answers, or NULL; while that is outstanding the port's budget has
 *                 kept a buffer for it
 * @return NULL: none is free, or those that are belong to answers */
struct recv *recv_take(struct weft_mad_port *p, const struct weft_mad_rx *rx,
                       const struct send *request);

/** Gives a buffer and its segments back and lets sends go that waited for it. */
void recv_free(struct weft_mad_port *p, struct recv *r);

/** Begins to route a message on that has a buffer: that is free now for whatever comes of the
 * message, and for nothing else until recv_routed(). */
void recv_route(struct weft_mad_port *p, struct recv *r);

/** Ends what recv_route() began: sends that wait for a buffer may have it if it is still free. */
void recv_routed(struct weft_mad_port *p);

/** A message that its owner has polled and not released; NULL when the handle is stale. */
struct recv *recv_lookup(const struct weft_mad_port *p, weft_mad_recv_id id);

/** The packet that a buffer was taken for, with these bytes. */
static inline struct weft_mad_rx recv_packet(const struct recv *r, const void *mad)
{
    return (struct weft_mad_rx){
        .qpn = r->qpn, .dlid = r->dlid, .from = r->from, .data = mad, .len = WEFT_MAD_BYTES};
}

/** Hands a message of one packet to an agent.
 * @param request  the send it answers, or NULL
 * @return false: no buffer was free */
bool recv_deliver(struct weft_mad_port *p, struct agent *a, const struct weft_mad_rx *rx,
                  const struct send *request);

#endif
