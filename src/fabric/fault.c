/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Faults: one pool of entries, chained where they act, in the order in which they came into force,
 * so that draws from the fabric's generator come in an order that the commands alone decide. */
#include "fabric/fault.h"

#include "core/base/pool.h"

/* The first two words are the pool's. */
struct entry {
    uint32_t unused, generation;
    uint32_t next; /* in its chain, or FABRIC_NONE */
    struct fault what;
};

struct faults {
    struct pool pool;
    struct entry *entries;
    uint32_t transit, all; /* chains */
};

int faults_new(struct fabric *f)
{
    struct faults *fs = fabric_take(f, 1, sizeof(*fs));

    if (!fs)
        return WEFT_ERR_NOMEM;
    f->faults = fs;
    fs->entries = fabric_take(f, FAULTS_MAX, sizeof(*fs->entries));
    if (!fs->entries)
        return WEFT_ERR_NOMEM;
    pool_init(&fs->pool, fs->entries, sizeof(*fs->entries), FAULTS_MAX);
    fs->transit = FABRIC_NONE;
    fs->all = FABRIC_NONE;
    for (uint32_t i = 0; i < f->port_count; i++)
        f->ports[i].fault = FABRIC_NONE;
    for (uint32_t i = 0; i < f->node_count; i++)
        f->nodes[i].fault = FABRIC_NONE;
    return 0;
}

void faults_free(struct fabric *f)
{
    if (!f->faults)
        return;
    fabric_give(f, f->faults->entries, FAULTS_MAX, sizeof(*f->faults->entries));
    fabric_give(f, f->faults, 1, sizeof(*f->faults));
    f->faults = NULL;
}

static struct entry *entry_at(const struct fabric *f, uint32_t slot)
{
    return pool_at(&f->faults->pool, slot);
}

static uint32_t *chain_of(const struct fabric *f, enum fault_place place, uint32_t where)
{
    switch (place) {
    case FAULT_ON_PORT:
        WEFT_ASSERT(where < f->port_count);
        return &f->ports[where].fault;
    case FAULT_ON_NODE:
    case FAULT_ON_AGENT:
        WEFT_ASSERT(where < f->node_count);
        return &f->nodes[where].fault;
    case FAULT_ON_TRANSIT:
        return &f->faults->transit;
    case FAULT_ON_ALL:
        break;
    }
    return &f->faults->all;
}

static struct entry *find(const struct fabric *f, const struct fault *what)
{
    uint32_t slot = *chain_of(f, what->place, what->where);

    for (; slot != FABRIC_NONE; slot = entry_at(f, slot)->next) {
        struct entry *e = entry_at(f, slot);

        if (e->what.kind == what->kind && e->what.filter == what->filter &&
            e->what.place == what->place)
            return e;
    }
    return NULL;
}

bool fault_in_force(const struct fabric *f, const struct fault *what)
{
    return find(f, what);
}

uint32_t faults_room(const struct fabric *f)
{
    return f->faults->pool.capacity - f->faults->pool.used;
}

int fault_begin(struct fabric *f, const struct fault *what)
{
    struct entry *e = find(f, what);
    uint32_t *link;

    if (e) {
        e->what = *what;
        return 0;
    }
    e = pool_take(&f->faults->pool);
    if (!e)
        return WEFT_ERR_FULL;
    e->what = *what;
    e->next = FABRIC_NONE;
    link = chain_of(f, what->place, what->where);
    while (*link != FABRIC_NONE)
        link = &entry_at(f, *link)->next;
    *link = pool_slot(&f->faults->pool, e);
    f->stats.faults = f->faults->pool.used;
    return 0;
}

static bool is_meant(const struct fault *it, const struct fault *what)
{
    return it->place == what->place && (what->kind == FAULT_KINDS || it->kind == what->kind) &&
           (what->filter == FAULT_PACKETS || it->filter == what->filter);
}

void fault_end(struct fabric *f, const struct fault *what)
{
    uint32_t *link = chain_of(f, what->place, what->where);

    while (*link != FABRIC_NONE) {
        struct entry *e = entry_at(f, *link);

        if (!is_meant(&e->what, what)) {
            link = &e->next;
            continue;
        }
        *link = e->next;
        pool_give(&f->faults->pool, e);
    }
    f->stats.faults = f->faults->pool.used;
}

void fault_move(struct fabric *f, uint32_t from, uint32_t to)
{
    WEFT_ASSERT(f->ports[to].fault == FABRIC_NONE);
    f->ports[to].fault = f->ports[from].fault;
    f->ports[from].fault = FABRIC_NONE;
    for (uint32_t slot = f->ports[to].fault; slot != FABRIC_NONE; slot = entry_at(f, slot)->next)
        entry_at(f, slot)->what.where = to;
}

void faults_clear(struct fabric *f)
{
    uint32_t slot = 0;
    const struct entry *e = pool_next(&f->faults->pool, &slot);

    for (; e; e = pool_next(&f->faults->pool, &slot)) {
        struct fault what = e->what;

        what.kind = FAULT_KINDS;
        what.filter = FAULT_PACKETS;
        fault_end(f, &what);
    }
}

const struct fault *faults_next(const struct fabric *f, uint32_t *pos)
{
    const struct entry *e = pool_next(&f->faults->pool, pos);

    return e ? &e->what : NULL;
}

static bool is_reply(const struct packet *p)
{
    uint8_t method = p->mad[WIRE_AT_MAD_METHOD];

    return (method & WEFT_METHOD_RESPONSE) != 0 || method == WEFT_METHOD_TRAP_REPRESS;
}

static bool hit(struct fabric *f, uint32_t share)
{
    return share >= FAULT_SHARE_ALL || prng_up_to(&f->prng, FAULT_SHARE_ALL - 1) < share;
}

static void suffer(struct fabric *f, const struct fault *what, struct fault_fate *fate)
{
    if (!hit(f, what->share))
        return;
    switch (what->kind) {
    case FAULT_LOSS:
        fate->lost = true;
        break;
    case FAULT_DELAY:
        fate->delay += what->delay_ns;
        if (what->jitter_ns > 0)
            fate->delay += prng_up_to(&f->prng, what->jitter_ns);
        break;
    case FAULT_DUPLICATE:
        fate->copies = 1;
        break;
    case FAULT_CORRUPT:
        fate->corrupt = true;
        break;
    case FAULT_REORDER:
        fate->delay += what->delay_ns;
        break;
    case FAULT_KINDS:
        break;
    }
}

static void suffer_chain(struct fabric *f, uint32_t slot, bool reply, struct fault_fate *fate)
{
    enum fault_filter other = reply ? FAULT_REQUESTS : FAULT_REPLIES;

    for (; slot != FABRIC_NONE && !fate->lost; slot = entry_at(f, slot)->next)
        if (entry_at(f, slot)->what.filter != other &&
            entry_at(f, slot)->what.place != FAULT_ON_AGENT)
            suffer(f, &entry_at(f, slot)->what, fate);
}

bool fault_at_agent(struct fabric *f, const struct node *n)
{
    bool lost = false;

    for (uint32_t slot = n->fault; slot != FABRIC_NONE && !lost; slot = entry_at(f, slot)->next)
        lost = entry_at(f, slot)->what.place == FAULT_ON_AGENT &&
               hit(f, entry_at(f, slot)->what.share);
    return lost;
}

struct fault_fate fault_on_link(struct fabric *f, const struct port *from, const struct packet *p)
{
    struct fault_fate fate = {.lost = false};
    const struct node *here = port_node(f, from);
    const struct node *there =
        from->peer == FABRIC_NONE ? here : port_node(f, &f->ports[from->peer]);
    bool reply = is_reply(p);

    suffer_chain(f, from->fault, reply, &fate);
    suffer_chain(f, here->fault, reply, &fate);
    if (there != here)
        suffer_chain(f, there->fault, reply, &fate);
    if (node_is_switch(here) && node_is_switch(there))
        suffer_chain(f, f->faults->transit, reply, &fate);
    suffer_chain(f, f->faults->all, reply, &fate);
    return fate;
}
