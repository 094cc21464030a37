/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The program of a client and the host of its engine, as events of the storm drive them. */
#include "storm/client.h"

#include "core/base/check.h"
#include "core/mad/audit.h"
#include "storm/trace_hash.h"

/* What a slot is doing. */
enum slot_state {
    SLOT_FREE,
    SLOT_ASKED, /* its send is with the engine */
    SLOT_PAUSED /* waits to be asked anew */
};

static const uint16_t no_slot = UINT16_MAX;

static void report_violation(struct storm_client *c, const char *rule)
{
    if (c->env->violation)
        return;
    c->env->violation = rule;
    c->env->violator = c->index;
}

static void observe(void *ctx, const struct weft_trace_event *ev)
{
    struct storm_client *c = ctx;
    struct storm_client_env *env = c->env;

    env->trace_hash = storm_trace_hash_event(env->trace_hash, c->index, ev);
    if (env->trace) {
        env->trace_client = c->index;
        env->trace(env->trace_ctx, ev);
    }
}

uint32_t storm_client_slots(const struct storm_client_behaviour *b)
{
    uint32_t paths = b->queries - b->joins;
    uint32_t width = paths < b->width ? paths : b->width;

    return width > 0 ? width : 1;
}

static int add_agents(struct storm_client *c, const struct weft_alloc *alloc)
{
    const struct weft_mad_agent_req req = {.qpn = STORM_QUERY_QPN,
                                           .mgmt_class = WEFT_CLASS_SUBN_ADM,
                                           .class_version = STORM_QUERY_CLASS_VERSION};
    uint32_t count = c->behaviour->agents;
    int err = 0;

    c->agents = alloc->get(alloc->ctx, count * sizeof(*c->agents), _Alignof(weft_mad_agent_id));
    if (!c->agents)
        return WEFT_ERR_NOMEM;
    for (uint32_t i = 0; i < count && err == 0; i++)
        err = weft_mad_agent_add(c->port, &req, &c->agents[i]);
    return err;
}

static int add_slots(struct storm_client *c, uint32_t count, const struct weft_alloc *alloc)
{
    c->slots =
        alloc->get(alloc->ctx, count * sizeof(*c->slots), _Alignof(struct storm_client_slot));
    if (!c->slots)
        return WEFT_ERR_NOMEM;
    c->free_slot = no_slot;
    for (uint32_t i = count; i > 0; i--) {
        c->slots[i - 1] = (struct storm_client_slot){.next_free = c->free_slot, .state = SLOT_FREE};
        c->free_slot = (uint16_t)(i - 1);
    }
    return 0;
}

int storm_client_init(struct storm_client *c, struct storm_client_env *env,
                      const struct storm_client_behaviour *behaviour,
                      const struct storm_client_place *place, uint32_t index,
                      const struct weft_mad_config *config, uint64_t seed,
                      const struct weft_alloc *alloc)
{
    struct weft_mad_config mine = *config;
    struct prng mixer = {seed ^ (uint64_t)index << 32};
    int err;

    *c = (struct storm_client){
        .started_at = WEFT_TIME_NEVER,
        .finished_at = WEFT_TIME_NEVER,
        .hops = place->hops,
        .lid = place->lid,
        .index = index,
        .env = env,
        .behaviour = behaviour,
        .timer_at = WEFT_TIME_NEVER,
    };
    mine.seed = prng_next(&mixer);
    mine.sends = storm_client_slots(behaviour);
    mine.trace = observe;
    mine.trace_ctx = c;
    err = weft_mad_port_new(&mine, alloc, &c->port);
    if (err == 0)
        err = weft_mad_port_set_lid(c->port, place->lid, 0);
    if (err == 0)
        err = add_agents(c, alloc);
    if (err == 0)
        err = add_slots(c, mine.sends, alloc);
    return err;
}

void storm_client_done(struct storm_client *c)
{
    c->port = weft_mad_port_free(c->port);
}

/* Posts the query of a slot. */
static void post(struct storm_client *c, weft_time now, uint16_t slot_index)
{
    const struct storm_client_behaviour *b = c->behaviour;
    struct storm_client_slot *slot = &c->slots[slot_index];
    struct weft_mad_send_req req = {
        .agent = c->agents[slot->query % b->agents],
        .to = c->env->sa,
        .data = slot->mad,
        .len = STORM_QUERY_BYTES,
        .timeout = b->timeout_ns,
        .retries = b->retries,
        .user_data = slot_index,
    };

    storm_query_write(slot->mad, c->index, slot->query, slot->query < b->joins, c->next_tid++);
    slot->state = SLOT_ASKED;
    slot->status = 0;
    slot->asked_at = now;
    if (weft_mad_post(c->port, now, &req, NULL) != 0)
        report_violation(c, "the engine refused a request within its limits");
    else
        c->env->totals.accepted++;
}

/* Asks as much as the program may have under way: joins one at a time, then paths. */
static void ask_more(struct storm_client *c, weft_time now)
{
    const struct storm_client_behaviour *b = c->behaviour;

    while (c->next_query < b->queries) {
        /* The first path waits for the last join. */
        bool after_joins = c->next_query > b->joins || b->joins == 0;
        uint16_t slot_index = c->free_slot;

        if (c->under_way >= (after_joins ? b->width : 1))
            break;
        WEFT_ASSERT(slot_index != no_slot);
        c->free_slot = c->slots[slot_index].next_free;
        c->slots[slot_index].query = c->next_query++;
        c->under_way++;
        c->env->totals.asked++;
        post(c, now, slot_index);
    }
}

static void finish_client(struct storm_client *c, weft_time now)
{
    c->finished_at = now;
    if (c->behaviour->rogue)
        return;
    if (c->failed) {
        c->env->totals.clients_failed++;
        return;
    }
    c->env->totals.clients_resolved++;
    storm_measure_count(c->env->measure, now, STORM_MEASURE_RESOLVED);
}

/* A query has got its answer, or was given up. */
static void finish_query(struct storm_client *c, weft_time now, uint16_t slot_index, bool resolved)
{
    const struct storm_client_behaviour *b = c->behaviour;
    struct storm_client_slot *slot = &c->slots[slot_index];
    struct storm_client_totals *t = &c->env->totals;

    slot->state = SLOT_FREE;
    slot->next_free = c->free_slot;
    c->free_slot = slot_index;
    c->under_way--;
    if (!resolved)
        c->failed = true;
    if (!b->rogue) {
        t->queries_resolved += resolved;
        t->queries_failed += !resolved;
    }
    if (!resolved && slot->query < b->joins) {
        /* Without its groups the interface does not come up: there is nothing left to ask for. */
        t->queries_failed += b->queries - c->next_query;
        c->next_query = b->queries;
    }
    ask_more(c, now);
    if (c->under_way == 0)
        finish_client(c, now);
}

static void reask(struct storm_client *c, weft_time now, uint16_t slot_index)
{
    c->env->totals.reasked++;
    post(c, now, slot_index);
}

static void take_send_done(struct storm_client *c, weft_time now, const struct weft_mad_event *ev)
{
    const struct storm_client_behaviour *b = c->behaviour;
    uint16_t slot_index = (uint16_t)ev->user_data;
    struct storm_client_slot *slot = &c->slots[slot_index];
    enum weft_mad_status status = ev->u.sent.status;
    /* Where nothing else takes time asking anew must, or time would stand still for ever. */
    weft_time delay = b->reask_delay_ns > 0 ? b->reask_delay_ns : slot->asked_at == now;

    if (slot->state != SLOT_ASKED)
        report_violation(c, "a send completed twice");
    c->env->totals.completed++;
    if (status == WEFT_MAD_TIMEOUT || status == WEFT_MAD_QUEUE_TIMEOUT)
        c->env->totals.timeouts++;
    if (status == WEFT_MAD_OK && slot->status == 0) {
        finish_query(c, now, slot_index, true);
    } else if (!b->reask) {
        finish_query(c, now, slot_index, false);
    } else if (delay == 0) {
        reask(c, now, slot_index);
    } else {
        slot->state = SLOT_PAUSED;
        storm_scheduler_add(c->env->scheduler, now + delay, STORM_REASK, c->index, slot_index, 0);
    }
}

static void take_answer(struct storm_client *c, weft_time now, const struct weft_mad_event *ev)
{
    struct storm_client_slot *slot = &c->slots[ev->user_data];

    if (slot->state != SLOT_ASKED)
        report_violation(c, "an answer was delivered for a send that is done");
    slot->status = mad_status(ev->u.recv.mad);
    c->reading = ev->u.recv.id;
    if (c->env->read_ns > 0)
        storm_scheduler_add(c->env->scheduler, now + c->env->read_ns, STORM_READ_DONE, c->index, 0,
                            0);
}

static void release_buffer(struct storm_client *c)
{
    if (weft_mad_recv_release(c->port, c->reading) != 0)
        report_violation(c, "a receive buffer was gone before it was released");
    c->reading.v = 0;
}

/* Reads what has come in until reading takes time.
 * Returns whether there was anything. */
static bool read_events(struct storm_client *c, weft_time now)
{
    struct weft_mad_event ev;
    bool any = false;

    while (c->reading.v == 0 && weft_mad_poll_event(c->port, &ev)) {
        any = true;
        if (ev.type == WEFT_MAD_EVENT_SEND_DONE) {
            take_send_done(c, now, &ev);
            continue;
        }
        take_answer(c, now, &ev);
        if (c->env->read_ns == 0)
            release_buffer(c);
    }
    return any;
}

/* Puts a packet on the link behind the client's earlier ones. */
static void send_packet(struct storm_client *c, weft_time now, const uint8_t *mad)
{
    struct storm_client_env *env = c->env;
    weft_time leaves_at = c->link_free_at > now ? c->link_free_at : now;
    uint32_t query;

    c->link_free_at = leaves_at + env->send_ns;
    env->totals.requests++;
    env->totals.rogue_requests += c->behaviour->rogue;
    storm_measure_count(env->measure, now, STORM_MEASURE_REQUESTS);
    if (storm_query_read(mad, &query) != 0) {
        report_violation(c, "the engine changed a request beyond its transaction id");
        return;
    }
    if (!storm_network_loses(env->network, STORM_NETWORK_REQUEST))
        storm_scheduler_add(env->scheduler,
                            leaves_at + storm_network_latency(env->network, c->hops), STORM_AT_SA,
                            c->index, query, mad_tid(mad));
}

static bool send_packets(struct storm_client *c, weft_time now)
{
    struct weft_mad_tx tx;
    bool any = false;

    while (weft_mad_poll_tx(c->port, &tx)) {
        any = true;
        send_packet(c, now, tx.data);
        if (weft_mad_tx_done(c->port, now, tx.id, true) != 0)
            report_violation(c, "the engine did not take a packet back");
    }
    return any;
}

/* One timer event a client: when the deadline moved away the old event finds nothing to do and the
 * next is added then, so a retry's timer that never fires costs nothing. */
static void arm_timer(struct storm_client *c)
{
    weft_time deadline = weft_mad_deadline(c->port);

    if (deadline >= c->timer_at)
        return;
    c->timer_at = deadline;
    storm_scheduler_add(c->env->scheduler, deadline, STORM_TIMER, c->index, 0, 0);
}

/* Everything the engine promises, recounted in the engine itself. */
static void check_engine(struct storm_client *c)
{
    const char *broken = mad_audit(c->port);

    if (broken)
        report_violation(c, broken);
}

/* Lets engine and program act until both are quiet. */
static void run(struct storm_client *c, weft_time now)
{
    bool sent, read;

    do {
        sent = send_packets(c, now);
        read = read_events(c, now);
    } while (sent || read);
    arm_timer(c);
    if (c->env->check)
        check_engine(c);
}

void storm_client_start(struct storm_client *c, weft_time now)
{
    c->started_at = now;
    ask_more(c, now);
    run(c, now);
}

void storm_client_timer(struct storm_client *c, weft_time now)
{
    if (now != c->timer_at)
        return;
    c->timer_at = WEFT_TIME_NEVER;
    if (weft_mad_advance(c->port, now) != 0)
        report_violation(c, "time ran backwards");
    run(c, now);
}

void storm_client_read_done(struct storm_client *c, weft_time now)
{
    release_buffer(c);
    run(c, now);
}

void storm_client_reask(struct storm_client *c, weft_time now, uint32_t slot)
{
    reask(c, now, (uint16_t)slot);
    run(c, now);
}

void storm_client_answer(struct storm_client *c, weft_time now, uint32_t query, uint64_t tid,
                         uint16_t status)
{
    struct storm_client_env *env = c->env;
    bool is_join = query < c->behaviour->joins;
    const struct weft_mad_rx rx = {
        .qpn = STORM_QUERY_QPN,
        .dlid = c->lid,
        .from = env->sa,
        .data = storm_query_answer(&env->answers, c->index, query, is_join, tid, status),
        .len = WEFT_MAD_BYTES,
    };
    enum weft_mad_verdict verdict;

    if (weft_mad_rx(c->port, now, &rx, &verdict) != 0) {
        report_violation(c, "the engine refused a packet");
        return;
    }
    if (verdict == WEFT_MAD_DROP_UNMATCHED && status == 0) {
        env->totals.stale++;
        storm_measure_count(env->measure, now, STORM_MEASURE_STALE);
    } else if (verdict == WEFT_MAD_DROP_NO_BUFFER) {
        env->totals.recv_dropped++;
        if (env->port_budget)
            report_violation(c, "an answer found no receive buffer although the port has a budget");
    } else if (verdict != WEFT_MAD_ACCEPTED && verdict != WEFT_MAD_BUSY_HELD &&
               verdict != WEFT_MAD_DROP_UNMATCHED) {
        report_violation(c, "the engine dropped an answer for a reason that cannot be");
    }
    run(c, now);
}
