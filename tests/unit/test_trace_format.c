/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/core/trace/format.c: the line of text for each kind of trace event. */
#include "packets.h"

#include <weft/trace.h>
#include <weft/wire.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_line(const struct weft_trace_event *ev, const char *wanted)
{
    char text[256];
    size_t length = weft_trace_format(ev, text, sizeof(text));

    assert_string_equal(text, wanted);
    assert_int_equal(length, strlen(wanted));
}

static void test_times_are_milliseconds_with_all_nanoseconds(void **state)
{
    static const struct {
        weft_time time;
        const char *line;
    } cases[] = {
        {0, "[0ms] window lid=0 requests=0"},
        {1, "[0.000001ms] window lid=0 requests=0"},
        {WEFT_MS, "[1ms] window lid=0 requests=0"},
        {4 * WEFT_S + 1500 * WEFT_US, "[4001.5ms] window lid=0 requests=0"},
        {1000 * WEFT_MS - 1, "[999.999999ms] window lid=0 requests=0"},
        {WEFT_TIME_NEVER, "[18446744073709.551615ms] window lid=0 requests=0"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct weft_trace_event ev = {.type = WEFT_TRACE_WINDOW, .time = cases[i].time};

        assert_line(&ev, cases[i].line);
    }
}

static void test_a_state_names_its_input_and_where_it_leads(void **state)
{
    struct weft_trace_event ev = {.type = WEFT_TRACE_STATE, .tid = 0x1234};

    (void)state;
    ev.u.state.event = "SENT_AWAIT";
    ev.u.state.from = WEFT_MAD_SEND_START;
    ev.u.state.to = WEFT_MAD_WAIT_RESP;
    assert_line(&ev, "[0ms] tid=0x0000000000001234 SENT_AWAIT: SEND_START -> WAIT_RESP");
    ev.u.state.event = "BUSY";
    ev.u.state.to = WEFT_MAD_SEND_START;
    assert_line(&ev, "[0ms] tid=0x0000000000001234 BUSY: SEND_START");
    ev.u.state.refused = true;
    assert_line(&ev, "[0ms] tid=0x0000000000001234 BUSY: SEND_START (refused)");
}

/* A packet event with its MAD; the caller changes both. */
struct packet_event {
    struct weft_mad_addr peer;
    uint8_t mad[WEFT_MAD_BYTES];
    struct weft_trace_event ev;
};

static void packet_event(struct packet_event *p, enum weft_trace_type type)
{
    *p = (struct packet_event){.peer = {.lid = 0x22}, .ev = {.type = type, .tid = UINT64_MAX}};
    packet_build(p->mad, WEFT_CLASS_SUBN_ADM, WEFT_METHOD_GET, UINT64_MAX);
    p->ev.u.packet.qpn = 1;
    p->ev.u.packet.peer = &p->peer;
    p->ev.u.packet.mad = p->mad;
    p->ev.u.packet.len = WEFT_MAD_BYTES;
}

static void test_packets_show_their_header(void **state)
{
    struct packet_event p;

    (void)state;
    packet_event(&p, WEFT_TRACE_TX);
    assert_line(&p.ev, "[0ms] tid=0xffffffffffffffff tx qp=1 lid=34 class=0x03 method=0x01 "
                       "attr=0x0035");
    packet_event(&p, WEFT_TRACE_RX);
    packet_answer(p.mad, p.mad, WEFT_STATUS_BUSY);
    assert_line(&p.ev, "[0ms] tid=0xffffffffffffffff rx qp=1 lid=34 class=0x03 method=0x81 "
                       "attr=0x0035 status=0x0001");
}

static void test_a_packet_too_short_for_its_header_shows_its_length(void **state)
{
    struct packet_event p;

    (void)state;
    packet_event(&p, WEFT_TRACE_RX);
    p.ev.tid = 0;
    p.ev.u.packet.len = WEFT_RMPP_DATA_OFFSET - 1;
    assert_line(&p.ev, "[0ms] rx qp=1 lid=34 len=35");
    p.ev.u.packet.mad = NULL; /* it is not looked at */
    p.ev.u.packet.len = 0;
    assert_line(&p.ev, "[0ms] rx qp=1 lid=34 len=0");
}

static void test_RMPP_packets_show_their_own_header(void **state)
{
    static const struct {
        enum weft_rmpp_type type;
        uint32_t length;
        uint8_t status;
        const char *tail;
    } cases[] = {
        {WEFT_RMPP_DATA, 220, 0, " DATA seg=7"},
        {WEFT_RMPP_ACK, 71, 0, " ACK seg=7 window=71"},
        {WEFT_RMPP_STOP, 0, WEFT_RMPP_STATUS_RESX, " STOP rmpp_status=1"},
        {WEFT_RMPP_ABORT, 0, WEFT_RMPP_STATUS_BAD_LEN, " ABORT rmpp_status=119"},
        {(enum weft_rmpp_type)0, 0, 0, " ?"},
        {(enum weft_rmpp_type)5, 0, 0, " ?"},
    };
    struct packet_event p;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char line[128] = "[0ms] tx qp=1 lid=34 class=0x03 method=0x01 attr=0x0035";

        packet_event(&p, WEFT_TRACE_TX);
        p.ev.tid = 0;
        packet_rmpp(p.mad, cases[i].type, 0, 7, cases[i].length);
        rmpp_set_status(p.mad, cases[i].status);
        memcpy(line + strlen(line), cases[i].tail, strlen(cases[i].tail) + 1);
        assert_line(&p.ev, line);
    }
}

static void test_a_drop_says_why(void **state)
{
    struct packet_event p;

    (void)state;
    packet_event(&p, WEFT_TRACE_DROP);
    p.ev.tid = 1;
    p.ev.u.packet.verdict = WEFT_MAD_DROP_UNMATCHED;
    assert_line(&p.ev, "[0ms] tid=0x0000000000000001 not taken: DROP_UNMATCHED");
}

static void test_R93_a_retry_shows_its_numbers(void **state)
{
    struct weft_trace_event ev = {.type = WEFT_TRACE_RETRY};

    (void)state;
    ev.u.retry.attempt = 2;
    ev.u.retry.left = 3;
    ev.u.retry.wait = 1500 * WEFT_US;
    assert_line(&ev, "[0ms] retry number=2 left=3 wait=1.5ms");
    ev.u.retry.budget = 20 * WEFT_MS;
    assert_line(&ev, "[0ms] retry number=2 left=3 wait=1.5ms budget=20ms");
}

static void test_events_of_each_type(void **state)
{
    struct weft_trace_event ev = {.type = WEFT_TRACE_EVENT};

    (void)state;
    ev.u.event.type = WEFT_MAD_EVENT_SEND_DONE;
    ev.u.event.status = WEFT_MAD_TIMEOUT;
    assert_line(&ev, "[0ms] event SEND_DONE TIMEOUT");
    ev.u.event.type = WEFT_MAD_EVENT_RECV;
    ev.u.event.len = 256;
    assert_line(&ev, "[0ms] event RECV len=256");
    ev.u.event.type = WEFT_MAD_EVENT_DEVICE;
    assert_line(&ev, "[0ms] event DEVICE len=256");
}

static void test_a_window_shows_its_destination(void **state)
{
    struct weft_trace_event ev = {.type = WEFT_TRACE_WINDOW};

    (void)state;
    ev.u.window.lid = 0xbfff;
    ev.u.window.window = 4;
    assert_line(&ev, "[0ms] window lid=49151 requests=4");
}

static void test_a_transfer_from_begin_to_end(void **state)
{
    struct weft_trace_event ev = {.type = WEFT_TRACE_RMPP};

    (void)state;
    ev.u.rmpp.what = WEFT_TRACE_RMPP_BEGIN;
    ev.u.rmpp.segments = 1;
    assert_line(&ev, "[0ms] transfer begins segments=1");
    ev.u.rmpp.what = WEFT_TRACE_RMPP_COMPLETE;
    ev.u.rmpp.segments = 9;
    assert_line(&ev, "[0ms] transfer complete segments=9");
    ev.u.rmpp.what = WEFT_TRACE_RMPP_END;
    ev.u.rmpp.status = WEFT_RMPP_STATUS_RESX;
    assert_line(&ev, "[0ms] transfer forgotten segments=9 rmpp_status=1");
}

/* Whatever room there is: no byte behind it is touched, the length is that of the whole text. */
static void test_a_text_that_does_not_fit_is_cut(void **state)
{
    static const char whole[] = "[0ms] window lid=5 requests=4";
    struct weft_trace_event ev = {.type = WEFT_TRACE_WINDOW};

    (void)state;
    ev.u.window.lid = 5;
    ev.u.window.window = 4;
    assert_int_equal(weft_trace_format(&ev, NULL, 0), strlen(whole));
    for (size_t cap = 1; cap <= sizeof(whole); cap++) {
        char text[sizeof(whole) + 1];

        memset(text, '#', sizeof(text));
        assert_int_equal(weft_trace_format(&ev, text, cap), strlen(whole));
        assert_memory_equal(text, whole, cap - 1);
        assert_int_equal(text[cap - 1], '\0');
        assert_int_equal(text[cap], '#');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times_are_milliseconds_with_all_nanoseconds),
        cmocka_unit_test(test_a_state_names_its_input_and_where_it_leads),
        cmocka_unit_test(test_packets_show_their_header),
        cmocka_unit_test(test_a_packet_too_short_for_its_header_shows_its_length),
        cmocka_unit_test(test_RMPP_packets_show_their_own_header),
        cmocka_unit_test(test_a_drop_says_why),
        cmocka_unit_test(test_R93_a_retry_shows_its_numbers),
        cmocka_unit_test(test_events_of_each_type),
        cmocka_unit_test(test_a_window_shows_its_destination),
        cmocka_unit_test(test_a_transfer_from_begin_to_end),
        cmocka_unit_test(test_a_text_that_does_not_fit_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
