/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Metrics of ports, of the topology, and of the exporter itself. */
#include "cli/exporter_page.h"

#include "cli/exporter_labels.h"
#include "client/health.h"
#include "core/wire/link_rate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum metric {
#define EXPORTER_METRIC(id, name, unit, type, help) METRIC_##id,
#include "cli/exporter.def"
#undef EXPORTER_METRIC
    METRICS
};

static const struct metrics_family families[METRICS] = {
#define EXPORTER_METRIC(id, name, unit, type, help)                                                \
    [METRIC_##id] = {name, unit, METRICS_##type, help},
#include "cli/exporter.def"
#undef EXPORTER_METRIC
};

/* The counters of pma.def. XmitWait counts ticks of a port's clock. */
static const struct metrics_family counter_families[WEFT_PMA_COUNTERS] = {
#define PMA_COUNTER(id, name, json)                                                                \
    [WEFT_PMA_##id] = {"weft_port_" json, "", METRICS_COUNTER, name " of the port."},
#include "client/pma.def"
#undef PMA_COUNTER
};

/* A page that is being written. */
struct page {
    const struct exporter_look *look;
    const struct weft_sweep *sweep;
    struct metrics_text *text;
    char **labels; /* of the samples of each port; NULL: it is not told of */
    struct health *health;
};

static bool wants(const struct page *p, enum exporter_group g)
{
    return (p->look->request->groups >> g & 1) != 0;
}

static bool is_told(const struct page *p, uint32_t port)
{
    const struct weft_sweep_port *q = weft_sweep_port(p->sweep, port);

    if (exporter_look_is_target(p->look, port))
        return true;
    if (q->number == 0 || !(p->look->request->all_ports || p->look->cabled[port]))
        return false;
    /* A CA's other ports, of which its first one says nothing, are nobody's yet. */
    return q->told || q->assumed || q->peer != WEFT_SWEEP_NONE;
}

static void labels_of(const struct page *p, uint32_t port, char ret[EXPORTER_LABELS_BYTES])
{
    const struct weft_sweep_port *q = weft_sweep_port(p->sweep, port);

    if (p->look->request->full)
        exporter_labels(p->sweep, port, ret);
    else
        exporter_labels_key(weft_sweep_node(p->sweep, q->node)->guid, q->number, ret);
}

static bool prepare(struct page *p)
{
    uint32_t ports = weft_sweep_port_count(p->sweep);
    char labels[EXPORTER_LABELS_BYTES];
    struct thresholds thresholds;
    bool good;

    thresholds_init(&thresholds);
    p->labels = calloc((size_t)ports + 1, sizeof(p->labels[0]));
    p->health = calloc((size_t)ports + 1, sizeof(p->health[0]));
    good = p->labels && p->health;
    for (uint32_t i = 0; good && i < ports; i++) {
        if (!is_told(p, i))
            continue;
        labels_of(p, i, labels);
        p->labels[i] = strdup(labels);
        good = p->labels[i] != NULL;
        (void)health_look(p->sweep, p->look->counters, &thresholds, i, &p->health[i]);
    }
    return good;
}

static void clear(struct page *p)
{
    for (uint32_t i = 0; p->labels && i < weft_sweep_port_count(p->sweep); i++)
        free(p->labels[i]);
    free(p->labels);
    free(p->health);
}

static void begin(const struct page *p, enum metric m)
{
    metrics_begin(p->text, &families[m]);
}

static void tell_targets(const struct page *p)
{
    char labels[EXPORTER_LABELS_BYTES];

    begin(p, METRIC_TARGET_UP);
    for (uint32_t i = 0; i < weft_sweep_port_count(p->sweep); i++)
        if (p->labels[i] && exporter_look_is_target(p->look, i))
            metrics_sample(p->text, p->labels[i],
                           exporter_look_target(p->look, i) == WEFT_COUNTERS_READ);
    for (uint32_t i = 0; i < p->look->gone_count; i++) {
        const struct exporter_gone *g = &p->look->gone[i];

        exporter_labels_key(g->guid, g->number, labels);
        metrics_sample(p->text, p->look->request->full ? g->labels : labels, 0);
    }
}

/* Whether a port that is no target any more is told of all the same. */
static bool is_told_still(const struct page *p, const struct exporter_gone *g)
{
    uint32_t node = weft_sweep_find(p->sweep, g->guid);

    return node != WEFT_SWEEP_NONE && g->number <= weft_sweep_node(p->sweep, node)->port_count &&
           p->labels[weft_sweep_node(p->sweep, node)->first_port + g->number];
}

/* What queries join to samples by GUID and port: exactly one for each. */
static void tell_names(const struct page *p)
{
    char labels[EXPORTER_LABELS_BYTES];

    begin(p, METRIC_INFO);
    for (uint32_t i = 0; i < weft_sweep_port_count(p->sweep); i++) {
        if (!p->labels[i])
            continue;
        exporter_labels(p->sweep, i, labels);
        metrics_sample(p->text, labels, 1);
    }
    for (uint32_t i = 0; i < p->look->gone_count; i++)
        if (!is_told_still(p, &p->look->gone[i]))
            metrics_sample(p->text, p->look->gone[i].labels, 1);
}

/* What a lane signals in b/s. */
static uint64_t lane_rate(uint8_t speed)
{
    return UINT64_C(1000) * wire_link_lane_kbps((enum wire_link_speed)speed);
}

/* What is told of a port and its link.
 * Each returns false: it does not apply to the port. */

static bool state_of(const struct weft_sweep_port *q, const struct health *h, uint64_t *ret)
{
    (void)h;
    *ret = q->state;
    return q->state > 0;
}

static bool physical_of(const struct weft_sweep_port *q, const struct health *h, uint64_t *ret)
{
    (void)h;
    *ret = q->phys_state;
    return q->phys_state > 0;
}

static bool lanes_of(const struct weft_sweep_port *q, const struct health *h, uint64_t *ret)
{
    (void)h;
    *ret = health_lanes(q);
    return *ret > 0;
}

static bool possible_lanes_of(const struct weft_sweep_port *q, const struct health *h,
                              uint64_t *ret)
{
    (void)q;
    *ret = h->width;
    return *ret > 0;
}

static bool speed_of(const struct weft_sweep_port *q, const struct health *h, uint64_t *ret)
{
    (void)h;
    *ret = lane_rate(health_speed(q));
    return *ret > 0;
}

static bool possible_speed_of(const struct weft_sweep_port *q, const struct health *h,
                              uint64_t *ret)
{
    (void)q;
    *ret = lane_rate(h->speed);
    return *ret > 0;
}

static bool degraded_of(const struct weft_sweep_port *q, const struct health *h, uint64_t *ret)
{
    (void)q;
    *ret = h->narrow || h->slow;
    return h->width > 0 && h->speed > 0;
}

static bool silence_of(const struct weft_sweep_port *q, const struct health *h, uint64_t *ret)
{
    (void)h;
    *ret = q->mute_peer;
    return q->mute_peer || health_lanes(q) > 0;
}

static const struct {
    enum exporter_group group;
    enum metric metric;
    bool (*value)(const struct weft_sweep_port *q, const struct health *h, uint64_t *ret);
} link_metrics[] = {
    {EXPORTER_STATE, METRIC_STATE, state_of},
    {EXPORTER_STATE, METRIC_PHYSICAL, physical_of},
    {EXPORTER_STATE, METRIC_DEGRADED, degraded_of},
    {EXPORTER_STATE, METRIC_MUTE, silence_of},
    {EXPORTER_SPEED, METRIC_LANES, lanes_of},
    {EXPORTER_SPEED, METRIC_LANES_CAN, possible_lanes_of},
    {EXPORTER_SPEED, METRIC_SPEED, speed_of},
    {EXPORTER_SPEED, METRIC_SPEED_CAN, possible_speed_of},
};

static void tell_links(const struct page *p)
{
    for (size_t m = 0; m < sizeof(link_metrics) / sizeof(link_metrics[0]); m++) {
        if (!wants(p, link_metrics[m].group))
            continue;
        begin(p, link_metrics[m].metric);
        for (uint32_t i = 0; i < weft_sweep_port_count(p->sweep); i++) {
            const struct weft_sweep_port *q = weft_sweep_port(p->sweep, i);
            uint64_t value;

            if (p->labels[i] && q->number > 0 && link_metrics[m].value(q, &p->health[i], &value))
                metrics_sample(p->text, p->labels[i], value);
        }
    }
}

/* The values of a port that is told of.
 * Returns false: nothing was read of it. */
static bool values_of(const struct page *p, uint32_t port, struct weft_pma_values *ret)
{
    if (!p->labels[port])
        return false;
    weft_counters_get(p->look->counters, port, ret);
    return ret->present != 0;
}

static enum exporter_group group_of(enum weft_pma_counter c)
{
    if (c >= WEFT_PMA_UNICAST_XMIT_PACKETS)
        return EXPORTER_CASTS;
    return c >= WEFT_PMA_XMIT_WAIT ? EXPORTER_DATA : EXPORTER_ERRORS;
}

static void tell_counter(const struct page *p, enum weft_pma_counter c)
{
    bool begun = false;

    for (uint32_t i = 0; i < weft_sweep_port_count(p->sweep); i++) {
        struct weft_pma_values v;

        if (!values_of(p, i, &v) || !weft_pma_has(v.present, c))
            continue;
        if (!begun)
            metrics_begin(p->text, &counter_families[c]);
        begun = true;
        metrics_sample(p->text, p->labels[i], v.value[c]);
    }
}

static void tell_stuck(const struct page *p, uint32_t port, const struct weft_pma_values *v)
{
    char labels[EXPORTER_LABELS_BYTES];

    for (unsigned c = 0; c < WEFT_PMA_COUNTERS; c++) {
        if (!weft_pma_has(v->stuck, c))
            continue;
        (void)snprintf(labels, sizeof(labels), "%s", p->labels[port]);
        metrics_label(labels, sizeof(labels), "counter",
                      weft_pma_json_name((enum weft_pma_counter)c));
        metrics_sample(p->text, labels, 1);
    }
}

static void tell_saturated(const struct page *p)
{
    begin(p, METRIC_SATURATED);
    for (uint32_t i = 0; i < weft_sweep_port_count(p->sweep); i++) {
        struct weft_pma_values v;

        if (values_of(p, i, &v))
            metrics_sample(p->text, p->labels[i], v.stuck != 0);
    }
    begin(p, METRIC_STUCK);
    for (uint32_t i = 0; i < weft_sweep_port_count(p->sweep); i++) {
        struct weft_pma_values v;

        if (values_of(p, i, &v))
            tell_stuck(p, i, &v);
    }
}

static void tell_count(const struct page *p, const char *label, const char *value, uint64_t count)
{
    char labels[64] = "";

    metrics_label(labels, sizeof(labels), label, value);
    metrics_sample(p->text, labels, count);
}

static void tell_topology(const struct page *p)
{
    static const char *const state_words[] = {
        [WEFT_COUNTERS_UNASKED] = "unasked",  [WEFT_COUNTERS_READ] = "read",
        [WEFT_COUNTERS_QUIET] = "quiet",      [WEFT_COUNTERS_PART] = "part",
        [WEFT_COUNTERS_REFUSED] = "refused",  [WEFT_COUNTERS_SILENT] = "silent",
        [WEFT_COUNTERS_NO_ADDRESS] = "no_lid"};
    uint64_t nodes[WEFT_SWEEP_ROUTER + 1] = {0}, states[WEFT_COUNTERS_NO_ADDRESS + 1] = {0},
                                       ports = 0;

    for (uint32_t i = 0; i < weft_sweep_node_count(p->sweep); i++)
        if (weft_sweep_node(p->sweep, i)->type <= WEFT_SWEEP_ROUTER)
            nodes[weft_sweep_node(p->sweep, i)->type]++;
    for (uint32_t i = 0; i < weft_sweep_port_count(p->sweep); i++) {
        ports += p->labels[i] && weft_sweep_port(p->sweep, i)->number > 0;
        if (p->labels[i] && exporter_look_is_target(p->look, i))
            states[exporter_look_target(p->look, i)]++;
    }
    begin(p, METRIC_NODES);
    tell_count(p, "type", "ca", nodes[WEFT_SWEEP_CA]);
    tell_count(p, "type", "switch", nodes[WEFT_SWEEP_SWITCH]);
    tell_count(p, "type", "router", nodes[WEFT_SWEEP_ROUTER]);
    begin(p, METRIC_PORTS);
    metrics_sample(p->text, "", ports);
    begin(p, METRIC_CONFLICTS);
    metrics_sample(p->text, "", exporter_look_conflicts(p->sweep));
    begin(p, METRIC_TARGETS);
    for (unsigned i = WEFT_COUNTERS_READ; i <= WEFT_COUNTERS_NO_ADDRESS; i++)
        if (i != WEFT_COUNTERS_QUIET)
            tell_count(p, "state", state_words[i], states[i]);
    tell_count(p, "state", "gone", p->look->gone_count);
}

static void tell_own(const struct page *p, enum metric m, uint64_t value)
{
    begin(p, m);
    metrics_sample(p->text, "", value);
}

static void tell_own_time(const struct page *p, enum metric m, weft_time value)
{
    begin(p, m);
    metrics_sample_time(p->text, "", value);
}

static void tell_exporter(const struct page *p, uint64_t scrapes)
{
    const struct exporter_stats *s = &p->look->stats;
    struct weft_mad_port_stats port;

    weft_mad_port_stats(p->look->eye.link.engine, &port);
    begin(p, METRIC_BUILD);
    tell_count(p, "version", weft_version(), 1);
    tell_own(p, METRIC_SCRAPES, scrapes);
    tell_own(p, METRIC_LOOKS, s->looks);
    tell_own(p, METRIC_LATE, s->late);
    tell_own(p, METRIC_SWEEPS, s->topologies);
    tell_own_time(p, METRIC_SWEEP_TIME, s->topology_time);
    tell_own_time(p, METRIC_LOOK_TIME, s->counters_time);
    if (s->page_time > 0)
        tell_own_time(p, METRIC_PAGE_TIME, s->page_time);
    tell_own(p, METRIC_SENT, port.tx_packets);
    tell_own(p, METRIC_RECEIVED, port.verdicts[WEFT_MAD_ACCEPTED]);
    tell_own(p, METRIC_RETRIES, port.retried);
    tell_own(p, METRIC_TIMEOUTS, exporter_look_timeouts(p->look));
    tell_own_time(p, METRIC_HELD, p->look->pace.held);
}

void exporter_page(const struct exporter_look *l, uint64_t scrapes, struct metrics_text *ret)
{
    struct page p = {.look = l, .sweep = l->sweep, .text = ret};

    if (prepare(&p)) {
        tell_targets(&p);
        tell_names(&p);
        tell_links(&p);
        for (unsigned c = 0; c < WEFT_PMA_COUNTERS; c++)
            if (wants(&p, group_of((enum weft_pma_counter)c)))
                tell_counter(&p, (enum weft_pma_counter)c);
        if (wants(&p, EXPORTER_ERRORS))
            tell_saturated(&p);
        tell_topology(&p);
        tell_exporter(&p, scrapes);
        metrics_end(ret);
    } else {
        ret->failed = true;
    }
    clear(&p);
}
