/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The timer queue: earliest first, equal deadlines in the order of arming; against a plain array.
 */
#include "core/base/prng.h"
#include "core/base/timers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define IDS   100
#define STEPS 20000

struct bench {
    struct timers timers;
    struct timer heap[IDS];
    uint32_t place[IDS];
};

static void test_an_empty_queue_has_no_deadline(void **state)
{
    struct bench b;
    uint32_t id;

    (void)state;
    timers_init(&b.timers, b.heap, b.place, IDS);
    assert_int_equal(timers_deadline(&b.timers), WEFT_TIME_NEVER);
    assert_false(timers_pop(&b.timers, WEFT_TIME_NEVER, &id));
    timers_disarm(&b.timers, 5);
    assert_false(timers_armed(&b.timers, 5));
}

static void test_a_timer_fires_at_its_deadline_and_not_before(void **state)
{
    struct bench b;
    uint32_t id;

    (void)state;
    timers_init(&b.timers, b.heap, b.place, IDS);
    timers_arm(&b.timers, 7, 1000);
    assert_true(timers_armed(&b.timers, 7));
    assert_false(timers_pop(&b.timers, 999, &id));
    assert_true(timers_pop(&b.timers, 1000, &id));
    assert_int_equal(id, 7);
    assert_false(timers_armed(&b.timers, 7));
}

static void test_a_timer_for_never_is_armed_and_never_fires(void **state)
{
    struct bench b;
    uint32_t id;

    (void)state;
    timers_init(&b.timers, b.heap, b.place, IDS);
    timers_arm(&b.timers, 7, WEFT_TIME_NEVER);
    assert_true(timers_armed(&b.timers, 7));
    assert_false(timers_pop(&b.timers, WEFT_TIME_NEVER, &id));
}

static void test_equal_deadlines_come_in_the_order_of_arming(void **state)
{
    struct bench b;
    uint32_t id;

    (void)state;
    timers_init(&b.timers, b.heap, b.place, IDS);
    b.timers.serial = UINT32_MAX - IDS / 2; /* the serial wraps round on the way */
    for (uint32_t i = 0; i < IDS; i++)
        timers_arm(&b.timers, (i * 37) % IDS, 1000);
    timers_arm(&b.timers, 37, 1000); /* armed anew: it goes to the end */
    for (uint32_t i = 0; i < IDS; i++) {
        if (i == 1)
            continue;
        assert_true(timers_pop(&b.timers, 1000, &id));
        assert_int_equal(id, (i * 37) % IDS);
    }
    assert_true(timers_pop(&b.timers, 1000, &id));
    assert_int_equal(id, 37);
}

static void test_random_arming_and_disarming_agrees_with_an_array(void **state)
{
    struct bench b;
    weft_time deadline[IDS];
    uint64_t order[IDS];
    struct prng g = {3};

    (void)state;
    timers_init(&b.timers, b.heap, b.place, IDS);
    for (uint32_t i = 0; i < IDS; i++)
        deadline[i] = WEFT_TIME_NEVER;
    for (uint64_t step = 0; step < STEPS; step++) {
        uint32_t id = (uint32_t)prng_up_to(&g, IDS - 1), first = IDS, got;

        if (prng_up_to(&g, 3) == 0) {
            timers_disarm(&b.timers, id);
            deadline[id] = WEFT_TIME_NEVER;
        } else {
            deadline[id] = prng_up_to(&g, 20);
            order[id] = step;
            timers_arm(&b.timers, id, deadline[id]);
        }
        if (step % 3 != 0)
            continue;
        for (uint32_t i = 0; i < IDS; i++) {
            if (deadline[i] == WEFT_TIME_NEVER)
                continue;
            if (first == IDS || deadline[i] < deadline[first] ||
                (deadline[i] == deadline[first] && order[i] < order[first]))
                first = i;
        }
        if (first == IDS)
            continue;
        assert_int_equal(timers_deadline(&b.timers), deadline[first]);
        assert_true(timers_pop(&b.timers, 20, &got));
        assert_int_equal(got, first);
        deadline[first] = WEFT_TIME_NEVER;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_empty_queue_has_no_deadline),
        cmocka_unit_test(test_a_timer_fires_at_its_deadline_and_not_before),
        cmocka_unit_test(test_a_timer_for_never_is_armed_and_never_fires),
        cmocka_unit_test(test_equal_deadlines_come_in_the_order_of_arming),
        cmocka_unit_test(test_random_arming_and_disarming_agrees_with_an_array),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
