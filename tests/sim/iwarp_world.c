/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The run of one seed: a day of faults, then the network heals, and all must end well. */
#include "iwarp_world.h"

#include "iwarp_host.h"
#include "iwarp_model.h"
#include "iwarp_node.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    TURNS_MAX = 300000
};

bool world_chance(struct world *w, uint32_t permille)
{
    return permille > 0 && prng_up_to(&w->prng, 999) < permille;
}

uint64_t world_draw(struct world *w, uint64_t max)
{
    return prng_up_to(&w->prng, max);
}

void world_broken(struct world *w, const char *rule)
{
    if (!w->fault)
        w->fault = rule;
}

void world_require(struct world *w, bool holds, const char *rule)
{
    if (!holds)
        world_broken(w, rule);
}

static void hash(struct world *w, uint64_t v)
{
    for (int i = 0; i < 64; i += 8)
        w->hash = (w->hash ^ (v >> i & 0xFF)) * 0x100000001b3u;
}

void world_tell(struct world *w, const struct node *n, const char *what, uint64_t a, uint64_t b,
                uint64_t c)
{
    for (const char *p = what; *p; p++)
        hash(w, (uint8_t)*p);
    hash(w, w->now);
    hash(w, n ? n->number : UINT64_MAX);
    hash(w, a);
    hash(w, b);
    hash(w, c);
    if (w->verbose)
        printf("# %10" PRIu64 " ns node %d %s 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 "\n", w->now,
               n ? (int)n->number : -1, what, a, b, c);
}

struct conn *world_conn(struct world *w, uint16_t port)
{
    uint32_t i = port - 1000u;

    return i < w->conn_count ? &w->conns[i] : NULL;
}

/* A class of operations or faults: off in this seed, or somewhere up to `most`. */
static uint32_t some(struct world *w, uint32_t most)
{
    return world_chance(w, 400) ? 0 : (uint32_t)world_draw(w, most);
}

static void draw_habits(struct world *w)
{
    struct habits *h = &w->habits;

    h->connect = 200 + some(w, 600);
    h->accept = 500 + some(w, 500);
    h->reject = some(w, 300);
    h->post = 200 + some(w, 800);
    h->receive = 200 + some(w, 800);
    h->close = some(w, world_chance(w, 200) ? 400 : 60);
    h->abrupt = some(w, 30);
    h->destroy = some(w, 30);
    h->listen = some(w, 50);
    h->unlisten = some(w, 50);
    h->wrong = some(w, 30);
    h->withdraw = some(w, 20);
    h->reset = some(w, 100);
    h->dial_fail = some(w, 200);
    h->bind_fail = some(w, 200);
    h->stall = some(w, 100);
    h->lazy = some(w, 900);
    h->starve = some(w, 30);
    h->short_receive = some(w, 30);
    h->partial = some(w, 900);
    h->damage = some(w, 20);
    h->delay_max = some(w, 50) * WEFT_MS / 2;
    h->stall_max = 1 + some(w, 200) * WEFT_MS;
    h->message_max = 1 + some(w, 4000);
}

static weft_time next_time(const struct world *w)
{
    weft_time next = WEFT_TIME_NEVER;

    for (uint32_t i = 0; i < w->node_count; i++) {
        weft_time mine = host_next(w, &w->nodes[i]);

        next = mine < next ? mine : next;
    }
    return next > w->now ? next : w->now;
}

/* All that is due at the world's time. */
static void turn(struct world *w, bool poll)
{
    for (uint32_t i = 0; i < w->node_count && !w->fault; i++) {
        host_turn(w, &w->nodes[i]);
        if (poll)
            node_poll(&w->nodes[i]);
    }
    for (uint32_t i = 0; i < w->node_count && !w->fault; i++) {
        if (w->nodes[i].stalled <= w->now)
            node_check(&w->nodes[i]);
    }
    for (uint32_t i = 0; i < w->node_count && !w->fault; i++)
        node_check_terminated(&w->nodes[i]);
}

/* Goes on until nothing is to come, or to a moment. */
static void settle(struct world *w, weft_time until)
{
    for (int i = 0; i < TURNS_MAX && !w->fault; i++) {
        weft_time next;

        turn(w, true);
        next = next_time(w);
        if (next == WEFT_TIME_NEVER || next > until)
            return;
        w->now = next;
    }
    world_broken(w, "the world does not come to rest");
}

static void pass_time(struct world *w, weft_time until)
{
    while (!w->fault) {
        weft_time next = next_time(w);

        if (next > until)
            break;
        w->now = next;
        turn(w, false);
    }
    w->now = until > w->now ? until : w->now;
}

/* What is up on both sides has done all that was asked of it. */
static void check_quiet(struct world *w)
{
    for (uint32_t i = 0; i < w->conn_count && !w->fault; i++) {
        struct conn *c = &w->conns[i];

        if (!c->side[0].up || !c->side[1].up || c->damaged)
            continue;
        world_require(w, !c->closed, "a connection was closed and is up");
        side_check_quiet(w, c, &c->side[0]);
        side_check_quiet(w, c, &c->side[1]);
    }
}

static bool has_reads(const struct side *s)
{
    for (uint32_t i = 0; i < s->posted; i++) {
        if (s->log[i].opcode == WEFT_SIW_READ)
            return true;
    }
    return false;
}

/* Whether there was a reason for a connection to end otherwise than well. */
static bool had_reason(const struct world *w, const struct conn *c)
{
    const struct side *a = &c->side[0], *b = &c->side[1];
    bool reads = has_reads(a) || has_reads(b);

    if (c->disturbed || c->refused || side_has_fault(a) || side_has_fault(b))
        return true;
    if (reads && (c->closed || a->node->config.mpa_revision == 1))
        return true;
    if (c->closed && c->closed_at >= w->healed_at)
        return false;
    return c->closed && c->ended_at - c->closed_at >= a->node->config.close_timeout_ns;
}

static void heal(struct world *w)
{
    w->healed = true;
    w->healed_at = w->now;
    w->habits.partial = 0;
    for (int i = 0; i < 3 && !w->fault; i++) {
        settle(w, w->now + WEFT_S);
        for (uint32_t k = 0; k < w->node_count && !w->fault; k++)
            node_wind_down(&w->nodes[k]);
        settle(w, WEFT_TIME_NEVER);
    }
    check_quiet(w);
    for (int all = 0; all < 2 && !w->fault; all++) {
        for (uint32_t k = 0; k < w->node_count && !w->fault; k++)
            node_close(&w->nodes[k], all);
        settle(w, WEFT_TIME_NEVER);
    }
    for (uint32_t k = 0; k < w->node_count && !w->fault; k++)
        node_check_end(&w->nodes[k]);
    for (uint32_t i = 0; i < w->conn_count && !w->fault; i++)
        world_require(w, !w->conns[i].ended_badly || had_reason(w, &w->conns[i]),
                      "a connection broke without a reason");
}

static void side_free(struct side *s)
{
    for (uint32_t i = 0; i < s->posted; i++) {
        guarded_free(s->log[i].memory);
        free(s->log[i].before);
    }
    guarded_free(s->area);
}

static void world_free(struct world *w)
{
    for (uint32_t i = 0; i < w->node_count; i++)
        node_end(&w->nodes[i]);
    for (uint32_t i = 0; i < w->conn_count; i++) {
        side_free(&w->conns[i].side[0]);
        side_free(&w->conns[i].side[1]);
    }
    free(w->nodes);
    free(w->conns);
    free(w->wires);
    free(w);
}

static void *zeroed(size_t count, size_t bytes)
{
    void *p = calloc(count, bytes);

    if (!p)
        abort();
    return p;
}

struct iwarp_result iwarp_run(uint64_t seed, uint32_t steps, bool verbose)
{
    struct world *w = zeroed(1, sizeof(*w));
    struct iwarp_result r;

    w->prng.state = seed;
    w->hash = 0xcbf29ce484222325u;
    w->verbose = verbose;
    draw_habits(w);
    w->node_count = 2 + (uint32_t)world_draw(w, NODES_MAX - 2);
    w->nodes = zeroed(w->node_count, sizeof(*w->nodes));
    w->conns = zeroed(CONNS_MAX, sizeof(*w->conns));
    w->wires = zeroed(WIRES_MAX, sizeof(*w->wires));
    for (uint32_t i = 0; i < w->node_count; i++)
        node_begin(&w->nodes[i], w, i);
    for (uint32_t i = 0; i < steps && !w->fault; i++) {
        node_act(&w->nodes[world_draw(w, w->node_count - 1)]);
        turn(w, false);
        if (world_chance(w, w->habits.reset))
            host_break_one(w);
        pass_time(w, w->now + world_draw(w, 20 * WEFT_MS));
    }
    heal(w);
    r = (struct iwarp_result){w->fault, w->hash, w->now, w->totals};
    world_free(w);
    return r;
}
