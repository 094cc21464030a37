/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names for the ports of a matrix, and ports for names. */
#include "cli/matrix_view.h"

#include "cli/message.h"
#include "cli/printable.h"
#include "core/base/suggest.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* PortInfo:PortState. */
#define STATE_DOWN 1

/* A NodeDescription with every byte escaped. */
#define NAME_SHOWN_BYTES (4 * WEFT_SWEEP_NAME_BYTES)

/* For sorting nodes by name. */
struct named {
    const char *name;
    uint32_t node;
};

static int named_compare(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

/* Marks the nodes whose name says who they are.
 * Returns NULL when there is no memory. */
static bool *find_unique(const struct weft_sweep *s)
{
    uint32_t count = weft_sweep_node_count(s);
    struct named *names = calloc(count + 1u, sizeof(*names));
    bool *unique = calloc(count + 1u, sizeof(*unique));

    if (!names || !unique) {
        free(names);
        free(unique);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        names[i] = (struct named){weft_sweep_node(s, i)->name, i};
    qsort(names, count, sizeof(*names), named_compare);
    for (uint32_t i = 0; i < count; i++)
        unique[names[i].node] = names[i].name[0] != '\0' &&
                                (i == 0 || strcmp(names[i - 1].name, names[i].name) != 0) &&
                                (i + 1 == count || strcmp(names[i + 1].name, names[i].name) != 0);
    free(names);
    return unique;
}

static uint32_t count_reached(const struct weft_sweep *s, const struct weft_sweep_node *n)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i <= n->port_count; i++)
        count += weft_sweep_port(s, n->first_port + i)->reached;
    return count;
}

static bool label_node(struct matrix_view *v, uint32_t node, bool unique)
{
    const struct weft_sweep_node *n = weft_sweep_node(v->sweep, node);
    char name[NAME_SHOWN_BYTES];
    bool many = count_reached(v->sweep, n) > 1;
    int length = 0;

    (void)printable(n->name, name, sizeof(name));
    if (!unique)
        (void)snprintf(name, sizeof(name), "0x%016" PRIx64, n->guid);
    for (uint32_t i = 0; i <= n->port_count && length >= 0; i++) {
        if (n->type == WEFT_SWEEP_SWITCH ? i == 0 : !many)
            length = asprintf(&v->labels[n->first_port + i], "%s", name);
        else
            length = asprintf(&v->labels[n->first_port + i], "%s/%" PRIu32, name, i);
        if (length < 0)
            v->labels[n->first_port + i] = NULL;
    }
    return length >= 0;
}

bool matrix_view_init(struct matrix_view *ret, const struct weft_sweep *s,
                      const struct pkey_tables *t, const struct matrix *m)
{
    bool *unique = find_unique(s);
    bool good;

    *ret = (struct matrix_view){.sweep = s, .tables = t, .matrix = m};
    ret->labels = calloc(weft_sweep_port_count(s) + 1u, sizeof(ret->labels[0]));
    good = unique && ret->labels;
    for (uint32_t i = 0; i < weft_sweep_node_count(s) && good; i++)
        good = label_node(ret, i, unique[i]);
    free(unique);
    return good;
}

void matrix_view_free(struct matrix_view *v)
{
    for (uint32_t i = 0; v->labels && i < weft_sweep_port_count(v->sweep); i++)
        free(v->labels[i]);
    free(v->labels);
    v->labels = NULL;
}

/* Whether a text is a GUID in hexadecimal. */
static bool is_guid(const char *text, uint64_t *ret)
{
    size_t length = strlen(text);
    char *end;

    if (length < 3 || length > 18 || strncmp(text, "0x", 2) != 0 ||
        strspn(text + 2, "0123456789abcdefABCDEF") != length - 2)
        return false;
    *ret = strtoull(text + 2, &end, 16);
    return true;
}

/* Whether a text means a port: by its label, its node's name with or without its number, or a GUID.
 */
static bool means(const struct matrix_view *v, uint32_t port, const char *text, uint64_t guid)
{
    const struct weft_sweep_port *p = weft_sweep_port(v->sweep, port);
    const struct weft_sweep_node *n = weft_sweep_node(v->sweep, p->node);
    size_t length = strlen(n->name);
    char number[8];

    if (guid != 0)
        return p->guid == guid || n->guid == guid;
    if (strcmp(v->labels[port], text) == 0)
        return true;
    if (length == 0 || strncmp(text, n->name, length) != 0)
        return false;
    (void)snprintf(number, sizeof(number), "/%u", p->number);
    return text[length] == '\0' || strcmp(text + length, number) == 0;
}

/* Whether two texts differ in digits alone: the names of two of a series, not one misspelt. */
static bool is_sibling(const char *a, const char *b)
{
    if (strlen(a) != strlen(b))
        return false;
    for (size_t i = 0; a[i] != '\0'; i++)
        if (a[i] != b[i] && !(isdigit((unsigned char)a[i]) && isdigit((unsigned char)b[i])))
            return false;
    return true;
}

static uint32_t not_found(const struct matrix_view *v, const char *text)
{
    char shown[PRINTABLE_PATH_BYTES];
    enum matrix_gap_kind kind;
    struct suggest near;
    uint32_t down = matrix_view_ports_down(v);
    uint32_t port = 0;

    suggest_start(&near, text);
    for (uint32_t i = 0; i < weft_sweep_port_count(v->sweep); i++)
        if (weft_sweep_port(v->sweep, i)->reached && !is_sibling(text, v->labels[i]))
            suggest_offer(&near, v->labels[i]);
    (void)printable(text, shown, sizeof(shown));
    if (suggest_best(&near))
        message_failed("nobody who can be reached is \"%s\"; did you mean \"%s\"?", shown,
                       suggest_best(&near));
    else
        message_failed(
            "nobody who can be reached is \"%s\"; give a name that weft partitions matrix "
            "prints, or a GUID such as 0x0002c90300000001",
            shown);
    if (matrix_view_gap(v, &port, &kind))
        message("not everybody has answered; weft partitions matrix lists who has not");
    if (down > 0)
        message("%" PRIu32 " switch port%s down: who is behind %s is not known", down,
                down == 1 ? " is" : "s are", down == 1 ? "it" : "them");
    return WEFT_SWEEP_NONE;
}

uint32_t matrix_view_find(const struct matrix_view *v, const char *text)
{
    uint32_t found = WEFT_SWEEP_NONE;
    uint64_t guid = 0;
    char shown[PRINTABLE_PATH_BYTES];

    (void)is_guid(text, &guid);
    for (uint32_t i = 0; i < weft_sweep_port_count(v->sweep); i++) {
        const struct weft_sweep_port *p = weft_sweep_port(v->sweep, i);

        if (!p->reached || !means(v, i, text, guid))
            continue;
        if (guid == 0 && found != WEFT_SWEEP_NONE &&
            p->node != weft_sweep_port(v->sweep, found)->node) {
            message_failed("several nodes are called \"%s\": give a GUID",
                           printable(text, shown, sizeof(shown)));
            return WEFT_SWEEP_NONE;
        }
        /* Port GUIDs say more than node GUIDs. */
        if (found == WEFT_SWEEP_NONE || (guid != 0 && p->guid == guid))
            found = i;
    }
    return found == WEFT_SWEEP_NONE ? not_found(v, text) : found;
}

bool matrix_view_gap(const struct matrix_view *v, uint32_t *port, enum matrix_gap_kind *ret)
{
    for (; *port < weft_sweep_port_count(v->sweep); (*port)++) {
        const struct weft_sweep_port *p = weft_sweep_port(v->sweep, *port);

        if (p->mute_peer)
            *ret = MATRIX_GAP_BEHIND;
        else if (p->silent)
            *ret = MATRIX_GAP_STOPPED;
        else if (!pkey_tables_complete(v->tables, *port))
            *ret = MATRIX_GAP_TABLE;
        else
            continue;
        return true;
    }
    return false;
}

uint32_t matrix_view_ports_down(const struct matrix_view *v)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < weft_sweep_port_count(v->sweep); i++) {
        const struct weft_sweep_port *p = weft_sweep_port(v->sweep, i);

        count += weft_sweep_node(v->sweep, p->node)->type == WEFT_SWEEP_SWITCH && p->number > 0 &&
                 p->state == STATE_DOWN;
    }
    return count;
}

bool matrix_view_is_mute(const struct matrix_partition *p)
{
    return p->full == 0;
}

const char *matrix_membership_name(uint8_t membership)
{
    static const char *const names[] = {"none", "limited", "full", "both"};

    return names[membership & (MEMBERSHIP_FULL | MEMBERSHIP_LIMITED)];
}
