/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Gets of subnet management attributes by directed route, many at a time: what waits to be asked,
 * what is under way in a bounded window, and what is asked once more because packets get lost.
 *
 * It does no I/O: its owner takes questions out of the queue, has them made into sends of a
 * weft_mad_port, and feeds that port's events.
 */
#ifndef WEFT_CLIENT_ASKER_H
#define WEFT_CLIENT_ASKER_H

#include <weft/sweep.h>

/** Adds a hop.
 * @return false: the route is as long as it may be */
bool route_extend(struct weft_route *r, uint8_t port);

/** What is asked. */
struct question {
    uint32_t about; /* the owner's */
    uint8_t kind;   /* the owner's */
    uint16_t attr_id;
    uint32_t attr_mod;
    uint32_t way;   /* the owner's, who may change it before asker_ask() */
    bool urgent;    /* goes before those that are not: others depend on its answer */
    uint16_t asked; /* the asker's: how often it was asked in vain; odd: try another way */
};

/** What became of a question. */
struct asker_result {
    struct question question;
    const uint8_t *data; /* the attribute, 64 bytes, valid as long as the event's MAD; or NULL */
    bool refused;        /* data is NULL: there was an answer, but not with this attribute */
};

/** Questions. */
struct asker;

/** Makes one.
 * @param c      how patiently; NULL: the defaults
 * @param agent  whose sends they are: of class 0x81 on QP0
 * @param alloc  where memory comes from, copied; NULL: malloc and free
 * @return 0; WEFT_ERR_INVALID: a field of c is out of its range; WEFT_ERR_NOMEM */
int asker_new(const struct weft_sweep_config *c, weft_mad_agent_id agent,
              const struct weft_alloc *alloc, struct asker **ret);

/** Frees it; the engine must hold none of its sends any more. NULL is fine.
 * @return NULL */
struct asker *asker_free(struct asker *a);

/** Puts a question into the queue.
 * @return 0; WEFT_ERR_NOMEM */
int asker_put(struct asker *a, const struct question *q);

/** Takes a question that is to be asked: one that had no answer yet, else the oldest that is
 * urgent, else the oldest.
 * It may be dropped, or goes on to asker_ask().
 * @return false: none waits, or the window is full */
bool asker_next(struct asker *a, struct question *ret);

/** Makes the send of a question that asker_next() has given. Post it.
 * @param ret  borrows memory of the asker until its SEND_DONE */
void asker_ask(struct asker *a, const struct question *q, const struct weft_route *route,
               struct weft_mad_send_req *ret);

/** Feeds an event of the engine. Release a received MAD after the result was used.
 * @return whether a question has come to its end */
bool asker_event(struct asker *a, const struct weft_mad_event *ev, struct asker_result *ret);

/** How many questions that are not yet known to wait for the dead may be under way just now. */
uint32_t asker_window(const struct asker *a);

/** Begins with a wait halved so often, as far as it may be. */
void asker_hurry(struct asker *a, uint8_t halvings);

/** How often the wait for an answer has been halved. */
uint8_t asker_halvings(const struct asker *a);

/** Whether answers came late throughout, but fewer than half of them: packets get lost. */
bool asker_loses(const struct asker *a);

/** Sends made so far. */
uint64_t asker_sends(const struct asker *a);

/** Whether questions were lost for want of memory: they have come to their end as if there had been
 * no answer.
 * @return 0 or WEFT_ERR_NOMEM */
int asker_verdict(const struct asker *a);

/** Whether there are only questions left that have had no answer for some time. */
bool asker_waits(const struct asker *a);

/** Whether nothing waits and nothing is under way. */
bool asker_idle(const struct asker *a);

#endif
