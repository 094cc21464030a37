/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Nodes by LID, GUID and name. */
#include "cli/sa_nodes.h"

#include "cli/message.h"
#include "cli/printable.h"
#include "core/base/suggest.h"
#include "core/wire/field.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIDS        WEFT_LID_MULTICAST_FIRST
#define DESCRIPTION 64
#define GUID_TEXT   18

bool sa_nodes_init(struct sa_nodes *n, const struct sa_answer *answer)
{
    *n = (struct sa_nodes){.answer = answer, .by_lid = calloc(LIDS, sizeof(n->by_lid[0]))};
    if (!n->by_lid) {
        message("there is no memory for the nodes");
        return false;
    }
    if (answer->result.stride < weft_wire_header_bytes(WEFT_WIRE_NODE_RECORD))
        return true;
    for (uint32_t i = answer->result.count; i-- > 0;) {
        uint16_t lid = sa_node_read(sa_answer_record(answer, i)).lid;

        if (lid < LIDS)
            n->by_lid[lid] = i + 1;
    }
    return true;
}

void sa_nodes_clear(struct sa_nodes *n)
{
    free(n->by_lid);
    n->by_lid = NULL;
}

static uint32_t count_of(const struct sa_nodes *n)
{
    const struct weft_sa_result *r = &n->answer->result;

    return r->stride < weft_wire_header_bytes(WEFT_WIRE_NODE_RECORD) ? 0 : r->count;
}

const uint8_t *sa_nodes_of_lid(const struct sa_nodes *n, uint16_t lid)
{
    uint32_t number = lid < LIDS ? n->by_lid[lid] : 0;

    return number > 0 ? sa_answer_record(n->answer, number - 1) : NULL;
}

struct sa_node sa_node_read(const uint8_t *record)
{
    return (struct sa_node){.node_guid = wire_get(WIRE_NODE_RECORD_NODE_GUID, record),
                            .port_guid = wire_get(WIRE_NODE_RECORD_PORT_GUID, record),
                            .lid = (uint16_t)wire_get(WIRE_NODE_RECORD_LID, record),
                            .type = (uint8_t)wire_get(WIRE_NODE_RECORD_NODE_TYPE, record),
                            .ports = (uint8_t)wire_get(WIRE_NODE_RECORD_NUM_PORTS, record),
                            .port = (uint8_t)wire_get(WIRE_NODE_RECORD_LOCAL_PORT, record)};
}

static void description(const uint8_t *record, char ret[DESCRIPTION + 1])
{
    memcpy(ret, record + wire_bytes_offset(WIRE_NODE_RECORD_DESCRIPTION), DESCRIPTION);
    ret[DESCRIPTION] = '\0';
}

/* `length` bytes of text are the name of the record's node. */
static bool is_named(const uint8_t *record, const char *text, size_t length)
{
    char name[DESCRIPTION + 1];

    description(record, name);
    return length > 0 && strlen(name) == length && strncmp(name, text, length) == 0;
}

/* The record with this name, and this port unless that is 0. *ret_nodes: how many have it. */
static const uint8_t *find_name(const struct sa_nodes *n, const char *text, size_t length,
                                uint64_t port, uint32_t *ret_nodes)
{
    const uint8_t *found = NULL;

    *ret_nodes = 0;
    for (uint32_t i = 0; i < count_of(n); i++) {
        const uint8_t *record = sa_answer_record(n->answer, i);
        struct sa_node node = sa_node_read(record);

        if (!is_named(record, text, length) || (port != 0 && node.port != port))
            continue;
        if (!found || sa_node_read(found).node_guid != node.node_guid)
            ++*ret_nodes;
        if (!found || (sa_node_read(found).node_guid == node.node_guid &&
                       node.port < sa_node_read(found).port))
            found = record;
    }
    return found;
}

const uint8_t *sa_nodes_of_guid(const struct sa_nodes *n, uint64_t guid)
{
    const uint8_t *found = NULL;

    for (uint32_t i = 0; i < count_of(n); i++) {
        const uint8_t *record = sa_answer_record(n->answer, i);
        struct sa_node node = sa_node_read(record);

        if (node.port_guid == guid)
            return record;
        if (node.node_guid == guid && (!found || node.port < sa_node_read(found).port))
            found = record;
    }
    return found;
}

static bool parse_number(const char *text, int base, uint64_t *ret)
{
    char *end;

    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    *ret = strtoull(text, &end, base);
    return errno == 0 && *end == '\0';
}

static void say_unknown(const struct sa_nodes *n, const char *text)
{
    char(*names)[DESCRIPTION + 1] = calloc(count_of(n) + 1u, sizeof(*names));
    char shown[SA_NODE_NAME_BYTES];
    struct suggest near;
    const char *best = NULL;

    suggest_start(&near, text);
    for (uint32_t i = 0; names && i < count_of(n); i++) {
        description(sa_answer_record(n->answer, i), names[i]);
        suggest_offer(&near, names[i]);
    }
    best = suggest_best(&near);
    message("the SA knows no such node: \"%s\"", text);
    if (best)
        message_try("\"%s\"", printable(best, shown, sizeof(shown)));
    else
        message_try("weft sa nodes, which lists them");
    free(names);
}

/* The record that is meant; *ret_nodes: how many nodes have that name. */
static const uint8_t *match(const struct sa_nodes *n, const char *text, uint32_t *ret_nodes)
{
    const char *slash = strrchr(text, '/');
    uint64_t number = 0;
    const uint8_t *found = find_name(n, text, strlen(text), 0, ret_nodes);

    if (!found && slash && parse_number(slash + 1, 10, &number) && number > 0)
        found = find_name(n, text, (size_t)(slash - text), number, ret_nodes);
    if (!found && strncmp(text, "0x", 2) == 0 && strlen(text) <= GUID_TEXT &&
        parse_number(text, 16, &number))
        found = number < LIDS ? sa_nodes_of_lid(n, (uint16_t)number) : sa_nodes_of_guid(n, number);
    else if (!found && parse_number(text, 10, &number))
        found = number < LIDS ? sa_nodes_of_lid(n, (uint16_t)number) : NULL;
    return found;
}

bool sa_nodes_has(const struct sa_nodes *n, const char *text)
{
    uint32_t nodes;

    return match(n, text, &nodes);
}

const uint8_t *sa_nodes_find(const struct sa_nodes *n, const char *text)
{
    uint32_t nodes = 0;
    const uint8_t *found = match(n, text, &nodes);

    if (!found) {
        say_unknown(n, text);
    } else if (nodes > 1) {
        message("%u nodes are called \"%s\": name a GUID or a LID", nodes, text);
        return NULL;
    }
    return found;
}

const char *sa_node_name(const uint8_t *record, char ret[SA_NODE_NAME_BYTES])
{
    char name[DESCRIPTION + 1];

    description(record, name);
    if (name[0] == '\0')
        (void)snprintf(ret, SA_NODE_NAME_BYTES, "0x%016" PRIx64, sa_node_read(record).node_guid);
    else
        (void)printable(name, ret, SA_NODE_NAME_BYTES);
    return ret;
}

const char *sa_nodes_name(const struct sa_nodes *n, uint16_t lid, char ret[SA_NODE_NAME_BYTES])
{
    const uint8_t *record = sa_nodes_of_lid(n, lid);

    if (record)
        return sa_node_name(record, ret);
    (void)snprintf(ret, SA_NODE_NAME_BYTES, "LID %u", lid);
    return ret;
}

const char *sa_node_type_word(uint8_t type)
{
    static const char *const words[] = {"?", "ca", "switch", "router"};

    return type < sizeof(words) / sizeof(words[0]) ? words[type] : words[0];
}
