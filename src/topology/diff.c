/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What changed from one topology to another. */
#include "topology/findings.h"
#include "topology/rate.h"

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
    uint32_t *moved_from; /* per new port: the old end of the cable that came here, or TOPO_NONE */
    bool *gone;           /* per old port: its cable is no longer there, nor was it moved */
    bool lids;
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

static int compare_lids(struct pair *p, const struct topo_node *old, const struct topo_node *new,
                        const char *label)
{
    int err = 0;

    if (new->type == TOPO_SWITCH && old->lid != new->lid)
        return topo_findings_add(p->list, new->line, TOPO_NODE_CHANGED, "%s had LID %u, now %u",
                                 label, old->lid, new->lid);
    if (new->type == TOPO_SWITCH)
        return 0;
    for (uint32_t i = new->first_port; i < new->first_port + new->port_count &&err == 0; i++) {
        const struct topo_port *port = &p->new->ports[i];
        uint32_t before = topo_find_port(p->old, (uint32_t)(old - p->old->nodes), port->num);

        if (before != TOPO_NONE && p->old->ports[before].lid != port->lid)
            err = topo_findings_add(p->list, port->line, TOPO_NODE_CHANGED,
                                    "port %u of %s had LID %u, now %u", port->num, label,
                                    p->old->ports[before].lid, port->lid);
    }
    return err;
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
    if (err == 0 && p->lids)
        err = compare_lids(p, old, new, label);
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

/* What a change of rate is called. */
static const char *change_of_rate(const struct topo_port *old, const struct topo_port *new)
{
    uint32_t before = topo_rate(old->width, old->speed);
    uint32_t now = topo_rate(new->width, new->speed);

    if (before == 0 || now == 0 || before == now)
        return "changed";
    return now < before ? "degraded" : "faster";
}

static int compare_rates(struct pair *p, const struct topo_port *old, const struct topo_port *new)
{
    char node[TOPO_LABEL_BYTES];
    char peer[TOPO_LABEL_BYTES];

    old = described_end(p->old, old);
    new = described_end(p->new, new);
    if (!rate_differs(old->width, new->width) && !rate_differs(old->speed, new->speed))
        return 0;
    topo_node_label(&p->new->nodes[new->node], node);
    topo_node_label(&p->new->nodes[new->peer_node], peer);
    return topo_findings_add(p->list, new->line, TOPO_LINK_CHANGED,
                             "the link from port %u of %s to port %u of %s is %s: "
                             "it had %s%s, now %s%s",
                             new->num, node, new->peer_num, peer, change_of_rate(old, new),
                             old->width, old->speed, new->width, new->speed);
}

/* Links are seen once: from the end that comes first. */
static bool first_end(const struct topo *t, uint32_t port)
{
    return t->ports[port].peer_port != TOPO_NONE && t->ports[port].peer_port >= port;
}

/* Whether the cable at an old end that stayed at its port is the one at that port now. A port that
 * got the cable of another node than before was not necessarily left by a cable: of a switch's port
 * this is taken for a move only if both nodes are still there, or a switch was put in place of a
 * switch. */
static bool is_move(const struct pair *p, const struct topo_port *old, const struct topo_port *new)
{
    const struct topo_node *far = &p->old->nodes[old->peer_node];

    if (p->old->nodes[old->node].type != TOPO_SWITCH)
        return true;
    if (p->to_new[old->peer_node] != TOPO_NONE && p->to_old[new->peer_node] != TOPO_NONE)
        return true;
    return far->type == TOPO_SWITCH && p->new->nodes[new->peer_node].type == TOPO_SWITCH;
}

/* Finds where the cable of an old end went that stayed at its port itself. */
static void find_move(struct pair *p, uint32_t end)
{
    const struct topo_port *old = &p->old->ports[end];
    const struct topo_port *new;
    uint32_t node = p->to_new[old->node];
    uint32_t found = node == TOPO_NONE ? TOPO_NONE : topo_find_port(p->new, node, old->num);

    if (found == TOPO_NONE)
        return;
    new = &p->new->ports[found];
    if (new->peer_port == TOPO_NONE || p->moved_from[found] != TOPO_NONE ||
        p->moved_from[new->peer_port] != TOPO_NONE || same_cable(p->old, p->to_old, new) ||
        !is_move(p, old, new))
        return;
    p->moved_from[found] = end;
    p->gone[end] = false;
    p->gone[old->peer_port] = false;
}

/* A host has few ports and keeps its cable: what is fixed at its end is found first. */
static void find_moves(struct pair *p)
{
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < p->old->port_count; i++)
            if (p->gone[i] && (p->old->nodes[p->old->ports[i].node].type == TOPO_SWITCH) == pass)
                find_move(p, i);
}

static int report_move(struct pair *p, uint32_t end)
{
    const struct topo_port *new = &p->new->ports[end];
    const struct topo_port *old = &p->old->ports[p->moved_from[end]];
    char node[TOPO_LABEL_BYTES];
    char from[TOPO_LABEL_BYTES];
    char to[TOPO_LABEL_BYTES];

    topo_node_label(&p->new->nodes[new->node], node);
    topo_node_label(&p->old->nodes[old->peer_node], from);
    topo_node_label(&p->new->nodes[new->peer_node], to);
    return topo_findings_add(p->list, described_end(p->new, new)->line, TOPO_LINK_MOVED,
                             "the cable at port %u of %s moved its other end from port %u of %s "
                             "to port %u of %s",
                             new->num, node, old->peer_num, from, new->peer_num, to);
}

static int report_new_link(struct pair *p, uint32_t i)
{
    const struct topo_port *port = &p->new->ports[i];
    const struct topo_port *before = same_cable(p->old, p->to_old, port);

    if (before)
        return compare_rates(p, before, port);
    if (p->moved_from[i] != TOPO_NONE)
        return report_move(p, i);
    if (p->moved_from[port->peer_port] != TOPO_NONE)
        return report_move(p, port->peer_port);
    return report_cable(p, p->new, port, TOPO_LINK_ADDED);
}

static int match_cables(struct pair *p)
{
    int err = 0;

    for (uint32_t i = 0; i < p->new->port_count; i++)
        p->moved_from[i] = TOPO_NONE;
    for (uint32_t i = 0; i < p->old->port_count; i++) {
        const struct topo_port *port = &p->old->ports[i];

        p->gone[i] = port->peer_port != TOPO_NONE && !same_cable(p->new, p->to_new, port);
    }
    find_moves(p);
    for (uint32_t i = 0; i < p->old->port_count && err == 0; i++)
        if (p->gone[i] && first_end(p->old, i))
            err = report_cable(p, p->old, &p->old->ports[i], TOPO_LINK_REMOVED);
    for (uint32_t i = 0; i < p->new->port_count &&err == 0; i++)
        if (first_end(p->new, i))
            err = report_new_link(p, i);
    return err;
}

static bool make_space(struct pair *p)
{
    p->old_sorted = sort_nodes(p->old);
    p->new_sorted = sort_nodes(p->new);
    p->to_new = malloc(((size_t)p->old->node_count + 1) * sizeof(*p->to_new));
    p->to_old = malloc(((size_t)p->new->node_count + 1) * sizeof(*p->to_old));
    p->moved_from = malloc(((size_t)p->new->port_count + 1) * sizeof(*p->moved_from));
    p->gone = calloc((size_t)p->old->port_count + 1, sizeof(*p->gone));
    return p->old_sorted && p->new_sorted && p->to_new && p->to_old && p->moved_from && p->gone;
}

static int compare(struct pair *p, struct topo_findings *ret)
{
    struct topo_findings list = {0};
    int err;

    p->list = &list;
    err = make_space(p) ? match_nodes(p) : WEFT_ERR_NOMEM;
    if (err == 0)
        err = match_cables(p);
    free(p->old_sorted);
    free(p->new_sorted);
    free(p->to_new);
    free(p->to_old);
    free(p->moved_from);
    free(p->gone);
    p->list = NULL;
    if (err != 0) {
        topo_findings_free(&list);
        return err;
    }
    *ret = list;
    return 0;
}

int topo_diff(const struct topo *old, const struct topo *new, struct topo_findings *ret)
{
    struct pair p = {.old = old, .new = new};

    return compare(&p, ret);
}

int topo_diff_with_lids(const struct topo *old, const struct topo *new, struct topo_findings *ret)
{
    struct pair p = {.old = old, .new = new, .lids = true};

    return compare(&p, ret);
}
