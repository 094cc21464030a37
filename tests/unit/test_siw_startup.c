/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The MPA startup, byte by byte: whole exchanges with kernel siw, and peers that break the rules.
 */
#include "siw_connection_fixture.h"

static struct weft_siw_config config(void)
{
    return (struct weft_siw_config)WEFT_SIW_CONFIG_INIT;
}

/* The next REPLY says so, and the id is IDLE. */
static void replied(struct lab *l, enum weft_iwcm_status status)
{
    lab_event(l, WEFT_IWCM_EVENT_REPLY);
    assert_int_equal(l->event.status, status);
    assert_int_equal(lab_state(l), WEFT_IWCM_IDLE);
    lab_no_event(l);
    assert_int_equal(lab_qp(1)->unbinds, 0);
}

static void test_an_initiator_connects_to_stock_siw_R114(void **state)
{
    struct weft_siw_config c = config();
    struct weft_iwcm_param p = lab_param(1, 1);
    struct lab l;

    (void)state;
    c.crc = WEFT_SIW_CRC_ON;
    lab_open(&l, &c);
    lab_dial(&l, &p);
    lab_writes(&l, HEX_REQ_KEY "50 02 0004 00010001");
    lab_no_op(&l);
    lab_rx(&l, HEX_REP_KEY "50 02 0004 00010001");
    lab_event(&l, WEFT_IWCM_EVENT_REPLY);
    assert_int_equal(l.event.status, WEFT_IWCM_OK);
    assert_int_equal(l.event.peer.ird, 1);
    assert_int_equal(l.event.peer.ord, 1);
    assert_int_equal(lab_state(&l), WEFT_IWCM_ESTABLISHED);
    assert_true(lab_qp(1)->connected);
    assert_true(lab_qp(1)->terms.crc);
    assert_true(lab_qp(1)->terms.initiator);
    assert_int_equal(lab_qp(1)->terms.ulpdu_max, 1454);
    lab_close(&l);
}

static void test_a_responder_accepts_a_peer_to_peer_initiator_when_its_RTR_is_here(void **state)
{
    struct weft_iwcm_param p = lab_param(1, 1);
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_listen(&l);
    lab_incoming(&l);
    /* crc_required and peer_to_peer: C, S, A, and offers of Write and Read */
    lab_rx(&l, HEX_REQ_KEY "50 02 0004 8001 c001");
    lab_event(&l, WEFT_IWCM_EVENT_REQUEST);
    assert_int_equal(l.event.peer.ird, 1);
    assert_int_equal(l.event.peer.ord, 1);
    assert_int_equal(l.event.peer.private_bytes, 0);
    l.id = l.event.id;
    assert_int_equal(weft_iwcm_accept(l.cm, l.id, &p), 0);
    lab_writes(&l, HEX_REP_KEY "50 02 0004 8001 8001");
    lab_done(&l, WEFT_IWCM_CALL_ACCEPT, WEFT_IWCM_OK);
    lab_no_event(&l);
    assert_int_equal(lab_qp(1)->terms.rtr, WEFT_SIW_RTR_WRITE);
    lab_rx(&l, "000ec140000000010000000000000000ebd34c5f");
    assert_int_equal(lab_qp(1)->rx_bytes, 20);
    connection_peer_ready(l.siw, lab_qp(1)->ep);
    lab_event(&l, WEFT_IWCM_EVENT_ESTABLISHED);
    /* the next one is nothing new */
    connection_peer_ready(l.siw, lab_qp(1)->ep);
    lab_no_event(&l);
    lab_close(&l);
}

static void test_a_request_comes_in_any_pieces(void **state)
{
    uint8_t request[64];
    size_t bytes = lab_hex(HEX_REQ_KEY "10 02 0007 0003 0002 616263", request, sizeof(request));
    struct weft_siw_stats stats;
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_listen(&l);
    for (size_t cut = 0; cut <= bytes; cut++) {
        lab_incoming(&l);
        weft_siw_stats(l.siw, &stats);
        assert_int_equal(stats.half_open, 1);
        assert_int_equal(weft_siw_tcp_rx(l.siw, l.now, l.ep, request, cut), 0);
        if (cut < bytes)
            lab_no_event(&l);
        assert_int_equal(weft_siw_tcp_rx(l.siw, l.now, l.ep, request + cut, bytes - cut), 0);
        lab_event(&l, WEFT_IWCM_EVENT_REQUEST);
        assert_int_equal(l.event.peer.ird, 2);
        assert_int_equal(l.event.peer.ord, 3);
        assert_int_equal(l.event.peer.private_bytes, 3);
        assert_memory_equal(l.event.peer.private_data, "abc", 3);
        assert_int_equal(weft_iwcm_destroy(l.cm, l.event.id), 0);
        lab_writes(&l, HEX_REP_KEY "30 02 0004 0000 0000");
        lab_op(&l, WEFT_SIW_OP_SHUT);
        lab_rst(&l);
        lab_op(&l, WEFT_SIW_OP_RELEASE);
        lab_event(&l, WEFT_IWCM_EVENT_GONE);
    }
    weft_siw_stats(l.siw, &stats);
    assert_int_equal(stats.half_open, 0);
    assert_int_equal(stats.endpoints, 1);
    lab_close(&l);
}

/* What a responder does with bytes that are no request, or one it cannot meet. */
static const struct {
    const char *what, *rx, *answer; /* answer NULL: none, TCP is reset */
} refused_requests[] = {
    {"wrong key", "4d504120494420526571204672616d64 00 01 0000", NULL},
    {"not MPA at all", "474554202f20485454502f312e310d0a", NULL},
    {"first byte wrong", "ff", NULL},
    {"a reply", HEX_REP_V2, NULL},
    {"revision 0", HEX_REQ_KEY "00 00 0000", NULL},
    {"revision 3", HEX_REQ_KEY "10 03 0004 0001 0001", NULL},
    {"PD_Length 513", HEX_REQ_KEY "00 01 0201", NULL},
    {"PD_Length 65535", HEX_REQ_KEY "10 02 ffff", NULL},
    {"data behind it", HEX_REQ_V2 "0022", NULL},
    {"markers, revision 2", HEX_REQ_KEY "90 02 0004 0001 0001", HEX_REP_KEY "30 02 0004 0000 0000"},
    {"markers, revision 1", HEX_REQ_KEY "80 01 0000", HEX_REP_KEY "20 01 0000"},
    {"S with no enhanced data", HEX_REQ_KEY "10 02 0000", HEX_REP_KEY "30 02 0004 0000 0000"},
    {"S with three bytes", HEX_REQ_KEY "10 02 0003 000100", HEX_REP_KEY "30 02 0004 0000 0000"},
};

static void test_requests_that_are_refused_never_reach_the_client(void **state)
{
    struct weft_siw_stats stats;
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_listen(&l);
    for (uint32_t i = 0; i < COUNT(refused_requests); i++) {
        lab_incoming(&l);
        lab_rx(&l, refused_requests[i].rx);
        lab_no_event(&l);
        if (refused_requests[i].answer) {
            lab_writes(&l, refused_requests[i].answer);
            lab_op(&l, WEFT_SIW_OP_SHUT);
            lab_fin(&l);
        }
        lab_op(&l, WEFT_SIW_OP_RELEASE);
        assert_int_equal(l.op.reset, refused_requests[i].answer == NULL);
        lab_no_op(&l);
        weft_siw_stats(l.siw, &stats);
        assert_int_equal(stats.mpa_errors, i + 1);
    }
    lab_close(&l);
}

/* How an initiator's attempt ends; its request is revision 2 without more. */
static const struct {
    const char *what, *rx;
    enum weft_iwcm_status status;
    bool reset;
} refused_replies[] = {
    {"wrong key", "4d504120494420526570204672616d64 10 02 0004 0001 0001", WEFT_IWCM_PROTOCOL,
     true},
    {"a request", HEX_REQ_V2, WEFT_IWCM_PROTOCOL, true},
    {"PD_Length 513", HEX_REP_KEY "10 02 0201", WEFT_IWCM_PROTOCOL, true},
    {"revision 1", HEX_REP_V1, WEFT_IWCM_RESET, true},
    {"revision 2 without S", HEX_REP_KEY "00 02 0000", WEFT_IWCM_RESET, true},
    {"revision 3", HEX_REP_KEY "10 03 0004 0001 0001", WEFT_IWCM_PROTOCOL, true},
    {"S with three bytes", HEX_REP_KEY "10 02 0003 000100", WEFT_IWCM_PROTOCOL, true},
    {"markers", HEX_REP_KEY "90 02 0004 0001 0001", WEFT_IWCM_REFUSED, true},
    {"glued data", HEX_REP_V2 "000e", WEFT_IWCM_PROTOCOL, true},
    {"rejected", HEX_REP_KEY "30 02 0004 0000 0000", WEFT_IWCM_REJECTED, false},
    {"rejected by revision 1", HEX_REP_KEY "20 01 0000", WEFT_IWCM_REJECTED, false},
};

static void test_replies_that_cannot_be_met_end_the_attempt(void **state)
{
    struct weft_iwcm_param p = lab_param(1, 1);
    struct weft_siw_stats stats;
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    for (uint32_t i = 0; i < COUNT(refused_replies); i++) {
        lab_dial(&l, &p);
        lab_writes(&l, HEX_REQ_V2);
        lab_rx(&l, refused_replies[i].rx);
        replied(&l, refused_replies[i].status);
        lab_op(&l, WEFT_SIW_OP_RELEASE);
        assert_int_equal(l.op.reset, refused_replies[i].reset);
    }
    weft_siw_stats(l.siw, &stats);
    assert_int_equal(stats.mpa_errors, COUNT(refused_replies) - 2);
    lab_close(&l);
}

static void test_a_rejection_brings_its_private_data(void **state)
{
    struct weft_iwcm_param p = lab_param(0, 0);
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_dial(&l, &p);
    lab_write_any(&l);
    lab_rx(&l, HEX_REP_KEY "30 02 0006 0000 0000 6e6f");
    lab_event(&l, WEFT_IWCM_EVENT_REPLY);
    assert_int_equal(l.event.status, WEFT_IWCM_REJECTED);
    assert_int_equal(l.event.peer.private_bytes, 2);
    assert_memory_equal(l.event.peer.private_data, "no", 2);
    lab_close(&l);
}

static void test_insufficient_IRD_is_told_by_a_Terminate_and_then_FIN(void **state)
{
    struct weft_siw_config c = config();
    struct weft_iwcm_param p = lab_param(1, 4);
    struct weft_siw_stats stats;
    struct lab l;

    (void)state;
    c.strict_reads = true;
    c.crc = WEFT_SIW_CRC_ON;
    lab_open(&l, &c);
    lab_dial(&l, &p);
    lab_writes(&l, HEX_REQ_KEY "50 02 0004 0001 0004");
    lab_rx(&l, HEX_REP_KEY "50 02 0004 0003 0001");
    replied(&l, WEFT_IWCM_PROTOCOL);
    lab_writes(&l, "ee 20 06 01");
    lab_op(&l, WEFT_SIW_OP_SHUT);
    lab_no_op(&l);
    /* what it says now is not wanted */
    lab_rx(&l, "00112233");
    lab_fin(&l);
    lab_op(&l, WEFT_SIW_OP_RELEASE);
    assert_false(l.op.reset);
    weft_siw_stats(l.siw, &stats);
    assert_int_equal(stats.terminates_out, 1);
    lab_close(&l);
}

static void test_no_matching_RTR_is_told_by_a_Terminate(void **state)
{
    struct weft_siw_config c = config();
    struct weft_iwcm_param p = lab_param(1, 1);
    struct lab l;

    (void)state;
    c.rtr = WEFT_SIW_RTR_READ;
    lab_open(&l, &c);
    lab_dial(&l, &p);
    lab_writes(&l, HEX_REQ_KEY "10 02 0004 8001 4001");
    lab_rx(&l, HEX_REP_KEY "10 02 0004 8001 8001");
    replied(&l, WEFT_IWCM_PROTOCOL);
    lab_writes(&l, "ee 20 07 00");
    lab_close(&l);
}

/* A reply to a request that is not even written: nothing may be put behind half a frame. */
static void
test_a_reply_before_the_request_is_written_cannot_bring_a_Terminate_into_it(void **state)
{
    struct weft_siw_config c = config();
    struct weft_iwcm_param p = lab_param(1, 4);
    struct lab l;

    (void)state;
    c.strict_reads = true;
    lab_open(&l, &c);
    lab_dial(&l, &p);
    lab_op(&l, WEFT_SIW_OP_WRITE);
    assert_int_equal(weft_siw_tcp_written(l.siw, l.now, l.ep, 5), 0);
    lab_rx(&l, HEX_REP_KEY "10 02 0004 0003 0001");
    replied(&l, WEFT_IWCM_PROTOCOL);
    lab_op(&l, WEFT_SIW_OP_RELEASE);
    assert_true(l.op.reset);
    lab_close(&l);
}

static void test_a_frame_after_its_timeout_finds_nobody(void **state)
{
    struct weft_iwcm_param p = lab_param(1, 1);
    struct weft_siw_stats stats;
    uint8_t reply[64];
    size_t bytes = lab_hex(HEX_REP_V2, reply, sizeof(reply));
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_dial(&l, &p);
    lab_writes(&l, HEX_REQ_V2);
    assert_int_equal(weft_siw_deadline(l.siw), 10 * WEFT_S);
    lab_wait(&l, 10 * WEFT_S - 1);
    lab_no_event(&l);
    lab_wait(&l, 1);
    replied(&l, WEFT_IWCM_TIMEOUT);
    assert_int_equal(weft_siw_tcp_rx(l.siw, l.now, l.ep, reply, bytes), WEFT_ERR_STALE);
    lab_op(&l, WEFT_SIW_OP_RELEASE);
    assert_int_equal(weft_siw_tcp_rx(l.siw, l.now, l.ep, reply, bytes), WEFT_ERR_STALE);
    weft_siw_stats(l.siw, &stats);
    assert_int_equal(stats.mpa_timeouts, 1);
    lab_no_event(&l);
    lab_close(&l);
}

/* One byte a second keeps nobody's slot for longer than the whole request may take. */
static void test_a_request_byte_by_byte_has_five_seconds_in_all(void **state)
{
    uint8_t request[64];
    struct weft_siw_stats stats;
    struct lab l;

    (void)state;
    lab_hex(HEX_REQ_V2, request, sizeof(request));
    lab_open(&l, NULL);
    lab_listen(&l);
    lab_incoming(&l);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(weft_siw_tcp_rx(l.siw, l.now, l.ep, request + i, 1), 0);
        lab_wait(&l, WEFT_S);
    }
    lab_op(&l, WEFT_SIW_OP_RELEASE);
    assert_true(l.op.reset);
    lab_no_event(&l);
    weft_siw_stats(l.siw, &stats);
    assert_int_equal(stats.mpa_timeouts, 1);
    lab_close(&l);
}

static void test_bytes_behind_a_request_the_client_knows_make_accept_fail(void **state)
{
    struct weft_iwcm_param p = lab_param(1, 1);
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_requested(&l);
    lab_rx(&l, "00");
    lab_op(&l, WEFT_SIW_OP_RELEASE);
    assert_true(l.op.reset);
    assert_int_equal(weft_iwcm_accept(l.cm, l.id, &p), 0);
    lab_no_op(&l);
    lab_done(&l, WEFT_IWCM_CALL_ACCEPT, WEFT_IWCM_RESET);
    assert_int_equal(lab_state(&l), WEFT_IWCM_IDLE);
    lab_no_event(&l);
    lab_close(&l);
}

static void test_revision_1_is_spoken_with_those_who_speak_it(void **state)
{
    struct weft_siw_config c = config();
    struct weft_iwcm_param p = lab_param(3, 4);
    struct lab l;

    (void)state;
    c.mpa_revision = 1;
    lab_open(&l, &c);
    lab_dial(&l, &p);
    lab_writes(&l, HEX_REQ_V1);
    lab_rx(&l, HEX_REP_V1);
    lab_event(&l, WEFT_IWCM_EVENT_REPLY);
    assert_int_equal(l.event.status, WEFT_IWCM_OK);
    assert_int_equal(l.event.peer.ird, 3);
    assert_int_equal(l.event.peer.ord, 4);
    lab_close(&l);

    lab_open(&l, NULL);
    lab_listen(&l);
    lab_incoming(&l);
    lab_rx(&l, HEX_REQ_V1);
    lab_event(&l, WEFT_IWCM_EVENT_REQUEST);
    l.id = l.event.id;
    assert_int_equal(weft_iwcm_accept(l.cm, l.id, &p), 0);
    lab_writes(&l, HEX_REP_V1);
    assert_int_equal(lab_qp(1)->terms.ird, 3);
    assert_int_equal(lab_qp(1)->terms.revision, 1);
    lab_close(&l);
}

static void test_a_QP_that_has_gone_meanwhile_is_a_bad_parameter(void **state)
{
    struct weft_iwcm_param p = lab_param(1, 1);
    struct lab l;

    (void)state;
    lab_open(&l, NULL);
    lab_dial(&l, &p);
    lab_write_any(&l);
    lab_qp(1)->connectable = false;
    lab_rx(&l, HEX_REP_V2);
    replied(&l, WEFT_IWCM_BAD_PARAM);
    lab_op(&l, WEFT_SIW_OP_RELEASE);
    lab_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_initiator_connects_to_stock_siw_R114),
        cmocka_unit_test(test_a_responder_accepts_a_peer_to_peer_initiator_when_its_RTR_is_here),
        cmocka_unit_test(test_a_request_comes_in_any_pieces),
        cmocka_unit_test(test_requests_that_are_refused_never_reach_the_client),
        cmocka_unit_test(test_replies_that_cannot_be_met_end_the_attempt),
        cmocka_unit_test(test_a_rejection_brings_its_private_data),
        cmocka_unit_test(test_insufficient_IRD_is_told_by_a_Terminate_and_then_FIN),
        cmocka_unit_test(test_no_matching_RTR_is_told_by_a_Terminate),
        cmocka_unit_test(
            test_a_reply_before_the_request_is_written_cannot_bring_a_Terminate_into_it),
        cmocka_unit_test(test_a_frame_after_its_timeout_finds_nobody),
        cmocka_unit_test(test_a_request_byte_by_byte_has_five_seconds_in_all),
        cmocka_unit_test(test_bytes_behind_a_request_the_client_knows_make_accept_fail),
        cmocka_unit_test(test_revision_1_is_spoken_with_those_who_speak_it),
        cmocka_unit_test(test_a_QP_that_has_gone_meanwhile_is_a_bad_parameter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
