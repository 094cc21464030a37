/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who is asked for counters: the agents of a sweep's ports, as far as that has found them. */
#include "client/counters_state.h"
#include "core/base/alloc.h"

void counters_put(struct weft_counters *c, enum counters_ask kind,
                  const struct counters_agent *whom, uint32_t about)
{
    static const uint16_t attributes[] = {
        [COUNTERS_ASK_ABILITIES] = WEFT_ATTR_CLASS_PORT_INFO,
        [COUNTERS_ASK_SUM_CLASSIC] = WEFT_ATTR_PM_PORT_COUNTERS,
        [COUNTERS_ASK_SUM_EXTENDED] = WEFT_ATTR_PM_PORT_COUNTERS_EXT,
        [COUNTERS_ASK_CLASSIC] = WEFT_ATTR_PM_PORT_COUNTERS,
        [COUNTERS_ASK_EXTENDED] = WEFT_ATTR_PM_PORT_COUNTERS_EXT,
        [COUNTERS_ASK_RESET_CLASSIC] = WEFT_ATTR_PM_PORT_COUNTERS,
        [COUNTERS_ASK_RESET_EXTENDED] = WEFT_ATTR_PM_PORT_COUNTERS_EXT,
    };
    const struct gmp_question q = {
        .whom = (uint32_t)(whom - c->agents),
        .about = about,
        .kind = (uint8_t)kind,
        .method = kind >= COUNTERS_ASK_RESET_CLASSIC ? WEFT_METHOD_SET : WEFT_METHOD_GET,
        .attr_id = attributes[kind],
    };

    if (gmp_asker_put(c->asker, &q) != 0)
        c->verdict = WEFT_ERR_NOMEM;
}

static const struct weft_sweep_node *node_of(const struct weft_counters *c, uint32_t port)
{
    return weft_sweep_node(c->sweep, weft_sweep_port(c->sweep, port)->node);
}

/* The ports that an agent may answer for; a switch's port 0 is wanted where it is an enhanced one.
 */
static void agent_ports(const struct weft_counters *c, const struct counters_agent *a,
                        uint32_t *ret_first, uint32_t *ret_last)
{
    const struct weft_sweep_node *n = node_of(c, a->port);

    *ret_first = *ret_last = a->port;
    if (n->type == WEFT_SWEEP_SWITCH)
        *ret_last = n->first_port + n->port_count;
}

/* Asks for the extended counters where there are any, for the classic ones where nothing is wider.
 */
static void port_ask(struct weft_counters *c, const struct counters_agent *a, uint32_t port)
{
    struct counters_port *p = &c->ports[port];

    if (a->has.extended) {
        p->asked++;
        counters_put(c, COUNTERS_ASK_EXTENDED, a, port);
    }
    if (!a->has.errors) {
        p->asked++;
        counters_put(c, COUNTERS_ASK_CLASSIC, a, port);
    }
}

void counters_ask_ports(struct weft_counters *c, struct counters_agent *a)
{
    uint32_t whom = (uint32_t)(a - c->agents);
    uint32_t first, last;

    a->reads = true;
    agent_ports(c, a, &first, &last);
    for (uint32_t i = first; i <= last; i++)
        if (c->ports[i].wanted && c->ports[i].agent == whom && c->ports[i].asked == 0)
            port_ask(c, a, i);
}

void counters_agent_begin(struct weft_counters *c, struct counters_agent *a)
{
    if (c->limits && a->has.all_ports && node_of(c, a->port)->type == WEFT_SWEEP_SWITCH)
        counters_put(c, a->has.errors ? COUNTERS_ASK_SUM_EXTENDED : COUNTERS_ASK_SUM_CLASSIC, a,
                     a->port);
    else
        counters_ask_ports(c, a);
}

/* What an earlier reading was told by the same agent; one that was redirected is to say again where
 * it is asked. */
static const struct weft_pma_abilities *
abilities_known(const struct weft_counters *c, const struct weft_counters *known, uint32_t port)
{
    uint32_t there = known ? weft_counters_port_in(known, c->sweep, port) : WEFT_SWEEP_NONE;

    if (there == WEFT_SWEEP_NONE || known->ports[there].agent == COUNTERS_NO_AGENT ||
        known->agents[known->ports[there].agent].redirected)
        return NULL;
    return weft_counters_abilities(known, there);
}

/* Asks an agent that has an address, unless it is silent, for what it has, or for its ports. */
static void agent_ask(struct weft_counters *c, struct counters_agent *a,
                      const struct weft_counters *known)
{
    const struct weft_pma_abilities *has = abilities_known(c, known, a->port);

    if (a->lid == 0 || a->silent)
        return;
    if (!has) {
        counters_put(c, COUNTERS_ASK_ABILITIES, a, a->port);
        return;
    }
    a->has = *has;
    a->told = true;
    counters_agent_begin(c, a);
}

/* Gives an agent the address that the sweep has said. */
static void agent_find(const struct weft_counters *c, struct counters_agent *a)
{
    const struct weft_sweep_port *p = weft_sweep_port(c->sweep, a->port);

    a->found_at = p->lid;
    a->lid = p->lid < WEFT_LID_MULTICAST_FIRST ? p->lid : 0;
    a->silent = a->stopped = p->silent;
}

static int agents_grow(struct weft_counters *c)
{
    uint32_t space = c->agent_space ? 2 * c->agent_space : 64;
    struct counters_agent *agents =
        alloc_grow(&c->alloc, c->agents, c->agent_space, space, sizeof(*agents));

    if (!agents)
        return WEFT_ERR_NOMEM;
    c->agents = agents;
    c->agent_space = space;
    return 0;
}

static int agent_add(struct weft_counters *c, uint32_t port, uint32_t *ret)
{
    int err = c->agent_count == c->agent_space ? agents_grow(c) : 0;
    struct counters_agent *a;

    if (err)
        return err;
    a = &c->agents[c->agent_count];
    *a = (struct counters_agent){
        .port = port, .qpn = WEFT_QP_GSI, .qkey = WEFT_QKEY_GSI, .pkey_index = c->here.pkey_index};
    agent_find(c, a);
    *ret = c->agent_count++;
    return 0;
}

/* Notes whether a port is wanted, and, if so, who answers for it. */
static int port_assign(struct weft_counters *c, uint32_t port, uint32_t end, bool wanted)
{
    struct counters_port *p = &c->ports[port];
    const struct counters_agent *a;
    int err = 0;

    p->wanted = wanted;
    if (!wanted)
        return 0;
    if (c->ports[end].agent == COUNTERS_NO_AGENT)
        err = agent_add(c, end, &c->ports[end].agent);
    if (err)
        return err;
    p->agent = c->ports[end].agent;
    a = &c->agents[p->agent];
    if (a->reads && !a->silent && p->asked == 0)
        port_ask(c, a, port);
    return 0;
}

/* Gives each port that is there, and wanted, the agent that answers for it. */
static int ports_assign(struct weft_counters *c, const bool *wanted)
{
    int err = 0;

    for (uint32_t i = 0; i < c->port_count && !err; i++) {
        const struct weft_sweep_port *p = weft_sweep_port(c->sweep, i);
        const struct weft_sweep_node *n = weft_sweep_node(c->sweep, p->node);
        bool is_switch = n->type == WEFT_SWEEP_SWITCH;
        bool is_there = is_switch ? p->number > 0 || n->enhanced_port0 : p->reached;

        err = port_assign(c, i, is_switch ? n->first_port : i, is_there && (!wanted || wanted[i]));
    }
    return err;
}

static int ports_grow(struct weft_counters *c)
{
    uint32_t count = weft_sweep_port_count(c->sweep);
    struct counters_port *ports;

    if (c->ports && count == c->port_count)
        return 0;
    ports = c->ports ? alloc_grow(&c->alloc, c->ports, c->port_count, count, sizeof(*ports))
                     : alloc_array(&c->alloc, count, sizeof(*ports));
    if (!ports)
        return WEFT_ERR_NOMEM;
    for (uint32_t i = c->port_count; i < count; i++)
        ports[i] = (struct counters_port){.agent = COUNTERS_NO_AGENT, .place = PMA_STORE_NONE};
    c->ports = ports;
    c->port_count = count;
    return 0;
}

/* Asks another agent in the place of one that has another address than it was asked at: what came
 * from there was somebody else's. */
static int agent_replace(struct weft_counters *c, uint32_t whom)
{
    uint32_t first, last, by = 0;
    int err = agent_add(c, c->agents[whom].port, &by);

    if (err)
        return err;
    c->agents[whom].silent = true;
    agent_ports(c, &c->agents[by], &first, &last);
    for (uint32_t i = first; i <= last; i++) {
        struct counters_port *p = &c->ports[i];

        if (p->agent == whom)
            *p = (struct counters_port){.agent = by, .place = PMA_STORE_NONE, .wanted = p->wanted};
    }
    return 0;
}

/* What the sweep says of agents now. */
static int agents_review(struct weft_counters *c, const struct weft_counters *known)
{
    uint32_t count = c->agent_count;
    int err = 0;

    for (uint32_t i = 0; i < count && !err; i++) {
        struct counters_agent *a = &c->agents[i];
        const struct weft_sweep_port *p = weft_sweep_port(c->sweep, a->port);

        if (c->ports[a->port].agent != i)
            continue;
        if (p->silent) {
            a->silent = a->stopped = true;
        } else if (p->lid != a->found_at && a->lid == 0) {
            agent_find(c, a);
            agent_ask(c, a, known);
        } else if (p->lid != a->found_at) {
            err = agent_replace(c, i);
        }
    }
    return err;
}

int weft_counters_grow(struct weft_counters *c, const bool *wanted,
                       const struct weft_counters *known)
{
    uint32_t agents;
    int err = ports_grow(c);

    agents = c->agent_count;
    if (!err)
        err = agents_review(c, known);
    if (!err)
        err = ports_assign(c, wanted);
    for (; agents < c->agent_count; agents++)
        agent_ask(c, &c->agents[agents], known);
    if (err)
        c->verdict = err;
    return c->verdict;
}
