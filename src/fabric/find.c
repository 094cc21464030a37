/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finding a node by what people call it. */
#include "fabric/build.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SUGGESTIONS 3

/* Digits of a GUID. */
#define GUID_DIGITS 16

/* A name for a message: what is no printable ASCII becomes a question mark. */
static const char *printable(const char *name, char ret[TOPO_NAME_BYTES])
{
    size_t i = 0;

    for (; name[i] && i < TOPO_NAME_BYTES - 1; i++)
        ret[i] = name[i] >= 0x20 && name[i] < 0x7F ? name[i] : '?';
    ret[i] = '\0';
    return ret;
}

/* How many letters must be changed, put in or left out between two names; more than `limit` counts
 * as limit + 1. Case does not count. */
static unsigned distance(const char *a, const char *b, unsigned limit)
{
    size_t m = strlen(a), n = strlen(b);
    uint8_t row[TOPO_NAME_BYTES];

    if (m >= TOPO_NAME_BYTES || n >= TOPO_NAME_BYTES || m > n + limit || n > m + limit)
        return limit + 1;
    for (size_t j = 0; j <= n; j++)
        row[j] = (uint8_t)j;
    for (size_t i = 1; i <= m; i++) {
        uint8_t diagonal = row[0], best;

        row[0] = (uint8_t)i;
        best = row[0];
        for (size_t j = 1; j <= n; j++) {
            uint8_t same = !strncasecmp(&a[i - 1], &b[j - 1], 1) ? 0 : 1;
            uint8_t changed = (uint8_t)(diagonal + same);
            uint8_t left = (uint8_t)(row[j - 1] + 1), above = (uint8_t)(row[j] + 1);

            diagonal = row[j];
            row[j] = changed < left ? changed : left;
            row[j] = above < row[j] ? above : row[j];
            best = row[j] < best ? row[j] : best;
        }
        if (best > limit)
            return limit + 1;
    }
    return row[n];
}

/* How unlike a node's name is to what was asked for; 0: it contains it. */
static unsigned unlikeness(const char *name, const char *text, unsigned limit)
{
    return text[0] && strcasestr(name, text) ? 0 : distance(name, text, limit);
}

/* Appends up to three nodes with a name like the text: ` (similar: "a", "b")`. */
static void suggest(const struct fabric *f, const char *text, struct fabric_error *error)
{
    unsigned limit = strlen(text) < 6 ? 1 : 3;
    uint32_t found[SUGGESTIONS];
    unsigned count = 0, worst[SUGGESTIONS];
    size_t used = strlen(error->text);

    for (uint32_t i = 0; i < f->node_count; i++) {
        unsigned far = unlikeness(f->nodes[i].name, text, limit), at;

        if (far > limit || f->nodes[i].name[0] == '\0')
            continue;
        for (at = count; at > 0 && worst[at - 1] > far; at--) {
            if (at == SUGGESTIONS)
                continue;
            found[at] = found[at - 1];
            worst[at] = worst[at - 1];
        }
        if (at == SUGGESTIONS)
            continue;
        found[at] = i;
        worst[at] = far;
        if (count < SUGGESTIONS)
            count++;
    }
    for (unsigned i = 0; i < count && used < sizeof(error->text); i++) {
        char name[TOPO_NAME_BYTES];

        used += (size_t)snprintf(error->text + used, sizeof(error->text) - used, "%s\"%s\"",
                                 i == 0 ? "; similar: " : ", ",
                                 printable(f->nodes[found[i]].name, name));
    }
}

/* The only node whose name this is.
 * @return how many there are */
static uint32_t find_name(const struct fabric *f, const char *text, uint32_t *ret)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < f->node_count && text[0]; i++) {
        if (strcmp(f->nodes[i].name, text) != 0)
            continue;
        *ret = i;
        count++;
    }
    return count;
}

static bool find_id(const struct fabric *f, const char *text, uint32_t *ret)
{
    for (uint32_t i = 0; i < f->node_count; i++) {
        if (!f->nodes[i].id || strcmp(f->nodes[i].id, text) != 0)
            continue;
        *ret = i;
        return true;
    }
    return false;
}

static bool find_guid(const struct fabric *f, const char *text, uint32_t *ret)
{
    const char *digits = !strncasecmp(text, "0x", 2) ? text + 2 : text;
    uint32_t port;

    if (strlen(digits) == 0 || strlen(digits) > GUID_DIGITS ||
        (digits == text && strlen(digits) != GUID_DIGITS) ||
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
    uint32_t count = find_name(f, text, &node);

    if (count > 1) {
        snprintf(error->text, sizeof(error->text),
                 "%" PRIu32 " nodes are called \"%s\"; give a GUID, for example 0x%016" PRIx64,
                 count, printable(text, name), f->nodes[node].guid);
        return WEFT_ERR_CONFLICT;
    }
    if (count == 0 && !find_id(f, text, &node) && !find_guid(f, text, &node) &&
        !find_lid(f, text, &node)) {
        snprintf(error->text, sizeof(error->text), "there is no node \"%s\"",
                 printable(text, name));
        suggest(f, text, error);
        return WEFT_ERR_NOTFOUND;
    }
    *ret_node = node;
    return 0;
}
