/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/storm/sa.c: the three overload modes, request by request. */
#include "storm/sa.h"
#include "storm_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* 1 ms for an answer, 10 us for a look at a request, 20 us for BUSY. */
static struct storm_sa make_sa(enum storm_overload overload)
{
    struct storm_scenario s = fixture_scenario("ipoib-boot");
    struct storm_sa sa;

    s.sa_overload = overload;
    s.sa_rate = 1000;
    s.sa_queue = 3;
    s.sa_backlog = 5;
    s.sa_busy_above = 2;
    s.sa_take_ns = 10 * WEFT_US;
    s.sa_busy_ns = 20 * WEFT_US;
    s.sa_stale_ns = 10 * WEFT_S;
    assert_int_equal(storm_sa_init(&sa, &s, &fixture_heap), 0);
    return sa;
}

static bool receive(struct storm_sa *sa, weft_time now, uint32_t client)
{
    const struct storm_sa_request r = {
        .tid = client * 10, .arrived = now, .client = client, .query = 7};

    return storm_sa_receive(sa, &r);
}

static void assert_served(struct storm_sa *sa, uint32_t client)
{
    struct storm_sa_request r;

    storm_sa_worker_finish(sa, &r);
    assert_int_equal(r.client, client);
    assert_int_equal(r.tid, client * 10);
    assert_int_equal(r.query, 7);
}

static void test_drop_serves_in_order_and_loses_what_does_not_fit(void **state)
{
    struct storm_sa sa = make_sa(STORM_DROP);

    (void)state;
    assert_true(receive(&sa, 0, 1));
    assert_int_equal(storm_sa_worker_start(&sa, 0), WEFT_MS);
    assert_int_equal(storm_sa_worker_start(&sa, 0), WEFT_TIME_NEVER); /* one at a time */
    for (uint32_t client = 2; client <= 4; client++)
        assert_true(receive(&sa, 0, client));
    assert_false(receive(&sa, 0, 5)); /* one in hand, three in the queue */
    assert_int_equal(sa.dropped, 1);
    assert_int_equal(storm_sa_receiver_start(&sa, 0), WEFT_TIME_NEVER); /* there is no receiver */
    assert_served(&sa, 1);
    assert_int_equal(storm_sa_worker_start(&sa, WEFT_MS), 2 * WEFT_MS);
    assert_true(receive(&sa, WEFT_MS, 6)); /* a buffer is free again */
    assert_served(&sa, 2);
    assert_int_equal(sa.queue_peak, 3);
    assert_int_equal(storm_sa_waiting(&sa), 3);
    storm_sa_done(&sa);
}

static void take_to_software(struct storm_sa *sa, weft_time now)
{
    struct storm_sa_request unused;

    assert_int_equal(storm_sa_receiver_start(sa, now), now + 10 * WEFT_US);
    assert_false(storm_sa_receiver_finish(sa, &unused));
}

static void test_busy_answers_BUSY_from_its_threshold_on(void **state)
{
    struct storm_sa sa = make_sa(STORM_BUSY);
    struct storm_sa_request r;

    (void)state;
    for (uint32_t client = 1; client <= 3; client++)
        assert_true(receive(&sa, 0, client));
    take_to_software(&sa, 0);
    assert_int_equal(storm_sa_receiver_start(&sa, 0), 10 * WEFT_US);
    assert_int_equal(storm_sa_receiver_start(&sa, 0), WEFT_TIME_NEVER); /* one at a time */
    assert_false(storm_sa_receiver_finish(&sa, &r));
    assert_int_equal(storm_sa_receiver_start(&sa, 0),
                     20 * WEFT_US); /* the third: two wait already */
    assert_true(storm_sa_receiver_finish(&sa, &r));
    assert_int_equal(r.client, 3);
    assert_int_equal(storm_sa_worker_start(&sa, 0), WEFT_MS);
    assert_true(receive(&sa, 0, 4)); /* one is in hand: there is room for one again */
    take_to_software(&sa, 0);
    assert_served(&sa, 1);
    assert_int_equal(sa.dropped, 0);
    storm_sa_done(&sa);
}

/* The receiver moves requests while the worker works. */
static void test_stale_never_refuses_and_throws_away_what_is_too_old(void **state)
{
    struct storm_sa sa = make_sa(STORM_STALE);

    (void)state;
    for (uint32_t client = 1; client <= 4; client++) {
        assert_true(receive(&sa, client, client));
        take_to_software(&sa, client);
    }
    assert_int_equal(storm_sa_worker_start(&sa, 10), 10 + WEFT_MS);
    assert_served(&sa, 1);
    /* The second has waited 10 s and is answered; the third has waited longer. */
    assert_int_equal(storm_sa_worker_start(&sa, 10 * WEFT_S + 2), 10 * WEFT_S + 2 + WEFT_MS);
    assert_served(&sa, 2);
    assert_int_equal(storm_sa_worker_start(&sa, 10 * WEFT_S + 5), WEFT_TIME_NEVER);
    assert_int_equal(sa.expired, 2);
    storm_sa_done(&sa);
}

static void test_a_full_software_queue_loses_requests(void **state)
{
    struct storm_sa sa = make_sa(STORM_STALE);

    (void)state;
    for (uint32_t client = 1; client <= 6; client++) {
        assert_true(receive(&sa, 0, client));
        take_to_software(&sa, 0);
    }
    assert_int_equal(sa.backlog_dropped, 1);
    assert_int_equal(storm_sa_waiting(&sa), 5);
    assert_int_equal(sa.queue_peak, 6); /* with the one in the receive queue */
    storm_sa_done(&sa);
}

/* Rings go round many times. */
static void test_queues_keep_their_order_for_ever(void **state)
{
    struct storm_sa sa = make_sa(STORM_DROP);
    weft_time now = 0;

    (void)state;
    assert_true(receive(&sa, 0, 1));
    for (uint32_t client = 2; client < 100; client++) {
        assert_true(receive(&sa, now, client));
        now = storm_sa_worker_start(&sa, now);
        assert_served(&sa, client - 1);
    }
    assert_int_equal(now, 98 * WEFT_MS);
    storm_sa_done(&sa);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drop_serves_in_order_and_loses_what_does_not_fit),
        cmocka_unit_test(test_busy_answers_BUSY_from_its_threshold_on),
        cmocka_unit_test(test_stale_never_refuses_and_throws_away_what_is_too_old),
        cmocka_unit_test(test_a_full_software_queue_loses_requests),
        cmocka_unit_test(test_queues_keep_their_order_for_ever),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
