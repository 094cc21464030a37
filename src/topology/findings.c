/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lists of what is wrong with a topology or changed in it, bounded. */
#include "topology/findings.h"

#include "findings/list.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Takes the text over, also when that fails; NULL is a text for which there was no memory. */
static int append(struct topo_findings *list, uint32_t line, enum topo_kind kind, char *text)
{
    struct topo_finding *items =
        text ? findings_grow(list->items, list->count, &list->space, sizeof(*items)) : NULL;

    if (!items) {
        free(text);
        return WEFT_ERR_NOMEM;
    }
    list->items = items;
    items[list->count++] = (struct topo_finding){.line = line, .kind = kind, .text = text};
    return 0;
}

int topo_findings_add(struct topo_findings *list, uint32_t line, enum topo_kind kind,
                      const char *format, ...)
{
    va_list args;
    char *text;

    if (list->count >= TOPO_FINDINGS_MAX) {
        list->dropped++;
        return 0;
    }
    va_start(args, format);
    text = findings_text(format, args);
    va_end(args);
    return append(list, line, kind, text);
}

int topo_findings_copy(struct topo_findings *list, const struct topo_finding *finding)
{
    if (list->count >= TOPO_FINDINGS_MAX) {
        list->dropped++;
        return 0;
    }
    return append(list, finding->line, finding->kind, strdup(finding->text));
}

static int by_line(const void *a, const void *b)
{
    const struct topo_finding *x = a;
    const struct topo_finding *y = b;

    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return strcmp(x->text, y->text);
}

void topo_findings_sort(struct topo_findings *list)
{
    if (list->count > 1)
        qsort(list->items, list->count, sizeof(*list->items), by_line);
}

void topo_findings_free(struct topo_findings *list)
{
    if (!list)
        return;
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].text);
    free(list->items);
    *list = (struct topo_findings){0};
}

const char *topo_kind_name(enum topo_kind kind)
{
    static const char *const names[TOPO_KINDS] = {
        [TOPO_ONE_SIDED_LINK] = "one-sided-link", [TOPO_CONTRADICTING_LINK] = "contradicting-link",
        [TOPO_WIDTH_MISMATCH] = "width-mismatch", [TOPO_SPEED_MISMATCH] = "speed-mismatch",
        [TOPO_SELF_LINK] = "self-link",           [TOPO_UNREACHABLE_PART] = "unreachable",
        [TOPO_DUPLICATE_GUID] = "duplicate-guid", [TOPO_DUPLICATE_LID] = "duplicate-lid",
        [TOPO_LID_MISMATCH] = "lid-mismatch",     [TOPO_LID_RANGE] = "lid-range",
        [TOPO_PORT_RANGE] = "port-range",         [TOPO_GUID_MISMATCH] = "guid-mismatch",
        [TOPO_NODE_REMOVED] = "node-removed",     [TOPO_NODE_ADDED] = "node-added",
        [TOPO_NODE_CHANGED] = "node-changed",     [TOPO_STANZA_REMOVED] = "stanza-removed",
        [TOPO_STANZA_ADDED] = "stanza-added",     [TOPO_LINK_REMOVED] = "link-removed",
        [TOPO_LINK_ADDED] = "link-added",         [TOPO_LINK_CHANGED] = "link-changed",
        [TOPO_LINK_MOVED] = "link-moved",
    };

    return names[kind];
}
