/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Two 4-ary heaps, merged when events are taken: the same order as one heap would give. */
#include "storm/scheduler.h"

#include "core/base/check.h"

#include <string.h>

_Static_assert(sizeof(struct storm_event) == 32, "two events fill a cache line");

/* Longer than any packet travels, shorter than any timeout of interest. */
static const weft_time soon_ns = WEFT_MS;

enum {
    CACHE_LINE = 64,
    FIRST_SPACE = 1024
};

static inline bool is_before(const struct storm_event *a, const struct storm_event *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static bool heap_grow(struct storm_scheduler_heap *h, const struct weft_alloc *alloc)
{
    size_t space = h->space == 0 ? FIRST_SPACE : h->space * 2;
    struct storm_event *events = alloc->get(alloc->ctx, space * sizeof(*events), CACHE_LINE);

    if (!events)
        return false;
    if (h->count > 0)
        memcpy(events, h->events, h->count * sizeof(*events));
    if (h->events)
        alloc->put(alloc->ctx, h->events, h->space * sizeof(*events));
    h->events = events;
    h->space = space;
    return true;
}

static void heap_add(struct storm_scheduler_heap *h, const struct storm_event *e)
{
    size_t i = h->count++;

    while (i > 0) {
        size_t parent = (i - 1) / 4;

        if (!is_before(e, &h->events[parent]))
            break;
        h->events[i] = h->events[parent];
        i = parent;
    }
    h->events[i] = *e;
}

static size_t first_of(const struct storm_event *events, size_t from, size_t end)
{
    size_t first = from;

    for (size_t i = from + 1; i < end; i++)
        if (is_before(&events[i], &events[first]))
            first = i;
    return first;
}

static void heap_remove_first(struct storm_scheduler_heap *h)
{
    struct storm_event last = h->events[--h->count];
    size_t i = 0;

    for (;;) {
        size_t child = 4 * i + 1;
        size_t end = child + 4 < h->count ? child + 4 : h->count;

        if (child >= h->count)
            break;
        child = first_of(h->events, child, end);
        if (!is_before(&h->events[child], &last))
            break;
        h->events[i] = h->events[child];
        i = child;
    }
    h->events[i] = last;
}

void storm_scheduler_init(struct storm_scheduler *s, const struct weft_alloc *alloc)
{
    *s = (struct storm_scheduler){.alloc = *alloc};
}

void storm_scheduler_add(struct storm_scheduler *s, weft_time time, enum storm_event_type type,
                         uint32_t client, uint32_t arg, uint64_t tid)
{
    struct storm_scheduler_heap *h = time - s->now < soon_ns ? &s->soon : &s->later;
    struct storm_event e = {time, s->sequence << 8 | (uint64_t)type, tid, client, arg};

    WEFT_ASSERT(time >= s->now);
    if (h->count == h->space && !heap_grow(h, &s->alloc)) {
        s->failed = true;
        return;
    }
    s->sequence++;
    heap_add(h, &e);
}

bool storm_scheduler_take(struct storm_scheduler *s, struct storm_event *ret)
{
    struct storm_scheduler_heap *h = &s->soon;

    if (s->later.count > 0 &&
        (s->soon.count == 0 || is_before(&s->later.events[0], &s->soon.events[0])))
        h = &s->later;
    if (h->count == 0)
        return false;
    *ret = h->events[0];
    s->now = ret->time;
    heap_remove_first(h);
    return true;
}

void storm_scheduler_done(struct storm_scheduler *s)
{
    if (s->soon.events)
        s->alloc.put(s->alloc.ctx, s->soon.events, s->soon.space * sizeof(*s->soon.events));
    if (s->later.events)
        s->alloc.put(s->alloc.ctx, s->later.events, s->later.space * sizeof(*s->later.events));
    *s = (struct storm_scheduler){.alloc = s->alloc};
}
