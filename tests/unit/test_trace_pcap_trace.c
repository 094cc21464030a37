/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Capture records from the trace of a port: which events are packets, and where they go from and
 * to. */
#include <weft/pcap.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define OWN_LID 9

/* An observer that writes a capture, as a program would. */
struct capture {
    struct weft_pcap_port port;
    uint8_t record[4][WEFT_PCAP_RECORD_BYTES_MAX];
    int bytes[4];
    int count, passed_over;
};

static void observe(void *ctx, const struct weft_trace_event *ev)
{
    struct capture *c = ctx;
    int bytes = weft_pcap_trace_record(c->record[c->count], sizeof(c->record[0]), &c->port, ev);

    assert_true(bytes >= 0 && c->count < 3);
    if (bytes > 0)
        c->bytes[c->count++] = bytes;
    else
        c->passed_over++;
}

static void check_record(const struct capture *c, int i, const struct weft_pcap_packet *packet)
{
    uint8_t expected[WEFT_PCAP_RECORD_BYTES_MAX];
    int bytes = weft_pcap_record(expected, sizeof(expected), packet);

    assert_int_equal(c->bytes[i], bytes);
    assert_memory_equal(c->record[i], expected, (size_t)bytes);
}

/* Sends a request by the port and feeds the answer; the trace holds both packets and much else. */
static void converse(struct capture *c, struct weft_mad_send_req *request, uint8_t *answer)
{
    struct weft_mad_agent_req agent = {.qpn = 1, .mgmt_class = WEFT_CLASS_PERF, .class_version = 1};
    struct weft_mad_rx rx = {.qpn = 1, .dlid = OWN_LID, .from = request->to, .data = answer};
    struct weft_mad_config config;
    struct weft_mad_port *port;
    struct weft_mad_tx tx;

    weft_mad_config_init(&config);
    config.trace = observe;
    config.trace_ctx = c;
    assert_int_equal(weft_mad_port_new(&config, NULL, &port), 0);
    assert_int_equal(weft_mad_agent_add(port, &agent, &request->agent), 0);
    assert_int_equal(weft_mad_post(port, 1000, request, NULL), 0);
    assert_true(weft_mad_poll_tx(port, &tx));
    memcpy(answer, tx.data, WEFT_MAD_BYTES);
    answer[3] = WEFT_METHOD_GET_RESP;
    rx.len = WEFT_MAD_BYTES;
    assert_int_equal(weft_mad_tx_done(port, 2000, tx.id, true), 0);
    assert_int_equal(weft_mad_rx(port, 3000, &rx, NULL), 0);
    rx.len = WEFT_MAD_HEADER_BYTES - 1;
    assert_int_equal(weft_mad_rx(port, 4000, &rx, NULL), 0);
    weft_mad_port_free(port);
}

static void test_packets_sent_and_received_become_records(void **state)
{
    struct capture c = {.port = {.lid = OWN_LID, .pkey = 0x8001, .psn = 0xffffff}};
    uint8_t mad[WEFT_MAD_BYTES] = {1, WEFT_CLASS_PERF, 1, WEFT_METHOD_GET};
    uint8_t answer[WEFT_MAD_BYTES], asked[WEFT_MAD_BYTES];
    struct weft_mad_send_req request = {
        .to = {.lid = 5, .sl = 3, .qpn = 1}, .data = mad, .len = sizeof(mad), .timeout = WEFT_S};
    struct weft_pcap_packet packet = {.time = 1000,
                                      .slid = OWN_LID,
                                      .dlid = 5,
                                      .pkey = 0x8001,
                                      .sl = 3,
                                      .src_qp = 1,
                                      .dst_qp = 1,
                                      .qkey = WEFT_QKEY_GSI,
                                      .psn = 0xffffff,
                                      .mad = asked,
                                      .len = sizeof(asked)};

    (void)state;
    converse(&c, &request, answer);
    assert_int_equal(c.count, 2);
    assert_true(c.passed_over > 4);
    memcpy(asked, answer, sizeof(asked));
    asked[3] = WEFT_METHOD_GET;
    check_record(&c, 0, &packet);
    packet.time = 3000;
    packet.slid = 5;
    packet.dlid = OWN_LID;
    packet.psn = 0;
    packet.mad = answer;
    check_record(&c, 1, &packet);
}

static void test_a_route_header_is_recorded(void **state)
{
    struct capture c = {.port = {.lid = OWN_LID, .pkey = 0xffff}};
    uint8_t mad[WEFT_MAD_BYTES] = {1, WEFT_CLASS_PERF, 1, WEFT_METHOD_GET};
    uint8_t answer[WEFT_MAD_BYTES];
    struct weft_mad_send_req request = {
        .to = {.lid = 5, .qpn = 1, .has_grh = true, .grh = {.flow_label = 7, .hop_limit = 64}},
        .data = mad,
        .len = sizeof(mad)};
    const struct weft_mad_grh grh = {.flow_label = 7, .hop_limit = 64};
    struct weft_pcap_packet packet = {.time = 3000,
                                      .slid = 5,
                                      .dlid = OWN_LID,
                                      .pkey = 0xffff,
                                      .src_qp = 1,
                                      .dst_qp = 1,
                                      .qkey = WEFT_QKEY_GSI,
                                      .psn = 1,
                                      .grh = &grh,
                                      .mad = answer,
                                      .len = sizeof(answer)};

    (void)state;
    converse(&c, &request, answer);
    assert_int_equal(c.count, 2);
    check_record(&c, 1, &packet);
}

static void test_a_record_without_room_leaves_the_port_as_it_was(void **state)
{
    const uint8_t mad[WEFT_MAD_BYTES] = {1};
    const struct weft_mad_addr peer = {.lid = 5, .qpn = 1};
    struct weft_trace_event ev = {.type = WEFT_TRACE_TX};
    struct weft_pcap_port port = {.lid = OWN_LID, .psn = 3};
    uint8_t out[WEFT_PCAP_RECORD_BYTES_MAX];

    (void)state;
    ev.u.packet.peer = &peer;
    ev.u.packet.mad = mad;
    ev.u.packet.len = sizeof(mad);
    assert_int_equal(weft_pcap_trace_record(out, 100, &port, &ev), WEFT_ERR_FULL);
    assert_int_equal(port.psn, 3);
    assert_true(weft_pcap_trace_record(out, sizeof(out), &port, &ev) > 0);
    assert_int_equal(port.psn, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packets_sent_and_received_become_records),
        cmocka_unit_test(test_a_route_header_is_recorded),
        cmocka_unit_test(test_a_record_without_room_leaves_the_port_as_it_was),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
