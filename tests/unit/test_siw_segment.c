/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What every segment must be, and the first one of a peer. */
#include "siw_receive_rows.h"

#define WRITE "c140 00000111 0000000000001000"
#define MORE  "8140 00000111 0000000000001000"
#define SEND  "4143 00000000 00000000 00000001 00000000"
#define READ  "00000999 0000000000005000 00000010 00000211 0000000000001000"

static void test_lengths_versions_opcodes_queues(void **state)
{
    static const struct row rows[] = {
        {"no ULPDU", "", 0, 0x2003, .copies = NOTHING},
        {"one byte", "c1", 0, 0x2003, .copies = NOTHING},
        {"two bytes", "c140", 0, 0x2003, .copies = NOTHING},
        {"13 bytes", "c140 00000111 00000000000010", 0, 0x2003, .copies = NOTHING},
        {"untagged, 14 bytes", "4143 00000000 00000000 00000001", 0, 0x2003, .copies = NOTHING},
        {"untagged, 17 bytes", "4143 00000000 00000000 00000001 000000", 0, 0x2003,
         .copies = NOTHING},
        {"Read Request, 45 bytes", "4141 00000000 00000001 00000001 00000000", 27, 0x2003,
         .copies = NOTHING},
        {"Terminate, 21 bytes", "4147 00000000 00000002 00000001 00000000", 3, 0x2003,
         .copies = NOTHING},
        {"tagged, DDP version 0", "c040 00000111 0000000000001000", 4, 0x1104, .copies = NOTHING},
        {"tagged, DDP version 2", "c240 00000111 0000000000001000", 4, 0x1104, .copies = NOTHING},
        {"untagged, DDP version 3", "4343 00000000 00000000 00000001 00000000", 4, 0x1206,
         .copies = NOTHING},
        {"RDMAP version 0", "c100 00000111 0000000000001000", 4, 0x0205, .copies = NOTHING},
        {"RDMAP version 3, untagged", "41c3 00000000 00000000 00000001 00000000", 4, 0x0205,
         .copies = NOTHING},
        {"tagged, opcode 8", "c148 00000111 0000000000001000", 4, 0x0206, .copies = NOTHING},
        {"untagged, opcode 15", "414f 00000000 00000000 00000001 00000000", 4, 0x0206,
         .copies = NOTHING},
        {"untagged Write", "4140 00000111 00000000 00000001 00000000", 4, 0x0206,
         .copies = NOTHING},
        {"untagged Read Response", "4142 00000111 00000000 00000001 00000000", 4, 0x0206,
         .copies = NOTHING},
        {"tagged Send", "c143 00000111 0000000000001000", 4, 0x0206, .copies = NOTHING, .recvs = 1},
        {"tagged Read Request", "c141 00000111 0000000000001000", 28, 0x0206, .copies = NOTHING},
        {"tagged Terminate", "c147 00000111 0000000000001000", 4, 0x0206, .copies = NOTHING},
        {"Read Request without L", "0141 00000000 00000001 00000001 00000000" READ, 0, 0x0206,
         .copies = NOTHING},
        {"Terminate without L", "0147 00000000 00000002 00000001 00000000 20020000", 0, 0x0206,
         .copies = NOTHING},
        {"Send to queue 1", "4143 00000000 00000001 00000001 00000000", 4, 0x0206,
         .copies = NOTHING, .recvs = 1},
        {"Send to queue 3", "4143 00000000 00000003 00000001 00000000", 4, 0x1201, .copies = HEADER,
         .recvs = 1},
        {"Send to the last queue", "4143 00000000 ffffffff 00000001 00000000", 4, 0x1201,
         .copies = HEADER, .recvs = 1},
        {"Read Request to queue 0", "4141 00000000 00000000 00000001 00000000" READ, 0, 0x0206,
         .copies = NOTHING},
        {"Read Request to queue 9", "4141 00000000 00000009 00000001 00000000" READ, 0, 0x1201,
         .copies = HEADER},
        {"Terminate to queue 0", "4147 00000000 00000000 00000001 00000000 20020000", 0, 0x0206,
         .copies = NOTHING},
        {"reserved bits", "fd70 00000111 0000000000001000", 4, TAKEN, .copies = NOTHING},
        {"as it should be", WRITE, 4, TAKEN, .copies = NOTHING},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_a_message_goes_on_as_it_began(void **state)
{
    static const struct row rows[] = {
        {"Write, Write", "c140 00000111 0000000000001010", 4, TAKEN, .copies = NOTHING, MORE, 4},
        {"Write, Write elsewhere", WRITE, 4, TAKEN, .copies = NOTHING, MORE, 4},
        {"Write, another STag", "c140 00000311 0000000000001000", 4, 0x0206, .copies = NOTHING,
         MORE, 4},
        {"Write, Read Response", "c142 00000511 0000000000001000", 4, 0x0206, .copies = NOTHING,
         MORE, 4, .read = 4},
        {"Write, Send", SEND, 4, TAKEN, .copies = NOTHING, MORE, 4, .recvs = 1},
        {"Send, Send", "4143 00000000 00000000 00000001 00000004", 4, TAKEN, .copies = NOTHING,
         "0143 00000000 00000000 00000001 00000000", 4, .recvs = 1},
        {"Send, Send of another kind", "4145 00000000 00000000 00000001 00000004", 4, 0x0206,
         .copies = NOTHING, "0143 00000000 00000000 00000001 00000000", 4, .recvs = 1},
        {"Send, next MSN", "4143 00000000 00000000 00000002 00000000", 4, 0x0206, .copies = NOTHING,
         "0143 00000000 00000000 00000001 00000000", 4, .recvs = 2},
        {"Send, Read Request", "4141 00000000 00000001 00000001 00000000" READ, 0, 0x0206,
         .copies = NOTHING, "0143 00000000 00000000 00000001 00000000", 4, .recvs = 1},
        {"Send, Write", WRITE, 4, TAKEN, .copies = NOTHING,
         "0143 00000000 00000000 00000001 00000000", 4, .recvs = 1},
        {"Send, Terminate", "4147 00000000 00000002 00000001 00000000 20020000", 0, TAKEN,
         .copies = NOTHING, "0143 00000000 00000000 00000001 00000000", 4, .recvs = 1},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

/* Feeds a first segment to a responder; gives what it was agreed on, and whether it is there. */
static struct lab *first_segment(uint8_t rtr, const char *hex, uint32_t payload, uint32_t recvs)
{
    struct terms t = {.rtr = rtr, .peer_to_peer = rtr != 0, .ird = 1, .ord = 1};
    struct lab *lab = lab_new(&t);
    struct peer p;

    for (uint32_t i = 0; i < recvs; i++)
        lab_recv(lab, i, lab_at(lab, LAB_LOCAL), 64);
    peer_init(&p, false);
    peer_hex(&p, hex, payload);
    qp_rx(&lab->s, lab->qp, p.bytes, p.count - 1);
    assert_int_equal(lab->ready, 0);
    qp_rx(&lab->s, lab->qp, p.bytes + p.count - 1, 1);
    peer_free(&p);
    return lab;
}

static void test_the_first_fpdu_makes_ready_before_it_is_delivered(void **state)
{
    struct lab *lab = first_segment(WEFT_SIW_RTR_NONE, SEND, 4, 2);
    struct peer p;

    (void)state;
    assert_int_equal(lab->ready, 1);
    assert_int_equal(lab->recvs_when_ready, 0);
    assert_int_equal(lab->qp->recv_cq->count, 1);
    peer_init(&p, false);
    peer_send(&p, 2, "next", 4);
    peer_feed(&p, lab);
    assert_int_equal(lab->ready, 1);
    assert_int_equal(lab->qp->recv_cq->count, 2);
    peer_free(&p);
    lab_free(lab);
}

static void test_a_bad_first_fpdu_makes_nobody_ready(void **state)
{
    struct lab *lab = first_segment(WEFT_SIW_RTR_NONE, SEND, 4, 0);

    (void)state;
    assert_int_equal(lab->ready, 0);
    assert_int_equal(lab->failed, 1);
    assert_int_equal(lab->qp->terminate_error, TERMINATE_NO_BUFFER);
    lab_free(lab);
}

static void test_a_send_as_rtr_takes_no_receive_but_its_number(void **state)
{
    struct lab *lab = first_segment(WEFT_SIW_RTR_SEND, SEND, 0, 0);
    struct peer p;

    (void)state;
    assert_int_equal(lab->ready, 1);
    assert_int_equal(lab->failed, 0);
    lab_recv(lab, 1, lab_at(lab, LAB_LOCAL), 64);
    peer_init(&p, false);
    peer_send(&p, 2, NULL, 0);
    peer_feed(&p, lab);
    assert_int_equal(lab->failed, 0);
    assert_int_equal(lab->qp->recv_cq->count, 1);
    peer_free(&p);
    lab_free(lab);
}

static void test_a_send_of_nothing_without_that_agreement_takes_a_receive(void **state)
{
    struct lab *lab = first_segment(WEFT_SIW_RTR_WRITE, SEND, 0, 1);

    (void)state;
    assert_int_equal(lab->failed, 0);
    assert_int_equal(lab->qp->recv_cq->count, 1);
    lab_free(lab);
    lab = first_segment(WEFT_SIW_RTR_WRITE, SEND, 0, 0);
    assert_int_equal(lab->qp->terminate_error, TERMINATE_NO_BUFFER);
    lab_free(lab);
}

static void test_a_send_of_something_is_no_rtr(void **state)
{
    struct lab *lab = first_segment(WEFT_SIW_RTR_SEND, SEND, 4, 1);

    (void)state;
    assert_int_equal(lab->failed, 0);
    assert_int_equal(lab->qp->recv_cq->count, 1);
    lab_free(lab);
}

static void test_an_initiator_is_sent_no_rtr(void **state)
{
    struct terms t = {.initiator = true, .rtr = WEFT_SIW_RTR_SEND, .peer_to_peer = true};
    struct lab *lab = lab_new(&t);
    struct peer p;

    (void)state;
    lab_recv(lab, 1, lab_at(lab, LAB_LOCAL), 64);
    peer_init(&p, false);
    peer_send(&p, 1, NULL, 0);
    peer_feed(&p, lab);
    assert_int_equal(lab->qp->recv_cq->count, 1);
    peer_free(&p);
    lab_free(lab);
}

static void test_a_write_as_rtr_may_name_any_stag(void **state)
{
    struct lab *lab = first_segment(WEFT_SIW_RTR_WRITE, "c140 00000001 0000000000000000", 0, 0);

    (void)state;
    assert_int_equal(lab->ready, 1);
    assert_int_equal(lab->failed, 0);
    lab_free(lab);
}

static void test_a_read_as_rtr_is_answered_by_a_response_of_nothing(void **state)
{
    struct lab *lab = first_segment(WEFT_SIW_RTR_READ,
                                    "4141 00000000 00000001 00000001 00000000"
                                    "00000001 0000000000000000 00000000 00000001 0000000000000000",
                                    0, 0);
    struct peer expected;

    (void)state;
    assert_int_equal(lab->ready, 1);
    lab_drain(lab);
    peer_init(&expected, false);
    peer_tagged(&expected, 2, true, 1, 0, NULL, 0);
    assert_int_equal(lab->out_bytes, expected.count);
    assert_memory_equal(lab->out, expected.bytes, expected.count);
    peer_free(&expected);
    lab_free(lab);
}

static void test_only_the_first_fpdu_is_an_rtr(void **state)
{
    struct lab *lab = first_segment(WEFT_SIW_RTR_SEND, SEND, 0, 0);
    struct peer p;

    (void)state;
    peer_init(&p, false);
    peer_send(&p, 2, NULL, 0);
    peer_feed(&p, lab);
    assert_int_equal(lab->qp->terminate_error, TERMINATE_NO_BUFFER);
    peer_free(&p);
    lab_free(lab);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths_versions_opcodes_queues),
        cmocka_unit_test(test_a_message_goes_on_as_it_began),
        cmocka_unit_test(test_the_first_fpdu_makes_ready_before_it_is_delivered),
        cmocka_unit_test(test_a_bad_first_fpdu_makes_nobody_ready),
        cmocka_unit_test(test_a_send_as_rtr_takes_no_receive_but_its_number),
        cmocka_unit_test(test_a_send_of_nothing_without_that_agreement_takes_a_receive),
        cmocka_unit_test(test_a_send_of_something_is_no_rtr),
        cmocka_unit_test(test_an_initiator_is_sent_no_rtr),
        cmocka_unit_test(test_a_write_as_rtr_may_name_any_stag),
        cmocka_unit_test(test_a_read_as_rtr_is_answered_by_a_response_of_nothing),
        cmocka_unit_test(test_only_the_first_fpdu_is_an_rtr),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
