/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A switch is crossed once it has said who it is twice: one that is somebody else each time would
 * be a new one behind each of its cables, and these again, without end. */
#include "client/sweep_state.h"
#include "core/wire/field.h"

void sweep_confirm_ask(struct weft_sweep *s, uint32_t node)
{
    struct weft_sweep_node *n = &s->nodes[node];

    /* Whoever was there before has said it then. */
    n->confirmed = s->known && weft_sweep_prior_find(s->known, n->guid, 0);
    if (!n->confirmed)
        sweep_put(s, SWEEP_ASK_CONFIRM, n->first_port, WEFT_ATTR_NODE_INFO, 0);
}

void sweep_cross(struct weft_sweep *s, uint32_t port)
{
    const struct weft_sweep_port *p = &s->ports[port];
    const struct weft_sweep_node *n = &s->nodes[p->node];

    if ((n->type != WEFT_SWEEP_SWITCH || n->confirmed) && p->state > SWEEP_STATE_DOWN &&
        p->peer == WEFT_SWEEP_NONE)
        sweep_put(s, SWEEP_ASK_NEIGHBOR, port, WEFT_ATTR_NODE_INFO, 0);
}

void sweep_confirm(struct weft_sweep *s, uint32_t node)
{
    struct weft_sweep_node *n = &s->nodes[node];

    if (n->confirmed || n->type != WEFT_SWEEP_SWITCH)
        return;
    n->confirmed = true;
    for (uint32_t i = n->first_port + 1; i <= n->first_port + n->port_count; i++)
        if (s->ports[i].told)
            sweep_cross(s, i);
}

void sweep_confirm_told(struct weft_sweep *s, const struct question *q, const uint8_t *info)
{
    const struct weft_sweep_port *p = &s->ports[q->about];
    uint64_t guid = wire_get(WIRE_NODE_INFO_NODE_GUID, info);
    struct question behind = *q;
    struct weft_sweep_trouble *t;

    if (guid == s->nodes[p->node].guid) {
        sweep_confirm(s, p->node);
        return;
    }
    /* Of the own node there is no port to name but its own. */
    if (p->via != WEFT_SWEEP_NONE) {
        behind.about = p->via;
        behind.kind = SWEEP_ASK_NEIGHBOR;
    }
    t = sweep_trouble_add(s, WEFT_SWEEP_UNSTABLE, &behind);
    if (t)
        t->guid = guid;
}
