/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Depth-first search over snapshots of the real port. */
#include "explore.h"

#include "fatal.h"
#include "snapshot.h"

#include <weft/trace.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    DEPTH_MAX = 64,
    TABLE_BITS_FIRST = 12
};

/* A state on the way to the one under work. */
struct step {
    uint32_t next_op;
    uint8_t *port;
    size_t port_room;
    struct world world;
};

/* States seen, with the number of operations that were still allowed there. */
struct seen {
    uint64_t *hashes;
    uint8_t *left;
    uint32_t bits;
    uint64_t count;
};

bool explored_cells[SEND_INPUTS][WEFT_MAD_STATES];

static const struct exploration *current;
static struct world_plan *current_plan;
static uint32_t path[DEPTH_MAX + 1];
static uint32_t path_length;
static bool replaying;

static void observe(void *ctx, const struct weft_trace_event *ev)
{
    char line[256];

    (void)ctx;
    if (replaying) {
        weft_trace_format(ev, line, sizeof(line));
        printf("#     %s\n", line);
    }
    if (ev->type != WEFT_TRACE_STATE)
        return;
    for (int i = 0; i < SEND_INPUTS; i++) {
        if (ev->u.state.event == send_input_name((enum send_input)i))
            explored_cells[i][ev->u.state.from] = true;
    }
}

static void print_path(void)
{
    printf("# the sequence:");
    for (uint32_t i = 0; i < path_length; i++)
        printf(" %s;", current->ops[path[i]].name);
    printf("\n");
    fflush(stdout);
}

/* An assertion or a sanitizer ends the program: say what led there. */
static void on_fatal(int number)
{
    printf("# %s: ended by signal %d\n", current->name, number);
    print_path();
    _exit(1);
}

static void seen_init(struct seen *s, uint32_t bits)
{
    s->bits = bits;
    s->count = 0;
    s->hashes = calloc(UINT64_C(1) << bits, sizeof(*s->hashes));
    s->left = calloc(UINT64_C(1) << bits, 1);
    if (!s->hashes || !s->left)
        abort();
}

static void seen_done(struct seen *s)
{
    free(s->hashes);
    free(s->left);
}

static uint64_t seen_place(const struct seen *s, uint64_t hash)
{
    uint64_t mask = (UINT64_C(1) << s->bits) - 1, i = hash & mask;

    while (s->hashes[i] != 0 && s->hashes[i] != hash)
        i = (i + 1) & mask;
    return i;
}

static void seen_grow(struct seen *s)
{
    struct seen bigger;

    seen_init(&bigger, s->bits + 1);
    for (uint64_t i = 0; i < UINT64_C(1) << s->bits; i++) {
        if (s->hashes[i] != 0) {
            uint64_t at = seen_place(&bigger, s->hashes[i]);

            bigger.hashes[at] = s->hashes[i];
            bigger.left[at] = s->left[i];
        }
    }
    bigger.count = s->count;
    seen_done(s);
    *s = bigger;
}

/* Notes a state; true when it is new, or was only seen with fewer operations left. */
static bool seen_add(struct seen *s, uint64_t hash, uint32_t left, bool *ret_new)
{
    uint64_t at;

    hash += hash == 0;
    if (s->count * 2 > UINT64_C(1) << s->bits)
        seen_grow(s);
    at = seen_place(s, hash);
    *ret_new = s->hashes[at] == 0;
    if (!*ret_new && s->left[at] >= left)
        return false;
    s->count += *ret_new;
    s->hashes[at] = hash;
    s->left[at] = (uint8_t)left;
    return true;
}

static void step_save(struct step *at, const struct world *w)
{
    size_t bytes = snapshot_bytes(w->port);

    if (at->port_room < bytes) {
        free(at->port);
        at->port = malloc(bytes);
        at->port_room = bytes;
        if (!at->port)
            abort();
    }
    snapshot_save(w->port, at->port);
    at->world = *w;
    at->next_op = 0;
}

static void step_restore(const struct step *at, struct world *w)
{
    *w = at->world;
    snapshot_restore(w->port, at->port);
}

/* Memory that is the same in every build, so that every build counts the same states. */
static void *get_zeroed(void *ctx, size_t size, size_t align)
{
    void *p = aligned_alloc(align, size);

    (void)ctx;
    if (p)
        memset(p, 0, size);
    return p;
}

static void put_back(void *ctx, void *p, size_t size)
{
    (void)ctx;
    (void)size;
    free(p);
}

static const struct weft_alloc zeroed = {.get = get_zeroed, .put = put_back};

/* Does one operation with all that belongs to it; false when it is not possible. */
static bool apply(struct world *w, const struct world_op *op)
{
    static const struct world_op none = {.number = 0};

    if (!op->apply(w, op))
        return false;
    if (!w->plan->drain_is_op)
        (void)world_drain(w, &none);
    world_send_control(w);
    world_check(w);
    return true;
}

/* Does the sequence again from the start and prints the port's own account of it. */
static void replay(bool healed)
{
    struct world w;

    world_fault = NULL;
    replaying = true;
    world_begin(&w, current_plan, &zeroed);
    for (uint32_t i = 0; i < path_length; i++) {
        printf("#   %s\n", current->ops[path[i]].name);
        (void)apply(&w, &current->ops[path[i]]);
    }
    if (healed) {
        printf("#   heal\n");
        world_heal(&w);
    }
    weft_mad_port_free(w.port);
    replaying = false;
}

static void report(bool healed)
{
    const char *fault = world_fault;

    printf("# broken: %s%s\n", fault, healed ? " (after healing)" : "");
    print_path();
    replay(healed);
    world_fault = fault;
}

/* Goes from the newest step by its next operation. */
static void go(struct step *steps, struct world *w, struct seen *seen, struct exploration_result *r)
{
    struct step *top = &steps[path_length];
    uint32_t op = top->next_op++, left;
    bool is_new;

    step_restore(top, w);
    path[path_length] = op;
    path_length++;
    if (apply(w, &current->ops[op])) {
        r->steps++;
        left = current->depth - path_length;
        if (world_fault) {
            report(false);
            return;
        }
        if (seen_add(seen, world_hash(w), left, &is_new)) {
            step_save(&steps[path_length], w);
            if (is_new)
                world_heal(w);
            if (world_fault) {
                report(true);
                return;
            }
            r->longest = path_length > r->longest ? path_length : r->longest;
            if (left > 0)
                return;
            r->complete = false;
        }
    }
    path_length--;
}

struct exploration_result explore(const struct exploration *e, struct world_plan *plan)
{
    struct exploration_result r = {.complete = true};
    struct step *steps = calloc(DEPTH_MAX + 1, sizeof(*steps));
    struct seen seen;
    struct world w;

    if (!steps || e->depth > DEPTH_MAX)
        abort();
    current = e;
    current_plan = plan;
    path_length = 0;
    world_fault = NULL;
    plan->config.trace = observe;
    fatal_catch(on_fatal);
    seen_init(&seen, TABLE_BITS_FIRST);
    world_begin(&w, plan, &zeroed);
    step_save(&steps[0], &w);
    for (;;) {
        if (world_fault)
            break;
        if (steps[path_length].next_op < e->op_count)
            go(steps, &w, &seen, &r);
        else if (path_length == 0)
            break;
        else
            path_length--;
    }
    r.states = seen.count;
    r.fault = world_fault;
    seen_done(&seen);
    weft_mad_port_free(w.port);
    for (uint32_t i = 0; i <= DEPTH_MAX; i++)
        free(steps[i].port);
    free(steps);
    return r;
}
