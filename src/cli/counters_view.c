/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What was seen of a fabric's ports, the worst first. */
#include "cli/counters_view.h"

#include "cli/cells.h"
#include "cli/printable.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* PortInfo:PortState. */
#define STATE_INIT 2

/* Of ten, of the largest unit that 64 bits of bytes are told in. */
#define POWER_MAX 17

static int row_compare(const void *a, const void *b)
{
    const struct counters_row *p = a;
    const struct counters_row *q = b;

    if (p->weight != q->weight)
        return p->weight > q->weight ? -1 : 1;
    return p->port < q->port ? -1 : p->port > q->port;
}

/* Of a link with a problem of its own only one end is told: the first that was asked for. */
static void forget_other_end(const struct counters_view *v, uint32_t port, struct health *h)
{
    uint32_t peer = weft_sweep_port(v->sweep, port)->peer;

    if (peer == WEFT_SWEEP_NONE || peer > port || !v->wanted[peer])
        return;
    h->narrow = h->slow = false;
    if (weft_sweep_port(v->sweep, peer)->state == weft_sweep_port(v->sweep, port)->state)
        h->not_active = false;
}

static enum counters_gap_kind gap_of_state(enum weft_counters_state state)
{
    static const uint8_t kinds[] = {
        [WEFT_COUNTERS_UNASKED] = COUNTERS_GAPS,        [WEFT_COUNTERS_READ] = COUNTERS_GAPS,
        [WEFT_COUNTERS_QUIET] = COUNTERS_GAPS,          [WEFT_COUNTERS_PART] = COUNTERS_GAP_PART,
        [WEFT_COUNTERS_REFUSED] = COUNTERS_GAP_REFUSED, [WEFT_COUNTERS_SILENT] = COUNTERS_GAP_MUTE,
        [WEFT_COUNTERS_NO_ADDRESS] = COUNTERS_GAP_LID,
    };

    return (enum counters_gap_kind)kinds[state];
}

/* All its ports are silent, or have no way to be asked, together. */
static enum counters_gap_kind gap_of_switch(const struct counters_view *v,
                                            const struct weft_sweep_node *n)
{
    uint32_t asked = n->first_port;
    enum counters_gap_kind kind;

    while (asked < n->first_port + n->port_count &&
           weft_counters_state(v->counters, asked) == WEFT_COUNTERS_UNASKED)
        asked++;
    kind = gap_of_state(weft_counters_state(v->counters, asked));
    if (asked == n->first_port || kind == COUNTERS_GAP_MUTE || kind == COUNTERS_GAP_LID)
        return kind;
    return COUNTERS_GAPS;
}

static enum counters_gap_kind gap_of(const struct counters_view *v, uint32_t port,
                                     enum weft_counters_state state)
{
    const struct weft_sweep_port *p = weft_sweep_port(v->sweep, port);
    const struct weft_sweep_node *n = weft_sweep_node(v->sweep, p->node);
    enum counters_gap_kind kind;

    if (!v->wanted[port])
        return COUNTERS_GAPS;
    if (p->silent || p->mute_peer)
        return p->silent ? COUNTERS_GAP_STOPPED : COUNTERS_GAP_BEHIND;
    if (n->type == WEFT_SWEEP_SWITCH && p->number == 0)
        return gap_of_switch(v, n);
    kind = gap_of_state(state);
    if (n->type == WEFT_SWEEP_SWITCH && (kind == COUNTERS_GAP_MUTE || kind == COUNTERS_GAP_LID))
        return COUNTERS_GAPS;
    return kind;
}

/* Looks once at all that is known of a port: of a large fabric's it is more than caches hold. */
static void look(struct counters_view *v, uint32_t port, bool all)
{
    enum weft_counters_state state = weft_counters_state(v->counters, port);
    enum counters_gap_kind gap = gap_of(v, port, state);
    struct counters_row *row = &v->rows[v->troubled];
    struct weft_pma_values values;

    v->states[state]++;
    v->told[port] = (struct counters_told){.gap = (uint8_t)gap};
    if (gap < COUNTERS_GAPS)
        v->gaps[gap]++;
    if (state == WEFT_COUNTERS_UNASKED)
        return;
    *row = (struct counters_row){.port = port};
    if (health_look(v->sweep, v->counters, v->thresholds, port, &row->health)) {
        forget_other_end(v, port, &row->health);
        weft_counters_get(v->counters, port, &values);
        row->weight = health_weight(&row->health, &values);
    }
    v->troubled += row->weight > 0;
    v->told[port].fine = all && row->weight == 0;
    v->row_count += row->weight > 0 || all;
}

bool counters_view_init(struct counters_view *ret, const struct weft_sweep *s,
                        const struct weft_counters *c, const struct thresholds *t,
                        const bool *wanted, bool all)
{
    uint32_t ports = weft_sweep_port_count(s);

    *ret = (struct counters_view){.sweep = s, .counters = c, .thresholds = t, .wanted = wanted};
    ret->told = malloc((ports + 1u) * sizeof(ret->told[0]));
    ret->rows = malloc((ports + 1u) * sizeof(ret->rows[0]));
    if (!ret->told || !ret->rows)
        return false;
    for (uint32_t i = 0; i < ports; i++)
        look(ret, i, all);
    qsort(ret->rows, ret->troubled, sizeof(ret->rows[0]), row_compare);
    return true;
}

void counters_view_free(struct counters_view *v)
{
    free(v->told);
    free(v->rows);
    v->told = NULL;
    v->rows = NULL;
}

bool counters_view_row(const struct counters_view *v, uint32_t *at, struct counters_row *ret)
{
    if (*at < v->troubled) {
        *ret = v->rows[(*at)++];
        return true;
    }
    for (uint32_t port = *at - v->troubled; port < weft_sweep_port_count(v->sweep); port++) {
        if (!v->told[port].fine)
            continue;
        *ret = (struct counters_row){.port = port};
        *at = v->troubled + port + 1;
        return true;
    }
    return false;
}

bool counters_view_gap(const struct counters_view *v, uint32_t *port, enum counters_gap_kind *ret)
{
    for (; *port < weft_sweep_port_count(v->sweep); (*port)++) {
        *ret = (enum counters_gap_kind)v->told[*port].gap;
        if (*ret != COUNTERS_GAPS)
            return true;
    }
    return false;
}

uint32_t counters_view_dispute(const struct counters_view *v, uint32_t *number,
                               enum weft_sweep_trouble_kind *ret)
{
    const struct weft_sweep_trouble *t;

    for (; weft_sweep_trouble(v->sweep, *number, &t); ++*number) {
        if (t->kind != WEFT_SWEEP_TWICE && t->kind != WEFT_SWEEP_UNSTABLE &&
            (t->kind != WEFT_SWEEP_CHANGED || weft_sweep_port(v->sweep, t->port)->mute_peer))
            continue;
        *ret = t->kind;
        return t->port;
    }
    return WEFT_SWEEP_NONE;
}

uint32_t counters_view_disputes(const struct counters_view *v)
{
    enum weft_sweep_trouble_kind kind;
    uint32_t number = 0, count = 0;

    for (; counters_view_dispute(v, &number, &kind) != WEFT_SWEEP_NONE; number++)
        count++;
    return count;
}

bool counters_view_is_troubled(const struct counters_view *v)
{
    uint32_t gaps = 0;

    for (unsigned k = 0; k < COUNTERS_GAPS; k++)
        gaps += v->gaps[k];
    return v->troubled > 0 || gaps > 0 || counters_view_disputes(v) > 0;
}

const char *counters_gap_words(enum counters_gap_kind k)
{
    static const char *const words[] = {
        [COUNTERS_GAP_BEHIND] = "link up, but nobody answers behind it",
        [COUNTERS_GAP_STOPPED] = "stopped answering",
        [COUNTERS_GAP_MUTE] = "does not answer for its counters",
        [COUNTERS_GAP_REFUSED] = "refuses to tell its counters",
        [COUNTERS_GAP_PART] = "told only some of its counters",
        [COUNTERS_GAP_LID] = "has no LID: is there a subnet manager?",
    };

    return words[k];
}

const char *counters_gap_name(enum counters_gap_kind k)
{
    static const char *const names[] = {
        [COUNTERS_GAP_BEHIND] = "behind",   [COUNTERS_GAP_STOPPED] = "stopped",
        [COUNTERS_GAP_MUTE] = "silent",     [COUNTERS_GAP_REFUSED] = "refused",
        [COUNTERS_GAP_PART] = "incomplete", [COUNTERS_GAP_LID] = "no-lid",
    };

    return names[k];
}

const char *counters_node_label(const struct weft_sweep *s, uint32_t node,
                                char ret[COUNTERS_LABEL_BYTES])
{
    const struct weft_sweep_node *n = weft_sweep_node(s, node);

    if (n->name[0] == '\0')
        (void)snprintf(ret, COUNTERS_LABEL_BYTES, "0x%016" PRIx64, n->guid);
    else
        (void)printable(n->name, ret, COUNTERS_LABEL_BYTES);
    return ret;
}

const char *counters_label(const struct weft_sweep *s, uint32_t port,
                           char ret[COUNTERS_LABEL_BYTES])
{
    size_t length = strlen(counters_node_label(s, weft_sweep_port(s, port)->node, ret));

    (void)snprintf(ret + length, COUNTERS_LABEL_BYTES - length, "/%u",
                   weft_sweep_port(s, port)->number);
    return ret;
}

/* Between two of what is wrong. */
static void put_comma(struct cells *to, bool *is_more)
{
    if (*is_more)
        cells_string(to, ", ");
    *is_more = true;
}

static void put_link(const struct weft_sweep_port *p, const struct health *h, bool *is_more,
                     struct cells *to)
{
    static const char *const states[] = {"?", "Down", "Init", "Armed", "Active"};

    if (h->down) {
        put_comma(to, is_more);
        cells_string(to, "link is down, and was up");
    }
    if (h->narrow) {
        put_comma(to, is_more);
        cells_number(to, health_lanes(p));
        cells_string(to, "x where both ends can do ");
        cells_number(to, h->width);
        cells_string(to, "x");
    }
    if (h->slow) {
        put_comma(to, is_more);
        cells_string(to, health_speed_word(health_speed(p)));
        cells_string(to, " where both ends can do ");
        cells_string(to, health_speed_word(h->speed));
    }
    if (h->not_active) {
        put_comma(to, is_more);
        cells_string(to, "no data passes: the port is ");
        cells_string(to, p->state <= STATE_INIT + 2 ? states[p->state] : states[0]);
    }
}

void counters_put_problems(const struct counters_view *v, const struct counters_row *row,
                           struct cells *to)
{
    struct weft_pma_values values;
    bool is_more = false;

    weft_counters_get(v->counters, row->port, &values);
    put_link(weft_sweep_port(v->sweep, row->port), &row->health, &is_more, to);
    for (unsigned c = 0; c < WEFT_PMA_ERRORS; c++) {
        if (!weft_pma_has(row->health.above, c))
            continue;
        put_comma(to, &is_more);
        cells_string(to, weft_pma_name((enum weft_pma_counter)c));
        cells_string(to, " ");
        cells_number(to, values.value[c]);
        if (weft_pma_has(values.stuck, c))
            cells_string(to, " or more");
    }
}

/* The power of ten that a number of bytes is told in, with three digits. */
struct scale {
    uint64_t unit;
    unsigned power;
};

/* What is above so many of a unit would be 1000 of it: half and more is one more. */
static struct scale scale_of(uint64_t bytes)
{
    struct scale s = {.unit = 1};

    for (; s.power < POWER_MAX && bytes >= 1000 * s.unit - s.unit / 2; s.power++)
        s.unit *= 10;
    return s;
}

/* Digits behind the point. */
static unsigned decimals_of(struct scale s)
{
    return (3 - s.power % 3) % 3;
}

size_t counters_bytes(uint64_t bytes, char ret[COUNTERS_BYTES_TEXT])
{
    static const char units[][4] = {" B", " kB", " MB", " GB", " TB", " PB", " EB"};
    struct scale s = scale_of(bytes);
    char digits[DIGITS_MAX];
    size_t length = 0;

    for (size_t i = digits_decimal(bytes / s.unit + (bytes % s.unit * 2 >= s.unit), 1, digits);
         i < DIGITS_MAX; i++) {
        if (i + decimals_of(s) == DIGITS_MAX && decimals_of(s) > 0)
            ret[length++] = '.';
        ret[length++] = digits[i];
    }
    memcpy(ret + length, units[(s.power + 2) / 3], sizeof(units[0]));
    return length + strlen(ret + length);
}

size_t counters_bytes_length(uint64_t bytes)
{
    struct scale s = scale_of(bytes);

    if (s.power == 0)
        return cells_digits(bytes) + strlen(" B");
    return strlen(decimals_of(s) > 0 ? "1.00 kB" : "100 kB");
}
