/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The matrix for people: groups of ports, a partition at a time. */
#include "cli/matrix_view.h"
#include "cli/message.h"
#include "cli/name_ranges.h"
#include "cli/verb.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names and ranges printed of one group. */
#define ITEMS_MAX 32

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

/* Prints a line with those members that have all of `with` and nothing of `without`. */
static bool print_members(const struct matrix_view *v, const struct matrix_partition *p,
                          uint8_t with, uint8_t without)
{
    const char **names = calloc(p->count, sizeof(*names));
    char *text = NULL;
    size_t count = 0;
    size_t left = 0;

    for (uint32_t i = 0; names && i < p->count; i++) {
        const struct matrix_member *m = &v->matrix->members[p->first + i];

        if ((m->membership & with) == with && (m->membership & without) == 0)
            names[count++] = v->labels[m->port];
    }
    if (names)
        text = name_ranges(names, count, ITEMS_MAX, &left);
    free(names);
    if (!text)
        return false;
    if (count > 0)
        printf("        %s %zu: %s", matrix_membership_name(with), count, text);
    if (left > 0)
        printf(" and %zu more", left);
    if (count > 0)
        putchar('\n');
    free(text);
    return true;
}

static void print_reach(const struct matrix_partition *p)
{
    uint32_t limited = p->count - p->full;

    printf("0x%04x  ", p->base);
    if (matrix_view_is_mute(p))
        printf("%" PRIu32 " limited member%s only: nobody talks to anybody\n", limited,
               plural(limited));
    else if (p->count == 1)
        printf("one member: nobody to talk to\n");
    else if (limited == 0)
        printf("%" PRIu32 " members: everybody talks to everybody\n", p->count);
    else
        printf("%" PRIu32 " members: the full one%s to all, the limited one%s to the full one%s "
               "only\n",
               p->count, p->full == 1 ? "" : "s", plural(limited), plural(p->full));
}

static bool print_partition(const struct matrix_view *v, const struct matrix_partition *p)
{
    print_reach(p);
    return print_members(v, p, MEMBERSHIP_FULL | MEMBERSHIP_LIMITED, 0) &&
           print_members(v, p, MEMBERSHIP_FULL, MEMBERSHIP_LIMITED) &&
           print_members(v, p, MEMBERSHIP_LIMITED, MEMBERSHIP_FULL);
}

static void print_total(const struct matrix_view *v)
{
    uint32_t switches = 0;
    uint32_t enforcing = 0;
    uint32_t tables;
    uint32_t complete;

    for (uint32_t i = 0; i < weft_sweep_node_count(v->sweep); i++)
        switches += weft_sweep_node(v->sweep, i)->type == WEFT_SWEEP_SWITCH;
    for (uint32_t i = 0; i < weft_sweep_port_count(v->sweep); i++)
        enforcing +=
            weft_sweep_port(v->sweep, i)->enforces_in || weft_sweep_port(v->sweep, i)->enforces_out;
    pkey_tables_count(v->tables, &tables, &complete);
    printf("%" PRIu32 " host%s, %" PRIu32 " switch%s, %" PRIu32 " partition%s; %" PRIu32
           " of %" PRIu32 " P_Key tables read; %" PRIu32 " switch port%s enforce%s\n",
           weft_sweep_node_count(v->sweep) - switches,
           plural(weft_sweep_node_count(v->sweep) - switches), switches, switches == 1 ? "" : "es",
           v->matrix->partition_count, plural(v->matrix->partition_count), complete, tables,
           enforcing, plural(enforcing), enforcing == 1 ? "s" : "");
}

/* Prints a line with the ports of which one thing is missing. */
static bool print_gap(const struct matrix_view *v, enum matrix_gap_kind wanted, const char *words)
{
    const char **names = calloc(weft_sweep_port_count(v->sweep) + 1u, sizeof(*names));
    enum matrix_gap_kind kind;
    char *text = NULL;
    size_t count = 0;
    size_t left = 0;

    for (uint32_t port = 0; names && matrix_view_gap(v, &port, &kind); port++)
        if (kind == wanted)
            names[count++] = v->labels[port];
    if (names)
        text = name_ranges(names, count, ITEMS_MAX, &left);
    free(names);
    if (!text)
        return false;
    if (count > 0)
        printf("%s %s", words, text);
    if (left > 0)
        printf(" and %zu more", left);
    if (count > 0)
        putchar('\n');
    free(text);
    return true;
}

bool matrix_print_gaps(const struct matrix_view *v)
{
    if (!print_gap(v, MATRIX_GAP_BEHIND, "no answer from behind") ||
        !print_gap(v, MATRIX_GAP_STOPPED, "no answer any more from") ||
        !print_gap(v, MATRIX_GAP_TABLE, "P_Key table not read to its end:"))
        return false;
    if (weft_sweep_conflicts(v->sweep) > 0)
        printf("%" PRIu32 " link%s lead%s to a node GUID that is elsewhere, too\n",
               weft_sweep_conflicts(v->sweep), plural(weft_sweep_conflicts(v->sweep)),
               weft_sweep_conflicts(v->sweep) == 1 ? "s" : "");
    return true;
}

static void print_down(uint32_t down)
{
    if (down > 0)
        printf("%" PRIu32 " switch port%s down: who is behind %s is not known\n", down,
               down == 1 ? " is" : "s are", down == 1 ? "it" : "them");
}

int matrix_print_text(const struct matrix_view *v)
{
    bool good = true;

    for (uint32_t i = 0; i < v->matrix->partition_count && good; i++)
        good = print_partition(v, &v->matrix->partitions[i]);
    if (!good || !matrix_print_gaps(v))
        return message_failed("there is no memory for the names");
    print_down(matrix_view_ports_down(v));
    print_total(v);
    return CLI_DONE;
}
