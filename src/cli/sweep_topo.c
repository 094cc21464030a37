/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From a sweep to a topology, and from a topology to what is expected. */
#include "cli/sweep_topo.h"

#include "topology/builder.h"

#include <stdlib.h>
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

/* A topology being made of a sweep. */
struct making {
    const struct weft_sweep *sweep;
    struct topo_builder *builder;
    uint32_t *places; /* of the sweep's nodes in the topology; TOPO_NONE: not there */
};

static void add_node(struct making *m, uint32_t node)
{
    const struct weft_sweep_node *n = weft_sweep_node(m->sweep, node);
    const struct weft_sweep_port *port0 = weft_sweep_port(m->sweep, n->first_port);
    uint32_t place = topo_builder_append(m->builder, n->guid, type_of(n));
    struct topo_node *t;

    m->places[node] = place;
    if (place == TOPO_NONE)
        return;
    t = topo_builder_at(m->builder, place);
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
}

static void copy_word(char *to, size_t space, const char *word)
{
    size_t length = strlen(word);

    if (length >= space)
        length = space - 1;
    memcpy(to, word, length);
    to[length] = '\0';
}

/* A port with a cable. */
static void add_port(const struct making *m, const struct weft_sweep_node *n, uint32_t port)
{
    const struct weft_sweep_port *p = weft_sweep_port(m->sweep, port);
    const struct weft_sweep_port *peer = weft_sweep_port(m->sweep, p->peer);
    const struct weft_sweep_node *peer_node = weft_sweep_node(m->sweep, peer->node);
    struct topo_claim claim = {.port.node = m->places[p->node],
                               .port.num = p->number,
                               .port.peer_node = m->places[peer->node],
                               .port.peer_num = peer->number};

    if (claim.port.peer_node == TOPO_NONE)
        return;
    if (n->type != WEFT_SWEEP_SWITCH) {
        claim.port.guid = p->guid;
        claim.port.lid = p->lid;
        claim.port.lmc = p->lmc;
    }
    if (peer_node->type != WEFT_SWEEP_SWITCH) {
        claim.peer_guid = peer->guid;
        claim.port.peer_lid = peer->lid;
    } else {
        claim.port.peer_lid = weft_sweep_port(m->sweep, peer_node->first_port)->lid;
    }
    copy_word(claim.port.width, sizeof(claim.port.width), weft_sweep_width_word(m->sweep, port));
    copy_word(claim.port.speed, sizeof(claim.port.speed), weft_sweep_speed_word(m->sweep, port));
    topo_builder_claim(m->builder, &claim);
}

static void add_ports(const struct making *m, uint32_t node)
{
    const struct weft_sweep_node *n = weft_sweep_node(m->sweep, node);

    for (uint32_t i = n->first_port; i <= n->first_port + n->port_count; i++)
        if (weft_sweep_port(m->sweep, i)->peer != WEFT_SWEEP_NONE)
            add_port(m, n, i);
}

/* Nodes and ports come in the order that they have in the topology. */
static void add_all(struct making *m)
{
    static const uint8_t types[] = {WEFT_SWEEP_SWITCH, WEFT_SWEEP_CA, WEFT_SWEEP_ROUTER};
    uint32_t count = weft_sweep_node_count(m->sweep);

    topo_builder_reserve(m->builder, count, weft_sweep_port_count(m->sweep));
    for (uint32_t i = 0; i < count; i++)
        m->places[i] = TOPO_NONE;
    for (size_t t = 0; t < sizeof(types); t++)
        for (uint32_t i = 0; i < count; i++)
            if (weft_sweep_node(m->sweep, i)->type == types[t] &&
                weft_sweep_node(m->sweep, i)->guid != 0)
                add_node(m, i);
    for (size_t t = 0; t < sizeof(types) && topo_builder_error(m->builder) == 0; t++)
        for (uint32_t i = 0; i < count; i++)
            if (weft_sweep_node(m->sweep, i)->type == types[t] && m->places[i] != TOPO_NONE)
                add_ports(m, i);
}

int sweep_topo(const struct weft_sweep *s, struct topo **ret)
{
    struct making m = {.sweep = s, .builder = topo_builder_new()};
    int err = WEFT_ERR_NOMEM;

    m.places = malloc((weft_sweep_node_count(s) + 1) * sizeof(*m.places));
    if (m.builder && m.places) {
        add_all(&m);
        err = topo_builder_finish(m.builder, ret);
    }
    free(m.places);
    (void)topo_builder_free(m.builder);
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
