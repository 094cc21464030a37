/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RDMA Reads: requests of the peer, and the peer's responses to ours. */
#include "siw_receive_rows.h"

#define REQUEST    "4141 00000000 00000001 00000001 00000000"
#define SINK       "00000999 0000000000005000"
#define RESPONSE   "c142 00000511 0000000000001000"
#define FIRST_HALF "8142 00000511 0000000000001000"

static void test_what_a_peer_may_read(void **state)
{
    static const struct row rows[] = {
        {"all of it", REQUEST SINK "00001000 00000111 0000000000001000", 0, TAKEN,
         .copies = NOTHING},
        {"a region for reading only", REQUEST SINK "00000004 00000211 0000000000001ffc", 0, TAKEN,
         .copies = NOTHING},
        {"MSN 0",
         "4141 00000000 00000001 00000000 00000000" SINK "00000004 00000111 0000000000001000", 0,
         0x1203, .copies = HEADER},
        {"MSN 2 first",
         "4141 00000000 00000001 00000002 00000000" SINK "00000004 00000111 0000000000001000", 0,
         0x1203, .copies = HEADER},
        {"MSN again", REQUEST SINK "00000004 00000111 0000000000001000", 0, 0x1203,
         .copies = HEADER, REQUEST SINK "00000004 00000111 0000000000001000"},
        {"MO 4",
         "4141 00000000 00000001 00000001 00000004" SINK "00000004 00000111 0000000000001000", 0,
         0x1204, .copies = HEADER},
        {"a byte too long", REQUEST SINK "00000004 00000111 0000000000001000", 1, 0x1205,
         .copies = HEADER},
        {"we serve none", REQUEST SINK "00000004 00000111 0000000000001000", 0, 0x1202,
         .copies = HEADER, .no_reads = true},
        {"we serve none, and MO wrong",
         "4141 00000000 00000001 00000001 00000004" SINK "00000004 00000111 0000000000001000", 0,
         0x1202, .copies = HEADER, .no_reads = true},
        {"STag 0", REQUEST SINK "00000004 00000000 0000000000001000", 0, 0x0100,
         .copies = HEADER_AND_READ},
        {"another key", REQUEST SINK "00000004 00000112 0000000000001000", 0, 0x0100,
         .copies = HEADER_AND_READ},
        {"another protection domain", REQUEST SINK "00000004 00000411 0000000000001000", 0, 0x0103,
         .copies = HEADER_AND_READ},
        {"a byte before", REQUEST SINK "00000004 00000111 0000000000000fff", 0, 0x0101,
         .copies = HEADER_AND_READ},
        {"a byte beyond", REQUEST SINK "00001001 00000111 0000000000001000", 0, 0x0101,
         .copies = HEADER_AND_READ},
        {"4 GiB", REQUEST SINK "ffffffff 00000111 0000000000001000", 0, 0x0101,
         .copies = HEADER_AND_READ},
        {"TO wraps", REQUEST SINK "00000002 00000111 ffffffffffffffff", 0, 0x0104,
         .copies = HEADER_AND_READ},
        {"a region for writing only", REQUEST SINK "00000004 00000311 0000000000001000", 0, 0x0102,
         .copies = HEADER_AND_READ},
        {"no bytes, no STag", REQUEST SINK "00000000 00000000 ffffffffffffffff", 0, TAKEN,
         .copies = NOTHING},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_what_may_answer_our_read(void **state)
{
    static const struct row rows[] = {
        {"exactly", RESPONSE, 64, TAKEN, .copies = NOTHING, .read = 64},
        {"no read is out", RESPONSE, 64, 0x0206, .copies = NOTHING},
        {"no read is out any more", RESPONSE, 64, 0x0206, .copies = NOTHING, RESPONSE, 64,
         .read = 64},
        {"another STag", "c142 00000111 0000000000001000", 64, 0x1100, .copies = HEADER,
         .read = 64},
        {"begins later", "c142 00000511 0000000000001001", 63, 0x1101, .copies = HEADER,
         .read = 64},
        {"begins before", "c142 00000511 0000000000000fff", 64, 0x1101, .copies = HEADER,
         .read = 64},
        {"a byte too long", RESPONSE, 65, 0x1101, .copies = HEADER, .read = 64},
        {"a byte too short", RESPONSE, 63, 0x1101, .copies = HEADER, .read = 64},
        {"nothing", RESPONSE, 0, 0x1101, .copies = HEADER, .read = 64},
        {"in two", "c142 00000511 0000000000001020", 32, TAKEN, .copies = NOTHING, FIRST_HALF, 32,
         .read = 64},
        {"leaves a gap", "c142 00000511 0000000000001021", 32, 0x1101, .copies = HEADER, FIRST_HALF,
         32, .read = 64},
        {"goes back", "c142 00000511 000000000000101f", 33, 0x1101, .copies = HEADER, FIRST_HALF,
         32, .read = 64},
        {"too long together", "c142 00000511 0000000000001020", 33, 0x1101, .copies = HEADER,
         FIRST_HALF, 32, .read = 64},
        {"too short together", "c142 00000511 0000000000001020", 31, 0x1101, .copies = HEADER,
         FIRST_HALF, 32, .read = 64},
        {"goes on with another STag", "c142 00000111 0000000000001020", 32, 0x0206,
         .copies = NOTHING, FIRST_HALF, 32, .read = 64},
        {"goes on as a Write", "c140 00000511 0000000000001020", 32, 0x0206, .copies = NOTHING,
         FIRST_HALF, 32, .read = 64},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_requests_are_answered_in_their_order_from_the_regions(void **state)
{
    struct terms t = {.crc = true, .ird = 2, .ord = 2};
    struct lab *lab = lab_new(&t);
    struct peer p, expected;

    (void)state;
    memcpy(lab_at(lab, LAB_READ), "first and second", 16);
    peer_init(&p, true);
    peer_init(&expected, true);
    peer_read_request(&p, 1, 0x999, 0x5000, 5, LAB_STAG(LAB_READ), LAB_TO);
    peer_read_request(&p, 2, 0x998, 0, 6, LAB_STAG(LAB_READ), LAB_TO + 10);
    peer_tagged(&expected, 2, true, 0x999, 0x5000, "first", 5);
    peer_tagged(&expected, 2, true, 0x998, 0, "second", 6);
    peer_feed(&p, lab);
    lab_drain(lab);
    assert_int_equal(lab->out_bytes, expected.count);
    assert_memory_equal(lab->out, expected.bytes, expected.count);
    peer_free(&expected);
    peer_free(&p);
    lab_free(lab);
}

static void test_more_requests_than_agreed_on_end_the_connection(void **state)
{
    struct terms t = {.crc = false, .ird = 2, .ord = 2};
    struct lab *lab = lab_new(&t);
    struct peer p;

    (void)state;
    peer_init(&p, false);
    for (uint32_t msn = 1; msn <= 2; msn++)
        peer_read_request(&p, msn, 0x999, 0, 5, LAB_STAG(LAB_READ), LAB_TO);
    peer_feed(&p, lab);
    lab_drain(lab);
    for (uint32_t msn = 3; msn <= 4; msn++)
        peer_read_request(&p, msn, 0x999, 0, 5, LAB_STAG(LAB_READ), LAB_TO);
    peer_feed(&p, lab);
    assert_int_equal(lab->failed, 0);
    peer_read_request(&p, 5, 0x999, 0, 5, LAB_STAG(LAB_READ), LAB_TO);
    peer_feed(&p, lab);
    assert_int_equal(lab->failed, 1);
    assert_int_equal(lab->qp->terminate_error, TERMINATE_NO_BUFFER);
    peer_free(&p);
    lab_free(lab);
}

static void test_responses_go_to_the_oldest_read(void **state)
{
    struct terms t = {.initiator = true, .crc = true, .ird = 2, .ord = 2};
    struct lab *lab = lab_new(&t);
    struct weft_siw_wc wc;
    struct peer p;

    (void)state;
    lab_read(lab, 1, LAB_LOCAL, 16, 8);
    lab_read(lab, 2, LAB_ALL, 0, 4);
    peer_init(&p, true);
    peer_tagged(&p, 2, false, LAB_STAG(LAB_LOCAL), LAB_TO + 16, "abc", 3);
    peer_tagged(&p, 2, true, LAB_STAG(LAB_LOCAL), LAB_TO + 19, "defgh", 5);
    peer_feed(&p, lab);
    assert_true(weft_siw_cq_poll(&lab->s, lab->send_cqn, &wc));
    assert_int_equal(wc.wr_id, 1);
    assert_int_equal(wc.opcode, WEFT_SIW_WC_READ);
    assert_int_equal(wc.status, WEFT_SIW_WC_OK);
    assert_int_equal(wc.bytes, 8);
    assert_false(weft_siw_cq_poll(&lab->s, lab->send_cqn, &wc));
    peer_tagged(&p, 2, true, LAB_STAG(LAB_ALL), LAB_TO, "ijkl", 4);
    peer_feed(&p, lab);
    assert_true(weft_siw_cq_poll(&lab->s, lab->send_cqn, &wc));
    assert_int_equal(wc.wr_id, 2);
    assert_memory_equal(lab_at(lab, LAB_LOCAL) + 16, "abcdefgh", 8);
    assert_memory_equal(lab_at(lab, LAB_ALL), "ijkl", 4);
    assert_int_equal(lab->failed, 0);
    peer_free(&p);
    lab_free(lab);
}

static void test_a_sink_that_was_invalidated_takes_nothing(void **state)
{
    struct terms t = {.initiator = true, .crc = false, .ird = 2, .ord = 2};
    struct lab *lab = lab_new(&t);
    struct peer p;

    (void)state;
    lab_read(lab, 1, LAB_ALL, 0, 4);
    lab_recv(lab, 2, lab_at(lab, LAB_LOCAL), 64);
    peer_init(&p, false);
    peer_untagged(&p, 4, true, LAB_STAG(LAB_ALL), 0, 1, 0, NULL, 0);
    peer_tagged(&p, 2, true, LAB_STAG(LAB_ALL), LAB_TO, "ijkl", 4);
    peer_feed(&p, lab);
    assert_int_equal(lab->qp->terminate_error, TERMINATE_TAGGED_STAG);
    assert_int_equal(lab_at(lab, LAB_ALL)[0], LAB_FILL);
    peer_free(&p);
    lab_free(lab);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_peer_may_read),
        cmocka_unit_test(test_what_may_answer_our_read),
        cmocka_unit_test(test_requests_are_answered_in_their_order_from_the_regions),
        cmocka_unit_test(test_more_requests_than_agreed_on_end_the_connection),
        cmocka_unit_test(test_responses_go_to_the_oldest_read),
        cmocka_unit_test(test_a_sink_that_was_invalidated_takes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
