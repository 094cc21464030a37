/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/storm/measure.c: percentiles, and counts over time. */
#include "storm/measure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_percentiles_are_nearest_rank(void **state)
{
    static const struct {
        size_t count;
        uint32_t percent;
        weft_time expected; /* of 1, 2, ..., count */
    } cases[] = {{1, 1, 1},      {1, 50, 1},      {1, 100, 1},       {2, 50, 1},    {2, 51, 2},
                 {3, 50, 2},     {4, 25, 1},      {4, 26, 2},        {100, 50, 50}, {100, 99, 99},
                 {101, 99, 100}, {1000, 99, 990}, {1000, 100, 1000}, {10, 99, 10}};
    weft_time values[1000];

    (void)state;
    for (size_t i = 0; i < 1000; i++)
        values[i] = i + 1;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(storm_measure_percentile(values, cases[i].count, cases[i].percent),
                         cases[i].expected);
}

static void test_sorting(void **state)
{
    weft_time values[] = {5, UINT64_MAX, 0, 5, UINT64_C(1) << 63, 1};
    static const weft_time sorted[] = {0, 1, 5, 5, UINT64_C(1) << 63, UINT64_MAX};

    (void)state;
    storm_measure_sort(values, 0);
    assert_int_equal(values[0], 5);
    storm_measure_sort(values, 6);
    assert_memory_equal(values, sorted, sizeof(sorted));
}

static uint64_t sum_of(const struct storm_measure *m, enum storm_measure_what what)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < m->steps; i++)
        sum += m->step[i].counts[what];
    return sum;
}

static void test_counts_fall_into_their_step(void **state)
{
    static struct storm_measure m;
    weft_time step;

    (void)state;
    storm_measure_init(&m);
    step = (weft_time)1 << m.step_log2;
    storm_measure_count(&m, 0, STORM_MEASURE_BUSY);
    storm_measure_count(&m, step - 1, STORM_MEASURE_BUSY);
    storm_measure_count(&m, step, STORM_MEASURE_BUSY);
    storm_measure_count(&m, 3 * step, STORM_MEASURE_STALE);
    assert_int_equal(m.steps, 4);
    assert_int_equal(m.step[0].counts[STORM_MEASURE_BUSY], 2);
    assert_int_equal(m.step[1].counts[STORM_MEASURE_BUSY], 1);
    assert_int_equal(m.step[2].counts[STORM_MEASURE_BUSY], 0);
    assert_int_equal(m.step[3].counts[STORM_MEASURE_STALE], 1);
}

static void test_a_long_run_keeps_its_sums_and_uses_more_than_half_of_the_steps(void **state)
{
    static struct storm_measure m;

    (void)state;
    storm_measure_init(&m);
    for (weft_time now = 0; now < 100 * WEFT_S; now += 7 * WEFT_MS)
        storm_measure_count(&m, now, STORM_MEASURE_REQUESTS);
    assert_int_equal(sum_of(&m, STORM_MEASURE_REQUESTS), 100 * WEFT_S / (7 * WEFT_MS) + 1);
    assert_true(m.steps > STORM_MEASURE_STEPS / 2 && m.steps <= STORM_MEASURE_STEPS);
    assert_true((weft_time)(m.steps - 1) << m.step_log2 <= 100 * WEFT_S);
}

static void test_one_jump_over_many_steps(void **state)
{
    static struct storm_measure m;

    (void)state;
    storm_measure_init(&m);
    storm_measure_count(&m, 1, STORM_MEASURE_ANSWERS);
    storm_measure_count(&m, 3600 * WEFT_S, STORM_MEASURE_ANSWERS);
    assert_int_equal(m.step[0].counts[STORM_MEASURE_ANSWERS], 1);
    assert_int_equal(m.step[m.steps - 1].counts[STORM_MEASURE_ANSWERS], 1);
    assert_int_equal(sum_of(&m, STORM_MEASURE_ANSWERS), 2);
}

static void test_a_queue_stands_until_it_changes(void **state)
{
    static struct storm_measure m;
    weft_time step;

    (void)state;
    storm_measure_init(&m);
    step = (weft_time)1 << m.step_log2;
    storm_measure_queue(&m, 0, 10);
    storm_measure_queue(&m, 1, 4);
    storm_measure_queue(&m, 3 * step, 9);
    storm_measure_queue(&m, 3 * step + 1, 0);
    storm_measure_count(&m, 4 * step, STORM_MEASURE_BUSY);
    assert_int_equal(m.step[0].queue_peak, 10);
    assert_int_equal(m.step[1].queue_peak, 4);
    assert_int_equal(m.step[2].queue_peak, 4);
    assert_int_equal(m.step[3].queue_peak, 9);
    assert_int_equal(m.step[4].queue_peak, 0);
}

static void test_two_steps_that_become_one_keep_the_longer_queue(void **state)
{
    static struct storm_measure m;
    weft_time step;

    (void)state;
    storm_measure_init(&m);
    step = (weft_time)1 << m.step_log2;
    storm_measure_queue(&m, 0, 3);
    storm_measure_queue(&m, step, 8);
    storm_measure_queue(&m, step + 1, 0);
    storm_measure_count(&m, STORM_MEASURE_STEPS * step, STORM_MEASURE_BUSY);
    assert_int_equal(m.step[0].queue_peak, 8);
    assert_int_equal(m.step[1].queue_peak, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_percentiles_are_nearest_rank),
        cmocka_unit_test(test_sorting),
        cmocka_unit_test(test_counts_fall_into_their_step),
        cmocka_unit_test(test_a_long_run_keeps_its_sums_and_uses_more_than_half_of_the_steps),
        cmocka_unit_test(test_one_jump_over_many_steps),
        cmocka_unit_test(test_a_queue_stands_until_it_changes),
        cmocka_unit_test(test_two_steps_that_become_one_keep_the_longer_queue),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
