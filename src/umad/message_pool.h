/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Messages: copies of what was sent, until the engine has done with them, and what waits for
 * umad_recv().
 */
#ifndef WEFT_UMAD_MESSAGE_POOL_H
#define WEFT_UMAD_MESSAGE_POOL_H

#include <weft/mad.h>

#include <infiniband/umad.h>

struct message {
    struct message *next;
    uint32_t agent;  /* the program's number for it */
    uint32_t status; /* 0, or ETIMEDOUT: it was sent and comes back */
    uint32_t timeout_ms, retries;
    uint32_t length; /* bytes that umad_recv() gives */
    ib_mad_addr_t addr;
    weft_mad_recv_id received; /* where the engine has it; none for what was sent */
    const uint8_t *first;      /* its first bytes, at most 256 */
    uint8_t *data;             /* what was sent: own, or memory that was taken for it */
    uint8_t own[WEFT_MAD_BYTES];
};

/** Messages that are not in use. */
struct message_pool {
    struct message *spare;
    struct message_block *blocks;
};

/** Messages in the order they came. */
struct message_queue {
    struct message *first, *last;
    uint32_t count;
};

/** Takes a message with room for data; all but that room is zero.
 * @param bytes  room wanted; up to 256 cost nothing
 * @return NULL: there is no memory */
struct message *message_take(struct message_pool *pool, size_t bytes);
/** Gives a message and its room back. */
void message_give(struct message_pool *pool, struct message *m);
/** Frees everything, messages in use as well (but for room beyond their own, which their owner has
 * to give back before). */
void message_pool_free(struct message_pool *pool);

/** Puts a message last. */
void message_queue_put(struct message_queue *q, struct message *m);
/** Takes the first message; NULL: there is none. */
struct message *message_queue_take(struct message_queue *q);

#endif
