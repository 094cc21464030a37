/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Requests of a general management class by LID, many at a time: what waits, what is under way in a
 * window that grows with answers and shrinks where they come late, and what is asked once more
 * because packets get lost. Each agent is asked at its own pace (pace.h), agents take turns. A node
 * that is BUSY is asked again like one that says nothing.
 *
 * It does no I/O: its owner takes questions out of the queue, has them made into sends of a
 * weft_mad_port, and feeds that port's events.
 */
#ifndef WEFT_CLIENT_GMP_ASKER_H
#define WEFT_CLIENT_GMP_ASKER_H

#include <weft/counters.h>

/** Bytes of an attribute behind WEFT_ATTRIBUTE_OFFSET. */
#define GMP_ATTRIBUTE_BYTES (WEFT_MAD_BYTES - WEFT_ATTRIBUTE_OFFSET)

/** What is asked. */
struct gmp_question {
    uint32_t whom;  /* the owner's number of the agent, from 0 on without large gaps */
    uint32_t about; /* the owner's */
    uint8_t kind;   /* the owner's */
    uint8_t method;
    uint16_t attr_id;
};

/** What became of a question. */
struct gmp_result {
    struct gmp_question question;
    const uint8_t *data; /* the attribute, valid as long as the event's MAD; or NULL: no answer, or
                            not with this attribute */
    uint16_t status;     /* of the answer */
    bool answered;       /* false: there was none */
};

/** Questions. */
struct gmp_asker;

/** Fills in the defaults. */
void gmp_patience_init(struct weft_counters_patience *ret);

/** Makes one.
 * @param c           how patiently; NULL: the defaults
 * @param agent       whose sends they are
 * @param mgmt_class  of these, version 1
 * @param alloc       where memory comes from, copied; NULL: malloc and free
 * @return 0; WEFT_ERR_INVALID: a field of c is out of its range; WEFT_ERR_NOMEM */
int gmp_asker_new(const struct weft_counters_patience *c, weft_mad_agent_id agent,
                  uint8_t mgmt_class, const struct weft_alloc *alloc, struct gmp_asker **ret);

/** Frees it; the engine must hold none of its sends any more. NULL is fine.
 * @return NULL */
struct gmp_asker *gmp_asker_free(struct gmp_asker *a);

/** Begins with what is known of the ways.
 * @param halvings  the wait that is long enough: halved so often, as far as it may be
 * @param lossy     many packets get lost */
void gmp_asker_hurry(struct gmp_asker *a, uint8_t halvings, bool lossy);

/** Puts a question into the queue.
 * @return 0; WEFT_ERR_NOMEM */
int gmp_asker_put(struct gmp_asker *a, const struct gmp_question *q);

/** Takes a question out of the queue: the oldest to the agent whose turn it is. It may be dropped,
 * or goes on to gmp_asker_ask() before the next call.
 * @return false: none waits, or the window is full, or those of all agents that are asked */
bool gmp_asker_next(struct gmp_asker *a, struct gmp_question *ret);

/** Makes the send of a question that gmp_asker_next() has given. Post it.
 * @param to   whom to ask
 * @param ret  borrows memory of the asker until its SEND_DONE
 * @return the attribute, all 0: fill it in before */
uint8_t *gmp_asker_ask(struct gmp_asker *a, const struct gmp_question *q,
                       const struct weft_mad_addr *to, struct weft_mad_send_req *ret);

/** Makes the send of a question that is to be asked once more. Post it.
 * @return false: there is none */
bool gmp_asker_again(struct gmp_asker *a, struct weft_mad_send_req *ret);

/** Feeds an event of the engine. Release a received MAD after the result was used.
 * @return whether a question has come to its end */
bool gmp_asker_event(struct gmp_asker *a, const struct weft_mad_event *ev, struct gmp_result *ret);

/** Whether nothing waits and nothing is under way. */
bool gmp_asker_idle(const struct gmp_asker *a);

/** What it has done. */
void gmp_asker_stats(const struct gmp_asker *a, struct weft_counters_stats *ret);

#endif
