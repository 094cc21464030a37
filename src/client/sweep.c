/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Discovery: NodeInfo through every link, then what each node and port says of itself. */
#include "client/asker.h"
#include "client/sweep_state.h"
#include "core/base/alloc.h"
#include "core/wire/field.h"
#include "core/wire/mad_header.h"

#include <string.h>

#define NODES_MAX 65536
#define PORTS_MAX 1000000

/* All others wait for the first answers: where these get lost, the packets go out again after 6 ms
 * instead of 25, until it has been learned what is right here. */
#define HALVINGS_FIRST 2

/* What leads on to others goes first: so the dead are met early, and all else is asked while they
 * have their time. */
static bool leads_on(const struct weft_sweep *s, enum sweep_ask kind, uint32_t about)
{
    const struct weft_sweep_port *p;

    if (kind == SWEEP_ASK_NEIGHBOR || kind == SWEEP_ASK_CONFIRM ||
        (kind == SWEEP_ASK_SWITCH && s->known))
        return true;
    p = &s->ports[about];
    return kind == SWEEP_ASK_PORT && p->number > 0 && s->nodes[p->node].type == WEFT_SWEEP_SWITCH;
}

void sweep_put(struct weft_sweep *s, enum sweep_ask kind, uint32_t about, uint16_t attr_id,
               uint32_t attr_mod)
{
    const struct question q = {.about = about,
                               .kind = (uint8_t)kind,
                               .attr_id = attr_id,
                               .attr_mod = attr_mod,
                               .way = WEFT_SWEEP_NONE,
                               .urgent = leads_on(s, kind, about)};

    if (asker_put(s->asker, &q) != 0)
        s->verdict = WEFT_ERR_NOMEM;
}

int weft_sweep_new(const struct weft_sweep_config *c, weft_mad_agent_id agent,
                   const struct weft_alloc *a, struct weft_sweep **ret)
{
    struct weft_alloc alloc = alloc_or_libc(a);
    struct weft_sweep *s = alloc_array(&alloc, 1, sizeof(*s));
    int err;

    if (!s)
        return WEFT_ERR_NOMEM;
    s->alloc = alloc;
    err = asker_new(c, agent, &alloc, &s->asker);
    if (!err) {
        asker_hurry(s->asker, HALVINGS_FIRST);
        sweep_put(s, SWEEP_ASK_NEIGHBOR, WEFT_SWEEP_NONE, WEFT_ATTR_NODE_INFO, 0);
        err = s->verdict;
    }
    if (err) {
        (void)weft_sweep_free(s);
        return err;
    }
    s->verdict = WEFT_ERR_NOTFOUND;
    *ret = s;
    return 0;
}

void weft_sweep_expect(struct weft_sweep *s, const struct weft_sweep_prior *known)
{
    s->known = known;
}

static void index_free(const struct weft_alloc *a, const struct index *ix)
{
    alloc_put(a, ix->entries, ix->mask + 1, sizeof(ix->entries[0]));
}

struct weft_sweep *weft_sweep_free(struct weft_sweep *s)
{
    struct weft_alloc a;

    if (!s)
        return NULL;
    a = s->alloc;
    (void)asker_free(s->asker);
    alloc_put(&a, s->nodes, s->node_space, sizeof(s->nodes[0]));
    alloc_put(&a, s->ports, s->port_space, sizeof(s->ports[0]));
    alloc_put(&a, s->waits, s->port_space, sizeof(s->waits[0]));
    alloc_put(&a, s->troubles, s->trouble_space, sizeof(s->troubles[0]));
    index_free(&a, &s->by_guid);
    alloc_put(&a, s, 1, sizeof(*s));
    return NULL;
}

static struct weft_sweep_node *node_of(struct weft_sweep *s, const struct weft_sweep_port *p)
{
    return &s->nodes[p->node];
}

/* Whether a question is still worth it, and the way to where it is answered. */
static bool is_wanted(const struct weft_sweep *s, struct question *q, struct weft_route *ret)
{
    const struct weft_sweep_port *p;

    *ret = (struct weft_route){.hops = 0};
    if (q->about == WEFT_SWEEP_NONE)
        return true;
    p = &s->ports[q->about];
    if (s->ports[weft_sweep_end_port(s, q->about)].silent)
        return false;
    if (q->asked % 2 == 1 && q->way == WEFT_SWEEP_NONE)
        q->way = sweep_way_around(s, q->about);
    if (q->asked % 2 == 0 || q->way == WEFT_SWEEP_NONE ||
        !sweep_route_around(s, q->about, q->way, ret))
        weft_sweep_route(s, q->about, ret);
    /* Whoever is behind may have been found from the other end meanwhile. */
    return q->kind != SWEEP_ASK_NEIGHBOR ||
           (p->peer == WEFT_SWEEP_NONE && route_extend(ret, p->number));
}

bool weft_sweep_poll(struct weft_sweep *s, struct weft_mad_send_req *ret)
{
    struct question q;
    struct weft_route route;

    for (;;) {
        while (asker_next(s->asker, &q)) {
            if (is_wanted(s, &q, &route)) {
                asker_ask(s->asker, &q, &route, ret);
                return true;
            }
        }
        if (!asker_idle(s->asker) || weft_sweep_done(s))
            return false;
        sweep_ask_late(s);
    }
}

uint32_t weft_sweep_find(const struct weft_sweep *s, uint64_t guid)
{
    uint32_t hash = index_hash(guid);
    uint32_t pos = hash;
    uint32_t slot;

    if (s->node_count == 0)
        return WEFT_SWEEP_NONE;
    while ((slot = index_next(&s->by_guid, hash, &pos)) != INDEX_EMPTY)
        if (s->nodes[slot].guid == guid)
            return slot;
    return WEFT_SWEEP_NONE;
}

struct weft_sweep_trouble *
sweep_trouble_add(struct weft_sweep *s, enum weft_sweep_trouble_kind kind, const struct question *q)
{
    uint32_t space = s->trouble_space ? 2 * s->trouble_space : 16;
    struct weft_sweep_trouble *t;

    if (s->trouble_count == s->trouble_space) {
        t = alloc_grow(&s->alloc, s->troubles, s->trouble_space, space, sizeof(*t));
        if (!t) {
            s->verdict = WEFT_ERR_NOMEM;
            return NULL;
        }
        s->troubles = t;
        s->trouble_space = space;
    }
    t = &s->troubles[s->trouble_count++];
    *t = (struct weft_sweep_trouble){
        .kind = kind, .port = q->about, .other = WEFT_SWEEP_NONE, .attr_id = q->attr_id};
    return t;
}

/* The ways by which a question was asked in vain. */
static void ways_add(const struct weft_sweep *s, const struct question *q,
                     struct weft_sweep_trouble *t)
{
    weft_sweep_route(s, q->about, &t->tried[0]);
    t->ways = 1;
    if (q->way != WEFT_SWEEP_NONE && sweep_route_around(s, q->about, q->way, &t->tried[1]))
        t->ways = 2;
    for (uint8_t i = 0; i < t->ways && q->kind == SWEEP_ASK_NEIGHBOR; i++)
        (void)route_extend(&t->tried[i], s->ports[q->about].number);
}

static int nodes_grow(struct weft_sweep *s)
{
    uint32_t space = s->node_space ? 2 * s->node_space : 64;
    uint32_t count = index_entries(space);
    struct index_entry *entries = alloc_array(&s->alloc, count, sizeof(*entries));
    struct weft_sweep_node *nodes =
        entries ? alloc_grow(&s->alloc, s->nodes, s->node_space, space, sizeof(*nodes)) : NULL;

    if (!nodes) {
        alloc_put(&s->alloc, entries, count, sizeof(*entries));
        return WEFT_ERR_NOMEM;
    }
    index_free(&s->alloc, &s->by_guid);
    index_init(&s->by_guid, entries, count);
    for (uint32_t i = 0; i < s->node_count; i++)
        index_put(&s->by_guid, index_hash(nodes[i].guid), i);
    s->nodes = nodes;
    s->node_space = space;
    return 0;
}

static int ports_grow(struct weft_sweep *s, uint32_t more)
{
    uint32_t space = s->port_space ? s->port_space : 256;
    struct weft_sweep_port *ports;
    bool *waits;

    if (s->port_count + more > PORTS_MAX)
        return WEFT_ERR_FULL;
    while (space < s->port_count + more)
        space *= 2;
    if (space == s->port_space)
        return 0;
    waits = alloc_array(&s->alloc, space, sizeof(*waits));
    ports = waits ? alloc_grow(&s->alloc, s->ports, s->port_space, space, sizeof(*ports)) : NULL;
    if (!ports) {
        alloc_put(&s->alloc, waits, space, sizeof(*waits));
        return WEFT_ERR_NOMEM;
    }
    if (s->waits)
        memcpy(waits, s->waits, s->port_count * sizeof(*waits));
    alloc_put(&s->alloc, s->waits, s->port_space, sizeof(*waits));
    s->waits = waits;
    s->ports = ports;
    s->port_space = space;
    return 0;
}

static int node_add(struct weft_sweep *s, const uint8_t *info, uint32_t *ret)
{
    uint8_t port_count = (uint8_t)wire_get(WIRE_NODE_INFO_NUM_PORTS, info);
    int err = s->node_count == NODES_MAX ? WEFT_ERR_FULL : 0;
    struct weft_sweep_node *n;

    if (!err && s->node_count == s->node_space)
        err = nodes_grow(s);
    if (!err)
        err = ports_grow(s, port_count + 1u);
    if (err)
        return err;
    n = &s->nodes[s->node_count];
    *n = (struct weft_sweep_node){
        .guid = wire_get(WIRE_NODE_INFO_NODE_GUID, info),
        .system_guid = wire_get(WIRE_NODE_INFO_SYSTEM_IMAGE_GUID, info),
        .vendor_id = (uint32_t)wire_get(WIRE_NODE_INFO_VENDOR_ID, info),
        .first_port = s->port_count,
        .partition_cap = (uint16_t)wire_get(WIRE_NODE_INFO_PARTITION_CAP, info),
        .device_id = (uint16_t)wire_get(WIRE_NODE_INFO_DEVICE_ID, info),
        .type = (uint8_t)wire_get(WIRE_NODE_INFO_NODE_TYPE, info),
        .port_count = port_count,
    };
    for (uint32_t i = 0; i <= port_count; i++)
        s->ports[s->port_count++] = (struct weft_sweep_port){.node = s->node_count,
                                                             .peer = WEFT_SWEEP_NONE,
                                                             .via = WEFT_SWEEP_NONE,
                                                             .number = (uint8_t)i};
    index_put(&s->by_guid, index_hash(n->guid), s->node_count);
    *ret = s->node_count++;
    return 0;
}

/* Asks a port of a switch, or the port by which another node was reached, unless it is known. */
static void port_ask(struct weft_sweep *s, uint32_t port)
{
    if (!sweep_takes_over(s, port))
        sweep_put(s, SWEEP_ASK_PORT, port, WEFT_ATTR_PORT_INFO, s->ports[port].number);
}

static void switch_begin(struct weft_sweep *s, const struct weft_sweep_node *n)
{
    for (uint32_t i = 0; i <= n->port_count; i++)
        port_ask(s, n->first_port + i);
}

/* A node that is new: what is to be asked of it as a whole. What a switch's ports are asked may
 * depend on its SwitchInfo. */
static void node_begin(struct weft_sweep *s, uint32_t node, uint32_t port)
{
    const struct weft_sweep_node *n = &s->nodes[node];

    if (n->type == WEFT_SWEEP_SWITCH) {
        sweep_confirm_ask(s, node);
        sweep_put(s, SWEEP_ASK_SWITCH, port, WEFT_ATTR_SWITCH_INFO, 0);
    }
    sweep_put(s, SWEEP_ASK_NAME, port, WEFT_ATTR_NODE_DESC, 0);
    if (n->type == WEFT_SWEEP_SWITCH && (!s->known || !weft_sweep_prior_find(s->known, n->guid, 0)))
        switch_begin(s, n);
}

static void ports_connect(struct weft_sweep *s, const struct question *q, uint32_t port)
{
    uint32_t via = q->about;
    struct weft_sweep_trouble *t;

    if (s->ports[port].peer == WEFT_SWEEP_NONE && s->ports[via].peer == WEFT_SWEEP_NONE) {
        s->ports[via].peer = port;
        s->ports[port].peer = via;
        s->ports[via].mute_peer = s->ports[port].mute_peer = false;
    } else if (s->ports[port].peer != via) {
        s->conflicts++;
        t = sweep_trouble_add(s, WEFT_SWEEP_TWICE, q);
        if (t) {
            t->other = s->ports[port].peer != WEFT_SWEEP_NONE ? s->ports[port].peer : port;
            t->guid = s->nodes[s->ports[port].node].guid;
        }
    }
}

/* A node answers behind a port: connects, and goes on where it or its port is new. */
static void node_reached(struct weft_sweep *s, const struct question *q, const uint8_t *info)
{
    uint32_t via = q->about;
    uint32_t node = weft_sweep_find(s, wire_get(WIRE_NODE_INFO_NODE_GUID, info));
    bool is_new = node == WEFT_SWEEP_NONE;
    int err = is_new ? node_add(s, info, &node) : 0;
    struct weft_sweep_node *n;
    struct weft_sweep_port *end;
    uint32_t port;

    if (err) {
        s->verdict = err;
        return;
    }
    n = &s->nodes[node];
    port = n->first_port + (uint32_t)wire_get(WIRE_NODE_INFO_LOCAL_PORT, info);
    end = &s->ports[weft_sweep_end_port(s, port)];
    if (via != WEFT_SWEEP_NONE)
        ports_connect(s, q, port);
    if (!is_new)
        sweep_confirm(s, node);
    if (end->reached)
        return;
    end->reached = true;
    end->via = via;
    end->guid = wire_get(WIRE_NODE_INFO_PORT_GUID, info);
    if (n->type == WEFT_SWEEP_SWITCH && via != WEFT_SWEEP_NONE) {
        weft_sweep_route(s, via, &n->route);
        (void)route_extend(&n->route, s->ports[via].number);
    }
    if (is_new)
        node_begin(s, node, n->type == WEFT_SWEEP_SWITCH ? n->first_port : port);
    if (n->type != WEFT_SWEEP_SWITCH)
        port_ask(s, port);
}

/* NodeInfo that no node can say. */
static bool is_node_info(const uint8_t *info)
{
    uint64_t type = wire_get(WIRE_NODE_INFO_NODE_TYPE, info);
    uint64_t ports = wire_get(WIRE_NODE_INFO_NUM_PORTS, info);
    uint64_t local = wire_get(WIRE_NODE_INFO_LOCAL_PORT, info);

    return type >= WEFT_SWEEP_CA && type <= WEFT_SWEEP_ROUTER && ports >= 1 && ports <= 254 &&
           local <= ports && (local > 0 || type == WEFT_SWEEP_SWITCH);
}

/* Whether a node is what one with its GUID was before. */
static bool is_as_before(const struct weft_sweep *s, const uint8_t *info)
{
    uint32_t known = weft_sweep_find(s, wire_get(WIRE_NODE_INFO_NODE_GUID, info));

    return known == WEFT_SWEEP_NONE ||
           (s->nodes[known].type == wire_get(WIRE_NODE_INFO_NODE_TYPE, info) &&
            s->nodes[known].port_count == wire_get(WIRE_NODE_INFO_NUM_PORTS, info));
}

static void neighbor_is_wrong(struct weft_sweep *s, const struct asker_result *r)
{
    const struct question *q = &r->question;
    enum weft_sweep_trouble_kind kind = !r->data ? r->refused ? WEFT_SWEEP_REFUSED : WEFT_SWEEP_MUTE
                                        : !is_node_info(r->data) ? WEFT_SWEEP_IMPOSSIBLE
                                                                 : WEFT_SWEEP_CHANGED;
    struct weft_sweep_trouble *t;

    if (s->ports[q->about].peer != WEFT_SWEEP_NONE)
        return;
    s->ports[q->about].mute_peer = true;
    t = sweep_trouble_add(s, kind, q);
    if (!t)
        return;
    if (kind == WEFT_SWEEP_CHANGED)
        t->guid = wire_get(WIRE_NODE_INFO_NODE_GUID, r->data);
    ways_add(s, q, t);
}

static void neighbor_told(struct weft_sweep *s, const struct asker_result *r)
{
    uint32_t via = r->question.about;

    if (r->data && is_node_info(r->data) && is_as_before(s, r->data)) {
        if (via == WEFT_SWEEP_NONE)
            s->verdict = 0;
        node_reached(s, &r->question, r->data);
    } else if (via != WEFT_SWEEP_NONE) {
        neighbor_is_wrong(s, r);
    }
    if (via != WEFT_SWEEP_NONE)
        sweep_wake(s, via);
}

static struct weft_sweep_rate rate_read(const uint8_t *info, enum wire_field_id active,
                                        enum wire_field_id supported, enum wire_field_id enabled)
{
    return (struct weft_sweep_rate){.active = (uint8_t)wire_get(active, info),
                                    .supported = (uint8_t)wire_get(supported, info),
                                    .enabled = (uint8_t)wire_get(enabled, info)};
}

static void port_read(struct weft_sweep_port *p, const uint8_t *info)
{
    p->capability = (uint32_t)wire_get(WIRE_PORT_INFO_CAPABILITY_MASK, info);
    p->lid = (uint16_t)wire_get(WIRE_PORT_INFO_LID, info);
    p->lmc = (uint8_t)wire_get(WIRE_PORT_INFO_LMC, info);
    p->state = (uint8_t)wire_get(WIRE_PORT_INFO_PORT_STATE, info);
    p->phys_state = (uint8_t)wire_get(WIRE_PORT_INFO_PHYSICAL_STATE, info);
    p->width = rate_read(info, WIRE_PORT_INFO_LINK_WIDTH_ACTIVE,
                         WIRE_PORT_INFO_LINK_WIDTH_SUPPORTED, WIRE_PORT_INFO_LINK_WIDTH_ENABLED);
    p->speed = rate_read(info, WIRE_PORT_INFO_LINK_SPEED_ACTIVE,
                         WIRE_PORT_INFO_LINK_SPEED_SUPPORTED, WIRE_PORT_INFO_LINK_SPEED_ENABLED);
    p->speed_ext =
        rate_read(info, WIRE_PORT_INFO_LINK_SPEED_EXT_ACTIVE,
                  WIRE_PORT_INFO_LINK_SPEED_EXT_SUPPORTED, WIRE_PORT_INFO_LINK_SPEED_EXT_ENABLED);
    p->told = true;
}

static void port_told(struct weft_sweep *s, uint32_t port, const uint8_t *info)
{
    struct weft_sweep_port *p = &s->ports[port];
    bool is_switch = node_of(s, p)->type == WEFT_SWEEP_SWITCH;
    bool goes_on = is_switch ? p->number > 0 : p->via == WEFT_SWEEP_NONE;

    port_read(p, info);
    if (is_switch && p->number > 0) {
        p->enforces_in = wire_get(WIRE_PORT_INFO_PARTITION_ENFORCE_IN, info) != 0;
        p->enforces_out = wire_get(WIRE_PORT_INFO_PARTITION_ENFORCE_OUT, info) != 0;
    } else if (is_switch) {
        sweep_compare_lid(s, port);
    }
    if (goes_on)
        sweep_cross(s, port);
    sweep_wake(s, port);
}

/* Whoever expects something has not asked the ports yet. */
static void switch_told(struct weft_sweep *s, uint32_t port, const uint8_t *info)
{
    struct weft_sweep_node *n = node_of(s, &s->ports[port]);

    if (info) {
        n->enforcement_cap = (uint16_t)wire_get(WIRE_SWITCH_INFO_PARTITION_ENFORCEMENT_CAP, info);
        n->enhanced_port0 = wire_get(WIRE_SWITCH_INFO_ENHANCED_PORT_0, info) != 0;
        n->quiet = wire_get(WIRE_SWITCH_INFO_PORT_STATE_CHANGE, info) == 0;
    }
    if (s->known && weft_sweep_prior_find(s->known, n->guid, 0))
        switch_begin(s, n);
}

static void name_told(struct weft_sweep_node *n, const uint8_t *data)
{
    memcpy(n->name, data, WEFT_SWEEP_NAME_BYTES - 1);
    n->name[WEFT_SWEEP_NAME_BYTES - 1] = '\0';
}

/* A node that was reached does not say what it is asked. */
static void not_told(struct weft_sweep *s, const struct asker_result *r)
{
    struct weft_sweep_port *end = &s->ports[weft_sweep_end_port(s, r->question.about)];
    struct weft_sweep_trouble *t = NULL;

    if (!end->silent)
        t = sweep_trouble_add(s, r->refused ? WEFT_SWEEP_REFUSED : WEFT_SWEEP_STOPPED,
                              &r->question);
    if (t)
        ways_add(s, &r->question, t);
    end->silent |= !r->refused;
    if (r->refused && r->question.kind == SWEEP_ASK_SWITCH)
        switch_told(s, r->question.about, NULL);
    sweep_wake(s, r->question.about);
}

void weft_sweep_event(struct weft_sweep *s, const struct weft_mad_event *ev)
{
    struct asker_result r;

    if (!asker_event(s->asker, ev, &r))
        return;
    if (asker_verdict(s->asker) != 0)
        s->verdict = asker_verdict(s->asker);
    if (r.question.kind == SWEEP_ASK_NEIGHBOR)
        neighbor_told(s, &r);
    else if (!r.data)
        not_told(s, &r);
    else if (r.question.kind == SWEEP_ASK_NAME)
        name_told(node_of(s, &s->ports[r.question.about]), r.data);
    else if (r.question.kind == SWEEP_ASK_CONFIRM)
        sweep_confirm_told(s, &r.question, r.data);
    else if (r.question.kind == SWEEP_ASK_SWITCH)
        switch_told(s, r.question.about, r.data);
    else
        port_told(s, r.question.about, r.data);
}

bool weft_sweep_done(const struct weft_sweep *s)
{
    return asker_idle(s->asker) && s->waiting == 0 && !(s->doubt && s->assumed > 0);
}

bool weft_sweep_waits(const struct weft_sweep *s)
{
    return asker_waits(s->asker) && !(s->doubt && s->assumed > 0);
}

int weft_sweep_verdict(const struct weft_sweep *s)
{
    return s->verdict;
}

uint32_t weft_sweep_node_count(const struct weft_sweep *s)
{
    return s->node_count;
}

const struct weft_sweep_node *weft_sweep_node(const struct weft_sweep *s, uint32_t node)
{
    return &s->nodes[node];
}

uint32_t weft_sweep_port_count(const struct weft_sweep *s)
{
    return s->port_count;
}

const struct weft_sweep_port *weft_sweep_port(const struct weft_sweep *s, uint32_t port)
{
    return &s->ports[port];
}

uint8_t sweep_halvings(const struct weft_sweep *s)
{
    return asker_halvings(s->asker);
}

bool sweep_loses(const struct weft_sweep *s)
{
    return asker_loses(s->asker);
}

uint64_t weft_sweep_sends(const struct weft_sweep *s)
{
    return asker_sends(s->asker);
}

uint32_t weft_sweep_conflicts(const struct weft_sweep *s)
{
    return s->conflicts;
}

bool weft_sweep_trouble(const struct weft_sweep *s, uint32_t number,
                        const struct weft_sweep_trouble **ret)
{
    if (number >= s->trouble_count)
        return false;
    *ret = &s->troubles[number];
    return true;
}

bool weft_sweep_trouble_stands(const struct weft_sweep *s, const struct weft_sweep_trouble *t)
{
    return t->kind != WEFT_SWEEP_MUTE || s->ports[t->port].peer == WEFT_SWEEP_NONE;
}
