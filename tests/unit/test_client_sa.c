/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Questions to an SA: how they are repeated, how many there are in a time, and an SM that moves. */
#include "core/wire/field.h"
#include "core/wire/mad_header.h"
#include "sa_lab.h"

#include <weft/sa.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define NODES WEFT_ATTR_SA_NODE_RECORD
#define PATHS WEFT_ATTR_SA_PATH_RECORD
#define GET   WEFT_METHOD_GET
#define TABLE WEFT_METHOD_GET_TABLE

static void test_configurations_out_of_range(void **state)
{
    const weft_mad_agent_id agent = {1};
    struct weft_sa_config good;
    struct weft_sa *s = NULL;

    (void)state;
    (void)weft_sa_config_init(&good);
    for (int i = 0; i < 12; i++) {
        struct weft_sa_config c = good;

        c.timeout = i == 0 ? 0 : c.timeout;
        c.table_timeout = i == 1 ? 0 : c.table_timeout;
        c.tries = i == 2 ? 0 : c.tries;
        c.patience = i == 3 ? 0 : c.patience;
        c.window = i == 4 ? 0 : i == 5 ? 1025 : c.window;
        c.rate = i == 6 ? 0 : i == 7 ? 1000001 : c.rate;
        c.burst = i == 8 ? 0 : c.burst;
        c.retry.jitter_ns = i == 9 ? c.retry.base_ns + 1 : c.retry.jitter_ns;
        c.retry.cap_ns = i == 10 ? c.retry.base_ns - 1 : c.retry.cap_ns;
        c.size = i == 11 ? c.size - 1 : c.size;
        assert_int_equal(weft_sa_new(&c, NULL, agent, NULL, &s), WEFT_ERR_INVALID);
    }
    assert_null(weft_sa_free(NULL));
}

static void test_a_Get_has_one_record_and_ClassPortInfo_comes_first(void **state)
{
    struct sl *l = sl_new(NULL);
    struct weft_sa_result r;

    (void)state;
    memset(l->record, 0xA5, sizeof(l->record));
    sl_ask(l, GET, NODES, 7);
    assert_false(weft_sa_idle(l->sa));
    r = sl_result(l);
    assert_int_equal(r.outcome, WEFT_SA_ANSWERED);
    assert_int_equal(r.question.about, 7);
    assert_int_equal(r.count, 1);
    assert_int_equal(r.stride, WEFT_SA_RECORD_BYTES);
    assert_memory_equal(r.records, l->record, WEFT_SA_RECORD_BYTES);
    assert_int_equal(r.lid, SL_SM_LID);
    assert_int_equal(r.asked, 1);
    assert_int_equal(l->packets, 2);
    assert_true(weft_sa_idle(l->sa));
    sl_ask(l, GET, NODES, 8);
    assert_int_equal(sl_result(l).question.about, 8);
    assert_int_equal(l->packets, 3); /* the SA is known to live */
    sl_free(l);
}

static void test_the_request_is_as_IBA_wants_it(void **state)
{
    struct weft_sa_config c;
    struct weft_sa_question q = {
        .method = WEFT_METHOD_DELETE, .attr_id = WEFT_ATTR_SA_SERVICE_RECORD, .attr_mod = 5};
    struct sl *l;

    (void)state;
    (void)weft_sa_config_init(&c);
    c.sm_key = 0x1122334455667788;
    l = sl_new(&c);
    q.mask = 0x45;
    q.record[0] = 0x5A;
    assert_int_equal(weft_sa_ask(l->sa, 0, &q), 0);
    assert_int_equal(sl_result(l).outcome, WEFT_SA_ANSWERED);
    assert_int_equal(mad_class(l->last), WEFT_CLASS_SUBN_ADM);
    assert_int_equal(mad_class_version(l->last), 2);
    assert_int_equal(mad_method(l->last), WEFT_METHOD_DELETE);
    assert_int_equal(mad_attr_id(l->last), WEFT_ATTR_SA_SERVICE_RECORD);
    assert_int_equal(mad_attr_mod(l->last), 5);
    assert_int_equal(wire_get(WIRE_SA_SM_KEY, l->last), 0x1122334455667788);
    assert_int_equal(wire_get(WIRE_SA_COMPONENT_MASK, l->last), 0x45);
    assert_int_equal(l->last[WEFT_SA_DATA_OFFSET], 0x5A);
    q.method = WEFT_METHOD_TRAP;
    assert_int_equal(weft_sa_ask(l->sa, 0, &q), WEFT_ERR_INVALID);
    sl_free(l);
}

static void test_an_SA_that_says_nothing_ends_all_questions_at_once(void **state)
{
    struct sl *l = sl_new(NULL);
    unsigned packets;

    (void)state;
    l->mood = SL_SILENT;
    l->probe_counts = true;
    for (uint64_t i = 0; i < 20; i++)
        sl_ask(l, TABLE, NODES, i);
    for (int i = 0; i < 20; i++) {
        struct weft_sa_result r = sl_result(l);

        assert_int_equal(r.outcome, WEFT_SA_SILENT);
        assert_int_equal(r.asked, 4);
        assert_int_equal(r.lid, SL_SM_LID);
        /* four waits of 1 s, and 0..511, 511..1022, 1533..2044 ms between */
        assert_in_range(r.took, 4 * WEFT_S + 2044 * WEFT_MS, 4 * WEFT_S + 3577 * WEFT_MS);
    }
    assert_int_equal(l->packets, 4);
    packets = l->packets;
    l->mood = SL_ANSWERS;
    sl_ask(l, GET, NODES, 0);
    assert_int_equal(sl_result(l).outcome, WEFT_SA_ANSWERED);
    assert_int_equal(l->packets, packets + 2);
    sl_free(l);
}

/* Lets time pass until a question leaves, which may be behind ClassPortInfo. */
static void run_until_asked(struct sl *l)
{
    const weft_time end = l->now + 60 * WEFT_S;
    unsigned before = l->packets;

    while (l->packets == before || mad_attr_id(l->last) == WEFT_ATTR_CLASS_PORT_INFO) {
        assert_true(l->now < end);
        sl_run(l, l->now + 10 * WEFT_MS);
    }
}

/* Silence ends a question after four packets in a row: BUSY is a sign of life. */
static void test_tries_are_counted_in_a_row(void **state)
{
    struct weft_sa_config c;
    struct weft_sa_result r;
    struct sl *l;

    (void)state;
    (void)weft_sa_config_init(&c);
    c.retry.base_ns = c.retry.cap_ns = WEFT_S;
    c.retry.jitter_ns = 0;
    l = sl_new(&c);
    sl_ask(l, GET, NODES, 1);
    for (int round = 0; round < 3; round++) {
        l->mood = SL_SILENT;
        for (int i = 0; i < 3; i++)
            run_until_asked(l);
        l->mood = SL_BUSY;
        run_until_asked(l);
    }
    l->mood = SL_ANSWERS;
    r = sl_result(l);
    assert_int_equal(r.outcome, WEFT_SA_ANSWERED);
    assert_int_equal(r.asked, 13);
    assert_int_equal(r.busy, 3);
    sl_free(l);
}

static void test_BUSY_is_waited_out_and_each_wait_is_longer(void **state)
{
    struct sl *l = sl_new(NULL);
    struct weft_sa_stats stats;
    struct weft_sa_result r;

    (void)state;
    l->mood = SL_BUSY;
    l->change_after = 5;
    sl_ask(l, GET, NODES, 0);
    r = sl_result(l);
    weft_sa_stats(l->sa, &stats);
    assert_int_equal(stats.busy, 4);
    assert_int_equal(r.outcome, WEFT_SA_ANSWERED);
    assert_int_equal(r.busy, 4);
    assert_int_equal(r.asked, 5);
    assert_int_equal(l->packets, 6);
    for (unsigned i = 3; i < l->packets; i++) {
        weft_time low = (weft_time)511 * ((1u << (i - 2)) - 1) * WEFT_MS;

        assert_in_range(l->times[i] - l->times[i - 1], low, low + 511 * WEFT_MS);
    }
    sl_free(l);
}

static void test_an_SA_that_stays_BUSY_ends_with_patience(void **state)
{
    struct weft_sa_config c;
    struct weft_sa_result r;
    struct sl *l;

    (void)state;
    (void)weft_sa_config_init(&c);
    c.patience = 10 * WEFT_S;
    l = sl_new(&c);
    l->mood = SL_BUSY;
    l->probe_counts = true;
    sl_ask(l, TABLE, NODES, 0);
    r = sl_result(l);
    assert_int_equal(r.outcome, WEFT_SA_BUSY);
    assert_int_equal(r.status, WEFT_STATUS_BUSY);
    assert_int_equal(r.asked, r.busy);
    assert_in_range(r.asked, 4, 6);
    assert_true(r.took <= 10 * WEFT_S);
    sl_free(l);
}

static void test_BUSY_is_a_result_where_the_policy_says_so(void **state)
{
    struct weft_sa_config c;
    struct weft_sa_result r;
    struct sl *l;

    (void)state;
    (void)weft_sa_config_init(&c);
    c.retry.busy = WEFT_MAD_BUSY_DELIVER;
    l = sl_new(&c);
    l->mood = SL_BUSY;
    sl_ask(l, GET, NODES, 0);
    r = sl_result(l);
    assert_int_equal(r.outcome, WEFT_SA_BUSY);
    assert_int_equal(r.asked, 1);
    sl_free(l);
}

/* Whatever the SA does: in no second more than burst + rate packets leave. */
static void expect_rate(const struct sl *l, uint32_t burst, uint32_t rate)
{
    for (unsigned i = burst; i < l->packets; i++) {
        weft_time least = (i - (burst - 1)) * (WEFT_S / rate);

        assert_true(l->times[i] - l->times[0] >= least);
    }
    for (unsigned i = burst + rate; i < l->packets; i++)
        assert_true(l->times[i] - l->times[i - burst - rate] >= WEFT_S);
}

static void test_the_rate_of_requests_is_bounded_whatever_the_SA_does(void **state)
{
    static const enum sl_mood moods[] = {SL_ANSWERS, SL_BUSY, SL_SILENT};
    struct weft_sa_config c;

    (void)state;
    (void)weft_sa_config_init(&c);
    c.rate = 20;
    c.burst = 4;
    c.retry.base_ns = c.retry.jitter_ns = c.retry.cap_ns = WEFT_MS;
    c.timeout = 2 * WEFT_MS;
    c.patience = 3 * WEFT_S;
    c.tries = 100;
    for (size_t i = 0; i < sizeof(moods) / sizeof(moods[0]); i++) {
        struct sl *l = sl_new(&c);

        l->mood = moods[i];
        for (uint64_t n = 0; n < 100; n++)
            sl_ask(l, GET, NODES, n);
        for (int n = 0; n < 100; n++)
            (void)sl_result(l);
        assert_true(l->packets > 50);
        expect_rate(l, c.burst, c.rate);
        sl_free(l);
    }
}

static void test_the_window_grows_with_answers_and_halves_on_BUSY(void **state)
{
    struct weft_sa_config c;
    struct weft_sa_stats stats;
    struct sl *l;

    (void)state;
    (void)weft_sa_config_init(&c);
    c.rate = 100000;
    c.burst = 100;
    l = sl_new(&c);
    for (uint64_t n = 0; n < 100; n++)
        sl_ask(l, GET, NODES, n);
    for (int n = 0; n < 100; n++)
        assert_int_equal(sl_result(l).outcome, WEFT_SA_ANSWERED);
    weft_sa_stats(l->sa, &stats);
    assert_int_equal(stats.window, c.window);
    assert_int_equal(stats.under_way, 0);
    assert_int_equal(stats.answered, 101);
    l->mood = SL_BUSY;
    l->change_after = l->packets + 3;
    sl_ask(l, GET, NODES, 0);
    assert_int_equal(sl_result(l).busy, 3);
    weft_sa_stats(l->sa, &stats);
    assert_in_range(stats.window, 1, 2);
    sl_free(l);
}

/* By one after as many answers as it is wide; that of ClassPortInfo counts. */
static void test_the_window_grows_by_one_after_a_window_of_answers(void **state)
{
    struct sl *l = sl_new(NULL);
    struct weft_sa_stats stats;

    (void)state;
    weft_sa_stats(l->sa, &stats);
    for (uint32_t wide = 2, next = 2; wide <= 7; wide++, next += wide) {
        while (stats.answered < next) {
            assert_int_equal(stats.window, wide);
            sl_ask(l, GET, NODES, 0);
            assert_int_equal(sl_result(l).outcome, WEFT_SA_ANSWERED);
            weft_sa_stats(l->sa, &stats);
        }
    }
    assert_int_equal(stats.window, 8);
    sl_free(l);
}

static void test_an_SM_that_moves_is_followed_while_it_is_asked(void **state)
{
    struct sl *l = sl_new(NULL);
    struct weft_sa_result r;

    (void)state;
    sl_ask(l, GET, NODES, 0);
    (void)sl_result(l);
    l->at = 44;
    sl_ask(l, GET, NODES, 1);
    sl_run(l, l->now + 500 * WEFT_MS);
    assert_int_equal(l->lids[l->packets - 1], SL_SM_LID);
    weft_sa_sm(l->sa, l->now, 44, 2);
    r = sl_result(l);
    assert_int_equal(r.outcome, WEFT_SA_ANSWERED);
    assert_int_equal(r.lid, 44);
    assert_int_equal(l->lids[l->packets - 1], 44);
    assert_true(r.took < WEFT_S); /* it did not wait for the old one */
    sl_free(l);
}

static void test_without_an_SM_a_question_waits_for_one(void **state)
{
    struct sl *l = sl_new(NULL);

    (void)state;
    weft_sa_sm(l->sa, 0, 0, 0);
    sl_ask(l, GET, NODES, 0);
    sl_run(l, 30 * WEFT_S);
    assert_int_equal(l->packets, 0);
    weft_sa_sm(l->sa, l->now, SL_SM_LID, 0);
    assert_int_equal(sl_result(l).outcome, WEFT_SA_ANSWERED);
    weft_sa_sm(l->sa, l->now, 0, 0);
    sl_ask(l, GET, NODES, 1);
    assert_int_equal(sl_result(l).outcome, WEFT_SA_NO_SM);
    assert_int_equal(l->packets, 2);
    sl_free(l);
}

static void test_a_path_is_asked_for_once_until_it_expires(void **state)
{
    static const uint8_t from[16] = {1}, to[16] = {2};
    struct sl *l = sl_new(NULL);
    struct weft_sa_question q;

    (void)state;
    wire_set(WIRE_PATH_RECORD_DLID, l->record, 21);
    weft_sa_make_path(from, to, &q);
    for (int i = 0; i < 5; i++) {
        struct weft_sa_result r;

        assert_int_equal(weft_sa_ask(l->sa, l->now, &q), 0);
        r = sl_result(l);
        assert_int_equal(r.outcome, WEFT_SA_ANSWERED);
        assert_int_equal(r.cached, i > 0);
        assert_int_equal(wire_get(WIRE_PATH_RECORD_DLID, r.records), 21);
        assert_int_equal(r.count, 1);
    }
    assert_int_equal(l->packets, 2);
    sl_run(l, l->now + 61 * WEFT_S);
    assert_int_equal(weft_sa_ask(l->sa, l->now, &q), 0);
    assert_false(sl_result(l).cached);
    weft_sa_sm(l->sa, l->now, SL_SM_LID, 1); /* another SM, other paths */
    assert_int_equal(weft_sa_ask(l->sa, l->now, &q), 0);
    assert_false(sl_result(l).cached);
    sl_free(l);
}

static void test_questions_left_are_freed(void **state)
{
    struct sl *l = sl_new(NULL);

    (void)state;
    l->mood = SL_SILENT;
    for (uint64_t i = 0; i < 50; i++)
        sl_ask(l, TABLE, NODES, i);
    sl_run(l, WEFT_S);
    assert_false(weft_sa_idle(l->sa));
    sl_free(l);
}

/* Where nothing comes back, one packet at a time finds out whether there still is an SA. */
static void test_an_SA_that_falls_silent_is_looked_for_before_all_is_repeated(void **state)
{
    struct sl *l = sl_new(NULL);
    weft_time begun;
    unsigned before;

    (void)state;
    for (uint64_t i = 0; i < 40; i++)
        sl_ask(l, GET, NODES, i);
    for (int i = 0; i < 40; i++)
        assert_int_equal(sl_result(l).outcome, WEFT_SA_ANSWERED);
    l->mood = SL_SILENT;
    l->probe_counts = true;
    before = l->packets;
    begun = l->now;
    for (uint64_t i = 0; i < 6; i++)
        sl_ask(l, GET, NODES, i);
    sl_run(l, begun + 900 * WEFT_MS);
    assert_int_equal(l->packets - before, 6);
    /* ClassPortInfo at once, and again after its own second and the wait behind it */
    sl_run(l, begun + 2900 * WEFT_MS);
    assert_in_range(l->packets - before, 7, 8);
    assert_int_equal(mad_attr_id(l->last), WEFT_ATTR_CLASS_PORT_INFO);
    l->mood = SL_ANSWERS;
    for (int i = 0; i < 6; i++)
        assert_int_equal(sl_result(l).outcome, WEFT_SA_ANSWERED);
    sl_free(l);
}

static void test_no_question_takes_longer_than_patience(void **state)
{
    struct weft_sa_config c;
    struct weft_sa_result r;
    struct sl *l;

    (void)state;
    (void)weft_sa_config_init(&c);
    c.patience = 1900 * WEFT_MS;
    l = sl_new(&c);
    l->mood = SL_SILENT;
    sl_ask(l, GET, NODES, 0);
    r = sl_result(l);
    assert_int_equal(r.outcome, WEFT_SA_SILENT);
    assert_int_equal(r.asked, 2);
    assert_in_range(r.took, WEFT_S, 1900 * WEFT_MS);
    sl_free(l);
}

/* That there is no SM is found out once, not by a window's worth of questions after the other. */
static void test_without_an_SM_all_questions_end_together(void **state)
{
    struct sl *l = sl_new(NULL);

    (void)state;
    weft_sa_sm(l->sa, 0, 0, 0);
    for (uint64_t i = 0; i < 20; i++)
        sl_ask(l, GET, NODES, i);
    for (int i = 0; i < 20; i++)
        assert_int_equal(sl_result(l).outcome, WEFT_SA_NO_SM);
    assert_true(l->now == 60 * WEFT_S);
    assert_int_equal(l->packets, 0);
    sl_free(l);
}

/* When a question is repeated that an SA is BUSY for, by a client with this seed. */
static void busy_times(uint64_t seed, weft_time ret[5])
{
    struct weft_sa_config c;
    struct sl *l;

    (void)weft_sa_config_init(&c);
    c.seed = seed;
    l = sl_new(&c);
    l->mood = SL_BUSY;
    sl_ask(l, GET, NODES, 0);
    sl_run(l, 30 * WEFT_S);
    assert_in_range(l->packets, 6, SL_PACKETS);
    memcpy(ret, l->times + 1, 5 * sizeof(ret[0]));
    sl_free(l);
}

static void test_clients_do_not_repeat_in_step(void **state)
{
    weft_time one[5], same[5], other[5];

    (void)state;
    busy_times(1, one);
    busy_times(1, same);
    busy_times(2, other);
    assert_memory_equal(one, same, sizeof(one));
    for (int i = 1; i < 5; i++)
        assert_true(one[i] != other[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_configurations_out_of_range),
        cmocka_unit_test(test_a_Get_has_one_record_and_ClassPortInfo_comes_first),
        cmocka_unit_test(test_the_request_is_as_IBA_wants_it),
        cmocka_unit_test(test_an_SA_that_says_nothing_ends_all_questions_at_once),
        cmocka_unit_test(test_tries_are_counted_in_a_row),
        cmocka_unit_test(test_BUSY_is_waited_out_and_each_wait_is_longer),
        cmocka_unit_test(test_an_SA_that_stays_BUSY_ends_with_patience),
        cmocka_unit_test(test_BUSY_is_a_result_where_the_policy_says_so),
        cmocka_unit_test(test_the_rate_of_requests_is_bounded_whatever_the_SA_does),
        cmocka_unit_test(test_the_window_grows_with_answers_and_halves_on_BUSY),
        cmocka_unit_test(test_the_window_grows_by_one_after_a_window_of_answers),
        cmocka_unit_test(test_an_SM_that_moves_is_followed_while_it_is_asked),
        cmocka_unit_test(test_without_an_SM_a_question_waits_for_one),
        cmocka_unit_test(test_a_path_is_asked_for_once_until_it_expires),
        cmocka_unit_test(test_questions_left_are_freed),
        cmocka_unit_test(test_an_SA_that_falls_silent_is_looked_for_before_all_is_repeated),
        cmocka_unit_test(test_no_question_takes_longer_than_patience),
        cmocka_unit_test(test_without_an_SM_all_questions_end_together),
        cmocka_unit_test(test_clients_do_not_repeat_in_step),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
