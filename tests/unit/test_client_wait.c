/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waits get shorter with answers in time, longer again where they are shorter than answers take,
 * and are not misled by packets that get lost. */
#include "client/wait.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Requests that are sent one after the other, of which one in `share` is answered late; 0: none. */
static void ask(struct wait *w, unsigned count, unsigned share)
{
    for (unsigned i = 0; i < count; i++)
        wait_end(w, wait_begin(w), share == 0 || i % share != 0);
}

static void test_it_is_halved_four_times_but_not_below_a_millisecond(void **state)
{
    static const struct {
        weft_time whole;
        uint8_t most;
    } rows[] = {
        {25 * WEFT_MS, 4}, {16 * WEFT_MS, 4}, {15 * WEFT_MS, 3}, {2 * WEFT_MS, 1}, {WEFT_MS, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct wait w;

        wait_init(&w, rows[i].whole);
        assert_int_equal(w.halvings, 0);
        ask(&w, 63, 0);
        assert_int_equal(w.halvings, 0);
        ask(&w, 1, 0);
        assert_int_equal(w.halvings, rows[i].most > 0);
        ask(&w, 1000, 0);
        assert_int_equal(w.halvings, rows[i].most);
        wait_init(&w, rows[i].whole);
        wait_hurry(&w, 4);
        assert_int_equal(w.halvings, rows[i].most);
        wait_hurry(&w, 0);
        assert_int_equal(w.halvings, 0);
    }
}

static void test_where_answers_take_longer_it_doubles_and_stays_so(void **state)
{
    struct wait w;

    (void)state;
    wait_init(&w, 25 * WEFT_MS);
    wait_hurry(&w, 3);
    ask(&w, 64, 1);
    assert_int_equal(w.halvings, 3);
    ask(&w, 1, 1);
    assert_int_equal(w.halvings, 2);
    ask(&w, 1000, 0);
    assert_int_equal(w.halvings, 2);
    ask(&w, 1000, 1);
    assert_int_equal(w.halvings, 0);
    ask(&w, 1000, 0);
    assert_int_equal(w.halvings, 0);
}

static void test_packets_that_get_lost_do_not_make_it_longer(void **state)
{
    struct wait w;

    (void)state;
    wait_init(&w, 25 * WEFT_MS);
    ask(&w, 10000, 2);
    assert_int_equal(w.halvings, 4);
}

/* All those in time come first, then all those that are late: as many requests at a time as a
 * window has. */
static void test_late_answers_that_come_together_do_not_make_it_longer(void **state)
{
    uint32_t batches[512];
    struct wait w;

    (void)state;
    wait_init(&w, 25 * WEFT_MS);
    wait_hurry(&w, 4);
    for (int times = 0; times < 100; times++) {
        for (int i = 0; i < 512; i++)
            batches[i] = wait_begin(&w);
        for (int i = 0; i < 512; i++)
            if (i % 3 != 0)
                wait_end(&w, batches[i], true);
        for (int i = 0; i < 512; i += 3)
            wait_end(&w, batches[i], false);
    }
    assert_int_equal(w.halvings, 4);
}

static void test_a_batch_has_128_requests_and_others_say_nothing(void **state)
{
    struct wait w;

    (void)state;
    wait_init(&w, 25 * WEFT_MS);
    for (int i = 0; i < 128; i++)
        assert_int_equal(wait_begin(&w), w.batch);
    assert_int_equal(wait_begin(&w), WAIT_NO_BATCH);
    for (int i = 0; i < 1000; i++) {
        wait_end(&w, WAIT_NO_BATCH, true);
        wait_end(&w, w.batch + 1, true);
    }
    assert_int_equal(w.halvings, 0);
    for (int i = 0; i < 64; i++)
        wait_end(&w, 1, true);
    assert_int_equal(w.halvings, 1);
    /* Those that are left are of the past. */
    for (int i = 0; i < 64; i++)
        wait_end(&w, 1, true);
    assert_int_equal(w.in_time, 0);
}

static void test_who_never_answers_leaves_the_place_to_another(void **state)
{
    struct wait w;

    (void)state;
    wait_init(&w, 25 * WEFT_MS);
    wait_hurry(&w, 4);
    for (int i = 0; i < 1000; i++)
        wait_forget(&w, wait_begin(&w));
    for (int i = 0; i < 128; i++)
        assert_int_equal(wait_begin(&w), w.batch);
    wait_forget(&w, WAIT_NO_BATCH);
    assert_int_equal(wait_begin(&w), WAIT_NO_BATCH);
    assert_int_equal(w.halvings, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_is_halved_four_times_but_not_below_a_millisecond),
        cmocka_unit_test(test_where_answers_take_longer_it_doubles_and_stays_so),
        cmocka_unit_test(test_packets_that_get_lost_do_not_make_it_longer),
        cmocka_unit_test(test_late_answers_that_come_together_do_not_make_it_longer),
        cmocka_unit_test(test_who_never_answers_leaves_the_place_to_another),
        cmocka_unit_test(test_a_batch_has_128_requests_and_others_say_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
