/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lies of SMAs: what is true is answered first, and then bent. */
#include "fabric/lie.h"

#include "core/wire/mad_header.h"
#include "fabric/sma_attribute.h"

#include <string.h>

/* NodeType (IBA 14.2.5.3). */
#define TYPE_CA     1
#define TYPE_SWITCH 2

/* The most ports that NumPorts can say: 255 stands for all. */
#define PORTS_MAX 254

/* AttributeModifier of PortInfo: the port's number. */
#define MODIFIER_PORT UINT32_C(0xFF)

/* What clears a screen, rings, writes a title and moves the cursor, in no valid UTF-8; repeated
 * until no room is left for a NUL. */
static const uint8_t garbage[] = "\x1B[2J\x07\x1B]0;x\x07\r\n\t\"\\{}=\x80\xC3(\xFF\x7F\x01\x9B";

static const struct {
    const char *word;
    bool model, switches;
} kinds[LIES] = {
    [LIE_LOCAL_PORT_NUM] = {"local-port-num", false, false},
    [LIE_NUM_PORTS] = {"num-ports", false, false},
    [LIE_NODE_INFO] = {"node-info", true, false},
    [LIE_GUIDS] = {"guids", true, false},
    [LIE_NEW_GUIDS] = {"new-guids", false, false},
    [LIE_NODE_TYPE] = {"node-type", false, false},
    [LIE_PORT_INFO] = {"port-info", false, true},
    [LIE_NODE_DESCRIPTION] = {"node-description", false, false},
};

const char *lie_word(enum lie l)
{
    return kinds[l].word;
}

bool lie_has_model(enum lie l)
{
    return kinds[l].model;
}

bool lie_is_of_switches(enum lie l)
{
    return kinds[l].switches;
}

static bool tells(const struct node *n, enum lie l)
{
    return (n->lies >> l & 1) != 0;
}

void lie_begin(struct fabric *f, struct node *n, enum lie l, uint32_t model)
{
    f->broken += !tells(n, l);
    n->lies |= (uint16_t)(1U << l);
    if (l == LIE_NODE_INFO)
        n->lies_as = model;
    else if (l == LIE_GUIDS)
        n->lies_guids_of = model;
}

void lie_end_all(struct fabric *f, struct node *n)
{
    for (unsigned l = 0; l < LIES; l++)
        f->broken -= tells(n, (enum lie)l);
    n->lies = 0;
}

uint32_t lie_model(const struct node *n, enum lie l)
{
    return l == LIE_NODE_INFO ? n->lies_as : n->lies_guids_of;
}

static uint8_t type_of(const struct node *n)
{
    return node_is_switch(n) ? TYPE_SWITCH : n->type == TOPO_ROUTER ? 3 : TYPE_CA;
}

static void copy_guids(const struct fabric *f, const struct node *of, uint8_t *d)
{
    wire_set_be64(d + WIRE_AT_NODE_INFO_SYSTEM_IMAGE_GUID, of->system_guid);
    wire_set_be64(d + WIRE_AT_NODE_INFO_NODE_GUID, of->guid);
    wire_set_be64(d + WIRE_AT_NODE_INFO_PORT_GUID,
                  node_port(f, of, node_is_switch(of) ? 0 : 1)->guid);
}

/* LocalPortNum stays that of the port that was asked. */
static void copy_node(const struct fabric *f, const struct node *of, uint8_t *d)
{
    copy_guids(f, of, d);
    d[WIRE_AT_NODE_INFO_NODE_TYPE] = type_of(of);
    d[WIRE_AT_NODE_INFO_NUM_PORTS] = of->ports;
    wire_set_be16(d + WIRE_AT_NODE_INFO_DEVICE_ID, of->device);
    wire_set_be32(d + WIRE_AT_NODE_INFO_REVISION, of->revision);
    wire_set(WIRE_NODE_INFO_VENDOR_ID, d, of->vendor);
}

static void bend_node_info(const struct fabric *f, struct node *n, uint8_t *d)
{
    if (tells(n, LIE_NODE_INFO))
        copy_node(f, &f->nodes[n->lies_as], d);
    if (tells(n, LIE_GUIDS))
        copy_guids(f, &f->nodes[n->lies_guids_of], d);
    n->lies_told++;
    if (tells(n, LIE_NEW_GUIDS))
        wire_set_be64(d + WIRE_AT_NODE_INFO_NODE_GUID, n->guid ^ (uint64_t)n->lies_told << 24);
    if (tells(n, LIE_NODE_TYPE))
        d[WIRE_AT_NODE_INFO_NODE_TYPE] = (n->lies_told & 1) != 0 ? TYPE_SWITCH : TYPE_CA;
    if (tells(n, LIE_PORT_INFO))
        d[WIRE_AT_NODE_INFO_NUM_PORTS] = PORTS_MAX;
    if (tells(n, LIE_NUM_PORTS))
        d[WIRE_AT_NODE_INFO_NUM_PORTS] = 0;
    if (tells(n, LIE_LOCAL_PORT_NUM))
        d[WIRE_AT_NODE_INFO_LOCAL_PORT] = (uint8_t)(n->ports + 1);
}

/* A port that there is not, as a copy of the one that was asked, with its link up. */
static void invent_port(const struct fabric *f, const struct port *at, uint8_t *d)
{
    const struct port *model = at->number > 0 ? at : node_port(f, port_node(f, at), 1);

    memcpy(d, model->info, SMA_DATA_BYTES);
    wire_set(WIRE_PORT_INFO_PORT_STATE, d, PORT_STATE_ACTIVE);
    wire_set(WIRE_PORT_INFO_PHYSICAL_STATE, d, PORT_PHYSICAL_LINK_UP);
    d[WIRE_AT_PORT_INFO_LOCAL_PORT] = at->number;
}

uint16_t lie_about(struct fabric *f, const struct port *at, uint16_t attr_id, uint32_t modifier,
                   uint8_t *data, uint16_t status)
{
    struct node *n = port_node(f, at);

    if (attr_id == WEFT_ATTR_PORT_INFO && status != WEFT_STATUS_OK && tells(n, LIE_PORT_INFO) &&
        (modifier & MODIFIER_PORT) > n->ports) {
        invent_port(f, at, data);
        status = WEFT_STATUS_OK;
    }
    if (status != WEFT_STATUS_OK)
        return status;
    if (attr_id == WEFT_ATTR_NODE_INFO)
        bend_node_info(f, n, data);
    else if (attr_id == WEFT_ATTR_PORT_INFO && tells(n, LIE_LOCAL_PORT_NUM))
        data[WIRE_AT_PORT_INFO_LOCAL_PORT] = (uint8_t)(n->ports + 1);
    else if (attr_id == WEFT_ATTR_NODE_DESC && tells(n, LIE_NODE_DESCRIPTION))
        for (size_t i = 0; i < SMA_DATA_BYTES; i++)
            data[i] = garbage[i % (sizeof(garbage) - 1)];
    return status;
}
