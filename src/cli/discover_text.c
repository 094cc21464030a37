/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What `weft discover` prints for people and for those who read ibnetdiscover's output. */
#include "cli/discover.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Where the other end of a port's line would be. */
#define NO_PEER_COLUMNS 36

const char *discover_type(uint8_t type)
{
    if (type == WEFT_SWEEP_SWITCH)
        return topo_type_name(TOPO_SWITCH);
    return topo_type_name(type == WEFT_SWEEP_ROUTER ? TOPO_ROUTER : TOPO_CA);
}

const char *discover_name(const struct discover *d, uint32_t node)
{
    uint32_t found = topo_find_guid(d->topo, weft_sweep_node(d->sweep, node)->guid);

    return found == TOPO_NONE ? "" : d->topo->nodes[found].name;
}

void discover_route_text(const struct weft_route *r, char ret[DISCOVER_ROUTE_BYTES])
{
    int length = snprintf(ret, DISCOVER_ROUTE_BYTES, "0");

    for (uint8_t i = 0; i < r->hops; i++)
        length += snprintf(ret + length, DISCOVER_ROUTE_BYTES - (size_t)length, ",%u", r->ports[i]);
}

/* The own port: the first that was reached. */
static uint64_t own_port_guid(const struct weft_sweep *s)
{
    const struct weft_sweep_node *n = weft_sweep_node(s, 0);

    for (uint32_t i = 0; i <= n->port_count; i++)
        if (weft_sweep_port(s, n->first_port + i)->reached &&
            weft_sweep_port(s, n->first_port + i)->via == WEFT_SWEEP_NONE)
            return weft_sweep_port(s, n->first_port + i)->guid;
    return 0;
}

bool discover_write(const struct discover *d, FILE *out)
{
    char date[64] = "";
    time_t now = time(NULL);
    struct tm tm;

    if (localtime_r(&now, &tm))
        (void)strftime(date, sizeof(date), "%a %b %e %H:%M:%S %Y", &tm);
    fprintf(out, "#\n# Topology file: generated on %s\n#\n", date);
    fprintf(out, "# Initiated from node %016" PRIx64 " port %016" PRIx64 "\n",
            weft_sweep_node(d->sweep, 0)->guid, own_port_guid(d->sweep));
    return topo_write_found(d->topo, out);
}

static void print_nodes_of(const struct discover *d, uint8_t type)
{
    for (uint32_t i = 0; i < weft_sweep_node_count(d->sweep); i++) {
        const struct weft_sweep_node *n = weft_sweep_node(d->sweep, i);

        if (n->type == type)
            printf("%s\t : 0x%016" PRIx64 " ports %u devid 0x%x vendid 0x%" PRIx32 " \"%s\"\n",
                   type == WEFT_SWEEP_ROUTER ? "Router" : discover_type(type), n->guid,
                   n->port_count, n->device_id, n->vendor_id, discover_name(d, i));
    }
}

void discover_print_nodes(const struct discover *d, uint8_t type)
{
    static const uint8_t types[] = {WEFT_SWEEP_CA, WEFT_SWEEP_SWITCH, WEFT_SWEEP_ROUTER};

    for (size_t i = 0; i < sizeof(types); i++)
        if (type == 0 || type == types[i])
            print_nodes_of(d, types[i]);
}

static void print_end(const struct weft_sweep *s, uint32_t port)
{
    const struct weft_sweep_port *p = weft_sweep_port(s, port);
    const struct weft_sweep_port *end = weft_sweep_port(s, weft_sweep_end_port(s, port));
    const struct weft_sweep_node *n = weft_sweep_node(s, p->node);
    const char *type = n->type == WEFT_SWEEP_SWITCH   ? "SW"
                       : n->type == WEFT_SWEEP_ROUTER ? "RT"
                                                      : "CA";

    printf("%2s %5u %2u 0x%016" PRIx64, type, end->lid, p->number, end->guid);
}

void discover_print_ports(const struct discover *d)
{
    const struct weft_sweep *s = d->sweep;

    for (uint32_t i = 0; i < weft_sweep_port_count(s); i++) {
        const struct weft_sweep_port *p = weft_sweep_port(s, i);

        if (p->number == 0 || !(p->told || p->assumed))
            continue;
        print_end(s, i);
        printf(" %s %s", weft_sweep_width_word(s, i), weft_sweep_speed_word(s, i));
        if (p->peer == WEFT_SWEEP_NONE) {
            printf("%*s'%s'\n", NO_PEER_COLUMNS, "", discover_name(d, p->node));
            continue;
        }
        printf(" - ");
        print_end(s, p->peer);
        printf(" ( '%s' - '%s' )\n", discover_name(d, p->node),
               discover_name(d, weft_sweep_port(s, p->peer)->node));
    }
}

void discover_print_routes(const struct discover *d)
{
    char text[DISCOVER_ROUTE_BYTES];

    for (uint32_t i = 0; i < weft_sweep_node_count(d->sweep); i++) {
        const struct weft_sweep_node *n = weft_sweep_node(d->sweep, i);

        for (uint32_t p = n->first_port; p <= n->first_port + n->port_count; p++) {
            struct weft_route route;

            if (!weft_sweep_port(d->sweep, p)->reached)
                continue;
            weft_sweep_route(d->sweep, p, &route);
            discover_route_text(&route, text);
            printf("%s -> %s 0x%016" PRIx64 " port %u \"%s\"\n", text, discover_type(n->type),
                   n->guid, weft_sweep_port(d->sweep, p)->number, discover_name(d, i));
        }
    }
}

/* The port of a node that was found first: the nearest. */
static uint32_t first_reached(const struct weft_sweep *s, uint32_t node)
{
    const struct weft_sweep_node *n = weft_sweep_node(s, node);
    struct weft_route route, nearest = {.hops = UINT8_MAX};
    uint32_t first = WEFT_SWEEP_NONE;

    for (uint32_t p = n->first_port; p <= n->first_port + n->port_count; p++) {
        if (!weft_sweep_port(s, p)->reached)
            continue;
        weft_sweep_route(s, p, &route);
        if (route.hops >= nearest.hops)
            continue;
        nearest = route;
        first = p;
    }
    return first;
}

/* Who is at the end of a route. */
static void print_way(const struct discover *d, const struct weft_route *route, bool is_new,
                      uint32_t port)
{
    const struct weft_sweep_port *p = weft_sweep_port(d->sweep, port);
    const struct weft_sweep_node *n = weft_sweep_node(d->sweep, p->node);
    char text[DISCOVER_ROUTE_BYTES];

    discover_route_text(route, text);
    printf("DR path slid 0; dlid 0; %s -> %s %s {%016" PRIx64 "} portnum %u lid %u-%u \"%s\"\n",
           text, is_new ? "new" : "known",
           n->type == WEFT_SWEEP_SWITCH   ? "Switch"
           : n->type == WEFT_SWEEP_ROUTER ? "Router"
                                          : "Channel Adapter",
           n->guid, p->number, p->lid, p->lid + (1U << p->lmc) - 1, discover_name(d, p->node));
}

/* The ways out of a node that was reached at a port. */
static void print_ways_from(const struct discover *d, uint32_t reached)
{
    const struct weft_sweep *s = d->sweep;
    const struct weft_sweep_node *n = weft_sweep_node(s, weft_sweep_port(s, reached)->node);
    struct weft_route route;

    weft_sweep_route(s, reached, &route);
    if (route.hops == WEFT_DIRECTED_HOP_COUNT_MAX)
        return;
    route.hops++;
    for (uint32_t i = n->first_port; i <= n->first_port + n->port_count; i++) {
        uint32_t peer = weft_sweep_port(s, i)->peer;
        uint32_t end = peer == WEFT_SWEEP_NONE ? peer : weft_sweep_end_port(s, peer);

        /* Nobody goes back where he came from, nor through an adapter. */
        if (end == WEFT_SWEEP_NONE || !weft_sweep_port(s, end)->reached ||
            peer == weft_sweep_port(s, reached)->via ||
            (n->type != WEFT_SWEEP_SWITCH && i != reached))
            continue;
        route.ports[route.hops - 1] = weft_sweep_port(s, i)->number;
        print_way(d, &route,
                  weft_sweep_port(s, end)->via == i &&
                      first_reached(s, weft_sweep_port(s, end)->node) == end,
                  end);
    }
}

void discover_print_ways(const struct discover *d)
{
    struct weft_route own = {.hops = 0};

    for (uint32_t i = 0; i < weft_sweep_node_count(d->sweep); i++) {
        uint32_t first = first_reached(d->sweep, i);

        if (first == WEFT_SWEEP_NONE)
            continue;
        if (i == 0)
            print_way(d, &own, true, first);
        if (i == 0 || weft_sweep_node(d->sweep, i)->type == WEFT_SWEEP_SWITCH)
            print_ways_from(d, first);
    }
}

void discover_print_changes(const struct discover *d)
{
    for (size_t i = 0; i < d->changes.count; i++)
        printf("%s: %s\n", topo_kind_name(d->changes.items[i].kind), d->changes.items[i].text);
}
