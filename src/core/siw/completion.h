/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Completion queues. A request reserves its completion when it is posted, so there is always room
 * for it. Completions are slots of a pool that all queues share.
 */
#ifndef WEFT_CORE_SIW_COMPLETION_H
#define WEFT_CORE_SIW_COMPLETION_H

#include "core/base/list.h"
#include "core/base/pool.h"

#include <weft/siw.h>

#include <assert.h>

/** A completion that waits to be polled. */
struct completion {
    uint32_t next;       /* slot of the next one; free: the pool's */
    uint32_t generation; /* the pool's */
    uint64_t wr_id;
    uint32_t qpn;
    uint32_t bytes;
    uint32_t invalidated;
    uint8_t opcode, status;
    bool solicited;
};
static_assert(sizeof(struct completion) == 32, "two in a cache line");

enum cq_armed {
    CQ_UNARMED,
    CQ_ARMED,          /* for the next completion */
    CQ_ARMED_SOLICITED /* for the next solicited or failed one */
};

/** A completion queue. */
struct cq {
    uint32_t own, generation; /* the pool's */
    uint32_t cqn;
    uint32_t first, last; /* slots of completions */
    uint32_t count;       /* completions in it */
    uint32_t reserved;    /* requests that will complete here */
    uint32_t limit;       /* of both together */
    uint32_t users;       /* queues of QPs that complete here */
    enum cq_armed armed;
    struct list_node event; /* on verbs.cq_events: an event waits */
};

struct cq *cq_find(const struct weft_siw *s, uint32_t cqn);
/** Reserves a completion.
 * @return false: the queue is full */
static inline bool cq_reserve(struct cq *cq)
{
    if (cq->count + cq->reserved >= cq->limit)
        return false;
    cq->reserved++;
    return true;
}
/** Gives a reservation back that makes no completion. */
static inline void cq_release(struct cq *cq)
{
    WEFT_ASSERT(cq->reserved > 0);
    cq->reserved--;
}
/** Makes a completion that was reserved. */
void cq_complete(struct weft_siw *s, struct cq *cq, const struct weft_siw_wc *wc);

#endif
