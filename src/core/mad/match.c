/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Matching: transaction id, class and the path the packet took. */
#include "core/mad/match.h"

#include <string.h>

/* Requests are found by their transaction id alone. That of an answer was chosen by who asked, and
 * many may have chosen the same: answers are told apart by where they go, too. */
static uint32_t match_hash_answer(uint64_t tid, const struct weft_mad_addr *far, const uint8_t *gid)
{
    return index_hash(tid ^ index_hash(far->has_grh ? wire_be64(gid + 8) : far->lid));
}

static uint32_t match_hash(const struct send *s)
{
    if (s->flags & SEND_ANSWERS)
        return match_hash_answer(s->tid, &s->to, s->to.grh.dgid);
    return index_hash(s->tid);
}

void match_learn(struct weft_mad_port *p, struct send *s)
{
    index_put(&p->send_index, match_hash(s), pool_slot(&p->sends, s));
}

void match_forget(struct weft_mad_port *p, struct send *s)
{
    index_remove(&p->send_index, match_hash(s), pool_slot(&p->sends, s));
}

static struct send *match_next(const struct weft_mad_port *p, uint64_t tid, uint32_t hash,
                               uint32_t *pos)
{
    uint32_t slot;

    while ((slot = index_next(&p->send_index, hash, pos)) != INDEX_EMPTY) {
        struct send *s = pool_at(&p->sends, slot);

        /* the answer will disarm its timer: fetch that while the send itself is on its way */
        timers_prefetch(&p->timers, slot);
        if (s->tid == tid)
            return s;
    }
    return NULL;
}

/* Whether the packet came the way back from where the send went (Linux rcv_has_same_class,
 * rcv_has_same_gid): one of the two is a request and the other a response, both or none have a GRH,
 * and the addresses agree. */
static bool match_path(const struct weft_mad_port *p, const struct send *s,
                       const struct weft_mad_rx *rx)
{
    const struct weft_mad_addr *from = &rx->from;
    bool answers = (s->flags & SEND_ANSWERS) != 0, grh = (s->flags & SEND_GRH) != 0;

    if (mad_is_response(rx->data) == answers || from->has_grh != grh)
        return false;
    if (answers) {
        if (from->has_grh)
            return memcmp(s->to.grh.dgid, from->grh.sgid, sizeof(from->grh.sgid)) == 0;
        return s->to.lid == from->lid;
    }
    if (from->has_grh)
        return memcmp(s->to.grh.sgid, from->grh.dgid, sizeof(from->grh.dgid)) == 0;
    return ((unsigned)s->path_bits ^ rx->dlid) % (1u << p->lmc) == 0;
}

static bool match_is(const struct weft_mad_port *p, const struct send *s,
                     const struct weft_mad_rx *rx)
{
    if (s->mgmt_class != mad_class(rx->data))
        return false;
    return (s->flags & SEND_DIRECTED) || match_path(p, s, rx);
}

struct send *match_response(const struct weft_mad_port *p, const struct weft_mad_rx *rx)
{
    uint64_t tid = mad_tid(rx->data);
    uint32_t hash = index_hash(tid), pos = hash;
    struct send *s;

    while ((s = match_next(p, tid, hash, &pos))) {
        if (s->timeout == 0 || !match_is(p, s, rx))
            continue;
        if (send_fsm_cell((enum weft_mad_state)s->state, SEND_RESPONSE).verdict == SEND_TO)
            return s;
    }
    return NULL;
}

struct send *match_rmpp(const struct weft_mad_port *p, const struct weft_mad_rx *rx)
{
    uint64_t tid = mad_tid(rx->data);
    uint32_t hash = mad_is_response(rx->data)
                        ? index_hash(tid)
                        : match_hash_answer(tid, &rx->from, rx->from.grh.sgid);
    uint32_t pos = hash;
    struct send *s;

    while ((s = match_next(p, tid, hash, &pos))) {
        if ((s->flags & SEND_RMPP) && match_is(p, s, rx))
            return s;
    }
    return NULL;
}

/* Whether two answers go to the same asker. */
static bool same_destination(const struct weft_mad_addr *a, const struct weft_mad_addr *b)
{
    if (a->has_grh != b->has_grh)
        return false;
    if (a->has_grh)
        return memcmp(a->grh.dgid, b->grh.dgid, sizeof(a->grh.dgid)) == 0;
    return a->lid == b->lid;
}

bool match_conflict(const struct weft_mad_port *p, const struct send *s)
{
    uint32_t hash = match_hash(s), pos = hash;
    struct send *other;

    /* an agent that does RMPP itself has several segments of one message under way */
    if (s->agent->user_rmpp && rmpp_is_active(s->data))
        return false;
    while ((other = match_next(p, s->tid, hash, &pos))) {
        if (other->mgmt_class != s->mgmt_class || other->state == WEFT_MAD_CANCELED)
            continue;
        if ((other->flags & SEND_ANSWERS) != (s->flags & SEND_ANSWERS))
            continue;
        if ((s->flags & SEND_ANSWERS) && !same_destination(&s->to, &other->to))
            continue;
        return true;
    }
    return false;
}
