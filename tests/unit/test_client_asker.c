/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Questions: their order, the window, what ends them, and what is asked once more. */
#include "client/asker.h"
#include "client_fixture.h"
#include "core/wire/mad_header.h"
#include "failing_alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const weft_mad_agent_id agent = {7};
static const struct weft_route nowhere = {.hops = 0};
static const uint8_t attribute[WEFT_ATTRIBUTE_BYTES] = {0xAB};

static struct asker *asker_of(uint32_t window, uint8_t rounds)
{
    struct weft_sweep_config c;
    struct asker *a = NULL;

    (void)weft_sweep_config_init(&c);
    c.window = window;
    c.rounds = rounds;
    assert_int_equal(asker_new(&c, agent, NULL, &a), 0);
    return a;
}

static void put(struct asker *a, uint32_t about)
{
    const struct question q = {
        .about = about, .kind = 3, .attr_id = WEFT_ATTR_PKEY_TABLE, .attr_mod = about};

    assert_int_equal(asker_put(a, &q), 0);
}

static struct weft_mad_send_req ask(struct asker *a, uint32_t about)
{
    struct weft_mad_send_req r;
    struct question q;

    put(a, about);
    assert_true(asker_next(a, &q));
    assert_int_equal(q.about, about);
    asker_ask(a, &q, &nowhere, &r);
    return r;
}

static void test_configurations_out_of_range(void **state)
{
    struct weft_sweep_config good;
    struct asker *a = NULL;

    (void)state;
    (void)weft_sweep_config_init(&good);
    for (int i = 0; i < 8; i++) {
        struct weft_sweep_config c = good;

        c.window = i == 0 ? 0 : i == 1 ? 1025 : c.window;
        c.timeout = i == 2 ? 4 * WEFT_MS - 1 : i == 3 ? 60 * WEFT_S + 1 : c.timeout;
        c.tries = i == 4 ? 0 : i == 5 ? 251 : c.tries;
        c.rounds = i == 6 ? 0 : c.rounds;
        c.size = i == 7 ? c.size + 8 : c.size;
        assert_int_equal(asker_new(&c, agent, NULL, &a), WEFT_ERR_INVALID);
    }
    assert_int_equal(asker_new(NULL, agent, NULL, &a), 0);
    assert_true(asker_idle(a));
    assert_null(asker_free(a));
    assert_null(asker_free(NULL));
}

static void test_a_question_is_a_directed_Get(void **state)
{
    struct asker *a = asker_of(4, 1);
    struct weft_route route = {.hops = 0};
    struct question q = {.attr_id = WEFT_ATTR_PORT_INFO, .attr_mod = 5};
    struct weft_mad_send_req r;
    const uint8_t *mad;

    (void)state;
    assert_true(route_extend(&route, 1));
    assert_true(route_extend(&route, 17));
    asker_ask(a, &q, &route, &r);
    mad = r.data;
    assert_int_equal(r.agent.v, agent.v);
    assert_int_equal(r.len, WEFT_MAD_BYTES);
    assert_int_equal(r.timeout, 22500 * WEFT_US);
    assert_int_equal(r.retries, 4);
    assert_int_equal(r.to.lid, WEFT_LID_PERMISSIVE);
    assert_int_equal(mad_class(mad), WEFT_CLASS_SUBN_DIRECTED);
    assert_int_equal(mad_method(mad), WEFT_METHOD_GET);
    assert_int_equal(mad_attr_id(mad), WEFT_ATTR_PORT_INFO);
    assert_int_equal(mad_attr_mod(mad), 5);
    assert_int_equal(mad[7], 2);
    assert_int_equal(mad[129], 1);
    assert_int_equal(mad[130], 17);
    (void)asker_free(a);
}

static void test_a_route_ends_at_63_hops(void **state)
{
    struct weft_route r = {.hops = 0};

    (void)state;
    for (uint8_t i = 0; i < 63; i++)
        assert_true(route_extend(&r, i));
    assert_false(route_extend(&r, 1));
    assert_int_equal(r.hops, 63);
    assert_int_equal(r.ports[62], 62);
}

static void test_questions_go_in_order_and_no_more_than_the_window(void **state)
{
    struct asker *a = asker_of(2, 1);
    struct weft_mad_send_req r[2];
    struct asker_result result;
    uint8_t mad[WEFT_MAD_BYTES];
    struct weft_mad_event ev;
    struct question q;

    (void)state;
    for (uint32_t i = 0; i < 1000; i++)
        put(a, i);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(asker_next(a, &q));
        assert_int_equal(q.about, i);
        asker_ask(a, &q, &nowhere, &r[i]);
    }
    assert_false(asker_next(a, &q));
    ev = cf_answer(&r[1], attribute, mad);
    assert_true(asker_event(a, &ev, &result));
    /* The engine still holds the request. */
    assert_false(asker_next(a, &q));
    ev = cf_end(&r[1], WEFT_MAD_OK, 1);
    assert_false(asker_event(a, &ev, &result));
    assert_true(asker_next(a, &q));
    assert_int_equal(q.about, 2);
    assert_false(asker_idle(a));
    (void)asker_free(a);
}

static void test_what_is_urgent_goes_first(void **state)
{
    struct asker *a = asker_of(4, 1);
    struct question q = {.about = 7, .urgent = true};

    (void)state;
    put(a, 1);
    put(a, 2);
    assert_int_equal(asker_put(a, &q), 0);
    q.about = 8;
    assert_int_equal(asker_put(a, &q), 0);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(asker_next(a, &q));
        assert_int_equal(q.about, ((const uint32_t[]){7, 8, 1, 2})[i]);
    }
    assert_true(asker_idle(a));
    (void)asker_free(a);
}

static void test_the_queue_grows_around_its_end(void **state)
{
    struct asker *a = asker_of(1, 1);
    struct question q;

    (void)state;
    for (uint32_t i = 0; i < 200; i++)
        put(a, i);
    for (uint32_t i = 0; i < 150; i++)
        assert_true(asker_next(a, &q));
    for (uint32_t i = 200; i < 700; i++)
        put(a, i);
    for (uint32_t i = 150; i < 700; i++) {
        assert_true(asker_next(a, &q));
        assert_int_equal(q.about, i);
    }
    assert_true(asker_idle(a));
    (void)asker_free(a);
}

static void test_an_answer_must_be_one(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 6; wrong++) {
        struct asker *a = asker_of(1, 4);
        struct weft_mad_send_req r = ask(a, 9);
        uint8_t mad[WEFT_MAD_BYTES];
        struct weft_mad_event ev = cf_answer(&r, attribute, mad);
        struct asker_result result;

        if (wrong == 1)
            mad_set_class(mad, WEFT_CLASS_SUBN_LID);
        if (wrong == 2)
            mad_set_method(mad, WEFT_METHOD_GET);
        if (wrong == 3)
            mad_set_status(mad, 0x800C);
        if (wrong == 4)
            mad_set_attr_id(mad, WEFT_ATTR_NODE_INFO);
        if (wrong == 5)
            mad_set_attr_mod(mad, 10);
        assert_true(asker_event(a, &ev, &result));
        assert_int_equal(result.question.about, 9);
        assert_int_equal(result.question.kind, 3);
        assert_int_equal(result.refused, wrong > 0);
        if (wrong == 0)
            assert_int_equal(result.data[0], 0xAB);
        else
            assert_null(result.data);
        /* A second answer is nobody's. */
        assert_false(asker_event(a, &ev, &result));
        ev = cf_end(&r, WEFT_MAD_OK, 1);
        assert_false(asker_event(a, &ev, &result));
        assert_true(asker_idle(a));
        (void)asker_free(a);
    }
}

static void test_events_of_others_are_ignored(void **state)
{
    struct asker *a = asker_of(2, 1);
    struct weft_mad_send_req r = ask(a, 1);
    struct weft_mad_event ev = cf_end(&r, WEFT_MAD_FLUSHED, 1);
    struct asker_result result;

    (void)state;
    ev.agent.v = 8;
    assert_false(asker_event(a, &ev, &result));
    ev.agent = agent;
    for (uint64_t user_data = 0; user_data < 4; user_data++) {
        ev.user_data = user_data == 1 ? 4 : user_data; /* 1 is the one that was asked */
        assert_false(asker_event(a, &ev, &result));
    }
    ev.user_data = r.user_data;
    assert_true(asker_event(a, &ev, &result));
    assert_null(result.data);
    assert_false(result.refused);
    /* A slot that is free has no events. */
    assert_false(asker_event(a, &ev, &result));
    (void)asker_free(a);
}

/* Lets `late` of `count` questions be answered late. */
static void answer_some(struct asker *a, int count, int late)
{
    for (int i = 0; i < count; i++) {
        struct weft_mad_send_req r = ask(a, 100);
        uint8_t mad[WEFT_MAD_BYTES];
        struct weft_mad_event ev = cf_answer(&r, attribute, mad);
        struct asker_result result;

        assert_true(asker_event(a, &ev, &result));
        ev = cf_end(&r, WEFT_MAD_OK, i < late ? 2 : 1);
        assert_false(asker_event(a, &ev, &result));
    }
}

/* Lets a question that has been asked be asked until its end comes.
 * Returns how often it was, and in *attempts how many packets that were. */
static int ask_in_vain(struct asker *a, struct weft_mad_send_req *r, int *attempts)
{
    struct asker_result result;
    struct weft_mad_event ev;
    struct question q;

    for (int times = 1;; times++) {
        *attempts += r->retries + 1;
        ev = cf_end(r, WEFT_MAD_TIMEOUT, (uint16_t)(r->retries + 1));
        if (asker_event(a, &ev, &result)) {
            assert_int_equal(result.question.about, 5);
            assert_null(result.data);
            assert_false(result.refused);
            return times;
        }
        assert_false(asker_idle(a));
        assert_true(asker_next(a, &q));
        assert_int_equal(q.about, 5);
        assert_int_equal(q.asked, times);
        asker_ask(a, &q, &nowhere, r);
    }
}

static void test_all_tries_are_made_in_stages_so_that_a_second_way_has_its_turn(void **state)
{
    static const int cases[][2] = {{1, 1}, {2, 2}, {3, 3}, {8, 3}, {40, 3}, {250, 3}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct weft_sweep_config c;
        struct asker *a = NULL;
        struct weft_mad_send_req r;
        int attempts = 0;

        (void)weft_sweep_config_init(&c);
        c.tries = (uint8_t)cases[i][0];
        assert_int_equal(asker_new(&c, agent, NULL, &a), 0);
        r = ask(a, 5);
        assert_int_equal(ask_in_vain(a, &r, &attempts), cases[i][1]);
        assert_int_equal(attempts, c.tries);
        assert_true(asker_idle(a));
        assert_false(asker_waits(a));
        (void)asker_free(a);
    }
}

static void test_where_packets_get_lost_it_does_all_that_again(void **state)
{
    struct asker *a = asker_of(2, 3);
    struct weft_mad_send_req r;
    int attempts = 0;

    (void)state;
    answer_some(a, 40, 36);
    r = ask(a, 5);
    assert_int_equal(ask_in_vain(a, &r, &attempts), 9);
    assert_int_equal(attempts, 120);
    assert_true(asker_idle(a));
    (void)asker_free(a);
}

static void test_where_few_do_silence_counts_at_once(void **state)
{
    static const int cases[][2] = {{0, 0}, {3, 3}, {80, 5}, {80, 30}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct asker *a = asker_of(2, 3);
        struct weft_mad_send_req r;
        int attempts = 0;

        answer_some(a, cases[i][0], cases[i][1]);
        r = ask(a, 5);
        assert_int_equal(ask_in_vain(a, &r, &attempts), 3);
        (void)asker_free(a);
    }
}

static void test_the_window_grows_with_answers_and_shrinks_without(void **state)
{
    struct asker *a = asker_of(64, 1);
    struct weft_mad_send_req r[32];
    struct asker_result result;
    struct weft_mad_event ev;

    (void)state;
    assert_int_equal(asker_window(a), 32);
    answer_some(a, 10, 0);
    assert_int_equal(asker_window(a), 42);
    answer_some(a, 100, 0);
    assert_int_equal(asker_window(a), 64);
    for (uint32_t i = 0; i < 32; i++)
        r[i] = ask(a, i);
    for (uint32_t i = 0; i < 32; i++) {
        ev = cf_end(&r[i], WEFT_MAD_TIMEOUT, 5);
        assert_false(asker_event(a, &ev, &result));
        if (i == 0)
            assert_int_equal(asker_window(a), 50);
    }
    assert_int_equal(asker_window(a), 9);
    (void)asker_free(a);
}

static void test_those_who_do_not_answer_leave_the_window_to_others(void **state)
{
    struct asker *a = asker_of(1, 1);
    struct weft_mad_send_req r = ask(a, 5), other;
    struct asker_result result;
    struct weft_mad_event ev = cf_end(&r, WEFT_MAD_TIMEOUT, 5);
    struct question q;

    (void)state;
    assert_false(asker_waits(a));
    assert_false(asker_event(a, &ev, &result));
    assert_true(asker_waits(a));
    assert_true(asker_next(a, &q));
    asker_ask(a, &q, &nowhere, &r);
    assert_true(asker_waits(a));
    q = (struct question){.about = 8, .attr_id = WEFT_ATTR_NODE_INFO, .urgent = true};
    assert_int_equal(asker_put(a, &q), 0);
    assert_false(asker_waits(a)); /* it has not even been asked */
    assert_true(asker_next(a, &q));
    assert_int_equal(q.about, 8);
    assert_true(asker_waits(a));
    other = ask(a, 6);
    assert_false(asker_waits(a));
    ev = cf_end(&other, WEFT_MAD_TIMEOUT, 5);
    assert_false(asker_event(a, &ev, &result));
    assert_true(asker_waits(a));
    /* As many again, and no more. */
    put(a, 7);
    assert_false(asker_waits(a));
    assert_true(asker_next(a, &q));
    assert_int_equal(q.about, 7);
    asker_ask(a, &q, &nowhere, &other);
    assert_false(asker_next(a, &q));
    (void)asker_free(a);
}

static void test_without_memory_to_ask_once_more_a_question_ends(void **state)
{
    /* The asker, the queue of what is new, then that of what is asked again. */
    struct failing_alloc f = {.fail_at = 2};
    const struct weft_alloc from = failing_alloc_of(&f);
    const struct question q = {.attr_id = WEFT_ATTR_NODE_INFO};
    const struct weft_route route = {.hops = 0};
    struct weft_mad_send_req r;
    struct asker_result result;
    struct weft_mad_event ev;
    struct question next;
    struct asker *a = NULL;

    (void)state;
    assert_int_equal(asker_new(NULL, agent, &from, &a), 0);
    assert_int_equal(asker_put(a, &q), 0);
    assert_true(asker_next(a, &next));
    asker_ask(a, &next, &route, &r);
    assert_int_equal(asker_verdict(a), 0);
    ev = cf_end(&r, WEFT_MAD_TIMEOUT, 5);
    assert_true(asker_event(a, &ev, &result));
    assert_null(result.data);
    assert_int_equal(asker_verdict(a), WEFT_ERR_NOMEM);
    assert_true(asker_idle(a));
    (void)asker_free(a);
    assert_int_equal(f.held, 0);
}

/* Lets a question end its stage without an answer, and asks it again. */
static struct weft_mad_send_req ask_twice(struct asker *a, uint32_t about)
{
    struct weft_mad_send_req r = ask(a, about);
    struct weft_mad_event ev = cf_end(&r, WEFT_MAD_TIMEOUT, 5);
    struct asker_result result;
    struct question q;

    assert_false(asker_event(a, &ev, &result));
    assert_true(asker_next(a, &q));
    assert_int_equal(q.about, about);
    asker_ask(a, &q, &nowhere, &r);
    return r;
}

static void end_answered(struct asker *a, const struct weft_mad_send_req *r)
{
    uint8_t mad[WEFT_MAD_BYTES];
    struct weft_mad_event ev = cf_answer(r, attribute, mad);
    struct asker_result result;

    assert_true(asker_event(a, &ev, &result));
    ev = cf_end(r, WEFT_MAD_OK, 1);
    assert_false(asker_event(a, &ev, &result));
}

/* Whoever answers the first packet of a later stage has lost all of an earlier one. */
static void test_an_answer_in_a_later_stage_is_a_late_one(void **state)
{
    struct asker *a = asker_of(2, 3);
    struct weft_mad_send_req r;
    int attempts = 0;

    (void)state;
    answer_some(a, 4, 0);
    for (int i = 0; i < 36; i++) {
        r = ask_twice(a, 100);
        end_answered(a, &r);
    }
    r = ask(a, 5);
    assert_int_equal(ask_in_vain(a, &r, &attempts), 9);
    (void)asker_free(a);
}

/* They wait beside the window: it says nothing of how much at a time is right. */
static void test_those_who_are_asked_again_do_not_move_the_window(void **state)
{
    struct asker *a = asker_of(64, 1);
    struct weft_mad_send_req answered = ask_twice(a, 1), silent = ask_twice(a, 2);
    uint32_t window = asker_window(a);
    struct asker_result result;
    struct weft_mad_event ev;

    (void)state;
    end_answered(a, &answered);
    assert_int_equal(asker_window(a), window);
    ev = cf_end(&silent, WEFT_MAD_TIMEOUT, 5);
    assert_false(asker_event(a, &ev, &result));
    assert_int_equal(asker_window(a), window);
    (void)asker_free(a);
}

/* Answers to so many questions, of which those with a number that is less than `late` in each group
 * of `of` need a second packet. */
static bool loses(int count, int late, int of)
{
    struct asker *a = asker_of(2, 1);
    bool ret;

    for (int i = 0; i < count; i++) {
        struct weft_mad_send_req r = ask(a, 1);
        uint8_t mad[WEFT_MAD_BYTES];
        struct weft_mad_event ev = cf_answer(&r, attribute, mad);
        struct asker_result result;

        assert_true(asker_event(a, &ev, &result));
        ev = cf_end(&r, WEFT_MAD_OK, i % of < late ? 2 : 1);
        assert_false(asker_event(a, &ev, &result));
    }
    ret = asker_loses(a);
    (void)asker_free(a);
    return ret;
}

static void test_packets_get_lost_where_answers_are_late_throughout(void **state)
{
    (void)state;
    assert_false(loses(1000, 0, 1));
    assert_true(loses(1000, 1, 3));
    assert_true(loses(1000, 1, 12));
    assert_false(loses(1000, 1, 40));
    /* In a row, all others are in time. */
    assert_false(loses(1000, 300, 1000));
    /* More than half: that is slow, not lost. */
    assert_false(loses(1000, 2, 3));
    /* Too few to tell. */
    assert_false(loses(7 * 32, 1, 3));
    assert_true(loses(8 * 32, 1, 3));
    /* Later ones are not counted in runs. */
    assert_true(loses(20000, 1, 3));
}

static void test_a_second_attempt_says_that_waits_are_too_short(void **state)
{
    struct asker *a = asker_of(2, 1);

    (void)state;
    asker_hurry(a, 2);
    answer_some(a, 65, 65);
    assert_int_equal(asker_halvings(a), 1);
    (void)asker_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_configurations_out_of_range),
        cmocka_unit_test(test_a_question_is_a_directed_Get),
        cmocka_unit_test(test_a_route_ends_at_63_hops),
        cmocka_unit_test(test_questions_go_in_order_and_no_more_than_the_window),
        cmocka_unit_test(test_what_is_urgent_goes_first),
        cmocka_unit_test(test_the_queue_grows_around_its_end),
        cmocka_unit_test(test_an_answer_must_be_one),
        cmocka_unit_test(test_events_of_others_are_ignored),
        cmocka_unit_test(test_all_tries_are_made_in_stages_so_that_a_second_way_has_its_turn),
        cmocka_unit_test(test_where_packets_get_lost_it_does_all_that_again),
        cmocka_unit_test(test_where_few_do_silence_counts_at_once),
        cmocka_unit_test(test_the_window_grows_with_answers_and_shrinks_without),
        cmocka_unit_test(test_those_who_do_not_answer_leave_the_window_to_others),
        cmocka_unit_test(test_without_memory_to_ask_once_more_a_question_ends),
        cmocka_unit_test(test_an_answer_in_a_later_stage_is_a_late_one),
        cmocka_unit_test(test_those_who_are_asked_again_do_not_move_the_window),
        cmocka_unit_test(test_packets_get_lost_where_answers_are_late_throughout),
        cmocka_unit_test(test_a_second_attempt_says_that_waits_are_too_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
