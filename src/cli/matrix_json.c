/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The matrix for programs. */
#include "cli/json_print.h"
#include "cli/matrix_view.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static json_t *append(json_t *list, json_t *item)
{
    if (list && (!item || json_array_append(list, item) != 0)) {
        json_decref(list);
        list = NULL;
    }
    json_decref(item);
    return list;
}

static int name_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Those who are exactly that in a partition, by name. */
static json_t *members_to_json(const struct matrix_view *v, const struct matrix_partition *p,
                               uint8_t membership)
{
    const char **names = calloc(p->count, sizeof(*names));
    json_t *list = names ? json_array() : NULL;
    size_t count = 0;

    for (uint32_t i = 0; i < p->count && names; i++) {
        const struct matrix_member *m = &v->matrix->members[p->first + i];

        if (m->membership == membership)
            names[count++] = v->labels[m->port];
    }
    if (names)
        qsort(names, count, sizeof(*names), name_compare);
    for (size_t i = 0; i < count && list; i++)
        list = append(list, json_string(names[i]));
    free(names);
    return list;
}

static json_t *partitions_to_json(const struct matrix_view *v)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < v->matrix->partition_count && list; i++) {
        const struct matrix_partition *p = &v->matrix->partitions[i];

        list = append(list,
                      json_pack("{s:o, s:o, s:o, s:o}", "pkey", json_sprintf("0x%04x", p->base),
                                "both", members_to_json(v, p, MEMBERSHIP_FULL | MEMBERSHIP_LIMITED),
                                "full", members_to_json(v, p, MEMBERSHIP_FULL), "limited",
                                members_to_json(v, p, MEMBERSHIP_LIMITED)));
    }
    return list;
}

static json_t *problems_to_json(const struct matrix_view *v)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < v->matrix->partition_count && list; i++) {
        const struct matrix_partition *p = &v->matrix->partitions[i];

        if (matrix_view_is_mute(p))
            list = append(list, json_pack("{s:o, s:s, s:s}", "pkey",
                                          json_sprintf("0x%04x", p->base), "kind", "limited-only",
                                          "text", "limited members only: nobody talks to anybody"));
    }
    return list;
}

static const char *type_name(uint8_t type)
{
    if (type == WEFT_SWEEP_SWITCH)
        return "switch";
    return type == WEFT_SWEEP_ROUTER ? "router" : "ca";
}

static json_t *ports_to_json(const struct matrix_view *v)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < weft_sweep_port_count(v->sweep) && list; i++) {
        const struct weft_sweep_port *p = weft_sweep_port(v->sweep, i);
        const struct weft_sweep_node *n = weft_sweep_node(v->sweep, p->node);

        if (p->reached)
            list = append(list, json_pack("{s:s, s:s, s:o, s:o, s:i, s:i}", "name", v->labels[i],
                                          "type", type_name(n->type), "node_guid",
                                          json_sprintf("0x%016" PRIx64, n->guid), "port_guid",
                                          json_sprintf("0x%016" PRIx64, p->guid), "port",
                                          (int)p->number, "lid", (int)p->lid));
    }
    return list;
}

static json_t *enforcing_to_json(const struct matrix_view *v)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < weft_sweep_port_count(v->sweep) && list; i++) {
        const struct weft_sweep_port *p = weft_sweep_port(v->sweep, i);

        if (p->enforces_in || p->enforces_out)
            list = append(list, json_pack("{s:s, s:b, s:b}", "port", v->labels[i], "in",
                                          (int)p->enforces_in, "out", (int)p->enforces_out));
    }
    return list;
}

static json_t *gaps_to_json(const struct matrix_view *v)
{
    static const char *const kinds[] = {"behind", "stopped", "table"};
    json_t *list = json_array();
    enum matrix_gap_kind kind;

    for (uint32_t port = 0; list && matrix_view_gap(v, &port, &kind); port++)
        list = append(list, json_pack("{s:s, s:s}", "kind", kinds[kind], "port", v->labels[port]));
    return list;
}

int matrix_print_json(const struct matrix_view *v)
{
    uint32_t tables;
    uint32_t complete;

    pkey_tables_count(v->tables, &tables, &complete);
    return json_print(
        json_pack("{s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "schema",
                  "weft.partitions.matrix/1", "tables", (json_int_t)tables, "tables_complete",
                  (json_int_t)complete, "conflicts", (json_int_t)weft_sweep_conflicts(v->sweep),
                  "ports_down", (json_int_t)matrix_view_ports_down(v), "partitions",
                  partitions_to_json(v), "problems", problems_to_json(v), "unanswered",
                  gaps_to_json(v), "enforcing", enforcing_to_json(v), "ports", ports_to_json(v)));
}
