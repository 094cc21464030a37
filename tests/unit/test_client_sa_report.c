/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reports: each is answered and kept; where there is no room, the SA is left to repeat it. */
#include "core/wire/field.h"
#include "sa_lab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_a_Report_is_answered_and_kept(void **state)
{
    struct sl *l = sl_new(NULL);
    struct weft_sa_report r;

    (void)state;
    assert_false(weft_sa_poll_report(l->sa, &r));
    sl_report(l, 64);
    sl_report(l, 65);
    assert_int_equal(l->replies, 2);
    assert_true(weft_sa_poll_report(l->sa, &r));
    assert_int_equal(wire_get(WIRE_NOTICE_TRAP, r.notice), 64);
    assert_true(weft_sa_poll_report(l->sa, &r));
    assert_int_equal(wire_get(WIRE_NOTICE_TRAP, r.notice), 65);
    assert_false(weft_sa_poll_report(l->sa, &r));
    sl_free(l);
}

static void test_Reports_without_room_are_not_answered(void **state)
{
    struct sl *l = sl_new(NULL);
    struct weft_sa_stats stats;
    struct weft_sa_report r;
    unsigned kept = 0;

    (void)state;
    for (uint16_t i = 0; i < 20; i++)
        sl_report(l, i);
    weft_sa_stats(l->sa, &stats);
    assert_int_equal(stats.reports + stats.dropped, 20);
    assert_int_equal(stats.reports, l->replies);
    assert_true(stats.dropped > 0);
    while (weft_sa_poll_report(l->sa, &r))
        assert_int_equal(wire_get(WIRE_NOTICE_TRAP, r.notice), kept++);
    assert_int_equal(kept, stats.reports);
    sl_report(l, 99); /* there is room again */
    assert_true(weft_sa_poll_report(l->sa, &r));
    assert_int_equal(wire_get(WIRE_NOTICE_TRAP, r.notice), 99);
    sl_free(l);
}

static void test_a_Report_that_comes_again_is_answered_and_kept_once(void **state)
{
    struct sl *l = sl_new(NULL);
    struct weft_sa_stats stats;
    struct weft_sa_report r;

    (void)state;
    for (uint16_t i = 0; i < 8; i++) {
        sl_report(l, 64);
        sl_report_again(l);
        assert_int_equal(l->replies, 3 * i + 2);
        assert_true(weft_sa_poll_report(l->sa, &r));
        assert_false(weft_sa_poll_report(l->sa, &r));
        sl_report_again(l); /* that it was taken is no reason to give it out again */
        assert_false(weft_sa_poll_report(l->sa, &r));
    }
    weft_sa_stats(l->sa, &stats);
    assert_int_equal(stats.reports, 8);
    assert_int_equal(stats.repeated, 16);
    assert_int_equal(stats.dropped, 0);
    sl_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_Report_is_answered_and_kept),
        cmocka_unit_test(test_Reports_without_room_are_not_answered),
        cmocka_unit_test(test_a_Report_that_comes_again_is_answered_and_kept_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
