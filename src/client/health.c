/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is wrong with ports: links first, then counters. */
#include "client/health.h"

#include "core/wire/link_rate.h"

/* PortInfo:PortState. */
#define STATE_DOWN   1
#define STATE_ACTIVE 4

/* Counters of what goes wrong. */
#define ERRORS (((weft_pma_set)1 << WEFT_PMA_ERRORS) - 1)

/* Weights: what is wrong with the link is above every counter. A counter's value has the lower
 * bits, as far as they reach. */
#define WEIGHT_DOWN       (UINT64_C(1) << 63)
#define WEIGHT_NARROW     (UINT64_C(1) << 62)
#define WEIGHT_SLOW       (UINT64_C(1) << 61)
#define WEIGHT_NOT_ACTIVE (UINT64_C(1) << 60)
#define COUNTER_SHIFT     48
#define VALUE_MAX         ((UINT64_C(1) << COUNTER_SHIFT) - 1)

uint8_t health_lanes(const struct weft_sweep_port *p)
{
    return p->state > STATE_DOWN ? wire_link_lanes(p->width.active) : 0;
}

uint8_t health_speed(const struct weft_sweep_port *p)
{
    return p->state > STATE_DOWN ? (uint8_t)wire_link_speed(p->speed.active, p->speed_ext.active)
                                 : 0;
}

const char *health_speed_word(uint8_t speed)
{
    const char *word = wire_link_speed_word((enum wire_link_speed)speed);

    return word ? word : "?";
}

static void look_at_link(const struct weft_sweep *s, const struct weft_sweep_port *p,
                         struct health *ret)
{
    const struct weft_sweep_port *peer =
        p->peer == WEFT_SWEEP_NONE ? NULL : weft_sweep_port(s, p->peer);

    if (p->state <= STATE_DOWN || p->number == 0)
        return;
    ret->not_active = p->state < STATE_ACTIVE;
    if (!peer || !(p->told || p->assumed) || !(peer->told || peer->assumed))
        return;
    ret->width = wire_link_lanes(p->width.supported & peer->width.supported);
    ret->speed = (uint8_t)wire_link_speed(p->speed.supported & peer->speed.supported,
                                          p->speed_ext.supported & peer->speed_ext.supported);
    ret->narrow = health_lanes(p) < ret->width;
    ret->slow = health_speed(p) < ret->speed;
}

static weft_pma_set above_of(const struct weft_pma_values *v, const struct thresholds *t)
{
    weft_pma_set above = v->stuck & ERRORS;

    for (unsigned i = 0; i < WEFT_PMA_ERRORS; i++)
        above |= (weft_pma_set)(v->value[i] > t->above[i]) << i;
    return above & v->present;
}

bool health_look(const struct weft_sweep *s, const struct weft_counters *c,
                 const struct thresholds *t, uint32_t port, struct health *ret)
{
    const struct weft_sweep_port *p = weft_sweep_port(s, port);
    struct weft_pma_values values;

    *ret = (struct health){.above = 0};
    if (c) {
        weft_counters_get(c, port, &values);
        ret->above = above_of(&values, t);
    }
    look_at_link(s, p, ret);
    ret->down = p->state == STATE_DOWN && weft_pma_has(ret->above, WEFT_PMA_LINK_DOWNED);
    return ret->down || ret->not_active || ret->narrow || ret->slow || ret->above != 0;
}

uint64_t health_weight(const struct health *h, const struct weft_pma_values *v)
{
    uint64_t weight = 0;

    weight |= h->down ? WEIGHT_DOWN : 0;
    weight |= h->narrow ? WEIGHT_NARROW : 0;
    weight |= h->slow ? WEIGHT_SLOW : 0;
    weight |= h->not_active ? WEIGHT_NOT_ACTIVE : 0;
    for (unsigned i = 0; i < WEFT_PMA_ERRORS; i++) {
        if (!weft_pma_has(h->above, i))
            continue;
        weight |= (uint64_t)(WEFT_PMA_ERRORS - i) << COUNTER_SHIFT;
        return weight | (v->value[i] < VALUE_MAX ? v->value[i] : VALUE_MAX);
    }
    return weight;
}
