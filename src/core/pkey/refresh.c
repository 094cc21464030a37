/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Keeps a P_Key cache current: events, reading, replacing, telling, and trying again. */
#include "core/base/alloc.h"
#include "core/base/check.h"
#include "core/pkey/cache.h"
#include "core/pkey/refresh_fsm.h"

struct weft_pkey_refresh {
    struct weft_pkey_refresh_config config;
    struct weft_alloc alloc;
    struct weft_pkey_cache *cache;
    weft_time now, deadline;
    enum weft_pkey_refresh_state state;
    uint64_t round; /* of the reading under way, or of the last one */
    uint64_t told;  /* generation of the cache that clients know */
    uint32_t blocks;
    uint32_t next;    /* the next block to ask for in this round */
    uint32_t missing; /* blocks of this round that have not arrived */
    struct weft_pkey_refresh_stats stats;
    uint32_t window;             /* reads that may be out at one time */
    uint32_t out_count;          /* those that are out, of rounds that have ended, too */
    struct weft_pkey_read out[]; /* which, in no order */
};

int weft_pkey_refresh_config_init_sized(struct weft_pkey_refresh_config *ret, size_t size)
{
    if (size != sizeof(*ret))
        return WEFT_ERR_INVALID;
    *ret = (struct weft_pkey_refresh_config){.size = size, .window = 8, .retry = WEFT_S};
    return 0;
}

static size_t refresh_bytes(uint32_t window)
{
    return sizeof(struct weft_pkey_refresh) + window * sizeof(struct weft_pkey_read);
}

/* The one function that changes the state. */
static void step(struct weft_pkey_refresh *r, enum refresh_input input)
{
    struct refresh_cell cell = refresh_fsm_cell(r->state, input);

    WEFT_ASSERT(cell.verdict != REFRESH_NEVER);
    r->state = cell.next;
}

static void begin_reading(struct weft_pkey_refresh *r)
{
    /* Reads that are still out no longer matter, nor what was read so far. */
    weft_pkey_cache_discard(r->cache);
    r->round++;
    r->next = 0;
    r->missing = r->blocks;
    r->deadline = WEFT_TIME_NEVER;
}

int weft_pkey_refresh_new(const struct weft_pkey_refresh_config *c, struct weft_pkey_cache *cache,
                          const struct weft_alloc *a, struct weft_pkey_refresh **ret)
{
    struct weft_alloc alloc = alloc_or_libc(a);
    uint32_t window = c->window < WEFT_PKEY_BLOCKS_MAX ? c->window : WEFT_PKEY_BLOCKS_MAX;
    struct weft_pkey_refresh *r;

    if (c->size != sizeof(*c) || c->window == 0 || c->retry == 0)
        return WEFT_ERR_INVALID;
    r = alloc_zeroed(&alloc, refresh_bytes(window), _Alignof(struct weft_pkey_refresh));
    if (!r)
        return WEFT_ERR_NOMEM;
    r->window = window;
    r->config = *c;
    r->alloc = alloc;
    r->cache = cache;
    r->blocks = pkey_blocks(weft_pkey_cache_entries(cache));
    r->told = weft_pkey_cache_generation(cache);
    r->state = WEFT_PKEY_REFRESH_IDLE;
    step(r, REFRESH_EVENT);
    begin_reading(r);
    *ret = r;
    return 0;
}

struct weft_pkey_refresh *weft_pkey_refresh_free(struct weft_pkey_refresh *r)
{
    if (r) {
        weft_pkey_cache_discard(r->cache);
        r->alloc.put(r->alloc.ctx, r, refresh_bytes(r->window));
    }
    return NULL;
}

static int clock_set(struct weft_pkey_refresh *r, weft_time now)
{
    if (now < r->now)
        return WEFT_ERR_CLOCK;
    r->now = now;
    return 0;
}

int weft_pkey_refresh_event(struct weft_pkey_refresh *r, weft_time now)
{
    bool restart = r->state == WEFT_PKEY_REFRESH_READING;
    int err = clock_set(r, now);

    if (err < 0)
        return err;
    r->stats.events++;
    step(r, REFRESH_EVENT);
    if (r->state == WEFT_PKEY_REFRESH_READING) {
        r->stats.restarts += restart;
        begin_reading(r);
    }
    return 0;
}

bool weft_pkey_refresh_poll_read(struct weft_pkey_refresh *r, struct weft_pkey_read *ret_read)
{
    if (r->state != WEFT_PKEY_REFRESH_READING || r->next >= r->blocks || r->out_count >= r->window)
        return false;
    *ret_read = (struct weft_pkey_read){.round = r->round, .block = (uint16_t)r->next++};
    r->out[r->out_count++] = *ret_read;
    return true;
}

/* Strikes a read off the list of those that are out.
 * @return whether it was there */
static bool take_back(struct weft_pkey_refresh *r, const struct weft_pkey_read *read)
{
    for (uint32_t i = 0; i < r->out_count; i++) {
        if (r->out[i].round != read->round || r->out[i].block != read->block)
            continue;
        r->out[i] = r->out[--r->out_count];
        return true;
    }
    return false;
}

/* What both answers to a read have in common.
 * @return 0: it belongs to the reading under way; or the error to answer */
static int answered(struct weft_pkey_refresh *r, weft_time now, const struct weft_pkey_read *read)
{
    int err = clock_set(r, now);

    if (err < 0)
        return err;
    if (!take_back(r, read))
        return WEFT_ERR_INVALID;
    if (read->round != r->round || r->state != WEFT_PKEY_REFRESH_READING) {
        r->stats.stale++;
        return WEFT_ERR_STALE;
    }
    return 0;
}

int weft_pkey_refresh_block(struct weft_pkey_refresh *r, weft_time now,
                            const struct weft_pkey_read *read,
                            const weft_pkey keys[WEFT_PKEY_BLOCK])
{
    int err = answered(r, now, read);

    if (err < 0)
        return err;
    err = weft_pkey_cache_stage(r->cache, read->block, keys);
    WEFT_ASSERT(err == 0);
    if (--r->missing > 0)
        return 0;
    err = weft_pkey_cache_commit(r->cache, NULL);
    WEFT_ASSERT(err == 0);
    step(r, REFRESH_COMPLETE);
    r->stats.commits++;
    return 0;
}

int weft_pkey_refresh_fail(struct weft_pkey_refresh *r, weft_time now,
                           const struct weft_pkey_read *read)
{
    int err = answered(r, now, read);

    if (err < 0)
        return err;
    step(r, REFRESH_FAILED);
    weft_pkey_cache_discard(r->cache);
    r->stats.failures++;
    r->deadline = now < WEFT_TIME_NEVER - r->config.retry ? now + r->config.retry : WEFT_TIME_NEVER;
    return 0;
}

int weft_pkey_refresh_advance(struct weft_pkey_refresh *r, weft_time now)
{
    int err = clock_set(r, now);

    if (err < 0)
        return err;
    if (r->state == WEFT_PKEY_REFRESH_WAITING && now >= r->deadline) {
        step(r, REFRESH_DUE);
        begin_reading(r);
    }
    return 0;
}

weft_time weft_pkey_refresh_deadline(const struct weft_pkey_refresh *r)
{
    return r->deadline;
}

bool weft_pkey_refresh_poll_change(struct weft_pkey_refresh *r, struct weft_pkey_change *ret_change)
{
    if (r->told == weft_pkey_cache_generation(r->cache))
        return false;
    (void)weft_pkey_cache_changes(r->cache, r->told, ret_change);
    r->told = ret_change->generation;
    return true;
}

enum weft_pkey_refresh_state weft_pkey_refresh_state(const struct weft_pkey_refresh *r)
{
    return r->state;
}

void weft_pkey_refresh_stats(const struct weft_pkey_refresh *r, struct weft_pkey_refresh_stats *ret)
{
    *ret = r->stats;
}
