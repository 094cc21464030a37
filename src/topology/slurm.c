/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Writes topology.conf: which host is at which leaf, and the tree above them. */
#include "topology/convert.h"
#include "topology/hostlist.h"
#include "topology/names.h"
#include "topology/tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A port of a host. */
struct seat {
    struct topo_legal_name host;
    uint32_t node;
    uint32_t port; /* record; TOPO_NONE: the adapter has no cable */
    uint32_t leaf; /* the switch at its other end; TOPO_NONE: the host is not written here */
};

/* A topology.conf while it is written. */
struct writing {
    const struct topo *t;
    const struct topo_slurm_options *options;
    struct seat *seats; /* by host, a host's by its adapters */
    size_t seat_count;
    uint32_t *hosts; /* per node: hosts that are written at it */
    struct topo_tree tree;
    struct topo_legal_name *switch_names; /* per node */
    struct topo_legal_name *names;        /* per place */
    const char **list;                    /* names of one line */
    uint32_t *first_member;               /* per place: a switch that it stands for, or TOPO_NONE */
    uint32_t *next_member; /* per node: another one of the same place, or TOPO_NONE */
    struct topo_slurm_report report;
};

static int by_host(const void *x, const void *y, void *topology)
{
    const struct topo *t = topology;
    const struct seat *a = x;
    const struct seat *b = y;
    int order = strcmp(a->host.text, b->host.text);

    if (order == 0)
        order = strcmp(t->nodes[a->node].name, t->nodes[b->node].name);
    if (order == 0)
        order = (t->nodes[a->node].guid > t->nodes[b->node].guid) -
                (t->nodes[a->node].guid < t->nodes[b->node].guid);
    if (order == 0)
        order = (a->node > b->node) - (a->node < b->node);
    return order == 0 ? (a->port > b->port) - (a->port < b->port) : order;
}

static bool find_seats(struct writing *w)
{
    const struct topo *t = w->t;

    w->seats = calloc((size_t)t->host_count + t->port_count + 1, sizeof(*w->seats));
    for (uint32_t i = 0; i < t->host_count && w->seats; i++) {
        const struct topo_node *n = &t->nodes[t->hosts[i]];
        struct seat seat = {.host = topo_host_name(n, w->options->names),
                            .node = t->hosts[i],
                            .port = TOPO_NONE,
                            .leaf = TOPO_NONE};

        if (n->port_count == 0)
            w->seats[w->seat_count++] = seat;
        for (seat.port = n->first_port; seat.port < n->first_port + n->port_count; seat.port++)
            w->seats[w->seat_count++] = seat;
    }
    if (w->seats)
        qsort_r(w->seats, w->seat_count, sizeof(*w->seats), by_host, (void *)(uintptr_t)t);
    return w->seats;
}

static bool fits(const struct writing *w, const struct seat *seat)
{
    const char *rail = w->options->rail;
    const struct topo_port *p;

    if (seat->port == TOPO_NONE ||
        (rail && !topo_name_has_word(w->t->nodes[seat->node].name, rail)))
        return false;
    p = &w->t->ports[seat->port];
    return p->peer_port != TOPO_NONE && w->t->nodes[p->peer_node].type == TOPO_SWITCH;
}

/* Takes the port of a host at which it is written; gives how many seats the host has. */
static size_t choose_seat(struct writing *w, size_t first)
{
    uint64_t wanted = w->options->port == 0 ? 1 : w->options->port;
    uint64_t fitting = 0;
    size_t i;

    for (i = first; i < w->seat_count; i++) {
        struct seat *seat = &w->seats[i];

        if (strcmp(seat->host.text, w->seats[first].host.text) != 0)
            break;
        if (fits(w, seat) && ++fitting == wanted) {
            seat->leaf = w->t->ports[seat->port].peer_node;
            w->hosts[seat->leaf]++;
        }
    }
    if (fitting < wanted)
        w->report.hosts_left_out++;
    else
        w->report.hosts++;
    if (fitting > 1 && w->options->port == 0)
        w->report.ports_left_out += (uint32_t)(fitting - 1);
    return i - first;
}

static void count_across(struct writing *w)
{
    const uint16_t *level = w->tree.level;

    w->report.across_port = TOPO_NONE;
    for (uint32_t i = 0; i < w->t->port_count; i++) {
        const struct topo_port *p = &w->t->ports[i];

        if (p->peer_port == TOPO_NONE || p->peer_port <= i || p->peer_node == p->node ||
            level[p->node] == TOPO_LEVEL_NONE || level[p->node] != level[p->peer_node])
            continue;
        if (w->report.across++ == 0)
            w->report.across_port = i;
    }
}

static bool name_places(struct writing *w)
{
    uint32_t count = w->tree.place_count;

    w->switch_names = topo_switch_names(w->t);
    w->names = calloc((size_t)count + 1, sizeof(*w->names));
    w->list = malloc((w->seat_count + w->t->node_count + count + 1) * sizeof(*w->list));
    if (!w->switch_names || !w->names || !w->list)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct topo_place *p = &w->tree.places[i];
        const char *name = p->node == TOPO_NONE ? "fabric" : w->switch_names[p->node].text;
        const char *end = p->kind == TOPO_PLACE_BESIDE ? "-nodes" : "";

        if (p->kind == TOPO_PLACE_ACROSS && p->parent != TOPO_NONE)
            continue;
        snprintf(w->names[i].text, TOPO_LEGAL_BYTES, "%.*s%s", TOPO_LEGAL_BYTES - 8, name, end);
        if (p->kind == TOPO_PLACE_ACROSS && w->report.across++ > 0)
            snprintf(w->names[i].text, TOPO_LEGAL_BYTES, "fabric-%" PRIu32, w->report.across);
    }
    w->report.across = 0;
    return topo_names_settle(w->names, count) == 0;
}

static int by_leaf(const void *x, const void *y)
{
    const struct seat *a = x;
    const struct seat *b = y;

    return (a->leaf > b->leaf) - (a->leaf < b->leaf);
}

/* The hosts of a leaf; *at goes on to the seats of the next. */
static void write_nodes(struct writing *w, uint32_t place, size_t *at, FILE *out)
{
    size_t count = 0;

    for (; *at < w->seat_count && w->seats[*at].leaf == w->tree.places[place].node; ++*at)
        w->list[count++] = w->seats[*at].host.text;
    fprintf(out, "SwitchName=%s Nodes=", w->names[place].text);
    topo_write_hostlist(w->list, count, out);
    fputc('\n', out);
    w->report.leaves++;
}

/* Chains the switches of each place: a fabric may have many places of few. */
static bool find_members(struct writing *w)
{
    w->first_member = malloc(((size_t)w->tree.place_count + 1) * sizeof(*w->first_member));
    w->next_member = malloc(((size_t)w->t->node_count + 1) * sizeof(*w->next_member));
    if (!w->first_member || !w->next_member)
        return false;
    for (uint32_t i = 0; i < w->tree.place_count; i++)
        w->first_member[i] = TOPO_NONE;
    for (uint32_t i = 0; i < w->t->node_count; i++) {
        uint32_t place = w->tree.group[i];

        if (place == TOPO_NONE)
            continue;
        w->next_member[i] = w->first_member[place];
        w->first_member[place] = i;
    }
    return true;
}

/* Which switches a place stands for, if for more than one. */
static void write_members(struct writing *w, uint32_t place, FILE *out)
{
    size_t count = 0;

    for (uint32_t i = w->first_member[place]; i != TOPO_NONE; i = w->next_member[i])
        w->list[count++] = w->switch_names[i].text;
    if (count < 2)
        return;
    fprintf(out, "# %s stands for %zu switches: ", w->names[place].text, count);
    topo_write_hostlist(w->list, count, out);
    fputc('\n', out);
}

static void write_switches(struct writing *w, uint32_t place, FILE *out)
{
    const struct topo_place *places = w->tree.places;
    size_t count = 0;

    if (places[place].kind == TOPO_PLACE_ACROSS)
        fprintf(out, "# %s is no switch: cables between the switches below join them\n",
                w->names[place].text);
    else
        write_members(w, place, out);
    for (uint32_t i = places[place].child; i != TOPO_NONE; i = places[i].next)
        w->list[count++] = w->names[i].text;
    fprintf(out, "SwitchName=%s Switches=", w->names[place].text);
    topo_write_hostlist(w->list, count, out);
    fputc('\n', out);
    w->report.groups++;
}

static void write_tree(struct writing *w, FILE *out)
{
    size_t at = 0;

    qsort(w->seats, w->seat_count, sizeof(*w->seats), by_leaf);
    fprintf(out,
            "# Switches and hosts of an InfiniBand fabric, for TopologyPlugin=topology/tree\n");
    for (uint32_t i = 0; i < w->tree.place_count; i++) {
        if (w->tree.places[i].parent == TOPO_NONE)
            w->report.roots++;
        if (w->tree.places[i].kind == TOPO_PLACE_LEAF ||
            w->tree.places[i].kind == TOPO_PLACE_BESIDE)
            write_nodes(w, i, &at, out);
        else
            write_switches(w, i, out);
    }
}

static int write_conf(struct writing *w, FILE *out)
{
    if (!w->hosts || !find_seats(w))
        return WEFT_ERR_NOMEM;
    for (size_t i = 0; i < w->seat_count;)
        i += choose_seat(w, i);
    if (w->report.hosts == 0)
        return WEFT_ERR_NOTFOUND;
    if (topo_tree_build(w->t, w->hosts, &w->tree) != 0 || !name_places(w) || !find_members(w))
        return WEFT_ERR_NOMEM;
    count_across(w);
    write_tree(w, out);
    return 0;
}

int topo_write_slurm(const struct topo *t, const struct topo_slurm_options *o, FILE *out,
                     struct topo_slurm_report *report)
{
    uint32_t *hosts = calloc((size_t)t->node_count + 1, sizeof(*hosts));
    struct writing w = {.t = t, .options = o, .hosts = hosts};
    int err = write_conf(&w, out);

    if (err == 0)
        *report = w.report;
    topo_tree_clear(&w.tree);
    free(w.seats);
    free(hosts);
    free(w.switch_names);
    free(w.names);
    free(w.list);
    free(w.first_member);
    free(w.next_member);
    return err;
}
