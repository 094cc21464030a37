/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Timer queue: the four-ary heap. */
#include "core/base/timers.h"

#include "core/base/check.h"

static bool timer_before(const struct timer *a, const struct timer *b)
{
    if (a->deadline != b->deadline)
        return a->deadline < b->deadline;
    return (int32_t)(a->serial - b->serial) < 0;
}

static void timer_place(struct timers *t, uint32_t at, struct timer entry)
{
    t->heap[at] = entry;
    t->place[entry.id] = (t->place[entry.id] & TIMERS_MARK) | (at + 1);
}

static void timers_sift_up(struct timers *t, uint32_t at, struct timer entry)
{
    while (at > 0) {
        uint32_t parent = (at - 1) / 4;

        if (!timer_before(&entry, &t->heap[parent]))
            break;
        timer_place(t, at, t->heap[parent]);
        at = parent;
    }
    timer_place(t, at, entry);
}

static void timers_sift_down(struct timers *t, uint32_t at, struct timer entry)
{
    for (;;) {
        uint32_t child = 4 * at + 1, best = child, end;

        if (child >= t->count)
            break;
        end = t->count - child < 4 ? t->count : child + 4;
        for (uint32_t i = child + 1; i < end; i++) {
            if (timer_before(&t->heap[i], &t->heap[best]))
                best = i;
        }
        if (!timer_before(&t->heap[best], &entry))
            break;
        timer_place(t, at, t->heap[best]);
        at = best;
    }
    timer_place(t, at, entry);
}

/* Moves an entry whose place is free to where it belongs. */
static void timers_settle(struct timers *t, uint32_t at, struct timer entry)
{
    if (at > 0 && timer_before(&entry, &t->heap[(at - 1) / 4]))
        timers_sift_up(t, at, entry);
    else
        timers_sift_down(t, at, entry);
}

static void timers_take_out(struct timers *t, uint32_t id)
{
    uint32_t at = (t->place[id] & ~TIMERS_MARK) - 1;
    struct timer last = t->heap[--t->count];

    t->place[id] = 0;
    if (at < t->count)
        timers_settle(t, at, last);
}

static bool timers_is_leaving(const struct timers *t, uint32_t id)
{
    return (t->place[id] & TIMERS_MARK) != 0;
}

/* Keeps the promise about the first entry. */
static void timers_clear_top(struct timers *t)
{
    while (t->count > 0 && timers_is_leaving(t, t->heap[0].id))
        timers_take_out(t, t->heap[0].id);
}

void timers_init(struct timers *t, struct timer *heap, uint32_t *place, uint32_t ids)
{
    WEFT_ASSERT(ids > 0 && ids < TIMERS_MARK);
    *t = (struct timers){.heap = heap, .place = place};
    for (uint32_t i = 0; i < ids; i++)
        place[i] = 0;
}

void timers_arm(struct timers *t, uint32_t id, weft_time deadline)
{
    struct timer entry = {.deadline = deadline, .serial = t->serial++, .id = id};
    uint32_t at = t->place[id] & ~TIMERS_MARK;

    t->place[id] = at;
    if (at == 0)
        timers_sift_up(t, t->count++, entry);
    else
        timers_settle(t, at - 1, entry);
    timers_clear_top(t);
}

void timers_disarm(struct timers *t, uint32_t id)
{
    uint32_t at = t->place[id], oldest;

    if (!timers_armed(t, id))
        return;
    __builtin_prefetch(&t->heap[at - 1], 1);
    __builtin_prefetch(&t->heap[4 * (size_t)at - 3]);
    __builtin_prefetch(&t->heap[at > 1 ? (at - 2) / 4 : 0]);
    t->place[id] = at | TIMERS_MARK;
    oldest = t->leaving[t->leaving_next];
    t->leaving[t->leaving_next] = id;
    t->leaving_next = (t->leaving_next + 1) % TIMERS_LEAVING;
    if (oldest != id && timers_is_leaving(t, oldest))
        timers_take_out(t, oldest);
    timers_clear_top(t);
}

bool timers_pop(struct timers *t, weft_time now, uint32_t *ret_id)
{
    if (timers_deadline(t) > now || timers_deadline(t) == WEFT_TIME_NEVER)
        return false;
    *ret_id = t->heap[0].id;
    timers_take_out(t, *ret_id);
    timers_clear_top(t);
    return true;
}
