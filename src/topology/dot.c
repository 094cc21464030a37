/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Writes a topology as Graphviz reads it. */
#include "core/wire/text.h"
#include "topology/convert.h"
#include "topology/rate.h"
#include "topology/tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Levels that are told apart when slow links are looked for, and hosts; the rest count as one. */
#define RATE_LEVELS 16
/* Different rates that are counted between two levels. */
#define RATES_MAX   8

/* How many links between two levels have a rate. */
struct rates {
    uint32_t rate[RATES_MAX];
    uint32_t count[RATES_MAX];
};

/* A graph while it is written. */
struct writing {
    const struct topo *t;
    uint16_t *level;
    uint32_t *hosts;
    struct rates rates[RATE_LEVELS][RATE_LEVELS];
    bool with_hosts;
    FILE *out;
};

/* A name between double quotes: dot gives a backslash its own meaning. */
static void write_text(const char *text, FILE *out)
{
    char safe[4 * TOPO_NAME_BYTES] = "";
    struct wire_text plain = {.out = safe, .cap = sizeof(safe)};

    wire_text_escaped(&plain, (const uint8_t *)text, strlen(text), false);
    wire_text_end(&plain);
    for (const char *c = safe; *c != '\0'; c++) {
        if (*c == '"')
            fputc('\\', out);
        fputc(*c, out);
        /* What was escaped has its backslashes doubled already, but for those of bytes. */
        if (*c == '\\' && c[1] == '\\')
            fputc(*++c, out);
        else if (*c == '\\')
            fputc('\\', out);
    }
}

static void write_id(const struct writing *w, uint32_t node)
{
    const struct topo_node *n = &w->t->nodes[node];

    if (n->guid != 0) {
        fprintf(w->out, "\"%s-%016" PRIx64 "\"", topo_type_name(n->type), n->guid);
        return;
    }
    fputc('"', w->out);
    write_text(n->id, w->out);
    fputc('"', w->out);
}

static bool is_drawn(const struct writing *w, uint32_t node)
{
    return w->with_hosts || w->t->nodes[node].type == TOPO_SWITCH;
}

static void write_node(const struct writing *w, uint32_t node)
{
    const struct topo_node *n = &w->t->nodes[node];

    fputs("    ", w->out);
    write_id(w, node);
    fputs(" [label=\"", w->out);
    if (n->name[0] != '\0')
        write_text(n->name, w->out);
    else if (n->guid != 0)
        fprintf(w->out, "%016" PRIx64, n->guid);
    else
        write_text(n->id, w->out);
    if (n->type == TOPO_SWITCH && !w->with_hosts && w->hosts[node] > 0)
        fprintf(w->out, "\\n%" PRIu32 " host%s", w->hosts[node], w->hosts[node] == 1 ? "" : "s");
    fprintf(w->out, "\"%s];\n",
            n->type == TOPO_SWITCH
                ? ""
                : (n->type == TOPO_ROUTER ? ", shape=diamond" : ", shape=ellipse"));
}

/* Switches of a level, or with TOPO_LEVEL_NONE all that have none. */
static void write_cluster(const struct writing *w, const uint32_t *nodes, uint32_t count,
                          const char *id, const char *label)
{
    fprintf(w->out, "  subgraph \"cluster_%s\" {\n    label=\"%s\";\n", id, label);
    for (uint32_t i = 0; i < count; i++)
        write_node(w, nodes[i]);
    fputs("  }\n", w->out);
}

static int by_level(const void *x, const void *y, void *writing)
{
    const struct writing *w = writing;
    uint32_t a = *(const uint32_t *)x;
    uint32_t b = *(const uint32_t *)y;
    bool other_a = w->t->nodes[a].type != TOPO_SWITCH;
    bool other_b = w->t->nodes[b].type != TOPO_SWITCH;

    if (other_a != other_b)
        return other_a ? 1 : -1;
    if (w->level[a] != w->level[b])
        return w->level[a] > w->level[b] ? -1 : 1;
    return (a > b) - (a < b);
}

static bool same_cluster(const struct writing *w, uint32_t a, uint32_t b)
{
    return (w->t->nodes[a].type == TOPO_SWITCH) == (w->t->nodes[b].type == TOPO_SWITCH) &&
           w->level[a] == w->level[b];
}

static int write_nodes(struct writing *w)
{
    uint32_t *order = malloc(((size_t)w->t->node_count + 1) * sizeof(*order));
    uint32_t used = 0;
    uint32_t end;

    if (!order)
        return WEFT_ERR_NOMEM;
    for (uint32_t i = 0; i < w->t->node_count; i++)
        if (is_drawn(w, i))
            order[used++] = i;
    qsort_r(order, used, sizeof(*order), by_level, w);
    for (uint32_t i = 0; i < used; i = end) {
        char id[24];
        char label[40];

        for (end = i + 1; end < used && same_cluster(w, order[i], order[end]); end++)
            continue;
        snprintf(id, sizeof(id), "level_%u", w->level[order[i]]);
        snprintf(label, sizeof(label), "level %u", w->level[order[i]]);
        if (w->t->nodes[order[i]].type != TOPO_SWITCH)
            write_cluster(w, order + i, end - i, "ends", "hosts and other ends");
        else if (w->level[order[i]] == TOPO_LEVEL_NONE)
            write_cluster(w, order + i, end - i, "no_level", "switches without a path to a host");
        else
            write_cluster(w, order + i, end - i, id, label);
    }
    free(order);
    return 0;
}

/* The slot of a node's level: 0 for what is no switch. */
static size_t rate_level(const struct writing *w, uint32_t node)
{
    if (w->t->nodes[node].type != TOPO_SWITCH)
        return 0;
    return w->level[node] < RATE_LEVELS - 2 ? w->level[node] + 1u : RATE_LEVELS - 1;
}

/* The end of a link whose rate is known, or the first. */
static const struct topo_port *rated_end(const struct topo *t, const struct topo_port *p)
{
    return p->width[0] != '\0' || p->speed[0] != '\0' ? p : &t->ports[p->peer_port];
}

static struct rates *rates_of(struct writing *w, const struct topo_port *p)
{
    size_t a = rate_level(w, p->node);
    size_t b = rate_level(w, p->peer_node);

    return a < b ? &w->rates[a][b] : &w->rates[b][a];
}

static void count_rate(struct writing *w, const struct topo_port *p)
{
    struct rates *r = rates_of(w, p);
    uint32_t rate = topo_rate(p->width, p->speed);

    for (size_t i = 0; i < RATES_MAX && rate != 0; i++) {
        if (r->count[i] != 0 && r->rate[i] != rate)
            continue;
        r->rate[i] = rate;
        r->count[i]++;
        return;
    }
}

/* Slower than the rate that most links between the same two levels have. */
static bool is_slow(struct writing *w, const struct topo_port *p)
{
    const struct rates *r = rates_of(w, p);
    uint32_t rate = topo_rate(p->width, p->speed);
    size_t most = 0;

    for (size_t i = 1; i < RATES_MAX; i++)
        if (r->count[i] > r->count[most])
            most = i;
    return rate != 0 && rate < r->rate[most];
}

/* dot draws the first end above the second: the higher level comes first. */
static bool stands_above(const struct writing *w, const struct topo_port *a,
                         const struct topo_port *b)
{
    return rate_level(w, a->node) > rate_level(w, b->node);
}

static void write_link(struct writing *w, const struct topo_port *p)
{
    const struct topo_port *peer = &w->t->ports[p->peer_port];
    const struct topo_port *rated = rated_end(w->t, p);
    const struct topo_port *high = stands_above(w, peer, p) ? peer : p;

    fputs("  ", w->out);
    write_id(w, high->node);
    fputs(" -- ", w->out);
    write_id(w, high->peer_node);
    fprintf(w->out, " [taillabel=\"%u\", headlabel=\"%u\"", high->num, high->peer_num);
    if (is_slow(w, rated)) {
        fputs(", color=red, penwidth=3, fontcolor=red, label=\"", w->out);
        write_text(rated->width, w->out);
        write_text(rated->speed, w->out);
        fputs("\"", w->out);
    }
    fputs("];\n", w->out);
}

static void write_links(struct writing *w)
{
    for (uint32_t i = 0; i < w->t->port_count; i++)
        if (w->t->ports[i].peer_port != TOPO_NONE && w->t->ports[i].peer_port >= i)
            count_rate(w, rated_end(w->t, &w->t->ports[i]));
    for (uint32_t i = 0; i < w->t->port_count; i++) {
        const struct topo_port *p = &w->t->ports[i];

        if (p->peer_port != TOPO_NONE && p->peer_port >= i && is_drawn(w, p->node) &&
            is_drawn(w, p->peer_node))
            write_link(w, p);
    }
}

int topo_write_dot(const struct topo *t, bool hosts, FILE *out)
{
    struct writing w = {.t = t, .with_hosts = hosts, .out = out};
    int err = WEFT_ERR_NOMEM;

    w.level = malloc(((size_t)t->node_count + 1) * sizeof(*w.level));
    w.hosts = topo_count_hosts(t);
    if (w.level && w.hosts)
        err = topo_levels(t, w.hosts, w.level);
    if (err == 0) {
        fputs("graph fabric {\n  graph [ranksep=2];\n  node [shape=box];\n"
              "  edge [fontsize=8];\n",
              out);
        err = write_nodes(&w);
    }
    if (err == 0) {
        write_links(&w);
        fputs("}\n", out);
    }
    free(w.level);
    free(w.hosts);
    return err;
}
