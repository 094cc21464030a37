/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Two ports and why they can talk, or cannot. */
#include "cli/json_print.h"
#include "cli/matrix_view.h"
#include "cli/verb.h"

#include <inttypes.h>
#include <stdio.h>

/* Where a packet may be stopped on its way, at the links of both. */
enum gate_place {
    GATE_FROM_IN,  /* what `from` sends */
    GATE_TO_OUT,   /* what is for `to` */
    GATE_TO_IN,    /* what `to` sends */
    GATE_FROM_OUT, /* what is for `from` */
    GATES
};

/* One key that one or both have. */
struct common {
    const struct matrix_partition *partition;
    uint8_t from, to; /* memberships */
    bool matches;     /* by the rule of the keys alone */
    enum matrix_gate gates[GATES];
};

struct pair {
    const struct matrix_view *view;
    uint32_t from, to;
};

static weft_pkey key_of(weft_pkey base, uint8_t membership)
{
    return (weft_pkey)(base | ((membership & MEMBERSHIP_FULL) != 0 ? WEFT_PKEY_FULL : 0));
}

static enum matrix_gate gate(const struct pair *p, uint32_t port, weft_pkey key, bool entering)
{
    return matrix_gate(p->view->sweep, p->view->tables, port, key, entering);
}

/* A packet carries its sender's highest membership. */
static struct common look(const struct pair *p, const struct matrix_partition *partition)
{
    const struct matrix *m = p->view->matrix;
    struct common c = {.partition = partition,
                       .from = matrix_membership(m, partition, p->from),
                       .to = matrix_membership(m, partition, p->to)};
    weft_pkey from_key = key_of(partition->base, c.from);
    weft_pkey to_key = key_of(partition->base, c.to);

    c.matches = membership_reaches(c.from, c.to);
    if (!c.matches)
        return c;
    c.gates[GATE_FROM_IN] = gate(p, p->from, from_key, true);
    c.gates[GATE_TO_OUT] = gate(p, p->to, from_key, false);
    c.gates[GATE_TO_IN] = gate(p, p->to, to_key, true);
    c.gates[GATE_FROM_OUT] = gate(p, p->from, to_key, false);
    return c;
}

static bool stopped(const struct common *c, enum gate_place first)
{
    return c->gates[first] == GATE_DROPS || c->gates[first + 1] == GATE_DROPS;
}

static bool forth(const struct common *c)
{
    return c->matches && !stopped(c, GATE_FROM_IN);
}

static bool back(const struct common *c)
{
    return c->matches && !stopped(c, GATE_TO_IN);
}

/* Counts the keys that both have, and those of them on which packets go in both directions. */
static void count_keys(const struct pair *p, uint32_t *ret_common, uint32_t *ret_talk)
{
    const struct matrix *m = p->view->matrix;

    *ret_common = *ret_talk = 0;
    for (uint32_t i = 0; i < m->partition_count; i++) {
        struct common c = look(p, &m->partitions[i]);

        *ret_common += c.from && c.to;
        *ret_talk += forth(&c) && back(&c);
    }
}

static const char *why_not(const struct common *c)
{
    if (!c->matches)
        return "no: two limited members do not talk";
    if (forth(c) && back(c))
        return "yes";
    if (!forth(c) && !back(c))
        return "no: switches drop it in both directions";
    return "no: switches drop it in one direction";
}

static void print_gates(const struct pair *p, const struct common *c)
{
    const struct weft_sweep *s = p->view->sweep;

    for (int i = 0; i < GATES; i++) {
        bool at_from = i == GATE_FROM_IN || i == GATE_FROM_OUT;
        bool entering = i == GATE_FROM_IN || i == GATE_TO_IN;
        uint32_t port = at_from ? p->from : p->to;

        if (c->gates[i] != GATE_DROPS && c->gates[i] != GATE_UNKNOWN)
            continue;
        printf("        %s %s what %s%s%s: %s\n", p->view->labels[weft_sweep_port(s, port)->peer],
               c->gates[i] == GATE_DROPS ? "drops" : "may drop", entering ? "" : "is for ",
               p->view->labels[port], entering ? " sends" : "",
               c->gates[i] == GATE_DROPS ? "its own P_Key table has no entry that lets it pass"
                                         : "its own P_Key table could not be read");
    }
}

static void print_keys(const struct pair *p)
{
    const struct matrix *m = p->view->matrix;

    for (uint32_t i = 0; i < m->partition_count; i++) {
        struct common c = look(p, &m->partitions[i]);

        if (!c.from || !c.to)
            continue;
        printf("0x%04x  %s - %s: %s\n", c.partition->base, matrix_membership_name(c.from),
               matrix_membership_name(c.to), why_not(&c));
        print_gates(p, &c);
    }
    for (uint32_t i = 0; i < m->partition_count; i++) {
        struct common c = look(p, &m->partitions[i]);

        if (!c.from != !c.to)
            printf("0x%04x  only %s has it (%s)\n", c.partition->base,
                   p->view->labels[c.from ? p->from : p->to],
                   matrix_membership_name(c.from | c.to));
    }
}

/* The switches at the links of both. */
static void print_enforcement(const struct pair *p)
{
    const struct weft_sweep *s = p->view->sweep;
    const uint32_t ports[] = {p->from, p->to};

    for (int i = 0; i < 2; i++) {
        uint32_t peer = weft_sweep_port(s, ports[i])->peer;
        const struct weft_sweep_port *at =
            peer == WEFT_SWEEP_NONE ? NULL : weft_sweep_port(s, peer);

        if (at && (at->enforces_in || at->enforces_out))
            printf("%s, where %s is connected, enforces partitions%s\n", p->view->labels[peer],
                   p->view->labels[ports[i]],
                   at->enforces_in && at->enforces_out ? " in both directions"
                   : at->enforces_in                   ? " of what comes in"
                                                       : " of what goes out");
    }
}

/* The tables of both, and of the switches at their links. */
static void list_tables(const struct pair *p, uint32_t ret[4])
{
    const struct weft_sweep *s = p->view->sweep;

    ret[0] = p->from;
    ret[1] = p->to;
    ret[2] = weft_sweep_port(s, p->from)->peer;
    ret[3] = weft_sweep_port(s, p->to)->peer;
}

static bool is_whole(const struct pair *p)
{
    uint32_t ports[4];
    bool whole = true;

    list_tables(p, ports);
    for (int i = 0; i < 4; i++)
        whole = whole &&
                (ports[i] == WEFT_SWEEP_NONE || pkey_tables_complete(p->view->tables, ports[i]));
    return whole;
}

static void print_holes(const struct pair *p)
{
    uint32_t ports[4];

    list_tables(p, ports);
    for (int i = 0; i < 4; i++)
        if (ports[i] != WEFT_SWEEP_NONE && !pkey_tables_complete(p->view->tables, ports[i]))
            printf("the P_Key table of %s could not be read to its end: there may be more keys\n",
                   p->view->labels[ports[i]]);
}

int matrix_print_pair(const struct matrix_view *v, uint32_t from, uint32_t to)
{
    const struct pair p = {v, from, to};
    uint32_t common;
    uint32_t talk;

    count_keys(&p, &common, &talk);
    printf("%s and %s %s talk: ", v->labels[from], v->labels[to], talk > 0 ? "can" : "cannot");
    if (common == 0)
        printf("they have no key in common\n");
    else if (talk == 0)
        printf("the %" PRIu32 " key%s in common do%s not serve\n", common, common == 1 ? "" : "s",
               common == 1 ? "es" : "");
    else
        printf("on %" PRIu32 " of %" PRIu32 " key%s in common\n", talk, common,
               common == 1 ? "" : "s");
    print_keys(&p);
    print_enforcement(&p);
    print_holes(&p);
    return is_whole(&p) ? CLI_DONE : CLI_PART;
}

static json_t *gates_to_json(const struct common *c)
{
    static const char *const gates[] = {"off", "passes", "drops", "unknown"};

    if (!c->matches)
        return json_null();
    return json_pack("{s:s, s:s, s:s, s:s}", "from_in", gates[c->gates[GATE_FROM_IN]], "to_out",
                     gates[c->gates[GATE_TO_OUT]], "to_in", gates[c->gates[GATE_TO_IN]], "from_out",
                     gates[c->gates[GATE_FROM_OUT]]);
}

static json_t *key_to_json(const struct common *c)
{
    return json_pack("{s:o, s:s, s:s, s:b, s:b, s:b, s:o}", "pkey",
                     json_sprintf("0x%04x", c->partition->base), "from",
                     matrix_membership_name(c->from), "to", matrix_membership_name(c->to),
                     "matches", (int)c->matches, "forth", (int)forth(c), "back", (int)back(c),
                     "switches", gates_to_json(c));
}

static json_t *keys_to_json(const struct pair *p)
{
    const struct matrix *m = p->view->matrix;
    json_t *list = json_array();

    for (uint32_t i = 0; i < m->partition_count && list; i++) {
        struct common c = look(p, &m->partitions[i]);
        json_t *item = c.from || c.to ? key_to_json(&c) : NULL;

        if ((c.from || c.to) && (!item || json_array_append(list, item) != 0)) {
            json_decref(list);
            list = NULL;
        }
        json_decref(item);
    }
    return list;
}

int matrix_print_pair_json(const struct matrix_view *v, uint32_t from, uint32_t to)
{
    const struct pair p = {v, from, to};
    uint32_t common;
    uint32_t talk;
    int exit_code;

    count_keys(&p, &common, &talk);
    exit_code = json_print(json_pack("{s:s, s:{s:s, s:s, s:b, s:b, s:o}}", "schema",
                                     "weft.partitions.matrix/1", "pair", "from", v->labels[from],
                                     "to", v->labels[to], "talk", (int)(talk > 0), "complete",
                                     (int)is_whole(&p), "keys", keys_to_json(&p)));
    return exit_code == CLI_DONE && !is_whole(&p) ? CLI_PART : exit_code;
}
