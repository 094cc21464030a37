/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Saving, restoring and hashing a port. */
#include "snapshot.h"

#include "core/mad/engine.h"

#include <string.h>

/* The arrays behind the part that is always copied; see plan_make() in core/mad/port.c. */
enum {
    TAIL_POOLS = 4
};

static const struct pool *tail_pool(const struct weft_mad_port *p, int i)
{
    const struct pool *const pools[TAIL_POOLS] = {&p->txs, &p->recvs, &p->transfers, &p->blocks};

    return pools[i];
}

static size_t head_bytes(const struct weft_mad_port *p)
{
    return (size_t)(p->txs.base - (const unsigned char *)p);
}

size_t snapshot_bytes(const struct weft_mad_port *p)
{
    size_t bytes = head_bytes(p);

    for (int i = 0; i < TAIL_POOLS; i++)
        bytes += (size_t)tail_pool(p, i)->fresh * tail_pool(p, i)->stride;
    return bytes;
}

void snapshot_save(const struct weft_mad_port *p, uint8_t *to)
{
    memcpy(to, p, head_bytes(p));
    to += head_bytes(p);
    for (int i = 0; i < TAIL_POOLS; i++) {
        const struct pool *pool = tail_pool(p, i);
        size_t bytes = (size_t)pool->fresh * pool->stride;

        memcpy(to, pool->base, bytes);
        to += bytes;
    }
}

void snapshot_restore(struct weft_mad_port *p, const uint8_t *from)
{
    size_t head = head_bytes(p);

    memcpy(p, from, head);
    from += head;
    for (int i = 0; i < TAIL_POOLS; i++) {
        const struct pool *pool = tail_pool(p, i);
        size_t bytes = (size_t)pool->fresh * pool->stride;

        memcpy(pool->base, from, bytes);
        from += bytes;
    }
}

uint64_t snapshot_mix(uint64_t hash, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;

    while (len > 0) {
        uint64_t word = 0;
        size_t part = len < sizeof(word) ? len : sizeof(word);

        memcpy(&word, at, part);
        hash = (hash ^ word ^ (uint64_t)part << 60) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
        at += part;
        len -= part;
    }
    return hash;
}

static uint64_t mix_number(uint64_t hash, uint64_t number)
{
    return snapshot_mix(hash, &number, sizeof(number));
}

/* The free slots in the order they will be given out, then the first `len` bytes of each object in
 * use, but for its generation. */
static uint64_t mix_pool(uint64_t hash, const struct pool *pool, size_t len)
{
    uint32_t slot = 0;
    const unsigned char *at;

    hash = mix_number(hash, pool->fresh);
    for (uint32_t s = pool->free; s != POOL_NONE; s = *(const uint32_t *)pool_at(pool, s))
        hash = mix_number(hash, s);
    while ((at = pool_next(pool, &slot))) {
        hash = mix_number(hash, *(const uint32_t *)(const void *)at);
        hash = snapshot_mix(hash, at + POOL_HEAD_BYTES, len - POOL_HEAD_BYTES);
    }
    return hash;
}

static uint64_t mix_index(uint64_t hash, const struct index *ix)
{
    for (uint32_t i = 0; i <= ix->mask; i++) {
        hash = mix_number(hash, ix->entries[i].slot);
        if (ix->entries[i].slot != INDEX_EMPTY)
            hash = mix_number(hash, ix->entries[i].hash);
    }
    return hash;
}

/* Timers by their order, whatever numbers made it. */
static uint64_t mix_timers(uint64_t hash, const struct timers *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const struct timer *mine = &t->heap[i];
        uint64_t rank = 0;

        for (uint32_t j = 0; j < t->count; j++)
            rank += (int32_t)(t->heap[j].serial - mine->serial) < 0;
        hash = mix_number(hash, mine->deadline);
        hash = mix_number(hash, (uint64_t)mine->id << 32 | rank);
    }
    return hash;
}

static uint64_t mix_events(uint64_t hash, const struct weft_mad_port *p)
{
    for (uint32_t i = 0; i < p->events_count; i++)
        hash = mix_number(hash, p->events[(p->events_first + i) % p->events_size]);
    return hash;
}

/* The port itself without what is hashed elsewhere or decides nothing. */
static uint64_t mix_port(uint64_t hash, const struct weft_mad_port *p)
{
    struct weft_mad_port bare;

    memcpy(&bare, p, sizeof(bare));
    memset(&bare.stats, 0, sizeof(bare.stats));
    memset(&bare.config, 0, sizeof(bare.config));
    bare.timers.serial = 0;
    bare.events_first = 0;
    return snapshot_mix(hash, &bare, sizeof(bare));
}

uint64_t snapshot_hash(const struct weft_mad_port *p)
{
    uint64_t hash = mix_port(1, p);

    hash = mix_pool(hash, &p->agents,
                    offsetof(struct agent, stats) + offsetof(struct weft_mad_agent_stats, sent));
    hash = mix_pool(hash, &p->sends, sizeof(struct send));
    hash = mix_pool(hash, &p->txs, sizeof(struct tx));
    hash = mix_pool(hash, &p->recvs, sizeof(struct recv));
    hash = mix_pool(hash, &p->peers, sizeof(struct peer));
    hash = mix_pool(hash, &p->backlogs, sizeof(struct backlog));
    hash = mix_pool(hash, &p->transfers, sizeof(struct transfer));
    hash = mix_pool(hash, &p->blocks, sizeof(struct rmpp_block));
    hash = mix_index(hash, &p->send_index);
    hash = mix_index(hash, &p->peer_index);
    hash = mix_index(hash, &p->transfer_index);
    hash = mix_timers(hash, &p->timers);
    return mix_events(hash, p);
}
