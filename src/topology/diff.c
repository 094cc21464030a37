/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What changed from one topology to another. */
#include "topology/findings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Two topologies while they are compared. */
struct pair {
    const struct topo *old;
    const struct topo *new;
    uint32_t *old_sorted; /* nodes by identity */
    uint32_t *new_sorted;
    uint32_t *to_new; /* per old node: the same one in the new topology, or TOPO_NONE */
    uint32_t *to_old;
    struct topo_findings *list;
};

static int compare_identity(const struct topo_node *a, const struct topo_node *b)
{
    if (a->guid != b->guid)
        return a->guid < b->guid ? -1 : 1;
    return a->guid != 0 ? 0 : strcmp(a->id, b->id);
}

static int by_identity(const void *a, const void *b, void *nodes)
{
    const struct topo_node *all = nodes;

    return compare_identity(&all[*(const uint32_t *)a], &all[*(const uint32_t *)b]);
}

static uint32_t *sort_nodes(const struct topo *t)
{
    uint32_t *sorted = malloc(((size_t)t->node_count + 1) * sizeof(*sorted));

    if (!sorted)
        return NULL;
    for (uint32_t i = 0; i < t->node_count; i++)
        sorted[i] = i;
    qsort_r(sorted, t->node_count, sizeof(*sorted), by_identity, t->nodes);
    return sorted;
}

static int report_node(struct pair *p, const struct topo_node *n, enum topo_kind kind)
{
    char label[TOPO_LABEL_BYTES];

    topo_node_label(n, label);
    return topo_findings_add(p->list, n->line, kind, "%s is %s", label,
                             kind == TOPO_NODE_ADDED ? "new" : "gone");
}

static int report_stanza(struct pair *p, const struct topo_node *old, const struct topo_node *new)
{
    const struct topo_node *n = old->declared ? old : new;
    char label[TOPO_LABEL_BYTES];

    topo_node_label(n, label);
    if (n == old)
        return topo_findings_add(p->list, n->line, TOPO_STANZA_REMOVED,
                                 "%s has no stanza any more, though others name it", label);
    return topo_findings_add(p->list, n->line, TOPO_STANZA_ADDED, "%s has a stanza now", label);
}

/* Without a stanza a node is what others say of it: nothing to compare. */
static int compare_nodes(struct pair *p, const struct topo_node *old, const struct topo_node *new)
{
    char label[TOPO_LABEL_BYTES];
    int err = 0;

    if (old->declared != new->declared)
        return report_stanza(p, old, new);
    if (!old->declared)
        return 0;
    topo_node_label(new, label);
    if (strcmp(old->name, new->name) != 0) {
        char before[TOPO_LABEL_BYTES];

        topo_node_label(old, before);
        err =
            topo_findings_add(p->list, new->line, TOPO_NODE_CHANGED, "%s is now %s", before, label);
    }
    if (err == 0 && old->type != new->type)
        err = topo_findings_add(p->list, new->line, TOPO_NODE_CHANGED, "%s was a %s", label,
                                topo_type_name(old->type));
    if (err == 0 && old->num_ports != new->num_ports)
        err = topo_findings_add(p->list, new->line, TOPO_NODE_CHANGED, "%s had %u ports, now %u",
                                label, old->num_ports, new->num_ports);
    if (err == 0 && old->lid != new->lid)
        err = topo_findings_add(p->list, new->line, TOPO_NODE_CHANGED, "%s had LID %u, now %u",
                                label, old->lid, new->lid);
    return err;
}

/* Walks both sorted lists at once. */
static int match_nodes(struct pair *p)
{
    uint32_t a = 0;
    uint32_t b = 0;
    int err = 0;

    while (err == 0 && (a < p->old->node_count || b < p->new->node_count)) {
        uint32_t old = a < p->old->node_count ? p->old_sorted[a] : TOPO_NONE;
        uint32_t new = b < p->new->node_count ? p->new_sorted[b] : TOPO_NONE;
        int order = old == TOPO_NONE   ? 1
                    : new == TOPO_NONE ? -1
                                       : compare_identity(&p->old->nodes[old], &p->new->nodes[new]);

        a += order <= 0;
        b += order >= 0;
        if (order < 0) {
            p->to_new[old] = TOPO_NONE;
            err = report_node(p, &p->old->nodes[old], TOPO_NODE_REMOVED);
        } else if (order > 0) {
            p->to_old[new] = TOPO_NONE;
            err = report_node(p, &p->new->nodes[new], TOPO_NODE_ADDED);
        } else {
            p->to_new[old] = new;
            p->to_old[new] = old;
            err = compare_nodes(p, &p->old->nodes[old], &p->new->nodes[new]);
        }
    }
    return err;
}

/* The port at the same place in another topology when the same cable is plugged in there. */
static const struct topo_port *same_cable(const struct topo *other, const uint32_t *map,
                                          const struct topo_port *port)
{
    uint32_t found;

    if (map[port->node] == TOPO_NONE || map[port->peer_node] == TOPO_NONE)
        return NULL;
    found = topo_find_port(other, map[port->node], port->num);
    if (found == TOPO_NONE || other->ports[found].peer_port == TOPO_NONE ||
        other->ports[found].peer_node != map[port->peer_node] ||
        other->ports[found].peer_num != port->peer_num)
        return NULL;
    return &other->ports[found];
}

static int report_cable(struct pair *p, const struct topo *t, const struct topo_port *port,
                        enum topo_kind kind)
{
    char node[TOPO_LABEL_BYTES];
    char peer[TOPO_LABEL_BYTES];

    topo_node_label(&t->nodes[port->node], node);
    topo_node_label(&t->nodes[port->peer_node], peer);
    return topo_findings_add(p->list, port->line, kind,
                             "the cable from port %u of %s to port %u of %s is %s", port->num, node,
                             port->peer_num, peer, kind == TOPO_LINK_ADDED ? "new" : "gone");
}

/* The end of a link that a line describes: this one, or where it is implied the other. */
static const struct topo_port *described_end(const struct topo *t, const struct topo_port *port)
{
    return port->implied ? &t->ports[port->peer_port] : port;
}

static bool rate_differs(const char *old, const char *new)
{
    return old[0] != '\0' && new[0] != '\0' && strcmp(old, new) != 0;
}

static int compare_rates(struct pair *p, const struct topo_port *old, const struct topo_port *new)
{
    char node[TOPO_LABEL_BYTES];

    old = described_end(p->old, old);
    new = described_end(p->new, new);
    if (!rate_differs(old->width, new->width) && !rate_differs(old->speed, new->speed))
        return 0;
    topo_node_label(&p->new->nodes[new->node], node);
    return topo_findings_add(p->list, new->line, TOPO_LINK_CHANGED,
                             "the link at port %u of %s had %s%s, now %s%s", new->num, node,
                             old->width, old->speed, new->width, new->speed);
}

static int match_cables(struct pair *p)
{
    int err = 0;

    for (uint32_t i = 0; i < p->old->port_count && err == 0; i++) {
        const struct topo_port *port = &p->old->ports[i];

        if (port->peer_port == TOPO_NONE || port->peer_port < i)
            continue;
        if (!same_cable(p->new, p->to_new, port))
            err = report_cable(p, p->old, port, TOPO_LINK_REMOVED);
    }
    for (uint32_t i = 0; i < p->new->port_count &&err == 0; i++) {
        const struct topo_port *port = &p->new->ports[i];
        const struct topo_port *before;

        if (port->peer_port == TOPO_NONE || port->peer_port < i)
            continue;
        before = same_cable(p->old, p->to_old, port);
        if (!before)
            err = report_cable(p, p->new, port, TOPO_LINK_ADDED);
        else
            err = compare_rates(p, before, port);
    }
    return err;
}

int topo_diff(const struct topo *old, const struct topo *new, struct topo_findings *ret)
{
    struct topo_findings list = {0};
    struct pair p = {.old = old, .new = new, .list = &list};
    int err = WEFT_ERR_NOMEM;

    p.old_sorted = sort_nodes(old);
    p.new_sorted = sort_nodes(new);
    p.to_new = malloc(((size_t)old->node_count + 1) * sizeof(*p.to_new));
    p.to_old = malloc(((size_t) new->node_count + 1) * sizeof(*p.to_old));
    if (p.old_sorted && p.new_sorted && p.to_new && p.to_old)
        err = match_nodes(&p);
    if (err == 0)
        err = match_cables(&p);
    free(p.old_sorted);
    free(p.new_sorted);
    free(p.to_new);
    free(p.to_old);
    if (err != 0) {
        topo_findings_free(&list);
        return err;
    }
    *ret = list;
    return 0;
}
