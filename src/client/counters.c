/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters of a fabric: who is asked for what, and what became of it. */
#include "client/gmp_asker.h"
#include "client/pma.h"
#include "client/redirect.h"
#include "client/sweep_state.h"
#include "core/base/alloc.h"
#include "core/base/index.h"
#include "core/wire/field.h"

#include <weft/counters.h>

#define GSI_QKEY  0x80010000U
#define ALL_PORTS 255
/* LIDs from here on are no node's. */
#define LID_END   0xC000

#define NO_AGENT UINT32_MAX

enum ask {
    ASK_ABILITIES,
    ASK_SUM_CLASSIC,
    ASK_SUM_EXTENDED,
    ASK_CLASSIC,
    ASK_EXTENDED,
    ASK_RESET_CLASSIC,
    ASK_RESET_EXTENDED
};

/* Who answers for some ports. */
struct agent {
    uint32_t port; /* of the sweep: the one that answers */
    struct weft_mad_addr to;
    struct weft_pma_abilities has;
    bool knows; /* `has` was told, or is what is taken for it */
    bool told;
    bool silent;
    bool quiet; /* the sum of its ports is not above any limit */
    bool redirected;
    bool no_address;
};

struct port {
    uint32_t agent; /* NO_AGENT: not wanted, or not there */
    uint8_t asked, got;
    uint8_t resets, resets_done;
    bool refused;
    struct weft_pma_values values;
};

struct weft_counters {
    struct weft_alloc alloc;
    const struct weft_sweep *sweep;
    struct gmp_asker *asker;
    const uint64_t *limits;
    struct port *ports;
    struct agent *agents; /* as many as ports, at most */
    uint32_t agent_count;
    uint32_t space;       /* of both */
    struct index by_guid; /* nodes of the sweep */
    int verdict;
};

int weft_counters_config_init_sized(struct weft_counters_config *ret, size_t size)
{
    if (size != sizeof(*ret))
        return WEFT_ERR_INVALID;
    *ret = (struct weft_counters_config){.size = size};
    gmp_patience_init(&ret->patience);
    return 0;
}

static void put(struct weft_counters *c, enum ask kind, const struct agent *whom, uint32_t about)
{
    static const uint16_t attributes[] = {
        [ASK_ABILITIES] = WEFT_ATTR_CLASS_PORT_INFO,
        [ASK_SUM_CLASSIC] = WEFT_ATTR_PM_PORT_COUNTERS,
        [ASK_SUM_EXTENDED] = WEFT_ATTR_PM_PORT_COUNTERS_EXT,
        [ASK_CLASSIC] = WEFT_ATTR_PM_PORT_COUNTERS,
        [ASK_EXTENDED] = WEFT_ATTR_PM_PORT_COUNTERS_EXT,
        [ASK_RESET_CLASSIC] = WEFT_ATTR_PM_PORT_COUNTERS,
        [ASK_RESET_EXTENDED] = WEFT_ATTR_PM_PORT_COUNTERS_EXT,
    };
    const struct gmp_question q = {
        .whom = (uint32_t)(whom - c->agents),
        .about = about,
        .kind = (uint8_t)kind,
        .method = kind >= ASK_RESET_CLASSIC ? WEFT_METHOD_SET : WEFT_METHOD_GET,
        .attr_id = attributes[kind],
    };

    if (gmp_asker_put(c->asker, &q) != 0)
        c->verdict = WEFT_ERR_NOMEM;
}

static const struct weft_sweep_node *node_of(const struct weft_counters *c, uint32_t port)
{
    return weft_sweep_node(c->sweep, weft_sweep_port(c->sweep, port)->node);
}

static bool is_switch(const struct weft_counters *c, uint32_t port)
{
    return node_of(c, port)->type == WEFT_SWEEP_SWITCH;
}

/* The ports that an agent answers for. */
static void agent_ports(const struct weft_counters *c, const struct agent *a, uint32_t *ret_first,
                        uint32_t *ret_last)
{
    const struct weft_sweep_node *n = node_of(c, a->port);

    *ret_first = *ret_last = a->port;
    if (n->type == WEFT_SWEEP_SWITCH) {
        *ret_first = n->first_port + (n->enhanced_port0 ? 0 : 1);
        *ret_last = n->first_port + n->port_count;
    }
}

static void ports_ask(struct weft_counters *c, const struct agent *a)
{
    uint32_t first, last;

    agent_ports(c, a, &first, &last);
    for (uint32_t i = first; i <= last; i++) {
        if (c->ports[i].agent == NO_AGENT)
            continue;
        if (a->has.extended) {
            c->ports[i].asked++;
            put(c, ASK_EXTENDED, a, i);
        }
        if (!a->has.errors) {
            c->ports[i].asked++;
            put(c, ASK_CLASSIC, a, i);
        }
    }
}

static void agent_begin(struct weft_counters *c, struct agent *a)
{
    a->knows = true;
    if (c->limits && a->has.all_ports && is_switch(c, a->port))
        put(c, a->has.errors ? ASK_SUM_EXTENDED : ASK_SUM_CLASSIC, a, a->port);
    else
        ports_ask(c, a);
}

/* The node of a sweep with a GUID. */
static uint32_t node_find(const struct weft_counters *c, uint64_t guid)
{
    uint32_t hash = index_hash(guid);
    uint32_t pos = hash;
    uint32_t slot;

    do {
        slot = index_next(&c->by_guid, hash, &pos);
    } while (slot != INDEX_EMPTY && weft_sweep_node(c->sweep, slot)->guid != guid);
    return slot;
}

uint32_t weft_counters_port_in(const struct weft_counters *in, const struct weft_sweep *sweep,
                               uint32_t port)
{
    const struct weft_sweep_port *p = weft_sweep_port(sweep, port);
    uint32_t node = node_find(in, weft_sweep_node(sweep, p->node)->guid);

    if (node == INDEX_EMPTY || p->number > weft_sweep_node(in->sweep, node)->port_count)
        return WEFT_SWEEP_NONE;
    return weft_sweep_node(in->sweep, node)->first_port + p->number;
}

/* What an earlier reading was told by the same agent. */
static const struct weft_pma_abilities *
abilities_known(const struct weft_counters *c, const struct weft_counters *known, uint32_t port)
{
    uint32_t there = known ? weft_counters_port_in(known, c->sweep, port) : WEFT_SWEEP_NONE;

    if (there == WEFT_SWEEP_NONE)
        return NULL;
    if (is_switch(known, there) && !node_of(known, there)->enhanced_port0)
        there++;
    return weft_counters_abilities(known, there);
}

static void agent_add(struct weft_counters *c, const struct weft_counters *known, uint32_t port)
{
    const struct weft_sweep_port *p = weft_sweep_port(c->sweep, port);
    const struct weft_pma_abilities *has = abilities_known(c, known, port);
    struct agent *a = &c->agents[c->agent_count++];

    *a = (struct agent){.port = port, .to = {.lid = p->lid, .qpn = WEFT_QP_GSI, .qkey = GSI_QKEY}};
    a->no_address = p->lid == 0 || p->lid >= LID_END;
    a->silent = p->silent;
    if (a->no_address || a->silent)
        return;
    if (!has) {
        put(c, ASK_ABILITIES, a, port);
        return;
    }
    a->has = *has;
    a->told = true;
    agent_begin(c, a);
}

/* Gives each port that is wanted the agent that answers for it. */
static void ports_assign(struct weft_counters *c, const bool *wanted)
{
    uint32_t agents = 0;

    for (uint32_t i = 0; i < weft_sweep_port_count(c->sweep); i++) {
        uint32_t end = weft_sweep_end_port(c->sweep, i);
        bool is_there = is_switch(c, i) ? i != end || node_of(c, i)->enhanced_port0
                                        : weft_sweep_port(c->sweep, i)->reached;

        c->ports[i].agent = NO_AGENT;
        if (!is_there || (wanted && !wanted[i]))
            continue;
        /* A switch's ports come one after the other. */
        if (agents == 0 || c->agents[agents - 1].port != end)
            c->agents[agents++].port = end;
        c->ports[i].agent = agents - 1;
    }
    c->agent_count = agents;
}

static int index_nodes(struct weft_counters *c)
{
    uint32_t nodes = weft_sweep_node_count(c->sweep);
    uint32_t entries = index_entries(nodes);
    struct index_entry *memory = alloc_array(&c->alloc, entries, sizeof(*memory));

    if (!memory)
        return WEFT_ERR_NOMEM;
    index_init(&c->by_guid, memory, entries);
    for (uint32_t i = 0; i < nodes; i++)
        index_put(&c->by_guid, index_hash(weft_sweep_node(c->sweep, i)->guid), i);
    return 0;
}

static int begin(struct weft_counters *c, const bool *wanted, const struct weft_counters *known)
{
    uint32_t agents;
    int err = index_nodes(c);

    c->space = weft_sweep_port_count(c->sweep);
    c->ports = alloc_array(&c->alloc, c->space, sizeof(c->ports[0]));
    c->agents = alloc_array(&c->alloc, c->space, sizeof(c->agents[0]));
    if (err || !c->ports || !c->agents)
        return WEFT_ERR_NOMEM;
    ports_assign(c, wanted);
    agents = c->agent_count;
    c->agent_count = 0;
    for (uint32_t i = 0; i < agents; i++)
        agent_add(c, known, c->agents[i].port);
    return c->verdict;
}

int weft_counters_new(const struct weft_sweep *sweep, const struct weft_counters_config *c,
                      const struct weft_counters *known, weft_mad_agent_id agent,
                      const struct weft_alloc *a, struct weft_counters **ret)
{
    struct weft_alloc alloc = alloc_or_libc(a);
    struct weft_counters_config config;
    struct weft_counters *made;
    int err;

    (void)weft_counters_config_init(&config);
    if (c)
        config = *c;
    if (config.size != sizeof(config))
        return WEFT_ERR_INVALID;
    made = alloc_array(&alloc, 1, sizeof(*made));
    if (!made)
        return WEFT_ERR_NOMEM;
    made->alloc = alloc;
    made->sweep = sweep;
    made->limits = config.limits;
    err = gmp_asker_new(&config.patience, agent, WEFT_CLASS_PERF, &alloc, &made->asker);
    if (!err) {
        /* The same ways, and mostly the same nodes. */
        gmp_asker_hurry(made->asker, sweep_halvings(sweep), sweep_loses(sweep));
        err = begin(made, config.wanted, known);
    }
    if (err) {
        (void)weft_counters_free(made);
        return err;
    }
    *ret = made;
    return 0;
}

struct weft_counters *weft_counters_free(struct weft_counters *c)
{
    struct weft_alloc a;

    if (!c)
        return NULL;
    a = c->alloc;
    (void)gmp_asker_free(c->asker);
    alloc_put(&a, c->ports, c->space, sizeof(c->ports[0]));
    alloc_put(&a, c->agents, c->space, sizeof(c->agents[0]));
    alloc_put(&a, c->by_guid.entries, c->by_guid.mask + 1, sizeof(c->by_guid.entries[0]));
    alloc_put(&a, c, 1, sizeof(*c));
    return NULL;
}

static void attribute_fill(const struct weft_counters *c, const struct gmp_question *q,
                           const struct agent *a, uint8_t *attribute)
{
    uint8_t select = weft_sweep_port(c->sweep, q->about)->number;

    if (q->kind == ASK_ABILITIES)
        return;
    if (q->kind == ASK_RESET_CLASSIC || q->kind == ASK_RESET_EXTENDED)
        pma_fill_reset(attribute, q->kind == ASK_RESET_EXTENDED, &a->has);
    if (q->kind == ASK_SUM_CLASSIC || q->kind == ASK_SUM_EXTENDED)
        select = ALL_PORTS;
    wire_set(WIRE_PORT_COUNTERS_PORT_SELECT, attribute, select);
}

bool weft_counters_poll(struct weft_counters *c, struct weft_mad_send_req *ret)
{
    struct gmp_question q;

    if (gmp_asker_again(c->asker, ret))
        return true;
    while (gmp_asker_next(c->asker, &q)) {
        const struct agent *a = &c->agents[q.whom];

        if (a->silent)
            continue;
        attribute_fill(c, &q, a, gmp_asker_ask(c->asker, &q, &a->to, ret));
        return true;
    }
    return false;
}

/* Whether it is to be asked elsewhere, once, in the same subnet and partition. */
static bool is_redirected(struct agent *a, const struct gmp_result *r)
{
    static const struct redirect_from here = {.gid = NULL};

    if ((r->status & WEFT_STATUS_REDIRECT) == 0 || a->redirected || !r->data ||
        r->question.kind != ASK_ABILITIES || !redirect_read(&here, r->data, &a->to))
        return false;
    a->redirected = true;
    return true;
}

static void abilities_told(struct weft_counters *c, struct agent *a, const uint8_t *data)
{
    /* Whoever refuses to say what it has is asked for what all must have. */
    if (data)
        pma_read_abilities(data, &a->has);
    a->told = data != NULL;
    agent_begin(c, a);
}

static bool is_above(const struct weft_pma_values *v, const uint64_t *limits)
{
    for (unsigned i = 0; i < WEFT_PMA_ERRORS; i++)
        if (weft_pma_has(v->stuck, i) || v->value[i] > limits[i])
            return true;
    return false;
}

static void sum_told(struct weft_counters *c, struct agent *a, const struct gmp_result *r,
                     const uint8_t *data)
{
    struct weft_pma_values v = {.present = 0};

    if (data && r->question.kind == ASK_SUM_EXTENDED)
        pma_read_extended(data, &a->has, &v);
    else if (data)
        pma_read_classic(data, &a->has, &v);
    if (data && !is_above(&v, c->limits))
        a->quiet = true;
    else
        ports_ask(c, a);
}

static void port_told(struct weft_counters *c, const struct agent *a, const struct gmp_result *r,
                      const uint8_t *data)
{
    struct port *p = &c->ports[r->question.about];

    if (!data) {
        p->refused = true;
        return;
    }
    p->got++;
    if (r->question.kind == ASK_EXTENDED)
        pma_read_extended(data, &a->has, &p->values);
    else
        pma_read_classic(data, &a->has, &p->values);
}

/* The answer's attribute if it is one to what was asked. */
static const uint8_t *data_of(const struct weft_counters *c, const struct gmp_result *r)
{
    uint8_t select = weft_sweep_port(c->sweep, r->question.about)->number;

    if (!r->data || r->status != WEFT_STATUS_OK)
        return NULL;
    if (r->question.kind == ASK_ABILITIES)
        return r->data;
    if (r->question.kind == ASK_SUM_CLASSIC || r->question.kind == ASK_SUM_EXTENDED)
        select = ALL_PORTS;
    return wire_get(WIRE_PORT_COUNTERS_PORT_SELECT, r->data) == select ? r->data : NULL;
}

void weft_counters_event(struct weft_counters *c, const struct weft_mad_event *ev)
{
    struct gmp_result r;
    const uint8_t *data;
    struct agent *a;

    if (!gmp_asker_event(c->asker, ev, &r))
        return;
    a = &c->agents[r.question.whom];
    if (!r.answered) {
        a->silent = true;
        return;
    }
    data = data_of(c, &r);
    switch ((enum ask)r.question.kind) {
    case ASK_ABILITIES:
        if (is_redirected(a, &r))
            put(c, ASK_ABILITIES, a, r.question.about);
        else
            abilities_told(c, a, data);
        break;
    case ASK_SUM_CLASSIC:
    case ASK_SUM_EXTENDED:
        sum_told(c, a, &r, data);
        break;
    case ASK_CLASSIC:
    case ASK_EXTENDED:
        port_told(c, a, &r, data);
        break;
    case ASK_RESET_CLASSIC:
    case ASK_RESET_EXTENDED:
        if (data)
            c->ports[r.question.about].resets_done++;
        break;
    }
}

bool weft_counters_done(const struct weft_counters *c)
{
    return gmp_asker_idle(c->asker);
}

int weft_counters_verdict(const struct weft_counters *c)
{
    return c->verdict;
}

enum weft_counters_state weft_counters_state(const struct weft_counters *c, uint32_t port)
{
    const struct port *p = &c->ports[port];
    const struct agent *a;

    if (p->agent == NO_AGENT)
        return WEFT_COUNTERS_UNASKED;
    a = &c->agents[p->agent];
    if (a->no_address)
        return WEFT_COUNTERS_NO_ADDRESS;
    if (a->quiet)
        return WEFT_COUNTERS_QUIET;
    if (p->asked > 0 && p->got == p->asked)
        return WEFT_COUNTERS_READ;
    if (p->got > 0)
        return WEFT_COUNTERS_PART;
    return p->refused ? WEFT_COUNTERS_REFUSED : WEFT_COUNTERS_SILENT;
}

const struct weft_pma_values *weft_counters_get(const struct weft_counters *c, uint32_t port)
{
    return &c->ports[port].values;
}

const struct weft_pma_abilities *weft_counters_abilities(const struct weft_counters *c,
                                                         uint32_t port)
{
    const struct port *p = &c->ports[port];

    return p->agent != NO_AGENT && c->agents[p->agent].told ? &c->agents[p->agent].has : NULL;
}

int weft_counters_reset(struct weft_counters *c)
{
    if (!weft_counters_done(c))
        return WEFT_ERR_STATE;
    for (uint32_t i = 0; i < weft_sweep_port_count(c->sweep); i++) {
        struct port *p = &c->ports[i];
        const struct agent *a;

        if (weft_counters_state(c, i) != WEFT_COUNTERS_READ)
            continue;
        a = &c->agents[p->agent];
        p->resets_done = 0;
        p->resets = 1;
        put(c, ASK_RESET_CLASSIC, a, i);
        if (a->has.extended) {
            p->resets++;
            put(c, ASK_RESET_EXTENDED, a, i);
        }
    }
    return c->verdict;
}

bool weft_counters_was_reset(const struct weft_counters *c, uint32_t port)
{
    const struct port *p = &c->ports[port];

    return p->resets > 0 && p->resets_done == p->resets;
}

void weft_counters_stats(const struct weft_counters *c, struct weft_counters_stats *ret)
{
    gmp_asker_stats(c->asker, ret);
}

bool weft_counters_delta(const struct weft_counters *old, const struct weft_counters *new,
                         uint32_t port, struct weft_pma_delta *ret)
{
    uint32_t there = weft_counters_port_in(old, new->sweep, port);

    if (there == WEFT_SWEEP_NONE || weft_counters_state(old, there) != WEFT_COUNTERS_READ ||
        weft_counters_state(new, port) != WEFT_COUNTERS_READ)
        return false;
    weft_pma_delta(&old->ports[there].values, &new->ports[port].values, ret);
    return true;
}
