/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A topology becomes the arrays of the model. */
#include "fabric/build.h"

#include "fabric/link.h"
#include "fabric/sma.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a node says of itself where the topology does not: a ConnectX-7 or a Quantum-2 switch. */
#define VENDOR          0x0002c9
#define DEVICE_CA       0x1021
#define DEVICE_SWITCH   0xd2f2
#define REVISION_SWITCH 0xa0

/* In by_guid: the node GUID of the port, not its own. */
#define BY_NODE_GUID (UINT32_C(1) << 31)

/* GUIDs that are made up are locally administered ones, with room for port numbers. */
#define MADE_GUID      UINT64_C(0x0200000000000000)
#define MADE_GUID_MASK UINT64_C(0x00ffffffffffff00)

#define SUBNET_PREFIX UINT64_C(0xfe80000000000000)

/* Initial values of PortInfo and SwitchInfo fields that an SM or a user sets. Times are exponents:
 * 4.096 us * 2^n. */
#define SUBNET_TIMEOUT  18
#define RESP_TIME       16
#define LIFE_TIME       18
#define HOQ_LIFE        18
#define STALL_COUNT     7
#define ERROR_THRESHOLD 8
#define VL_ARB_CAP      64

/* CapabilityMask2: 2x, HDR and NDR are there. */
#define CAPABILITY2_2X  0x0010
#define CAPABILITY2_HDR 0x0020
#define CAPABILITY2_NDR 0x0400

#define WIDTH_2X  16
#define SPEED_HDR 4
#define SPEED_NDR 8

static int no_memory(struct fabric_error *error)
{
    snprintf(error->text, sizeof(error->text), "not enough memory for the fabric");
    return WEFT_ERR_NOMEM;
}

/* Ports that a node has: where the file's word and its cables differ, the cables are right. */
static uint8_t count_ports(const struct topo *t, const struct topo_node *n)
{
    uint8_t ports = n->num_ports;

    for (uint32_t i = 0; i < n->port_count; i++)
        if (t->ports[n->first_port + i].num > ports)
            ports = t->ports[n->first_port + i].num;
    if (ports > TOPO_PORT_NUM_MAX)
        return TOPO_PORT_NUM_MAX;
    return ports > 0 ? ports : 1;
}

static uint8_t mft_positions(uint8_t ports)
{
    return (uint8_t)(ports / 16 + 1);
}

/* SL-to-VL tables of a switch: one for each pair of ports. */
static size_t sl2vl_tables(uint8_t ports)
{
    return ((size_t)ports + 1) * ((size_t)ports + 1);
}

static void count_node(struct fabric *f, const struct topo *t, const struct topo_node *n)
{
    uint8_t ports = count_ports(t, n);

    f->port_count += (uint32_t)ports + 1;
    if (n->id && n->guid == 0)
        f->size.id_bytes += strlen(n->id) + 1;
    f->size.by_guid++;
    if (n->type != TOPO_SWITCH) {
        f->size.pkeys += (size_t)ports * f->config.pkey_cap;
        f->size.by_guid += ports;
        return;
    }
    f->switch_count++;
    f->size.pkeys += f->config.pkey_cap + (size_t)ports * FABRIC_ENFORCE_CAP;
    f->size.lfts += f->config.lft_cap;
    f->size.mfts += (size_t)f->config.mft_cap * mft_positions(ports);
    f->size.sl2vl += sl2vl_tables(ports);
}

static int take_arrays(struct fabric *f, struct fabric_error *error)
{
    f->size.guids = (size_t)f->port_count * FABRIC_GUIDS;
    f->nodes = fabric_take(f, f->node_count, sizeof(*f->nodes));
    f->ports = fabric_take(f, f->port_count, sizeof(*f->ports));
    f->waypoints = fabric_take(f, f->port_count, sizeof(*f->waypoints));
    f->switches = fabric_take(f, f->switch_count, sizeof(*f->switches));
    f->pkeys = fabric_take(f, f->size.pkeys, sizeof(*f->pkeys));
    f->guids = fabric_take(f, f->size.guids, sizeof(*f->guids));
    f->vl_arb = fabric_take(f, f->port_count, sizeof(*f->vl_arb));
    f->sl2vl = fabric_take(f, f->port_count, sizeof(*f->sl2vl));
    f->lfts = fabric_take(f, f->size.lfts, sizeof(*f->lfts));
    f->mfts = fabric_take(f, f->size.mfts, sizeof(*f->mfts));
    f->switch_sl2vl = fabric_take(f, f->size.sl2vl, sizeof(*f->switch_sl2vl));
    f->ids = fabric_take(f, f->size.id_bytes, 1);
    f->by_guid = fabric_take(f, f->size.by_guid, sizeof(*f->by_guid));
    if (!f->nodes || !f->ports || !f->waypoints || !f->switches || !f->pkeys || !f->guids ||
        !f->vl_arb || !f->sl2vl || !f->lfts || !f->mfts || !f->switch_sl2vl || !f->ids ||
        !f->by_guid)
        return no_memory(error);
    return 0;
}

void build_free(struct fabric *f)
{
    fabric_give(f, f->by_guid, f->size.by_guid, sizeof(*f->by_guid));
    fabric_give(f, f->ids, f->size.id_bytes, 1);
    fabric_give(f, f->switch_sl2vl, f->size.sl2vl, sizeof(*f->switch_sl2vl));
    fabric_give(f, f->mfts, f->size.mfts, sizeof(*f->mfts));
    fabric_give(f, f->lfts, f->size.lfts, sizeof(*f->lfts));
    fabric_give(f, f->sl2vl, f->port_count, sizeof(*f->sl2vl));
    fabric_give(f, f->vl_arb, f->port_count, sizeof(*f->vl_arb));
    fabric_give(f, f->guids, f->size.guids, sizeof(*f->guids));
    fabric_give(f, f->pkeys, f->size.pkeys, sizeof(*f->pkeys));
    fabric_give(f, f->switches, f->switch_count, sizeof(*f->switches));
    fabric_give(f, f->waypoints, f->port_count, sizeof(*f->waypoints));
    fabric_give(f, f->ports, f->port_count, sizeof(*f->ports));
    fabric_give(f, f->nodes, f->node_count, sizeof(*f->nodes));
}

static int compare_guids(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The GUIDs that the topology gives, sorted. */
struct given {
    uint64_t *guids;
    size_t count, space;
};

static int find_given(struct fabric *f, const struct topo *t, struct given *ret)
{
    size_t count = 0;

    ret->space = (size_t)t->node_count + t->port_count;
    ret->guids = fabric_take(f, ret->space, sizeof(*ret->guids));
    if (!ret->guids)
        return WEFT_ERR_NOMEM;
    for (uint32_t i = 0; i < t->node_count; i++)
        if (t->nodes[i].guid != 0)
            ret->guids[count++] = t->nodes[i].guid;
    for (uint32_t i = 0; i < t->port_count; i++)
        if (t->ports[i].guid != 0)
            ret->guids[count++] = t->ports[i].guid;
    ret->count = count;
    qsort(ret->guids, count, sizeof(*ret->guids), compare_guids);
    return 0;
}

static bool is_given(const struct given *given, uint64_t guid)
{
    return bsearch(&guid, given->guids, given->count, sizeof(guid), compare_guids);
}

/* Makes a GUID from the seed and a text, so that a node keeps it when others come and go. */
static uint64_t make_guid(const struct fabric *f, const struct given *given, const void *text,
                          size_t bytes)
{
    struct prng g = {.state = f->config.seed};
    uint64_t guid;

    for (size_t i = 0; i < bytes; i++)
        g.state = prng_next(&g) ^ ((const unsigned char *)text)[i];
    do
        guid = MADE_GUID | (prng_next(&g) & MADE_GUID_MASK);
    while (is_given(given, guid));
    return guid;
}

static uint64_t port_guid(const struct fabric *f, const struct given *given, uint64_t node_guid,
                          uint8_t number)
{
    uint64_t guid = node_guid + number;

    if (!is_given(given, guid))
        return guid;
    return make_guid(f, given, &guid, sizeof(guid));
}

/* What every port says that has LIDs. */
static void fill_end_port(struct port *p, uint32_t capability)
{
    uint64_t extended = wire_get(WIRE_PORT_INFO_LINK_SPEED_EXT_SUPPORTED, p->info);
    uint64_t capability2 = 0;

    if (p->info[WIRE_AT_PORT_INFO_LINK_WIDTH_SUPPORTED] & WIDTH_2X)
        capability2 |= CAPABILITY2_2X;
    if (extended & SPEED_HDR)
        capability2 |= CAPABILITY2_HDR;
    if (extended & SPEED_NDR)
        capability2 |= CAPABILITY2_NDR;
    if (capability2 != 0)
        capability |= CAPABILITY_MASK2;
    wire_set(WIRE_PORT_INFO_GID_PREFIX, p->info, SUBNET_PREFIX);
    wire_set(WIRE_PORT_INFO_CAPABILITY_MASK, p->info, capability);
    wire_set(WIRE_PORT_INFO_CAPABILITY_MASK2, p->info, capability2);
    wire_set(WIRE_PORT_INFO_GUID_CAP, p->info, FABRIC_GUIDS);
    wire_set(WIRE_PORT_INFO_SUBNET_TIMEOUT, p->info, SUBNET_TIMEOUT);
    wire_set(WIRE_PORT_INFO_RESP_TIME, p->info, RESP_TIME);
}

static void fill_port(struct fabric *f, struct node *n, uint8_t number, const char *width,
                      const char *speed)
{
    struct port *p = node_port(f, n, number);

    p->node = node_index(f, n);
    p->number = number;
    link_init(p, width, speed);
    wire_set(WIRE_PORT_INFO_VL_ARB_HIGH_CAP, p->info, VL_ARB_CAP);
    wire_set(WIRE_PORT_INFO_VL_ARB_LOW_CAP, p->info, VL_ARB_CAP);
    wire_set(WIRE_PORT_INFO_VL_STALL_COUNT, p->info, STALL_COUNT);
    wire_set(WIRE_PORT_INFO_HOQ_LIFE, p->info, HOQ_LIFE);
    wire_set(WIRE_PORT_INFO_LOCAL_PHYSICAL_ERRORS, p->info, ERROR_THRESHOLD);
    wire_set(WIRE_PORT_INFO_OVERRUN_ERRORS, p->info, ERROR_THRESHOLD);
    if (!node_is_switch(n))
        fill_end_port(p, SMA_CAPABILITY_HOST);
}

/* Port 0 of a switch speaks for the whole: what its fastest port can, it can, and does. */
static void fill_port0(struct fabric *f, struct node *n)
{
    static const enum wire_field_id fields[] = {
        WIRE_PORT_INFO_LINK_WIDTH_SUPPORTED,     WIRE_PORT_INFO_LINK_WIDTH_ENABLED,
        WIRE_PORT_INFO_LINK_SPEED_SUPPORTED,     WIRE_PORT_INFO_LINK_SPEED_ENABLED,
        WIRE_PORT_INFO_LINK_SPEED_EXT_SUPPORTED, WIRE_PORT_INFO_LINK_SPEED_EXT_ENABLED};
    struct port *p = node_port(f, n, 0);

    for (size_t k = 0; k < sizeof(fields) / sizeof(fields[0]); k++) {
        uint64_t all = 0;

        for (uint32_t i = 1; i <= n->ports; i++)
            all |= wire_get(fields[k], node_port(f, n, (uint8_t)i)->info);
        wire_set(fields[k], p->info, all);
    }
    link_begin(p, p);
    wire_set(WIRE_PORT_INFO_PORT_STATE, p->info, PORT_STATE_ACTIVE);
    fill_end_port(p, SMA_CAPABILITY_SWITCH);
}

/* Empties a port's place among those who are attached, cabled and faulty. */
static void clear_ports(struct fabric *f)
{
    for (uint32_t i = 0; i < f->port_count; i++) {
        f->ports[i].peer = FABRIC_NONE;
        f->ports[i].built_peer = FABRIC_NONE;
        f->ports[i].attached = FABRIC_NONE;
        f->ports[i].fault = FABRIC_NONE;
    }
}

static void fill_switch(struct fabric *f, struct node *n, const struct topo_node *from,
                        struct model_sizes *used)
{
    struct switch_state *s = &f->switches[n->switch_index];

    s->node = node_index(f, n);
    s->mft_positions = mft_positions(n->ports);
    s->lft = f->lfts + used->lfts;
    s->mft = f->mfts + used->mfts;
    s->sl2vl = f->switch_sl2vl[used->sl2vl];
    used->lfts += f->config.lft_cap;
    used->mfts += (size_t)f->config.mft_cap * s->mft_positions;
    used->sl2vl += sl2vl_tables(n->ports);
    wire_set(WIRE_SWITCH_INFO_LINEAR_FDB_CAP, s->info, f->config.lft_cap);
    wire_set(WIRE_SWITCH_INFO_MULTICAST_FDB_CAP, s->info, f->config.mft_cap);
    wire_set(WIRE_SWITCH_INFO_LIFE_TIME, s->info, LIFE_TIME);
    wire_set(WIRE_SWITCH_INFO_PARTITION_ENFORCEMENT_CAP, s->info, FABRIC_ENFORCE_CAP);
    wire_set(WIRE_SWITCH_INFO_INBOUND_ENFORCEMENT_CAP, s->info, 1);
    wire_set(WIRE_SWITCH_INFO_OUTBOUND_ENFORCEMENT_CAP, s->info, 1);
    wire_set(WIRE_SWITCH_INFO_ENHANCED_PORT_0, s->info, from->port0 != TOPO_PORT0_BASE);
}

static void fill_identity(struct fabric *f, struct node *n, const struct topo_node *from,
                          const struct given *given, struct model_sizes *used)
{
    const char *id = from->id ? from->id : "";
    const char *name = from->name[0] == '\0' ? id : from->name;

    n->guid = from->guid != 0 ? from->guid : make_guid(f, given, id, strlen(id));
    n->system_guid = from->sysimg_guid != 0 ? from->sysimg_guid : n->guid;
    n->type = from->type;
    n->vendor = from->vendor_id != 0 ? from->vendor_id & 0xFFFFFF : VENDOR;
    n->device = (uint16_t)from->device_id;
    if (n->device == 0)
        n->device = node_is_switch(n) ? DEVICE_SWITCH : DEVICE_CA;
    n->revision = node_is_switch(n) ? REVISION_SWITCH : 0;
    snprintf(n->name, sizeof(n->name), "%s", name);
    if (from->id && from->guid == 0) {
        n->id = memcpy(f->ids + used->id_bytes, id, strlen(id) + 1);
        used->id_bytes += strlen(id) + 1;
    }
}

/* What the file calls the width or speed of a cable: where one end's line does not say, the other's
 * does. "??" says nothing either. */
static const char *either_word(const char *word, const char *other)
{
    return word[0] == '\0' || word[0] == '?' ? other : word;
}

static void fill_cabled_port(struct fabric *f, struct node *n, const struct topo *t,
                             const struct topo_port *cable)
{
    const struct topo_port *other =
        cable->peer_port == TOPO_NONE ? cable : &t->ports[cable->peer_port];

    fill_port(f, n, cable->num, either_word(cable->width, other->width),
              either_word(cable->speed, other->speed));
}

/* Ports without a cable are as the first one that has one. */
static void fill_bare_port(struct fabric *f, struct node *n, uint8_t number, const struct topo *t,
                           const struct topo_node *from)
{
    const struct topo_port *first = &t->ports[from->first_port];
    bool cabled = from->port_count > 0;

    fill_port(f, n, number, cabled ? first->width : "", cabled ? first->speed : "");
}

static void fill_ports(struct fabric *f, struct node *n, const struct topo *t,
                       const struct topo_node *from, const struct given *given)
{
    const struct topo_port *cable = &t->ports[from->first_port];
    const struct topo_port *end = cable + from->port_count;

    for (uint32_t i = 0; i <= n->ports; i++) {
        struct port *p = &f->ports[n->first_port + i];
        bool cabled = cable < end && cable->num == i;

        if (cabled)
            fill_cabled_port(f, n, t, cable);
        else
            fill_bare_port(f, n, (uint8_t)i, t, from);
        if (!node_is_switch(n) && i > 0)
            p->guid =
                cabled && cable->guid != 0 ? cable->guid : port_guid(f, given, n->guid, (uint8_t)i);
        while (cable < end && cable->num <= i)
            cable++;
    }
    if (node_is_switch(n)) {
        node_port(f, n, 0)->guid = n->guid;
        fill_port0(f, n);
    } else {
        /* A CA has no port 0. */
        memset(node_port(f, n, 0)->info, 0, sizeof(node_port(f, n, 0)->info));
    }
}

static void fill_nodes(struct fabric *f, const struct topo *t, const struct given *given)
{
    struct model_sizes used = {.guids = 0};
    uint32_t ports = 0, switches = 0;

    for (uint32_t i = 0; i < f->node_count; i++) {
        const struct topo_node *from = &t->nodes[i];
        struct node *n = &f->nodes[i];

        fill_identity(f, n, from, given, &used);
        n->ports = count_ports(t, from);
        n->first_port = ports;
        n->first_pkey = (uint32_t)used.pkeys;
        n->fault = FABRIC_NONE;
        n->switch_index = FABRIC_NONE;
        ports += (uint32_t)n->ports + 1;
        used.pkeys +=
            (size_t)n->ports * (node_is_switch(n) ? FABRIC_ENFORCE_CAP : f->config.pkey_cap);
        if (node_is_switch(n)) {
            used.pkeys += f->config.pkey_cap;
            n->switch_index = switches++;
            fill_switch(f, n, from, &used);
        }
        fill_ports(f, n, t, from, given);
    }
}

/* The port that one of the topology's records is about. */
static struct port *record_port(struct fabric *f, const struct topo_port *record)
{
    return node_port(f, &f->nodes[record->node], record->num);
}

static int refuse_cable(const struct fabric *f, const struct port *p, struct fabric_error *error)
{
    snprintf(error->text, sizeof(error->text),
             "port %u of node 0x%016" PRIx64 " has two cables; `weft topology lint` tells more",
             p->number, port_node(f, p)->guid);
    return WEFT_ERR_INVALID;
}

/* A record whose other end names another cable has no link. */
static int connect_cables(struct fabric *f, const struct topo *t, struct fabric_error *error)
{
    for (uint32_t i = 0; i < t->port_count; i++) {
        const struct topo_port *record = &t->ports[i];
        struct port *p, *peer;

        if (record->peer_port == TOPO_NONE)
            continue;
        p = record_port(f, record);
        peer = record_port(f, &t->ports[record->peer_port]);
        if (p == peer) {
            snprintf(error->text, sizeof(error->text),
                     "port %u of node 0x%016" PRIx64 " has a cable to itself; `weft topology lint` "
                     "tells more",
                     p->number, port_node(f, p)->guid);
            return WEFT_ERR_INVALID;
        }
        if (p->peer != FABRIC_NONE || t->ports[record->peer_port].peer_port != i)
            return refuse_cable(f, p, error);
        p->peer = port_index(f, peer);
        p->built_peer = p->peer;
        if (peer->peer == port_index(f, p))
            link_begin(p, peer);
    }
    return 0;
}

static void fill_waypoints(struct fabric *f)
{
    for (uint32_t i = 0; i < f->port_count; i++) {
        const struct node *n = port_node(f, &f->ports[i]);
        struct waypoint *w = &f->waypoints[i];

        w->switch_index = n->switch_index;
        w->number = f->ports[i].number;
        w->node_ports = n->ports;
        link_note(f, &f->ports[i]);
    }
}

static void keep_lid(struct port *p, uint16_t lid, uint8_t lmc)
{
    uint16_t count;

    if (lid == 0 || lid > TOPO_LID_UNICAST_MAX)
        return;
    count = (uint16_t)(1U << (lmc & 7));
    if (lmc > 7 || lid % count != 0)
        lmc = 0; /* no range of LIDs that the LMC allows */
    wire_set(WIRE_PORT_INFO_LID, p->info, lid);
    wire_set(WIRE_PORT_INFO_LMC, p->info, lmc);
}

static void keep_lids(struct fabric *f, const struct topo *t)
{
    for (uint32_t i = 0; i < t->node_count; i++)
        if (t->nodes[i].type == TOPO_SWITCH)
            keep_lid(node_port(f, &f->nodes[i], 0), t->nodes[i].lid, t->nodes[i].lmc);
    for (uint32_t i = 0; i < t->port_count; i++)
        if (t->nodes[t->ports[i].node].type != TOPO_SWITCH)
            keep_lid(record_port(f, &t->ports[i]), t->ports[i].lid, t->ports[i].lmc);
}

static uint64_t entry_guid(const struct fabric *f, uint32_t entry)
{
    const struct port *p = &f->ports[entry & ~BY_NODE_GUID];

    return entry & BY_NODE_GUID ? port_node(f, p)->guid : p->guid;
}

static int compare_entries(const void *a, const void *b, void *fabric)
{
    uint64_t x = entry_guid(fabric, *(const uint32_t *)a);
    uint64_t y = entry_guid(fabric, *(const uint32_t *)b);

    return (x > y) - (x < y);
}

static void sort_guids(struct fabric *f)
{
    for (uint32_t i = 0; i < f->node_count; i++) {
        const struct node *n = &f->nodes[i];

        if (node_is_switch(n)) {
            f->by_guid[f->by_guid_count++] = n->first_port;
            continue;
        }
        f->by_guid[f->by_guid_count++] = (n->first_port + 1) | BY_NODE_GUID;
        for (uint32_t number = 1; number <= n->ports; number++)
            f->by_guid[f->by_guid_count++] = n->first_port + number;
    }
    WEFT_ASSERT(f->by_guid_count == f->size.by_guid);
    qsort_r(f->by_guid, f->by_guid_count, sizeof(*f->by_guid), compare_entries, f);
}

uint32_t build_find_guid(const struct fabric *f, uint64_t guid)
{
    uint32_t low = 0, high = f->by_guid_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (entry_guid(f, f->by_guid[middle]) < guid)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == f->by_guid_count || entry_guid(f, f->by_guid[low]) != guid)
        return FABRIC_NONE;
    return f->by_guid[low] & ~BY_NODE_GUID;
}

int build_model(struct fabric *f, const struct topo *t, struct fabric_error *error)
{
    struct given given = {.guids = NULL};
    int err;

    if (t->node_count == 0) {
        snprintf(error->text, sizeof(error->text), "the topology has no nodes");
        return WEFT_ERR_INVALID;
    }
    if (t->node_count > FABRIC_NODES_MAX) {
        snprintf(error->text, sizeof(error->text),
                 "the topology has %" PRIu32 " nodes; a fabric has at most %d", t->node_count,
                 FABRIC_NODES_MAX);
        return WEFT_ERR_FULL;
    }
    f->node_count = t->node_count;
    for (uint32_t i = 0; i < t->node_count; i++)
        count_node(f, t, &t->nodes[i]);
    err = take_arrays(f, error);
    if (err != 0)
        return err;
    if (find_given(f, t, &given) != 0)
        return no_memory(error);
    clear_ports(f);
    fill_nodes(f, t, &given);
    fabric_give(f, given.guids, given.space, sizeof(*given.guids));
    if (f->config.keep_lids)
        keep_lids(f, t);
    err = connect_cables(f, t, error);
    if (err != 0)
        return err;
    fill_waypoints(f);
    sort_guids(f);
    return 0;
}
