/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Agents: who may register for what, who gets which unsolicited MAD, transaction ids, removal. */
#include "mad_fixture.h"

#include <string.h>

#define VENDOR2 0x30

static int try_add(struct fx *f, const struct weft_mad_agent_req *r, weft_mad_agent_id *ret)
{
    uint32_t before = fx_stats(f).agents;
    int err = weft_mad_agent_add(f->port, r, ret);

    fx_audit(f);
    assert_int_equal(fx_stats(f).agents, before + (err == 0 ? 1 : 0));
    return err;
}

static void test_registration_rules(void **state)
{
    struct weft_mad_retry bad_policy = {.kind = (enum weft_mad_retry_kind)7};
    const struct {
        const char *what;
        int err;
        struct weft_mad_agent_req req;
    } cases[] = {
        {"plain", 0, {.qpn = 1, .mgmt_class = FX_PERF, .class_version = 1}},
        {"no third QP", WEFT_ERR_INVALID, {.qpn = 2, .mgmt_class = FX_PERF}},
        {"SMI class on the GSI", WEFT_ERR_INVALID, {.qpn = 1, .mgmt_class = 0x01}},
        {"directed route on the GSI", WEFT_ERR_INVALID, {.qpn = 1, .mgmt_class = 0x81}},
        {"GSI class on the SMI", WEFT_ERR_INVALID, {.qpn = 0, .mgmt_class = FX_PERF}},
        {"SMI", 0, {.qpn = 0, .mgmt_class = 0x01}},
        {"directed route", 0, {.qpn = 0, .mgmt_class = 0x81}},
        {"class 0", WEFT_ERR_INVALID, {.qpn = 1, .mgmt_class = 0}},
        {"last class", 0, {.qpn = 1, .mgmt_class = 0x4f, .oui = {1}}},
        {"beyond the last class", WEFT_ERR_INVALID, {.qpn = 1, .mgmt_class = 0x50}},
        {"class 0xff", WEFT_ERR_INVALID, {.qpn = 1, .mgmt_class = 0xff}},
        {"last version", 0, {.qpn = 1, .mgmt_class = FX_PERF, .class_version = 0x82}},
        {"beyond it", WEFT_ERR_INVALID, {.qpn = 1, .mgmt_class = FX_PERF, .class_version = 0x83}},
        {"RMPP 1", 0, {.qpn = 1, .mgmt_class = FX_SA, .rmpp_version = 1}},
        {"RMPP 2", WEFT_ERR_INVALID, {.qpn = 1, .mgmt_class = FX_SA, .rmpp_version = 2}},
        {"RMPP without", WEFT_ERR_INVALID, {.qpn = 1, .mgmt_class = FX_PERF, .rmpp_version = 1}},
        {"vendor with OUI", 0, {.qpn = 1, .mgmt_class = VENDOR2, .oui = {0, 0, 1}}},
        {"vendor without OUI", WEFT_ERR_INVALID, {.qpn = 1, .mgmt_class = VENDOR2}},
        {"range 1 needs none", 0, {.qpn = 1, .mgmt_class = 0x09}},
        {"send only", 0, {.qpn = 1, .send_only = true, .mgmt_class = 0xff, .class_version = 0xff}},
        {"send only, deaf", 0, {.qpn = 1, .send_only = true, .no_recv = true}},
        {"send only, user RMPP",
         WEFT_ERR_INVALID,
         {.qpn = 1, .send_only = true, .user_rmpp = true}},
        {"send only on QP 2", WEFT_ERR_INVALID, {.qpn = 2, .send_only = true}},
        {"deaf but registered", WEFT_ERR_INVALID, {.qpn = 1, .mgmt_class = 4, .no_recv = true}},
        {"policy", WEFT_ERR_INVALID, {.qpn = 1, .mgmt_class = 4, .retry = &bad_policy}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fx *f = fx_new(NULL, 0);
        weft_mad_agent_id id = {77};
        int err = try_add(f, &cases[i].req, &id);

        if (err != cases[i].err)
            fail_msg("%s: %d", cases[i].what, err);
        if (err < 0)
            assert_int_equal(id.v, 77);
        fx_free(f);
    }
}

static void test_methods_have_one_owner_and_a_conflict_changes_nothing(void **state)
{
    struct fx *f = fx_new(NULL, 0);
    struct weft_mad_agent_req r = fx_agent_req(FX_PERF);
    weft_mad_agent_id id, other;

    (void)state;
    fx_own_method(&r, WEFT_METHOD_GET);
    fx_own_method(&r, 127);
    id = fx_agent(f, &r);
    memset(r.methods, 0, sizeof(r.methods));
    fx_own_method(&r, WEFT_METHOD_SET);
    fx_own_method(&r, 127);
    assert_int_equal(try_add(f, &r, &other), WEFT_ERR_CONFLICT);
    /* the whole registration failed: Set is still free */
    memset(r.methods, 0, sizeof(r.methods));
    fx_own_method(&r, WEFT_METHOD_SET);
    fx_agent(f, &r);
    /* other versions and classes have methods of their own, and none at all is no conflict */
    fx_own_method(&r, 127);
    r.class_version = 2;
    fx_agent(f, &r);
    r = fx_agent_req(FX_PERF);
    fx_agent(f, &r);
    fx_agent(f, &r);
    /* a removed owner's methods are free */
    fx_remove_agent(f, id);
    fx_own_method(&r, WEFT_METHOD_GET);
    fx_own_method(&r, 127);
    fx_agent(f, &r);
    fx_free(f);
}

static void test_directed_and_LID_routed_management_are_separate(void **state)
{
    struct fx *f = fx_new(NULL, 0);
    struct weft_mad_agent_req r = fx_agent_req(WEFT_CLASS_SUBN_LID);

    (void)state;
    fx_own_method(&r, WEFT_METHOD_GET);
    fx_agent(f, &r);
    r.mgmt_class = WEFT_CLASS_SUBN_DIRECTED;
    fx_agent(f, &r);
    fx_free(f);
}

static void test_vendors_share_a_class_up_to_eight(void **state)
{
    struct fx *f = fx_new(NULL, 0);
    struct weft_mad_agent_req r = fx_agent_req(VENDOR2);
    weft_mad_agent_id ids[8], id;

    (void)state;
    fx_own_method(&r, WEFT_METHOD_GET);
    for (uint8_t i = 0; i < 8; i++) {
        r.oui[2] = (uint8_t)(i + 1);
        ids[i] = fx_agent(f, &r);
    }
    r.oui[2] = 9;
    assert_int_equal(try_add(f, &r, &id), WEFT_ERR_FULL);
    /* a second agent of one of the eight is no ninth vendor, but must not overlap */
    r.oui[2] = 8;
    assert_int_equal(try_add(f, &r, &id), WEFT_ERR_CONFLICT);
    memset(r.methods, 0, sizeof(r.methods));
    fx_own_method(&r, WEFT_METHOD_SET);
    fx_agent(f, &r);
    /* other versions and classes have eight places of their own */
    r.oui[2] = 9;
    r.class_version = 2;
    fx_agent(f, &r);
    r.class_version = 1;
    r.mgmt_class = VENDOR2 + 1;
    fx_agent(f, &r);
    /* a place is free when the last agent of its vendor is gone */
    r.mgmt_class = VENDOR2;
    fx_remove_agent(f, ids[0]);
    fx_agent(f, &r);
    fx_free(f);
}

static void test_agents_are_as_many_as_configured(void **state)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_agent_req r = fx_agent_req(FX_PERF);
    weft_mad_agent_id id, first;
    struct fx *f;

    (void)state;
    c.agents = 3;
    f = fx_new(&c, 0);
    first = fx_agent(f, &r);
    fx_agent(f, &r);
    fx_agent(f, &r);
    assert_int_equal(try_add(f, &r, &id), WEFT_ERR_FULL);
    fx_remove_agent(f, first);
    fx_agent(f, &r);
    fx_free(f);
}

static void test_transaction_ids_have_24_bits_go_round_and_are_never_0(void **state)
{
    struct fx *f = fx_new(NULL, 0);
    struct weft_mad_agent_req r = fx_agent_req(FX_PERF);
    weft_mad_agent_id keeper, id;
    uint32_t tid;

    (void)state;
    keeper = fx_agent(f, &r);
    assert_int_equal(weft_mad_agent_tid(f->port, keeper, &tid), 0);
    assert_int_equal(tid, 1);
    id = fx_agent(f, &r);
    assert_int_equal(weft_mad_agent_tid(f->port, id, &tid), 0);
    assert_int_equal(tid, 2);
    fx_remove_agent(f, id);
    /* 2 is free again but comes only after all others */
    for (uint32_t want = 3; want < 10; want++) {
        id = fx_agent(f, &r);
        assert_int_equal(weft_mad_agent_tid(f->port, id, &tid), 0);
        assert_int_equal(tid, want);
        fx_remove_agent(f, id);
    }
    f->port->tid_next = 0xffffff;
    id = fx_agent(f, &r);
    assert_int_equal(weft_mad_agent_tid(f->port, id, &tid), 0);
    assert_int_equal(tid, 0xffffff);
    id = fx_agent(f, &r); /* round, and past 1, which is taken */
    assert_int_equal(weft_mad_agent_tid(f->port, id, &tid), 0);
    assert_int_equal(tid, 2);
    fx_free(f);
}

static void test_transaction_ids_keep_to_the_configured_range(void **state)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_agent_req r = fx_agent_req(FX_PERF);
    const uint32_t want[] = {0x501, 0x502, 0x503, 0x502};
    struct fx *f;

    (void)state;
    c.agents = 3;
    c.tid_first = 0x501;
    c.tid_last = 0x503;
    f = fx_new(&c, 0);
    for (int i = 0; i < 4; i++) {
        weft_mad_agent_id id;
        uint32_t tid;

        id = fx_agent(f, &r);
        assert_int_equal(weft_mad_agent_tid(f->port, id, &tid), 0);
        assert_int_equal(tid, want[i]);
        if (i == 1)
            fx_remove_agent(f, id);
    }
    fx_free(f);
}

static void test_the_tid_of_a_removed_agent_is_not_used_while_its_sends_end(void **state)
{
    struct fx *f = fx_new(NULL, FX_PERF);
    struct weft_mad_agent_req r = fx_agent_req(FX_PERF);
    weft_mad_tx_id tx;
    uint32_t tid;

    (void)state;
    fx_ask(f, 1);
    tx = fx_take(f);
    fx_remove_agent(f, f->agent);
    f->port->tid_next = 1;
    f->agent = fx_agent(f, &r);
    assert_int_equal(weft_mad_agent_tid(f->port, f->agent, &tid), 0);
    assert_int_equal(tid, 2);
    fx_done(f, tx, true);
    fx_expect_done(f, 1, WEFT_MAD_FLUSHED);
    fx_free(f);
}

static void test_R39_R40_R77_removal_in_every_state(void **state)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_agent_req r = fx_agent_req(FX_SA);
    struct fx *f;
    weft_mad_agent_id old;
    weft_mad_send_id canceled;
    weft_mad_tx_id start, early;
    uint8_t answer[WEFT_MAD_BYTES];

    (void)state;
    c.recv_depth = 160; /* five requests */
    f = fx_new(&c, FX_SA);
    fx_ask(f, 1); /* SEND_START */
    start = fx_take(f);
    fx_ask(f, 2); /* EARLY_RESP */
    early = fx_take(f);
    fx_answer(f, 2);
    fx_expect_recv(f, 2);
    fx_ask(f, 3); /* WAIT_RESP */
    fx_send(f);
    canceled = fx_ask(f, 5); /* CANCELED, waits for its timer */
    fx_send(f);
    fx_cancel(f, canceled);
    fx_cancel(f, fx_ask(f, 4)); /* CANCELED, still due */
    fx_ask(f, 6);               /* SEND_START, due */
    fx_ask_all(f, 7, 10);
    assert_int_equal(fx_agent_stats(f).queued, 2); /* 9 and 10 */
    fx_answer_mad(f, 3, WEFT_STATUS_OK, answer);
    old = f->agent;
    fx_remove_agent(f, f->agent);
    assert_int_equal(fx_stats(f).outstanding, 0);
    assert_int_equal(fx_stats(f).queued, 0);
    /* in the call: those that wait for an answer or a timer, and the backlog */
    fx_expect_done(f, 3, WEFT_MAD_FLUSHED);
    assert_int_equal(f->event.agent.v, old.v);
    fx_expect_done(f, 5, WEFT_MAD_FLUSHED);
    fx_expect_done(f, 9, WEFT_MAD_FLUSHED);
    assert_int_equal(f->event.u.sent.attempts, 0);
    fx_expect_done(f, 10, WEFT_MAD_FLUSHED);
    assert_false(fx_event(f));
    /* packets that were due are skipped */
    assert_true(fx_tx_empty(f));
    assert_int_equal(fx_drain(f, WEFT_MAD_FLUSHED), 4);
    /* packets with the host are reported when they come back; the agent's slot lives until then */
    assert_int_equal(fx_rx(f, answer), WEFT_MAD_DROP_UNMATCHED);
    assert_int_equal(f->port->agents.used, 1);
    fx_done(f, start, true);
    fx_expect_done(f, 1, WEFT_MAD_FLUSHED);
    fx_done(f, early, true);
    fx_expect_done(f, 2, WEFT_MAD_FLUSHED);
    assert_int_equal(f->port->agents.used, 0);
    assert_int_equal(weft_mad_agent_remove(f->port, f->now, old), WEFT_ERR_STALE);
    fx_expect_idle(f);
    fx_agent(f, &r);
    fx_free(f);
}

static void test_R71_removal_empties_the_backlog_and_reports_each_entry_once(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);

    (void)state;
    fx_ask_all(f, 1, 100);
    assert_int_equal(fx_send_all(f), 16);
    assert_int_equal(fx_stats(f).queued, 84);
    fx_remove_agent(f, f->agent);
    assert_int_equal(fx_drain(f, WEFT_MAD_FLUSHED), 100);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_removal_takes_back_messages_that_nobody_polled_but_not_those_held(void **state)
{
    struct fx *f = fx_new(NULL, 0);
    struct weft_mad_agent_req r = fx_agent_req(FX_PERF);
    uint8_t mad[WEFT_MAD_BYTES];
    weft_mad_agent_id a;
    weft_mad_recv_id held;

    (void)state;
    fx_own_method(&r, WEFT_METHOD_TRAP);
    a = fx_agent(f, &r);
    fx_mad(mad, FX_PERF, WEFT_METHOD_TRAP, 5);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_ACCEPTED);
    mad_set_tid(mad, 6);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_ACCEPTED);
    held = fx_expect_unsolicited(f, 5);
    fx_remove_agent(f, a);
    assert_false(fx_event(f));
    assert_int_equal(fx_stats(f).recv_held, 1);
    assert_int_equal(mad_tid(f->event.u.recv.mad), 5);
    assert_int_equal(weft_mad_recv_release(f->port, held), 0);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_unsolicited_MADs_go_by_version_class_vendor_and_method(void **state)
{
    struct fx *f = fx_new(NULL, 0);
    struct weft_mad_agent_req r = fx_agent_req(VENDOR2);
    weft_mad_agent_id by_oui[2], version_2, trap;
    uint8_t mad[WEFT_MAD_BYTES];

    (void)state;
    fx_own_method(&r, WEFT_METHOD_SEND);
    by_oui[0] = fx_agent(f, &r);
    r.oui[2]++;
    by_oui[1] = fx_agent(f, &r);
    r.oui[2]--;
    r.class_version = 2;
    version_2 = fx_agent(f, &r);
    r = fx_agent_req(FX_PERF);
    fx_own_method(&r, WEFT_METHOD_TRAP);
    trap = fx_agent(f, &r);

    fx_mad(mad, VENDOR2, WEFT_METHOD_SEND, 9);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_ACCEPTED);
    fx_expect_unsolicited(f, 9);
    assert_int_equal(f->event.agent.v, by_oui[0].v);
    mad_set_oui(mad, 0x1406);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_ACCEPTED);
    fx_expect_unsolicited(f, 9);
    assert_int_equal(f->event.agent.v, by_oui[1].v);
    mad_set_oui(mad, 0x1407);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_DROP_NO_AGENT);
    mad_set_oui(mad, 0x1405);
    mad_set_class_version(mad, 2);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_ACCEPTED);
    fx_expect_unsolicited(f, 9);
    assert_int_equal(f->event.agent.v, version_2.v);
    mad_set_class_version(mad, 3);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_DROP_NO_AGENT);
    fx_mad(mad, FX_PERF, WEFT_METHOD_TRAP, 9);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_ACCEPTED);
    fx_expect_unsolicited(f, 9);
    assert_int_equal(f->event.agent.v, trap.v);
    mad_set_method(mad, WEFT_METHOD_REPORT);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_DROP_NO_AGENT);
    fx_expect_nothing(f);
    fx_free(f);
}

static void test_send_only_agents_get_answers_but_nothing_unsolicited(void **state)
{
    struct fx *f = fx_new(NULL, 0);
    struct weft_mad_agent_req r = {.qpn = 1, .send_only = true};
    uint8_t mad[WEFT_MAD_BYTES];

    (void)state;
    r.methods[0] = r.methods[1] = UINT64_MAX;
    r.mgmt_class = FX_PERF;
    r.class_version = 1;
    f->agent = fx_agent(f, &r);
    f->mgmt_class = FX_PERF;
    fx_mad(mad, FX_PERF, WEFT_METHOD_TRAP, 5);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_DROP_NO_AGENT);
    fx_ask(f, 1);
    fx_send(f);
    assert_int_equal(fx_answer(f, 1), WEFT_MAD_ACCEPTED);
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    fx_free(f);
}

static void test_agents_without_receiving_get_no_answer_and_time_out(void **state)
{
    struct fx *f = fx_new(NULL, 0);
    struct weft_mad_agent_req r = {.qpn = 1, .send_only = true, .no_recv = true};

    (void)state;
    f->agent = fx_agent(f, &r);
    f->mgmt_class = FX_SA;
    assert_int_equal(fx_agent_stats(f).limit, 0);
    fx_ask(f, 1);
    fx_send(f);
    assert_int_equal(fx_answer(f, 1), WEFT_MAD_DROP_UNMATCHED);
    assert_false(fx_event(f));
    fx_advance(f, FX_TIMEOUT);
    fx_expect_done(f, 1, WEFT_MAD_TIMEOUT);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_a_stale_agent_is_refused_in_every_call(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    struct weft_mad_send_req r = fx_request(f, 1);
    struct weft_mad_agent_stats st;
    const weft_mad_agent_id none = {0}, far = {POOL_HANDLE(1000000, 1)};
    const struct weft_mad_agent_req same = fx_agent_req(FX_SA);
    weft_mad_agent_id again;
    uint32_t tid;

    (void)state;
    fx_remove_agent(f, f->agent);
    again = fx_agent(f, &same);
    assert_int_equal((uint32_t)again.v, (uint32_t)f->agent.v); /* in the same slot */
    for (int i = 0; i < 3; i++) {
        weft_mad_agent_id id = i == 0 ? f->agent : i == 1 ? none : far;

        r.agent = id;
        assert_int_equal(weft_mad_post(f->port, f->now, &r, NULL), WEFT_ERR_STALE);
        assert_int_equal(weft_mad_agent_remove(f->port, f->now, id), WEFT_ERR_STALE);
        assert_int_equal(weft_mad_agent_tid(f->port, id, &tid), WEFT_ERR_STALE);
        assert_int_equal(weft_mad_agent_stats(f->port, id, &st), WEFT_ERR_STALE);
    }
    assert_int_equal(weft_mad_agent_tid(f->port, again, &tid), 0);
    fx_expect_idle(f);
    fx_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registration_rules),
        cmocka_unit_test(test_methods_have_one_owner_and_a_conflict_changes_nothing),
        cmocka_unit_test(test_directed_and_LID_routed_management_are_separate),
        cmocka_unit_test(test_vendors_share_a_class_up_to_eight),
        cmocka_unit_test(test_agents_are_as_many_as_configured),
        cmocka_unit_test(test_transaction_ids_have_24_bits_go_round_and_are_never_0),
        cmocka_unit_test(test_transaction_ids_keep_to_the_configured_range),
        cmocka_unit_test(test_the_tid_of_a_removed_agent_is_not_used_while_its_sends_end),
        cmocka_unit_test(test_R39_R40_R77_removal_in_every_state),
        cmocka_unit_test(test_R71_removal_empties_the_backlog_and_reports_each_entry_once),
        cmocka_unit_test(test_removal_takes_back_messages_that_nobody_polled_but_not_those_held),
        cmocka_unit_test(test_unsolicited_MADs_go_by_version_class_vendor_and_method),
        cmocka_unit_test(test_send_only_agents_get_answers_but_nothing_unsolicited),
        cmocka_unit_test(test_agents_without_receiving_get_no_answer_and_time_out),
        cmocka_unit_test(test_a_stale_agent_is_refused_in_every_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
