/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Writes a topology as ibnetdiscover does, and compares two, which is how writing is tested. */
#include "topology/topology.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

static void write_ref(const struct topo_node *n, FILE *out)
{
    if (n->guid != 0)
        fprintf(out, "\"%c-%016" PRIx64 "\"", id_letter(n->type), n->guid);
    else
        fprintf(out, "\"%s\"", n->id);
}

/* What a file does not say stays unsaid; of a fabric all is known, and 0 is a value. */
static void write_node(const struct topo_node *n, bool all_known, FILE *out)
{
    fputc('\n', out);
    if (all_known || n->vendor_id != 0)
        fprintf(out, "vendid=0x%" PRIx32 "\n", n->vendor_id);
    if (all_known || n->device_id != 0)
        fprintf(out, "devid=0x%" PRIx32 "\n", n->device_id);
    if (n->sysimg_guid != 0)
        fprintf(out, "sysimgguid=0x%" PRIx64 "\n", n->sysimg_guid);
    if (n->guid != 0 && n->type == TOPO_SWITCH)
        fprintf(out, "switchguid=0x%" PRIx64 "(%" PRIx64 ")\n", n->guid, n->guid);
    else if (n->guid != 0)
        fprintf(out, "%sguid=0x%" PRIx64 "\n", n->type == TOPO_CA ? "ca" : "rt", n->guid);
    fprintf(out, "%s\t%u ", topo_type_name(n->type), n->num_ports);
    write_ref(n, out);
    fprintf(out, "\t\t# \"%s\"", n->name);
    if (n->type == TOPO_SWITCH) {
        if (n->port0 != TOPO_PORT0_UNKNOWN)
            fprintf(out, " %s port 0", n->port0 == TOPO_PORT0_BASE ? "base" : "enhanced");
        fprintf(out, " lid %u lmc %u", n->lid, n->lmc);
    }
    fputc('\n', out);
}

static void write_port(const struct topo *t, const struct topo_port *p, FILE *out)
{
    const struct topo_node *peer = &t->nodes[p->peer_node];

    fprintf(out, "[%u]", p->num);
    if (p->guid != 0)
        fprintf(out, "(%" PRIx64 ") ", p->guid);
    fputc('\t', out);
    write_ref(peer, out);
    fprintf(out, "[%u]", p->peer_num);
    if (p->peer_port != TOPO_NONE && t->ports[p->peer_port].guid != 0)
        fprintf(out, "(%" PRIx64 ") ", t->ports[p->peer_port].guid);
    fputs("\t\t#", out);
    if (t->nodes[p->node].type != TOPO_SWITCH)
        fprintf(out, " lid %u lmc %u", p->lid, p->lmc);
    /* ibsim takes any `=` in a port line for an option; the peer's own stanza has its name. */
    if (!peer->declared || !strchr(peer->name, '='))
        fprintf(out, " \"%s\"", peer->name);
    fprintf(out, " lid %u", p->peer_lid);
    if (p->width[0] != '\0' || p->speed[0] != '\0')
        fprintf(out, " %s%s", p->width, p->speed);
    fputc('\n', out);
}

static bool write_nodes(const struct topo *t, bool all_known, FILE *out)
{
    for (uint32_t i = 0; i < t->node_count; i++) {
        const struct topo_node *n = &t->nodes[i];

        if (!n->declared)
            continue;
        write_node(n, all_known, out);
        for (uint32_t p = n->first_port; p < n->first_port + n->port_count; p++)
            if (!t->ports[p].implied)
                write_port(t, &t->ports[p], out);
    }
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
