/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Paces: timely answers widen them, a late one narrows them and lengthens the wait; where packets
 * get lost, only many late ones do. */
#include "client/pace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct pace_bounds lossless = {.first = 25 * WEFT_MS, .timeout = WEFT_S};
static const struct pace_bounds lossy = {.first = 25 * WEFT_MS, .timeout = WEFT_S, .lossy = true};

static struct pace begun(void)
{
    struct pace p;

    pace_init(&p);
    return p;
}

static void test_answers_in_time_widen_it_up_to_a_limit(void **state)
{
    struct pace p = begun();

    (void)state;
    assert_int_equal(p.limit, 2);
    for (int i = 0; i < 10; i++)
        pace_told(&p, &lossless, 0, 1);
    assert_int_equal(p.limit, 12);
    assert_int_equal(p.level, 0);
    for (int i = 0; i < 100; i++)
        pace_told(&p, &lossless, 0, 1);
    assert_int_equal(p.limit, 64);
}

static void test_the_number_of_packets_says_how_slow_an_agent_is(void **state)
{
    static const struct {
        uint32_t packets;
        weft_time wait;
    } rows[] = {{2, 100 * WEFT_MS}, {3, 400 * WEFT_MS}, {4, WEFT_S}, {9, WEFT_S}, {999, WEFT_S}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pace p = begun();

        pace_told(&p, &lossless, 0, 1);
        pace_told(&p, &lossless, 0, rows[i].packets);
        assert_int_equal(p.limit, 1);
        assert_int_equal(pace_wait(&p, &lossless, 1), rows[i].wait);
    }
}

static void test_a_slow_agent_has_as_many_under_way_as_it_answers_in_half_the_timeout(void **state)
{
    struct pace p = begun();

    (void)state;
    pace_told(&p, &lossless, 0, 2);
    for (int i = 0; i < 20; i++)
        pace_told(&p, &lossless, p.level, 1);
    assert_int_equal(p.limit, 5);
    assert_int_equal(pace_wait(&p, &lossless, 3), 300 * WEFT_MS);
    assert_int_equal(pace_wait(&p, &lossless, 30), WEFT_S);
}

static void test_whoever_has_many_copies_to_serve_is_waited_for_longer(void **state)
{
    /* By packets that a question has needed. */
    static const unsigned ms[] = {1000, 1000, 1000, 1000, 1600, 6400, 8000, 8000};

    (void)state;
    for (uint32_t packets = 0; packets < sizeof(ms) / sizeof(ms[0]); packets++) {
        struct pace p = begun();

        pace_told(&p, &lossless, 0, packets);
        assert_int_equal(pace_patience(&p, &lossless), ms[packets] * WEFT_MS);
    }
}

static void test_what_was_asked_at_another_pace_says_nothing(void **state)
{
    struct pace p = begun();

    (void)state;
    pace_told(&p, &lossless, 0, 2);
    for (int i = 0; i < 20; i++) {
        pace_told(&p, &lossless, 0, 1);
        pace_told(&p, &lossless, 0, 5);
    }
    assert_int_equal(p.limit, 1);
    assert_int_equal(pace_wait(&p, &lossless, 1), 100 * WEFT_MS);
}

static void test_a_slow_agent_gets_slower_by_what_is_no_accident(void **state)
{
    struct pace p = begun();

    (void)state;
    pace_told(&p, &lossless, 0, 2);
    for (int i = 0; i < 20; i++) {
        pace_told(&p, &lossless, p.level, 2);
        pace_told(&p, &lossless, p.level, 1);
    }
    assert_int_equal(pace_wait(&p, &lossless, 1), 100 * WEFT_MS);
    assert_in_range(p.limit, 2, 5);
    for (int i = 0; i < 3; i++)
        pace_told(&p, &lossless, p.level, 2);
    assert_int_equal(pace_wait(&p, &lossless, 1), 200 * WEFT_MS);
    assert_int_equal(p.limit, 1);
    for (int i = 0; i < 99; i++)
        pace_told(&p, &lossless, p.level, 2);
    assert_int_equal(pace_wait(&p, &lossless, 1), WEFT_S);
}

static void test_packets_that_get_lost_do_not_make_an_agent_slow(void **state)
{
    struct pace p = begun();

    (void)state;
    /* One in three is lost, one in nine twice. */
    for (int i = 0; i < 90; i++)
        pace_told(&p, &lossy, 0, i % 9 == 0 ? 3 : i % 3 == 0 ? 2 : 1);
    assert_int_equal(p.level, 0);
    assert_in_range(p.limit, 30, 64);
    for (int i = 0; i < 4; i++)
        pace_told(&p, &lossy, 0, 5);
    assert_int_equal(p.limit, 1);
    assert_int_equal(pace_wait(&p, &lossy, 1), 25 * WEFT_MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers_in_time_widen_it_up_to_a_limit),
        cmocka_unit_test(test_the_number_of_packets_says_how_slow_an_agent_is),
        cmocka_unit_test(test_a_slow_agent_has_as_many_under_way_as_it_answers_in_half_the_timeout),
        cmocka_unit_test(test_whoever_has_many_copies_to_serve_is_waited_for_longer),
        cmocka_unit_test(test_what_was_asked_at_another_pace_says_nothing),
        cmocka_unit_test(test_a_slow_agent_gets_slower_by_what_is_no_accident),
        cmocka_unit_test(test_packets_that_get_lost_do_not_make_an_agent_slow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
