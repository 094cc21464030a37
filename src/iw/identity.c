/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ids of the facade and their events. */
#include "iw/identity.h"

#include <stdlib.h>

int identities_new(struct identities *t, uint32_t count)
{
    size_t buckets = 16;

    while (buckets < count)
        buckets *= 2;
    t->bucket_mask = buckets - 1;
    t->buckets = calloc(buckets, sizeof(void *));
    return t->buckets ? 0 : WEFT_ERR_NOMEM;
}

static void events_free(struct list_node *events)
{
    struct list_node *n;

    while ((n = list_pop_front(events)))
        free(WEFT_CONTAINER_OF(n, struct event_node, link));
}

static void identity_free(struct identity *who)
{
    events_free(&who->events);
    events_free(&who->spare);
    free(who->shown);
    free(who);
}

void identities_free(struct identities *t)
{
    for (size_t i = 0; t->buckets && i <= t->bucket_mask; i++) {
        struct identity *who = t->buckets[i];

        while (who) {
            struct identity *next = who->chain;

            identity_free(who);
            who = next;
        }
    }
    free(t->buckets);
    t->buckets = NULL;
}

struct identity *identity_new(struct identities *t)
{
    struct identity *who = calloc(1, sizeof(*who));
    struct identity **bucket;

    if (!who)
        return NULL;
    list_init(&who->ready);
    list_init(&who->events);
    list_init(&who->spare);
    who->id.v = ++t->last;
    bucket = &t->buckets[who->id.v & t->bucket_mask];
    who->chain = *bucket;
    *bucket = who;
    return who;
}

struct identity *identity_find(const struct identities *t, uint64_t number)
{
    struct identity *who = t->buckets[number & t->bucket_mask];

    while (who && who->id.v != number)
        who = who->chain;
    return who;
}

bool identity_free_if_left(struct identities *t, struct identity *who)
{
    struct identity **at = &t->buckets[who->id.v & t->bucket_mask];

    if (!who->gone || who->running > 0 || who->visitors > 0)
        return false;
    while (*at != who)
        at = &(*at)->chain;
    *at = who->chain;
    list_remove(&who->ready);
    identity_free(who);
    return true;
}

bool identity_reserve(struct identity *who, uint32_t events)
{
    uint32_t have = 0;

    for (struct list_node *n = who->spare.next; n != &who->spare; n = n->next)
        have++;
    for (; have < events; have++) {
        struct event_node *e = calloc(1, sizeof(*e));

        if (!e)
            return false;
        list_init(&e->link);
        list_push_back(&who->spare, &e->link);
    }
    return true;
}

struct event_node *identity_event(struct identity *who)
{
    struct list_node *n = list_pop_front(&who->spare);

    return n ? WEFT_CONTAINER_OF(n, struct event_node, link) : NULL;
}

struct event_node *identity_oldest(struct identity *who)
{
    struct list_node *n = list_pop_front(&who->events);

    return n ? WEFT_CONTAINER_OF(n, struct event_node, link) : NULL;
}

void identity_unshow(struct identity *who)
{
    free(who->shown);
    who->shown = NULL;
}
