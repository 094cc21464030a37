/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reception: what is dropped and why, and the automatic answer. */
#include "mad_fixture.h"

#include <string.h>

#define DR WEFT_CLASS_SUBN_DIRECTED

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

static void test_R155_the_automatic_answer_goes_back_the_way_it_came(void **state)
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
    wire_set(WIRE_SMP_DIRECTED_HOP_POINTER, mad, 1);
    wire_set(WIRE_SMP_DIRECTED_HOP_COUNT, mad, 1);
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
    /* on its way back, and the arrival port was recorded */
    assert_int_equal(wire_get(WIRE_SMP_DIRECTED_HOP_POINTER, f->packet), 1);
    assert_int_equal(f->packet[wire_bytes_offset(WIRE_SMP_DIRECTED_RETURN_PATH) + 1], 1);
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
    wire_set(WIRE_SMP_DIRECTED_HOP_COUNT, mad, 2); /* one more hop: a CA forwards nothing */
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_DROP_HOPS);
    wire_set(WIRE_SMP_DIRECTED_HOP_COUNT, mad, 64);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_DROP_HOPS);
    wire_set(WIRE_SMP_DIRECTED_HOP_COUNT, mad, 1);
    wire_set(WIRE_SMP_DIRECTED_HOP_POINTER, mad, 5);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_DROP_HOPS);
    fx_free(f);
}

static void test_with_hops_by_the_host_a_directed_route_has_arrived(void **state)
{
    struct weft_mad_config c = fx_config();
    uint8_t mad[WEFT_MAD_BYTES];
    struct fx *f;

    (void)state;
    c.hops_by_host = true;
    f = fx_new(&c, 0);
    make_directed(mad, WEFT_METHOD_GET);
    wire_set(WIRE_SMP_DIRECTED_HOP_COUNT, mad, 9);
    /* nobody takes it: the answer's hops are the host's as well */
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_DROP_NO_AGENT);
    fx_send(f);
    assert_int_equal(mad_status(f->packet),
                     WEFT_STATUS_DIRECTION | WEFT_STATUS_BAD_METHOD_ATTRIBUTE);
    assert_int_equal(wire_get(WIRE_SMP_DIRECTED_HOP_POINTER, f->packet), 1);
    own_everything(f, DR);
    assert_int_equal(fx_rx(f, mad), WEFT_MAD_ACCEPTED);
    weft_mad_recv_release(f->port, fx_expect_unsolicited(f, 0x55));
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
        cmocka_unit_test(test_R155_the_automatic_answer_goes_back_the_way_it_came),
        cmocka_unit_test(test_a_directed_route_answer_has_the_D_bit),
        cmocka_unit_test(test_directed_routes_that_end_elsewhere_are_dropped),
        cmocka_unit_test(test_with_hops_by_the_host_a_directed_route_has_arrived),
        cmocka_unit_test(test_user_RMPP_agents_get_segments_as_they_are),
        cmocka_unit_test(test_segments_without_a_request_are_for_user_RMPP_agents_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
