/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Timer queue: the four-ary heap.
 */
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
    t->place[entry.id] = at + 1;
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

void timers_init(struct timers *t, struct timer *heap, uint32_t *place, uint32_t ids)
{
    *t = (struct timers){.heap = heap, .place = place};
    for (uint32_t i = 0; i < ids; i++)
        place[i] = 0;
}

void timers_arm(struct timers *t, uint32_t id, weft_time deadline)
{
    struct timer entry = {.deadline = deadline, .serial = t->serial++, .id = id};

    timers_disarm(t, id);
    timers_sift_up(t, t->count++, entry);
}

void timers_disarm(struct timers *t, uint32_t id)
{
    uint32_t at = t->place[id];
    struct timer last;

    if (at == 0)
        return;
    t->place[id] = 0;
    at--;
    last = t->heap[--t->count];
    if (at == t->count)
        return;
    if (at > 0 && timer_before(&last, &t->heap[(at - 1) / 4]))
        timers_sift_up(t, at, last);
    else
        timers_sift_down(t, at, last);
}

bool timers_pop(struct timers *t, weft_time now, uint32_t *ret_id)
{
    if (t->count == 0 || t->heap[0].deadline > now)
        return false;
    *ret_id = t->heap[0].id;
    timers_disarm(t, *ret_id);
    return true;
}
