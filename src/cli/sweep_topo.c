/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From a sweep to a topology, and from a topology to what is expected. */
#include "cli/sweep_topo.h"

#include "topology/builder.h"

#include <string.h>

static enum topo_node_type type_of(const struct sweep_node *n)
{
    if (n->type == SWEEP_SWITCH)
        return TOPO_SWITCH;
    return n->type == SWEEP_ROUTER ? TOPO_ROUTER : TOPO_CA;
}

static void clean_name(const char *from, char to[TOPO_NAME_BYTES])
{
    size_t i;

    for (i = 0; i < TOPO_NAME_BYTES - 1 && from[i] != '\0'; i++)
        to[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : ' ';
    to[i] = '\0';
}

static uint32_t builder_node(struct topo_builder *b, const struct sweep_node *n)
{
    return topo_builder_node(b, &(struct topo_ref){.guid = n->guid, .type = type_of(n)});
}

static void add_node(struct topo_builder *b, const struct sweep *s, const struct sweep_node *n)
{
    const struct sweep_port *port0 = sweep_port(s, n->first_port);
    uint32_t node = builder_node(b, n);
    struct topo_node *t;

    if (node == TOPO_NONE)
        return;
    t = topo_builder_at(b, node);
    t->sysimg_guid = n->system_guid;
    t->vendor_id = n->vendor_id;
    t->device_id = n->device_id;
    t->num_ports = n->port_count;
    if (n->type == SWEEP_SWITCH) {
        t->port0 = n->enhanced_port0 ? TOPO_PORT0_ENHANCED : TOPO_PORT0_BASE;
        t->lid = port0->lid;
        t->lmc = port0->lmc;
    }
    clean_name(n->name, t->name);
    topo_builder_declare(b, node);
}

static void add_port(struct topo_builder *b, const struct sweep *s, uint32_t port)
{
    const struct sweep_port *p = sweep_port(s, port);
    const struct sweep_node *n = sweep_node(s, p->node);
    const struct sweep_port *end = sweep_port(s, sweep_end_port(s, port));
    const struct sweep_port *peer = sweep_port(s, p->peer);
    const struct sweep_node *peer_node = sweep_node(s, peer->node);
    struct topo_claim claim = {.port.num = p->number, .port.peer_num = peer->number};

    if (peer_node->guid == 0)
        return;
    claim.port.node = builder_node(b, n);
    claim.port.peer_node = builder_node(b, peer_node);
    claim.port.peer_lid = sweep_port(s, sweep_end_port(s, p->peer))->lid;
    if (n->type != SWEEP_SWITCH) {
        claim.port.guid = p->guid;
        claim.port.lid = end->lid;
        claim.port.lmc = end->lmc;
    }
    if (peer_node->type != SWEEP_SWITCH)
        claim.peer_guid = peer->guid;
    memcpy(claim.port.width, sweep_width_word(s, port), strlen(sweep_width_word(s, port)) + 1);
    memcpy(claim.port.speed, sweep_speed_word(s, port), strlen(sweep_speed_word(s, port)) + 1);
    topo_builder_claim(b, &claim);
}

static void add_all(struct topo_builder *b, const struct sweep *s)
{
    static const uint8_t types[] = {SWEEP_SWITCH, SWEEP_CA, SWEEP_ROUTER};

    for (size_t t = 0; t < sizeof(types); t++)
        for (uint32_t i = 0; i < sweep_node_count(s); i++)
            if (sweep_node(s, i)->type == types[t] && sweep_node(s, i)->guid != 0)
                add_node(b, s, sweep_node(s, i));
    for (uint32_t i = 0; i < sweep_port_count(s); i++)
        if (sweep_port(s, i)->peer != SWEEP_NONE &&
            sweep_node(s, sweep_port(s, i)->node)->guid != 0 && topo_builder_error(b) == 0)
            add_port(b, s, i);
}

int sweep_topo(const struct sweep *s, struct topo **ret)
{
    struct topo_builder *b = topo_builder_new();
    int err;

    if (!b)
        return WEFT_ERR_NOMEM;
    add_all(b, s);
    err = topo_builder_finish(b, ret);
    (void)topo_builder_free(b);
    return err;
}

static int know_port(struct known *k, const struct topo *t, const struct topo_port *p)
{
    struct known_port port = {
        .guid = t->nodes[p->node].guid,
        .peer_guid = t->nodes[p->peer_node].guid,
        .lid = p->lid,
        .number = p->num,
        .peer_number = p->peer_num,
        .lmc = p->lmc,
    };

    if (port.guid == 0 || port.peer_guid == 0 || p->peer_port == TOPO_NONE)
        return 0;
    memcpy(port.width, p->width, sizeof(port.width));
    memcpy(port.speed, p->speed, sizeof(port.speed));
    return known_add(k, &port);
}

struct known *known_of_topo(const struct topo *t)
{
    struct known *k = known_new(t->node_count + t->port_count);
    int err = k ? 0 : WEFT_ERR_NOMEM;

    for (uint32_t i = 0; i < t->node_count && !err; i++)
        if (t->nodes[i].type == TOPO_SWITCH && t->nodes[i].guid != 0 && t->nodes[i].declared)
            err = known_add(k,
                            &(struct known_port){.guid = t->nodes[i].guid, .lid = t->nodes[i].lid});
    for (uint32_t i = 0; i < t->port_count && !err; i++)
        err = know_port(k, t, &t->ports[i]);
    return err ? known_free(k) : k;
}
