/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters for people: a table of ports, who is missing, a summary. */
#include "cli/counters_view.h"
#include "cli/message.h"
#include "cli/name_ranges.h"
#include "cli/verb.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of one kind of gap that are listed. */
#define GAP_ITEMS 40

/* Of a switch, and of an adapter with one port, the name is enough: names that count up are put
 * together. */
static const char *gap_label(const struct weft_sweep *s, uint32_t port, char *ret)
{
    const struct weft_sweep_port *p = weft_sweep_port(s, port);
    const struct weft_sweep_node *n = weft_sweep_node(s, p->node);

    if (p->number == 0 || (n->type != WEFT_SWEEP_SWITCH && n->port_count == 1))
        return counters_node_label(s, p->node, ret);
    return counters_label(s, port, ret);
}

/* Names of ports that are told of together. */
struct names {
    char (*labels)[COUNTERS_LABEL_BYTES];
    const char **names;
    uint32_t count;
};

static bool names_init(struct names *n, uint32_t count)
{
    n->labels = calloc(count + 1u, sizeof(*n->labels));
    n->names = calloc(count + 1u, sizeof(*n->names));
    n->count = 0;
    return n->labels && n->names;
}

static char *names_next(struct names *n)
{
    n->names[n->count] = n->labels[n->count];
    return n->labels[n->count++];
}

/* Prints them, if there are any, and gives them back. */
static bool names_print(struct names *n, const char *words)
{
    size_t left = 0;
    char *text = n->labels && n->names ? name_ranges(n->names, n->count, GAP_ITEMS, &left) : NULL;

    if (text && n->count > 0)
        printf("%s: %s", words, text);
    if (text && left > 0)
        printf(" and %zu more", left);
    if (text && n->count > 0)
        putchar('\n');
    free(text);
    free(n->names);
    free(n->labels);
    return text != NULL;
}

static bool print_gaps_of(const struct counters_view *v, enum counters_gap_kind wanted)
{
    enum counters_gap_kind kind;
    struct names names;

    if (v->gaps[wanted] == 0)
        return true;
    if (names_init(&names, v->gaps[wanted]))
        for (uint32_t port = 0; counters_view_gap(v, &port, &kind); port++)
            if (kind == wanted)
                (void)gap_label(v->sweep, port, names_next(&names));
    return names_print(&names, counters_gap_words(wanted));
}

static bool print_disputes_of(const struct counters_view *v, enum weft_sweep_trouble_kind wanted,
                              const char *words)
{
    enum weft_sweep_trouble_kind kind;
    struct names names;
    uint32_t port;

    if (names_init(&names, counters_view_disputes(v)))
        for (uint32_t i = 0; (port = counters_view_dispute(v, &i, &kind)) != WEFT_SWEEP_NONE; i++)
            if (kind == wanted)
                (void)counters_label(v->sweep, port, names_next(&names));
    return names_print(&names, words);
}

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

static void print_summary(const struct counters_view *v)
{
    uint32_t asked = 0;

    for (unsigned i = WEFT_COUNTERS_READ; i <= WEFT_COUNTERS_NO_ADDRESS; i++)
        asked += v->states[i];
    printf("%" PRIu32 " port%s: %" PRIu32 " read", asked, plural(asked),
           v->states[WEFT_COUNTERS_READ]);
    if (v->states[WEFT_COUNTERS_QUIET] > 0)
        printf(", %" PRIu32 " nothing wrong by their switch's sum", v->states[WEFT_COUNTERS_QUIET]);
    printf(", %" PRIu32 " not read; ",
           asked - v->states[WEFT_COUNTERS_READ] - v->states[WEFT_COUNTERS_QUIET]);
    if (v->troubled == 0)
        puts("nothing is wrong with what was read");
    else
        printf("something is wrong with %" PRIu32 " port%s\n", v->troubled, plural(v->troubled));
}

int counters_print_text(const struct counters_view *v, bool all)
{
    if (v->row_count > 0 && !counters_print_table(v, all))
        return message_failed("there is no memory for the names");
    for (unsigned k = 0; k < COUNTERS_GAPS; k++)
        if (!print_gaps_of(v, (enum counters_gap_kind)k))
            return message_failed("there is no memory for the names");
    if (!print_disputes_of(v, WEFT_SWEEP_TWICE, "leads to a node GUID that is elsewhere, too") ||
        !print_disputes_of(v, WEFT_SWEEP_CHANGED,
                           "leads to a node that says something else when asked by another way") ||
        !print_disputes_of(v, WEFT_SWEEP_UNSTABLE,
                           "leads to a switch that has another GUID each time it is asked"))
        return message_failed("there is no memory for the names");
    print_summary(v);
    return CLI_DONE;
}
