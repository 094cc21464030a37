/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What has happened between two looks: links, nodes, counters. */
#include "cli/counters_changes.h"

#include "findings/list.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEIGHT_SHIFT 58

static bool notice(struct counters_changes *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool notice(struct counters_changes *c, const char *format, ...)
{
    char **grown =
        findings_grow(c->notices, c->notice_count, &c->notice_space, sizeof(*c->notices));
    char *text = NULL;
    va_list ap;
    int length;

    if (!grown)
        return false;
    c->notices = grown;
    va_start(ap, format);
    length = vasprintf(&text, format, ap);
    va_end(ap);
    if (length < 0)
        return false;
    c->notices[c->notice_count++] = text;
    return true;
}

static bool link_notice(struct counters_changes *c, const struct weft_sweep *old, uint32_t was,
                        const struct weft_sweep *new, uint32_t is)
{
    const struct weft_sweep_port *p = weft_sweep_port(old, was);
    const struct weft_sweep_port *q = weft_sweep_port(new, is);
    char label[COUNTERS_LABEL_BYTES], from[COUNTERS_LABEL_BYTES], to[COUNTERS_LABEL_BYTES];
    bool was_up = p->state > 1;
    bool is_up = q->state > 1;
    bool good = true;

    (void)counters_label(new, is, label);
    if (was_up != is_up)
        good = notice(c, "%s: link %s", label, is_up ? "up" : "down");
    else if (is_up && (health_lanes(p) != health_lanes(q) || health_speed(p) != health_speed(q)))
        good = notice(c, "%s: link was %ux %s, is %ux %s", label, health_lanes(p),
                      health_speed_word(health_speed(p)), health_lanes(q),
                      health_speed_word(health_speed(q)));
    if (!good || !is_up || p->peer == WEFT_SWEEP_NONE || q->peer == WEFT_SWEEP_NONE)
        return good;
    if (weft_sweep_node(old, weft_sweep_port(old, p->peer)->node)->guid !=
            weft_sweep_node(new, weft_sweep_port(new, q->peer)->node)->guid ||
        weft_sweep_port(old, p->peer)->number != weft_sweep_port(new, q->peer)->number)
        good = notice(c, "%s: cable moved from %s to %s", label, counters_label(old, p->peer, from),
                      counters_label(new, q->peer, to));
    return good;
}

static bool node_notice(struct counters_changes *c, const struct weft_sweep *old, uint32_t was,
                        const struct weft_sweep *new, uint32_t is)
{
    const struct weft_sweep_node *p = weft_sweep_node(old, was);
    const struct weft_sweep_node *q = weft_sweep_node(new, is);
    char from[COUNTERS_LABEL_BYTES], to[COUNTERS_LABEL_BYTES];

    if (strcmp(p->name, q->name) == 0)
        return true;
    return notice(c, "0x%016" PRIx64 ": %s is now called %s", q->guid,
                  counters_node_label(old, was, from), counters_node_label(new, is, to));
}

/* Compares the nodes that both sweeps have, and tells of those that one has. */
static bool compare_topologies(struct counters_changes *c, const struct counters_look *old,
                               const struct counters_look *new)
{
    char label[COUNTERS_LABEL_BYTES];
    bool good = true;

    for (uint32_t i = 0; i < weft_sweep_node_count(new->sweep) && good; i++) {
        const struct weft_sweep_node *n = weft_sweep_node(new->sweep, i);
        uint32_t was = weft_counters_port_in(old->counters, new->sweep, n->first_port);

        if (was == WEFT_SWEEP_NONE) {
            good = notice(c, "%s: new", counters_node_label(new->sweep, i, label));
            continue;
        }
        good = node_notice(c, old->sweep, weft_sweep_port(old->sweep, was)->node, new->sweep, i);
        for (uint32_t p = 1; p <= n->port_count && good; p++)
            if (new->wanted[n->first_port + p] &&
                p <=
                    weft_sweep_node(old->sweep, weft_sweep_port(old->sweep, was)->node)->port_count)
                good = link_notice(c, old->sweep, was + p, new->sweep, n->first_port + p);
    }
    for (uint32_t i = 0; i < weft_sweep_node_count(old->sweep) && good; i++) {
        uint32_t first = weft_sweep_node(old->sweep, i)->first_port;

        if (weft_counters_port_in(new->counters, old->sweep, first) == WEFT_SWEEP_NONE)
            good = notice(c, "%s: gone", counters_node_label(old->sweep, i, label));
    }
    return good;
}

static void weigh(struct counters_change *c)
{
    uint64_t traffic =
        c->delta.value[WEFT_PMA_XMIT_DATA] / 2 + c->delta.value[WEFT_PMA_RCV_DATA] / 2;

    c->weight = traffic >> (64 - WEIGHT_SHIFT);
    for (unsigned i = 0; i < WEFT_PMA_ERRORS; i++) {
        if (i == WEFT_PMA_XMIT_WAIT || c->delta.value[i] == 0)
            continue;
        c->errors |= (weft_pma_set)1 << i;
        if (c->weight >> WEIGHT_SHIFT == 0)
            c->weight = (uint64_t)(WEFT_PMA_ERRORS - i) << WEIGHT_SHIFT |
                        (c->delta.value[i] & ((UINT64_C(1) << WEIGHT_SHIFT) - 1));
    }
    c->has_errors = c->errors != 0 || c->delta.reset != 0;
}

static int change_compare(const void *a, const void *b)
{
    const struct counters_change *p = a;
    const struct counters_change *q = b;

    if (p->has_errors != q->has_errors)
        return p->has_errors ? -1 : 1;
    if (p->weight != q->weight)
        return p->weight > q->weight ? -1 : 1;
    return p->port < q->port ? -1 : p->port > q->port;
}

bool counters_changes_init(struct counters_changes *ret, const struct counters_look *old,
                           const struct counters_look *new)
{
    uint32_t ports = weft_sweep_port_count(new->sweep);

    *ret = (struct counters_changes){.sweep = new->sweep, .between = new->at - old->at};
    ret->ports = calloc(ports + 1u, sizeof(ret->ports[0]));
    if (!ret->ports || !compare_topologies(ret, old, new))
        return false;
    for (uint32_t i = 0; i < ports; i++) {
        struct counters_change *c = &ret->ports[ret->count];

        if (weft_counters_state(new->counters, i) == WEFT_COUNTERS_UNASKED)
            continue;
        if (!weft_counters_delta(old->counters, new->counters, i, &c->delta)) {
            ret->unread++;
            continue;
        }
        c->port = i;
        weigh(c);
        ret->count++;
    }
    qsort(ret->ports, ret->count, sizeof(ret->ports[0]), change_compare);
    return true;
}

void counters_changes_free(struct counters_changes *c)
{
    for (uint32_t i = 0; i < c->notice_count; i++)
        free(c->notices[i]);
    free(c->notices);
    free(c->ports);
    *c = (struct counters_changes){.count = 0};
}
