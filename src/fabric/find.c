/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finding a node by what people call it. */
#include "core/base/suggest.h"
#include "fabric/build.h"
#include "fabric/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SUGGESTIONS       3
/* Anybody may ask for names that are not there: so many nodes are looked at, and so many compared
 * letter by letter. */
#define HINT_NODES_MAX    16384
#define NEAREST_NODES_MAX 4096

/* Digits of a GUID. */
#define GUID_DIGITS     16
/* Tools print it without leading zeroes; fewer digits without 0x are rather half a name. */
#define GUID_DIGITS_MIN 13

/* A name for a message: what is no printable ASCII becomes a question mark. */
static const char *printable(const char *name, char ret[TOPO_NAME_BYTES])
{
    size_t i = 0;

    for (; i < TOPO_NAME_BYTES - 1 && name[i]; i++)
        ret[i] = name[i] >= 0x20 && name[i] < 0x7F ? name[i] : '?';
    ret[i] = '\0';
    return ret;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Whether two names differ in letters' case and in zeroes before numbers only: host-1 is
 * host-00001, and leaf01 Leaf1. */
static bool same_but_zeroes(const char *a, const char *b)
{
    bool in_number = false;

    for (;; a++, b++) {
        if (!in_number) {
            while (*a == '0' && is_digit(a[1]))
                a++;
            while (*b == '0' && is_digit(b[1]))
                b++;
        }
        if (strncasecmp(a, b, 1) != 0)
            return false;
        if (*a == '\0')
            return true;
        in_number = is_digit(*a);
    }
}

/* Nodes of which one may have been meant: names that are the same but for zeroes, else those that
 * contain what was asked for, else the nearest. */
struct hints {
    const char *names[SUGGESTIONS];
    unsigned count;
};

static void find_hints(const struct fabric *f, const char *text, struct hints *ret)
{
    uint32_t nodes = f->node_count < HINT_NODES_MAX ? f->node_count : HINT_NODES_MAX;
    struct suggest nearest;

    suggest_start(&nearest, text);
    for (uint32_t i = 0; i < nodes && ret->count < SUGGESTIONS; i++)
        if (same_but_zeroes(f->nodes[i].name, text))
            ret->names[ret->count++] = f->nodes[i].name;
    if (ret->count > 0)
        return;
    for (uint32_t i = 0; i < nodes && ret->count < SUGGESTIONS; i++)
        if (strlen(text) > 1 && strcasestr(f->nodes[i].name, text))
            ret->names[ret->count++] = f->nodes[i].name;
    for (uint32_t i = 0; i < nodes && f->node_count <= NEAREST_NODES_MAX && ret->count == 0; i++)
        suggest_offer(&nearest, f->nodes[i].name);
    if (ret->count == 0 && suggest_best(&nearest))
        ret->names[ret->count++] = suggest_best(&nearest);
}

static void suggest_nodes(const struct fabric *f, const char *text, struct fabric_error *error)
{
    char example[TOPO_NAME_BYTES];
    struct hints hints = {.count = 0};
    size_t used = strlen(error->text);

    find_hints(f, text, &hints);
    for (unsigned i = 0; i < hints.count && used < sizeof(error->text); i++) {
        char name[TOPO_NAME_BYTES];
        bool last = i + 1 == hints.count;
        const char *before = i == 0 ? "; did you mean " : last ? " or " : ", ";

        used += (size_t)snprintf(error->text + used, sizeof(error->text) - used, "%s\"%s\"%s",
                                 before, printable(hints.names[i], name), last ? "?" : "");
    }
    if (hints.count == 0)
        (void)snprintf(error->text + used, sizeof(error->text) - used,
                       "; others are there, such as \"%s\": weft fabric ctl nodes lists them",
                       printable(f->nodes[0].name, example));
}

/* Dumps call a node by a letter for its type and its GUID: "H-0002c90300001234". */
static bool is_dumps_id(const char *text)
{
    return text[0] && strchr("HSR", text[0]) && text[1] == '-' && strlen(text) == 2 + GUID_DIGITS;
}

static bool find_guid(const struct fabric *f, const char *text, uint32_t *ret)
{
    const char *digits;
    uint32_t port;

    if (is_dumps_id(text))
        text += 2;
    digits = !strncasecmp(text, "0x", 2) ? text + 2 : text;

    if (strlen(digits) == 0 || strlen(digits) > GUID_DIGITS ||
        (digits == text && strlen(digits) < GUID_DIGITS_MIN) ||
        digits[strspn(digits, "0123456789abcdefABCDEF")] != '\0')
        return false;
    port = build_find_guid(f, strtoull(digits, NULL, 16));
    if (port == FABRIC_NONE)
        return false;
    *ret = f->ports[port].node;
    return true;
}

static bool find_lid(const struct fabric *f, const char *text, uint32_t *ret)
{
    unsigned long lid;
    char *end;

    if (strncasecmp(text, "lid:", 4) != 0 || text[4] < '0' || text[4] > '9')
        return false;
    lid = strtoul(text + 4, &end, 0);
    if (*end != '\0' || lid == 0 || lid > TOPO_LID_UNICAST_MAX)
        return false;
    for (uint32_t i = 0; i < f->port_count; i++) {
        if (!port_owns_lid(&f->ports[i], (uint16_t)lid))
            continue;
        *ret = f->ports[i].node;
        return true;
    }
    return false;
}

int fabric_find(const struct fabric *f, const char *text, uint32_t *ret_node,
                struct fabric_error *error)
{
    char name[TOPO_NAME_BYTES];
    uint32_t node = 0;
    uint32_t count = names_find(f, text, UINT32_MAX, &node);

    if (count > 1) {
        snprintf(error->text, sizeof(error->text),
                 "%" PRIu32 " nodes are called \"%s\"; give a GUID, for example 0x%016" PRIx64,
                 count, printable(text, name), f->nodes[node].guid);
        return WEFT_ERR_CONFLICT;
    }
    if (count == 0 && !names_find_id(f, text, &node) && !find_guid(f, text, &node) &&
        !find_lid(f, text, &node)) {
        snprintf(error->text, sizeof(error->text), "there is no node \"%s\"",
                 printable(text, name));
        suggest_nodes(f, text, error);
        return WEFT_ERR_NOTFOUND;
    }
    *ret_node = node;
    return 0;
}
