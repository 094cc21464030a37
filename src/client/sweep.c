/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Discovery: NodeInfo through every link, then what each node and port says of itself. */
#include "client/sweep.h"

#include "core/base/index.h"
#include "core/wire/field.h"
#include "core/wire/mad_header.h"

#include <stdlib.h>
#include <string.h>

#define NODES_MAX 65536

/* PortInfo:PortState of a port that carries SMPs is above this. */
#define STATE_DOWN 1

enum ask {
    ASK_NEIGHBOR, /* NodeInfo through a port; SWEEP_NONE: of the own node */
    ASK_NAME,     /* NodeDescription of a port's node */
    ASK_SWITCH,   /* SwitchInfo of a port's node */
    ASK_PORT      /* PortInfo of a port */
};

struct sweep {
    struct asker *asker;
    struct sweep_node *nodes;
    struct sweep_port *ports;
    struct index by_guid;
    uint32_t node_count, node_space;
    uint32_t port_count, port_space;
    uint32_t conflicts;
    int verdict;
};

static void put(struct sweep *s, enum ask kind, uint32_t about, uint16_t attr_id, uint32_t attr_mod)
{
    const struct question q = {
        .about = about, .kind = (uint8_t)kind, .attr_id = attr_id, .attr_mod = attr_mod};

    if (asker_put(s->asker, &q) != 0)
        s->verdict = WEFT_ERR_NOMEM;
}

int sweep_new(const struct asker_config *c, weft_mad_agent_id agent, struct sweep **ret)
{
    struct sweep *s = calloc(1, sizeof(*s));
    int err = s ? asker_new(c, agent, &s->asker) : WEFT_ERR_NOMEM;

    if (!err) {
        put(s, ASK_NEIGHBOR, SWEEP_NONE, WEFT_ATTR_NODE_INFO, 0);
        err = s->verdict;
    }
    if (err) {
        (void)sweep_free(s);
        return err;
    }
    s->verdict = WEFT_ERR_NOTFOUND;
    *ret = s;
    return 0;
}

struct sweep *sweep_free(struct sweep *s)
{
    if (s) {
        (void)asker_free(s->asker);
        free(s->nodes);
        free(s->ports);
        free(s->by_guid.entries);
    }
    free(s);
    return NULL;
}

static struct sweep_node *node_of(struct sweep *s, const struct sweep_port *p)
{
    return &s->nodes[p->node];
}

uint32_t sweep_end_port(const struct sweep *s, uint32_t port)
{
    const struct sweep_node *n = &s->nodes[s->ports[port].node];

    return n->type == SWEEP_SWITCH ? n->first_port : port;
}

void sweep_route(const struct sweep *s, uint32_t port, struct route *ret)
{
    const struct sweep_port *p = &s->ports[sweep_end_port(s, port)];
    const struct sweep_node *n = &s->nodes[p->node];

    if (n->type == SWEEP_SWITCH) {
        *ret = n->route;
        return;
    }
    *ret = (struct route){.hops = 0};
    if (p->via == SWEEP_NONE)
        return;
    *ret = s->nodes[s->ports[p->via].node].route;
    (void)route_extend(ret, s->ports[p->via].number);
}

/* Whether a question is still worth it, and the way to where it is answered. */
static bool is_wanted(const struct sweep *s, const struct question *q, struct route *ret)
{
    const struct sweep_port *p;

    *ret = (struct route){.hops = 0};
    if (q->about == SWEEP_NONE)
        return true;
    p = &s->ports[q->about];
    if (s->ports[sweep_end_port(s, q->about)].silent)
        return false;
    sweep_route(s, q->about, ret);
    /* Whoever is behind may have been found from the other end meanwhile. */
    return q->kind != ASK_NEIGHBOR || (p->peer == SWEEP_NONE && route_extend(ret, p->number));
}

bool sweep_poll(struct sweep *s, struct weft_mad_send_req *ret)
{
    struct question q;
    struct route route;

    if (asker_again(s->asker, ret))
        return true;
    while (asker_next(s->asker, &q)) {
        if (is_wanted(s, &q, &route)) {
            asker_ask(s->asker, &q, &route, ret);
            return true;
        }
    }
    return false;
}

static uint32_t node_find(const struct sweep *s, uint64_t guid)
{
    uint32_t hash = index_hash(guid);
    uint32_t pos = hash;
    uint32_t slot;

    if (s->node_count == 0)
        return SWEEP_NONE;
    while ((slot = index_next(&s->by_guid, hash, &pos)) != INDEX_EMPTY)
        if (s->nodes[slot].guid == guid)
            return slot;
    return SWEEP_NONE;
}

static int nodes_grow(struct sweep *s)
{
    uint32_t space = s->node_space ? 2 * s->node_space : 64;
    uint32_t count = index_entries(space);
    struct sweep_node *nodes = realloc(s->nodes, space * sizeof(*nodes));
    struct index_entry *entries = malloc(count * sizeof(*entries));

    if (nodes)
        s->nodes = nodes;
    if (!nodes || !entries) {
        free(entries);
        return WEFT_ERR_NOMEM;
    }
    free(s->by_guid.entries);
    index_init(&s->by_guid, entries, count);
    for (uint32_t i = 0; i < s->node_count; i++)
        index_put(&s->by_guid, index_hash(nodes[i].guid), i);
    s->node_space = space;
    return 0;
}

static int ports_grow(struct sweep *s, uint32_t more)
{
    uint32_t space = s->port_space ? s->port_space : 256;
    struct sweep_port *ports;

    while (space < s->port_count + more)
        space *= 2;
    if (space == s->port_space)
        return 0;
    ports = realloc(s->ports, space * sizeof(*ports));
    if (!ports)
        return WEFT_ERR_NOMEM;
    s->ports = ports;
    s->port_space = space;
    return 0;
}

static int node_add(struct sweep *s, const uint8_t *info, uint32_t *ret)
{
    uint8_t port_count = (uint8_t)wire_get(WIRE_NODE_INFO_NUM_PORTS, info);
    int err = s->node_count == NODES_MAX ? WEFT_ERR_FULL : 0;
    struct sweep_node *n;

    if (!err && s->node_count == s->node_space)
        err = nodes_grow(s);
    if (!err)
        err = ports_grow(s, port_count + 1u);
    if (err)
        return err;
    n = &s->nodes[s->node_count];
    *n =
        (struct sweep_node){.guid = wire_get(WIRE_NODE_INFO_NODE_GUID, info),
                            .first_port = s->port_count,
                            .partition_cap = (uint16_t)wire_get(WIRE_NODE_INFO_PARTITION_CAP, info),
                            .type = (uint8_t)wire_get(WIRE_NODE_INFO_NODE_TYPE, info),
                            .port_count = port_count};
    for (uint32_t i = 0; i <= port_count; i++)
        s->ports[s->port_count++] = (struct sweep_port){
            .node = s->node_count, .peer = SWEEP_NONE, .via = SWEEP_NONE, .number = (uint8_t)i};
    index_put(&s->by_guid, index_hash(n->guid), s->node_count);
    *ret = s->node_count++;
    return 0;
}

/* A node that is new: what is to be asked of it as a whole. */
static void node_begin(struct sweep *s, uint32_t node, uint32_t port)
{
    const struct sweep_node *n = &s->nodes[node];

    put(s, ASK_NAME, port, WEFT_ATTR_NODE_DESC, 0);
    if (n->type != SWEEP_SWITCH)
        return;
    put(s, ASK_SWITCH, port, WEFT_ATTR_SWITCH_INFO, 0);
    for (uint32_t i = 0; i <= n->port_count; i++)
        put(s, ASK_PORT, n->first_port + i, WEFT_ATTR_PORT_INFO, i);
}

/* A node answers behind port `via`: connects, and goes on where it or its port is new. */
static void node_reached(struct sweep *s, uint32_t via, const uint8_t *info)
{
    uint32_t node = node_find(s, wire_get(WIRE_NODE_INFO_NODE_GUID, info));
    uint8_t number = (uint8_t)wire_get(WIRE_NODE_INFO_LOCAL_PORT, info);
    bool is_new = node == SWEEP_NONE;
    int err = is_new ? node_add(s, info, &node) : 0;
    struct sweep_node *n;
    struct sweep_port *end;
    uint32_t port;

    if (err) {
        s->verdict = err;
        return;
    }
    n = &s->nodes[node];
    port = n->first_port + number;
    end = &s->ports[sweep_end_port(s, port)];
    if (via != SWEEP_NONE && s->ports[port].peer == SWEEP_NONE) {
        s->ports[via].peer = port;
        s->ports[port].peer = via;
        s->ports[via].mute_peer = s->ports[port].mute_peer = false;
    } else if (via != SWEEP_NONE && s->ports[port].peer != via) {
        s->conflicts++;
    }
    if (end->reached)
        return;
    end->reached = true;
    end->via = via;
    end->guid = wire_get(WIRE_NODE_INFO_PORT_GUID, info);
    if (n->type == SWEEP_SWITCH && via != SWEEP_NONE) {
        sweep_route(s, via, &n->route);
        (void)route_extend(&n->route, s->ports[via].number);
    }
    if (is_new)
        node_begin(s, node, n->type == SWEEP_SWITCH ? n->first_port : port);
    if (n->type != SWEEP_SWITCH)
        put(s, ASK_PORT, port, WEFT_ATTR_PORT_INFO, number);
}

/* NodeInfo that no node can say. */
static bool is_node_info(const struct sweep *s, const uint8_t *info)
{
    uint64_t type = wire_get(WIRE_NODE_INFO_NODE_TYPE, info);
    uint64_t ports = wire_get(WIRE_NODE_INFO_NUM_PORTS, info);
    uint64_t local = wire_get(WIRE_NODE_INFO_LOCAL_PORT, info);
    uint32_t known = node_find(s, wire_get(WIRE_NODE_INFO_NODE_GUID, info));

    if (type < SWEEP_CA || type > SWEEP_ROUTER || ports < 1 || ports > 254 || local > ports ||
        (local == 0 && type != SWEEP_SWITCH))
        return false;
    return known == SWEEP_NONE ||
           (s->nodes[known].type == type && s->nodes[known].port_count == ports);
}

static void neighbor_told(struct sweep *s, const struct asker_result *r)
{
    uint32_t via = r->question.about;

    if (r->data && is_node_info(s, r->data)) {
        if (via == SWEEP_NONE)
            s->verdict = 0;
        node_reached(s, via, r->data);
    } else if (via != SWEEP_NONE && s->ports[via].peer == SWEEP_NONE) {
        s->ports[via].mute_peer = true;
    }
}

static void port_told(struct sweep *s, uint32_t port, const uint8_t *info)
{
    struct sweep_port *p = &s->ports[port];
    bool leads_on = node_of(s, p)->type == SWEEP_SWITCH ? p->number > 0 : p->via == SWEEP_NONE;

    p->lid = (uint16_t)wire_get(WIRE_PORT_INFO_LID, info);
    p->state = (uint8_t)wire_get(WIRE_PORT_INFO_PORT_STATE, info);
    if (node_of(s, p)->type == SWEEP_SWITCH && p->number > 0) {
        p->enforces_in = wire_get(WIRE_PORT_INFO_PARTITION_ENFORCE_IN, info) != 0;
        p->enforces_out = wire_get(WIRE_PORT_INFO_PARTITION_ENFORCE_OUT, info) != 0;
    }
    if (leads_on && p->state > STATE_DOWN)
        put(s, ASK_NEIGHBOR, port, WEFT_ATTR_NODE_INFO, 0);
}

static void name_told(struct sweep_node *n, const uint8_t *data)
{
    memcpy(n->name, data, SWEEP_NAME_BYTES - 1);
    n->name[SWEEP_NAME_BYTES - 1] = '\0';
}

void sweep_event(struct sweep *s, const struct weft_mad_event *ev)
{
    struct asker_result r;
    struct sweep_port *p;

    if (!asker_event(s->asker, ev, &r))
        return;
    if (r.question.kind == ASK_NEIGHBOR) {
        neighbor_told(s, &r);
        return;
    }
    p = &s->ports[r.question.about];
    if (!r.data) {
        s->ports[sweep_end_port(s, r.question.about)].silent |= !r.refused;
        return;
    }
    if (r.question.kind == ASK_NAME)
        name_told(node_of(s, p), r.data);
    else if (r.question.kind == ASK_SWITCH)
        node_of(s, p)->enforcement_cap =
            (uint16_t)wire_get(WIRE_SWITCH_INFO_PARTITION_ENFORCEMENT_CAP, r.data);
    else
        port_told(s, r.question.about, r.data);
}

bool sweep_done(const struct sweep *s)
{
    return asker_idle(s->asker);
}

int sweep_verdict(const struct sweep *s)
{
    return s->verdict;
}

uint32_t sweep_node_count(const struct sweep *s)
{
    return s->node_count;
}

const struct sweep_node *sweep_node(const struct sweep *s, uint32_t node)
{
    return &s->nodes[node];
}

uint32_t sweep_port_count(const struct sweep *s)
{
    return s->port_count;
}

const struct sweep_port *sweep_port(const struct sweep *s, uint32_t port)
{
    return &s->ports[port];
}

uint32_t sweep_conflicts(const struct sweep *s)
{
    return s->conflicts;
}
