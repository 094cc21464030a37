/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reception: what is dropped and why, the device's first refusal, and the automatic answer. */
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

static void test_what_the_host_got_wrong_is_an_error(void **state)
{
    struct fx *f = fx_new(NULL, 0);
    uint8_t mad[WEFT_MAD_BYTES] = {0};
    struct weft_mad_rx rx = {.qpn = 1, .len = WEFT_MAD_BYTES};
    enum weft_mad_verdict v;

    (void)state;
    assert_int_equal(weft_mad_rx(f->port, f->now, &rx, &v), WEFT_ERR_INVALID);
    rx.data = mad;
    rx.qpn = 2;
    assert_int_equal(weft_mad_rx(f->port, f->now, &rx, &v), WEFT_ERR_INVALID);
    rx.qpn = 1;
    assert_int_equal(weft_mad_rx(f->port, f->now, &rx, NULL), 0);
    fx_free(f);
}

static void test_malformed_packets_and_wrong_QPs_are_dropped(void **state)
{
    struct fx *f = fx_new(NULL, 0);
    uint8_t mad[WEFT_MAD_BYTES];
    struct weft_mad_rx rx = {.qpn = 1, .data = mad, .len = WEFT_MAD_BYTES};

    (void)state;
    own_everything(f, FX_PERF);
    own_everything(f, WEFT_CLASS_SUBN_LID);
    fx_mad(mad, FX_PERF, WEFT_METHOD_TRAP, 1);
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_ACCEPTED);
    rx.len = 255;
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_DROP_MALFORMED);
    rx.len = 0;
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_DROP_MALFORMED);
    rx.len = 257;
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_DROP_MALFORMED);
    rx.len = WEFT_MAD_BYTES;
    rx.qpn = 0;
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_DROP_QP);
    mad_set_class(mad, WEFT_CLASS_SUBN_LID);
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_ACCEPTED);
    rx.qpn = 1;
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_DROP_QP);
    mad_set_class(mad, DR);
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_DROP_QP);
    mad_set_class(mad, FX_PERF);
    mad_set_base_version(mad, 0);
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_DROP_MALFORMED);
    mad_set_base_version(mad, 2);
    assert_int_equal(fx_rx_from(f, &rx), WEFT_MAD_DROP_MALFORMED);
    assert_int_equal(fx_stats(f).verdicts[WEFT_MAD_DROP_MALFORMED], 5);
    assert_int_equal(fx_stats(f).verdicts[WEFT_MAD_DROP_QP], 3);
    fx_free(f);
}

static void test_CM_is_Send_but_for_ClassPortInfo(void **state)
{
    struct fx *f = fx_new(NULL, 0);
    uint8_t mad[WEFT_MAD_BYTES];

    (void)state;
    own_everything(f, WEFT_CLASS_CM);
    fx_mad(mad, WEFT_CLASS_CM, WEFT_METHOD_SEND, 1);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_ACCEPTED);
    mad_set_method(mad, WEFT_METHOD_GET);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_DROP_MALFORMED);
    mad_set_method(mad, WEFT_METHOD_GET_RESP);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_DROP_MALFORMED);
    mad_set_method(mad, WEFT_METHOD_GET);
    mad_set_attr_id(mad, WEFT_ATTR_CLASS_PORT_INFO);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_ACCEPTED);
    fx_free(f);
}

static void test_answers_without_an_agent_are_dropped(void **state)
{
    struct fx *f = fx_new(NULL, 0);
    uint8_t mad[WEFT_MAD_BYTES];

    (void)state;
    own_everything(f, FX_PERF);
    fx_mad(mad, FX_PERF, WEFT_METHOD_GET_RESP, UINT64_C(0x77) << 32);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_DROP_UNMATCHED);
    mad_set_tid(mad, 0);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_DROP_UNMATCHED);
    fx_expect_nothing(f); /* never answered: no ping-pong */
    fx_free(f);
}

static void test_Get_and_Set_that_nobody_takes_are_answered_unsupported(void **state)
{
    static const struct {
        uint8_t mgmt_class, method;
        bool answered;
    } rows[] = {
        {FX_PERF, WEFT_METHOD_GET, true},
        {FX_PERF, WEFT_METHOD_SET, true},
        {FX_PERF, WEFT_METHOD_TRAP, false},
        {FX_PERF, WEFT_METHOD_SEND, false},
        {FX_PERF, WEFT_METHOD_REPORT, false},
        {FX_SA, WEFT_METHOD_GET_TABLE, false},
        {FX_PERF, WEFT_METHOD_GET_RESP, false},
        {FX_PERF, WEFT_METHOD_TRAP_REPRESS, false},
        {WEFT_CLASS_SUBN_LID, WEFT_METHOD_GET, true},
        {0x7f, WEFT_METHOD_GET, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fx *f = fx_new(NULL, 0);
        uint8_t mad[WEFT_MAD_BYTES];

        fx_mad(mad, rows[i].mgmt_class, rows[i].method, 0x1234567890);
        assert_int_not_equal(fx_rx(f, mad), WEFT_MAD_ACCEPTED);
        assert_int_equal(fx_stats(f).unsupported, rows[i].answered ? 1 : 0);
        if (rows[i].answered) {
            fx_send(f);
            assert_int_equal(mad_method(f->packet), WEFT_METHOD_GET_RESP);
            assert_int_equal(mad_status(f->packet), WEFT_STATUS_BAD_METHOD_ATTRIBUTE);
            assert_int_equal(mad_tid(f->packet), 0x1234567890);
            assert_int_equal(mad_class(f->packet), rows[i].mgmt_class);
            assert_int_equal(f->packet_to.lid, FX_PEER_LID);
        }
        fx_expect_idle(f);
        fx_free(f);
    }
}

static void test_the_automatic_answer_goes_back_the_way_it_came(void **state)
{
    struct fx *f = fx_new(NULL, 0);
    uint8_t mad[WEFT_MAD_BYTES];
    struct weft_mad_rx rx = {.qpn = 1, .dlid = 0x43, .data = mad, .len = WEFT_MAD_BYTES};

    (void)state;
    assert_int_equal(weft_mad_port_set_lid(f->port, 0x40, 2), 0);
    fx_mad(mad, FX_PERF, WEFT_METHOD_GET, 1);
    rx.from = (struct weft_mad_addr){
        .lid = 0x99, .sl = 5, .qpn = 0x345, .pkey_index = 3, .has_grh = true};
    memset(rx.from.grh.sgid, 0x51, 16);
    memset(rx.from.grh.dgid, 0xd1, 16);
    rx.from.grh.hop_limit = 1;
    rx.from.grh.traffic_class = 7;
    fx_rx_from(f, &rx);
    fx_send(f);
    assert_int_equal(f->packet_to.lid, 0x99);
    assert_int_equal(f->packet_to.sl, 5);
    assert_int_equal(f->packet_to.qpn, 0x345);
    assert_int_equal(f->packet_to.qkey, WEFT_QKEY_GSI);
    assert_int_equal(f->packet_to.pkey_index, 3);
    assert_int_equal(f->packet_to.path_bits, 3);
    assert_true(f->packet_to.has_grh);
    assert_memory_equal(f->packet_to.grh.dgid, rx.from.grh.sgid, 16);
    assert_memory_equal(f->packet_to.grh.sgid, rx.from.grh.dgid, 16);
    assert_int_equal(f->packet_to.grh.hop_limit, 255);
    assert_int_equal(f->packet_to.grh.traffic_class, 7);
    fx_free(f);
}

/* A directed-route SMP that ends at this node after one hop, arrived by port 1. */
static void make_directed(uint8_t *mad, uint8_t method)
{
    fx_mad(mad, DR, method, 0x55);
    mad[6] = 1; /* hop pointer */
    mad[7] = 1; /* hop count */
}

static void test_a_directed_route_answer_has_the_D_bit(void **state)
{
    struct fx *f = fx_new(NULL, 0);
    uint8_t mad[WEFT_MAD_BYTES];

    (void)state;
    make_directed(mad, WEFT_METHOD_GET);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_DROP_NO_AGENT);
    fx_send(f);
    assert_int_equal(mad_status(f->packet),
                     WEFT_STATUS_DIRECTION | WEFT_STATUS_BAD_METHOD_ATTRIBUTE);
    assert_int_equal(mad_method(f->packet), WEFT_METHOD_GET_RESP);
    assert_int_equal(f->packet[6], 1);       /* on its way back */
    assert_int_equal(f->packet[192 + 1], 1); /* the arrival port was recorded */
    fx_free(f);
}

static void test_directed_routes_that_end_elsewhere_are_dropped(void **state)
{
    struct fx *f = fx_new(NULL, 0);
    uint8_t mad[WEFT_MAD_BYTES];

    (void)state;
    own_everything(f, DR);
    make_directed(mad, WEFT_METHOD_GET);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_ACCEPTED);
    mad[7] = 2; /* one more hop: a CA forwards nothing */
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_DROP_HOPS);
    mad[7] = 64;
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_DROP_HOPS);
    mad[7] = 1;
    mad[6] = 5;
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_DROP_HOPS);
    fx_free(f);
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
    assert_int_equal(fx_stats(f).verdicts[WEFT_MAD_ACCEPTED], 0);
    assert_int_equal(fx_stats(f).verdicts[WEFT_MAD_DROP_NO_AGENT], 1);
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
    mad[7] = 60; /* hops that lead nowhere: waiting would not help */
    mad_set_status(mad, WEFT_STATUS_DIRECTION);
    assert_int_equal(weft_mad_recv_answer(f->port, f->now, id, mad), WEFT_ERR_INVALID);
    mad[7] = 1;
    assert_int_equal(weft_mad_recv_answer(f->port, f->now, id, mad), 0);
    fx_send(f);
    assert_int_equal(f->packet[6], 1);
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
    f->mads[1][7] = 0; /* no hop */
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
    f->mads[2][7] = 0;
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

static void test_user_RMPP_agents_get_segments_as_they_are(void **state)
{
    struct fx *f = fx_new(NULL, 0);
    struct weft_mad_agent_req a = fx_agent_req(FX_SA);
    struct fx_segment s = {.mgmt_class = FX_SA,
                           .method = WEFT_METHOD_GET_TABLE_RESP,
                           .type = WEFT_RMPP_DATA,
                           .flags = WEFT_RMPP_FLAG_FIRST,
                           .segment = 1};

    (void)state;
    a.rmpp_version = 1;
    a.user_rmpp = true;
    f->agent = fx_agent(f, &a);
    f->mgmt_class = FX_SA;
    fx_ask(f, 1);
    fx_send(f);
    s.tid = fx_tid(f, 1);
    /* the first segment completes the request, the others come unmatched; nothing is acknowledged
     */
    assert_int_equal(fx_rx_segment(f, &s), WEFT_MAD_ACCEPTED);
    fx_expect_recv(f, 1);
    fx_expect_done(f, 1, WEFT_MAD_OK);
    s.flags = 0;
    s.segment = 2;
    assert_int_equal(fx_rx_segment(f, &s), WEFT_MAD_ACCEPTED);
    weft_mad_recv_release(f->port, fx_expect_unsolicited(f, fx_tid(f, 1)));
    fx_expect_nothing(f);
    /* an answer that is no RMPP still needs its request */
    assert_int_equal(fx_answer(f, 1), WEFT_MAD_DROP_UNMATCHED);
    fx_expect_idle(f);
    fx_free(f);
}

static void test_segments_without_a_request_are_for_user_RMPP_agents_only(void **state)
{
    struct fx *f = fx_new(NULL, FX_SA);
    const struct fx_segment s = {.mgmt_class = FX_SA,
                                 .method = WEFT_METHOD_GET_TABLE_RESP,
                                 .tid = fx_tid(f, 1),
                                 .type = WEFT_RMPP_DATA,
                                 .flags = WEFT_RMPP_FLAG_FIRST,
                                 .segment = 1};

    (void)state;
    assert_int_equal(fx_rx_segment(f, &s), WEFT_MAD_DROP_UNMATCHED);
    fx_expect_idle(f);
    fx_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_the_host_got_wrong_is_an_error),
        cmocka_unit_test(test_malformed_packets_and_wrong_QPs_are_dropped),
        cmocka_unit_test(test_CM_is_Send_but_for_ClassPortInfo),
        cmocka_unit_test(test_answers_without_an_agent_are_dropped),
        cmocka_unit_test(test_Get_and_Set_that_nobody_takes_are_answered_unsupported),
        cmocka_unit_test(test_the_automatic_answer_goes_back_the_way_it_came),
        cmocka_unit_test(test_a_directed_route_answer_has_the_D_bit),
        cmocka_unit_test(test_directed_routes_that_end_elsewhere_are_dropped),
        cmocka_unit_test(test_the_device_is_asked_before_any_agent),
        cmocka_unit_test(test_the_device_consumes_by_releasing),
        cmocka_unit_test(test_the_device_passes_on_to_agents_or_to_the_automatic_answer),
        cmocka_unit_test(test_the_device_gets_no_answers_and_no_other_classes),
        cmocka_unit_test(test_a_directed_answer_of_the_device_gets_its_hops_moved_or_is_refused),
        cmocka_unit_test(test_a_directed_route_to_the_own_node_is_answered_by_the_device),
        cmocka_unit_test(test_a_local_send_ends_when_the_device_consumes_or_passes_it),
        cmocka_unit_test(test_the_device_may_finish_after_the_sender_is_gone),
        cmocka_unit_test(test_one_senders_removal_leaves_the_local_sends_of_others),
        cmocka_unit_test(test_user_RMPP_agents_get_segments_as_they_are),
        cmocka_unit_test(test_segments_without_a_request_are_for_user_RMPP_agents_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
