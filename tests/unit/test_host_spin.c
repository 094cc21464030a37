/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How long a program looks before it sleeps, told as what it lives through. */
#include "host/spin.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MOST (20 * WEFT_US)

/* Looks that find nothing, each followed by a sleep. */
static void miss(struct spin *s, unsigned times, weft_time slept_ns)
{
    for (unsigned i = 0; i < times; i++) {
        spin_missed(s);
        spin_woken(s, slept_ns);
    }
}

/* Sleeps until the next try; returns how many there were. */
static unsigned sleeps_to_try(struct spin *s, weft_time slept_ns)
{
    unsigned sleeps = 0;

    while (s->now_ns == 0 && sleeps < 10 * SPIN_SLEEPS_MAX) {
        miss(s, 1, slept_ns);
        sleeps++;
    }
    return sleeps;
}

static void test_who_finds_packets_goes_on_looking(void **state)
{
    struct spin s;

    (void)state;
    spin_init(&s, MOST);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(s.now_ns, MOST);
        spin_found(&s);
        miss(&s, SPIN_MISSES - 1, 50 * WEFT_US); /* now and then in vain */
    }
    assert_int_equal(s.now_ns, MOST);
}

static void test_who_finds_nothing_only_sleeps_and_tries_now_and_then(void **state)
{
    struct spin s;
    unsigned before = 0;

    (void)state;
    spin_init(&s, MOST);
    miss(&s, SPIN_MISSES, 50 * WEFT_US);
    assert_int_equal(s.now_ns, 0);
    /* Tries that fail become rarer, up to a limit. */
    for (int i = 0; i < 12; i++) {
        unsigned sleeps = sleeps_to_try(&s, 50 * WEFT_US);

        assert_true(sleeps >= before && sleeps <= SPIN_SLEEPS_MAX);
        assert_true(s.now_ns > 50 * WEFT_US && s.now_ns <= SPIN_TRY_NS);
        before = sleeps;
        spin_missed(&s);
    }
    assert_int_equal(before, SPIN_SLEEPS_MAX);
}

static void test_a_try_that_succeeds_leads_back(void **state)
{
    struct spin s;

    (void)state;
    spin_init(&s, MOST);
    miss(&s, SPIN_MISSES, 50 * WEFT_US);
    (void)sleeps_to_try(&s, 50 * WEFT_US);
    spin_found(&s);
    assert_int_equal(s.now_ns, MOST);
    /* Where it stays so for a while, the next tries are frequent again. */
    for (int i = 0; i < SPIN_WINS; i++)
        spin_found(&s);
    miss(&s, SPIN_MISSES, 50 * WEFT_US);
    assert_true(sleeps_to_try(&s, 50 * WEFT_US) <= SPIN_SLEEPS);
    /* Where it does not, they are not. */
    spin_found(&s);
    miss(&s, SPIN_MISSES, 50 * WEFT_US);
    assert_true(sleeps_to_try(&s, 50 * WEFT_US) > SPIN_SLEEPS);
}

static void test_nothing_is_tried_where_sleeps_are_long(void **state)
{
    struct spin s;

    (void)state;
    spin_init(&s, MOST);
    miss(&s, SPIN_MISSES, WEFT_S);
    assert_int_equal(sleeps_to_try(&s, WEFT_S), 10 * SPIN_SLEEPS_MAX);
    /* A single long one changes nothing for long. */
    miss(&s, 100, 50 * WEFT_US);
    miss(&s, 1, 3600 * WEFT_S);
    miss(&s, 20, 50 * WEFT_US);
    assert_true(sleeps_to_try(&s, 50 * WEFT_US) <= SPIN_SLEEPS_MAX);
}

static void test_who_may_not_look_never_does(void **state)
{
    struct spin s;

    (void)state;
    spin_init(&s, 0);
    assert_int_equal(s.now_ns, 0);
    assert_int_equal(sleeps_to_try(&s, 10 * WEFT_US), 10 * SPIN_SLEEPS_MAX);
    spin_found(&s);
    assert_int_equal(s.now_ns, 0);
}

static void test_looking_is_usual_where_there_are_two_processors(void **state)
{
    cpu_set_t all, one;
    size_t first = 0;

    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
    while (!CPU_ISSET(first, &all))
        first++;
    if (CPU_COUNT(&all) > 1)
        assert_true(spin_usual_ns() > 0);
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
    assert_int_equal(spin_usual_ns(), 0);
    assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_finds_packets_goes_on_looking),
        cmocka_unit_test(test_who_finds_nothing_only_sleeps_and_tries_now_and_then),
        cmocka_unit_test(test_a_try_that_succeeds_leads_back),
        cmocka_unit_test(test_nothing_is_tried_where_sleeps_are_long),
        cmocka_unit_test(test_who_may_not_look_never_does),
        cmocka_unit_test(test_looking_is_usual_where_there_are_two_processors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
