/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who did not answer `weft discover`, what answers cannot be, and by which ways it was asked. */
#include "cli/discover.h"
#include "cli/message.h"
#include "cli/printable.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* More are only counted on stderr; a document has all. */
#define LINES_MAX 100

/* A port with its node's GUID and name. */
#define PORT_BYTES (TOPO_LABEL_BYTES + 16)

/* A port for people: its node as in topologies, and its number. */
static void port_text(const struct discover *d, uint32_t port, char *ret, size_t size)
{
    const struct weft_sweep_port *p = weft_sweep_port(d->sweep, port);
    const struct weft_sweep_node *n = weft_sweep_node(d->sweep, p->node);

    (void)snprintf(ret, size, "%s %016" PRIx64 " \"%s\" port %u", discover_type(n->type), n->guid,
                   discover_name(d, p->node), p->number);
}

/* Who was at the other end of a port's cable in the earlier topology.
 * Returns NULL: nobody, or there is none. */
static const struct topo_node *earlier_peer(const struct discover *d, uint32_t port)
{
    const struct weft_sweep_port *p = weft_sweep_port(d->sweep, port);
    uint32_t node, found;

    if (!d->old)
        return NULL;
    node = topo_find_guid(d->old, weft_sweep_node(d->sweep, p->node)->guid);
    found = node == TOPO_NONE ? TOPO_NONE : topo_find_port(d->old, node, p->number);
    return found == TOPO_NONE ? NULL : &d->old->nodes[d->old->ports[found].peer_node];
}

static bool is_behind(const struct weft_sweep_trouble *t)
{
    return t->kind != WEFT_SWEEP_STOPPED &&
           (t->kind != WEFT_SWEEP_REFUSED || t->attr_id == WEFT_ATTR_NODE_INFO);
}

/* A kind in words, and its word for programs. */
static const struct {
    const char *word;
    const char *before; /* the port */
    const char *after;
} kinds[] = {
    [WEFT_SWEEP_MUTE] = {"mute", "nobody answers behind ", ""},
    [WEFT_SWEEP_STOPPED] = {"stopped", "", " has stopped answering"},
    [WEFT_SWEEP_REFUSED] = {"refused", "", " does not say what it is asked"},
    [WEFT_SWEEP_IMPOSSIBLE] = {"impossible", "who is behind ",
                               " says of itself what no node can say"},
    [WEFT_SWEEP_CHANGED] = {"changed", "who is behind ",
                            " has a GUID whose node was something else before"},
    [WEFT_SWEEP_TWICE] = {"twice", "who is behind ",
                          " has a GUID and port that another cable leads to"},
    [WEFT_SWEEP_UNSTABLE] = {"unstable", "the switch behind ",
                             " has another GUID each time it is asked, and is not crossed"},
};

static void print_ways(const struct weft_sweep_trouble *t, char *ret, size_t size)
{
    char first[DISCOVER_ROUTE_BYTES] = "", second[DISCOVER_ROUTE_BYTES] = "";

    ret[0] = '\0';
    if (t->ways == 0)
        return;
    discover_route_text(&t->tried[0], first);
    if (t->ways > 1)
        discover_route_text(&t->tried[1], second);
    (void)snprintf(ret, size, "; tried %s%s%s", first, t->ways > 1 ? " and " : "", second);
}

static void complain(const struct discover *d, const struct weft_sweep_trouble *t)
{
    const struct topo_node *was = is_behind(t) ? earlier_peer(d, t->port) : NULL;
    char port[PORT_BYTES], other[PORT_BYTES], label[TOPO_LABEL_BYTES], shown[4 * TOPO_LABEL_BYTES];
    char who[sizeof(shown) + 16] = "", ways[2 * DISCOVER_ROUTE_BYTES + 16];

    port_text(d, t->port, port, sizeof(port));
    print_ways(t, ways, sizeof(ways));
    if (t->kind == WEFT_SWEEP_TWICE) {
        port_text(d, t->other, other, sizeof(other));
        (void)snprintf(who, sizeof(who), ": %s", other);
    } else if (was) {
        topo_node_label(was, label);
        (void)snprintf(who, sizeof(who), ", where %s was", printable(label, shown, sizeof(shown)));
    }
    message("%s%s%s%s%s", kinds[t->kind].before, port, kinds[t->kind].after, who, ways);
}

static bool complain_about_guids(const struct discover *d)
{
    uint32_t node = weft_sweep_find(d->sweep, 0);
    char text[DISCOVER_ROUTE_BYTES];
    struct weft_route route;

    if (node == WEFT_SWEEP_NONE)
        return false;
    weft_sweep_route(d->sweep, weft_sweep_node(d->sweep, node)->first_port, &route);
    discover_route_text(&route, text);
    message("a node has the GUID 0 and is left out; the way to it is %s", text);
    return true;
}

bool discover_complain(const struct discover *d)
{
    const struct weft_sweep_trouble *t;
    bool any = complain_about_guids(d);
    uint32_t lines = 0;

    for (uint32_t i = 0; weft_sweep_trouble(d->sweep, i, &t); i++) {
        if (!weft_sweep_trouble_stands(d->sweep, t))
            continue;
        any = true;
        if (lines++ < LINES_MAX)
            complain(d, t);
    }
    if (lines > LINES_MAX)
        message("%" PRIu32 " more problems are not listed; --json has all", lines - LINES_MAX);
    return any;
}

static json_t *ways_to_json(const struct weft_sweep_trouble *t)
{
    char text[DISCOVER_ROUTE_BYTES];
    json_t *list = json_array();

    for (uint8_t i = 0; i < t->ways && list; i++) {
        discover_route_text(&t->tried[i], text);
        if (json_array_append_new(list, json_string(text)) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

static json_t *trouble_to_json(const struct discover *d, const struct weft_sweep_trouble *t)
{
    const struct weft_sweep_port *p = weft_sweep_port(d->sweep, t->port);
    const struct topo_node *was = is_behind(t) ? earlier_peer(d, t->port) : NULL;

    return json_pack("{s:s, s:o, s:s, s:i, s:o*, s:o}", "kind", kinds[t->kind].word, "guid",
                     json_sprintf("0x%016" PRIx64, weft_sweep_node(d->sweep, p->node)->guid),
                     "name", discover_name(d, p->node), "port", (int)p->number, "was_guid",
                     was ? json_sprintf("0x%016" PRIx64, was->guid) : NULL, "tried",
                     ways_to_json(t));
}

json_t *discover_troubles_to_json(const struct discover *d)
{
    const struct weft_sweep_trouble *t;
    json_t *list = json_array();

    for (uint32_t i = 0; list && weft_sweep_trouble(d->sweep, i, &t); i++) {
        if (weft_sweep_trouble_stands(d->sweep, t) &&
            json_array_append_new(list, trouble_to_json(d, t)) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}
