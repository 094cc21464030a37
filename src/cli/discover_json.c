/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What `weft discover` has found, for programs. */
#include "cli/discover.h"
#include "cli/json_print.h"
#include "cli/message.h"
#include "cli/verb.h"

#include <inttypes.h>
#include <stdio.h>

/* Appends to a list that may be gone for want of memory. */
static json_t *append(json_t *list, json_t *item)
{
    if (list && json_array_append_new(list, item) != 0) {
        json_decref(list);
        return NULL;
    }
    if (!list)
        json_decref(item);
    return list;
}

static json_t *guid_to_json(uint64_t guid)
{
    return json_sprintf("0x%016" PRIx64, guid);
}

static json_t *peer_to_json(const struct weft_sweep *s, uint32_t port)
{
    const struct weft_sweep_port *p;

    if (port == WEFT_SWEEP_NONE)
        return json_null();
    p = weft_sweep_port(s, port);
    return json_pack("{s:o, s:i}", "guid", guid_to_json(weft_sweep_node(s, p->node)->guid), "port",
                     (int)p->number);
}

static json_t *rate_to_json(const struct weft_sweep_rate *r)
{
    return json_pack("{s:i, s:i, s:i}", "active", (int)r->active, "supported", (int)r->supported,
                     "enabled", (int)r->enabled);
}

static json_t *port_to_json(const struct discover *d, uint32_t port)
{
    static const char *const states[] = {"unknown", "down", "init", "armed", "active"};
    const struct weft_sweep_port *p = weft_sweep_port(d->sweep, port);

    return json_pack(
        "{s:i, s:o, s:s, s:i, s:i, s:i, s:s, s:s, s:o, s:o, s:o, s:b, s:o}", "port", (int)p->number,
        "guid", p->guid ? guid_to_json(p->guid) : json_null(), "state",
        p->state < 5 ? states[p->state] : states[0], "physical_state", (int)p->phys_state, "lid",
        (int)p->lid, "lmc", (int)p->lmc, "width", weft_sweep_width_word(d->sweep, port), "speed",
        weft_sweep_speed_word(d->sweep, port), "link_width", rate_to_json(&p->width), "link_speed",
        rate_to_json(&p->speed), "link_speed_ext", rate_to_json(&p->speed_ext), "answers",
        (int)!p->silent, "peer", peer_to_json(d->sweep, p->peer));
}

static json_t *ports_to_json(const struct discover *d, const struct weft_sweep_node *n)
{
    json_t *list = json_array();

    for (uint32_t i = n->first_port; i <= n->first_port + n->port_count && list; i++)
        if (weft_sweep_port(d->sweep, i)->told ||
            weft_sweep_port(d->sweep, i)->peer != WEFT_SWEEP_NONE)
            list = append(list, port_to_json(d, i));
    return list;
}

static json_t *node_to_json(const struct discover *d, uint32_t node)
{
    const struct weft_sweep_node *n = weft_sweep_node(d->sweep, node);

    return json_pack("{s:o, s:s, s:s, s:i, s:I, s:i, s:o, s:o}", "guid", guid_to_json(n->guid),
                     "type",
                     n->type == WEFT_SWEEP_SWITCH   ? "switch"
                     : n->type == WEFT_SWEEP_ROUTER ? "router"
                                                    : "ca",
                     "name", discover_name(d, node), "num_ports", (int)n->port_count, "vendor_id",
                     (json_int_t)n->vendor_id, "device_id", (int)n->device_id, "system_guid",
                     guid_to_json(n->system_guid), "ports", ports_to_json(d, n));
}

static json_t *change_to_json(const struct topo_finding *change)
{
    return json_pack("{s:s, s:s}", "kind", topo_kind_name(change->kind), "text", change->text);
}

static bool print_head(const struct discover *d)
{
    return printf("{\n \"schema\": \"weft.discover/1\",\n \"switches\": %" PRIu32
                  ",\n \"cas\": %" PRIu32 ",\n \"routers\": %" PRIu32 ",\n \"links\": %" PRIu32
                  ",\n \"requests\": %" PRIu64 ",\n \"problems\": [",
                  d->topo->switch_count, d->topo->ca_count, d->topo->router_count,
                  d->topo->link_count, weft_sweep_sends(d->sweep)) > 0;
}

static bool print_problems(const struct discover *d)
{
    json_t *list = discover_troubles_to_json(d);
    bool printed = list;

    for (size_t i = 0; i < json_array_size(list) && printed; i++)
        printed = json_print_item(json_incref(json_array_get(list, i)), i == 0, stdout);
    json_decref(list);
    return printed;
}

/* Nodes, or changes, one by one: together they would take ten times the memory of the sweep. */
static bool print_found(const struct discover *d)
{
    bool printed = printf("],\n \"%s\": [", d->old ? "changes" : "nodes") > 0;

    for (size_t i = 0; d->old && i < d->changes.count && printed; i++)
        printed = json_print_item(change_to_json(&d->changes.items[i]), i == 0, stdout);
    for (uint32_t i = 0; !d->old && i < weft_sweep_node_count(d->sweep) && printed; i++)
        printed = json_print_item(node_to_json(d, i), i == 0, stdout);
    return printed && printf("]\n}\n") > 0;
}

/* A stream that failed is found by main() when it flushes. */
int discover_print_json(const struct discover *d)
{
    if (!(print_head(d) && print_problems(d) && print_found(d)) && ferror(stdout) == 0)
        return message_failed("no memory for the JSON document");
    return CLI_DONE;
}
