/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters as one JSON document, written word by word: a large fabric's has 100,000 ports, and
 * trees of values for them would take longer than all the rest. Only names go through a library.
 */
#include "cli/counters_view.h"
#include "cli/message.h"
#include "cli/node_texts.h"
#include "cli/verb.h"
#include "topology/output.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* A counter's name, quoted, between others. */
#define KEY_BYTES 48

struct document {
    const struct counters_view *v;
    struct node_texts nodes; /* how the objects of its ports begin */
    char keys[WEFT_PMA_COUNTERS][KEY_BYTES];
    struct output out;
};

/* Makes a string of text: what is no UTF-8 is none. */
static size_t quote(const char *text, char *ret, size_t size)
{
    json_t *string = json_string(text);
    size_t length = string ? json_dumpb(string, ret, size, JSON_ENCODE_ANY) : 0;

    json_decref(string);
    return length <= size ? length : 0;
}

/* NodeDescriptions are bytes; JSON is UTF-8. */
static size_t quote_name(const struct weft_sweep *s, uint32_t node, char *ret, size_t size)
{
    char label[COUNTERS_LABEL_BYTES];
    size_t length = quote(weft_sweep_node(s, node)->name, ret, size);

    return length > 0 ? length : quote(counters_node_label(s, node, label), ret, size);
}

static const char *type_name(const struct weft_sweep_node *n)
{
    return n->type == WEFT_SWEEP_SWITCH ? "switch" : n->type == WEFT_SWEEP_ROUTER ? "router" : "ca";
}

/* How the object of each of its ports begins, up to the number. */
static size_t node_make(const struct weft_sweep *s, uint32_t node, char *ret)
{
    static const char before[] = "{\"node\": ";
    const struct weft_sweep_node *n = weft_sweep_node(s, node);
    size_t length = sizeof(before) - 1;
    size_t name = quote_name(s, node, ret + length, NODE_TEXT_BYTES - length);

    memcpy(ret, before, length);
    length += name;
    length += (size_t)snprintf(
        ret + length, NODE_TEXT_BYTES - length,
        ", \"type\": \"%s\", \"node_guid\": \"0x%016" PRIx64 "\", \"port\": ", type_name(n),
        n->guid);
    return name > 0 && length < NODE_TEXT_BYTES ? length : 0;
}

static void keys_make(struct document *d)
{
    for (unsigned c = 0; c < WEFT_PMA_COUNTERS; c++)
        (void)snprintf(d->keys[c], KEY_BYTES, ", \"%s\"",
                       weft_pma_json_name((enum weft_pma_counter)c));
}

/* The first of a list has no comma before it. */
static const char *key(const struct document *d, unsigned counter, bool *is_more)
{
    const char *text = d->keys[counter] + (*is_more ? 0 : strlen(", "));

    *is_more = true;
    return text;
}

/* A port's object, without its end. */
static bool put_place(struct document *d, uint32_t port)
{
    const struct weft_sweep_port *p = weft_sweep_port(d->v->sweep, port);
    size_t length;
    const char *node = node_texts_get(&d->nodes, p->node, &length);

    if (!node)
        return false;
    output_text(&d->out, node);
    output_number(&d->out, p->number);
    return true;
}

/* Readers have 64 bits and a sign: no counter gets above but one that is stuck. */
static void put_values(struct document *d, const struct weft_pma_values *v)
{
    bool is_more = false;

    output_text(&d->out, "{");
    for (unsigned c = 0; c < WEFT_PMA_COUNTERS; c++) {
        if (!weft_pma_has(v->present, c))
            continue;
        output_text(&d->out, key(d, c, &is_more));
        output_text(&d->out, ": ");
        output_number(&d->out, v->value[c] < INT64_MAX ? v->value[c] : INT64_MAX);
    }
    output_text(&d->out, "}");
}

static void put_names(struct document *d, weft_pma_set which, bool *is_more)
{
    for (unsigned c = 0; c < WEFT_PMA_COUNTERS; c++)
        if (weft_pma_has(which, c))
            output_text(&d->out, key(d, c, is_more));
}

static void put_problems(struct document *d, const struct health *h)
{
    const struct {
        bool is_there;
        const char *text;
    } of_links[] = {
        {h->down, ", \"down\""},
        {h->narrow, ", \"width\""},
        {h->slow, ", \"speed\""},
        {h->not_active, ", \"not_active\""},
    };
    bool is_more = false;

    put_names(d, h->above, &is_more);
    for (size_t i = 0; i < sizeof(of_links) / sizeof(of_links[0]); i++) {
        if (!of_links[i].is_there)
            continue;
        output_text(&d->out, of_links[i].text + (is_more ? 0 : strlen(", ")));
        is_more = true;
    }
}

static void put_link(struct document *d, const struct weft_sweep_port *p)
{
    static const char *const states[] = {"?", "down", "init", "armed", "active"};

    output_text(&d->out, ", \"state\": \"");
    output_text(&d->out, p->state <= 4 ? states[p->state] : states[0]);
    output_text(&d->out, "\", \"width\": ");
    output_number(&d->out, health_lanes(p));
    output_text(&d->out, ", \"speed\": \"");
    output_text(&d->out, health_speed_word(health_speed(p)));
}

static void put_counters(struct document *d, const struct counters_row *row)
{
    static const char *const read[] = {
        [WEFT_COUNTERS_UNASKED] = "unasked",   [WEFT_COUNTERS_READ] = "read",
        [WEFT_COUNTERS_QUIET] = "sum",         [WEFT_COUNTERS_PART] = "incomplete",
        [WEFT_COUNTERS_REFUSED] = "refused",   [WEFT_COUNTERS_SILENT] = "silent",
        [WEFT_COUNTERS_NO_ADDRESS] = "no-lid",
    };
    struct weft_pma_values values;
    bool is_more = false;

    weft_counters_get(d->v->counters, row->port, &values);
    output_text(&d->out, "\", \"counters_read\": \"");
    output_text(&d->out, read[weft_counters_state(d->v->counters, row->port)]);
    output_text(&d->out, "\", \"counters\": ");
    put_values(d, &values);
    output_text(&d->out, ", \"at_least\": [");
    put_names(d, values.stuck, &is_more);
    output_text(&d->out, "], \"problems\": [");
    put_problems(d, &row->health);
}

static bool put_row(struct document *d, const struct counters_row *row)
{
    const struct weft_sweep *s = d->v->sweep;
    const struct weft_sweep_port *p = weft_sweep_port(s, row->port);

    if (!put_place(d, row->port))
        return false;
    output_text(&d->out, ", \"lid\": ");
    output_number(&d->out, weft_sweep_port(s, weft_sweep_end_port(s, row->port))->lid);
    output_text(&d->out, ", \"peer\": ");
    if (p->peer == WEFT_SWEEP_NONE) {
        output_text(&d->out, "null");
    } else {
        if (!put_place(d, p->peer))
            return false;
        output_text(&d->out, "}");
    }
    put_link(d, p);
    put_counters(d, row);
    output_text(&d->out, "]}");
    return true;
}

static bool put_gap(struct document *d, uint32_t port, enum counters_gap_kind kind)
{
    if (!put_place(d, port))
        return false;
    output_text(&d->out, ", \"kind\": \"");
    output_text(&d->out, counters_gap_name(kind));
    output_text(&d->out, "\"}");
    return true;
}

/* Before each member of a list. */
static void put_line(struct document *d, bool first)
{
    output_text(&d->out, first ? "\n    " : ",\n    ");
}

static bool put_document(struct document *d)
{
    enum counters_gap_kind kind;
    struct counters_row row;
    bool first = true;

    for (uint32_t port = 0; counters_view_gap(d->v, &port, &kind); port++) {
        put_line(d, first);
        if (!put_gap(d, port, kind))
            return false;
        first = false;
    }
    output_text(&d->out, "\n  ],\n  \"ports\": [");
    first = true;
    for (uint32_t at = 0; counters_view_row(d->v, &at, &row);) {
        put_line(d, first);
        if (!put_row(d, &row))
            return false;
        first = false;
    }
    output_text(&d->out, "\n  ]\n}\n");
    return true;
}

int counters_print_json(const struct counters_view *v)
{
    struct document d = {.v = v, .out = {.out = stdout}};
    bool good = node_texts_init(&d.nodes, v->sweep, node_make);

    keys_make(&d);
    printf("{\n  \"schema\": \"weft.counters/1\",\n  \"ports_read\": %" PRIu32
           ",\n  \"ports_summed\": %" PRIu32 ",\n  \"ports_wrong\": %" PRIu32
           ",\n  \"conflicts\": %" PRIu32 ",\n  \"unanswered\": [",
           v->states[WEFT_COUNTERS_READ], v->states[WEFT_COUNTERS_QUIET], v->troubled,
           counters_view_disputes(v));
    good = good && put_document(&d);
    output_flush(&d.out);
    node_texts_free(&d.nodes);
    return good ? CLI_DONE : message_failed("no memory for the JSON document");
}
