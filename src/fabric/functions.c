/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions of CAs: their maps, their views, whom changes are told. */
#include "fabric/functions.h"

#include "core/wire/mad_header.h"
#include "fabric/attach.h"

#include <string.h>

/* Ports of one map: what a map costs besides its entries is shared by many CAs. */
#define PORTS_PER_MAP 254

struct functions {
    uint32_t *place; /* by port: which one of the ports with VFs it is, or FABRIC_NONE */
    uint32_t ports;  /* with VFs */
    uint32_t maps;
    struct weft_pkey_map **map;
    struct weft_pkey_cache *cache; /* filled with the table in question; NULL without VFs */
    uint32_t loaded;               /* the port whose table that is, as it stands; or FABRIC_NONE */
    uint32_t *events;              /* by port and function */
    bool *smp;                     /* by port and function: the VF may send SMPs */
};

static void *counted_get(void *ctx, size_t size, size_t align)
{
    struct fabric *f = ctx;
    void *p = f->alloc.get(f->alloc.ctx, size, align);

    if (p)
        f->bytes += size;
    return p;
}

static void counted_put(void *ctx, void *p, size_t size)
{
    struct fabric *f = ctx;

    f->bytes -= size;
    f->alloc.put(f->alloc.ctx, p, size);
}

static bool has_vfs(const struct fabric *f, const struct port *p)
{
    return f->functions->place[port_index(f, p)] != FABRIC_NONE;
}

/* Functions of all ports; who has none is counted, too. */
static size_t places_count(const struct fabric *f)
{
    return (size_t)f->port_count * (f->config.vfs + 1U);
}

static size_t place_of(const struct fabric *f, const struct port *p, uint16_t function)
{
    return (size_t)port_index(f, p) * (f->config.vfs + 1U) + function;
}

static uint32_t *events_of(const struct fabric *f, const struct port *p, uint16_t function)
{
    return &f->functions->events[place_of(f, p, function)];
}

/* Numbers the ports of CAs. */
static void number_ports(const struct fabric *f, struct functions *s)
{
    for (uint32_t i = 0; i < f->port_count; i++) {
        const struct port *p = &f->ports[i];
        bool vfs = f->config.vfs > 0 && port_node(f, p)->type == TOPO_CA && p->number > 0;

        s->place[i] = vfs ? s->ports++ : FABRIC_NONE;
    }
}

static int make_maps(struct fabric *f, struct functions *s)
{
    const struct weft_alloc alloc = {.get = counted_get, .put = counted_put, .ctx = f};
    struct weft_pkey_map_config c;
    uint32_t left = s->ports;
    int err = weft_pkey_map_config_init(&c);

    c.functions = (uint16_t)(f->config.vfs + 1);
    c.entries = f->config.pkey_cap;
    c.strict = f->config.vf_strict;
    s->maps = (s->ports + PORTS_PER_MAP - 1) / PORTS_PER_MAP;
    s->map = fabric_take(f, s->maps, sizeof(struct weft_pkey_map *));
    if (!s->map)
        return WEFT_ERR_NOMEM;
    for (uint32_t i = 0; i < s->maps && err == 0; i++) {
        c.ports = (uint8_t)(left < PORTS_PER_MAP ? left : PORTS_PER_MAP);
        left -= c.ports;
        err = weft_pkey_map_new(&c, &alloc, &s->map[i]);
    }
    if (err == 0 && s->ports > 0)
        err = weft_pkey_cache_new(f->config.pkey_cap - 1U, &alloc, &s->cache);
    return err;
}

int functions_new(struct fabric *f)
{
    struct functions *s = fabric_take(f, 1, sizeof(*s));

    f->functions = s;
    if (!s)
        return WEFT_ERR_NOMEM;
    s->place = fabric_take(f, f->port_count, sizeof(*s->place));
    s->events = fabric_take(f, places_count(f), sizeof(*s->events));
    s->smp = fabric_take(f, places_count(f), sizeof(*s->smp));
    if (!s->place || !s->events || !s->smp)
        return WEFT_ERR_NOMEM;
    s->loaded = FABRIC_NONE;
    number_ports(f, s);
    return make_maps(f, s);
}

void functions_free(struct fabric *f)
{
    struct functions *s = f->functions;

    if (!s)
        return;
    for (uint32_t i = 0; s->map && i < s->maps; i++)
        s->map[i] = weft_pkey_map_free(s->map[i]);
    s->cache = weft_pkey_cache_free(s->cache);
    fabric_give(f, s->map, s->maps, sizeof(struct weft_pkey_map *));
    fabric_give(f, s->smp, places_count(f), sizeof(*s->smp));
    fabric_give(f, s->events, places_count(f), sizeof(*s->events));
    fabric_give(f, s->place, f->port_count, sizeof(*s->place));
    fabric_give(f, s, 1, sizeof(*s));
    f->functions = NULL;
}

bool functions_has(const struct fabric *f, const struct port *p, uint16_t function)
{
    return function == WEFT_PKEY_PF || (has_vfs(f, p) && function <= f->config.vfs);
}

/* The map that a port with VFs is in, and what the port is called there. */
static struct weft_pkey_map *map_of(const struct fabric *f, const struct port *p, uint16_t function,
                                    struct weft_pkey_place *ret)
{
    uint32_t place = f->functions->place[port_index(f, p)];

    WEFT_ASSERT(place != FABRIC_NONE);
    *ret = (struct weft_pkey_place){.port = (uint8_t)(place % PORTS_PER_MAP + 1),
                                    .function = function};
    return f->functions->map[place / PORTS_PER_MAP];
}

/* Fills the cache with the table of a port with VFs, unless it holds that already. */
static struct weft_pkey_cache *load(const struct fabric *f, const struct port *p)
{
    struct weft_pkey_cache *cache = f->functions->cache;
    uint16_t count = port_pkey_count(f, p);
    int err = 0;

    if (f->functions->loaded == port_index(f, p))
        return cache;
    for (uint16_t first = 0; first < count && err == 0; first += WEFT_PKEY_BLOCK) {
        weft_pkey keys[WEFT_PKEY_BLOCK] = {0};

        for (uint16_t i = 0; i < WEFT_PKEY_BLOCK && first + i < count; i++)
            keys[i] = port_pkey(f, p, (uint16_t)(first + i));
        err = weft_pkey_cache_stage(cache, first / WEFT_PKEY_BLOCK, keys);
    }
    if (err == 0)
        err = weft_pkey_cache_commit(cache, NULL);
    WEFT_ASSERT(err == 0);
    (void)err;
    f->functions->loaded = port_index(f, p);
    return cache;
}

void functions_view(const struct fabric *f, const struct port *p, uint16_t function, uint16_t first,
                    uint16_t *keys, uint16_t count)
{
    const struct weft_pkey_cache *cache;
    const struct weft_pkey_map *map;
    struct weft_pkey_place at;

    if (function == WEFT_PKEY_PF) {
        for (uint16_t i = 0; i < count; i++)
            keys[i] = port_pkey(f, p, (uint16_t)(first + i));
        return;
    }
    map = map_of(f, p, function, &at);
    cache = load(f, p);
    for (uint16_t i = 0; i < count; i++) {
        int err = weft_pkey_map_key(map, cache, &at, (uint16_t)(first + i), &keys[i]);

        WEFT_ASSERT(err == 0);
        (void)err;
    }
}

uint16_t functions_send(const struct fabric *f, const struct port *p, uint16_t function,
                        uint8_t qpn, uint16_t index)
{
    const struct weft_pkey_map *map;
    struct weft_pkey_place at;
    uint16_t physical;

    if (function == WEFT_PKEY_PF)
        return index;
    map = map_of(f, p, function, &at);
    return weft_pkey_map_send(map, &at, qpn, index, &physical) == 0 ? physical
                                                                    : WEFT_PKEY_UNASSIGNED;
}

bool functions_receive(const struct fabric *f, const struct port *p, uint16_t function,
                       const struct packet *packet, uint16_t *ret_index)
{
    const struct weft_pkey_map *map;
    struct weft_pkey_place at;

    if (function == WEFT_PKEY_PF) {
        *ret_index = packet->pkey_index;
        return true;
    }
    map = map_of(f, p, function, &at);
    return weft_pkey_map_recv_packet(map, load(f, p), &at, (uint8_t)packet->dst_qpn, packet->pkey,
                                     ret_index) == 0;
}

/* Whether an SMP asks the SMA of the node that it is sent from, and goes no way to get there. */
static bool stays_at_home(const struct port *from, const struct packet *p)
{
    if (mad_class(p->mad) != WEFT_CLASS_SUBN_DIRECTED)
        return port_owns_lid(from, p->dlid);
    return wire_get(WIRE_SMP_DIRECTED_HOP_COUNT, p->mad) == 0 &&
           wire_get(WIRE_SMP_DIRECTED_HOP_POINTER, p->mad) == 0 &&
           wire_get(WIRE_SMP_DIRECTED_DIRECTION, p->mad) == 0 &&
           wire_get(WIRE_SMP_DIRECTED_DR_SLID, p->mad) == WEFT_LID_PERMISSIVE &&
           wire_get(WIRE_SMP_DIRECTED_DR_DLID, p->mad) == WEFT_LID_PERMISSIVE;
}

bool functions_may_send_smp(const struct fabric *f, const struct port *p, uint16_t function,
                            const struct packet *packet)
{
    uint8_t method = mad_method(packet->mad);

    if (function == WEFT_PKEY_PF || f->functions->smp[place_of(f, p, function)])
        return true;
    return (method == WEFT_METHOD_GET || method == WEFT_METHOD_SET) && stays_at_home(p, packet);
}

void functions_let_send_smps(const struct fabric *f, const struct port *p, uint16_t function,
                             bool on)
{
    WEFT_ASSERT(function != WEFT_PKEY_PF && functions_has(f, p, function));
    f->functions->smp[place_of(f, p, function)] = on;
}

static void write_table(const struct fabric *f, const struct port *p, uint16_t first,
                        const uint16_t *keys, uint16_t count)
{
    for (uint16_t i = 0; i < count; i++)
        port_set_pkey(f, p, (uint16_t)(first + i), keys[i]);
    if (f->functions->loaded == port_index(f, p))
        f->functions->loaded = FABRIC_NONE;
}

void functions_write_pkeys(struct fabric *f, struct port *p, uint16_t first, const uint16_t *keys,
                           uint16_t count)
{
    struct weft_pkey_functions told = {{0}};
    const struct weft_pkey_map *map;
    struct weft_pkey_place at;
    uint64_t before;
    int err;

    if (!has_vfs(f, p)) {
        write_table(f, p, first, keys, count);
        ++*events_of(f, p, WEFT_PKEY_PF);
        return;
    }
    map = map_of(f, p, WEFT_PKEY_PF, &at);
    before = weft_pkey_cache_generation(load(f, p));
    write_table(f, p, first, keys, count);
    err = weft_pkey_map_changed(map, load(f, p), at.port, before, &told);
    WEFT_ASSERT(err == 0);
    (void)err;
    for (uint16_t i = 0; i <= f->config.vfs; i++)
        *events_of(f, p, i) += (uint32_t)(told.bits[i / 64] >> i % 64 & 1);
}

int functions_assign(struct fabric *f, const struct port *p, uint16_t function, uint16_t virt,
                     uint16_t physical)
{
    struct weft_pkey_place at;
    struct weft_pkey_map *map;
    int err;

    if (!has_vfs(f, p))
        return WEFT_ERR_INVALID;
    map = map_of(f, p, function, &at);
    err = weft_pkey_map_set(map, load(f, p), &at, virt, physical);
    if (err == 0)
        ++*events_of(f, p, function);
    return err;
}

/* A port of a node by its number, if it is one where programs are and has the function. */
static const struct port *find_function(const struct fabric *f, uint32_t node, uint8_t number,
                                        uint16_t function)
{
    const struct node *n;
    const struct port *p;

    if (node >= f->node_count)
        return NULL;
    n = &f->nodes[node];
    if (number > n->ports || (number == 0) != node_is_switch(n))
        return NULL;
    p = node_port(f, n, number);
    return functions_has(f, p, function) ? p : NULL;
}

uint16_t fabric_functions(const struct fabric *f, uint32_t node, uint8_t port)
{
    const struct port *p = find_function(f, node, port, WEFT_PKEY_PF);

    if (!p)
        return 0;
    return (uint16_t)(has_vfs(f, p) ? f->config.vfs + 1 : 1);
}

int fabric_function(const struct fabric *f, uint32_t node, uint8_t port, uint16_t function,
                    struct fabric_function_info *ret)
{
    const struct port *p = find_function(f, node, port, function);
    struct weft_pkey_clash clash;
    struct weft_pkey_place at;
    struct weft_pkey_map *map;

    if (!p)
        return WEFT_ERR_INVALID;
    *ret = (struct fabric_function_info){.smp = f->functions->smp[place_of(f, p, function)],
                                         .events = *events_of(f, p, function),
                                         .programs = attach_count(f, p, function)};
    if (function == WEFT_PKEY_PF)
        return 0;
    map = map_of(f, p, function, &at);
    if (weft_pkey_map_clash(map, load(f, p), &at, &clash) == 0) {
        ret->clashes = true;
        ret->clash[0] = clash.first;
        ret->clash[1] = clash.second;
    }
    return 0;
}

int fabric_function_pkeys(const struct fabric *f, uint32_t node, uint8_t port, uint16_t function,
                          uint16_t first, uint16_t *keys, uint16_t count)
{
    const struct port *p = find_function(f, node, port, function);

    if (!p || (uint32_t)first + count > port_pkey_count(f, p))
        return WEFT_ERR_INVALID;
    functions_view(f, p, function, first, keys, count);
    return 0;
}

int fabric_function_entry(const struct fabric *f, uint32_t node, uint8_t port, uint16_t function,
                          uint16_t virt, uint16_t *ret)
{
    const struct port *p = find_function(f, node, port, function);
    struct weft_pkey_place at;
    uint16_t physical = virt;

    if (!p || virt >= port_pkey_count(f, p))
        return WEFT_ERR_INVALID;
    if (function != WEFT_PKEY_PF &&
        weft_pkey_map_get(map_of(f, p, function, &at), &at, virt, &physical) != 0)
        return WEFT_ERR_INVALID;
    if (physical == WEFT_PKEY_UNASSIGNED)
        return WEFT_ERR_NOTFOUND;
    *ret = physical;
    return 0;
}
