/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Forwarding tables of a switch: by LID and by multicast LID. Random tables are not supported. */
#include "fabric/sma_attribute.h"

#include <string.h>

#define LFT_BLOCK      64
#define MFT_BLOCK      32
#define MASK_PORTS     16 /* of one position */
/* AttributeModifier of MulticastForwardingTable: block below, position above, 0 between. */
#define MFT_BLOCK_BITS 9
#define POSITION_SHIFT 28

uint16_t sma_linear_forwarding(struct sma_request *r)
{
    uint32_t cap = r->f->config.lft_cap, count;
    uint8_t *kept;

    if (r->modifier >= (cap + LFT_BLOCK - 1) / LFT_BLOCK)
        return WEFT_STATUS_BAD_VALUE;
    kept = node_switch(r->f, r->node)->lft + (size_t)r->modifier * LFT_BLOCK;
    count = cap - r->modifier * LFT_BLOCK;
    for (size_t i = 0; i < LFT_BLOCK; i++) {
        if (r->set && i < count)
            kept[i] = (uint8_t)~r->data[i];
        r->data[i] = i < count ? (uint8_t)~kept[i] : UINT8_MAX;
    }
    return WEFT_STATUS_OK;
}

/* The ports that a position's mask can name. */
static uint16_t ports_mask(const struct node *n, uint32_t position)
{
    uint32_t first = position * MASK_PORTS, count = n->ports + 1U;

    WEFT_ASSERT(first < count);
    return count - first >= MASK_PORTS ? UINT16_MAX : (uint16_t)((1U << (count - first)) - 1);
}

uint16_t sma_multicast_forwarding(struct sma_request *r)
{
    const struct switch_state *s = node_switch(r->f, r->node);
    uint32_t block = r->modifier & ((UINT32_C(1) << POSITION_SHIFT) - 1);
    uint32_t position = r->modifier >> POSITION_SHIFT, first = block * MFT_BLOCK;

    if (block >> MFT_BLOCK_BITS != 0 || first >= r->f->config.mft_cap ||
        position >= s->mft_positions)
        return WEFT_STATUS_BAD_VALUE;
    for (uint32_t i = 0; i < MFT_BLOCK; i++) {
        uint8_t *at = r->data + (size_t)i * 2;
        uint16_t *kept = &s->mft[(size_t)(first + i) * s->mft_positions + position];

        if (first + i >= r->f->config.mft_cap) {
            wire_set_be16(at, 0);
            continue;
        }
        if (r->set)
            *kept = wire_be16(at) & ports_mask(r->node, position);
        wire_set_be16(at, *kept);
    }
    return WEFT_STATUS_OK;
}
