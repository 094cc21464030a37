/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RDMA Writes of a peer: where they may go. */
#include "siw_receive_rows.h"

static void test_where_a_peer_may_write(void **state)
{
    static const struct row rows[] = {
        {"first byte", "c140 00000111 0000000000001000", 1, TAKEN, .copies = NOTHING},
        {"last byte", "c140 00000111 0000000000001fff", 1, TAKEN, .copies = NOTHING},
        {"all of it", "c140 00000111 0000000000001000", 4096, TAKEN, .copies = NOTHING},
        {"a region for writing only", "c140 00000311 0000000000001000", 4, TAKEN,
         .copies = NOTHING},
        {"STag 0", "c140 00000000 0000000000001000", 4, 0x1100, .copies = HEADER},
        {"no such index", "c140 00ffff11 0000000000001000", 4, 0x1100, .copies = HEADER},
        {"another key", "c140 00000112 0000000000001000", 4, 0x1100, .copies = HEADER},
        {"another protection domain", "c140 00000411 0000000000001000", 4, 0x1102,
         .copies = HEADER},
        {"a byte before", "c140 00000111 0000000000000fff", 4, 0x1101, .copies = HEADER},
        {"a byte beyond", "c140 00000111 0000000000001ffd", 4, 0x1101, .copies = HEADER},
        {"behind the end", "c140 00000111 0000000000002000", 1, 0x1101, .copies = HEADER},
        {"far away", "c140 00000111 7000000000000000", 4, 0x1101, .copies = HEADER},
        {"more than it is long", "c140 00000111 0000000000001000", 4097, 0x1101, .copies = HEADER},
        {"TO wraps", "c140 00000111 ffffffffffffffff", 2, 0x1103, .copies = HEADER},
        {"TO wraps by all bytes", "c140 00000111 fffffffffffffffd", 4, 0x1103, .copies = HEADER},
        {"a region for reading only", "c140 00000211 0000000000001000", 4, 0x0102,
         .copies = HEADER},
        {"a region for this side only", "c140 00000511 0000000000001000", 4, 0x0102,
         .copies = HEADER},
        {"foreign comes before bounds", "c140 00000411 0000000000000000", 4, 0x1102,
         .copies = HEADER},
        {"bounds come before rights", "c140 00000211 0000000000000000", 4, 0x1101,
         .copies = HEADER},
        {"no bytes, no STag", "c140 00000000 0000000000000000", 0, TAKEN, .copies = NOTHING},
        {"no bytes, right denied", "c140 00000211 0000000000000000", 0, TAKEN, .copies = NOTHING},
        {"no bytes, end of numbers", "c140 00000111 ffffffffffffffff", 0, TAKEN, .copies = NOTHING},
        {"the second segment is judged by itself", "c140 00000111 0000000000001ffd", 4, 0x1101,
         .copies = HEADER, "8140 00000111 0000000000001000", 4},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_segments_of_a_write_may_come_in_any_place(void **state)
{
    struct terms t = {.crc = true};
    struct lab *lab = lab_new(&t);
    const uint8_t *at = lab_at(lab, LAB_WRITE);
    struct peer p;

    (void)state;
    peer_init(&p, true);
    peer_tagged(&p, 0, false, LAB_STAG(LAB_WRITE), LAB_TO + 8, "third", 5);
    peer_tagged(&p, 0, false, LAB_STAG(LAB_WRITE), LAB_TO, "first", 5);
    peer_tagged(&p, 0, false, LAB_STAG(LAB_WRITE), LAB_TO, NULL, 0);
    peer_tagged(&p, 0, true, LAB_STAG(LAB_WRITE), LAB_TO + 4, "over", 4);
    peer_feed(&p, lab);
    assert_int_equal(lab->failed, 0);
    assert_memory_equal(at, "firsoverthird", 13);
    assert_int_equal(at[13], LAB_FILL);
    assert_int_equal(lab->qp->recv_cq->count, 0);
    assert_int_equal(lab->qp->fpdus_in, 4);
    assert_int_equal(lab->s.stats.fpdus_in, 4);
    peer_free(&p);
    lab_free(lab);
}

static void test_an_stag_of_another_qp(void **state)
{
    struct terms t = {.crc = false};
    struct lab *lab = lab_new(&t);
    struct weft_siw_region r = {.base = lab_at(lab, LAB_ALL),
                                .bytes = 64,
                                .pd = LAB_PD,
                                .qpn = lab->qpn + 1,
                                .access = WEFT_SIW_REMOTE_WRITE};
    uint32_t stag;
    struct peer p;

    (void)state;
    assert_int_equal(weft_siw_region_register(&lab->s, &r, &stag), 0);
    peer_init(&p, false);
    peer_tagged(&p, 0, true, stag, 0, "data", 4);
    peer_feed(&p, lab);
    assert_int_equal(lab->qp->terminate_error, TERMINATE_TAGGED_ASSOCIATION);
    assert_int_equal(lab_at(lab, LAB_ALL)[0], LAB_FILL);
    peer_free(&p);
    lab_free(lab);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_where_a_peer_may_write),
        cmocka_unit_test(test_segments_of_a_write_may_come_in_any_place),
        cmocka_unit_test(test_an_stag_of_another_qp),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
