/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The life of a send: answers, completions, retries, cancel and set_timeout in every state. */
#include "core/mad/send.h"
#include "mad_fixture.h"

#include <string.h>

/* A port whose SA agent may have two requests outstanding. */
static struct fx *narrow(void)
{
    struct weft_mad_config c = fx_config();

    c.recv_depth = 64;
    return fx_new(&c, FX_SA);
}

static void test_R5_R6_R8_R11_R41_one_question_and_its_answer(void **state)
{
    struct fx *f = fx_new(NULL, FX_PERF);
    weft_mad_send_id id = fx_ask(f, 1);
    enum weft_mad_state s;

    (void)state;
    assert_int_equal(fx_state(f, id), WEFT_MAD_SEND_START);
    assert_int_equal(weft_mad_deadline(f->port), WEFT_TIME_NEVER);
    fx_send(f);
    assert_int_equal(fx_state(f, id), WEFT_MAD_WAIT_RESP);
    assert_int_equal(weft_mad_deadline(f->port), f->now + FX_TIMEOUT);
    assert_int_equal(fx_answer(f, 1), WEFT_MAD_ACCEPTED);
    assert_int_equal(fx_state(f, id), WEFT_MAD_DONE);
    assert_int_equal(weft_mad_deadline(f->port), WEFT_TIME_NEVER);
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    assert_int_equal(f->event.u.sent.attempts, 1);
    assert_int_equal(weft_mad_send_state(f->port, id, &s), WEFT_ERR_STALE);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_R10_without_a_timeout_the_completion_ends_it(void **state)
{
    struct fx *f = fx_new(NULL, FX_PERF);
    struct weft_mad_send_req r = fx_request(f, 1);
    weft_mad_send_id id;

    (void)state;
    r.timeout = 0;
    id = fx_post(f, &r);
    fx_send(f);
    assert_int_equal(fx_state(f, id), WEFT_MAD_DONE);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_R7_R9_R12_R23_R69_an_answer_before_the_completion(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    weft_mad_send_id id = fx_ask(f, 1);
    weft_mad_tx_id tx = fx_take(f);

    (void)state;
    assert_int_equal(fx_answer(f, 1), WEFT_MAD_ACCEPTED);
    assert_int_equal(fx_state(f, id), WEFT_MAD_EARLY_RESP);
    assert_int_equal(fx_agent_stats(f).outstanding, 0);
    fx_expect_recv(f, 1);
    fx_advance(f, 1000 * FX_TIMEOUT); /* no timeout ever fires */
    fx_expect_nothing(f);
    fx_done(f, tx, true);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_R24_an_error_completion_after_an_early_answer_is_reported(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    weft_mad_tx_id tx;

    (void)state;
    fx_ask(f, 1);
    tx = fx_take(f);
    fx_answer(f, 1);
    fx_done(f, tx, false);
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_TX_ERROR);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_R25_R26_R27_kernel_defect_3_a_failed_completion_ends_the_send_at_once(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    struct weft_mad_send_req r = fx_request(f, 1);
    weft_mad_send_id id;

    (void)state;
    r.retries = 5;
    id = fx_post(f, &r);
    fx_send_fails(f);
    assert_int_equal(fx_state(f, id), WEFT_MAD_DONE);
    fx_expect_done(f, 1, WEFT_MAD_TX_ERROR);
    fx_expect_idle(f);
    assert_int_equal(fx_agent_stats(f).tx_errors, 1);
    assert_int_equal(fx_agent_stats(f).retried, 0);
    fx_free(f);
}

static void test_an_answer_skips_a_packet_that_is_still_due(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);

    (void)state;
    fx_ask(f, 1);
    fx_answer(f, 1);
    assert_true(fx_tx_empty(f));
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    assert_int_equal(f->event.u.sent.attempts, 0);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_a_retry_that_is_skipped_is_no_attempt(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    struct weft_mad_send_req r = fx_request(f, 1);

    (void)state;
    r.retries = 3;
    fx_post(f, &r);
    fx_send(f);
    fx_advance(f, FX_TIMEOUT);
    fx_answer(f, 1); /* a late one, before the retry is taken */
    assert_true(fx_tx_empty(f));
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    assert_int_equal(f->event.u.sent.attempts, 1);
    assert_int_equal(fx_agent_stats(f).retried, 0);
    assert_int_equal(fx_stats(f).retried, 0);
    fx_free(f);
}

static void test_R13_R70_R97_a_timeout_sends_again_exactly_retries_times(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    struct weft_mad_send_req r = fx_request(f, 1);
    weft_mad_send_id id;

    (void)state;
    r.retries = 3;
    id = fx_post(f, &r);
    for (int attempt = 0; attempt < 4; attempt++) {
        assert_int_equal(fx_state(f, id), WEFT_MAD_SEND_START);
        fx_send(f);
        assert_int_equal(mad_tid(f->packet), fx_tid(f, 1));
        assert_int_equal(fx_state(f, id), WEFT_MAD_WAIT_RESP);
        assert_int_equal(fx_agent_stats(f).outstanding, 1);
        fx_advance(f, FX_TIMEOUT - 1);
        assert_int_equal(fx_state(f, id), WEFT_MAD_WAIT_RESP);
        fx_advance(f, 1);
    }
    fx_expect_done(f, 1, WEFT_MAD_TIMEOUT);
    assert_int_equal(f->event.u.sent.attempts, 4);
    assert_int_equal(fx_agent_stats(f).retried, 3);
    assert_int_equal(fx_agent_stats(f).timed_out, 1);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_the_wait_counts_from_the_completion(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    weft_mad_send_id id = fx_ask(f, 1);
    weft_mad_tx_id tx = fx_take(f);

    (void)state;
    fx_advance(f, 10 * FX_TIMEOUT);
    assert_int_equal(fx_state(f, id), WEFT_MAD_SEND_START);
    fx_done(f, tx, true);
    assert_int_equal(weft_mad_deadline(f->port), f->now + FX_TIMEOUT);
    fx_drain(f, WEFT_MAD_OK);
    fx_free(f);
}

static void test_R47_an_answer_after_a_cancel_is_dropped(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    weft_mad_send_id id = fx_ask(f, 1);

    (void)state;
    fx_send(f);
    fx_cancel(f, id);
    assert_int_equal(fx_answer(f, 1), WEFT_MAD_DROP_UNMATCHED);
    fx_advance(f, 0);
    fx_expect_done(f, 1, WEFT_MAD_FLUSHED);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_R32_cancel_in_WAIT_RESP_is_reported_by_the_timer_at_once(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    weft_mad_send_id id = fx_ask(f, 1);

    (void)state;
    fx_send(f);
    fx_cancel(f, id);
    assert_int_equal(fx_state(f, id), WEFT_MAD_CANCELED);
    assert_int_equal(fx_agent_stats(f).outstanding, 0);
    assert_int_equal(weft_mad_deadline(f->port), f->now);
    fx_expect_nothing(f); /* never from inside the call */
    fx_advance(f, 0);
    fx_expect_done(f, 1, WEFT_MAD_FLUSHED);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_R29_R30_R31_cancel_of_a_packet_with_the_host(void **state)
{
    (void)state;
    for (int ok = 0; ok < 2; ok++) {
        struct fx *f = fx_new(NULL, FX_SA);
        weft_mad_send_id id = fx_ask(f, 1);
        weft_mad_tx_id tx = fx_take(f);

        fx_cancel(f, id);
        assert_int_equal(fx_state(f, id), WEFT_MAD_CANCELED);
        assert_int_equal(fx_agent_stats(f).outstanding, 0);
        fx_advance(f, 10 * FX_TIMEOUT);
        fx_expect_nothing(f);
        fx_done(f, tx, ok != 0);
        fx_expect_done(f, 1, WEFT_MAD_FLUSHED); /* whatever the completion says */
        assert_int_equal(fx_agent_stats(f).canceled, 1);
        fx_expect_idle(f);
        fx_free(f);
    }
}

static void test_R29_R43_cancel_after_an_early_answer(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    weft_mad_send_id id = fx_ask(f, 1);
    weft_mad_tx_id tx = fx_take(f);

    (void)state;
    fx_answer(f, 1);
    fx_cancel(f, id);
    fx_expect_recv(f, 1);
    fx_done(f, tx, true);
    fx_expect_done(f, 1, WEFT_MAD_FLUSHED);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_a_canceled_packet_that_is_still_due_is_not_sent(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    weft_mad_send_id id = fx_ask(f, 1);

    (void)state;
    fx_cancel(f, id);
    /* no timer reports it: that is up to weft_mad_poll_tx(), which has nothing to hand over */
    assert_int_equal(weft_mad_deadline(f->port), WEFT_TIME_NEVER);
    fx_advance(f, FX_TIMEOUT);
    assert_false(fx_event(f));
    assert_true(fx_tx_empty(f));
    fx_expect_done(f, 1, WEFT_MAD_FLUSHED);
    assert_int_equal(f->event.u.sent.attempts, 0);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_R72_R74_cancel_of_a_queued_send(void **state)
{
    struct fx *f = narrow();
    weft_mad_send_id id;

    (void)state;
    fx_ask_all(f, 1, 2);
    id = fx_ask(f, 3);
    assert_int_equal(fx_state(f, id), WEFT_MAD_QUEUED);
    fx_cancel(f, id);
    assert_int_equal(fx_agent_stats(f).queued, 0);
    assert_int_equal(weft_mad_deadline(f->port), f->now);
    assert_false(fx_event(f));
    fx_advance(f, 0);
    fx_expect_done(f, 3, WEFT_MAD_FLUSHED);
    assert_int_equal(f->event.u.sent.attempts, 0);
    assert_int_equal(fx_send_all(f), 2);
    fx_free(f);
}

static void test_R28_R38_R43_what_is_canceled_or_finished_is_refused(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    weft_mad_send_id id = fx_ask(f, 1), done = fx_ask(f, 2);

    (void)state;
    fx_send_all(f);
    fx_answer(f, 2);
    fx_cancel(f, id);
    assert_int_equal(weft_mad_cancel(f->port, f->now, id), WEFT_ERR_STATE);
    assert_int_equal(weft_mad_set_timeout(f->port, f->now, id, 1), WEFT_ERR_STATE);
    assert_int_equal(weft_mad_cancel(f->port, f->now, done), WEFT_ERR_STATE);
    assert_int_equal(weft_mad_set_timeout(f->port, f->now, done, 1), WEFT_ERR_STATE);
    fx_advance(f, 0);
    fx_expect_recv(f, 2);
    fx_expect_done(f, 2, WEFT_MAD_OK);
    fx_expect_done(f, 1, WEFT_MAD_FLUSHED);
    assert_int_equal(weft_mad_cancel(f->port, f->now, id), WEFT_ERR_STALE);
    assert_int_equal(weft_mad_set_timeout(f->port, f->now, id, 1), WEFT_ERR_STALE);
    assert_int_equal(weft_mad_cancel(f->port, f->now, (weft_mad_send_id){0}), WEFT_ERR_STALE);
    fx_free(f);
}

static void test_a_handle_stays_stale_when_its_slot_is_used_again(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    weft_mad_send_id old = fx_ask(f, 1), id;
    enum weft_mad_state s;

    (void)state;
    fx_send(f);
    fx_answer(f, 1);
    fx_drain(f, WEFT_MAD_OK);
    id = fx_ask(f, 2);
    assert_int_equal((uint32_t)id.v, (uint32_t)old.v);
    assert_int_equal(weft_mad_cancel(f->port, f->now, old), WEFT_ERR_STALE);
    assert_int_equal(weft_mad_set_timeout(f->port, f->now, old, 1), WEFT_ERR_STALE);
    assert_int_equal(weft_mad_send_state(f->port, old, &s), WEFT_ERR_STALE);
    assert_int_equal(fx_state(f, id), WEFT_MAD_SEND_START);
    fx_free(f);
}

static void test_R33_R37_set_timeout_in_SEND_START_is_stored(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    weft_mad_send_id id = fx_ask(f, 1);
    weft_mad_tx_id tx = fx_take(f);

    (void)state;
    assert_int_equal(weft_mad_set_timeout(f->port, f->now, id, 7 * WEFT_S), 0);
    assert_int_equal(weft_mad_deadline(f->port), WEFT_TIME_NEVER);
    fx_done(f, tx, true);
    assert_int_equal(weft_mad_deadline(f->port), f->now + 7 * WEFT_S);
    fx_free(f);
}

static void test_R21_R33_R37_set_timeout_in_WAIT_RESP_starts_the_wait_anew(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    struct weft_mad_send_req r = fx_request(f, 1);
    weft_mad_send_id id;

    (void)state;
    r.retries = 1;
    id = fx_post(f, &r);
    fx_send(f);
    fx_advance(f, FX_TIMEOUT / 2);
    assert_int_equal(weft_mad_set_timeout(f->port, f->now, id, WEFT_S), 0);
    assert_int_equal(fx_state(f, id), WEFT_MAD_WAIT_RESP);
    assert_int_equal(weft_mad_deadline(f->port), f->now + WEFT_S);
    fx_advance(f, WEFT_S);
    fx_send(f);
    assert_int_equal(weft_mad_deadline(f->port), f->now + WEFT_S); /* retries use it too */
    fx_free(f);
}

static void test_R33_R37_R72_R73_set_timeout_in_QUEUED_is_stored(void **state)
{
    struct fx *f = narrow();
    weft_mad_send_id id;

    (void)state;
    fx_ask_all(f, 1, 2);
    id = fx_ask(f, 3);
    assert_int_equal(weft_mad_set_timeout(f->port, f->now, id, 9 * WEFT_S), 0);
    assert_int_equal(fx_state(f, id), WEFT_MAD_QUEUED);
    assert_int_equal(weft_mad_deadline(f->port), WEFT_TIME_NEVER);
    fx_send_all(f);
    fx_answer(f, 1);
    fx_answer(f, 2);
    fx_send(f);
    assert_int_equal(weft_mad_deadline(f->port), f->now + 9 * WEFT_S);
    fx_free(f);
}

static void test_R33_R37_kernel_defect_5_set_timeout_after_an_early_answer(void **state)
{
    struct fx *f = narrow();
    weft_mad_send_id id = fx_ask(f, 1);
    weft_mad_tx_id tx = fx_take(f);

    (void)state;
    fx_answer(f, 1);
    assert_int_equal(weft_mad_set_timeout(f->port, f->now, id, WEFT_S), 0);
    assert_int_equal(fx_state(f, id), WEFT_MAD_EARLY_RESP);
    assert_int_equal(weft_mad_deadline(f->port), WEFT_TIME_NEVER);
    /* a second answer finds nothing and counts nothing twice */
    assert_int_equal(fx_answer(f, 1), WEFT_MAD_DROP_UNMATCHED);
    assert_int_equal(fx_agent_stats(f).outstanding, 0);
    fx_done(f, tx, true);
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_set_timeout_of_nothing_or_of_a_send_without_answer_is_invalid(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    weft_mad_send_id id = fx_ask(f, 1), oneway;
    struct weft_mad_send_req r = fx_request(f, 2);

    (void)state;
    r.timeout = 0;
    oneway = fx_post(f, &r);
    assert_int_equal(weft_mad_set_timeout(f->port, f->now, id, 0), WEFT_ERR_INVALID);
    assert_int_equal(weft_mad_set_timeout(f->port, f->now, oneway, 1), WEFT_ERR_INVALID);
    assert_int_equal(fx_state(f, id), WEFT_MAD_SEND_START);
    fx_free(f);
}

static void test_a_duplicate_answer_finds_nothing(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);

    (void)state;
    fx_ask(f, 1);
    fx_send(f);
    assert_int_equal(fx_answer(f, 1), WEFT_MAD_ACCEPTED);
    assert_int_equal(fx_answer(f, 1), WEFT_MAD_DROP_UNMATCHED);
    fx_expect_recv(f, 1);
    assert_int_equal(fx_answer(f, 1), WEFT_MAD_DROP_UNMATCHED);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    assert_int_equal(fx_answer(f, 1), WEFT_MAD_DROP_UNMATCHED);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_an_answer_beats_the_timeout_that_is_due_at_the_same_time(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);

    (void)state;
    fx_ask(f, 1);
    fx_send(f);
    f->now += FX_TIMEOUT;
    assert_int_equal(fx_answer(f, 1), WEFT_MAD_ACCEPTED);
    fx_advance(f, 0);
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_equal_deadlines_end_in_the_order_they_were_armed(void **state)
{
    struct fx *f = fx_new(NULL, FX_PERF);

    (void)state;
    fx_ask_all(f, 1, 5);
    fx_send_all(f);
    fx_advance(f, FX_TIMEOUT);
    for (unsigned n = 1; n <= 5; n++)
        fx_expect_done(f, n, WEFT_MAD_TIMEOUT);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_a_timeout_that_never_comes_does_not_wrap(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    struct weft_mad_send_req r = fx_request(f, 1);
    weft_mad_send_id id;

    (void)state;
    r.timeout = WEFT_TIME_NEVER;
    id = fx_post(f, &r);
    fx_send(f);
    assert_int_equal(weft_mad_deadline(f->port), WEFT_TIME_NEVER);
    fx_advance(f, 1000000 * WEFT_S);
    assert_int_equal(fx_state(f, id), WEFT_MAD_WAIT_RESP);
    fx_free(f);
}

/* Writes the states of a trace one behind the other. */
static void note_states(void *ctx, const struct weft_trace_event *ev)
{
    char *text = ctx;

    if (ev->type != WEFT_TRACE_STATE)
        return;
    strncat(text, ev->u.state.event, 500 - strlen(text));
    strncat(text, ">", 500 - strlen(text));
    strncat(text, weft_mad_state_name(ev->u.state.to), 500 - strlen(text));
    strncat(text, " ", 500 - strlen(text));
}

static void test_R4_R13_the_trace_tells_each_input_and_state(void **state)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_send_req r;
    char seen[512] = "";
    struct fx *f;

    (void)state;
    c.trace = note_states;
    c.trace_ctx = seen;
    f = fx_new(&c, FX_SA);
    r = fx_request(f, 1);
    r.retries = 1;
    fx_post(f, &r);
    fx_send(f);
    fx_answer_busy(f, 1);
    fx_advance(f, FX_TIMEOUT);
    fx_answer(f, 1);
    fx_answer(f, 1);
    fx_send_all(f);
    assert_string_equal(seen,
                        "POST>SEND_START SENT_AWAIT>WAIT_RESP BUSY>WAIT_RESP RETRY>SEND_START "
                        "RESPONSE>EARLY_RESP SKIPPED>DONE ");
    fx_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_R5_R6_R8_R11_R41_one_question_and_its_answer),
        cmocka_unit_test(test_R10_without_a_timeout_the_completion_ends_it),
        cmocka_unit_test(test_R7_R9_R12_R23_R69_an_answer_before_the_completion),
        cmocka_unit_test(test_R24_an_error_completion_after_an_early_answer_is_reported),
        cmocka_unit_test(
            test_R25_R26_R27_kernel_defect_3_a_failed_completion_ends_the_send_at_once),
        cmocka_unit_test(test_an_answer_skips_a_packet_that_is_still_due),
        cmocka_unit_test(test_a_retry_that_is_skipped_is_no_attempt),
        cmocka_unit_test(test_R13_R70_R97_a_timeout_sends_again_exactly_retries_times),
        cmocka_unit_test(test_the_wait_counts_from_the_completion),
        cmocka_unit_test(test_R47_an_answer_after_a_cancel_is_dropped),
        cmocka_unit_test(test_R32_cancel_in_WAIT_RESP_is_reported_by_the_timer_at_once),
        cmocka_unit_test(test_R29_R30_R31_cancel_of_a_packet_with_the_host),
        cmocka_unit_test(test_R29_R43_cancel_after_an_early_answer),
        cmocka_unit_test(test_a_canceled_packet_that_is_still_due_is_not_sent),
        cmocka_unit_test(test_R72_R74_cancel_of_a_queued_send),
        cmocka_unit_test(test_R28_R38_R43_what_is_canceled_or_finished_is_refused),
        cmocka_unit_test(test_a_handle_stays_stale_when_its_slot_is_used_again),
        cmocka_unit_test(test_R33_R37_set_timeout_in_SEND_START_is_stored),
        cmocka_unit_test(test_R21_R33_R37_set_timeout_in_WAIT_RESP_starts_the_wait_anew),
        cmocka_unit_test(test_R33_R37_R72_R73_set_timeout_in_QUEUED_is_stored),
        cmocka_unit_test(test_R33_R37_kernel_defect_5_set_timeout_after_an_early_answer),
        cmocka_unit_test(test_set_timeout_of_nothing_or_of_a_send_without_answer_is_invalid),
        cmocka_unit_test(test_a_duplicate_answer_finds_nothing),
        cmocka_unit_test(test_an_answer_beats_the_timeout_that_is_due_at_the_same_time),
        cmocka_unit_test(test_equal_deadlines_end_in_the_order_they_were_armed),
        cmocka_unit_test(test_a_timeout_that_never_comes_does_not_wrap),
        cmocka_unit_test(test_R4_R13_the_trace_tells_each_input_and_state),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
