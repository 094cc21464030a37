/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Destinations: the table, and how a window grows and shrinks. */
#include "core/mad/peer.h"

#include <string.h>

static uint32_t peer_hash(const struct weft_mad_addr *to)
{
    if (!to->has_grh)
        return index_hash(to->lid);
    return index_hash(wire_be64(to->grh.dgid) ^ index_hash(wire_be64(to->grh.dgid + 8)));
}

static bool peer_is(const struct peer *d, const struct weft_mad_addr *to)
{
    if (d->by_gid != to->has_grh)
        return false;
    return to->has_grh ? memcmp(d->gid, to->grh.dgid, sizeof(d->gid)) == 0 : d->lid == to->lid;
}

struct peer *peer_find(const struct weft_mad_port *p, const struct weft_mad_addr *to)
{
    uint32_t hash = peer_hash(to), pos = hash, slot;

    while ((slot = index_next(&p->peer_index, hash, &pos)) != INDEX_EMPTY) {
        struct peer *d = pool_at(&p->peers, slot);

        if (peer_is(d, to))
            return d;
    }
    return NULL;
}

static struct peer *peer_room(struct weft_mad_port *p)
{
    struct peer *d = pool_take(&p->peers);
    struct list_node *oldest;

    if (d)
        return d;
    oldest = list_pop_front(&p->peers_idle);
    if (!oldest)
        return NULL;
    d = WEFT_CONTAINER_OF(oldest, struct peer, idle);
    index_remove(&p->peer_index, d->hash, pool_slot(&p->peers, d));
    return d;
}

struct peer *peer_take(struct weft_mad_port *p, const struct weft_mad_addr *to)
{
    struct peer *d = peer_find(p, to);

    if (d) {
        list_remove(&d->idle);
        return d;
    }
    d = peer_room(p);
    if (!d)
        return NULL;
    pool_clear(d, sizeof(*d));
    d->hash = peer_hash(to);
    d->by_gid = to->has_grh;
    d->lid = to->lid;
    if (to->has_grh)
        memcpy(d->gid, to->grh.dgid, sizeof(d->gid));
    d->window = p->config.flow.window_initial * PEER_WINDOW_ONE;
    d->threshold = p->config.flow.window_max * PEER_WINDOW_ONE;
    list_init(&d->idle);
    list_init(&d->backlogs);
    list_init(&d->waiting);
    index_put(&p->peer_index, d->hash, pool_slot(&p->peers, d));
    return d;
}

static void peer_set_window(struct weft_mad_port *p, struct peer *d, uint32_t window)
{
    uint32_t before = d->window / PEER_WINDOW_ONE;

    d->window = window;
    if (p->config.trace && window / PEER_WINDOW_ONE != before) {
        struct weft_trace_event ev = {.type = WEFT_TRACE_WINDOW};

        ev.u.window.lid = d->lid;
        ev.u.window.window = window / PEER_WINDOW_ONE;
        engine_trace(p, &ev);
    }
}

void peer_grow(struct weft_mad_port *p, struct peer *d)
{
    uint32_t most = p->config.flow.window_max * PEER_WINDOW_ONE, step = PEER_WINDOW_ONE;

    if (d->window >= d->threshold)
        step = PEER_WINDOW_ONE * PEER_WINDOW_ONE / d->window;
    if (step == 0)
        step = 1;
    peer_set_window(p, d, d->window + step > most ? most : d->window + step);
}

void peer_shrink(struct weft_mad_port *p, struct peer *d, weft_time sent_at)
{
    uint32_t half = d->window / 2;

    if (sent_at < d->shrunk_at)
        return;
    if (half < PEER_WINDOW_ONE)
        half = PEER_WINDOW_ONE;
    d->shrunk_at = p->now;
    d->threshold = half;
    peer_set_window(p, d, half);
}

int weft_mad_peer_window(const struct weft_mad_port *p, const struct weft_mad_addr *to,
                         uint32_t *ret_window, uint32_t *ret_outstanding)
{
    const struct peer *d = peer_find(p, to);

    if (!d)
        return WEFT_ERR_NOTFOUND;
    *ret_window = d->window / PEER_WINDOW_ONE;
    if (ret_outstanding)
        *ret_outstanding = d->outstanding;
    return 0;
}
