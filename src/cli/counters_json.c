/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters as one JSON document, written port by port: a fabric's would need much memory at once.
 */
#include "cli/counters_view.h"
#include "cli/message.h"
#include "cli/verb.h"

#include <inttypes.h>
#include <jansson.h>

/* JSON numbers of 64 bits are signed in jansson: no counter gets there but one that is stuck. */
static json_int_t number(uint64_t value)
{
    return value > INT64_MAX ? (json_int_t)INT64_MAX : (json_int_t)value;
}

static json_t *guid_json(uint64_t guid)
{
    return json_sprintf("0x%016" PRIx64, guid);
}

/* NodeDescriptions are bytes; JSON is UTF-8. */
static json_t *name_json(const struct weft_sweep *s, uint32_t node)
{
    json_t *name = json_string(weft_sweep_node(s, node)->name);
    char label[COUNTERS_LABEL_BYTES];

    return name ? name : json_string(counters_node_label(s, node, label));
}

static const char *type_name(const struct weft_sweep_node *n)
{
    return n->type == WEFT_SWEEP_SWITCH ? "switch" : n->type == WEFT_SWEEP_ROUTER ? "router" : "ca";
}

static json_t *place_json(const struct weft_sweep *s, uint32_t port)
{
    const struct weft_sweep_port *p = weft_sweep_port(s, port);
    const struct weft_sweep_node *n = weft_sweep_node(s, p->node);

    return json_pack("{s:o, s:s, s:o, s:i}", "node", name_json(s, p->node), "type", type_name(n),
                     "node_guid", guid_json(n->guid), "port", (int)p->number);
}

static json_t *values_json(const struct weft_pma_values *v, weft_pma_set which)
{
    json_t *o = json_object();

    for (unsigned c = 0; c < WEFT_PMA_COUNTERS; c++)
        if (weft_pma_has(which, c))
            (void)json_object_set_new(o, weft_pma_json_name((enum weft_pma_counter)c),
                                      json_integer(number(v->value[c])));
    return o;
}

static json_t *names_json(weft_pma_set which)
{
    json_t *list = json_array();

    for (unsigned c = 0; c < WEFT_PMA_COUNTERS; c++)
        if (weft_pma_has(which, c))
            (void)json_array_append_new(list,
                                        json_string(weft_pma_json_name((enum weft_pma_counter)c)));
    return list;
}

static json_t *problems_json(const struct health *h)
{
    json_t *list = names_json(h->above);

    if (h->down)
        (void)json_array_append_new(list, json_string("down"));
    if (h->narrow)
        (void)json_array_append_new(list, json_string("width"));
    if (h->slow)
        (void)json_array_append_new(list, json_string("speed"));
    if (h->not_active)
        (void)json_array_append_new(list, json_string("not_active"));
    return list;
}

static json_t *row_json(const struct counters_view *v, const struct counters_row *row)
{
    static const char *const states[] = {"?", "down", "init", "armed", "active"};
    static const char *const read[] = {
        [WEFT_COUNTERS_UNASKED] = "unasked",   [WEFT_COUNTERS_READ] = "read",
        [WEFT_COUNTERS_QUIET] = "sum",         [WEFT_COUNTERS_PART] = "incomplete",
        [WEFT_COUNTERS_REFUSED] = "refused",   [WEFT_COUNTERS_SILENT] = "silent",
        [WEFT_COUNTERS_NO_ADDRESS] = "no-lid",
    };
    const struct weft_sweep_port *p = weft_sweep_port(v->sweep, row->port);
    const char *speed = health_speed_word(health_speed(p));
    struct weft_pma_values values;
    json_t *o, *more;

    weft_counters_get(v->counters, row->port, &values);
    o = place_json(v->sweep, row->port);
    more = json_pack(
        "{s:i, s:o, s:s, s:i, s:s, s:s, s:o, s:o, s:o}", "lid",
        (int)weft_sweep_port(v->sweep, weft_sweep_end_port(v->sweep, row->port))->lid, "peer",
        p->peer == WEFT_SWEEP_NONE ? json_null() : place_json(v->sweep, p->peer), "state",
        p->state <= 4 ? states[p->state] : states[0], "width", (int)health_lanes(p), "speed", speed,
        "counters_read", read[weft_counters_state(v->counters, row->port)], "counters",
        values_json(&values, values.present), "at_least", names_json(values.stuck), "problems",
        problems_json(&row->health));
    if (!o || !more || json_object_update(o, more) != 0) {
        json_decref(o);
        o = NULL;
    }
    json_decref(more);
    return o;
}

/* Writes a member of a list. */
static bool dump(json_t *o, bool first)
{
    bool good = o != NULL;

    fputs(first ? "\n    " : ",\n    ", stdout);
    good = good && json_dumpf(o, stdout, JSON_PRESERVE_ORDER) == 0;
    json_decref(o);
    return good;
}

static json_t *gap_json(const struct counters_view *v, uint32_t port, enum counters_gap_kind kind)
{
    json_t *o = place_json(v->sweep, port);

    if (o)
        (void)json_object_set_new(o, "kind", json_string(counters_gap_name(kind)));
    return o;
}

int counters_print_json(const struct counters_view *v)
{
    enum counters_gap_kind kind;
    bool good = true;
    bool first = true;

    printf("{\n  \"schema\": \"weft.counters/1\",\n  \"ports_read\": %" PRIu32
           ",\n  \"ports_summed\": %" PRIu32 ",\n  \"ports_wrong\": %" PRIu32
           ",\n  \"conflicts\": %" PRIu32 ",\n  \"unanswered\": [",
           v->states[WEFT_COUNTERS_READ], v->states[WEFT_COUNTERS_QUIET], v->troubled,
           counters_view_disputes(v));
    for (uint32_t port = 0; good && counters_view_gap(v, &port, &kind); port++) {
        good = dump(gap_json(v, port, kind), first);
        first = false;
    }
    fputs("\n  ],\n  \"ports\": [", stdout);
    for (uint32_t r = 0; good && r < v->row_count; r++)
        good = dump(row_json(v, &v->rows[r]), r == 0);
    fputs("\n  ]\n}\n", stdout);
    return good ? CLI_DONE : message_failed("no memory for the JSON document");
}
