/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The SA's queues and threads; times in, times out, no packet is seen here. */
#include "storm/sa.h"

#include "core/base/check.h"

static int queue_init(struct storm_sa_queue *q, uint64_t limit, const struct weft_alloc *alloc)
{
    uint32_t size = 1;

    while (size < limit)
        size *= 2;
    *q = (struct storm_sa_queue){.size = size, .limit = (uint32_t)limit};
    q->ring = alloc->get(alloc->ctx, size * sizeof(*q->ring), _Alignof(struct storm_sa_request));
    return q->ring ? 0 : WEFT_ERR_NOMEM;
}

static void queue_done(struct storm_sa_queue *q, const struct weft_alloc *alloc)
{
    if (q->ring)
        alloc->put(alloc->ctx, q->ring, q->size * sizeof(*q->ring));
    *q = (struct storm_sa_queue){0};
}

static bool queue_add(struct storm_sa_queue *q, const struct storm_sa_request *r)
{
    if (q->count == q->limit)
        return false;
    q->ring[(q->first + q->count++) & (q->size - 1)] = *r;
    return true;
}

static bool queue_take(struct storm_sa_queue *q, struct storm_sa_request *ret)
{
    if (q->count == 0)
        return false;
    *ret = q->ring[q->first];
    q->first = (q->first + 1) & (q->size - 1);
    q->count--;
    return true;
}

int storm_sa_init(struct storm_sa *sa, const struct storm_scenario *s,
                  const struct weft_alloc *alloc)
{
    int err;

    *sa = (struct storm_sa){
        .overload = (enum storm_overload)s->sa_overload,
        .service_ns = WEFT_S / s->sa_rate,
        .take_ns = s->sa_take_ns,
        .busy_ns = s->sa_busy_ns,
        .stale_ns = s->sa_stale_ns,
        .busy_above = (uint32_t)s->sa_busy_above,
        .alloc = *alloc,
    };
    err = queue_init(&sa->receive, s->sa_queue, alloc);
    if (err == 0)
        err = queue_init(&sa->software, s->sa_backlog, alloc);
    if (err != 0)
        storm_sa_done(sa);
    return err;
}

void storm_sa_done(struct storm_sa *sa)
{
    queue_done(&sa->receive, &sa->alloc);
    queue_done(&sa->software, &sa->alloc);
}

static void note_peak(struct storm_sa *sa)
{
    if (storm_sa_waiting(sa) > sa->queue_peak)
        sa->queue_peak = storm_sa_waiting(sa);
}

bool storm_sa_receive(struct storm_sa *sa, const struct storm_sa_request *r)
{
    if (!queue_add(&sa->receive, r)) {
        sa->dropped++;
        return false;
    }
    note_peak(sa);
    return true;
}

weft_time storm_sa_receiver_start(struct storm_sa *sa, weft_time now)
{
    if (sa->overload == STORM_DROP || sa->receiver_works || !queue_take(&sa->receive, &sa->taking))
        return WEFT_TIME_NEVER;
    sa->receiver_works = true;
    sa->taking_is_busy = sa->overload == STORM_BUSY && sa->software.count >= sa->busy_above;
    return now + (sa->taking_is_busy ? sa->busy_ns : sa->take_ns);
}

bool storm_sa_receiver_finish(struct storm_sa *sa, struct storm_sa_request *ret_busy)
{
    WEFT_ASSERT(sa->receiver_works);
    sa->receiver_works = false;
    if (sa->taking_is_busy)
        *ret_busy = sa->taking;
    else if (!queue_add(&sa->software, &sa->taking))
        sa->backlog_dropped++;
    note_peak(sa);
    return sa->taking_is_busy;
}

weft_time storm_sa_worker_start(struct storm_sa *sa, weft_time now)
{
    struct storm_sa_queue *q = sa->overload == STORM_DROP ? &sa->receive : &sa->software;

    if (sa->worker_works)
        return WEFT_TIME_NEVER;
    while (queue_take(q, &sa->serving)) {
        if (sa->overload == STORM_STALE && now - sa->serving.arrived > sa->stale_ns) {
            sa->expired++;
            continue;
        }
        sa->worker_works = true;
        return now + sa->service_ns;
    }
    return WEFT_TIME_NEVER;
}

void storm_sa_worker_finish(struct storm_sa *sa, struct storm_sa_request *ret)
{
    WEFT_ASSERT(sa->worker_works);
    sa->worker_works = false;
    *ret = sa->serving;
}
