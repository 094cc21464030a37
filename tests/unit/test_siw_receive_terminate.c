/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Terminates of a peer. */
#include "siw_receive_rows.h"

#define HEAD "4147 00000000 00000002 00000001 00000000"

static void test_what_a_terminate_must_be(void **state)
{
    static const struct row rows[] = {
        {"the least", HEAD "20020000", 0, TAKEN, .copies = NOTHING},
        {"MSN 2", "4147 00000000 00000002 00000002 00000000 20020000", 0, 0x1203, .copies = HEADER},
        {"MSN 0", "4147 00000000 00000002 00000000 00000000 20020000", 0, 0x1203, .copies = HEADER},
        {"MO 4", "4147 00000000 00000002 00000001 00000004 20020000", 0, 0x1204, .copies = HEADER},
        {"longer than any", HEAD "20020000", 200, TAKEN, .copies = NOTHING},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

/* Ends a QP that has a receive posted by a Terminate. */
static void check_terminate(const char *hex, uint32_t payload, uint16_t error, size_t part)
{
    struct terms t = {.crc = true};
    struct lab *lab = lab_new(&t);
    struct weft_siw_wc wc;
    struct peer p;

    lab_recv(lab, 1, lab_at(lab, LAB_LOCAL), 64);
    peer_init(&p, true);
    peer_hex(&p, hex, payload);
    peer_tagged(&p, 0, true, LAB_STAG(LAB_ALL), LAB_TO, "never", 5);
    feed_in_parts(lab, p.bytes, p.count, part);
    assert_int_equal(lab->peer_terminated, 1);
    assert_int_equal(lab->failed, 0);
    assert_true(lab->qp->terminate_received);
    assert_int_equal(lab->qp->terminate_error, error);
    assert_int_equal(lab->qp->state, WEFT_SIW_QP_ERROR);
    assert_true(weft_siw_cq_poll(&lab->s, lab->recv_cqn, &wc));
    assert_int_equal(wc.status, WEFT_SIW_WC_FLUSHED);
    assert_int_equal(lab_at(lab, LAB_ALL)[0], LAB_FILL);
    lab_drain(lab);
    assert_int_equal(lab->out_bytes, 0);
    peer_free(&p);
    lab_free(lab);
}

static void test_a_terminate_ends_everything_in_either_order(void **state)
{
    static const struct {
        const char *hex;
        uint32_t payload;
        uint16_t error;
    } rows[] = {
        {HEAD "20020000", 0, TERMINATE_CRC},
        {HEAD "02020000", 0, TERMINATE_CRC},
        {HEAD "1101c000 0012 c140 00000111 0000000000001ffd", 0, TERMINATE_TAGGED_BOUNDS},
        {HEAD "11010300 0004 c140 00000111 0000000000001ffd", 0, TERMINATE_TAGGED_BOUNDS},
        {HEAD "0101e000 002e", 46, TERMINATE_READ_BOUNDS},
        {HEAD "20020000", 200, TERMINATE_CRC},
    };

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        check_terminate(rows[i].hex, rows[i].payload, rows[i].error, SIZE_MAX);
        check_terminate(rows[i].hex, rows[i].payload, rows[i].error, 1);
    }
}

/* What Linux siw sent to a first FPDU with a bad CRC, byte for byte. */
static void test_the_terminate_of_linux_siw(void **state)
{
    static const uint8_t fpdu[] = {0x00, 0x16, 0x41, 0x47, 0,    0,    0,    0,   0, 0,
                                   0,    2,    0,    0,    0,    1,    0,    0,   0, 0,
                                   0x02, 0x02, 0,    0,    0x75, 0xd3, 0x67, 0xed};
    struct terms t = {.initiator = true, .crc = true};
    struct lab *lab = lab_new(&t);

    (void)state;
    feed_in_parts(lab, fpdu, sizeof(fpdu), 5);
    assert_int_equal(lab->peer_terminated, 1);
    assert_int_equal(lab->qp->terminate_error, TERMINATE_CRC);
    lab_free(lab);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_terminate_must_be),
        cmocka_unit_test(test_a_terminate_ends_everything_in_either_order),
        cmocka_unit_test(test_the_terminate_of_linux_siw),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
