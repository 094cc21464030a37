/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Writes a topology as ibnetdiscover does, and compares two, which is how writing is tested. */
#include "topology/output.h"
#include "topology/topology.h"

#include <stdio.h>
#include <string.h>

#define GUID_DIGITS 16

static char id_letter(enum topo_node_type type)
{
    switch (type) {
    case TOPO_SWITCH:
        return 'S';
    case TOPO_ROUTER:
        return 'R';
    case TOPO_CA:
        break;
    }
    return 'H';
}

static void write_ref(struct output *o, const struct topo_node *n)
{
    if (n->guid != 0) {
        output_text(o, (const char[]){'"', id_letter(n->type), '-', '\0'});
        output_hex(o, n->guid, GUID_DIGITS);
    } else {
        output_text(o, "\"");
        output_text(o, n->id);
    }
    output_text(o, "\"");
}

static void write_value(struct output *o, const char *name, uint64_t value)
{
    output_text(o, name);
    output_hex(o, value, 1);
    output_text(o, "\n");
}

static void write_lid(struct output *o, uint16_t lid, uint8_t lmc)
{
    output_text(o, " lid ");
    output_number(o, lid);
    output_text(o, " lmc ");
    output_number(o, lmc);
}

/* What a file does not say stays unsaid; of a fabric all is known, and 0 is a value. */
static void write_node(struct output *o, const struct topo_node *n, bool all_known)
{
    output_text(o, "\n");
    if (all_known || n->vendor_id != 0)
        write_value(o, "vendid=0x", n->vendor_id);
    if (all_known || n->device_id != 0)
        write_value(o, "devid=0x", n->device_id);
    if (n->sysimg_guid != 0)
        write_value(o, "sysimgguid=0x", n->sysimg_guid);
    if (n->guid != 0 && n->type == TOPO_SWITCH) {
        output_text(o, "switchguid=0x");
        output_hex(o, n->guid, 1);
        output_text(o, "(");
        output_hex(o, n->guid, 1);
        output_text(o, ")\n");
    } else if (n->guid != 0) {
        write_value(o, n->type == TOPO_CA ? "caguid=0x" : "rtguid=0x", n->guid);
    }
    output_text(o, topo_type_name(n->type));
    output_text(o, "\t");
    output_number(o, n->num_ports);
    output_text(o, " ");
    write_ref(o, n);
    output_text(o, "\t\t# \"");
    output_text(o, n->name);
    output_text(o, "\"");
    if (n->type == TOPO_SWITCH) {
        if (n->port0 != TOPO_PORT0_UNKNOWN)
            output_text(o, n->port0 == TOPO_PORT0_BASE ? " base port 0" : " enhanced port 0");
        write_lid(o, n->lid, n->lmc);
    }
    output_text(o, "\n");
}

static void write_place(struct output *o, uint8_t number, uint64_t guid)
{
    output_text(o, "[");
    output_number(o, number);
    output_text(o, "]");
    if (guid == 0)
        return;
    output_text(o, "(");
    output_hex(o, guid, 1);
    output_text(o, ") ");
}

static void write_port(struct output *o, const struct topo *t, const struct topo_port *p)
{
    const struct topo_node *peer = &t->nodes[p->peer_node];

    write_place(o, p->num, p->guid);
    output_text(o, "\t");
    write_ref(o, peer);
    write_place(o, p->peer_num, p->peer_port != TOPO_NONE ? t->ports[p->peer_port].guid : 0);
    output_text(o, "\t\t#");
    if (t->nodes[p->node].type != TOPO_SWITCH)
        write_lid(o, p->lid, p->lmc);
    /* ibsim takes any `=` in a port line for an option; the peer's own stanza has its name. */
    if (!peer->declared || !strchr(peer->name, '=')) {
        output_text(o, " \"");
        output_text(o, peer->name);
        output_text(o, "\"");
    }
    output_text(o, " lid ");
    output_number(o, p->peer_lid);
    if (p->width[0] != '\0' || p->speed[0] != '\0') {
        output_text(o, " ");
        output_text(o, p->width);
        output_text(o, p->speed);
    }
    output_text(o, "\n");
}

static bool write_nodes(const struct topo *t, bool all_known, FILE *out)
{
    struct output o;

    output_start(&o, out);
    for (uint32_t i = 0; i < t->node_count; i++) {
        const struct topo_node *n = &t->nodes[i];

        if (!n->declared)
            continue;
        write_node(&o, n, all_known);
        for (uint32_t p = n->first_port; p < n->first_port + n->port_count; p++)
            if (!t->ports[p].implied)
                write_port(&o, t, &t->ports[p]);
    }
    output_flush(&o);
    return fflush(out) == 0 && !ferror(out);
}

bool topo_write(const struct topo *t, FILE *out)
{
    fprintf(out, "#\n# Topology file\n#\n");
    return write_nodes(t, false, out);
}

bool topo_write_found(const struct topo *t, FILE *out)
{
    return write_nodes(t, true, out);
}

static bool same_node(const struct topo_node *a, const struct topo_node *b)
{
    if (a->guid != b->guid || (a->guid == 0 && strcmp(a->id, b->id) != 0))
        return false;
    return a->sysimg_guid == b->sysimg_guid && a->vendor_id == b->vendor_id &&
           a->device_id == b->device_id && a->first_port == b->first_port &&
           a->port_count == b->port_count && a->lid == b->lid && a->lmc == b->lmc &&
           a->num_ports == b->num_ports && a->type == b->type && a->port0 == b->port0 &&
           a->aggregation == b->aggregation && a->declared == b->declared &&
           strcmp(a->name, b->name) == 0;
}

static bool same_port(const struct topo_port *a, const struct topo_port *b)
{
    return a->guid == b->guid && a->node == b->node && a->peer_node == b->peer_node &&
           a->peer_port == b->peer_port && a->lid == b->lid && a->peer_lid == b->peer_lid &&
           a->num == b->num && a->peer_num == b->peer_num && a->lmc == b->lmc &&
           a->implied == b->implied && strcmp(a->width, b->width) == 0 &&
           strcmp(a->speed, b->speed) == 0;
}

bool topo_equal(const struct topo *a, const struct topo *b)
{
    if (a->node_count != b->node_count || a->port_count != b->port_count ||
        a->link_count != b->link_count || a->host_count != b->host_count)
        return false;
    for (uint32_t i = 0; i < a->node_count; i++)
        if (!same_node(&a->nodes[i], &b->nodes[i]))
            return false;
    for (uint32_t i = 0; i < a->port_count; i++)
        if (!same_port(&a->ports[i], &b->ports[i]))
            return false;
    return true;
}
