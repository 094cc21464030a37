/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How many requests may be on the way to ibsim, and when they no longer are. */
#include "host/hca_room.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#define NO_FILE   1024
#define FIRST_TID 0x1000

/* Sends until there is no room.
 * Returns how many that were. */
static uint32_t fill(struct hca_room *r, uint32_t tid, weft_time now)
{
    uint32_t sent = 0;

    while (hca_room_is_left(r, now) && sent < 10 * HCA_ROOM_MAX)
        hca_room_take(r, tid + sent++, now);
    return sent;
}

static struct hca_room room_of(uint32_t limit)
{
    return (struct hca_room){.limit = limit};
}

static void test_a_file_has_no_limit_and_what_is_none_has_one(void **state)
{
    struct hca_room r;

    (void)state;
    hca_room_init(&r, STDOUT_FILENO);
    assert_int_equal(fill(&r, FIRST_TID, 0), 10 * HCA_ROOM_MAX);
    assert_int_equal(r.count, 0);
    assert_int_equal(close(NO_FILE), -1);
    hca_room_init(&r, NO_FILE);
    assert_in_range(r.limit, 1, HCA_ROOM_MAX);
    assert_int_equal(fill(&r, FIRST_TID, 0), r.limit);
}

static void test_the_limit_is_what_the_queues_of_both_directions_hold(void **state)
{
    static const struct {
        uint64_t queue;
        uint32_t want;
    } rows[] = {{0, 1},
                {1, 2},
                {10, 20},
                {HCA_ROOM_MAX / 2, HCA_ROOM_MAX},
                {512, HCA_ROOM_MAX},
                {UINT64_MAX, HCA_ROOM_MAX}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(hca_room_limit(rows[i].queue), rows[i].want);
}

static void test_an_answer_makes_room_for_itself_and_what_was_sent_before(void **state)
{
    struct hca_room r = room_of(HCA_ROOM_MAX);

    (void)state;
    assert_int_equal(fill(&r, FIRST_TID, 0), HCA_ROOM_MAX);
    hca_room_give(&r, FIRST_TID, 0);
    assert_int_equal(fill(&r, FIRST_TID + HCA_ROOM_MAX, 0), 1);
    hca_room_give(&r, FIRST_TID + 10, 0);
    assert_int_equal(r.count, HCA_ROOM_MAX - 10);
    assert_int_equal(fill(&r, FIRST_TID + HCA_ROOM_MAX + 1, 0), 10);
    hca_room_give(&r, FIRST_TID + HCA_ROOM_MAX + 10, 0);
    assert_int_equal(r.count, 0);
}

static void test_an_answer_to_nothing_makes_no_room(void **state)
{
    struct hca_room r = room_of(3);

    (void)state;
    hca_room_give(&r, 0, 0);
    assert_int_equal(fill(&r, FIRST_TID, 0), 3);
    hca_room_give(&r, FIRST_TID + 3, 0);
    assert_false(hca_room_is_left(&r, 0));
    assert_int_equal(r.count, 3);
}

static void test_a_request_is_on_the_way_until_it_or_a_later_one_is_answered(void **state)
{
    struct hca_room r = room_of(3);

    (void)state;
    assert_false(hca_room_has(&r, FIRST_TID));
    assert_int_equal(fill(&r, FIRST_TID, 0), 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(hca_room_has(&r, FIRST_TID + i));
    hca_room_give(&r, FIRST_TID + 1, 0);
    assert_false(hca_room_has(&r, FIRST_TID));
    assert_false(hca_room_has(&r, FIRST_TID + 1));
    assert_true(hca_room_has(&r, FIRST_TID + 2));
}

static void test_a_long_silence_shows_that_nothing_is_on_the_way(void **state)
{
    struct hca_room r = room_of(2);

    (void)state;
    hca_room_take(&r, FIRST_TID, 0);
    hca_room_take(&r, FIRST_TID + 1, 200);
    assert_false(hca_room_is_left(&r, HCA_ROOM_SILENCE - 1));
    assert_true(hca_room_is_left(&r, HCA_ROOM_SILENCE));
    assert_int_equal(r.count, 1);
    assert_true(hca_room_is_left(&r, HCA_ROOM_SILENCE + 200));
    assert_int_equal(r.count, 0);
}

static void test_where_answers_come_time_makes_no_room(void **state)
{
    const weft_time late = 10 * HCA_ROOM_SILENCE;
    struct hca_room r = room_of(2);

    (void)state;
    assert_int_equal(fill(&r, FIRST_TID, 0), 2);
    hca_room_give(&r, 0, late);
    assert_false(hca_room_is_left(&r, late + HCA_ROOM_SILENCE - 1));
    assert_true(hca_room_is_left(&r, late + HCA_ROOM_SILENCE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_file_has_no_limit_and_what_is_none_has_one),
        cmocka_unit_test(test_the_limit_is_what_the_queues_of_both_directions_hold),
        cmocka_unit_test(test_an_answer_makes_room_for_itself_and_what_was_sent_before),
        cmocka_unit_test(test_an_answer_to_nothing_makes_no_room),
        cmocka_unit_test(test_a_request_is_on_the_way_until_it_or_a_later_one_is_answered),
        cmocka_unit_test(test_a_long_silence_shows_that_nothing_is_on_the_way),
        cmocka_unit_test(test_where_answers_come_time_makes_no_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
