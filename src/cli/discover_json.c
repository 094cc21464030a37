/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What `weft discover` has found, for programs. */
#include "cli/discover.h"
#include "cli/json_print.h"

#include <inttypes.h>

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

static json_t *nodes_to_json(const struct discover *d)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < weft_sweep_node_count(d->sweep) && list; i++) {
        const struct weft_sweep_node *n = weft_sweep_node(d->sweep, i);

        list = append(list, json_pack("{s:o, s:s, s:s, s:i, s:I, s:i, s:o, s:o}", "guid",
                                      guid_to_json(n->guid), "type",
                                      n->type == WEFT_SWEEP_SWITCH   ? "switch"
                                      : n->type == WEFT_SWEEP_ROUTER ? "router"
                                                                     : "ca",
                                      "name", discover_name(d, i), "num_ports", (int)n->port_count,
                                      "vendor_id", (json_int_t)n->vendor_id, "device_id",
                                      (int)n->device_id, "system_guid",
                                      guid_to_json(n->system_guid), "ports", ports_to_json(d, n)));
    }
    return list;
}

static json_t *changes_to_json(const struct discover *d)
{
    json_t *list = json_array();

    for (size_t i = 0; i < d->changes.count && list; i++)
        list =
            append(list, json_pack("{s:s, s:s}", "kind", topo_kind_name(d->changes.items[i].kind),
                                   "text", d->changes.items[i].text));
    return list;
}

int discover_print_json(const struct discover *d)
{
    json_t *what = d->old ? changes_to_json(d) : nodes_to_json(d);

    return json_print(json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "schema", "weft.discover/1", "switches",
        (json_int_t)d->topo->switch_count, "cas", (json_int_t)d->topo->ca_count, "routers",
        (json_int_t)d->topo->router_count, "links", (json_int_t)d->topo->link_count, "requests",
        (json_int_t)weft_sweep_sends(d->sweep), "problems", discover_troubles_to_json(d),
        d->old ? "changes" : "nodes", what));
}
