/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The own node: the device's first refusal, what it passes on, and SMPs that never leave. */
#include "mad_fixture.h"

#include <string.h>

#define DR WEFT_CLASS_SUBN_DIRECTED

static void add_class(struct weft_mad_classes *set, uint8_t mgmt_class)
{
    set->bits[mgmt_class / 64] |= UINT64_C(1) << mgmt_class % 64;
}

static void own_everything(struct fx *f, uint8_t mgmt_class)
{
    struct weft_mad_agent_req r = fx_agent_req(mgmt_class);

    r.methods[0] = r.methods[1] = UINT64_MAX;
    fx_agent(f, &r);
}

static void make_directed(uint8_t *mad, uint8_t method)
{
    fx_mad(mad, DR, method, 0x55);
    wire_set(WIRE_SMP_DIRECTED_HOP_POINTER, mad, 1);
    wire_set(WIRE_SMP_DIRECTED_HOP_COUNT, mad, 1);
}

static struct fx *with_device(uint8_t mgmt_class)
{
    struct weft_mad_config c = fx_config();

    add_class(&c.device, mgmt_class);
    return fx_new(&c, 0);
}

static weft_mad_recv_id device_event(struct fx *f)
{
    assert_true(fx_event(f));
    assert_int_equal(f->event.type, WEFT_MAD_EVENT_DEVICE);
    assert_int_equal(f->event.agent.v, 0);
    return f->event.u.recv.id;
}

static void test_the_device_is_asked_before_any_agent(void **state)
{
    struct fx *f = with_device(FX_PERF);
    uint8_t mad[WEFT_MAD_BYTES], reply[WEFT_MAD_BYTES];
    weft_mad_recv_id id;

    (void)state;
    own_everything(f, FX_PERF);
    fx_mad(mad, FX_PERF, WEFT_METHOD_GET, 1);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_ACCEPTED);
    id = device_event(f);
    assert_memory_equal(f->event.u.recv.mad, mad, WEFT_MAD_BYTES);
    memcpy(reply, mad, sizeof(reply));
    mad_set_method(reply, WEFT_METHOD_GET_RESP);
    assert_int_equal(weft_mad_recv_answer(f->port, f->now, id, reply), 0);
    fx_audit(f);
    assert_int_equal(weft_mad_recv_answer(f->port, f->now, id, reply), WEFT_ERR_STALE);
    fx_send(f);
    assert_memory_equal(f->packet, reply, WEFT_MAD_BYTES);
    assert_int_equal(f->packet_to.lid, FX_PEER_LID);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_R155_the_devices_answer_leaves_on_the_index_of_the_request(void **state)
{
    struct fx *f = with_device(FX_PERF);
    uint8_t mad[WEFT_MAD_BYTES];
    struct weft_mad_rx rx = {.qpn = 1,
                             .dlid = FX_LID,
                             .from = {.lid = 0x99, .qpn = 0x345, .pkey_index = 0xFFFE},
                             .data = mad,
                             .len = WEFT_MAD_BYTES};
    weft_mad_recv_id id;

    (void)state;
    fx_mad(mad, FX_PERF, WEFT_METHOD_GET, 1);
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_ACCEPTED);
    id = device_event(f);
    assert_int_equal(f->event.u.recv.from.pkey_index, 0xFFFE);
    mad_set_method(mad, WEFT_METHOD_GET_RESP);
    assert_int_equal(weft_mad_recv_answer(f->port, f->now, id, mad), 0);
    fx_send(f);
    assert_int_equal(f->packet_to.pkey_index, 0xFFFE);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_the_device_consumes_by_releasing(void **state)
{
    struct fx *f = with_device(FX_PERF);
    uint8_t mad[WEFT_MAD_BYTES];
    weft_mad_recv_id id;

    (void)state;
    own_everything(f, FX_PERF);
    fx_mad(mad, FX_PERF, WEFT_METHOD_GET, 1);
    fx_rx(f, mad);
    id = device_event(f);
    assert_int_equal(weft_mad_recv_release(f->port, id), 0);
    fx_expect_idle(f);
    assert_int_equal(weft_mad_recv_release(f->port, id), WEFT_ERR_STALE);
    fx_free(f);
}

static void test_the_device_passes_on_to_agents_or_to_the_automatic_answer(void **state)
{
    struct fx *f = with_device(FX_PERF);
    uint8_t mad[WEFT_MAD_BYTES];
    weft_mad_recv_id id;

    (void)state;
    fx_mad(mad, FX_PERF, WEFT_METHOD_GET, 7);
    fx_rx(f, mad);
    id = device_event(f);
    assert_int_equal(weft_mad_recv_pass(f->port, f->now, id), 0);
    assert_int_equal(weft_mad_recv_pass(f->port, f->now, id), WEFT_ERR_STALE);
    /* what weft_mad_rx() answered stands; what came of it later is counted apart */
    assert_int_equal(fx_stats(f).verdicts[WEFT_MAD_ACCEPTED], 1);
    assert_int_equal(fx_stats(f).verdicts[WEFT_MAD_DROP_NO_AGENT], 0);
    assert_int_equal(fx_stats(f).passed[WEFT_MAD_DROP_NO_AGENT], 1);
    fx_send(f);
    assert_int_equal(mad_status(f->packet), WEFT_STATUS_BAD_METHOD_ATTRIBUTE);
    own_everything(f, FX_PERF);
    fx_rx(f, mad);
    assert_int_equal(weft_mad_recv_pass(f->port, f->now, device_event(f)), 0);
    id = fx_expect_unsolicited(f, 7);
    /* what an agent got is no device message */
    assert_int_equal(weft_mad_recv_pass(f->port, f->now, id), WEFT_ERR_STATE);
    assert_int_equal(weft_mad_recv_answer(f->port, f->now, id, mad), WEFT_ERR_STATE);
    assert_int_equal(weft_mad_recv_release(f->port, id), 0);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_the_device_gets_no_answers_and_no_other_classes(void **state)
{
    struct fx *f = with_device(FX_PERF);
    struct weft_mad_agent_req a = fx_agent_req(FX_PERF);
    uint8_t mad[WEFT_MAD_BYTES];

    (void)state;
    f->agent = fx_agent(f, &a);
    f->mgmt_class = FX_PERF;
    fx_ask(f, 1);
    fx_send(f);
    fx_answer(f, 1);
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    fx_mad(mad, WEFT_CLASS_BOARD, WEFT_METHOD_GET, 7);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_DROP_NO_AGENT);
    fx_free(f);
}

static void test_a_directed_answer_of_the_device_gets_its_hops_moved_or_is_refused(void **state)
{
    struct fx *f = with_device(DR);
    uint8_t mad[WEFT_MAD_BYTES];
    weft_mad_recv_id id;

    (void)state;
    make_directed(mad, WEFT_METHOD_GET);
    fx_rx(f, mad);
    id = device_event(f);
    memcpy(mad, f->event.u.recv.mad, sizeof(mad));
    mad_set_method(mad, WEFT_METHOD_GET_RESP);
    /* hops that lead nowhere: waiting would not help */
    wire_set(WIRE_SMP_DIRECTED_HOP_COUNT, mad, 60);
    mad_set_status(mad, WEFT_STATUS_DIRECTION);
    assert_int_equal(weft_mad_recv_answer(f->port, f->now, id, mad), WEFT_ERR_INVALID);
    wire_set(WIRE_SMP_DIRECTED_HOP_COUNT, mad, 1);
    assert_int_equal(weft_mad_recv_answer(f->port, f->now, id, mad), 0);
    fx_send(f);
    assert_int_equal(wire_get(WIRE_SMP_DIRECTED_HOP_POINTER, f->packet), 1);
    fx_expect_idle(f);
    fx_free(f);
}

/* A port whose device gets directed-route SMPs, and an agent that sent itself one: number 1. */
static struct fx *with_local_send(weft_mad_send_id *ret_send, weft_mad_recv_id *ret_device)
{
    struct fx *f = with_device(DR);
    struct weft_mad_agent_req a = fx_agent_req(DR);
    struct weft_mad_send_req r;

    f->agent = fx_agent(f, &a);
    f->mgmt_class = DR;
    r = fx_request(f, 1);
    packet_directed(f->mads[1], 0);
    *ret_send = fx_post(f, &r);
    *ret_device = device_event(f);
    assert_int_equal(f->event.user_data, 1);
    assert_int_equal(fx_state(f, *ret_send), WEFT_MAD_LOCAL);
    assert_true(fx_tx_empty(f));
    return f;
}

static void test_a_directed_route_to_the_own_node_is_answered_by_the_device(void **state)
{
    weft_mad_send_id send;
    weft_mad_recv_id device;
    struct fx *f = with_local_send(&send, &device);
    uint8_t mad[WEFT_MAD_BYTES];

    (void)state;
    /* it bypasses the machine: no count, no cancel, no timeout, no match */
    assert_int_equal(fx_stats(f).outstanding, 0);
    assert_int_equal(weft_mad_cancel(f->port, f->now, send), WEFT_ERR_STATE);
    assert_int_equal(weft_mad_set_timeout(f->port, f->now, send, 1), WEFT_ERR_STATE);
    fx_answer_mad(f, 1, WEFT_STATUS_DIRECTION, mad);
    assert_int_equal(weft_mad_deadline(f->port), WEFT_TIME_NEVER);
    assert_int_equal(weft_mad_recv_answer(f->port, f->now, device, mad), 0);
    fx_audit(f);
    assert_true(fx_event(f));
    assert_int_equal(f->event.type, WEFT_MAD_EVENT_RECV);
    assert_int_equal(f->event.agent.v, f->agent.v);
    assert_int_equal(f->event.user_data, 1);
    assert_true(f->event.u.recv.solicited);
    assert_memory_equal(f->event.u.recv.mad, mad, sizeof(mad));
    assert_int_equal(weft_mad_recv_release(f->port, device), WEFT_ERR_STALE); /* another message */
    assert_int_equal(weft_mad_recv_release(f->port, f->event.u.recv.id), 0);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_a_local_send_ends_when_the_device_consumes_or_passes_it(void **state)
{
    (void)state;
    for (int pass = 0; pass < 2; pass++) {
        weft_mad_send_id send;
        weft_mad_recv_id device;
        struct fx *f = with_local_send(&send, &device);

        if (pass)
            assert_int_equal(weft_mad_recv_pass(f->port, f->now, device), 0);
        else
            assert_int_equal(weft_mad_recv_release(f->port, device), 0);
        fx_audit(f);
        fx_expect_done(f, 1, WEFT_MAD_OK);
        fx_expect_idle(f); /* nothing goes out, not even "unsupported" */
        fx_free(f);
    }
}

static void test_the_device_may_finish_after_the_sender_is_gone(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        weft_mad_send_id send;
        weft_mad_recv_id device;
        struct fx *f = with_local_send(&send, &device);
        struct weft_mad_agent_req a = fx_agent_req(FX_PERF);
        uint8_t mad[WEFT_MAD_BYTES];

        memcpy(mad, f->mads[1], sizeof(mad));
        fx_remove_agent(f, f->agent);
        fx_expect_done(f, 1, WEFT_MAD_FLUSHED);
        /* the slots of send and agent have new owners */
        f->agent = fx_agent(f, &a);
        f->mgmt_class = FX_PERF;
        send = fx_ask(f, 2);
        if (how == 0)
            assert_int_equal(weft_mad_recv_answer(f->port, f->now, device, mad), 0);
        else if (how == 1)
            assert_int_equal(weft_mad_recv_pass(f->port, f->now, device), 0);
        else
            assert_int_equal(weft_mad_recv_release(f->port, device), 0);
        fx_audit(f);
        assert_int_equal(fx_state(f, send), WEFT_MAD_SEND_START);
        assert_int_equal(fx_send_all(f), 1);
        fx_free(f);
    }
}

static void test_one_senders_removal_leaves_the_local_sends_of_others(void **state)
{
    weft_mad_send_id send;
    weft_mad_recv_id device, other_device;
    struct fx *f = with_local_send(&send, &device);
    struct weft_mad_agent_req a = fx_agent_req(DR);
    weft_mad_agent_id going = f->agent;
    struct weft_mad_send_req r;

    (void)state;
    f->agent = fx_agent(f, &a);
    r = fx_request(f, 2);
    packet_directed(f->mads[2], 0);
    fx_post(f, &r);
    other_device = device_event(f);
    fx_remove_agent(f, going);
    fx_expect_done(f, 1, WEFT_MAD_FLUSHED);
    assert_int_equal(weft_mad_recv_release(f->port, other_device), 0);
    fx_expect_done(f, 2, WEFT_MAD_OK);
    assert_int_equal(weft_mad_recv_release(f->port, device), 0);
    fx_expect_idle(f);
    fx_free(f);
}

/* A port with 64 buffers and the budget on, whose device gets this class. One DEVICE message is
 * with the host, and 70 requests are posted: all other buffers are spoken for. */
static struct fx *with_requests_waiting(uint8_t device_class)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_agent_req a = fx_agent_req(FX_PERF);
    struct fx *f;

    c.recv_depth = 64;
    c.flow.port_budget = true;
    c.flow.reserve = 0;
    add_class(&c.device, device_class);
    f = fx_new(&c, 0);
    own_everything(f, WEFT_CLASS_BOARD);
    own_everything(f, DR);
    f->agent = fx_agent(f, &a);
    f->mgmt_class = FX_PERF;
    return f;
}

static void test_a_message_that_is_passed_on_keeps_its_buffer(void **state)
{
    struct fx *f = with_requests_waiting(WEFT_CLASS_BOARD);
    uint8_t mad[WEFT_MAD_BYTES];
    weft_mad_recv_id id;

    (void)state;
    fx_mad(mad, WEFT_CLASS_BOARD, WEFT_METHOD_GET, 9);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_ACCEPTED);
    id = device_event(f);
    fx_ask_all(f, 1, 70);
    assert_int_equal(fx_stats(f).queued, 7);
    assert_int_equal(weft_mad_recv_pass(f->port, f->now, id), 0);
    fx_audit(f);
    id = fx_expect_unsolicited(f, 9);
    assert_int_equal(fx_stats(f).queued, 7);
    assert_int_equal(fx_stats(f).passed[WEFT_MAD_ACCEPTED], 1);
    assert_int_equal(weft_mad_recv_release(f->port, id), 0);
    assert_int_equal(fx_stats(f).queued, 6); /* now it is free */
    fx_free(f);
}

static void test_what_nobody_takes_leaves_its_buffer_to_those_who_wait(void **state)
{
    struct fx *f = with_requests_waiting(WEFT_CLASS_SNMP);
    uint8_t mad[WEFT_MAD_BYTES];
    weft_mad_recv_id id;

    (void)state;
    fx_mad(mad, WEFT_CLASS_SNMP, WEFT_METHOD_GET, 9);
    fx_rx(f, mad);
    id = device_event(f);
    fx_ask_all(f, 1, 70);
    assert_int_equal(weft_mad_recv_pass(f->port, f->now, id), 0);
    fx_audit(f);
    assert_int_equal(fx_stats(f).queued, 6);
    assert_int_equal(fx_stats(f).passed[WEFT_MAD_DROP_NO_AGENT], 1);
    fx_free(f);
}

static void test_a_local_SMP_that_is_passed_on_or_answered_keeps_its_buffer(void **state)
{
    (void)state;
    for (int answer = 0; answer < 2; answer++) {
        struct fx *f = with_requests_waiting(DR);
        struct weft_mad_agent_req a = fx_agent_req(DR);
        weft_mad_agent_id asker = f->agent;
        struct weft_mad_send_req r;
        weft_mad_recv_id id;

        f->mgmt_class = DR;
        f->agent = fx_agent(f, &a);
        r = fx_request(f, 100);
        packet_directed(f->mads[100], 0);
        fx_post(f, &r);
        id = device_event(f);
        f->mgmt_class = FX_PERF;
        f->agent = asker;
        fx_ask_all(f, 1, 70);
        assert_int_equal(fx_stats(f).queued, 7);
        if (answer) /* from the bytes of the message itself */
            assert_int_equal(weft_mad_recv_answer(f->port, f->now, id, f->event.u.recv.mad), 0);
        else
            assert_int_equal(weft_mad_recv_pass(f->port, f->now, id), 0);
        fx_audit(f);
        assert_int_equal(fx_stats(f).queued, 7);
        assert_true(fx_event(f));
        assert_int_equal(f->event.type, WEFT_MAD_EVENT_RECV);
        assert_int_equal(f->event.u.recv.solicited, answer);
        id = f->event.u.recv.id;
        fx_expect_done(f, 100, WEFT_MAD_OK);
        assert_int_equal(weft_mad_recv_release(f->port, id), 0);
        assert_int_equal(fx_stats(f).queued, 6);
        fx_free(f);
    }
}

/* Transfers that nobody asked for give way to answers, so the budget counts their buffers as free;
 * they are not when the device has done its part. */
static void test_transfers_that_come_in_do_not_take_what_is_passed_on(void **state)
{
    (void)state;
    for (int answer = 0; answer < 2; answer++) {
        struct fx *f = with_requests_waiting(DR);
        struct weft_mad_agent_req a = fx_agent_req(FX_SA), sm = fx_agent_req(DR);
        weft_mad_agent_id asker = f->agent;
        struct fx_segment s = {.mgmt_class = FX_SA,
                               .method = WEFT_METHOD_REPORT,
                               .type = WEFT_RMPP_DATA,
                               .flags = WEFT_RMPP_FLAG_FIRST,
                               .segment = 1};
        struct weft_mad_send_req r;
        weft_mad_recv_id id;

        a.rmpp_version = 1;
        fx_own_method(&a, WEFT_METHOD_REPORT);
        fx_agent(f, &a);
        f->mgmt_class = DR;
        f->agent = fx_agent(f, &sm);
        r = fx_request(f, 100);
        packet_directed(f->mads[100], 0);
        fx_post(f, &r);
        id = device_event(f);
        for (s.tid = 1; s.tid <= 10; s.tid++)
            assert_int_equal(fx_rx_segment(f, &s), WEFT_MAD_ACCEPTED);
        f->mgmt_class = FX_PERF;
        f->agent = asker;
        fx_ask_all(f, 1, 70);
        if (answer)
            assert_int_equal(weft_mad_recv_answer(f->port, f->now, id, f->event.u.recv.mad), 0);
        else
            assert_int_equal(weft_mad_recv_pass(f->port, f->now, id), 0);
        fx_audit(f);
        assert_true(fx_event(f));
        assert_int_equal(f->event.type, WEFT_MAD_EVENT_RECV);
        assert_int_equal(f->event.u.recv.solicited, answer);
        fx_free(f);
    }
}

static void count_drops(void *ctx, const struct weft_trace_event *ev)
{
    unsigned *drops = ctx;

    *drops += ev->type == WEFT_TRACE_DROP;
}

static void test_local_SMPs_that_nobody_can_take_are_counted_and_traced(void **state)
{
    struct weft_mad_config c = fx_config();
    struct weft_mad_agent_req a = fx_agent_req(DR);
    unsigned drops = 0;
    struct weft_mad_send_req r;
    uint8_t mad[WEFT_MAD_BYTES];
    struct fx *f;

    (void)state;
    c.recv_depth = 64;
    c.trace = count_drops;
    c.trace_ctx = &drops;
    f = fx_new(&c, DR);
    r = fx_request(f, 1);
    packet_directed(f->mads[1], 0);
    fx_post(f, &r);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    assert_int_equal(fx_stats(f).passed[WEFT_MAD_DROP_NO_AGENT], 1);

    r = fx_request(f, 2); /* an answer to nobody's question */
    wire_set(WIRE_SMP_DIRECTED_HOP_POINTER, f->mads[2], 1);
    packet_directed(f->mads[2], 0);
    mad_set_method(f->mads[2], WEFT_METHOD_GET_RESP);
    mad_set_status(f->mads[2], WEFT_STATUS_DIRECTION);
    fx_post(f, &r);
    fx_expect_done(f, 2, WEFT_MAD_OK);
    assert_int_equal(fx_stats(f).passed[WEFT_MAD_DROP_UNMATCHED], 1);

    own_everything(f, FX_PERF);
    fx_own_method(&a, WEFT_METHOD_GET);
    fx_agent(f, &a);
    r = fx_request(f, 3);
    packet_directed(f->mads[3], 0);
    fx_post(f, &r);
    fx_mad(mad, FX_PERF, WEFT_METHOD_TRAP, 1);
    for (unsigned n = 1; n < 64; n++)
        assert_int_equal(fx_rx(f, mad), WEFT_MAD_ACCEPTED);
    r = fx_request(f, 4);
    packet_directed(f->mads[4], 0);
    fx_post(f, &r);
    assert_int_equal(fx_stats(f).passed[WEFT_MAD_ACCEPTED], 1);
    assert_int_equal(fx_stats(f).passed[WEFT_MAD_DROP_NO_BUFFER], 1);
    assert_int_equal(fx_stats(f).verdicts[WEFT_MAD_DROP_NO_BUFFER], 0); /* it never arrived */
    assert_int_equal(drops, 3);
    fx_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_device_is_asked_before_any_agent),
        cmocka_unit_test(test_R155_the_devices_answer_leaves_on_the_index_of_the_request),
        cmocka_unit_test(test_the_device_consumes_by_releasing),
        cmocka_unit_test(test_the_device_passes_on_to_agents_or_to_the_automatic_answer),
        cmocka_unit_test(test_the_device_gets_no_answers_and_no_other_classes),
        cmocka_unit_test(test_a_directed_answer_of_the_device_gets_its_hops_moved_or_is_refused),
        cmocka_unit_test(test_a_directed_route_to_the_own_node_is_answered_by_the_device),
        cmocka_unit_test(test_a_local_send_ends_when_the_device_consumes_or_passes_it),
        cmocka_unit_test(test_the_device_may_finish_after_the_sender_is_gone),
        cmocka_unit_test(test_one_senders_removal_leaves_the_local_sends_of_others),
        cmocka_unit_test(test_a_message_that_is_passed_on_keeps_its_buffer),
        cmocka_unit_test(test_what_nobody_takes_leaves_its_buffer_to_those_who_wait),
        cmocka_unit_test(test_a_local_SMP_that_is_passed_on_or_answered_keeps_its_buffer),
        cmocka_unit_test(test_transfers_that_come_in_do_not_take_what_is_passed_on),
        cmocka_unit_test(test_local_SMPs_that_nobody_can_take_are_counted_and_traced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
