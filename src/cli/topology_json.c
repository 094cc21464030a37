/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A topology for programs. */
#include "cli/json_print.h"
#include "cli/printable.h"
#include "cli/topology_action.h"
#include "topology/tree.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

static json_t *guid_to_json(uint64_t guid)
{
    return guid != 0 ? json_sprintf("0x%016" PRIx64, guid) : json_null();
}

static json_t *text_to_json(const char *text)
{
    char safe[4 * TOPO_NAME_BYTES];

    return text ? json_string(printable(text, safe, sizeof(safe))) : json_null();
}

static json_t *number_to_json(uint32_t number)
{
    return number != 0 ? json_integer(number) : json_null();
}

static json_t *word_to_json(const char *word)
{
    return word[0] != '\0' ? text_to_json(word) : json_null();
}

static const char *type_word(enum topo_node_type type)
{
    static const char *const words[] = {
        [TOPO_SWITCH] = "switch", [TOPO_CA] = "ca", [TOPO_ROUTER] = "router"};

    return words[type];
}

/* A cable's other end; where that names another cable, only what this end says. */
static json_t *port_to_json(const struct topo *t, const struct topo_port *p)
{
    const struct topo_node *n = &t->nodes[p->node];
    bool is_switch = n->type == TOPO_SWITCH;

    return json_pack(
        "{s:i, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:{s:I, s:o, s:i}}", "port", (int)p->num, "guid",
        guid_to_json(p->guid), "lid", is_switch ? json_null() : number_to_json(p->lid), "lmc",
        is_switch ? json_null() : json_integer(p->lmc), "width", word_to_json(p->width), "speed",
        word_to_json(p->speed), "linked", (int)(p->peer_port != TOPO_NONE), "described",
        (int)!p->implied, "peer", "node", (json_int_t)p->peer_node, "guid",
        guid_to_json(t->nodes[p->peer_node].guid), "port", (int)p->peer_num);
}

static json_t *node_to_json(const struct topo *t, const struct topo_node *n, uint16_t level)
{
    json_t *ports = json_array();

    for (uint32_t i = n->first_port; i < n->first_port + n->port_count && ports; i++)
        if (json_array_append_new(ports, port_to_json(t, &t->ports[i])) != 0) {
            json_decref(ports);
            ports = NULL;
        }
    return json_pack("{s:o, s:o, s:s, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:o}",
                     "guid", guid_to_json(n->guid), "id", text_to_json(n->id), "type",
                     type_word(n->type), "name", text_to_json(n->name), "level",
                     level != TOPO_LEVEL_NONE ? json_integer(level) : json_null(), "num_ports",
                     (int)n->num_ports, "lid", number_to_json(n->lid), "lmc",
                     n->type == TOPO_SWITCH ? json_integer(n->lmc) : json_null(), "system_guid",
                     guid_to_json(n->sysimg_guid), "vendor_id", number_to_json(n->vendor_id),
                     "device_id", number_to_json(n->device_id), "aggregation", (int)n->aggregation,
                     "described", (int)n->declared, "ports", ports);
}

/* The document as a whole would take ten times the memory of the topology: node after node. */
static bool write_document(const struct topo *t, const uint16_t *level, FILE *out)
{
    bool written =
        fprintf(out,
                "{\n \"schema\": \"weft.topology/1\",\n \"switches\": %" PRIu32
                ",\n \"cas\": %" PRIu32 ",\n \"hosts\": %" PRIu32 ",\n \"routers\": %" PRIu32
                ",\n \"links\": %" PRIu32 ",\n \"nodes\": [",
                t->switch_count, t->ca_count, t->host_count, t->router_count, t->link_count) > 0;

    for (uint32_t i = 0; i < t->node_count && written; i++)
        written = json_print_item(node_to_json(t, &t->nodes[i], level[i]), i == 0, out);
    return written && fputs("\n ]\n}\n", out) >= 0;
}

bool topology_write_json(const struct topo *t, FILE *out)
{
    uint32_t *hosts = topo_count_hosts(t);
    uint16_t *level = malloc(((size_t)t->node_count + 1) * sizeof(*level));
    bool written =
        hosts && level && topo_levels(t, hosts, level) == 0 && write_document(t, level, out);

    free(hosts);
    free(level);
    return written;
}
