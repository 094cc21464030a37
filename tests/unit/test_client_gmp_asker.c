/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests by LID: a window that answers widen and lateness narrows, who is dead does not fill it,
 * and where packets get lost there is more than one round. */
#include "client/gmp_asker.h"
#include "core/wire/mad_header.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const weft_mad_agent_id agent = {7};
static const struct weft_mad_addr somebody = {.lid = 3, .qpn = WEFT_QP_GSI};

static struct gmp_asker *make(uint32_t first, uint32_t max)
{
    struct weft_counters_patience c;
    struct gmp_asker *a = NULL;

    gmp_patience_init(&c);
    c.window_first = first;
    c.window_max = max;
    assert_int_equal(gmp_asker_new(&c, agent, WEFT_CLASS_PERF, NULL, &a), 0);
    return a;
}

static void put(struct gmp_asker *a, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct gmp_question q = {.whom = i,
                                       .about = i,
                                       .method = WEFT_METHOD_GET,
                                       .attr_id = WEFT_ATTR_PM_PORT_COUNTERS};

        assert_int_equal(gmp_asker_put(a, &q), 0);
    }
}

/* Asks what the window lets through. */
static uint32_t ask(struct gmp_asker *a, struct weft_mad_send_req *sends)
{
    struct gmp_question q;
    uint32_t count = 0;

    while (gmp_asker_again(a, &sends[count]))
        count++;
    while (gmp_asker_next(a, &q))
        (void)gmp_asker_ask(a, &q, &somebody, &sends[count++]);
    return count;
}

static bool answer(struct gmp_asker *a, const struct weft_mad_send_req *r, uint16_t attempts,
                   struct gmp_result *ret)
{
    struct weft_mad_event ev = {
        .type = WEFT_MAD_EVENT_RECV, .agent = r->agent, .user_data = r->user_data};
    struct gmp_result ignored;
    uint8_t mad[WEFT_MAD_BYTES];
    bool ended;

    memcpy(mad, r->data, sizeof(mad));
    mad_set_method(mad, WEFT_METHOD_GET_RESP);
    ev.u.recv.mad = mad;
    ev.u.recv.len = sizeof(mad);
    ended = gmp_asker_event(a, &ev, ret);
    ret->data = NULL; /* it pointed to this function's */
    ev = (struct weft_mad_event){
        .type = WEFT_MAD_EVENT_SEND_DONE, .agent = r->agent, .user_data = r->user_data};
    ev.u.sent.status = WEFT_MAD_OK;
    ev.u.sent.attempts = attempts;
    assert_false(gmp_asker_event(a, &ev, &ignored));
    return ended;
}

static bool time_out(struct gmp_asker *a, const struct weft_mad_send_req *r, struct gmp_result *ret)
{
    struct weft_mad_event ev = {
        .type = WEFT_MAD_EVENT_SEND_DONE, .agent = r->agent, .user_data = r->user_data};

    ev.u.sent.status = WEFT_MAD_TIMEOUT;
    ev.u.sent.attempts = 1;
    return gmp_asker_event(a, &ev, ret);
}

static uint32_t window(const struct gmp_asker *a)
{
    struct weft_counters_stats s;

    gmp_asker_stats(a, &s);
    return s.window;
}

static void test_a_request_as_it_goes_out(void **state)
{
    struct gmp_asker *a = make(4, 4);
    struct weft_mad_send_req sends[8];
    struct gmp_result r;

    (void)state;
    put(a, 1);
    assert_int_equal(ask(a, sends), 1);
    assert_int_equal(mad_class(sends[0].data), WEFT_CLASS_PERF);
    assert_int_equal(mad_method(sends[0].data), WEFT_METHOD_GET);
    assert_int_equal(mad_attr_id(sends[0].data), WEFT_ATTR_PM_PORT_COUNTERS);
    assert_int_equal(sends[0].to.lid, 3);
    assert_int_equal(sends[0].timeout, 25 * WEFT_MS);
    assert_int_equal(sends[0].retries, 0);
    assert_null(sends[0].retry);
    assert_false(gmp_asker_idle(a));
    assert_true(answer(a, &sends[0], 1, &r));
    assert_true(r.answered);
    assert_true(gmp_asker_idle(a));
    (void)gmp_asker_free(a);
}

static void test_answers_widen_the_window_up_to_its_limit(void **state)
{
    struct gmp_asker *a = make(4, 20);
    struct weft_mad_send_req sends[64];
    struct gmp_result r;
    static const uint32_t wanted[] = {4, 8, 16, 20, 20};

    (void)state;
    put(a, 100);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        uint32_t count = ask(a, sends);

        assert_int_equal(count, wanted[i]);
        for (uint32_t n = 0; n < count; n++)
            assert_true(answer(a, &sends[n], 1, &r));
    }
    (void)gmp_asker_free(a);
}

static void test_late_answers_narrow_it_down_to_four(void **state)
{
    struct gmp_asker *a = make(32, 32);
    struct weft_mad_send_req sends[64];
    struct gmp_result r;
    static const uint32_t wanted[] = {32, 16, 8, 4, 4};

    (void)state;
    put(a, 100);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        uint32_t count = ask(a, sends);

        assert_int_equal(count, wanted[i]);
        for (uint32_t n = 0; n < count; n++)
            assert_true(answer(a, &sends[n], 2, &r));
    }
    (void)gmp_asker_free(a);
}

/* Who answers the first packet of a second round has left those of the first without an answer. */
static void test_answers_in_a_second_round_are_late_ones(void **state)
{
    struct gmp_asker *a = make(32, 32);
    struct weft_mad_send_req sends[64];
    struct gmp_result r;
    uint32_t count;

    (void)state;
    put(a, 32);
    count = ask(a, sends);
    assert_int_equal(count, 32);
    for (uint32_t n = 0; n < count; n++)
        assert_false(time_out(a, &sends[n], &r));
    count = ask(a, sends);
    assert_int_equal(count, 32);
    for (uint32_t n = 0; n < count; n++)
        assert_true(answer(a, &sends[n], 1, &r));
    assert_int_equal(window(a), 16);
    (void)gmp_asker_free(a);
}

static void test_a_few_late_answers_are_packets_that_got_lost(void **state)
{
    struct gmp_asker *a = make(16, 32);
    struct weft_mad_send_req sends[64];
    struct gmp_result r;

    (void)state;
    put(a, 100);
    assert_int_equal(ask(a, sends), 16);
    for (uint32_t n = 0; n < 16; n++)
        assert_true(answer(a, &sends[n], n < 4 ? 2 : 1, &r));
    assert_int_equal(window(a), 32);
    (void)gmp_asker_free(a);
}

static void test_the_dead_make_room_after_one_try(void **state)
{
    struct gmp_asker *a = make(4, 4);
    struct weft_mad_send_req dead[16], sends[16];
    struct gmp_result r;

    (void)state;
    put(a, 12);
    assert_int_equal(ask(a, dead), 4);
    for (int i = 0; i < 4; i++)
        assert_false(time_out(a, &dead[i], &r));
    /* They wait once more, with all patience, beside four others. */
    assert_int_equal(ask(a, sends), 8);
    assert_non_null(sends[0].retry);
    assert_int_equal(sends[0].retry->total_ns, 950 * WEFT_MS);
    assert_null(sends[7].retry);
    for (int i = 4; i < 8; i++)
        assert_true(answer(a, &sends[i], 1, &r));
    for (int i = 0; i < 4; i++) {
        assert_true(time_out(a, &sends[i], &r));
        assert_false(r.answered);
    }
    assert_int_equal(ask(a, sends), 4);
    (void)gmp_asker_free(a);
}

static void test_rounds_where_packets_get_lost(void **state)
{
    struct gmp_asker *a = make(8, 8);
    struct weft_mad_send_req sends[64];
    struct gmp_result r;
    int posts = 0;

    (void)state;
    put(a, 9);
    assert_int_equal(ask(a, sends), 8);
    for (int i = 0; i < 8; i++)
        assert_true(answer(a, &sends[i], i < 4 ? 2 : 1, &r));
    assert_int_equal(ask(a, sends), 1);
    do {
        posts++;
        assert_in_range(posts, 1, 5);
    } while (!time_out(a, &sends[0], &r) && ask(a, sends) == 1);
    assert_int_equal(posts, 5); /* one try, then four rounds */
    assert_true(gmp_asker_idle(a));
    (void)gmp_asker_free(a);
}

/* Puts so many questions to each of so many agents. */
static void put_to(struct gmp_asker *a, uint32_t agents, uint32_t questions)
{
    for (uint32_t i = 0; i < agents * questions; i++) {
        const struct gmp_question q = {.whom = i / questions,
                                       .about = i,
                                       .method = WEFT_METHOD_GET,
                                       .attr_id = WEFT_ATTR_PM_PORT_COUNTERS};

        assert_int_equal(gmp_asker_put(a, &q), 0);
    }
}

static void test_agents_take_turns_and_are_asked_two_questions_first(void **state)
{
    static const uint32_t order[] = {0, 5, 10, 1, 6, 11};
    struct gmp_asker *a = make(64, 64);
    struct weft_mad_send_req send;
    struct gmp_question q;
    struct gmp_result r;

    (void)state;
    put_to(a, 3, 5);
    for (int i = 0; i < 6; i++) {
        assert_true(gmp_asker_next(a, &q));
        assert_int_equal(q.about, order[i]);
        (void)gmp_asker_ask(a, &q, &somebody, &send);
    }
    assert_false(gmp_asker_next(a, &q));
    /* Who has answered is asked two in its place; what was dropped leaves room. */
    assert_true(answer(a, &send, 1, &r));
    for (uint32_t i = 12; i < 15; i++) {
        assert_true(gmp_asker_next(a, &q));
        assert_int_equal(q.about, i);
    }
    assert_false(gmp_asker_next(a, &q));
    (void)gmp_asker_free(a);
}

static void test_all_packets_of_a_question_have_one_transaction_id(void **state)
{
    struct gmp_asker *a = make(4, 4);
    struct weft_mad_send_req sends[2], other;
    struct gmp_result r;
    uint32_t tid;

    (void)state;
    put(a, 1);
    assert_int_equal(ask(a, sends), 1);
    tid = (uint32_t)mad_tid(sends[0].data);
    assert_false(time_out(a, &sends[0], &r));
    assert_int_equal(ask(a, &sends[1]), 1);
    assert_int_equal(mad_tid(sends[1].data), tid);
    put(a, 1);
    assert_int_equal(ask(a, &other), 1);
    assert_int_not_equal(mad_tid(other.data), tid);
    (void)gmp_asker_free(a);
}

/* After a late answer there is one packet at a time, and its wait is long. */
static void test_a_slow_agent_is_asked_one_by_one_and_not_given_up_while_it_answers(void **state)
{
    struct gmp_asker *a = make(4, 4);
    struct weft_mad_send_req sends[8];
    struct gmp_result r;

    (void)state;
    put_to(a, 1, 7);
    assert_int_equal(ask(a, sends), 2);
    assert_true(answer(a, &sends[0], 2, &r));
    assert_int_equal(ask(a, &sends[2]), 0);
    assert_true(answer(a, &sends[1], 3, &r));
    assert_int_equal(ask(a, sends), 1);
    assert_int_equal(sends[0].timeout, 100 * WEFT_MS);
    assert_null(sends[0].retry);
    /* One in time makes room for two. */
    assert_true(answer(a, &sends[0], 1, &r));
    assert_int_equal(ask(a, sends), 2);
    /* The first is asked over and over while the others are answered, then for a second. */
    for (int i = 0; i < 3; i++) {
        assert_false(time_out(a, &sends[0], &r));
        assert_true(answer(a, &sends[1], 2, &r));
        assert_int_equal(ask(a, sends), i < 2 ? 2 : 1);
    }
    for (int i = 0; !time_out(a, &sends[0], &r); i++) {
        assert_in_range(i, 0, 5);
        assert_int_equal(ask(a, sends), 1);
    }
    assert_false(r.answered);
    assert_true(gmp_asker_idle(a));
    (void)gmp_asker_free(a);
}

static void test_slow_agents_do_not_fill_the_window(void **state)
{
    struct gmp_asker *a = make(2, 2);
    struct weft_mad_send_req sends[8];
    struct gmp_result r;

    (void)state;
    put_to(a, 4, 2);
    assert_int_equal(ask(a, sends), 2);
    assert_true(answer(a, &sends[0], 2, &r));
    assert_true(answer(a, &sends[1], 2, &r));
    assert_int_equal(ask(a, sends), 2);
    assert_true(answer(a, &sends[0], 1, &r));
    assert_true(answer(a, &sends[1], 1, &r));
    /* Two of the quick ones, beside one question to each of the slow ones. */
    assert_int_equal(ask(a, sends), 4);
    (void)gmp_asker_free(a);
}

static void test_events_of_others_are_ignored(void **state)
{
    struct gmp_asker *a = make(4, 4);
    struct weft_mad_send_req sends[8];
    struct weft_mad_event ev = {.type = WEFT_MAD_EVENT_SEND_DONE, .agent = {8}, .user_data = 1};
    struct gmp_result r;

    (void)state;
    put(a, 1);
    assert_int_equal(ask(a, sends), 1);
    assert_false(gmp_asker_event(a, &ev, &r));
    ev.agent = agent;
    ev.user_data = 9;
    assert_false(gmp_asker_event(a, &ev, &r));
    ev.user_data = 2;
    assert_false(gmp_asker_event(a, &ev, &r));
    assert_false(gmp_asker_idle(a));
    (void)gmp_asker_free(a);
}

static void test_configurations_out_of_range(void **state)
{
    static const struct weft_counters_patience rows[] = {
        {0, 8, WEFT_S, WEFT_MS, 1},           {9, 8, WEFT_S, WEFT_MS, 1},
        {1, 513, WEFT_S, WEFT_MS, 1},         {1, 8, 3 * WEFT_MS, WEFT_MS, 1},
        {1, 8, 61 * WEFT_S, WEFT_MS, 1},      {1, 8, WEFT_S, WEFT_MS - 1, 1},
        {1, 8, WEFT_S, 500 * WEFT_MS + 1, 1}, {1, 8, WEFT_S, WEFT_MS, 0},
    };
    struct gmp_asker *a = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(gmp_asker_new(&rows[i], agent, WEFT_CLASS_PERF, NULL, &a),
                         WEFT_ERR_INVALID);
    assert_null(a);
    assert_null(gmp_asker_free(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_request_as_it_goes_out),
        cmocka_unit_test(test_answers_widen_the_window_up_to_its_limit),
        cmocka_unit_test(test_late_answers_narrow_it_down_to_four),
        cmocka_unit_test(test_answers_in_a_second_round_are_late_ones),
        cmocka_unit_test(test_a_few_late_answers_are_packets_that_got_lost),
        cmocka_unit_test(test_the_dead_make_room_after_one_try),
        cmocka_unit_test(test_rounds_where_packets_get_lost),
        cmocka_unit_test(test_agents_take_turns_and_are_asked_two_questions_first),
        cmocka_unit_test(test_all_packets_of_a_question_have_one_transaction_id),
        cmocka_unit_test(test_a_slow_agent_is_asked_one_by_one_and_not_given_up_while_it_answers),
        cmocka_unit_test(test_slow_agents_do_not_fill_the_window),
        cmocka_unit_test(test_events_of_others_are_ignored),
        cmocka_unit_test(test_configurations_out_of_range),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
