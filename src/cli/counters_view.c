/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What was seen of a fabric's ports, the worst first. */
#include "cli/counters_view.h"

#include "cli/printable.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* PortInfo:PortState. */
#define STATE_INIT 2

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

static bool is_told(const struct counters_view *v, uint32_t port)
{
    return weft_counters_state(v->counters, port) != WEFT_COUNTERS_UNASKED;
}

/* Those with nothing wrong are many, and in order: they go to the end as they are. */
static void rows_sort(const struct counters_view *v)
{
    uint32_t to = v->row_count;

    for (uint32_t from = v->row_count; from-- > 0;) {
        struct counters_row row = v->rows[from];

        if (row.weight > 0)
            continue;
        v->rows[from] = v->rows[--to];
        v->rows[to] = row;
    }
    qsort(v->rows, to, sizeof(v->rows[0]), row_compare);
}

bool counters_view_init(struct counters_view *ret, const struct weft_sweep *s,
                        const struct weft_counters *c, const struct thresholds *t,
                        const bool *wanted, bool all)
{
    uint32_t ports = weft_sweep_port_count(s);

    *ret = (struct counters_view){.sweep = s, .counters = c, .thresholds = t, .wanted = wanted};
    ret->rows = calloc(ports + 1u, sizeof(ret->rows[0]));
    if (!ret->rows)
        return false;
    for (uint32_t i = 0; i < ports; i++) {
        struct counters_row *row = &ret->rows[ret->row_count];
        struct weft_pma_values values;

        ret->states[weft_counters_state(c, i)]++;
        if (!is_told(ret, i))
            continue;
        *row = (struct counters_row){.port = i};
        (void)health_look(s, c, t, i, &row->health);
        forget_other_end(ret, i, &row->health);
        weft_counters_get(c, i, &values);
        row->weight = health_weight(&row->health, &values);
        ret->troubled += row->weight > 0;
        ret->row_count += row->weight > 0 || all;
    }
    rows_sort(ret);
    return true;
}

void counters_view_free(struct counters_view *v)
{
    free(v->rows);
    v->rows = NULL;
}

static bool gap_of(const struct counters_view *v, uint32_t port, enum counters_gap_kind *ret)
{
    static const enum counters_gap_kind kinds[] = {
        [WEFT_COUNTERS_UNASKED] = COUNTERS_GAPS,        [WEFT_COUNTERS_READ] = COUNTERS_GAPS,
        [WEFT_COUNTERS_QUIET] = COUNTERS_GAPS,          [WEFT_COUNTERS_PART] = COUNTERS_GAP_PART,
        [WEFT_COUNTERS_REFUSED] = COUNTERS_GAP_REFUSED, [WEFT_COUNTERS_SILENT] = COUNTERS_GAP_MUTE,
        [WEFT_COUNTERS_NO_ADDRESS] = COUNTERS_GAP_LID,
    };
    const struct weft_sweep_port *p = weft_sweep_port(v->sweep, port);
    const struct weft_sweep_node *n = weft_sweep_node(v->sweep, p->node);
    uint32_t asked = port;

    if (!v->wanted[port])
        return false;
    if (p->silent || p->mute_peer) {
        *ret = p->silent ? COUNTERS_GAP_STOPPED : COUNTERS_GAP_BEHIND;
        return true;
    }
    if (n->type == WEFT_SWEEP_SWITCH && p->number == 0) {
        /* All its ports are silent, or have no way to be asked, together. */
        while (asked < n->first_port + n->port_count &&
               weft_counters_state(v->counters, asked) == WEFT_COUNTERS_UNASKED)
            asked++;
        *ret = kinds[weft_counters_state(v->counters, asked)];
        return *ret == COUNTERS_GAP_MUTE || *ret == COUNTERS_GAP_LID ||
               (asked == port && *ret != COUNTERS_GAPS);
    }
    *ret = kinds[weft_counters_state(v->counters, port)];
    if (n->type == WEFT_SWEEP_SWITCH && (*ret == COUNTERS_GAP_MUTE || *ret == COUNTERS_GAP_LID))
        return false;
    return *ret != COUNTERS_GAPS;
}

bool counters_view_gap(const struct counters_view *v, uint32_t *port, enum counters_gap_kind *ret)
{
    for (; *port < weft_sweep_port_count(v->sweep); (*port)++)
        if (gap_of(v, *port, ret))
            return true;
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
    enum counters_gap_kind kind;
    uint32_t port = 0;

    return v->troubled > 0 || counters_view_disputes(v) > 0 || counters_view_gap(v, &port, &kind);
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

static void print_link(const struct weft_sweep_port *p, const struct health *h, const char **comma,
                       FILE *to)
{
    static const char *const states[] = {"?", "Down", "Init", "Armed", "Active"};

    if (h->down) {
        fprintf(to, "%slink is down, and was up", *comma);
        *comma = ", ";
    }
    if (h->narrow) {
        fprintf(to, "%s%ux where both ends can do %ux", *comma, health_lanes(p), h->width);
        *comma = ", ";
    }
    if (h->slow) {
        fprintf(to, "%s%s where both ends can do %s", *comma, health_speed_word(health_speed(p)),
                health_speed_word(h->speed));
        *comma = ", ";
    }
    if (h->not_active) {
        fprintf(to, "%sno data passes: the port is %s", *comma,
                p->state <= STATE_INIT + 2 ? states[p->state] : states[0]);
        *comma = ", ";
    }
}

void counters_print_problems(const struct counters_view *v, const struct counters_row *row,
                             FILE *to)
{
    struct weft_pma_values values;
    const char *comma = "";

    weft_counters_get(v->counters, row->port, &values);
    print_link(weft_sweep_port(v->sweep, row->port), &row->health, &comma, to);
    for (unsigned c = 0; c < WEFT_PMA_ERRORS; c++) {
        if (!weft_pma_has(row->health.above, c))
            continue;
        fprintf(to, "%s%s %" PRIu64 "%s", comma, weft_pma_name((enum weft_pma_counter)c),
                values.value[c], weft_pma_has(values.stuck, c) ? " or more" : "");
        comma = ", ";
    }
}

/* Half a unit and more is one more. */
static uint64_t rounded(uint64_t value, uint64_t unit)
{
    return value / unit + (value % unit >= (unit + 1) / 2 && unit > 1);
}

static char *put_number(char *at, uint64_t number)
{
    char digits[20];
    size_t count = 0;

    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (count > 0)
        *at++ = digits[--count];
    return at;
}

/* Three digits, and no format: of a large fabric's ports there are very many. */
const char *counters_bytes(uint64_t bytes, char ret[COUNTERS_BYTES_TEXT])
{
    static const char *const units[] = {" B", " kB", " MB", " GB", " TB", " PB", " EB"};
    uint64_t scale = 1;
    size_t unit = 0;
    unsigned digits = 0;
    char *at;

    while (rounded(bytes, scale) >= 1000 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        scale *= 1000;
        unit++;
    }
    while (unit > 0 && digits < 2 && rounded(bytes, scale / 10) < 1000) {
        scale /= 10;
        digits++;
    }
    at = put_number(ret, rounded(bytes, scale));
    if (digits > 0) {
        memmove(at - digits + 1, at - digits, digits);
        at[-(int)digits] = '.';
        at++;
    }
    memcpy(at, units[unit], strlen(units[unit]) + 1);
    return ret;
}
