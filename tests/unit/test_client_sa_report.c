/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reports: each is answered and kept; where there is no room, the SA is left to repeat it. */
#include "client/sa_state.h"
#include "core/wire/field.h"
#include "core/wire/mad_header.h"
#include "sa_lab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* That one is known is a reason to answer it, even where there is no room for others. */
static void test_a_Report_that_comes_again_needs_no_room(void **state)
{
    struct sl *l = sl_new(NULL);
    struct weft_sa_stats stats;

    (void)state;
    do {
        sl_report(l, 64);
        weft_sa_stats(l->sa, &stats);
    } while (stats.reports < SA_REPORTS);
    assert_int_equal(l->replies, SA_REPORTS);
    sl_report_again(l);
    assert_int_equal(l->replies, SA_REPORTS + 1);
    weft_sa_stats(l->sa, &stats);
    assert_int_equal(stats.repeated, 1);
    assert_int_equal(stats.dropped, 0);
    sl_free(l);
}

static void test_the_answer_goes_back_where_the_Report_came_from(void **state)
{
    struct sl *l = sl_new(NULL);
    uint8_t mad[WEFT_MAD_BYTES] = {0};
    struct weft_mad_event ev = {.type = WEFT_MAD_EVENT_RECV, .agent = l->agent};
    struct weft_mad_tx tx;

    (void)state;
    mad_set_base_version(mad, WEFT_MAD_BASE_VERSION);
    mad_set_class(mad, WEFT_CLASS_SUBN_ADM);
    mad_set_class_version(mad, 2);
    mad_set_method(mad, WEFT_METHOD_REPORT);
    mad_set_attr_id(mad, WEFT_ATTR_NOTICE);
    mad_set_tid(mad, 0x1234);
    ev.u.recv.mad = mad;
    ev.u.recv.len = WEFT_MAD_BYTES;
    ev.u.recv.from = (struct weft_mad_addr){
        .lid = 77, .sl = 3, .qpn = 5, .qkey = 0x1111, .pkey_index = 2, .has_grh = true};
    memset(ev.u.recv.from.grh.sgid, 0xAA, 16);
    memset(ev.u.recv.from.grh.dgid, 0xBB, 16);
    sa_report_received(l->sa, 0, &ev);
    assert_true(weft_mad_poll_tx(l->near, &tx));
    assert_int_equal(mad_method(tx.data), WEFT_METHOD_REPORT_RESP);
    assert_int_equal(mad_tid(tx.data), 0x1234);
    assert_int_equal(tx.to->lid, 77);
    assert_int_equal(tx.to->sl, 3);
    assert_int_equal(tx.to->qpn, 5);
    assert_int_equal(tx.to->pkey_index, 2);
    /* a Q_Key of what was received says nothing of what the sender takes */
    assert_int_equal(tx.to->qkey, WEFT_QKEY_GSI);
    assert_int_equal(tx.to->grh.sgid[0], 0xBB);
    assert_int_equal(tx.to->grh.dgid[15], 0xAA);
    assert_int_equal(weft_mad_tx_done(l->near, 0, tx.id, true), 0);
    sl_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_Report_is_answered_and_kept),
        cmocka_unit_test(test_Reports_without_room_are_not_answered),
        cmocka_unit_test(test_a_Report_that_comes_again_is_answered_and_kept_once),
        cmocka_unit_test(test_a_Report_that_comes_again_needs_no_room),
        cmocka_unit_test(test_the_answer_goes_back_where_the_Report_came_from),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
