/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The ids of a facade, by number, each with its events. A number is never used twice, so what is
 * gone stays gone. Memory for an event is taken by the call that leads to it.
 */
#ifndef WEFT_IW_IDENTITY_H
#define WEFT_IW_IDENTITY_H

#include "core/base/list.h"

#include <weft/iw.h>

struct identity;

struct event_node {
    struct list_node link;
    struct weft_iw_event event;
    struct identity *child; /* REQUEST: event.id */
    uint8_t private_data[WEFT_IWCM_PRIVATE_MAX];
};

/** The calls of one kind that wait for the core's DONE: they end in their order. */
struct identity_calls {
    uint32_t begun, done;
    enum weft_iwcm_status status; /* of the last one */
};

struct identity {
    struct identity *chain;   /* of its bucket */
    struct list_node ready;   /* has events for its callback */
    struct list_node events;  /* of which nobody was told */
    struct list_node spare;   /* for events to come */
    struct event_node *shown; /* what weft_iw_wait() gave last */
    weft_iw_id id;
    weft_iwcm_id cm;
    weft_iw_callback callback;
    void *context;
    uint32_t running;             /* callbacks that run: 0 or 1 */
    uint32_t visitors;            /* calls that wait and will look at it again */
    bool given_up;                /* by the client, in any of the ways */
    bool gone;                    /* the core has said so */
    bool dialing;                 /* in weft_iw_connect(): a local reason to fail is its result */
    enum weft_iwcm_status dialed; /* that reason */
    int error;                    /* why listening failed */
    uint32_t backlog, waiting;    /* LISTEN: requests of which nobody was told */
    struct weft_iw_addr local, remote;
    struct identity_calls calls[WEFT_IWCM_CALLS];
};

struct identities {
    struct identity **buckets;
    size_t bucket_mask;
    uint64_t last; /* number given out */
};

/** @return 0 or WEFT_ERR_NOMEM */
int identities_new(struct identities *t, uint32_t count);
/** Frees all that are left. */
void identities_free(struct identities *t);
/** @return NULL: no memory */
struct identity *identity_new(struct identities *t);
struct identity *identity_find(const struct identities *t, uint64_t number);
/** Frees one that the core, callbacks and callers have left.
 * @return whether it did */
bool identity_free_if_left(struct identities *t, struct identity *who);
/** Sees to memory for so many events to come.
 * @return whether there is enough */
bool identity_reserve(struct identity *who, uint32_t events);
/** Takes a reserved event; NULL if there is none. */
struct event_node *identity_event(struct identity *who);
/** Takes the oldest event of which nobody was told; NULL if there is none. */
struct event_node *identity_oldest(struct identity *who);
/** Frees what weft_iw_wait() gave. */
void identity_unshow(struct identity *who);

#endif
