/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From a sweep to a topology, and from a topology to what is expected. */
#include "cli/sweep_topo.h"

#include "topology/builder.h"

#include <string.h>

static enum topo_node_type type_of(const struct weft_sweep_node *n)
{
    if (n->type == WEFT_SWEEP_SWITCH)
        return TOPO_SWITCH;
    return n->type == WEFT_SWEEP_ROUTER ? TOPO_ROUTER : TOPO_CA;
}

static void clean_name(const char *from, char to[TOPO_NAME_BYTES])
{
    size_t i;

    for (i = 0; i < TOPO_NAME_BYTES - 1 && from[i] != '\0'; i++)
        to[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : ' ';
    to[i] = '\0';
}

static uint32_t builder_node(struct topo_builder *b, const struct weft_sweep_node *n)
{
    return topo_builder_node(b, &(struct topo_ref){.guid = n->guid, .type = type_of(n)});
}

static void add_node(struct topo_builder *b, const struct weft_sweep *s,
                     const struct weft_sweep_node *n)
{
    const struct weft_sweep_port *port0 = weft_sweep_port(s, n->first_port);
    uint32_t node = builder_node(b, n);
    struct topo_node *t;

    if (node == TOPO_NONE)
        return;
    t = topo_builder_at(b, node);
    t->sysimg_guid = n->system_guid;
    t->vendor_id = n->vendor_id;
    t->device_id = n->device_id;
    t->num_ports = n->port_count;
    if (n->type == WEFT_SWEEP_SWITCH) {
        t->port0 = n->enhanced_port0 ? TOPO_PORT0_ENHANCED : TOPO_PORT0_BASE;
        t->lid = port0->lid;
        t->lmc = port0->lmc;
    }
    clean_name(n->name, t->name);
    topo_builder_declare(b, node);
}

static void add_port(struct topo_builder *b, const struct weft_sweep *s, uint32_t port)
{
    const struct weft_sweep_port *p = weft_sweep_port(s, port);
    const struct weft_sweep_node *n = weft_sweep_node(s, p->node);
    const struct weft_sweep_port *end = weft_sweep_port(s, weft_sweep_end_port(s, port));
    const struct weft_sweep_port *peer = weft_sweep_port(s, p->peer);
    const struct weft_sweep_node *peer_node = weft_sweep_node(s, peer->node);
    struct topo_claim claim = {.port.num = p->number, .port.peer_num = peer->number};

    if (peer_node->guid == 0)
        return;
    claim.port.node = builder_node(b, n);
    claim.port.peer_node = builder_node(b, peer_node);
    claim.port.peer_lid = weft_sweep_port(s, weft_sweep_end_port(s, p->peer))->lid;
    if (n->type != WEFT_SWEEP_SWITCH) {
        claim.port.guid = p->guid;
        claim.port.lid = end->lid;
        claim.port.lmc = end->lmc;
    }
    if (peer_node->type != WEFT_SWEEP_SWITCH)
        claim.peer_guid = peer->guid;
    memcpy(claim.port.width, weft_sweep_width_word(s, port),
           strlen(weft_sweep_width_word(s, port)) + 1);
    memcpy(claim.port.speed, weft_sweep_speed_word(s, port),
           strlen(weft_sweep_speed_word(s, port)) + 1);
    topo_builder_claim(b, &claim);
}

static void add_all(struct topo_builder *b, const struct weft_sweep *s)
{
    static const uint8_t types[] = {WEFT_SWEEP_SWITCH, WEFT_SWEEP_CA, WEFT_SWEEP_ROUTER};

    for (size_t t = 0; t < sizeof(types); t++)
        for (uint32_t i = 0; i < weft_sweep_node_count(s); i++)
            if (weft_sweep_node(s, i)->type == types[t] && weft_sweep_node(s, i)->guid != 0)
                add_node(b, s, weft_sweep_node(s, i));
    for (uint32_t i = 0; i < weft_sweep_port_count(s); i++)
        if (weft_sweep_port(s, i)->peer != WEFT_SWEEP_NONE &&
            weft_sweep_node(s, weft_sweep_port(s, i)->node)->guid != 0 &&
            topo_builder_error(b) == 0)
            add_port(b, s, i);
}

int sweep_topo(const struct weft_sweep *s, struct topo **ret)
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

static int know_port(struct weft_sweep_prior *k, const struct topo *t, const struct topo_port *p)
{
    struct weft_sweep_prior_port port = {
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
    return weft_sweep_prior_add(k, &port);
}

struct weft_sweep_prior *known_of_topo(const struct topo *t)
{
    struct weft_sweep_prior *k = NULL;
    int err = weft_sweep_prior_new(t->node_count + t->port_count, NULL, &k);

    for (uint32_t i = 0; i < t->node_count && !err; i++)
        if (t->nodes[i].type == TOPO_SWITCH && t->nodes[i].guid != 0 && t->nodes[i].declared)
            err = weft_sweep_prior_add(k, &(struct weft_sweep_prior_port){.guid = t->nodes[i].guid,
                                                                          .lid = t->nodes[i].lid});
    for (uint32_t i = 0; i < t->port_count && !err; i++)
        err = know_port(k, t, &t->ports[i]);
    return err ? weft_sweep_prior_free(k) : k;
}
