/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters of a fabric: who is asked for what, and what became of it. */
#include "client/counters_state.h"
#include "client/pma.h"
#include "client/sweep_state.h"
#include "core/base/alloc.h"
#include "core/wire/field.h"

#define ALL_PORTS 255

int weft_counters_config_init_sized(struct weft_counters_config *ret, size_t size)
{
    if (size != sizeof(*ret))
        return WEFT_ERR_INVALID;
    *ret = (struct weft_counters_config){.size = size};
    gmp_patience_init(&ret->patience);
    return 0;
}

uint32_t weft_counters_port_in(const struct weft_counters *in, const struct weft_sweep *sweep,
                               uint32_t port)
{
    const struct weft_sweep_port *p = weft_sweep_port(sweep, port);
    uint32_t node = weft_sweep_find(in->sweep, weft_sweep_node(sweep, p->node)->guid);

    if (node == WEFT_SWEEP_NONE || p->number > weft_sweep_node(in->sweep, node)->port_count)
        return WEFT_SWEEP_NONE;
    return weft_sweep_node(in->sweep, node)->first_port + p->number;
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
    made->here = (struct redirect_from){.pkey_index = config.pkey_index, .pkeys = config.pkeys};
    pma_store_init(&made->values, &alloc);
    err = gmp_asker_new(&config.patience, agent, WEFT_CLASS_PERF, &alloc, &made->asker);
    if (!err) {
        /* The same ways, and mostly the same nodes. */
        gmp_asker_hurry(made->asker, sweep_halvings(sweep), sweep_loses(sweep));
        err = weft_counters_grow(made, config.wanted, known);
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
    pma_store_free(&c->values);
    alloc_put(&a, c->ports, c->port_count, sizeof(c->ports[0]));
    alloc_put(&a, c->agents, c->agent_space, sizeof(c->agents[0]));
    alloc_put(&a, c, 1, sizeof(*c));
    return NULL;
}

static void attribute_fill(const struct weft_counters *c, const struct gmp_question *q,
                           const struct counters_agent *a, uint8_t *attribute)
{
    uint8_t select = weft_sweep_port(c->sweep, q->about)->number;

    if (q->kind == COUNTERS_ASK_ABILITIES)
        return;
    if (q->kind == COUNTERS_ASK_RESET_CLASSIC || q->kind == COUNTERS_ASK_RESET_EXTENDED)
        pma_fill_reset(attribute, q->kind == COUNTERS_ASK_RESET_EXTENDED, &a->has);
    if (q->kind == COUNTERS_ASK_SUM_CLASSIC || q->kind == COUNTERS_ASK_SUM_EXTENDED)
        select = ALL_PORTS;
    wire_set(WIRE_PORT_COUNTERS_PORT_SELECT, attribute, select);
}

bool weft_counters_poll(struct weft_counters *c, struct weft_mad_send_req *ret)
{
    struct gmp_question q;

    if (gmp_asker_again(c->asker, ret))
        return true;
    while (gmp_asker_next(c->asker, &q)) {
        const struct counters_agent *a = &c->agents[q.whom];
        const struct weft_mad_addr to = {.lid = a->lid,
                                         .sl = a->sl,
                                         .qpn = a->qpn,
                                         .qkey = a->qkey,
                                         .pkey_index = a->pkey_index};

        if (a->silent)
            continue;
        attribute_fill(c, &q, a, gmp_asker_ask(c->asker, &q, &to, ret));
        return true;
    }
    return false;
}

/* Whether it is to be asked elsewhere, once, in the same subnet. */
static bool is_redirected(const struct weft_counters *c, struct counters_agent *a,
                          const struct gmp_result *r)
{
    struct weft_mad_addr to;

    if ((r->status & WEFT_STATUS_REDIRECT) == 0 || a->redirected || !r->data ||
        r->question.kind != COUNTERS_ASK_ABILITIES || !redirect_read(&c->here, r->data, &to))
        return false;
    a->lid = to.lid;
    a->sl = to.sl;
    a->qpn = to.qpn;
    a->qkey = to.qkey;
    a->pkey_index = to.pkey_index;
    a->redirected = true;
    return true;
}

static void abilities_told(struct weft_counters *c, struct counters_agent *a, const uint8_t *data)
{
    /* Whoever refuses to say what it has is asked for what all must have. */
    if (data)
        pma_read_abilities(data, &a->has);
    a->told = data != NULL;
    counters_agent_begin(c, a);
}

static bool is_above(const struct weft_pma_values *v, const uint64_t *limits)
{
    for (unsigned i = 0; i < WEFT_PMA_ERRORS; i++)
        if (weft_pma_has(v->stuck, i) || v->value[i] > limits[i])
            return true;
    return false;
}

static void sum_told(struct weft_counters *c, struct counters_agent *a, const struct gmp_result *r,
                     const uint8_t *data)
{
    struct weft_pma_values v = {.present = 0};

    if (data && r->question.kind == COUNTERS_ASK_SUM_EXTENDED)
        pma_read_extended(data, &a->has, &v);
    else if (data)
        pma_read_classic(data, &a->has, &v);
    if (data && !is_above(&v, c->limits))
        a->quiet = true;
    else
        counters_ask_ports(c, a);
}

static void port_told(struct weft_counters *c, const struct counters_agent *a,
                      const struct gmp_result *r, const uint8_t *data)
{
    struct counters_port *p = &c->ports[r->question.about];
    struct weft_pma_values v;

    if (!data) {
        p->refused = true;
        return;
    }
    pma_store_get(&c->values, p->place, &v);
    if (r->question.kind == COUNTERS_ASK_EXTENDED)
        pma_read_extended(data, &a->has, &v);
    else
        pma_read_classic(data, &a->has, &v);
    if (pma_store_put(&c->values, &p->place, &v) != 0)
        c->verdict = WEFT_ERR_NOMEM;
    else
        p->got++;
}

/* The answer's attribute if it is one to what was asked. */
static const uint8_t *data_of(const struct weft_counters *c, const struct gmp_result *r)
{
    uint8_t select = weft_sweep_port(c->sweep, r->question.about)->number;

    if (!r->data || r->status != WEFT_STATUS_OK)
        return NULL;
    if (r->question.kind == COUNTERS_ASK_ABILITIES)
        return r->data;
    if (r->question.kind == COUNTERS_ASK_SUM_CLASSIC ||
        r->question.kind == COUNTERS_ASK_SUM_EXTENDED)
        select = ALL_PORTS;
    return wire_get(WIRE_PORT_COUNTERS_PORT_SELECT, r->data) == select ? r->data : NULL;
}

void weft_counters_event(struct weft_counters *c, const struct weft_mad_event *ev)
{
    struct gmp_result r;
    const uint8_t *data;
    struct counters_agent *a;

    if (!gmp_asker_event(c->asker, ev, &r))
        return;
    a = &c->agents[r.question.whom];
    if (!r.answered) {
        a->silent = true;
        return;
    }
    /* Another one has been asked in its place. */
    if (c->ports[a->port].agent != r.question.whom)
        return;
    data = data_of(c, &r);
    switch ((enum counters_ask)r.question.kind) {
    case COUNTERS_ASK_ABILITIES:
        if (is_redirected(c, a, &r))
            counters_put(c, COUNTERS_ASK_ABILITIES, a, r.question.about);
        else
            abilities_told(c, a, data);
        break;
    case COUNTERS_ASK_SUM_CLASSIC:
    case COUNTERS_ASK_SUM_EXTENDED:
        sum_told(c, a, &r, data);
        break;
    case COUNTERS_ASK_CLASSIC:
    case COUNTERS_ASK_EXTENDED:
        port_told(c, a, &r, data);
        break;
    case COUNTERS_ASK_RESET_CLASSIC:
    case COUNTERS_ASK_RESET_EXTENDED:
        if (data)
            c->ports[r.question.about].resets--;
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
    const struct counters_port *p = port < c->port_count ? &c->ports[port] : NULL;
    const struct counters_agent *a;

    if (!p || !p->wanted)
        return WEFT_COUNTERS_UNASKED;
    a = &c->agents[p->agent];
    if (a->lid == 0)
        return WEFT_COUNTERS_NO_ADDRESS;
    if (a->stopped)
        return WEFT_COUNTERS_SILENT;
    if (a->quiet)
        return WEFT_COUNTERS_QUIET;
    if (p->asked > 0 && p->got == p->asked)
        return WEFT_COUNTERS_READ;
    if (p->got > 0)
        return WEFT_COUNTERS_PART;
    return p->refused ? WEFT_COUNTERS_REFUSED : WEFT_COUNTERS_SILENT;
}

void weft_counters_get(const struct weft_counters *c, uint32_t port, struct weft_pma_values *ret)
{
    const struct counters_port *p = port < c->port_count ? &c->ports[port] : NULL;
    bool counts = p && p->wanted && !c->agents[p->agent].stopped;

    pma_store_get(&c->values, counts ? p->place : PMA_STORE_NONE, ret);
}

const struct weft_pma_abilities *weft_counters_abilities(const struct weft_counters *c,
                                                         uint32_t port)
{
    uint32_t whom = port < c->port_count ? c->ports[port].agent : COUNTERS_NO_AGENT;

    return whom != COUNTERS_NO_AGENT && c->agents[whom].told ? &c->agents[whom].has : NULL;
}

int weft_counters_reset(struct weft_counters *c)
{
    if (!weft_counters_done(c))
        return WEFT_ERR_STATE;
    for (uint32_t i = 0; i < c->port_count; i++) {
        struct counters_port *p = &c->ports[i];
        const struct counters_agent *a;

        if (weft_counters_state(c, i) != WEFT_COUNTERS_READ)
            continue;
        a = &c->agents[p->agent];
        p->is_reset = true;
        p->resets = 1;
        counters_put(c, COUNTERS_ASK_RESET_CLASSIC, a, i);
        if (a->has.extended) {
            p->resets++;
            counters_put(c, COUNTERS_ASK_RESET_EXTENDED, a, i);
        }
    }
    return c->verdict;
}

bool weft_counters_was_reset(const struct weft_counters *c, uint32_t port)
{
    return port < c->port_count && c->ports[port].is_reset && c->ports[port].resets == 0;
}

void weft_counters_stats(const struct weft_counters *c, struct weft_counters_stats *ret)
{
    gmp_asker_stats(c->asker, ret);
}

bool weft_counters_delta(const struct weft_counters *old, const struct weft_counters *new,
                         uint32_t port, struct weft_pma_delta *ret)
{
    uint32_t there = weft_counters_port_in(old, new->sweep, port);
    struct weft_pma_values before, now;

    if (there == WEFT_SWEEP_NONE || weft_counters_state(old, there) != WEFT_COUNTERS_READ ||
        weft_counters_state(new, port) != WEFT_COUNTERS_READ)
        return false;
    weft_counters_get(old, there, &before);
    weft_counters_get(new, port, &now);
    weft_pma_delta(&before, &now, ret);
    return true;
}
