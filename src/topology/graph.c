/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Questions about a topology: who is where, and how far apart. */
#include "topology/topology.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct topo *topo_free(struct topo *t)
{
    if (!t)
        return NULL;
    for (uint32_t i = 0; i < t->node_count; i++)
        free((char *)(uintptr_t)t->nodes[i].id);
    free(t->nodes);
    free(t->ports);
    free(t->hosts);
    free(t->by_guid);
    free(t->ignored);
    topo_findings_free(&t->findings);
    free(t);
    return NULL;
}

uint32_t topo_find_guid(const struct topo *t, uint64_t guid)
{
    uint32_t low = 0;
    uint32_t high = t->by_guid_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (t->nodes[t->by_guid[middle]].guid < guid)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == t->by_guid_count || t->nodes[t->by_guid[low]].guid != guid)
        return TOPO_NONE;
    return t->by_guid[low];
}

uint32_t topo_find_port(const struct topo *t, uint32_t node, uint8_t num)
{
    const struct topo_node *n = &t->nodes[node];

    for (uint32_t i = n->first_port; i < n->first_port + n->port_count; i++)
        if (t->ports[i].num == num)
            return i;
    return TOPO_NONE;
}

int topo_hops(const struct topo *t, uint32_t from, uint16_t *ret_hops)
{
    uint32_t *queue;
    uint32_t head = 0;
    uint32_t tail = 0;

    if (from >= t->node_count)
        return WEFT_ERR_INVALID;
    queue = malloc(t->node_count * sizeof(*queue));
    if (!queue)
        return WEFT_ERR_NOMEM;
    for (uint32_t i = 0; i < t->node_count; i++)
        ret_hops[i] = TOPO_UNREACHABLE;
    ret_hops[from] = 0;
    queue[tail++] = from;
    while (head < tail) {
        uint32_t node = queue[head++];
        const struct topo_node *n = &t->nodes[node];

        if (node != from && n->type != TOPO_SWITCH)
            continue;
        for (uint32_t i = n->first_port; i < n->first_port + n->port_count; i++) {
            uint32_t peer = t->ports[i].peer_node;

            if (t->ports[i].peer_port == TOPO_NONE || ret_hops[peer] != TOPO_UNREACHABLE)
                continue;
            /* A chain longer than the type is no fabric; its end then counts as this far. */
            ret_hops[peer] =
                ret_hops[node] < TOPO_UNREACHABLE - 1 ? ret_hops[node] + 1 : TOPO_UNREACHABLE - 1;
            queue[tail++] = peer;
        }
    }
    free(queue);
    return 0;
}

const char *topo_type_name(enum topo_node_type type)
{
    static const char *const names[] = {
        [TOPO_SWITCH] = "Switch", [TOPO_CA] = "Ca", [TOPO_ROUTER] = "Rt"};

    return names[type];
}

void topo_node_label(const struct topo_node *node, char ret[TOPO_LABEL_BYTES])
{
    if (node->guid != 0)
        snprintf(ret, TOPO_LABEL_BYTES, "%s %016" PRIx64 "%s%s%s", topo_type_name(node->type),
                 node->guid, node->name[0] == '\0' ? "" : " \"", node->name,
                 node->name[0] == '\0' ? "" : "\"");
    else
        snprintf(ret, TOPO_LABEL_BYTES, "%s \"%s\"", topo_type_name(node->type), node->id);
}
