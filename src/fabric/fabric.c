/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The fabric as a whole: its making, its time, what it tells of nodes and ports. */
#include "fabric/attach.h"
#include "fabric/build.h"
#include "fabric/fault.h"
#include "fabric/flight.h"
#include "fabric/functions.h"
#include "fabric/link.h"
#include "fabric/multicast.h"
#include "fabric/names.h"
#include "fabric/routes.h"
#include "fabric/script.h"
#include "fabric/sma.h"
#include "fabric/trap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOUR (3600 * WEFT_S)

static void *heap_get(void *ctx, size_t size, size_t align)
{
    void *p = NULL;

    (void)ctx;
    if (align <= _Alignof(max_align_t))
        return calloc(1, size);
    if (posix_memalign(&p, align, size) != 0)
        return NULL;
    return memset(p, 0, size);
}

static void heap_put(void *ctx, void *p, size_t size)
{
    (void)ctx;
    (void)size;
    free(p);
}

void *fabric_take(struct fabric *f, size_t count, size_t bytes)
{
    size_t size;
    void *p;

    if (count == 0)
        count = 1;
    if (__builtin_mul_overflow(count, bytes, &size))
        return NULL;
    p = f->alloc.get(f->alloc.ctx, size, _Alignof(max_align_t));
    if (p)
        f->bytes += size;
    return p;
}

void fabric_give(struct fabric *f, void *p, size_t count, size_t bytes)
{
    if (!p)
        return;
    if (count == 0)
        count = 1;
    f->bytes -= count * bytes;
    f->alloc.put(f->alloc.ctx, p, count * bytes);
}

void fabric_config_init(struct fabric_config *ret)
{
    *ret = (struct fabric_config){
        .seed = 1,
        .vl15_depth = 128,
        .gsi_depth = 512,
        .flights = 65536,
        .deliveries = 4096,
        .attachments = 1024,
        .lft_cap = 49151,
        .mft_cap = 4096,
        .pkey_cap = 128,
    };
}

/* One numeric member of the configuration. */
struct limit {
    const char *name;
    uint64_t value, min, max;
};

static int check_config(const struct fabric_config *c, struct fabric_error *error)
{
    const struct limit limits[] = {
        {"hop_ns", c->hop_ns, 0, WEFT_S},
        {"agent_ns", c->agent_ns, 0, WEFT_S},
        {"training_ns", c->training_ns, 0, HOUR},
        {"vl15_depth", c->vl15_depth, 1, 65536},
        {"gsi_depth", c->gsi_depth, 1, 65536},
        {"flights", c->flights, 64, UINT32_C(1) << 24},
        {"deliveries", c->deliveries, 64, UINT32_C(1) << 20},
        {"attachments", c->attachments, 1, 65536},
        {"lft_cap", c->lft_cap, 1, 49152},
        {"mft_cap", c->mft_cap, 32, 16384},
        {"pkey_cap", c->pkey_cap, c->vfs > 0 ? 2 : 1, FABRIC_PKEY_CAP_MAX},
    };

    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        const struct limit *l = &limits[i];

        if (l->value >= l->min && l->value <= l->max)
            continue;
        snprintf(error->text, sizeof(error->text), "%s is %llu: it must be %llu to %llu", l->name,
                 (unsigned long long)l->value, (unsigned long long)l->min,
                 (unsigned long long)l->max);
        return WEFT_ERR_INVALID;
    }
    return 0;
}

/* All that a fabric consists of, in the order in which it is made. */
static int make_parts(struct fabric *f, const struct topo *t, struct fabric_error *error)
{
    static int (*const parts[])(struct fabric *) = {names_new,  flights_new,   multicast_new,
                                                    attach_new, functions_new, faults_new,
                                                    script_new, traps_new};
    int err = build_model(f, t, error);

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && err == 0; i++) {
        err = parts[i](f);
        if (err != 0)
            snprintf(error->text, sizeof(error->text), "not enough memory for the fabric");
    }
    if (err == 0 && f->config.up)
        err = routes_set_up(f, error);
    return err;
}

int fabric_new(const struct fabric_config *c, const struct topo *t, const struct weft_alloc *a,
               struct fabric **ret, struct fabric_error *error)
{
    static const struct weft_alloc heap = {heap_get, heap_put, NULL};
    const struct weft_alloc *from = a ? a : &heap;
    struct fabric *f;
    int err = check_config(c, error);

    if (err != 0)
        return err;
    f = from->get(from->ctx, sizeof(*f), _Alignof(struct fabric));
    if (!f) {
        snprintf(error->text, sizeof(error->text), "not enough memory for the fabric");
        return WEFT_ERR_NOMEM;
    }
    f->config = *c;
    f->alloc = *from;
    f->bytes = sizeof(*f);
    f->work_left = FABRIC_WORK_MAX;
    f->prng.state = c->seed;
    err = make_parts(f, t, error);
    if (err != 0) {
        fabric_free(f);
        return err;
    }
    *ret = f;
    return 0;
}

struct fabric *fabric_free(struct fabric *f)
{
    struct weft_alloc from;

    if (!f)
        return NULL;
    traps_free(f);
    script_free(f);
    faults_free(f);
    functions_free(f);
    attach_free(f);
    multicast_free(f);
    flights_free(f);
    names_free(f);
    build_free(f);
    WEFT_ASSERT(f->bytes == sizeof(*f));
    from = f->alloc;
    from.put(from.ctx, f, sizeof(*f));
    return NULL;
}

size_t fabric_bytes(const struct fabric *f)
{
    return f->bytes;
}

uint32_t fabric_node_count(const struct fabric *f)
{
    return f->node_count;
}

void fabric_node(const struct fabric *f, uint32_t node, struct fabric_node_info *ret)
{
    const struct node *n = &f->nodes[node];

    WEFT_ASSERT(node < f->node_count);
    *ret = (struct fabric_node_info){
        .guid = n->guid,
        .system_guid = n->system_guid,
        .type = n->type,
        .ports = n->ports,
        .alive = !n->dead,
        .name = n->name,
        .vendor = n->vendor,
        .device = n->device,
        .revision = n->revision,
    };
}

/* The port of a node by its number, if it has one of that number. */
static const struct port *find_port(const struct fabric *f, uint32_t node, uint8_t port)
{
    const struct node *n;

    if (node >= f->node_count)
        return NULL;
    n = &f->nodes[node];
    if (port > n->ports || (port == 0 && !node_is_switch(n)))
        return NULL;
    return node_port(f, n, port);
}

/* Gb/s of one lane and of the link, as the kernel rounds them. */
static uint16_t link_rate(const struct fabric_port_info *info)
{
    static const struct {
        uint8_t bit, lanes;
    } widths[] = {{1, 1}, {2, 4}, {4, 8}, {8, 12}, {16, 2}};
    static const struct {
        uint8_t speed, extended;
        uint16_t rate_tenths;
    } speeds[] = {{1, 0, 25},  {2, 0, 50},  {4, 0, 100}, {0, 1, 140},
                  {0, 2, 250}, {0, 4, 500}, {0, 8, 1000}};

    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
        for (size_t k = 0; k < sizeof(speeds) / sizeof(speeds[0]); k++)
            if (info->width == widths[i].bit && info->speed == speeds[k].speed &&
                info->speed_ext == speeds[k].extended)
                return (uint16_t)(widths[i].lanes * speeds[k].rate_tenths / 10);
    return 0;
}

int fabric_port(const struct fabric *f, uint32_t node, uint8_t port, struct fabric_port_info *ret)
{
    const struct port *p = find_port(f, node, port);
    const struct port *own;
    const uint8_t *info;

    if (!p)
        return WEFT_ERR_INVALID;
    own = port_with_lid(f, p);
    info = p->info;
    *ret = (struct fabric_port_info){
        .guid = own->guid,
        .gid_prefix = wire_get(WIRE_PORT_INFO_GID_PREFIX, own->info),
        .capability = (uint32_t)wire_get(WIRE_PORT_INFO_CAPABILITY_MASK, own->info),
        .lid = port_lid(own),
        .sm_lid = (uint16_t)wire_get(WIRE_PORT_INFO_MASTER_SM_LID, own->info),
        .lmc = port_lmc(own),
        .sm_sl = (uint8_t)wire_get(WIRE_PORT_INFO_MASTER_SM_SL, own->info),
        .reregisters = own->reregisters,
        .state = (uint8_t)port_get_state(p),
        .physical_state = (uint8_t)port_get_physical(p),
        .width = info[WIRE_AT_PORT_INFO_LINK_WIDTH_ACTIVE],
        .speed_ext = (uint8_t)wire_get(WIRE_PORT_INFO_LINK_SPEED_EXT_ACTIVE, info),
        .pkeys = port_pkey_count(f, p),
    };
    if (own->issm > 0)
        ret->capability |= CAPABILITY_SM;
    if (ret->speed_ext == 0)
        ret->speed = (uint8_t)wire_get(WIRE_PORT_INFO_LINK_SPEED_ACTIVE, info);
    ret->rate_gbps = link_rate(ret);
    return 0;
}

int fabric_port_pkeys(const struct fabric *f, uint32_t node, uint8_t port, uint16_t first,
                      uint16_t *keys, uint16_t count)
{
    const struct port *p = find_port(f, node, port);

    if (!p || (uint32_t)first + count > port_pkey_count(f, p))
        return WEFT_ERR_INVALID;
    for (uint16_t i = 0; i < count; i++)
        keys[i] = port_pkey(f, p, (uint16_t)(first + i));
    return 0;
}

void fabric_settle(struct fabric *f)
{
    weft_time due = flights_deadline(f);

    f->work_left = FABRIC_WORK_MAX;
    if (due <= f->now && due != WEFT_TIME_NEVER)
        flights_run(f);
}

int fabric_advance(struct fabric *f, weft_time now)
{
    if (now < f->now)
        return WEFT_ERR_CLOCK;
    /* One point in time after the other, so that what follows from a packet does not depend on how
     * often this is called. */
    f->work_left = FABRIC_WORK_MAX;
    for (weft_time due = flights_deadline(f); due <= now && due != WEFT_TIME_NEVER;
         due = flights_deadline(f)) {
        if (f->work_left == 0)
            return 0;
        if (due > f->now)
            f->now = due;
        flights_run(f);
    }
    f->now = now;
    return 0;
}

weft_time fabric_deadline(const struct fabric *f)
{
    return flights_deadline(f);
}

void fabric_set_tap(struct fabric *f, void (*tap)(void *ctx, const struct fabric_tap *t), void *ctx)
{
    f->tap = tap;
    f->tap_ctx = ctx;
}

void fabric_stats(const struct fabric *f, struct fabric_stats *ret)
{
    *ret = f->stats;
    ret->faults += f->broken;
}

/* What a reason is called, and where it is counted. */
struct reason {
    const char *word;
    size_t counter;
};

static const struct reason reasons[DROPS] = {
    [DROP_LOST] = {"lost", offsetof(struct fabric_stats, dropped_lost)},
    [DROP_CORRUPT] = {"corrupt", offsetof(struct fabric_stats, dropped_lost)},
    [DROP_LINK] = {"link-down", offsetof(struct fabric_stats, dropped_link)},
    [DROP_DEAD] = {"node-dead", offsetof(struct fabric_stats, dropped_link)},
    [DROP_NO_ROUTE] = {"no-route", offsetof(struct fabric_stats, dropped_route)},
    [DROP_LOOP] = {"loop", offsetof(struct fabric_stats, dropped_route)},
    [DROP_HOPS] = {"bad-hops", offsetof(struct fabric_stats, dropped_route)},
    [DROP_VL15] = {"vl15-full", offsetof(struct fabric_stats, dropped_queue)},
    [DROP_GSI] = {"gsi-full", offsetof(struct fabric_stats, dropped_queue)},
    [DROP_FLIGHTS] = {"fabric-full", offsetof(struct fabric_stats, dropped_queue)},
    [DROP_DELIVERY] = {"receiver-full", offsetof(struct fabric_stats, dropped_queue)},
    [DROP_MKEY] = {"m-key", offsetof(struct fabric_stats, dropped_key)},
    [DROP_PKEY] = {"p-key", offsetof(struct fabric_stats, dropped_key)},
    [DROP_QKEY] = {"q-key", offsetof(struct fabric_stats, dropped_key)},
    [DROP_VF_SMP] = {"vf-smp", offsetof(struct fabric_stats, dropped_key)},
    [DROP_UNCLAIMED] = {"unclaimed", offsetof(struct fabric_stats, dropped_unclaimed)},
    [DROP_MALFORMED] = {"malformed", offsetof(struct fabric_stats, dropped_unclaimed)},
};

static void tell(struct fabric *f, enum fabric_tap_point point, const char *reason,
                 const struct port *at, const struct packet *p)
{
    const struct fabric_tap told = {.now = f->now,
                                    .point = point,
                                    .node = at->node,
                                    .port = at->number,
                                    .reason = reason,
                                    .packet = p};

    if (f->tap)
        f->tap(f->tap_ctx, &told);
}

void fabric_tell(struct fabric *f, enum fabric_tap_point point, const struct port *at,
                 const struct packet *p)
{
    tell(f, point, NULL, at, p);
}

void fabric_drop(struct fabric *f, const struct port *at, const struct packet *p, enum drop why)
{
    uint64_t *counter = (void *)((char *)&f->stats + reasons[why].counter);

    ++*counter;
    tell(f, FABRIC_TAP_DROPPED, reasons[why].word, at, p);
}
