/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The run: takes events in their order and hands them to clients and SA. */
#include "storm/storm.h"

#include "core/base/check.h"
#include "storm/arena.h"
#include "storm/sa.h"
#include "storm/trace_hash.h"

#include <string.h>

struct storm {
    struct storm_scenario scenario;
    struct storm_client_behaviour behaves, rogue;
    struct storm_client_env env;
    struct storm_scheduler scheduler;
    struct storm_network network;
    struct storm_measure measure;
    struct storm_sa sa;
    struct storm_client *clients; /* the rogues behind the others */
    uint32_t client_count, rogue_count;
    uint32_t made;      /* clients with a port */
    weft_time *times;   /* room to sort what the clients took */
    uint64_t *answered; /* a bit for each query of each client that behaves */
    uint64_t answers, busy, duplicates, events;
    weft_time last_start; /* of the clients that behave */
    uint32_t waiting;     /* clients that behave and still waited when the run was cut */
    weft_time end;        /* when the last client that behaves finished, or the duration */
    weft_time quiet;      /* when the last packet arrived somewhere */
    bool over, finished, cut;
    struct storm_arena arena;
    struct weft_alloc alloc;
};

/* What an event of the SA adds to the trace hash in place of a client's number. */
static const uint32_t sa_in_trace = UINT32_MAX;

static struct storm_client_behaviour behaviour_of(const struct storm_scenario *s,
                                                  const struct storm_policy *p)
{
    return (struct storm_client_behaviour){
        .joins = (uint32_t)s->joins,
        .queries = (uint32_t)storm_scenario_queries(s),
        .width = s->width > 0 ? (uint32_t)s->width : UINT32_MAX,
        .agents = (uint32_t)s->agents,
        .timeout_ns = p->timeout_ns == STORM_INHERIT ? s->timeout_ns : p->timeout_ns,
        .retries = (uint8_t)(p->retries == STORM_INHERIT ? s->retries : p->retries),
        .reask = p->reask != 0,
        .reask_delay_ns = p->reask_delay_ns,
    };
}

static struct storm_client_behaviour rogue_of(const struct storm_scenario *s)
{
    return (struct storm_client_behaviour){
        .queries = (uint32_t)s->rogue_queries,
        .width = (uint32_t)s->rogue_width,
        .agents = 1,
        .timeout_ns = s->rogue_timeout_ns,
        .reask = true,
        .rogue = true,
    };
}

static void set_env(struct storm *s, const struct storm_config *c)
{
    s->env = (struct storm_client_env){
        .scheduler = &s->scheduler,
        .network = &s->network,
        .measure = &s->measure,
        .sa = {.lid = c->sa_lid, .qpn = STORM_QUERY_QPN, .qkey = WEFT_QKEY_GSI},
        .read_ns = s->scenario.read_ns,
        .send_ns = s->scenario.send_ns,
        .port_budget = c->policy->port_budget != 0,
        .check = c->check,
        .trace = c->trace,
        .trace_ctx = c->trace_ctx,
    };
    storm_query_answers_init(&s->env.answers);
}

static int add_clients(struct storm *s, const struct storm_config *c,
                       const struct weft_mad_config *port)
{
    const struct weft_alloc alloc = storm_arena_alloc(&s->arena);
    uint32_t total = s->client_count + s->rogue_count;
    struct prng starts = {c->seed};
    int err;

    WEFT_ASSERT(s->client_count > 0);
    s->clients = alloc.get(alloc.ctx, total * sizeof(*s->clients), _Alignof(struct storm_client));
    if (!s->clients)
        return WEFT_ERR_NOMEM;
    for (uint32_t i = 0; i < total; i++) {
        bool rogue = i >= s->client_count;
        weft_time start = rogue ? 0 : prng_up_to(&starts, s->scenario.spread_ns);

        err = storm_client_init(&s->clients[i], &s->env, rogue ? &s->rogue : &s->behaves,
                                &c->places[i % s->client_count], i, port, c->seed, &alloc);
        if (err != 0)
            return err;
        s->made++;
        if (!rogue && start > s->last_start)
            s->last_start = start;
        storm_scheduler_add(&s->scheduler, start, STORM_START, i, 0, 0);
    }
    return s->scheduler.failed ? WEFT_ERR_NOMEM : 0;
}

static int add_times(struct storm *s)
{
    const struct weft_alloc alloc = storm_arena_alloc(&s->arena);

    s->times = alloc.get(alloc.ctx, s->client_count * sizeof(*s->times), _Alignof(weft_time));
    return s->times ? 0 : WEFT_ERR_NOMEM;
}

static int add_answered(struct storm *s)
{
    const struct weft_alloc alloc = storm_arena_alloc(&s->arena);
    size_t bytes = ((size_t)s->client_count * s->behaves.queries / 64 + 1) * sizeof(uint64_t);

    s->answered = alloc.get(alloc.ctx, bytes, _Alignof(uint64_t));
    if (!s->answered)
        return WEFT_ERR_NOMEM;
    memset(s->answered, 0, bytes);
    return 0;
}

int storm_new(const struct storm_config *c, const struct weft_alloc *alloc, struct storm **ret)
{
    struct weft_mad_config port;
    struct storm *s;
    const char *why;
    int err;

    if (c->clients == 0 || c->clients > STORM_CLIENTS_MAX ||
        storm_scenario_check(c->scenario, &why) != 0 ||
        storm_policy_config(c->policy, c->scenario, &port) != 0)
        return WEFT_ERR_INVALID;
    s = alloc->get(alloc->ctx, sizeof(*s), _Alignof(struct storm));
    if (!s)
        return WEFT_ERR_NOMEM;
    memset(s, 0, sizeof(*s));
    s->alloc = *alloc;
    s->scenario = *c->scenario;
    s->client_count = c->clients;
    s->rogue_count = (uint32_t)c->scenario->rogues;
    storm_arena_init(&s->arena, alloc);
    storm_scheduler_init(&s->scheduler, alloc);
    storm_network_init(&s->network, c->scenario, c->seed);
    storm_measure_init(&s->measure);
    s->behaves = behaviour_of(c->scenario, c->policy);
    s->rogue = rogue_of(c->scenario);
    set_env(s, c);
    err = storm_sa_init(&s->sa, c->scenario, alloc);
    if (err == 0)
        err = add_answered(s);
    if (err == 0)
        err = add_times(s);
    if (err == 0)
        err = add_clients(s, c, &port);
    if (err != 0) {
        storm_free(s);
        return err;
    }
    *ret = s;
    return 0;
}

struct storm *storm_free(struct storm *s)
{
    struct weft_alloc alloc;

    if (!s)
        return NULL;
    for (uint32_t i = 0; i < s->made; i++)
        storm_client_done(&s->clients[i]);
    storm_sa_done(&s->sa);
    storm_scheduler_done(&s->scheduler);
    storm_arena_done(&s->arena);
    alloc = s->alloc;
    alloc.put(alloc.ctx, s, sizeof(*s));
    return NULL;
}

static void hash_sa(struct storm *s, weft_time now, enum storm_event_type what,
                    const struct storm_sa_request *r)
{
    uint64_t hash = storm_trace_hash_add(s->env.trace_hash, now);

    hash = storm_trace_hash_add(hash, (uint64_t)sa_in_trace << 8 | (uint64_t)what);
    hash = storm_trace_hash_add(hash, (uint64_t)r->client << 32 | r->query);
    s->env.trace_hash = storm_trace_hash_add(hash, r->tid);
}

static void send_answer(struct storm *s, weft_time now, enum storm_event_type type,
                        const struct storm_sa_request *r)
{
    weft_time latency = storm_network_latency(&s->network, s->clients[r->client].hops);

    storm_measure_count(&s->measure, now, STORM_MEASURE_ANSWERS);
    hash_sa(s, now, type, r);
    if (!storm_network_loses(&s->network, STORM_NETWORK_RESPONSE))
        storm_scheduler_add(&s->scheduler, now + latency, type, r->client, r->query, r->tid);
}

/* Starts whichever thread of the SA has something to do. */
static void run_sa(struct storm *s, weft_time now)
{
    weft_time taken = storm_sa_receiver_start(&s->sa, now);
    weft_time served = storm_sa_worker_start(&s->sa, now);

    if (taken != WEFT_TIME_NEVER)
        storm_scheduler_add(&s->scheduler, taken, STORM_TAKEN, 0, 0, 0);
    if (served != WEFT_TIME_NEVER)
        storm_scheduler_add(&s->scheduler, served, STORM_SERVED, 0, 0, 0);
    storm_measure_queue(&s->measure, now, storm_sa_waiting(&s->sa));
}

static void take_request(struct storm *s, const struct storm_event *e)
{
    const struct storm_sa_request r = {e->tid, e->time, e->client, e->arg};

    hash_sa(s, e->time, STORM_AT_SA, &r);
    if (!storm_sa_receive(&s->sa, &r))
        storm_measure_count(&s->measure, e->time, STORM_MEASURE_DROPPED);
    run_sa(s, e->time);
}

static void finish_taking(struct storm *s, weft_time now)
{
    uint64_t dropped = s->sa.backlog_dropped;
    struct storm_sa_request r;

    if (storm_sa_receiver_finish(&s->sa, &r)) {
        s->busy++;
        storm_measure_count(&s->measure, now, STORM_MEASURE_BUSY);
        send_answer(s, now, STORM_ANSWER_BUSY, &r);
    } else if (s->sa.backlog_dropped > dropped) {
        storm_measure_count(&s->measure, now, STORM_MEASURE_DROPPED);
    }
    run_sa(s, now);
}

/* Notes that a query was answered.
 * Returns whether it had been before. */
static bool note_answered(struct storm *s, const struct storm_sa_request *r)
{
    size_t bit = (size_t)r->client * s->behaves.queries + r->query;
    uint64_t mask = (uint64_t)1 << bit % 64;
    bool before;

    if (r->client >= s->client_count)
        return false; /* a rogue asks without end: nothing is kept of it */
    before = (s->answered[bit / 64] & mask) != 0;
    s->answered[bit / 64] |= mask;
    return before;
}

static void finish_serving(struct storm *s, weft_time now)
{
    struct storm_sa_request r;

    storm_sa_worker_finish(&s->sa, &r);
    s->answers++;
    if (note_answered(s, &r))
        s->duplicates++;
    send_answer(s, now, STORM_ANSWER, &r);
    run_sa(s, now);
}

static void handle(struct storm *s, const struct storm_event *e)
{
    struct storm_client *c = &s->clients[e->client];

    switch (storm_event_type(e)) {
    case STORM_START:
        storm_client_start(c, e->time);
        break;
    case STORM_TIMER:
        storm_client_timer(c, e->time);
        break;
    case STORM_READ_DONE:
        storm_client_read_done(c, e->time);
        break;
    case STORM_REASK:
        storm_client_reask(c, e->time, e->arg);
        break;
    case STORM_AT_SA:
        take_request(s, e);
        break;
    case STORM_TAKEN:
        finish_taking(s, e->time);
        break;
    case STORM_SERVED:
        finish_serving(s, e->time);
        break;
    case STORM_ANSWER:
        storm_client_answer(c, e->time, e->arg, e->tid, WEFT_STATUS_OK);
        break;
    case STORM_ANSWER_BUSY:
        storm_client_answer(c, e->time, e->arg, e->tid, WEFT_STATUS_BUSY);
        break;
    }
}

uint32_t storm_finished(const struct storm *s)
{
    return s->env.totals.clients_resolved + s->env.totals.clients_failed;
}

/* Clients that still wait when the time is up have failed, and so have their open queries. */
static void cut(struct storm *s)
{
    struct storm_client_totals *t = &s->env.totals;
    uint64_t queries = (uint64_t)s->client_count * s->behaves.queries;

    s->end = s->scenario.duration_ns;
    s->cut = true;
    s->waiting = s->client_count - t->clients_resolved - t->clients_failed;
    t->clients_failed = s->client_count - t->clients_resolved;
    t->queries_failed = queries - t->queries_resolved;
}

/* When all clients have finished the SA works off what it still has: nobody asks any more, so the
 * events run out by themselves. Only a rogue would go on for ever. */
static void step(struct storm *s)
{
    struct storm_event e;

    if (!storm_scheduler_take(&s->scheduler, &e) || e.time > s->scenario.duration_ns) {
        if (!s->finished)
            cut(s);
        s->over = true;
        return;
    }
    s->events++;
    handle(s, &e);
    if (storm_event_type(&e) != STORM_TIMER)
        s->quiet = e.time;
    if (s->finished || storm_finished(s) < s->client_count)
        return;
    s->finished = true;
    s->end = e.time;
    s->over = s->rogue_count > 0;
}

/* Nothing was lost in the engines: what they accepted is done, or still with them. */
static bool is_balanced(const struct storm *s)
{
    uint64_t held = 0;

    for (uint32_t i = 0; i < s->made; i++) {
        struct weft_mad_port_stats stats;

        weft_mad_port_stats(s->clients[i].port, &stats);
        held += stats.sends;
    }
    return s->env.totals.accepted == s->env.totals.completed + held;
}

int storm_run(struct storm *s, uint64_t steps, bool *ret_done)
{
    for (; steps > 0 && !s->over; steps--) {
        step(s);
        if (s->scheduler.failed)
            return WEFT_ERR_NOMEM;
        if (s->env.violation)
            return WEFT_ERR_STATE;
    }
    if (s->over && !is_balanced(s)) {
        s->env.violation = "a send that was accepted is neither done nor held";
        return WEFT_ERR_STATE;
    }
    *ret_done = s->over;
    return 0;
}

const char *storm_violation(const struct storm *s, uint32_t *ret_client)
{
    if (s->env.violation)
        *ret_client = s->env.violator;
    return s->env.violation;
}

uint32_t storm_trace_client(const struct storm *s)
{
    return s->env.trace_client;
}

/* Percentiles over the clients that got everything. */
static void sum_up_times(struct storm *s, struct storm_result *ret)
{
    weft_time *times = s->times;
    size_t count = 0;

    ret->p50 = ret->p99 = ret->max = WEFT_TIME_NEVER;
    for (uint32_t i = 0; i < s->client_count; i++) {
        const struct storm_client *c = &s->clients[i];

        if (c->finished_at != WEFT_TIME_NEVER && !c->failed)
            times[count++] = c->finished_at - c->started_at;
    }
    if (count == 0)
        return;
    storm_measure_sort(times, count);
    ret->p50 = storm_measure_percentile(times, count, 50);
    ret->p99 = storm_measure_percentile(times, count, 99);
    ret->max = times[count - 1];
}

void storm_result(struct storm *s, struct storm_result *ret)
{
    *ret = (struct storm_result){
        .clients = s->env.totals,
        .answers = s->answers,
        .busy = s->busy,
        .duplicates = s->duplicates,
        .stale = s->env.totals.stale,
        .sa_dropped = s->sa.dropped + s->sa.backlog_dropped,
        .sa_expired = s->sa.expired,
        .queue_peak = s->sa.queue_peak,
        .lost = s->network.lost[STORM_NETWORK_REQUEST] + s->network.lost[STORM_NETWORK_RESPONSE],
        .mads = s->env.totals.requests + s->answers + s->busy,
        .events = s->events,
        .end = s->end,
        .quiet = s->quiet,
        .last_start = s->last_start,
        .cut = s->cut,
        .waiting = s->waiting,
        .trace_hash = s->env.trace_hash,
        .over_time = &s->measure,
    };
    sum_up_times(s, ret);
}

/* Bytes that a client touches at least, or 0 when the configuration is wrong. */
static uint64_t client_bytes(const struct storm_client_behaviour *behaves,
                             struct weft_mad_config config)
{
    /* A packet, a buffer and the port itself lie on pages of their own. */
    const uint64_t pages_bytes = (uint64_t)3 * 4096;
    uint64_t port;
    uint32_t per_send;

    config.sends = storm_client_slots(behaves);
    if (weft_mad_port_bytes(&config, &port, &per_send) != 0)
        return 0;
    return pages_bytes + config.sends * (per_send + sizeof(struct storm_client_slot));
}

uint64_t storm_bytes(const struct storm_scenario *s, const struct storm_policy *p, uint32_t clients)
{
    const struct storm_client_behaviour behaves = behaviour_of(s, p);
    const struct storm_client_behaviour rogue = rogue_of(s);
    struct weft_mad_config config;

    if (storm_policy_config(p, s, &config) != 0)
        return 0;
    return client_bytes(&behaves, config) * clients + client_bytes(&rogue, config) * s->rogues;
}
