/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* P_Key tables, read block by block. */
#include "client/pkey_tables.h"

#include "client/asker.h"
#include "core/base/alloc.h"

#include <string.h>

#define ENTRIES_MAX (UINT64_C(1) << 26)

/* In AttributeModifier, above the block: the port, of switches' external ports. */
#define MODIFIER_PORT_SHIFT 16

struct table {
    uint64_t first;   /* its entries, in keys */
    uint32_t entries; /* 0: there is none to be read */
    uint32_t missing; /* blocks not there yet, or never */
    bool silent;      /* its port has stopped answering */
};

struct pkey_tables {
    struct weft_alloc alloc;
    const struct weft_sweep *sweep;
    struct asker *asker;
    struct table *tables; /* one for each port of the sweep */
    weft_pkey *keys;
    uint32_t table_count, key_count;
};

static uint32_t entries_of(const struct weft_sweep *s, uint32_t port)
{
    const struct weft_sweep_port *p = weft_sweep_port(s, port);
    const struct weft_sweep_node *n = weft_sweep_node(s, p->node);

    if (p->number == 0 || n->type != WEFT_SWEEP_SWITCH)
        return p->reached ? n->partition_cap : 0;
    return p->enforces_in || p->enforces_out ? n->enforcement_cap : 0;
}

static uint32_t blocks_of(uint32_t entries)
{
    return (entries + WEFT_PKEY_BLOCK - 1) / WEFT_PKEY_BLOCK;
}

/* Of a switch's external port the modifier says which. */
static uint32_t modifier(const struct weft_sweep *s, uint32_t port, uint32_t block)
{
    const struct weft_sweep_port *p = weft_sweep_port(s, port);
    bool is_switch = weft_sweep_node(s, p->node)->type == WEFT_SWEEP_SWITCH;

    return (is_switch ? (uint32_t)p->number << MODIFIER_PORT_SHIFT : 0) | block;
}

static int tables_ask(struct pkey_tables *t)
{
    uint32_t ports = weft_sweep_port_count(t->sweep);
    int err = 0;

    for (uint32_t i = 0; i < ports && !err; i++) {
        for (uint32_t b = 0; b < blocks_of(t->tables[i].entries) && !err; b++) {
            const struct question q = {
                .about = i, .attr_id = WEFT_ATTR_PKEY_TABLE, .attr_mod = modifier(t->sweep, i, b)};

            err = asker_put(t->asker, &q);
        }
    }
    return err;
}

static int tables_begin(struct pkey_tables *t)
{
    uint32_t ports = weft_sweep_port_count(t->sweep);
    uint64_t entries = 0;

    t->table_count = ports;
    t->tables = alloc_array(&t->alloc, ports, sizeof(t->tables[0]));
    if (!t->tables)
        return WEFT_ERR_NOMEM;
    for (uint32_t i = 0; i < ports; i++) {
        t->tables[i].first = entries;
        t->tables[i].entries = entries_of(t->sweep, i);
        t->tables[i].missing = blocks_of(t->tables[i].entries);
        t->tables[i].silent = weft_sweep_port(t->sweep, weft_sweep_end_port(t->sweep, i))->silent;
        entries += t->tables[i].entries;
    }
    if (entries > ENTRIES_MAX)
        return WEFT_ERR_FULL;
    t->key_count = (uint32_t)entries;
    t->keys = alloc_array(&t->alloc, t->key_count, sizeof(t->keys[0]));
    return t->keys ? tables_ask(t) : WEFT_ERR_NOMEM;
}

int pkey_tables_new(const struct weft_sweep *sweep, const struct weft_sweep_config *c,
                    weft_mad_agent_id agent, const struct weft_alloc *a, struct pkey_tables **ret)
{
    struct weft_alloc alloc = alloc_or_libc(a);
    struct pkey_tables *t = alloc_array(&alloc, 1, sizeof(*t));
    int err;

    if (!t)
        return WEFT_ERR_NOMEM;
    t->alloc = alloc;
    t->sweep = sweep;
    err = asker_new(c, agent, &alloc, &t->asker);
    if (!err)
        err = tables_begin(t);
    if (err) {
        (void)pkey_tables_free(t);
        return err;
    }
    *ret = t;
    return 0;
}

struct pkey_tables *pkey_tables_free(struct pkey_tables *t)
{
    struct weft_alloc a;

    if (!t)
        return NULL;
    a = t->alloc;
    (void)asker_free(t->asker);
    alloc_put(&a, t->tables, t->table_count, sizeof(t->tables[0]));
    alloc_put(&a, t->keys, t->key_count, sizeof(t->keys[0]));
    alloc_put(&a, t, 1, sizeof(*t));
    return NULL;
}

bool pkey_tables_poll(struct pkey_tables *t, struct weft_mad_send_req *ret)
{
    struct question q;
    struct weft_route route;

    while (asker_next(t->asker, &q)) {
        if (t->tables[weft_sweep_end_port(t->sweep, q.about)].silent)
            continue;
        weft_sweep_route(t->sweep, q.about, &route);
        asker_ask(t->asker, &q, &route, ret);
        return true;
    }
    return false;
}

/* What lies beyond the table's end in its last block is nobody's. */
static void block_told(struct pkey_tables *t, const struct asker_result *r)
{
    struct table *table = &t->tables[r->question.about];
    uint32_t at = (r->question.attr_mod & ((1u << MODIFIER_PORT_SHIFT) - 1)) * WEFT_PKEY_BLOCK;
    uint32_t count = table->entries - at;
    weft_pkey keys[WEFT_PKEY_BLOCK];

    weft_pkey_block_read(r->data, keys);
    if (count > WEFT_PKEY_BLOCK)
        count = WEFT_PKEY_BLOCK;
    memcpy(&t->keys[table->first + at], keys, count * sizeof(keys[0]));
    table->missing--;
}

void pkey_tables_event(struct pkey_tables *t, const struct weft_mad_event *ev)
{
    struct asker_result r;

    if (!asker_event(t->asker, ev, &r))
        return;
    if (r.data)
        block_told(t, &r);
    else if (!r.refused)
        t->tables[weft_sweep_end_port(t->sweep, r.question.about)].silent = true;
}

bool pkey_tables_done(const struct pkey_tables *t)
{
    return asker_idle(t->asker);
}

const weft_pkey *pkey_tables_get(const struct pkey_tables *t, uint32_t port, uint32_t *ret_entries)
{
    *ret_entries = t->tables[port].entries;
    return &t->keys[t->tables[port].first];
}

bool pkey_tables_complete(const struct pkey_tables *t, uint32_t port)
{
    return t->tables[port].missing == 0;
}

void pkey_tables_count(const struct pkey_tables *t, uint32_t *ret_tables, uint32_t *ret_complete)
{
    *ret_tables = *ret_complete = 0;
    for (uint32_t i = 0; i < weft_sweep_port_count(t->sweep); i++) {
        *ret_tables += t->tables[i].entries > 0;
        *ret_complete += t->tables[i].entries > 0 && t->tables[i].missing == 0;
    }
}
