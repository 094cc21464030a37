/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/storm/scheduler.c: the order of events. */
#include "core/base/prng.h"
#include "storm/scheduler.h"
#include "storm_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_events_come_in_the_order_of_time(void **state)
{
    struct storm_scheduler s;
    struct storm_event e;

    (void)state;
    storm_scheduler_init(&s, &fixture_heap);
    storm_scheduler_add(&s, 30, STORM_ANSWER, 3, 33, 333);
    storm_scheduler_add(&s, 10, STORM_START, 1, 11, 111);
    storm_scheduler_add(&s, 20, STORM_TIMER, 2, 22, 222);
    for (uint32_t i = 1; i <= 3; i++) {
        assert_true(storm_scheduler_take(&s, &e));
        assert_int_equal(e.time, i * 10);
        assert_int_equal(e.client, i);
        assert_int_equal(e.arg, i * 11);
        assert_int_equal(e.tid, i * 111);
    }
    assert_int_equal(storm_event_type(&e), STORM_ANSWER);
    assert_false(storm_scheduler_take(&s, &e));
    storm_scheduler_done(&s);
}

static void test_events_of_one_instant_come_in_the_order_they_were_added(void **state)
{
    struct storm_scheduler s;
    struct storm_event e;

    (void)state;
    storm_scheduler_init(&s, &fixture_heap);
    for (uint32_t i = 0; i < 1000; i++)
        storm_scheduler_add(&s, 5, i % 2 ? STORM_START : STORM_ANSWER_BUSY, i, 0, 0);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(storm_scheduler_take(&s, &e));
        assert_int_equal(e.client, i);
    }
    storm_scheduler_done(&s);
}

/* What is soon and what is later lie in two heaps; nobody can see that. */
static void test_soon_and_later_are_one_order(void **state)
{
    struct storm_scheduler s;
    struct storm_event e;

    (void)state;
    storm_scheduler_init(&s, &fixture_heap);
    storm_scheduler_add(&s, 5 * WEFT_MS, STORM_TIMER, 0, 0, 0);
    storm_scheduler_add(&s, 4900 * WEFT_US, STORM_START, 1, 0, 0);
    assert_true(storm_scheduler_take(&s, &e));
    assert_int_equal(e.client, 1);
    storm_scheduler_add(&s, 5 * WEFT_MS, STORM_START, 2, 0, 0);
    storm_scheduler_add(&s, 4950 * WEFT_US, STORM_START, 3, 0, 0);
    assert_true(storm_scheduler_take(&s, &e));
    assert_int_equal(e.client, 3);
    assert_true(storm_scheduler_take(&s, &e));
    assert_int_equal(e.client, 0);
    assert_true(storm_scheduler_take(&s, &e));
    assert_int_equal(e.client, 2);
    storm_scheduler_done(&s);
}

/* Adds and takes at random, and compares with a list that is searched from end to end. */
static void test_any_mix_of_adding_and_taking(void **state)
{
    enum {
        ROUNDS = 4000,
        OPEN_MAX = 400
    };
    static struct storm_event open[OPEN_MAX];
    struct prng g = {1};
    struct storm_scheduler s;
    size_t count = 0;
    uint32_t added = 0;

    (void)state;
    storm_scheduler_init(&s, &fixture_heap);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        if (count == 0 || (count < OPEN_MAX && prng_up_to(&g, 2) > 0)) {
            weft_time wait = prng_up_to(&g, 1) ? prng_up_to(&g, 50) : prng_up_to(&g, 3 * WEFT_MS);

            open[count++] = (struct storm_event){.time = s.now + wait, .client = added};
            storm_scheduler_add(&s, s.now + wait, STORM_START, added++, 0, 0);
        } else {
            struct storm_event e;
            size_t first = 0;

            for (size_t k = 1; k < count; k++)
                if (open[k].time < open[first].time ||
                    (open[k].time == open[first].time && open[k].client < open[first].client))
                    first = k;
            assert_true(storm_scheduler_take(&s, &e));
            assert_int_equal(e.time, open[first].time);
            assert_int_equal(e.client, open[first].client);
            open[first] = open[--count];
        }
    }
    storm_scheduler_done(&s);
}

static void *no_memory(void *ctx, size_t size, size_t align)
{
    (void)ctx;
    (void)size;
    (void)align;
    return NULL;
}

static void test_want_of_memory_is_remembered(void **state)
{
    const struct weft_alloc alloc = {no_memory, fixture_heap.put, NULL};
    struct storm_scheduler s;
    struct storm_event e;

    (void)state;
    storm_scheduler_init(&s, &alloc);
    assert_false(s.failed);
    storm_scheduler_add(&s, 1, STORM_START, 0, 0, 0);
    assert_true(s.failed);
    assert_false(storm_scheduler_take(&s, &e));
    storm_scheduler_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events_come_in_the_order_of_time),
        cmocka_unit_test(test_events_of_one_instant_come_in_the_order_they_were_added),
        cmocka_unit_test(test_soon_and_later_are_one_order),
        cmocka_unit_test(test_any_mix_of_adding_and_taking),
        cmocka_unit_test(test_want_of_memory_is_remembered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
