/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which ports of a fabric are meant. */
#include "cli/counters_look.h"
#include "cli/message.h"
#include "cli/printable.h"
#include "cli/verb.h"
#include "core/base/quantity.h"
#include "core/base/suggest.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* What a text means: one of these. */
struct meant {
    const char *text;
    uint64_t guid; /* 0: none */
    uint16_t lid;  /* 0: none */
};

static struct meant meant_by(const char *text)
{
    struct meant m = {.text = text};
    size_t length = strlen(text);
    uint64_t lid;

    if (length >= 3 && length <= 18 && strncmp(text, "0x", 2) == 0 &&
        strspn(text + 2, "0123456789abcdefABCDEF") == length - 2)
        m.guid = strtoull(text, NULL, 16);
    else if (quantity_parse_count(text, &lid) && lid < 0xC000)
        m.lid = (uint16_t)lid;
    return m;
}

/* Whether a node is meant, or one of its ports by GUID or LID. A name may look like a number. */
static bool is_node_meant(const struct weft_sweep *s, const struct weft_sweep_node *n,
                          const struct meant *m)
{
    if (strcmp(n->name, m->text) == 0 || fnmatch(m->text, n->name, 0) == 0)
        return true;
    if (m->guid != 0 && n->guid == m->guid)
        return true;
    for (uint32_t i = 0; i <= n->port_count; i++) {
        const struct weft_sweep_port *p = weft_sweep_port(s, n->first_port + i);

        if (p->reached &&
            ((m->guid != 0 && p->guid == m->guid) || (m->lid != 0 && p->lid == m->lid)))
            return true;
    }
    return false;
}

/* Whether the last word of an adapter's name is this one: "node1 mlx5_0", "node1 HCA-1". */
static bool is_on_rail(const struct weft_sweep_node *n, const char *rail)
{
    const char *last = strrchr(n->name, ' ');

    return n->type == WEFT_SWEEP_CA && last && fnmatch(rail, last + 1, 0) == 0;
}

static bool is_chosen(const struct counters_request *r, const struct weft_sweep *s,
                      const struct weft_sweep_node *n)
{
    struct meant m;

    if (r->rail)
        return is_on_rail(n, r->rail);
    m = meant_by(r->of ? r->of : r->with_switch);
    if (r->with_switch && n->type != WEFT_SWEEP_SWITCH)
        return false;
    return is_node_meant(s, n, &m);
}

int counters_select_nobody(const struct counters_request *r, const struct weft_sweep *s)
{
    const char *text = r->rail ? r->rail : r->of ? r->of : r->with_switch;
    char shown[PRINTABLE_PATH_BYTES], near_shown[4 * WEFT_SWEEP_NAME_BYTES];
    struct suggest near;

    (void)printable(text, shown, sizeof(shown));
    if (r->rail)
        return message_failed("no adapter's name has the last word \"%s\", as in "
                              "\"node1 mlx5_0\"",
                              shown);
    suggest_start(&near, text);
    for (uint32_t i = 0; i < weft_sweep_node_count(s); i++)
        if (r->of || weft_sweep_node(s, i)->type == WEFT_SWEEP_SWITCH)
            suggest_offer(&near, weft_sweep_node(s, i)->name);
    if (suggest_best(&near))
        return message_failed("no %s that answers is \"%s\"; did you mean \"%s\"?",
                              r->of ? "node" : "switch", shown,
                              printable(suggest_best(&near), near_shown, sizeof(near_shown)));
    return message_failed("no %s that answers is \"%s\": give a name, a pattern such as leaf-*, a "
                          "GUID or a LID",
                          r->of ? "node" : "switch", shown);
}

static bool choose(const struct counters_request *r, const struct weft_sweep *s, bool *wanted)
{
    bool any = false;

    for (uint32_t i = 0; i < weft_sweep_node_count(s); i++) {
        const struct weft_sweep_node *n = weft_sweep_node(s, i);

        if (!is_chosen(r, s, n))
            continue;
        any = true;
        for (uint32_t p = n->first_port; p <= n->first_port + n->port_count; p++) {
            wanted[p] = true;
            if (!r->of && weft_sweep_port(s, p)->peer != WEFT_SWEEP_NONE)
                wanted[weft_sweep_port(s, p)->peer] = true;
        }
    }
    return any;
}

bool counters_select(const struct counters_request *r, const struct weft_sweep *s, bool **wanted,
                     bool *ret_any)
{
    uint32_t ports = weft_sweep_port_count(s);
    bool *made = realloc(*wanted, ports + 1u);
    bool selects = r->of || r->with_switch || r->rail;

    if (!made)
        return false;
    *wanted = made;
    memset(made, !selects, ports + 1u);
    *ret_any = !selects || choose(r, s, made);
    return true;
}
