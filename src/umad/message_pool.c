/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages: a pool that grows by blocks, and queues. */
#include "umad/message_pool.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_MESSAGES 64

struct message_block {
    struct message_block *next;
    struct message messages[BLOCK_MESSAGES];
};

static bool pool_grow(struct message_pool *pool)
{
    struct message_block *b = malloc(sizeof(*b));

    if (!b)
        return false;
    b->next = pool->blocks;
    pool->blocks = b;
    for (int i = 0; i < BLOCK_MESSAGES; i++) {
        b->messages[i].next = pool->spare;
        pool->spare = &b->messages[i];
    }
    return true;
}

struct message *message_take(struct message_pool *pool, size_t bytes)
{
    struct message *m;
    uint8_t *more = NULL;

    if (!pool->spare && !pool_grow(pool))
        return NULL;
    if (bytes > sizeof(m->own)) {
        more = malloc(bytes);
        if (!more)
            return NULL;
    }
    m = pool->spare;
    pool->spare = m->next;
    memset(m, 0, offsetof(struct message, own));
    m->data = more ? more : m->own;
    return m;
}

void message_give(struct message_pool *pool, struct message *m)
{
    if (m->data != m->own)
        free(m->data);
    m->next = pool->spare;
    pool->spare = m;
}

void message_pool_free(struct message_pool *pool)
{
    while (pool->blocks) {
        struct message_block *next = pool->blocks->next;

        free(pool->blocks);
        pool->blocks = next;
    }
    pool->spare = NULL;
}

void message_queue_put(struct message_queue *q, struct message *m)
{
    m->next = NULL;
    if (q->last)
        q->last->next = m;
    else
        q->first = m;
    q->last = m;
    q->count++;
}

struct message *message_queue_take(struct message_queue *q)
{
    struct message *m = q->first;

    if (!m)
        return NULL;
    q->first = m->next;
    if (!q->first)
        q->last = NULL;
    q->count--;
    return m;
}
