/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The store of incoming segments. */
#include "core/mad/rmpp_store.h"

#include <string.h>

static struct rmpp_block *store_block(const struct weft_mad_port *p, uint32_t slot)
{
    return pool_at(&p->blocks, slot);
}

static uint32_t store_grow(struct weft_mad_port *p)
{
    struct rmpp_block *b = pool_take(&p->blocks);

    if (!b)
        return POOL_NONE;
    b->next = POOL_NONE;
    return pool_slot(&p->blocks, b);
}

/* The block behind another, made when there is none. */
static uint32_t store_next(struct weft_mad_port *p, uint32_t slot)
{
    struct rmpp_block *b = store_block(p, slot);

    if (b->next == POOL_NONE)
        b->next = store_grow(p);
    return b->next;
}

bool rmpp_store_put(struct weft_mad_port *p, struct transfer *t, uint32_t segment,
                    const uint8_t *data)
{
    struct recv *r = t->recv;
    uint32_t item = segment - 2, number = t->edge_number, slot;

    if (r->blocks == POOL_NONE) {
        r->blocks = store_grow(p);
        t->edge_block = r->blocks;
        t->edge_number = number = 0;
    }
    slot = t->edge_block;
    while (slot != POOL_NONE && number < item / RMPP_BLOCK_SEGMENTS) {
        slot = store_next(p, slot);
        number++;
        /* what lies before the first segment missing is never asked for again */
        if (slot != POOL_NONE && number <= (t->arrived - 1) / RMPP_BLOCK_SEGMENTS) {
            t->edge_block = slot;
            t->edge_number = number;
        }
    }
    if (slot == POOL_NONE)
        return false;
    memcpy(store_block(p, slot)->bytes + item % RMPP_BLOCK_SEGMENTS * r->stride, data, r->stride);
    return true;
}

void rmpp_store_read(struct weft_mad_port *p, struct recv *r, uint32_t off, uint8_t *dst,
                     uint32_t len)
{
    uint32_t bytes = RMPP_BLOCK_SEGMENTS * r->stride;

    if (r->cursor_block == POOL_NONE || r->cursor_number > off / bytes) {
        r->cursor_block = r->blocks;
        r->cursor_number = 0;
    }
    while (len > 0) {
        uint32_t at = off % bytes, part = bytes - at < len ? bytes - at : len;

        while (r->cursor_number < off / bytes) {
            r->cursor_block = store_block(p, r->cursor_block)->next;
            r->cursor_number++;
        }
        memcpy(dst, store_block(p, r->cursor_block)->bytes + at, part);
        dst += part;
        off += part;
        len -= part;
    }
}

void rmpp_store_free(struct weft_mad_port *p, struct recv *r)
{
    while (r->blocks != POOL_NONE) {
        struct rmpp_block *b = store_block(p, r->blocks);

        r->blocks = b->next;
        pool_give(&p->blocks, b);
    }
}
