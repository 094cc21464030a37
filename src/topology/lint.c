/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds what is wrong with a topology beyond what the reader has met: links, ports, LIDs, GUIDs and
 * parts without a path to the rest. What is merely missing (a GUID, a LID, a width) is not wrong.
 */
#include "topology/findings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* LMC is three bits (IBA 14.2.5.6). */
#define LMC_MAX 7

static uint16_t own_lid(const struct topo *t, const struct topo_port *p)
{
    const struct topo_node *n = &t->nodes[p->node];

    return n->type == TOPO_SWITCH ? n->lid : p->lid;
}

static int check_one_sided(const struct topo *t, const struct topo_port *p,
                           struct topo_findings *list)
{
    char node[TOPO_LABEL_BYTES];
    char peer[TOPO_LABEL_BYTES];

    if (p->peer_port == TOPO_NONE || !t->ports[p->peer_port].implied)
        return 0;
    topo_node_label(&t->nodes[p->node], node);
    topo_node_label(&t->nodes[p->peer_node], peer);
    return topo_findings_add(list, p->line, TOPO_ONE_SIDED_LINK,
                             "port %u of %s is cabled to port %u of %s, which has no %s", p->num,
                             node, p->peer_num, peer,
                             t->nodes[p->peer_node].declared ? "line for it" : "stanza");
}

static int check_word(const struct topo *t, const struct topo_port *p, enum topo_kind kind,
                      const char *what, const char *own, const char *other,
                      struct topo_findings *list)
{
    const struct topo_port *peer = &t->ports[p->peer_port];
    char node[TOPO_LABEL_BYTES];
    char far[TOPO_LABEL_BYTES];

    if (own[0] == '\0' || other[0] == '\0' || strcmp(own, other) == 0)
        return 0;
    topo_node_label(&t->nodes[p->node], node);
    topo_node_label(&t->nodes[peer->node], far);
    return topo_findings_add(list, p->line, kind,
                             "the link has %s %s at port %u of %s, but %s at port %u of %s in line "
                             "%" PRIu32,
                             what, own, p->num, node, other, peer->num, far, peer->line);
}

static int check_peer_lid(const struct topo *t, const struct topo_port *p,
                          struct topo_findings *list)
{
    const struct topo_port *peer = &t->ports[p->peer_port];
    uint16_t lid = own_lid(t, peer);
    char far[TOPO_LABEL_BYTES];

    if (p->implied || peer->implied || p->peer_lid == 0 || lid == 0 || p->peer_lid == lid)
        return 0;
    topo_node_label(&t->nodes[peer->node], far);
    return topo_findings_add(list, p->line, TOPO_LID_MISMATCH,
                             "port %u of %s has LID %u here, but its own stanza says %u", peer->num,
                             far, p->peer_lid, lid);
}

static int check_self(const struct topo *t, const struct topo_port *p, struct topo_findings *list)
{
    char node[TOPO_LABEL_BYTES];

    if (p->node != p->peer_node)
        return 0;
    topo_node_label(&t->nodes[p->node], node);
    return topo_findings_add(list, p->line, TOPO_SELF_LINK,
                             "port %u of %s is cabled to port %u of the same node", p->num, node,
                             p->peer_num);
}

static int check_port_number(const struct topo *t, const struct topo_port *p,
                             struct topo_findings *list)
{
    const struct topo_node *n = &t->nodes[p->node];
    char node[TOPO_LABEL_BYTES];

    if (p->num <= n->num_ports)
        return 0;
    topo_node_label(n, node);
    return topo_findings_add(list, p->line, TOPO_PORT_RANGE,
                             "port %u of %s has a cable, but the node has %u ports", p->num, node,
                             n->num_ports);
}

static int check_links(const struct topo *t, struct topo_findings *list)
{
    for (uint32_t i = 0; i < t->port_count; i++) {
        const struct topo_port *p = &t->ports[i];
        int err = check_port_number(t, p, list);

        if (err == 0)
            err = check_one_sided(t, p, list);
        if (err == 0 && p->peer_port != TOPO_NONE)
            err = check_peer_lid(t, p, list);
        if (err == 0 && p->peer_port != TOPO_NONE && p->peer_port >= i) {
            const struct topo_port *peer = &t->ports[p->peer_port];

            err = check_self(t, p, list);
            if (err == 0)
                err = check_word(t, p, TOPO_WIDTH_MISMATCH, "width", p->width, peer->width, list);
            if (err == 0)
                err = check_word(t, p, TOPO_SPEED_MISMATCH, "speed", p->speed, peer->speed, list);
        }
        if (err != 0)
            return err;
    }
    return 0;
}

/* Something with a number of its own: a LID range or a port GUID. */
struct holder {
    uint64_t first;
    uint64_t last;
    uint32_t node;
    uint32_t line;
    uint8_t num; /* 0 for a switch as a whole */
};

static int holder_order(const void *a, const void *b)
{
    const struct holder *x = a;
    const struct holder *y = b;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->num < y->num ? -1 : x->num > y->num;
}

static void holder_label(const struct topo *t, const struct holder *h,
                         char ret[TOPO_LABEL_BYTES + 16])
{
    char node[TOPO_LABEL_BYTES];

    topo_node_label(&t->nodes[h->node], node);
    if (h->num == 0)
        snprintf(ret, TOPO_LABEL_BYTES + 16, "%s", node);
    else
        snprintf(ret, TOPO_LABEL_BYTES + 16, "port %u of %s", h->num, node);
}

/* Makes a LID range, and a finding where it is none that a port can have. */
static int take_lid_range(const struct topo *t, uint16_t lid, uint8_t lmc, struct holder *h,
                          struct topo_findings *list)
{
    uint32_t size = lmc > LMC_MAX ? 1 : UINT32_C(1) << lmc;
    char label[TOPO_LABEL_BYTES + 16];

    h->first = lid;
    h->last = lid + size - 1;
    if (lmc <= LMC_MAX && h->last <= TOPO_LID_UNICAST_MAX && lid % size == 0)
        return 0;
    holder_label(t, h, label);
    return topo_findings_add(list, h->line, TOPO_LID_RANGE,
                             "%s has LID %u and LMC %u; LIDs go up to %d, an LMC to %d, and a LID "
                             "is a multiple of 2 to the LMC",
                             label, lid, lmc, TOPO_LID_UNICAST_MAX, LMC_MAX);
}

static int report_overlap(const struct topo *t, const struct holder *held, const struct holder *h,
                          enum topo_kind kind, struct topo_findings *list)
{
    const struct holder *later = h->line >= held->line ? h : held;
    const struct holder *earlier = later == h ? held : h;
    char here[TOPO_LABEL_BYTES + 16];
    char there[TOPO_LABEL_BYTES + 16];

    holder_label(t, later, here);
    holder_label(t, earlier, there);
    if (kind == TOPO_DUPLICATE_LID)
        return topo_findings_add(list, later->line, kind,
                                 "LID %" PRIu64 " is of %s, but also of %s in line %" PRIu32,
                                 h->first, here, there, earlier->line);
    return topo_findings_add(list, later->line, kind,
                             "the port GUID %016" PRIx64 " is of %s, but also of %s in line "
                             "%" PRIu32,
                             h->first, here, there, earlier->line);
}

static int report_overlaps(const struct topo *t, struct holder *holders, size_t count,
                           enum topo_kind kind, struct topo_findings *list)
{
    const struct holder *widest = NULL;
    int err = 0;

    qsort(holders, count, sizeof(*holders), holder_order);
    for (size_t i = 0; i < count && err == 0; i++) {
        if (widest && holders[i].first <= widest->last)
            err = report_overlap(t, widest, &holders[i], kind, list);
        if (!widest || holders[i].last > widest->last)
            widest = &holders[i];
    }
    return err;
}

static int check_lids(const struct topo *t, struct holder *holders, struct topo_findings *list)
{
    size_t count = 0;
    int err = 0;

    for (uint32_t i = 0; i < t->node_count && err == 0; i++) {
        const struct topo_node *n = &t->nodes[i];

        if (n->type != TOPO_SWITCH || n->lid == 0)
            continue;
        holders[count] = (struct holder){.node = i, .line = n->line};
        err = take_lid_range(t, n->lid, n->lmc, &holders[count++], list);
    }
    for (uint32_t i = 0; i < t->port_count && err == 0; i++) {
        const struct topo_port *p = &t->ports[i];

        if (t->nodes[p->node].type == TOPO_SWITCH || p->lid == 0)
            continue;
        holders[count] = (struct holder){.node = p->node, .line = p->line, .num = p->num};
        err = take_lid_range(t, p->lid, p->lmc, &holders[count++], list);
    }
    return err != 0 ? err : report_overlaps(t, holders, count, TOPO_DUPLICATE_LID, list);
}

static int check_port_guids(const struct topo *t, struct holder *holders,
                            struct topo_findings *list)
{
    size_t count = 0;

    for (uint32_t i = 0; i < t->port_count; i++) {
        const struct topo_port *p = &t->ports[i];

        if (t->nodes[p->node].type != TOPO_SWITCH && p->guid != 0)
            holders[count++] = (struct holder){p->guid, p->guid, p->node, p->line, p->num};
    }
    return report_overlaps(t, holders, count, TOPO_DUPLICATE_GUID, list);
}

/* Nodes that reach each other, while the parts are looked for. */
struct parts {
    uint32_t *part_of; /* per node, TOPO_NONE until it is known */
    uint32_t *queue;
    uint32_t *size;     /* per part */
    uint32_t *declared; /* per part: its first declared node, or TOPO_NONE */
    uint32_t count;
};

static void flood(const struct topo *t, struct parts *s, uint32_t start)
{
    uint32_t part = s->count++;
    uint32_t head = 0;
    uint32_t tail = 0;

    s->size[part] = 0;
    s->declared[part] = TOPO_NONE;
    s->part_of[start] = part;
    s->queue[tail++] = start;
    while (head < tail) {
        uint32_t node = s->queue[head++];
        const struct topo_node *n = &t->nodes[node];

        s->size[part]++;
        if (n->declared && node < s->declared[part])
            s->declared[part] = node;
        if (node != start && n->type != TOPO_SWITCH)
            continue;
        for (uint32_t i = n->first_port; i < n->first_port + n->port_count; i++) {
            uint32_t peer = t->ports[i].peer_node;

            if (t->ports[i].peer_port == TOPO_NONE || s->part_of[peer] != TOPO_NONE)
                continue;
            s->part_of[peer] = part;
            s->queue[tail++] = peer;
        }
    }
}

static int report_parts(const struct topo *t, const struct parts *s, struct topo_findings *list)
{
    uint32_t largest = 0;
    int err = 0;

    for (uint32_t i = 0; i < s->count; i++)
        if (s->size[i] > s->size[largest])
            largest = i;
    for (uint32_t i = 0; i < s->count && err == 0; i++) {
        char label[TOPO_LABEL_BYTES];

        if (i == largest || s->declared[i] == TOPO_NONE)
            continue;
        topo_node_label(&t->nodes[s->declared[i]], label);
        if (s->size[i] == 1)
            err = topo_findings_add(list, t->nodes[s->declared[i]].line, TOPO_UNREACHABLE_PART,
                                    "%s has no path to the rest", label);
        else
            err = topo_findings_add(list, t->nodes[s->declared[i]].line, TOPO_UNREACHABLE_PART,
                                    "%s and %" PRIu32 " more nodes have no path to the rest", label,
                                    s->size[i] - 1);
    }
    return err;
}

/* Switches first: a CA with cables into two parts does not join them. */
static int check_reach(const struct topo *t, struct topo_findings *list)
{
    uint32_t *memory = malloc(((size_t)t->node_count * 4 + 1) * sizeof(*memory));
    struct parts s = {0};
    int err;

    if (!memory)
        return WEFT_ERR_NOMEM;
    s.part_of = memory;
    s.queue = memory + t->node_count;
    s.size = s.queue + t->node_count;
    s.declared = s.size + t->node_count;
    for (uint32_t i = 0; i < t->node_count; i++)
        s.part_of[i] = TOPO_NONE;
    for (uint32_t i = 0; i < t->node_count; i++)
        if (t->nodes[i].type == TOPO_SWITCH && s.part_of[i] == TOPO_NONE)
            flood(t, &s, i);
    for (uint32_t i = 0; i < t->node_count; i++)
        if (s.part_of[i] == TOPO_NONE)
            flood(t, &s, i);
    err = report_parts(t, &s, list);
    free(memory);
    return err;
}

static int copy_findings(const struct topo_findings *from, struct topo_findings *list)
{
    int err = 0;

    for (size_t i = 0; i < from->count && err == 0; i++)
        err = topo_findings_copy(list, &from->items[i]);
    list->dropped += from->dropped;
    return err;
}

int topo_lint(const struct topo *t, struct topo_findings *ret)
{
    struct topo_findings list = {0};
    struct holder *holders = malloc(((size_t)t->node_count + t->port_count + 1) * sizeof(*holders));
    int err = holders ? copy_findings(&t->findings, &list) : WEFT_ERR_NOMEM;

    if (err == 0)
        err = check_links(t, &list);
    if (err == 0)
        err = check_lids(t, holders, &list);
    if (err == 0)
        err = check_port_guids(t, holders, &list);
    if (err == 0)
        err = check_reach(t, &list);
    free(holders);
    if (err != 0) {
        topo_findings_free(&list);
        return err;
    }
    topo_findings_sort(&list);
    *ret = list;
    return 0;
}
