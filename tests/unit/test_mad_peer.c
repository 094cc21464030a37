/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The adaptive window per destination: growth, loss, the table of destinations, and its backlog. */
#include "core/mad/peer.h"
#include "mad_fixture.h"

#include <string.h>

static struct fx *adaptive(uint32_t initial, uint32_t most, uint32_t peers)
{
    struct weft_mad_config c = fx_config();

    c.flow.adaptive = true;
    c.flow.window_initial = initial;
    c.flow.window_max = most;
    c.flow.peers = peers;
    return fx_new(&c, FX_PERF);
}

static uint32_t window_to(const struct fx *f, uint16_t lid)
{
    const struct weft_mad_addr to = {.lid = lid};
    uint32_t window, outstanding;

    assert_int_equal(weft_mad_peer_window(f->port, &to, &window, &outstanding), 0);
    return window;
}

static weft_mad_send_id ask_lid(struct fx *f, unsigned n, uint16_t lid)
{
    struct weft_mad_send_req r = fx_request(f, n);

    r.to.lid = lid;
    return fx_post(f, &r);
}

static void test_a_destination_gets_no_more_than_its_window(void **state)
{
    struct fx *f = adaptive(4, 64, 64);
    const struct weft_mad_addr to = {.lid = FX_PEER_LID}, other = {.lid = 0x99};
    uint32_t window, outstanding;

    (void)state;
    assert_int_equal(weft_mad_peer_window(f->port, &to, &window, NULL), WEFT_ERR_NOTFOUND);
    fx_ask_all(f, 1, 10);
    assert_int_equal(weft_mad_peer_window(f->port, &to, &window, &outstanding), 0);
    assert_int_equal(window, 4);
    assert_int_equal(outstanding, 4);
    assert_int_equal(fx_stats(f).queued, 6);
    assert_int_equal(weft_mad_peer_window(f->port, &other, &window, NULL), WEFT_ERR_NOTFOUND);
    ask_lid(f, 11, 0x99); /* others have windows of their own */
    assert_int_equal(window_to(f, 0x99), 4);
    assert_int_equal(fx_stats(f).queued, 6);
    fx_free(f);
}

static void test_the_window_grows_by_one_with_each_answer_up_to_its_maximum(void **state)
{
    struct fx *f = adaptive(1, 8, 64);
    unsigned next = 1;

    (void)state;
    fx_ask_all(f, 1, 60);
    for (uint32_t answers = 0; answers < 20; answers++) {
        assert_int_equal(window_to(f, FX_PEER_LID), answers + 1 < 8 ? answers + 1 : 8);
        assert_int_equal(fx_stats(f).outstanding, window_to(f, FX_PEER_LID));
        fx_send_all(f);
        fx_answer(f, next);
        fx_expect_recv(f, next);
        fx_expect_done(f, next++, WEFT_MAD_OK);
    }
    fx_free(f);
}

static void test_losses_of_one_round_halve_it_once(void **state)
{
    struct fx *f = adaptive(16, 64, 64);

    (void)state;
    fx_ask_all(f, 1, 16);
    fx_send_all(f);
    fx_advance(f, FX_TIMEOUT);
    assert_int_equal(window_to(f, FX_PEER_LID), 8);
    fx_drain(f, WEFT_MAD_TIMEOUT);
    fx_ask_all(f, 21, 28);
    fx_send_all(f);
    fx_advance(f, FX_TIMEOUT);
    assert_int_equal(window_to(f, FX_PEER_LID), 4);
    for (unsigned n = 30; n < 40; n++) { /* never below 1 */
        fx_ask(f, n);
        fx_send_all(f);
        fx_advance(f, FX_TIMEOUT);
    }
    assert_int_equal(window_to(f, FX_PEER_LID), 1);
    fx_free(f);
}

static void test_after_a_loss_it_grows_by_one_a_round(void **state)
{
    struct fx *f = adaptive(16, 64, 64);
    unsigned next = 100;

    (void)state;
    fx_ask_all(f, 1, 16);
    fx_send_all(f);
    fx_advance(f, FX_TIMEOUT);
    fx_drain(f, WEFT_MAD_TIMEOUT);
    for (uint32_t round = 8; round < 12; round++) {
        assert_int_equal(window_to(f, FX_PEER_LID), round);
        for (uint32_t i = 0; i < round + 1; i++) { /* fractions round down: one answer more */
            fx_ask(f, next);
            fx_send_all(f);
            fx_answer(f, next);
            fx_expect_recv(f, next);
            fx_expect_done(f, next++, WEFT_MAD_OK);
            if (i < round / 2)
                assert_int_equal(window_to(f, FX_PEER_LID), round);
        }
    }
    fx_free(f);
}

static void test_BUSY_is_a_loss(void **state)
{
    struct fx *f = adaptive(8, 64, 64);

    (void)state;
    fx_ask_all(f, 1, 4);
    fx_send_all(f);
    f->now += WEFT_MS;
    assert_int_equal(fx_answer_busy(f, 1), WEFT_MAD_BUSY_HELD);
    assert_int_equal(window_to(f, FX_PEER_LID), 4);
    assert_int_equal(fx_answer_busy(f, 2), WEFT_MAD_BUSY_HELD);
    assert_int_equal(window_to(f, FX_PEER_LID), 4); /* sent before the first loss */
    fx_free(f);
}

static void test_a_retry_waits_when_the_window_has_shrunk(void **state)
{
    struct fx *f = adaptive(4, 64, 64);
    unsigned queued = 0;

    (void)state;
    for (unsigned n = 1; n <= 4; n++) {
        struct weft_mad_send_req r = fx_request(f, n);

        r.retries = 1;
        fx_post(f, &r);
    }
    fx_send_all(f);
    fx_advance(f, FX_TIMEOUT);
    queued = fx_stats(f).queued;
    assert_int_equal(window_to(f, FX_PEER_LID), 2);
    assert_int_equal(queued, 2);
    assert_int_equal(fx_stats(f).outstanding, 2);
    fx_send_all(f);
    fx_answer(f, 3);
    fx_answer(f, 4);
    assert_int_equal(fx_stats(f).queued, 0);
    fx_free(f);
}

static void test_destinations_are_told_apart_by_GID_or_LID(void **state)
{
    struct fx *f = adaptive(2, 64, 64);
    struct weft_mad_send_req r = fx_request(f, 1);
    uint32_t window;

    (void)state;
    r.to.has_grh = true;
    r.to.grh.dgid[15] = 1;
    fx_post(f, &r);
    assert_int_equal(fx_stats(f).peers, 1);
    r = fx_request(f, 2);
    r.to.has_grh = true;
    r.to.grh.dgid[15] = 1;
    r.to.lid = 0x77; /* by another router: the same destination */
    fx_post(f, &r);
    assert_int_equal(fx_stats(f).peers, 1);
    assert_int_equal(weft_mad_peer_window(f->port, &r.to, &window, NULL), 0);
    r.to.grh.dgid[0] = 1;
    assert_int_equal(weft_mad_peer_window(f->port, &r.to, &window, NULL), WEFT_ERR_NOTFOUND);
    r.to.has_grh = false;
    assert_int_equal(weft_mad_peer_window(f->port, &r.to, &window, NULL), WEFT_ERR_NOTFOUND);
    fx_ask(f, 3);
    assert_int_equal(fx_stats(f).peers, 2);
    fx_free(f);
}

static void test_when_the_table_is_full_further_destinations_have_no_window(void **state)
{
    struct fx *f = adaptive(1, 64, 2);

    (void)state;
    ask_lid(f, 1, 1);
    ask_lid(f, 2, 2);
    for (unsigned n = 3; n < 10; n++)
        ask_lid(f, n, 3);
    assert_int_equal(fx_stats(f).peers_full, 7);
    assert_int_equal(fx_stats(f).queued, 0);
    fx_send_all(f);
    for (unsigned n = 1; n < 10; n++)
        fx_answer(f, n);
    assert_int_equal(fx_drain(f, WEFT_MAD_OK), 9);
    fx_free(f);
}

static void test_the_destination_idle_for_longest_is_forgotten(void **state)
{
    struct fx *f = adaptive(2, 64, 3);
    const struct weft_mad_addr one = {.lid = 1}, two = {.lid = 2}, three = {.lid = 3};
    uint32_t window;

    (void)state;
    for (unsigned n = 1; n <= 3; n++) {
        ask_lid(f, n, (uint16_t)n);
        fx_send_all(f);
        fx_answer(f, n);
    }
    ask_lid(f, 4, 1); /* used again, and idle again: now the youngest */
    fx_send_all(f);
    fx_answer(f, 4);
    fx_drain(f, WEFT_MAD_OK);
    ask_lid(f, 5, 9);
    assert_int_equal(weft_mad_peer_window(f->port, &two, &window, NULL), WEFT_ERR_NOTFOUND);
    ask_lid(f, 6, 3); /* in use: it stays */
    ask_lid(f, 7, 10);
    assert_int_equal(weft_mad_peer_window(f->port, &one, &window, NULL), WEFT_ERR_NOTFOUND);
    assert_int_equal(weft_mad_peer_window(f->port, &three, &window, NULL), 0);
    assert_int_equal(window, 3);
    assert_int_equal(fx_stats(f).peers, 3);
    fx_free(f);
}

static void test_directed_routes_and_sends_without_answer_have_no_window(void **state)
{
    struct fx *f = adaptive(1, 64, 64);
    struct weft_mad_agent_req a = fx_agent_req(WEFT_CLASS_SUBN_DIRECTED);
    struct weft_mad_send_req r;

    (void)state;
    for (unsigned n = 1; n < 5; n++) {
        r = fx_request(f, n);
        r.timeout = 0;
        fx_post(f, &r);
    }
    f->agent = fx_agent(f, &a);
    f->mgmt_class = WEFT_CLASS_SUBN_DIRECTED;
    fx_ask_all(f, 5, 9);
    assert_int_equal(fx_stats(f).peers, 0);
    assert_int_equal(fx_stats(f).queued, 0);
    fx_free(f);
}

static void test_a_window_that_shrinks_while_the_backlog_stands_in_line(void **state)
{
    struct weft_mad_config c = fx_config();
    struct fx *f;

    (void)state;
    c.recv_depth = 64; /* the SA agent may have 2 */
    c.flow.adaptive = true;
    f = fx_new(&c, FX_SA);
    fx_ask_all(f, 1, 4);
    fx_send_all(f);
    fx_answer_busy(f, 1); /* 4 becomes 2: now its own window stops the backlog too */
    assert_int_equal(window_to(f, FX_PEER_LID), 2);
    fx_answer(f, 2);
    fx_answer(f, 1);
    fx_send_all(f);
    fx_answer(f, 3);
    fx_answer(f, 4);
    assert_int_equal(fx_drain(f, WEFT_MAD_OK), 4);
    assert_int_equal(fx_stats(f).sends, 0);
    fx_free(f);
}

static void test_an_agent_at_its_limit_does_not_hold_up_another_agents_destination(void **state)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_agent_req second = fx_agent_req(FX_SA);
    struct fx *f;

    (void)state;
    c.recv_depth = 64; /* an SA agent may have 2 */
    c.flow.adaptive = true;
    f = fx_new(&c, FX_SA);
    for (unsigned n = 1; n <= 2; n++)
        ask_lid(f, n, 0x99); /* a destination that never answers takes all of the first agent's */
    ask_lid(f, 3, 5);
    f->agent = fx_agent(f, &second);
    ask_lid(f, 4, 5);
    assert_int_equal(fx_send_all(f), 3);
    assert_int_equal(fx_agent_stats(f).queued, 0);
    assert_int_equal(fx_stats(f).queued, 1);
    fx_free(f);
}

static void test_a_busy_destination_does_not_starve_others_at_the_agents_limit(void **state)
{
    struct weft_mad_config c = fx_config();
    bool seen = false;
    struct fx *f;

    (void)state;
    c.recv_depth = 64; /* the SA agent may have 2 */
    c.flow.adaptive = true;
    f = fx_new(&c, FX_SA);
    for (unsigned n = 1; n <= 40; n++)
        ask_lid(f, n, FX_PEER_LID);
    ask_lid(f, 41, 0x77);
    for (unsigned n = 1; n <= 6 && !seen; n++) {
        fx_send_all(f);
        fx_answer(f, n);
        fx_drain(f, WEFT_MAD_OK);
        while (fx_send_any(f))
            seen = seen || fx_packet_number(f) == 41;
    }
    assert_true(seen);
    fx_free(f);
}

static void test_two_agents_share_a_destinations_window(void **state)
{
    (void)state;
    for (int sent = 0; sent < 2; sent++) {
        struct fx *f = adaptive(2, 64, 64);
        struct weft_mad_agent_req r = fx_agent_req(WEFT_CLASS_BOARD);
        weft_mad_agent_id perf = f->agent;

        fx_ask_all(f, 1, 3);
        f->agent = fx_agent(f, &r);
        f->mgmt_class = WEFT_CLASS_BOARD;
        fx_ask_all(f, 4, 5);
        assert_int_equal(fx_stats(f).queued, 3);
        if (sent)
            fx_send_all(f);
        /* the first agent goes with all it has: the second one's sends move up */
        fx_remove_agent(f, perf);
        assert_int_equal(fx_send_all(f), 2);
        assert_int_equal(fx_drain(f, WEFT_MAD_FLUSHED), 3);
        fx_answer(f, 4);
        fx_answer(f, 5);
        assert_int_equal(fx_drain(f, WEFT_MAD_OK), 2);
        fx_expect_idle(f);
        fx_free(f);
    }
}

static void test_a_retry_that_fits_into_the_window_keeps_its_place(void **state)
{
    struct fx *f = adaptive(1, 64, 64);
    struct weft_mad_send_req r = fx_request(f, 1);
    weft_mad_send_id id;

    (void)state;
    r.retries = 1;
    id = fx_post(f, &r);
    fx_send(f);
    fx_advance(f, FX_TIMEOUT);
    assert_int_equal(fx_state(f, id), WEFT_MAD_SEND_START);
    assert_int_equal(fx_stats(f).limited, 0);
    fx_free(f);
}

/* Keeps the last WINDOW event of a trace. */
static void note_window(void *ctx, const struct weft_trace_event *ev)
{
    if (ev->type == WEFT_TRACE_WINDOW)
        *(struct weft_trace_event *)ctx = *ev;
}

static void test_every_change_of_a_window_is_traced(void **state)
{
    struct weft_mad_config c = fx_config();
    struct weft_trace_event seen = {0};
    struct fx *f;

    (void)state;
    c.flow.adaptive = true;
    c.trace = note_window;
    c.trace_ctx = &seen;
    f = fx_new(&c, FX_PERF);
    fx_ask_all(f, 1, 2);
    fx_send_all(f);
    fx_answer(f, 1);
    assert_int_equal(seen.u.window.lid, FX_PEER_LID);
    assert_int_equal(seen.u.window.window, 5);
    fx_advance(f, FX_TIMEOUT);
    assert_int_equal(seen.u.window.window, 2);
    assert_int_equal(seen.time, f->now);
    fx_free(f);
}

static void test_R61_retries_queue_behind_a_destinations_backlog(void **state)
{
    struct fx *f = adaptive(8, 64, 64);

    (void)state;
    for (unsigned n = 1; n <= 12; n++) {
        struct weft_mad_send_req r = fx_request(f, n);

        r.retries = 1;
        fx_post(f, &r);
    }
    fx_send_all(f);
    fx_advance(f, FX_TIMEOUT); /* 8 becomes 4: those go who have not gone yet */
    for (unsigned n = 9; n <= 12; n++) {
        fx_send(f);
        assert_int_equal(fx_packet_number(f), n);
    }
    assert_true(fx_tx_empty(f));
    assert_int_equal(fx_stats(f).queued, 8);
    fx_free(f);
}

static void test_R61_a_retry_queues_behind_other_destinations_at_the_agents_limit(void **state)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_send_req r;
    struct fx *f;

    (void)state;
    c.recv_depth = 64; /* the SA agent may have 2 */
    c.flow.adaptive = true;
    f = fx_new(&c, FX_SA);
    r = fx_request(f, 1);
    r.retries = 1;
    fx_post(f, &r);
    r = fx_request(f, 2);
    r.timeout = 10 * FX_TIMEOUT;
    fx_post(f, &r);
    ask_lid(f, 3, 0x77);
    fx_send_all(f);
    fx_advance(f, FX_TIMEOUT);
    fx_send(f);
    assert_int_equal(fx_packet_number(f), 3);
    assert_true(fx_tx_empty(f));
    fx_free(f);
}

static void test_one_backlog_that_its_window_stops_does_not_stop_the_agents_line(void **state)
{
    struct weft_mad_config c = fx_config();
    struct fx *f;

    (void)state;
    c.recv_depth = 64; /* the SA agent may have 2 */
    c.flow.adaptive = true;
    c.flow.window_initial = 2;
    f = fx_new(&c, FX_SA);
    ask_lid(f, 1, 1);
    ask_lid(f, 2, 2);
    ask_lid(f, 3, 1); /* first in line */
    ask_lid(f, 4, 3);
    fx_send_all(f);
    fx_answer_busy(f, 1); /* now its own window of 1 stops it as well */
    fx_answer(f, 2);
    fx_send(f);
    assert_int_equal(fx_packet_number(f), 4);
    assert_true(fx_tx_empty(f));
    fx_free(f);
}

static void test_one_backlog_that_its_window_stops_does_not_stop_the_ports_line(void **state)
{
    struct weft_mad_config c = fx_config();
    struct fx *f;

    (void)state;
    c.recv_depth = 64; /* 56 for answers */
    c.flow.port_budget = true;
    c.flow.adaptive = true;
    c.flow.window_initial = 2;
    c.flow.peers = 2; /* others have no window */
    f = fx_new(&c, FX_PERF);
    ask_lid(f, 1, 1);
    ask_lid(f, 2, 2);
    for (unsigned n = 3; n <= 56; n++)
        ask_lid(f, n, 3);
    ask_lid(f, 57, 1);
    ask_lid(f, 58, 2);
    assert_int_equal(fx_stats(f).queued, 2);
    fx_send_all(f);
    fx_answer_busy(f, 1);
    fx_answer(f, 3);
    fx_drain(f, WEFT_MAD_OK);
    fx_send(f);
    assert_int_equal(fx_packet_number(f), 58);
    fx_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_destination_gets_no_more_than_its_window),
        cmocka_unit_test(test_the_window_grows_by_one_with_each_answer_up_to_its_maximum),
        cmocka_unit_test(test_losses_of_one_round_halve_it_once),
        cmocka_unit_test(test_after_a_loss_it_grows_by_one_a_round),
        cmocka_unit_test(test_BUSY_is_a_loss),
        cmocka_unit_test(test_a_retry_waits_when_the_window_has_shrunk),
        cmocka_unit_test(test_destinations_are_told_apart_by_GID_or_LID),
        cmocka_unit_test(test_when_the_table_is_full_further_destinations_have_no_window),
        cmocka_unit_test(test_the_destination_idle_for_longest_is_forgotten),
        cmocka_unit_test(test_directed_routes_and_sends_without_answer_have_no_window),
        cmocka_unit_test(test_a_window_that_shrinks_while_the_backlog_stands_in_line),
        cmocka_unit_test(test_an_agent_at_its_limit_does_not_hold_up_another_agents_destination),
        cmocka_unit_test(test_a_busy_destination_does_not_starve_others_at_the_agents_limit),
        cmocka_unit_test(test_two_agents_share_a_destinations_window),
        cmocka_unit_test(test_a_retry_that_fits_into_the_window_keeps_its_place),
        cmocka_unit_test(test_every_change_of_a_window_is_traced),
        cmocka_unit_test(test_R61_retries_queue_behind_a_destinations_backlog),
        cmocka_unit_test(test_R61_a_retry_queues_behind_other_destinations_at_the_agents_limit),
        cmocka_unit_test(test_one_backlog_that_its_window_stops_does_not_stop_the_agents_line),
        cmocka_unit_test(test_one_backlog_that_its_window_stops_does_not_stop_the_ports_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
