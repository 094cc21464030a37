/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables of ports: GUIDInfo, P_KeyTable, SLtoVLMappingTable, VLArbitrationTable. */
#include "fabric/functions.h"
#include "fabric/sma_attribute.h"

#include <string.h>

#define SL_TO_VL_BYTES 8
#define VL_ARB_ENTRIES 32 /* in one block, of two bytes: VL and weight */
#define VL_ARB_BLOCKS  4  /* low priority 1 and 2, high priority 3 and 4 */
#define VL_ARB_HIGH    3  /* the first high one */
#define VL_MASK        0x0F
#define BYTES_PER_GUID 8

/* SL n begins on VL n; VL15 is management's, so SL15 is on VL7. */
static const uint8_t sl_to_vl_initial[SL_TO_VL_BYTES] = {0x01, 0x23, 0x45, 0x67,
                                                         0x89, 0xAB, 0xCD, 0xE7};

/* VL0 begins in the high table and the other data VLs in the low one, all with weight 4. */
static const uint8_t vl_arb_initial[VL_ARB_BLOCKS][SMA_DATA_BYTES] = {
    {0, 0, 1, 4, 2, 4, 3, 4, 4, 4, 5, 4, 6, 4, 7, 4},
    {0},
    {0, 4, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0},
    {0}};

uint16_t sma_guid_info(struct sma_request *r)
{
    struct port *p = port_with_lid(r->f, r->at);
    uint32_t first = r->modifier * FABRIC_GUID_BLOCK;
    uint8_t *guids;

    if (r->modifier >= FABRIC_GUIDS / FABRIC_GUID_BLOCK)
        return WEFT_STATUS_BAD_VALUE;
    guids = r->f->guids[port_index(r->f, p) * (size_t)FABRIC_GUIDS + first];
    if (r->set)
        memcpy(guids, r->data, SMA_DATA_BYTES);
    if (first == 0)
        wire_set_be64(guids, p->guid);
    memcpy(r->data, guids, SMA_DATA_BYTES);
    return WEFT_STATUS_OK;
}

uint16_t sma_pkey_table(struct sma_request *r)
{
    struct port *p = sma_addressed_port(r, r->modifier >> 16);
    uint32_t first = (r->modifier & 0xFFFF) * FABRIC_PKEY_BLOCK, count;
    weft_pkey keys[FABRIC_PKEY_BLOCK];

    if (!p || first >= port_pkey_count(r->f, p))
        return WEFT_STATUS_BAD_VALUE;
    count = port_pkey_count(r->f, p) - first;
    if (count > FABRIC_PKEY_BLOCK)
        count = FABRIC_PKEY_BLOCK;
    if (r->set) {
        weft_pkey_block_read(r->data, keys);
        functions_write_pkeys(r->f, p, (uint16_t)first, keys, (uint16_t)count);
    }
    memset(keys, 0, sizeof(keys));
    functions_view(r->f, p, r->function, (uint16_t)first, keys, (uint16_t)count);
    weft_pkey_block_write(keys, r->data);
    return WEFT_STATUS_OK;
}

/* The table that a modifier names, kept xor the initial one: a switch has one for each way in and
 * out. NULL: there is none. */
static uint8_t *find_sl_to_vl(struct sma_request *r)
{
    uint32_t in = r->modifier >> 8, out = r->modifier & 0xFF, row = r->node->ports + 1U;
    struct port *p;

    if (node_is_switch(r->node))
        return in < row && out < row
                   ? node_switch(r->f, r->node)->sl2vl + (in * row + out) * SL_TO_VL_BYTES
                   : NULL;
    p = in == 0 ? sma_addressed_port(r, out) : NULL;
    return p ? r->f->sl2vl[port_index(r->f, p)] : NULL;
}

uint16_t sma_sl_to_vl(struct sma_request *r)
{
    uint8_t *kept = find_sl_to_vl(r);
    uint8_t table[SL_TO_VL_BYTES];

    if (!kept)
        return WEFT_STATUS_BAD_VALUE;
    for (size_t i = 0; i < SL_TO_VL_BYTES; i++) {
        if (r->set)
            kept[i] = r->data[i] ^ sl_to_vl_initial[i];
        table[i] = kept[i] ^ sl_to_vl_initial[i];
    }
    sma_answer(r, table, sizeof(table));
    return WEFT_STATUS_OK;
}

/* How many entries of a block the port has. */
static uint32_t vl_arb_count(const struct port *p, uint32_t block)
{
    uint32_t cap = p->info[block >= VL_ARB_HIGH ? WIRE_AT_PORT_INFO_VL_ARB_HIGH_CAP
                                                : WIRE_AT_PORT_INFO_VL_ARB_LOW_CAP];
    uint32_t first = block % 2 == 1 ? 0 : VL_ARB_ENTRIES;

    if (cap <= first)
        return 0;
    return cap - first < VL_ARB_ENTRIES ? cap - first : VL_ARB_ENTRIES;
}

uint16_t sma_vl_arbitration(struct sma_request *r)
{
    uint32_t block = r->modifier >> 16, count;
    struct port *p;
    uint8_t *kept;

    if (block < 1 || block > VL_ARB_BLOCKS)
        return WEFT_STATUS_BAD_VALUE;
    p = sma_addressed_port(r, r->modifier & 0xFFFF);
    count = p ? vl_arb_count(p, block) : 0;
    if (count == 0)
        return WEFT_STATUS_BAD_VALUE;
    kept = r->f->vl_arb[port_index(r->f, p)] + (block - 1) * (size_t)SMA_DATA_BYTES;
    for (size_t i = 0; i < (size_t)count * 2; i++) {
        const uint8_t *initial = vl_arb_initial[block - 1];

        if (r->set)
            kept[i] = (uint8_t)((i % 2 == 0 ? r->data[i] & VL_MASK : r->data[i]) ^ initial[i]);
        r->data[i] = kept[i] ^ initial[i];
    }
    memset(r->data + (size_t)count * 2, 0, SMA_DATA_BYTES - (size_t)count * 2);
    return WEFT_STATUS_OK;
}
