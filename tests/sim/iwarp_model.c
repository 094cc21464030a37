/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Both logs of a connection, and whether what a provider does agrees with them. */
#include "iwarp_model.h"

#include "core/iwarp/terminate.h"
#include "iwarp_node.h"

#include <stdlib.h>
#include <string.h>

enum {
    GUARD_BYTES = 32,
    FILL = 0xEE,
    NOT_AN_STAG = 0x7FFFFF01
};

uint8_t *guarded_new(uint32_t bytes)
{
    uint8_t *block = malloc((size_t)bytes + 2 * GUARD_BYTES);

    if (!block)
        abort();
    memset(block, FILL, (size_t)bytes + 2 * GUARD_BYTES);
    return block + GUARD_BYTES;
}

static bool filled(const uint8_t *p, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++) {
        if (p[i] != FILL)
            return false;
    }
    return true;
}

bool guarded_whole(const uint8_t *memory, uint32_t bytes)
{
    return filled(memory - GUARD_BYTES, GUARD_BYTES) && filled(memory + bytes, GUARD_BYTES);
}

void guarded_free(uint8_t *memory)
{
    if (memory)
        free(memory - GUARD_BYTES);
}

bool guarded_untouched(const uint8_t *memory, uint32_t from, uint32_t bytes)
{
    return from >= bytes || filled(memory + from, bytes - from);
}

/* The byte of a message at a place. */
static uint8_t pattern(uint64_t seed, uint32_t at)
{
    return (uint8_t)(((seed ^ at * UINT64_C(0x9E3779B97F4A7C15)) * UINT64_C(0xBF58476D1CE4E5B9)) >>
                     56);
}

static uint32_t register_memory(struct node *n, uint8_t *memory, uint32_t bytes, uint64_t to,
                                uint8_t access)
{
    struct weft_siw_region r = {
        .base = memory, .bytes = bytes ? bytes : 1, .to = to, .pd = PD, .access = access};
    uint32_t stag = 0;

    if (weft_siw_region_register(n->siw, &r, &stag) == 0)
        n->regions++;
    return stag;
}

static void deregister(struct world *w, struct node *n, uint32_t stag)
{
    if (stag == 0)
        return;
    world_require(w, weft_siw_region_deregister(n->siw, stag) == 0,
                  "a region that nobody uses could not be deregistered");
    n->regions--;
}

void side_begin(struct world *w, struct side *s, struct node *n, struct qp_record *qp)
{
    s->node = n;
    s->qp = qp;
    s->bound = true;
    s->to = world_chance(w, 100) ? UINT64_MAX - AREA_BYTES + 1 : prng_next(&w->prng) >> 1;
    s->area = guarded_new(AREA_BYTES);
    for (uint32_t i = 0; i < AREA_BYTES; i++)
        s->area[i] = pattern(s->to, i);
    memcpy(s->base, s->area, AREA_BYTES);
    memcpy(s->view, s->area, AREA_BYTES);
    s->stag = register_memory(n, s->area, AREA_BYTES, s->to,
                              WEFT_SIW_REMOTE_READ | WEFT_SIW_REMOTE_WRITE);
    s->token = register_memory(n, s->token_memory, 1, 0, WEFT_SIW_INVALIDATE);
    s->withdrawn = s->stag == 0;
    s->token_spent = s->token == 0;
}

/* The memory of a request is the program's again. */
static void entry_end(struct world *w, struct side *s, struct entry *e)
{
    world_require(w, !e->memory || guarded_whole(e->memory, e->bytes),
                  "bytes beside a request's memory were written");
    deregister(w, s->node, e->stag);
    guarded_free(e->memory);
    free(e->before);
    e->memory = e->before = NULL;
    e->stag = 0;
}

void side_end(struct world *w, struct side *s)
{
    struct weft_siw_qp_info info;

    if (s->over || !s->bound)
        return;
    side_check_terminate(w, s->qp->conn, s);
    world_require(w, weft_siw_qp_query(s->node->siw, s->qp->qpn, &info) == 0 && info.owner.v == 0,
                  "a QP is bound after its connection has ended");
    for (; s->completed < s->posted; s->completed++) {
        struct entry *e = &s->log[s->completed];

        world_require(w, !e->signaled, "a request has no completion");
        entry_end(w, s, e);
    }
    if (!s->withdrawn)
        deregister(w, s->node, s->stag);
    deregister(w, s->node, s->token);
    world_require(w, guarded_whole(s->area, AREA_BYTES), "bytes beside an area were written");
    guarded_free(s->area);
    s->area = NULL;
    s->qp->conn = NULL;
    s->qp->side = NULL;
    s->over = true;
    s->up = false;
}

void side_withdraw(struct world *w, struct conn *c, struct side *s)
{
    const struct side *peer = side_peer(c, s);
    bool reads = false;
    int err;

    if (!s->bound || s->over || s->withdrawn)
        return;
    for (uint32_t i = 0; i < peer->posted; i++)
        reads = reads || peer->log[i].opcode == WEFT_SIW_READ;
    side_check_area(w, c, s);
    err = weft_siw_region_deregister(s->node->siw, s->stag);
    world_require(w, err == 0 || (err == WEFT_ERR_CONFLICT && reads),
                  "a region could not be deregistered");
    if (err != 0)
        return;
    /* from now on it does not change */
    memcpy(s->base, s->area, AREA_BYTES);
    s->node->regions--;
    s->withdrawn = true;
}

int64_t side_credits(const struct conn *c, const struct side *s)
{
    const struct side *peer = s == &c->side[0] ? &c->side[1] : &c->side[0];
    uint32_t sends = 0;

    if (!peer->bound || peer->over)
        return 0;
    for (uint32_t i = 0; i < s->posted; i++)
        sends += s->log[i].opcode == WEFT_SIW_SEND;
    return (int64_t)peer->qp->recv_count - (sends - peer->sends_heard);
}

/* The first entry that the peer must not get beyond. */
static uint32_t first_stop(const struct side *s)
{
    uint32_t i = 0;

    while (i < s->posted && !s->log[i].faulty && !s->log[i].local)
        i++;
    return i;
}

bool side_has_fault(const struct side *s)
{
    return first_stop(s) < s->posted || s->withdrawn;
}

/* Where a tagged request goes to, wrong in one way or another or not at all. */
static void aim(struct world *w, struct entry *e, const struct side *peer, struct weft_siw_send *wr)
{
    bool write = e->opcode == WEFT_SIW_WRITE;

    wr->remote_stag = peer->stag;
    e->offset =
        (uint32_t)world_draw(w, AREA_BYTES - (e->bytes < AREA_BYTES ? e->bytes : AREA_BYTES));
    if (e->bytes > 0 && world_chance(w, w->habits.wrong)) {
        e->faulty = true;
        switch (world_draw(w, 2)) {
        case 0:
            e->wrong = write ? TERMINATE_TAGGED_STAG : TERMINATE_READ_STAG;
            e->misses = true;
            wr->remote_stag ^= 1;
            break;
        case 1:
            e->wrong = write ? TERMINATE_TAGGED_BOUNDS : TERMINATE_READ_BOUNDS;
            if (peer->to > UINT64_MAX / 2)
                e->wrong = write ? TERMINATE_TAGGED_WRAP : TERMINATE_READ_WRAP;
            e->offset = AREA_BYTES + 1 - e->bytes;
            if (world_chance(w, 500))
                e->offset = AREA_BYTES - (uint32_t)world_draw(w, e->bytes - 1);
            break;
        default:
            e->wrong = TERMINATE_ACCESS;
            e->misses = true;
            e->bytes = 1;
            e->offset = 0;
            wr->remote_stag = peer->token;
            wr->remote_to = 0;
            if (peer->token == 0 || peer->token_spent)
                e->wrong = write ? TERMINATE_TAGGED_STAG : TERMINATE_READ_STAG;
            return;
        }
    }
    wr->remote_to = peer->to + e->offset;
}

/* A local piece of memory; of a READ, and of some others, a region. */
static void give_memory(struct world *w, struct side *s, struct entry *e)
{
    bool read = e->opcode == WEFT_SIW_READ;

    e->memory = guarded_new(e->bytes);
    for (uint32_t i = 0; !read && i < e->bytes; i++)
        e->memory[i] = pattern(e->seed, i);
    if (read || e->opcode == WEFT_SIW_LOCAL_INVALIDATE || world_chance(w, 300))
        e->stag = register_memory(s->node, e->memory, e->bytes, prng_next(&w->prng) >> 1,
                                  read ? WEFT_SIW_LOCAL_WRITE : 0);
}

static uint32_t cut(struct world *w, const struct entry *e, struct weft_siw_sge *sge)
{
    uint32_t stag = e->local ? NOT_AN_STAG : e->stag, at = 0, count = 0;

    if (e->opcode != WEFT_SIW_READ && e->bytes > 0) {
        for (; count < WEFT_SIW_SGE_MAX - 1 && world_chance(w, 400); count++) {
            uint32_t some = (uint32_t)world_draw(w, e->bytes - at);

            sge[count] = (struct weft_siw_sge){e->memory + at, some, stag};
            at += some;
        }
    }
    sge[count] = (struct weft_siw_sge){e->memory + at, e->bytes - at, stag};
    return count + 1;
}

/* A Send may invalidate the peer's token, once. */
static void spend_token(struct world *w, struct entry *e, struct side *peer,
                        struct weft_siw_send *wr)
{
    if (peer->token == 0 || !world_chance(w, peer->token_spent ? w->habits.wrong : 100))
        return;
    e->flags |= WEFT_SIW_INVALIDATING;
    e->token = peer->token;
    wr->invalidate = peer->token;
    if (world_chance(w, w->habits.wrong) && !peer->withdrawn) {
        /* the area is not for that */
        e->token = wr->invalidate = peer->stag;
        e->wrong = TERMINATE_CANNOT_INVALIDATE;
        e->faulty = true;
    } else if (peer->token_spent) {
        e->wrong = TERMINATE_READ_STAG;
        e->faulty = true;
    }
}

/* The log has it, and with it what the peer's memory will be. */
static void entry_posted(struct world *w, struct conn *c, struct side *s, struct entry *e)
{
    struct side *peer = side_peer(c, s);

    s->posted++;
    w->totals.requests++;
    if (e->opcode == WEFT_SIW_SEND && (e->flags & WEFT_SIW_INVALIDATING) && !e->faulty)
        peer->token_spent = true;
    if (e->opcode == WEFT_SIW_READ) {
        e->before = malloc(AREA_BYTES);
        if (!e->before)
            abort();
        memcpy(e->before, peer->view, AREA_BYTES);
    }
    if (e->opcode != WEFT_SIW_WRITE || e->misses)
        return;
    for (uint32_t i = 0; i < e->bytes && e->offset + i < AREA_BYTES; i++)
        peer->view[e->offset + i] = pattern(e->seed, i);
}

static void choose_opcode(struct world *w, struct conn *c, struct side *s, struct entry *e)
{
    static const uint8_t opcodes[] = {WEFT_SIW_SEND, WEFT_SIW_SEND,  WEFT_SIW_WRITE,
                                      WEFT_SIW_READ, WEFT_SIW_WRITE, WEFT_SIW_LOCAL_INVALIDATE};

    e->opcode = opcodes[world_draw(w, 5)];
    if (e->opcode == WEFT_SIW_SEND && side_credits(c, s) <= 0) {
        if (world_chance(w, w->habits.starve))
            c->disturbed = true;
        else
            e->opcode = WEFT_SIW_WRITE;
    }
    e->bytes = world_chance(w, 150) ? 0 : (uint32_t)world_draw(w, w->habits.message_max);
    if (e->opcode == WEFT_SIW_LOCAL_INVALIDATE)
        e->bytes = 1;
    if (e->opcode != WEFT_SIW_SEND && e->bytes > AREA_BYTES)
        e->bytes = AREA_BYTES;
    e->local = world_chance(w, w->habits.wrong / 4);
    e->seed = prng_next(&w->prng);
    e->flags = world_chance(w, 700) ? WEFT_SIW_SIGNALED : 0;
    e->flags |= world_chance(w, 150) ? WEFT_SIW_FENCE : 0;
}

/* Whether a READ that is not complete may still be answered out of what a Write changes. */
static bool overtakes_read(const struct side *s, const struct entry *write)
{
    for (uint32_t i = s->completed; i < s->posted; i++) {
        const struct entry *e = &s->log[i];

        if (e->opcode == WEFT_SIW_READ && e->offset < write->offset + write->bytes &&
            write->offset < e->offset + e->bytes)
            return true;
    }
    return false;
}

/* With CRC, memory that changes while it is sent makes FPDUs that are refused. */
static void keep_order(struct side *s, struct entry *e)
{
    struct weft_siw_qp_info info;

    if (e->opcode == WEFT_SIW_WRITE && overtakes_read(s, e) &&
        weft_siw_qp_query(s->node->siw, s->qp->qpn, &info) == 0 && info.crc)
        e->flags |= WEFT_SIW_FENCE;
}

static void entry_fill(struct world *w, struct conn *c, struct side *s, struct entry *e,
                       struct weft_siw_send *wr)
{
    struct side *peer = side_peer(c, s);

    if (e->opcode == WEFT_SIW_WRITE || e->opcode == WEFT_SIW_READ) {
        aim(w, e, peer, wr);
        keep_order(s, e);
    } else if (e->opcode == WEFT_SIW_SEND) {
        e->flags |= world_chance(w, 200) ? WEFT_SIW_SOLICITED : 0;
        spend_token(w, e, peer, wr);
    }
    if (e->opcode == WEFT_SIW_READ && world_chance(w, 200))
        e->flags |= WEFT_SIW_INVALIDATING;
    give_memory(w, s, e);
    if (e->opcode == WEFT_SIW_READ && e->stag == 0)
        e->local = true;
    if (e->opcode == WEFT_SIW_LOCAL_INVALIDATE) {
        e->local = e->local || e->stag == 0;
        wr->invalidate = e->local ? NOT_AN_STAG : e->stag;
    }
    /* what the own side refuses never comes to the peer */
    if (e->local)
        e->faulty = false;
}

static void post_entry(struct world *w, struct conn *c, struct side *s, struct entry *e,
                       struct weft_siw_send *wr)
{
    struct weft_siw_sge sge[WEFT_SIW_SGE_MAX];
    struct weft_siw_qp_info info;
    int err;

    world_require(w, weft_siw_qp_query(s->node->siw, s->qp->qpn, &info) == 0, "a QP is lost");
    wr->sge = sge;
    wr->sge_count = e->opcode == WEFT_SIW_LOCAL_INVALIDATE ? 0 : cut(w, e, sge);
    wr->wr_id = (uint64_t)c->port << 32 | s->posted;
    wr->opcode = (enum weft_siw_send_opcode)e->opcode;
    wr->flags = e->flags;
    e->signaled = e->flags & WEFT_SIW_SIGNALED;
    entry_posted(w, c, s, e);
    err = weft_siw_post_send(s->node->siw, w->now, s->qp->qpn, wr);
    world_tell(w, s->node, "post", wr->wr_id, e->opcode | (uint64_t)e->bytes << 8,
               (uint64_t)(-err) << 16 | (uint64_t)e->faulty << 15 | e->wrong);
    if (err == 0)
        return;
    world_require(w,
                  err == WEFT_ERR_FULL ||
                      (err == WEFT_ERR_STATE && info.state != WEFT_SIW_QP_RTS) ||
                      (err == WEFT_ERR_INVALID && e->opcode == WEFT_SIW_READ && info.ord == 0),
                  "a post was refused without a reason");
    s->posted--;
    w->totals.requests--;
    entry_end(w, s, e);
}

/* What a refused post would have done to the model's view is taken back by the caller. */
static void try_post(struct world *w, struct conn *c, struct side *s, struct entry *e,
                     struct weft_siw_send *wr)
{
    struct side *peer = side_peer(c, s);
    uint8_t view[AREA_BYTES];
    bool spent = peer->token_spent;
    uint32_t before = s->posted;

    memcpy(view, peer->view, sizeof(view));
    post_entry(w, c, s, e, wr);
    if (s->posted > before)
        return;
    memcpy(peer->view, view, sizeof(view));
    peer->token_spent = spent;
}

void side_post(struct world *w, struct conn *c, struct side *s)
{
    struct weft_siw_send wr = {0};
    struct entry *e = &s->log[s->posted];

    if (s->posted + 1 >= LOG_MAX || !side_peer(c, s)->bound)
        return;
    *e = (struct entry){0};
    choose_opcode(w, c, s, e);
    entry_fill(w, c, s, e, &wr);
    try_post(w, c, s, e, &wr);
}

void side_post_empty(struct world *w, struct conn *c, struct side *s)
{
    struct weft_siw_send wr = {.remote_stag = 1};
    struct entry *e = &s->log[s->posted];

    if (s->posted >= LOG_MAX || !side_peer(c, s)->bound)
        return;
    *e = (struct entry){.opcode = WEFT_SIW_WRITE, .memory = guarded_new(0), .misses = true};
    try_post(w, c, s, e, &wr);
}

/* Whether a byte of an area may be so, by a Write that may have come meanwhile. */
static bool may_be_written(const struct side *by, uint32_t from, uint32_t at, uint8_t value)
{
    for (uint32_t i = from; i < by->posted; i++) {
        const struct entry *e = &by->log[i];

        if (e->opcode == WEFT_SIW_WRITE && !e->misses && !e->local && at >= e->offset &&
            at - e->offset < e->bytes && pattern(e->seed, at - e->offset) == value)
            return true;
    }
    return false;
}

void side_check_area(struct world *w, struct conn *c, struct side *s)
{
    const struct side *peer = side_peer(c, s);

    if (!s->area || memcmp(s->area, s->base, AREA_BYTES) == 0)
        return;
    world_require(w, !s->withdrawn, "memory was written whose registration had ended");
    for (uint32_t i = 0; i < AREA_BYTES; i++) {
        if (s->area[i] == s->base[i])
            continue;
        world_require(w, may_be_written(peer, s->heard, i, s->area[i]),
                      "an area holds what nobody has written");
    }
}

/* All of the peer's log before `until` has arrived: its Writes are there. */
static void hear(struct world *w, struct conn *c, struct side *s, uint32_t until)
{
    const struct side *peer = side_peer(c, s);

    world_require(w, until <= first_stop(peer), "something behind a fault has arrived");
    for (; s->heard < until; s->heard++) {
        const struct entry *e = &peer->log[s->heard];

        if (e->opcode != WEFT_SIW_WRITE || e->misses || s->withdrawn)
            continue;
        for (uint32_t i = 0; i < e->bytes && e->offset + i < AREA_BYTES; i++)
            s->base[e->offset + i] = pattern(e->seed, i);
    }
    side_check_area(w, c, s);
}

static void check_read(struct world *w, struct conn *c, struct side *s, const struct entry *e,
                       const struct weft_siw_wc *wc)
{
    uint32_t index = (uint32_t)(e - s->log);

    world_require(w, wc->bytes == e->bytes, "a READ has another length");
    for (uint32_t i = 0; i < e->bytes; i++)
        world_require(w,
                      e->memory[i] == e->before[e->offset + i] ||
                          may_be_written(s, index + 1, e->offset + i, e->memory[i]),
                      "a READ brought bytes that were not there");
    if (e->flags & WEFT_SIW_INVALIDATING)
        world_require(w, !weft_siw_region_valid(s->node->siw, e->stag),
                      "a READ has not invalidated its sink");
    if (!side_peer(c, s)->over)
        hear(w, c, side_peer(c, s), index + 1);
}

static void check_sent_well(struct world *w, struct conn *c, struct side *s, const struct entry *e,
                            const struct weft_siw_wc *wc)
{
    bool invalidate = e->opcode == WEFT_SIW_LOCAL_INVALIDATE;

    world_require(w, !e->local, "a request without memory went well");
    world_require(w, !s->failed || invalidate, "a request behind a failed one went well");
    if (invalidate)
        world_require(w, !weft_siw_region_valid(s->node->siw, e->stag), "an STag is still valid");
    if (e->opcode != WEFT_SIW_READ)
        return;
    world_require(w, !e->faulty, "a READ that the peer must refuse went well");
    check_read(w, c, s, e, wc);
}

static void check_sent_badly(struct world *w, struct conn *c, struct side *s, const struct entry *e,
                             const struct weft_siw_wc *wc)
{
    enum weft_siw_wc_status local =
        e->opcode == WEFT_SIW_LOCAL_INVALIDATE ? WEFT_SIW_WC_INVALIDATE : WEFT_SIW_WC_LOCAL;
    struct weft_siw_qp_info info;

    world_require(w,
                  weft_siw_qp_query(s->node->siw, s->qp->qpn, &info) == 0 &&
                      info.state != WEFT_SIW_QP_RTS && info.state != WEFT_SIW_QP_CLOSING,
                  "a request failed and its QP has not");
    switch (wc->status) {
    case WEFT_SIW_WC_FLUSHED:
        break;
    case WEFT_SIW_WC_LOCAL:
    case WEFT_SIW_WC_INVALIDATE:
        world_require(w, e->local && wc->status == local, "a local error without a cause");
        break;
    case WEFT_SIW_WC_REMOTE:
        world_require(w, e->opcode == WEFT_SIW_READ && (e->faulty || side_peer(c, s)->withdrawn),
                      "a remote error without a cause");
        break;
    case WEFT_SIW_WC_OK:
    case WEFT_SIW_WC_TOO_LONG:
    case WEFT_SIW_WC_STATUSES:
        world_broken(w, "a send has the status of a receive");
    }
    s->failed = true;
}

void side_sent(struct world *w, struct conn *c, struct side *s, const struct weft_siw_wc *wc)
{
    static const uint8_t opcodes[] = {WEFT_SIW_WC_SEND, WEFT_SIW_WC_WRITE, WEFT_SIW_WC_READ,
                                      WEFT_SIW_WC_LOCAL_INVALIDATE};
    uint32_t index = (uint32_t)wc->wr_id;
    struct entry *e = &s->log[index];

    w->totals.completions++;
    if (wc->wr_id >> 32 != c->port || index >= s->posted || index < s->completed) {
        world_broken(w, "a completion of a request that is not posted, or not any more");
        return;
    }
    for (; s->completed < index; s->completed++) {
        world_require(w, !s->log[s->completed].signaled, "a completion was passed over");
        entry_end(w, s, &s->log[s->completed]);
    }
    world_require(w, wc->opcode == opcodes[e->opcode], "a completion has another opcode");
    world_require(w, e->signaled || wc->status != WEFT_SIW_WC_OK,
                  "a completion that nobody asked for");
    if (wc->status == WEFT_SIW_WC_OK)
        check_sent_well(w, c, s, e, wc);
    else
        check_sent_badly(w, c, s, e, wc);
    s->completed++;
    entry_end(w, s, e);
}

/* The peer's next Send that was not heard, or the end of its log. */
static uint32_t next_send(const struct side *peer, uint32_t from)
{
    while (from < peer->posted && peer->log[from].opcode != WEFT_SIW_SEND)
        from++;
    return from;
}

static void check_message(struct world *w, struct conn *c, struct side *s, const struct entry *e,
                          const struct posted_recv *r, const struct weft_siw_wc *wc)
{
    bool invalidates = e->flags & WEFT_SIW_INVALIDATING;

    world_require(w, wc->bytes == e->bytes && e->bytes <= r->bytes, "a Send has another length");
    for (uint32_t i = 0; i < e->bytes && i < r->bytes; i++)
        world_require(w, r->memory[i] == pattern(e->seed, i), "a Send has other bytes");
    world_require(w, guarded_untouched(r->memory, e->bytes, r->bytes),
                  "a Send wrote beyond its end");
    world_require(w, wc->solicited == ((e->flags & WEFT_SIW_SOLICITED) != 0),
                  "Solicited Event is lost or made up");
    world_require(w, wc->invalidated == (invalidates ? e->token : 0),
                  "another STag was invalidated");
    if (invalidates)
        world_require(w, !weft_siw_region_valid(s->node->siw, e->token),
                      "an invalidated STag is valid");
    (void)c;
}

void side_received(struct world *w, struct conn *c, struct side *s, const struct posted_recv *r,
                   const struct weft_siw_wc *wc)
{
    const struct side *peer = side_peer(c, s);
    uint32_t index = next_send(peer, s->received);
    const struct entry *e = index < peer->posted ? &peer->log[index] : NULL;

    w->totals.completions++;
    switch (wc->status) {
    case WEFT_SIW_WC_OK:
        if (!e) {
            world_broken(w, "a Send arrived that nobody posted");
            return;
        }
        check_message(w, c, s, e, r, wc);
        s->sends_heard++;
        s->received = index + 1;
        hear(w, c, s, index + 1);
        break;
    case WEFT_SIW_WC_TOO_LONG:
        world_require(w, e && e->bytes > r->bytes, "a receive was long enough");
        c->disturbed = true;
        break;
    case WEFT_SIW_WC_FLUSHED:
        break;
    case WEFT_SIW_WC_LOCAL:
    case WEFT_SIW_WC_REMOTE:
    case WEFT_SIW_WC_INVALIDATE:
    case WEFT_SIW_WC_STATUSES:
        world_broken(w, "a receive has the status of a send");
    }
}

/* A segment that begins exactly at the end of numbers does not wrap: it lies below its region. */
static bool same_error(uint16_t wanted, uint16_t error)
{
    if (wanted == TERMINATE_TAGGED_WRAP && error == TERMINATE_TAGGED_BOUNDS)
        return true;
    return wanted == error || (wanted == TERMINATE_READ_WRAP && error == TERMINATE_READ_BOUNDS);
}

static bool has_local(const struct side *s)
{
    for (uint32_t i = 0; i < s->posted; i++) {
        if (s->log[i].local)
            return true;
    }
    return false;
}

static bool is_protection(uint16_t error)
{
    switch (error) {
    case TERMINATE_TAGGED_STAG:
    case TERMINATE_TAGGED_BOUNDS:
    case TERMINATE_TAGGED_WRAP:
    case TERMINATE_READ_STAG:
    case TERMINATE_READ_BOUNDS:
    case TERMINATE_READ_WRAP:
    case TERMINATE_ACCESS:
        return true;
    default:
        return false;
    }
}

/* Errors that a peer's log deserves, or circumstances. */
static bool deserved(const struct world *w, const struct conn *c, const struct side *s,
                     const struct side *peer, uint16_t error, const struct weft_siw_qp_info *info)
{
    uint32_t stop = first_stop(peer);

    if (error == TERMINATE_RDMAP_LOCAL)
        return has_local(s);
    if (stop < peer->posted && peer->log[stop].faulty && same_error(peer->log[stop].wrong, error))
        return true;
    /* its STag may be another region's by now: keys come again */
    if (s->withdrawn && is_protection(error))
        return true;
    /* of a first revision nobody says how many reads he serves */
    if (error == TERMINATE_NO_BUFFER && info->mpa_revision == 1)
        return true;
    if (error == TERMINATE_CRC)
        return c->damaged;
    if (error == TERMINATE_TOO_LONG)
        return w->habits.short_receive > 0;
    return error == TERMINATE_NO_BUFFER && c->disturbed;
}

void side_check_terminate(struct world *w, struct conn *c, struct side *s)
{
    const struct side *peer = side_peer(c, s);
    struct weft_siw_qp_info info;

    if (!s->bound || s->over || weft_siw_qp_query(s->node->siw, s->qp->qpn, &info) != 0)
        return;
    if (info.state == WEFT_SIW_QP_IDLE)
        return;
    if (!info.terminate_sent || s->said)
        return;
    s->said = true;
    s->said_error = info.terminate_error;
    w->totals.terminates++;
    world_tell(w, s->node, "terminate", c->port, info.terminate_error, 0);
    world_require(w, deserved(w, c, s, peer, info.terminate_error, &info),
                  "a Terminate that nobody deserves");
}

void side_check_terminated(struct world *w, struct conn *c, struct side *s)
{
    const struct side *peer = side_peer(c, s);
    struct weft_siw_qp_info info;

    if (s->over || weft_siw_qp_query(s->node->siw, s->qp->qpn, &info) != 0 ||
        info.state == WEFT_SIW_QP_IDLE || !info.terminate_received)
        return;
    if (info.terminate_error == TERMINATE_IRD || info.terminate_error == TERMINATE_RTR)
        world_require(w, s == &c->side[1] && !peer->up, "a Terminate of a startup from elsewhere");
    else
        world_require(w, peer->said && peer->said_error == info.terminate_error,
                      "a Terminate that the peer has not sent");
}

void side_check_quiet(struct world *w, struct conn *c, struct side *s)
{
    const struct side *peer = side_peer(c, s);

    for (uint32_t i = s->completed; i < s->posted; i++)
        world_require(w, !s->log[i].signaled, "a request hangs");
    world_require(w, next_send(peer, s->received) == peer->posted, "a Send has not arrived");
    hear(w, c, s, peer->posted);
    world_require(w, s->withdrawn || memcmp(s->area, s->base, AREA_BYTES) == 0,
                  "a Write has not arrived");
}
