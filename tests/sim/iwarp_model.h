/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What must be true of a connection's requests: a log of each side, and the peer's memory as the
 * log says it is. Slow and obvious.
 */
#ifndef WEFT_TESTS_SIM_IWARP_MODEL_H
#define WEFT_TESTS_SIM_IWARP_MODEL_H

#include "iwarp_world.h"

struct node;
struct qp_record;
struct posted_recv;

/** Memory of so many bytes, filled, between guards. */
uint8_t *guarded_new(uint32_t bytes);
/** Whether nothing was written beside it. */
bool guarded_whole(const uint8_t *memory, uint32_t bytes);
void guarded_free(uint8_t *memory);
/** Whether it is as guarded_new() left it. */
bool guarded_untouched(const uint8_t *memory, uint32_t from, uint32_t bytes);

/** A side has a QP: it offers the peer an area of memory. */
void side_begin(struct world *w, struct side *s, struct node *n, struct qp_record *qp);
/** Its connection, or attempt, is over and all completions were taken: nothing is left. */
void side_end(struct world *w, struct side *s);
/** Ends the registration of its area while the peer may use it. */
void side_withdraw(struct world *w, struct conn *c, struct side *s);

/** Posts a request that is chosen by chance. */
void side_post(struct world *w, struct conn *c, struct side *s);
/** A Write of no bytes: it opens the responder's direction. */
void side_post_empty(struct world *w, struct conn *c, struct side *s);
/** Messages that the peer can still receive. */
int64_t side_credits(const struct conn *c, const struct side *s);

/** A completion of the send queue. */
void side_sent(struct world *w, struct conn *c, struct side *s, const struct weft_siw_wc *wc);
/** A completion of the receive queue. */
void side_received(struct world *w, struct conn *c, struct side *s, const struct posted_recv *r,
                   const struct weft_siw_wc *wc);

/** Compares the area with what it may hold now. */
void side_check_area(struct world *w, struct conn *c, struct side *s);
/** A Terminate that the QP has sent is one that the logs deserve. */
void side_check_terminate(struct world *w, struct conn *c, struct side *s);
/** One that it has received is the peer's: after all sides were checked for what they sent. */
void side_check_terminated(struct world *w, struct conn *c, struct side *s);
/** Everything posted has arrived and is complete. */
void side_check_quiet(struct world *w, struct conn *c, struct side *s);
/** Whether something in the log can end the connection. */
bool side_has_fault(const struct side *s);

static inline struct side *side_peer(struct conn *c, const struct side *s)
{
    return s == &c->side[0] ? &c->side[1] : &c->side[0];
}

#endif
