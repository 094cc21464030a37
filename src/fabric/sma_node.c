/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an SMA says of its node: NodeDescription, NodeInfo, SwitchInfo, Notice, VendorDiag, LedInfo.
 */
#include "fabric/sma_attribute.h"
#include "fabric/trap.h"

#include <string.h>

#define VERSION 1

/* A port number that stands for none, and the value of MulticastFDBTop that means an empty table
 * (IBA 14.2.5.4). */
#define NO_PORT            0xFF
#define MULTICAST_TOP_NONE 0xBFFF

#define LED_ON UINT32_C(0x80000000)

uint16_t sma_node_desc(struct sma_request *r)
{
    if (r->modifier != 0)
        return WEFT_STATUS_BAD_VALUE;
    sma_answer(r, r->node->name, strnlen(r->node->name, SMA_DATA_BYTES));
    return WEFT_STATUS_OK;
}

/* NodeType (IBA 14.2.5.3). */
static uint8_t node_type(const struct node *n)
{
    switch (n->type) {
    case TOPO_SWITCH:
        return 2;
    case TOPO_ROUTER:
        return 3;
    case TOPO_CA:
        break;
    }
    return 1;
}

uint16_t sma_node_info(struct sma_request *r)
{
    const struct node *n = r->node;
    uint8_t *d = r->data;

    if (r->modifier != 0)
        return WEFT_STATUS_BAD_VALUE;
    d[WIRE_AT_NODE_INFO_BASE_VERSION] = VERSION;
    d[WIRE_AT_NODE_INFO_CLASS_VERSION] = VERSION;
    d[WIRE_AT_NODE_INFO_NODE_TYPE] = node_type(n);
    d[WIRE_AT_NODE_INFO_NUM_PORTS] = n->ports;
    wire_set_be64(d + WIRE_AT_NODE_INFO_SYSTEM_IMAGE_GUID, n->system_guid);
    wire_set_be64(d + WIRE_AT_NODE_INFO_NODE_GUID, n->guid);
    wire_set_be64(d + WIRE_AT_NODE_INFO_PORT_GUID, port_with_lid(r->f, r->at)->guid);
    wire_set_be16(d + WIRE_AT_NODE_INFO_PARTITION_CAP,
                  port_pkey_count(r->f, port_with_lid(r->f, r->at)));
    wire_set_be16(d + WIRE_AT_NODE_INFO_DEVICE_ID, n->device);
    wire_set_be32(d + WIRE_AT_NODE_INFO_REVISION, n->revision);
    wire_set_be32(d + WIRE_AT_NODE_INFO_LOCAL_PORT,
                  (uint32_t)r->at->number << 24 | (n->vendor & 0xFFFFFF));
    memset(d + WIRE_AT_NODE_INFO_LOCAL_PORT + 4, 0,
           SMA_DATA_BYTES - WIRE_AT_NODE_INFO_LOCAL_PORT - 4);
    return WEFT_STATUS_OK;
}

static bool is_default_port(const struct node *n, uint8_t number)
{
    return number <= n->ports || number == NO_PORT;
}

/* A top is the highest LID of a table, or 0 while there is none. */
static bool tops_allowed(const struct fabric *f, const uint8_t *want)
{
    uint16_t top = wire_be16(want + WIRE_AT_SWITCH_INFO_LINEAR_FDB_TOP);
    uint16_t mc_top = wire_be16(want + WIRE_AT_SWITCH_INFO_MULTICAST_FDB_TOP);

    return top < f->config.lft_cap &&
           (mc_top == 0 ||
            (mc_top >= MULTICAST_TOP_NONE && mc_top - MULTICAST_TOP_NONE <= f->config.mft_cap));
}

static bool set_switch_info(struct sma_request *r, uint8_t *info)
{
    static const uint8_t ports[] = {WIRE_AT_SWITCH_INFO_DEFAULT_PORT,
                                    WIRE_AT_SWITCH_INFO_DEFAULT_MC_PRIMARY_PORT,
                                    WIRE_AT_SWITCH_INFO_DEFAULT_MC_NOT_PRIMARY_PORT};
    const uint8_t *want = r->data;

    if (!tops_allowed(r->f, want))
        return false;
    for (size_t i = 0; i < sizeof(ports); i++)
        if (!is_default_port(r->node, want[ports[i]]))
            return false;
    for (size_t i = 0; i < sizeof(ports); i++)
        info[ports[i]] = want[ports[i]];
    memcpy(info + WIRE_AT_SWITCH_INFO_LINEAR_FDB_TOP, want + WIRE_AT_SWITCH_INFO_LINEAR_FDB_TOP, 2);
    memcpy(info + WIRE_AT_SWITCH_INFO_MULTICAST_FDB_TOP,
           want + WIRE_AT_SWITCH_INFO_MULTICAST_FDB_TOP, 2);
    wire_set(WIRE_SWITCH_INFO_LIFE_TIME, info, wire_get(WIRE_SWITCH_INFO_LIFE_TIME, want));
    if (wire_get(WIRE_SWITCH_INFO_PORT_STATE_CHANGE, want))
        wire_set(WIRE_SWITCH_INFO_PORT_STATE_CHANGE, info, 0);
    return true;
}

uint16_t sma_switch_info(struct sma_request *r)
{
    uint8_t *info = node_switch(r->f, r->node)->info;

    if (r->modifier != 0 || (r->set && !set_switch_info(r, info)))
        return WEFT_STATUS_BAD_VALUE;
    memcpy(r->data, info, SMA_DATA_BYTES);
    return WEFT_STATUS_OK;
}

uint16_t sma_notice(struct sma_request *r)
{
    if (r->modifier != 0)
        return WEFT_STATUS_BAD_VALUE;
    if (r->set)
        trap_set_notice(r->f, r->at, r->data);
    trap_get_notice(r->f, r->at, r->data);
    return WEFT_STATUS_OK;
}

/* NextIndex and the diagnosis itself: there is nothing to tell, and nothing follows. */
uint16_t sma_vendor_diag(struct sma_request *r)
{
    if (r->modifier != 0)
        return WEFT_STATUS_BAD_VALUE;
    memset(r->data, 0, SMA_DATA_BYTES);
    return WEFT_STATUS_OK;
}

uint16_t sma_led_info(struct sma_request *r)
{
    uint8_t mask[4];

    if (r->modifier != 0)
        return WEFT_STATUS_BAD_VALUE;
    if (r->set)
        r->node->led = (wire_be32(r->data) & LED_ON) != 0;
    wire_set_be32(mask, r->node->led ? LED_ON : 0);
    sma_answer(r, mask, sizeof(mask));
    return WEFT_STATUS_OK;
}
