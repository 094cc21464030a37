/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/storm/client.c: what a client asks, and what it does about each answer. The test is the SA.
 */
#include "storm/arena.h"
#include "storm/client.h"
#include "storm_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define PACKETS 64

/* One client, and the requests of it that reached the SA. */
struct bench {
    struct storm_arena arena;
    struct storm_scheduler scheduler;
    struct storm_network network;
    struct storm_measure measure;
    struct storm_client_env env;
    struct storm_client_behaviour behaviour;
    struct storm_client client;
    struct storm_event packets[PACKETS];
    uint32_t count;
};

/* Two joins, then four paths, two at a time; BUSY and timeouts end a query. */
static struct storm_client_behaviour patient(void)
{
    return (struct storm_client_behaviour){
        .joins = 2, .queries = 6, .width = 2, .agents = 2, .timeout_ns = 100 * WEFT_MS};
}

static struct bench *bench(const struct storm_client_behaviour *behaviour, weft_time read_ns)
{
    static struct bench b;
    const struct storm_client_place place = {.hops = 2, .lid = 9};
    const struct storm_scenario s = fixture_scenario("ipoib-boot");
    struct storm_policy p = fixture_policy("naive");
    struct weft_mad_config config;
    struct weft_alloc alloc;

    memset(&b, 0, sizeof(b));
    storm_arena_init(&b.arena, &fixture_heap);
    storm_scheduler_init(&b.scheduler, &fixture_heap);
    storm_network_init(&b.network, &s, 1);
    storm_measure_init(&b.measure);
    b.behaviour = *behaviour;
    b.env = (struct storm_client_env){.scheduler = &b.scheduler,
                                      .network = &b.network,
                                      .measure = &b.measure,
                                      .sa = {.lid = 1, .qpn = 1, .qkey = WEFT_QKEY_GSI},
                                      .read_ns = read_ns,
                                      .send_ns = 500,
                                      .check = true};
    storm_query_answers_init(&b.env.answers);
    assert_int_equal(storm_policy_config(&p, &s, &config), 0);
    config.agents = behaviour->agents;
    alloc = storm_arena_alloc(&b.arena);
    assert_int_equal(
        storm_client_init(&b.client, &b.env, &b.behaviour, &place, 3, &config, 1, &alloc), 0);
    return &b;
}

static void bench_done(struct bench *b)
{
    assert_null(b->env.violation);
    storm_client_done(&b->client);
    storm_scheduler_done(&b->scheduler);
    storm_arena_done(&b->arena);
}

/* Lets time pass up to `until`; requests that reach the SA are kept, or answered at once. */
static void play(struct bench *b, weft_time until, bool answer)
{
    struct storm_event e;

    storm_scheduler_add(&b->scheduler, until, STORM_SERVED, 0, 0, 0);
    while (storm_scheduler_take(&b->scheduler, &e) && storm_event_type(&e) != STORM_SERVED) {
        switch (storm_event_type(&e)) {
        case STORM_TIMER:
            storm_client_timer(&b->client, e.time);
            break;
        case STORM_READ_DONE:
            storm_client_read_done(&b->client, e.time);
            break;
        case STORM_REASK:
            storm_client_reask(&b->client, e.time, e.arg);
            break;
        case STORM_AT_SA:
            assert_true(b->count < PACKETS);
            b->packets[b->count++] = e;
            if (answer)
                storm_client_answer(&b->client, e.time, e.arg, e.tid, 0);
            break;
        case STORM_START:
        case STORM_TAKEN:
        case STORM_SERVED:
        case STORM_ANSWER:
        case STORM_ANSWER_BUSY:
            fail_msg("a client adds no such event");
        }
    }
}

static void test_joins_come_one_by_one_then_paths_by_width(void **state)
{
    const struct storm_client_behaviour behaviour = patient();
    struct bench *b = bench(&behaviour, 0);

    (void)state;
    assert_true(b->client.started_at == WEFT_TIME_NEVER);
    storm_client_start(&b->client, 5);
    assert_true(b->client.started_at == 5);
    for (uint32_t join = 0; join < 2; join++) {
        play(b, (join + 1) * WEFT_MS, false);
        assert_int_equal(b->count, join + 1);
        assert_int_equal(b->packets[join].arg, join);
        storm_client_answer(&b->client, (join + 1) * WEFT_MS, join, b->packets[join].tid, 0);
    }
    play(b, 3 * WEFT_MS, false);
    assert_int_equal(b->count, 4);
    assert_true(b->packets[3].time == b->packets[2].time + b->env.send_ns);
    /* the second of the two is answered first; one more goes out in its place */
    storm_client_answer(&b->client, 3 * WEFT_MS, 3, b->packets[3].tid, 0);
    play(b, 4 * WEFT_MS, true);
    assert_int_equal(b->count, 6);
    assert_int_equal(b->packets[4].arg, 4);
    assert_true(b->client.finished_at == WEFT_TIME_NEVER);
    storm_client_answer(&b->client, 4 * WEFT_MS, 2, b->packets[2].tid, 0);
    assert_true(b->client.finished_at == 4 * WEFT_MS && !b->client.failed);
    assert_int_equal(b->env.totals.clients_resolved, 1);
    assert_int_equal(b->env.totals.queries_resolved, 6);
    assert_int_equal(b->env.totals.requests, 6);
    bench_done(b);
}

static void test_a_request_travels_over_the_clients_links(void **state)
{
    const struct storm_client_behaviour behaviour = patient();
    struct bench *b = bench(&behaviour, 0);

    (void)state;
    storm_client_start(&b->client, 1000);
    play(b, WEFT_MS, false);
    assert_true(b->packets[0].time == 1000 + storm_network_latency(&b->network, 2));
    assert_int_equal(b->packets[0].client, 3);
    bench_done(b);
}

static void test_without_its_groups_a_client_asks_for_nothing_more(void **state)
{
    const struct storm_client_behaviour behaviour = patient();
    struct bench *b = bench(&behaviour, 0);

    (void)state;
    storm_client_start(&b->client, 0);
    play(b, WEFT_S, false);
    assert_int_equal(b->count, 1);
    assert_int_equal(b->env.totals.timeouts, 1);
    assert_true(b->client.failed && b->client.finished_at == 100 * WEFT_MS);
    assert_int_equal(b->env.totals.queries_failed, 6);
    assert_int_equal(b->env.totals.clients_failed, 1);
    bench_done(b);
}

static void test_BUSY_ends_a_query_of_a_client_that_gives_up(void **state)
{
    struct storm_client_behaviour behaviour = patient();
    struct bench *b;

    (void)state;
    behaviour.joins = 0;
    behaviour.queries = 2;
    b = bench(&behaviour, 0);
    storm_client_start(&b->client, 0);
    play(b, WEFT_MS, false);
    assert_int_equal(b->count, 2);
    storm_client_answer(&b->client, WEFT_MS, 0, b->packets[0].tid, WEFT_STATUS_BUSY);
    storm_client_answer(&b->client, WEFT_MS, 1, b->packets[1].tid, 0);
    assert_true(b->client.failed && b->client.finished_at == WEFT_MS);
    assert_int_equal(b->env.totals.queries_failed, 1);
    assert_int_equal(b->env.totals.queries_resolved, 1);
    bench_done(b);
}

static void test_R80_BUSY_is_asked_anew_after_the_delay_in_a_new_transaction(void **state)
{
    static const weft_time delays[] = {0, 7 * WEFT_MS};
    struct storm_client_behaviour behaviour = patient();

    (void)state;
    behaviour.joins = 0;
    behaviour.queries = 1;
    behaviour.reask = true;
    for (size_t i = 0; i < 2; i++) {
        struct bench *b;

        behaviour.reask_delay_ns = delays[i];
        b = bench(&behaviour, 0);
        storm_client_start(&b->client, 0);
        play(b, WEFT_MS, false);
        storm_client_answer(&b->client, WEFT_MS, 0, b->packets[0].tid, WEFT_STATUS_BUSY);
        play(b, 10 * WEFT_MS, true);
        assert_int_equal(b->count, 2);
        assert_true(b->packets[1].time ==
                    WEFT_MS + delays[i] + storm_network_latency(&b->network, 2));
        assert_true(b->packets[1].tid != b->packets[0].tid);
        assert_int_equal(b->packets[1].arg, 0);
        assert_int_equal(b->env.totals.reasked, 1);
        assert_int_equal(b->env.totals.asked, 1);
        assert_int_equal(b->env.totals.clients_resolved, 1);
        bench_done(b);
    }
}

static void test_an_answer_nobody_waits_for_is_counted(void **state)
{
    const struct storm_client_behaviour behaviour = patient();
    struct bench *b = bench(&behaviour, 0);

    (void)state;
    storm_client_start(&b->client, 0);
    play(b, WEFT_MS, true);
    storm_client_answer(&b->client, WEFT_MS, 0, b->packets[0].tid, 0);
    assert_int_equal(b->env.totals.stale, 1);
    /* a refusal is no work that was done for nothing */
    storm_client_answer(&b->client, WEFT_MS, 0, b->packets[0].tid, WEFT_STATUS_BUSY);
    assert_int_equal(b->env.totals.stale, 1);
    bench_done(b);
}

/* While the client reads one answer the next ones wait in its receive buffers. */
static void test_reading_takes_its_time(void **state)
{
    struct storm_client_behaviour behaviour = patient();
    struct bench *b;

    (void)state;
    behaviour.joins = 0;
    behaviour.queries = 2;
    b = bench(&behaviour, 30 * WEFT_MS);
    storm_client_start(&b->client, 0);
    play(b, 2 * WEFT_MS, true);
    assert_int_equal(b->count, 2);
    assert_int_equal(b->env.totals.queries_resolved, 0);
    play(b, 40 * WEFT_MS, true);
    assert_int_equal(b->env.totals.queries_resolved, 1);
    play(b, 70 * WEFT_MS, true);
    assert_int_equal(b->env.totals.queries_resolved, 2);
    assert_true(b->client.finished_at > 60 * WEFT_MS);
    bench_done(b);
}

static void test_a_client_needs_a_slot_for_each_query_under_way(void **state)
{
    struct storm_client_behaviour b = patient();

    (void)state;
    assert_int_equal(storm_client_slots(&b), 2);
    b.width = 100;
    assert_int_equal(storm_client_slots(&b), 4);
    b.queries = b.joins;
    assert_int_equal(storm_client_slots(&b), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joins_come_one_by_one_then_paths_by_width),
        cmocka_unit_test(test_a_request_travels_over_the_clients_links),
        cmocka_unit_test(test_without_its_groups_a_client_asks_for_nothing_more),
        cmocka_unit_test(test_BUSY_ends_a_query_of_a_client_that_gives_up),
        cmocka_unit_test(test_R80_BUSY_is_asked_anew_after_the_delay_in_a_new_transaction),
        cmocka_unit_test(test_an_answer_nobody_waits_for_is_counted),
        cmocka_unit_test(test_reading_takes_its_time),
        cmocka_unit_test(test_a_client_needs_a_slot_for_each_query_under_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
