/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Matches the two ends of every cable, fills in ends that no line describes, and notes lines that
 * exclude each other. */
#include "topology/match.h"

#include "topology/findings.h"
#include "topology/sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int topo_ends_reserve(struct topo_ends *e, uint32_t space)
{
    struct topo_port *ports;
    uint64_t *peer_guids;

    if (space <= e->space)
        return 0;
    ports = realloc(e->ports, space * sizeof(*ports));
    if (ports)
        e->ports = ports;
    peer_guids = realloc(e->peer_guids, space * sizeof(*peer_guids));
    if (peer_guids)
        e->peer_guids = peer_guids;
    if (!ports || !peer_guids)
        return WEFT_ERR_NOMEM;
    e->space = space;
    return 0;
}

void topo_ends_add(struct topo_ends *e, const struct topo_claim *claim)
{
    e->ports[e->count] = claim->port;
    e->peer_guids[e->count++] = claim->peer_guid;
}

void topo_ends_free(struct topo_ends *e)
{
    free(e->ports);
    free(e->peer_guids);
    *e = (struct topo_ends){0};
}

/* What ends are sorted by: node, then port number. */
static uint64_t sort_key(const struct topo_port *p)
{
    return (uint64_t)p->node << 8 | p->num;
}

/* Whether every end comes after the one before, as in nearly every input. */
static bool are_sorted(const struct topo_ends *e)
{
    for (uint32_t i = 1; i < e->count; i++)
        if (sort_key(&e->ports[i - 1]) >= sort_key(&e->ports[i]))
            return false;
    return true;
}

static struct topo_key *list_keys(const struct topo_ends *e)
{
    struct topo_key *keys = malloc(e->count * sizeof(*keys));

    for (uint32_t i = 0; keys && i < e->count; i++)
        keys[i] = (struct topo_key){.key = sort_key(&e->ports[i]), .index = i};
    return keys;
}

static int report_second_line(struct topo *t, const struct topo_port *held,
                              const struct topo_port *other)
{
    char node[TOPO_LABEL_BYTES];
    char first[TOPO_LABEL_BYTES];
    char second[TOPO_LABEL_BYTES];

    topo_node_label(&t->nodes[held->node], node);
    topo_node_label(&t->nodes[held->peer_node], first);
    topo_node_label(&t->nodes[other->peer_node], second);
    return topo_findings_add(&t->findings, other->line, TOPO_CONTRADICTING_LINK,
                             "port %u of %s is cabled to port %u of %s here, but to port %u of %s "
                             "in line %" PRIu32,
                             held->num, node, other->peer_num, second, held->peer_num, first,
                             held->line);
}

/* Takes the ends over in the order of the keys. Of several lines for one port the first holds; a
 * line that says otherwise becomes a finding, an implied end that is not needed just goes. */
static int take_sorted(struct topo *t, const struct topo_ends *from, const struct topo_key *keys,
                       struct topo_ends *to)
{
    int err = topo_ends_reserve(to, from->count);

    for (uint32_t i = 0; i < from->count && err == 0; i++) {
        const struct topo_port *p = &from->ports[keys[i].index];
        const struct topo_port *held = i == 0 ? NULL : &to->ports[to->count - 1];

        if (!held || sort_key(held) != sort_key(p))
            topo_ends_add(
                to, &(struct topo_claim){.port = *p, .peer_guid = from->peer_guids[keys[i].index]});
        else if (!p->implied && (held->peer_node != p->peer_node || held->peer_num != p->peer_num))
            err = report_second_line(t, held, p);
    }
    return err;
}

static int sort_ends(struct topo *t, struct topo_ends *e)
{
    struct topo_ends sorted = {0};
    struct topo_key *keys;
    int err;

    if (are_sorted(e))
        return 0;
    keys = list_keys(e);
    err = keys ? topo_sort(keys, e->count) : WEFT_ERR_NOMEM;
    if (err == 0)
        err = take_sorted(t, e, keys, &sorted);
    free(keys);
    topo_ends_free(err == 0 ? e : &sorted);
    if (err == 0)
        *e = sorted;
    return err;
}

/* Notes for each node where its ends begin; they close the last node too. */
static void index_ends(const struct topo *t, const struct topo_ends *e, uint32_t *first)
{
    uint32_t next = 0;

    for (uint32_t node = 0; node <= t->node_count; node++) {
        while (next < e->count && e->ports[next].node < node)
            next++;
        first[node] = next;
    }
}

static uint32_t find_end(const struct topo_ends *e, const uint32_t *first, uint32_t node,
                         uint8_t num)
{
    uint32_t low = first[node];
    uint32_t high = first[node + 1];
    uint32_t guess = low + num - (num > 0);

    /* Where every port before it has a cable too. */
    if (guess < high && e->ports[guess].num == num)
        return guess;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (e->ports[middle].num < num)
            low = middle + 1;
        else
            high = middle;
    }
    return low < first[node + 1] && e->ports[low].num == num ? low : TOPO_NONE;
}

/* Finds the end that each end names as the other one, whatever that says itself.
 * Returns how many there is no line for. */
static uint32_t find_others(struct topo_ends *e, const uint32_t *first)
{
    uint32_t missing = 0;

    for (uint32_t i = 0; i < e->count; i++) {
        struct topo_port *p = &e->ports[i];

        p->peer_port = find_end(e, first, p->peer_node, p->peer_num);
        missing += p->peer_port == TOPO_NONE;
    }
    return missing;
}

/* Appends the other end of every cable of which only one end has a line. */
static int add_implied(const struct topo *t, struct topo_ends *e, uint32_t missing)
{
    uint32_t given = e->count;
    int err = topo_ends_reserve(e, given + missing);

    for (uint32_t i = 0; i < given && err == 0; i++) {
        const struct topo_port *p = &e->ports[i];
        struct topo_claim other = {.port = {.guid = e->peer_guids[i],
                                            .node = p->peer_node,
                                            .peer_node = p->node,
                                            .line = p->line,
                                            .num = p->peer_num,
                                            .peer_num = p->num,
                                            .implied = true}};

        if (p->peer_port != TOPO_NONE)
            continue;
        if (t->nodes[p->peer_node].type != TOPO_SWITCH)
            other.port.lid = p->peer_lid;
        topo_ends_add(e, &other);
    }
    return err;
}

static int report_odd_end(struct topo *t, const struct topo_port *p, const struct topo_port *other)
{
    char node[TOPO_LABEL_BYTES];
    char peer[TOPO_LABEL_BYTES];
    char third[TOPO_LABEL_BYTES];

    topo_node_label(&t->nodes[p->node], node);
    topo_node_label(&t->nodes[p->peer_node], peer);
    topo_node_label(&t->nodes[other->peer_node], third);
    return topo_findings_add(&t->findings, p->line, TOPO_CONTRADICTING_LINK,
                             "port %u of %s is cabled to port %u of %s here, but line %" PRIu32
                             " cables that one to port %u of %s",
                             p->num, node, p->peer_num, peer, other->line, other->peer_num, third);
}

/* A port's GUID may stand in its own line, in the other end's, or in both. */
static int take_port_guid(struct topo *t, const struct topo_port *p, uint64_t guid,
                          struct topo_port *peer)
{
    char label[TOPO_LABEL_BYTES];

    if (peer->guid == 0)
        peer->guid = guid;
    if (guid == 0 || guid == peer->guid)
        return 0;
    topo_node_label(&t->nodes[peer->node], label);
    return topo_findings_add(&t->findings, p->line, TOPO_GUID_MISMATCH,
                             "port %u of %s has the port GUID %016" PRIx64 " here, but %016" PRIx64
                             " in line %" PRIu32,
                             peer->num, label, guid, peer->guid, peer->line);
}

static int match_end(struct topo *t, struct topo_ends *e, uint32_t i)
{
    struct topo_port *p = &e->ports[i];
    struct topo_port *other = &e->ports[p->peer_port];

    if (other->peer_node == p->node && other->peer_num == p->num) {
        t->link_count += p->peer_port >= i;
        return take_port_guid(t, p, e->peer_guids[i], other);
    }
    p->peer_port = TOPO_NONE;
    return report_odd_end(t, p, other);
}

static void store_ports(struct topo *t, struct topo_ends *e, const uint32_t *first)
{
    t->ports = e->ports;
    t->port_count = e->count;
    e->ports = NULL;
    for (uint32_t i = 0; i < t->node_count; i++) {
        struct topo_node *n = &t->nodes[i];

        n->first_port = first[i];
        n->port_count = (uint16_t)(first[i + 1] - first[i]);
        if (n->num_ports == 0 && n->port_count > 0)
            n->num_ports = t->ports[n->first_port + n->port_count - 1].num;
        /* The LID of a switch without stanza stands in its neighbours' lines. */
        for (uint32_t p = first[i]; p < first[i + 1] && !n->declared; p++)
            if (n->type == TOPO_SWITCH && n->lid == 0)
                n->lid = t->ports[t->ports[p].peer_port].peer_lid;
    }
}

/* Forgets nodes that only lines without effect mention. Without a stanza and without a port nothing
 * refers to them. */
static void drop_unseen(struct topo *t, uint32_t *place)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < t->node_count; i++) {
        place[i] = kept;
        if (!t->nodes[i].declared && t->nodes[i].port_count == 0)
            free((char *)(uintptr_t)t->nodes[i].id);
        else if (kept++ != i)
            t->nodes[place[i]] = t->nodes[i];
    }
    if (kept == t->node_count)
        return;
    t->node_count = kept;
    for (uint32_t i = 0; i < t->port_count; i++) {
        t->ports[i].node = place[t->ports[i].node];
        t->ports[i].peer_node = place[t->ports[i].peer_node];
    }
}

/* Brings the ends in order, completes them and finds for each one where the other is. */
static int pair_ends(struct topo *t, struct topo_ends *e, uint32_t *first)
{
    int err = sort_ends(t, e);
    uint32_t missing;

    if (err != 0)
        return err;
    index_ends(t, e, first);
    missing = find_others(e, first);
    if (missing == 0)
        return 0;
    err = add_implied(t, e, missing);
    if (err == 0)
        err = sort_ends(t, e);
    if (err != 0)
        return err;
    index_ends(t, e, first);
    (void)find_others(e, first);
    return 0;
}

int topo_match_ends(struct topo *t, struct topo_ends *e)
{
    uint32_t *first = calloc((size_t)t->node_count + 2, sizeof(*first));
    /* A topology has a list of ports, be it empty. */
    int err = first ? topo_ends_reserve(e, 1) : WEFT_ERR_NOMEM;

    if (err == 0)
        err = pair_ends(t, e, first);
    for (uint32_t i = 0; i < e->count && err == 0; i++)
        err = match_end(t, e, i);
    if (err == 0) {
        store_ports(t, e, first);
        drop_unseen(t, first);
    }
    free(first);
    return err;
}
