/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The faulty network. */
#include "network.h"

#include <string.h>

bool chance(struct prng *g, uint32_t permille)
{
    return prng_up_to(g, 999) < permille;
}

static void launch(struct network *n, weft_time now, uint32_t to, const struct weft_mad_rx *rx)
{
    struct flight *f;

    if (n->count == NETWORK_FLIGHTS_MAX)
        return;
    f = &n->flights[n->count++];
    f->at =
        now + n->faults.delay_min + prng_up_to(n->prng, n->faults.delay_max - n->faults.delay_min);
    f->order = n->order++;
    f->to = to;
    f->rx = *rx;
    f->rx.data = NULL;
    memcpy(f->mad, rx->data, sizeof(f->mad));
    if (chance(n->prng, n->faults.corrupt))
        f->mad[prng_up_to(n->prng, 63)] ^= (uint8_t)(1u << prng_up_to(n->prng, 7));
}

void network_send(struct network *n, weft_time now, uint32_t to, const struct weft_mad_rx *rx)
{
    if (!chance(n->prng, n->faults.loss))
        launch(n, now, to, rx);
    if (chance(n->prng, n->faults.duplicate))
        launch(n, now, to, rx);
}

static uint32_t earliest(const struct network *n)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < n->count; i++) {
        const struct flight *a = &n->flights[i], *b = &n->flights[best];

        if (a->at < b->at || (a->at == b->at && a->order < b->order))
            best = i;
    }
    return best;
}

weft_time network_next(const struct network *n)
{
    return n->count > 0 ? n->flights[earliest(n)].at : WEFT_TIME_NEVER;
}

bool network_receive(struct network *n, weft_time now, struct flight *ret)
{
    uint32_t i;

    if (n->count == 0)
        return false;
    i = earliest(n);
    if (n->flights[i].at > now)
        return false;
    *ret = n->flights[i];
    n->flights[i] = n->flights[--n->count];
    return true;
}
