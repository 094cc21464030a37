/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sends of a peer: numbers, offsets, receives, invalidation. */
#include "siw_receive_rows.h"

#define FIRST_HALF "0143 00000000 00000000 00000001 00000000"
#define WHOLE      "4143 00000000 00000000 00000001 00000000"

static void test_numbers_offsets_and_room(void **state)
{
    static const struct row rows[] = {
        {"fits exactly", WHOLE, 64, TAKEN, .copies = NOTHING, .recvs = 1},
        {"no bytes", WHOLE, 0, TAKEN, .copies = NOTHING, .recvs = 1},
        {"MSN 0", "4143 00000000 00000000 00000000 00000000", 4, 0x1203, .copies = HEADER,
         .recvs = 1},
        {"MSN 2 first", "4143 00000000 00000000 00000002 00000000", 4, 0x1203, .copies = HEADER,
         .recvs = 2},
        {"MSN again", WHOLE, 4, 0x1203, .copies = HEADER, WHOLE, 4, .recvs = 2},
        {"MSN wrong, and no receive", "4143 00000000 00000000 00000002 00000000", 4, 0x1203,
         .copies = HEADER},
        {"no receive", WHOLE, 4, 0x1202, .copies = HEADER},
        {"no receive for no bytes", WHOLE, 0, 0x1202, .copies = HEADER},
        {"no second receive", "4143 00000000 00000000 00000002 00000000", 4, 0x1202,
         .copies = HEADER, WHOLE, 4, .recvs = 1},
        {"no receive, and MO wrong", "4143 00000000 00000000 00000001 00000004", 4, 0x1202,
         .copies = HEADER},
        {"MO 4 first", "4143 00000000 00000000 00000001 00000004", 4, 0x1204, .copies = HEADER,
         .recvs = 1},
        {"MO leaves a gap", "4143 00000000 00000000 00000001 00000005", 4, 0x1204, .copies = HEADER,
         FIRST_HALF, 4, .recvs = 1},
        {"MO goes back", "4143 00000000 00000000 00000001 00000003", 4, 0x1204, .copies = HEADER,
         FIRST_HALF, 4, .recvs = 1},
        {"goes on", "4143 00000000 00000000 00000001 00000004", 60, TAKEN, .copies = NOTHING,
         FIRST_HALF, 4, .recvs = 1},
        {"a byte too long", WHOLE, 65, 0x1205, .copies = HEADER, .recvs = 1},
        {"a byte too long, together", "4143 00000000 00000000 00000001 00000004", 61, 0x1205,
         .copies = HEADER, FIRST_HALF, 4, .recvs = 1},
        {"MO wrong comes before too long", "4143 00000000 00000000 00000001 00000001", 65, 0x1204,
         .copies = HEADER, .recvs = 1},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_what_a_peer_may_invalidate(void **state)
{
    static const struct row rows[] = {
        {"allowed", "4144 00000111 00000000 00000001 00000000", 4, TAKEN, .copies = NOTHING,
         .recvs = 1},
        {"allowed, solicited", "4146 00000111 00000000 00000001 00000000", 0, TAKEN,
         .copies = NOTHING, .recvs = 1},
        {"no bytes, not valid", "4144 00000112 00000000 00000001 00000000", 0, 0x0100,
         .copies = HEADER, .recvs = 1},
        {"STag 0", "4144 00000000 00000000 00000001 00000000", 0, 0x0100, .copies = HEADER,
         .recvs = 1},
        {"another protection domain", "4146 00000411 00000000 00000001 00000000", 0, 0x0103,
         .copies = HEADER, .recvs = 1},
        {"not to be invalidated", "4144 00000211 00000000 00000001 00000000", 0, 0x0109,
         .copies = HEADER, .recvs = 1},
        {"twice", "4144 00000111 00000000 00000002 00000000", 0, 0x0100, .copies = HEADER,
         "4144 00000111 00000000 00000001 00000000", 4, .recvs = 2},
        {"writing after it", "c140 00000111 0000000000001000", 4, 0x1100, .copies = HEADER,
         "4144 00000111 00000000 00000001 00000000", 4, .recvs = 1},
        {"an STag in a plain Send means nothing", "4143 00000112 00000000 00000001 00000000", 4,
         TAKEN, .copies = NOTHING, .recvs = 1},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static struct weft_siw_wc poll_recv(struct lab *lab)
{
    struct weft_siw_wc wc;

    memset(&wc, 0xff, sizeof(wc));
    assert_true(weft_siw_cq_poll(&lab->s, lab->recv_cqn, &wc));
    return wc;
}

static void test_what_a_completion_says_by_kind(void **state)
{
    static const struct {
        uint8_t opcode;
        uint32_t stag, invalidated;
        bool solicited;
    } kinds[] = {
        {3, 0, 0, false},
        {5, 0, 0, true},
        {4, LAB_STAG(LAB_ALL), LAB_STAG(LAB_ALL), false},
    };
    struct terms t = {.crc = true};
    struct lab *lab = lab_new(&t);
    struct peer p;

    (void)state;
    peer_init(&p, true);
    for (uint32_t i = 0; i < COUNT(kinds); i++) {
        struct weft_siw_wc wc;

        lab_recv(lab, 100 + i, lab_at(lab, LAB_LOCAL), 64);
        peer_untagged(&p, kinds[i].opcode, false, kinds[i].stag, 0, i + 1, 0, "hello, ", 7);
        peer_feed(&p, lab);
        assert_int_equal(lab->qp->recv_cq->count, 0);
        peer_untagged(&p, kinds[i].opcode, true, kinds[i].stag, 0, i + 1, 7, "world", 5);
        peer_feed(&p, lab);
        wc = poll_recv(lab);
        assert_int_equal(wc.wr_id, 100 + i);
        assert_int_equal(wc.qpn, lab->qpn);
        assert_int_equal(wc.opcode, WEFT_SIW_WC_RECV);
        assert_int_equal(wc.status, WEFT_SIW_WC_OK);
        assert_int_equal(wc.bytes, 12);
        assert_int_equal(wc.invalidated, kinds[i].invalidated);
        assert_int_equal(wc.solicited, kinds[i].solicited);
        assert_memory_equal(lab_at(lab, LAB_LOCAL), "hello, world", 12);
    }
    assert_false(weft_siw_region_valid(&lab->s, LAB_STAG(LAB_ALL)));
    peer_free(&p);
    lab_free(lab);
}

/* Feeds one Send of 65 bytes to a receive of that status, behind which another one waits. */
static void check_failed_receive(const struct weft_siw_sge *sge, uint16_t error,
                                 enum weft_siw_wc_status status)
{
    struct terms t = {.crc = false};
    struct lab *lab = lab_new(&t);
    struct weft_siw_recv wr = {.wr_id = 1, .sge = sge, .sge_count = 1};
    struct weft_siw_sge piece = *sge;
    struct weft_siw_wc wc;
    uint8_t data[65] = {0};
    struct peer p;

    piece.addr = lab_at(lab, LAB_LOCAL);
    wr.sge = &piece;
    assert_int_equal(weft_siw_post_recv(&lab->s, lab->qpn, &wr), 0);
    lab_recv(lab, 2, lab_at(lab, LAB_LOCAL), 64);
    peer_init(&p, false);
    peer_send(&p, 1, data, sizeof(data));
    peer_feed(&p, lab);
    assert_int_equal(lab->qp->terminate_error, error);
    wc = poll_recv(lab);
    assert_int_equal(wc.wr_id, 1);
    assert_int_equal(wc.status, status);
    wc = poll_recv(lab);
    assert_int_equal(wc.wr_id, 2);
    assert_int_equal(wc.status, WEFT_SIW_WC_FLUSHED);
    assert_false(weft_siw_cq_poll(&lab->s, lab->recv_cqn, &wc));
    assert_int_equal(lab_at(lab, LAB_LOCAL)[0], LAB_FILL);
    peer_free(&p);
    lab_free(lab);
}

static void test_a_receive_ends_by_its_own_error(void **state)
{
    static const struct weft_siw_sge small = {.bytes = 64}, gone = {.bytes = 65, .stag = 0x612},
                                     denied = {.bytes = 65, .stag = LAB_STAG(LAB_WRITE)},
                                     foreign = {.bytes = 65, .stag = LAB_STAG(LAB_FOREIGN)};

    (void)state;
    check_failed_receive(&small, TERMINATE_TOO_LONG, WEFT_SIW_WC_TOO_LONG);
    check_failed_receive(&gone, TERMINATE_DDP_LOCAL, WEFT_SIW_WC_LOCAL);
    check_failed_receive(&denied, TERMINATE_DDP_LOCAL, WEFT_SIW_WC_LOCAL);
    check_failed_receive(&foreign, TERMINATE_DDP_LOCAL, WEFT_SIW_WC_LOCAL);
}

static void test_one_wrong_piece_and_nothing_is_placed(void **state)
{
    struct terms t = {.crc = true};
    struct lab *lab = lab_new(&t);
    struct weft_siw_sge sge[2] = {{lab_at(lab, LAB_LOCAL), 4, LAB_STAG(LAB_LOCAL)},
                                  {lab_at(lab, LAB_WRITE), 4, LAB_STAG(LAB_WRITE)}};
    struct weft_siw_recv wr = {.wr_id = 1, .sge = sge, .sge_count = 2};
    struct peer p;

    (void)state;
    assert_int_equal(weft_siw_post_recv(&lab->s, lab->qpn, &wr), 0);
    peer_init(&p, true);
    peer_send(&p, 1, "12345678", 8);
    peer_feed(&p, lab);
    assert_int_equal(lab->qp->terminate_error, TERMINATE_DDP_LOCAL);
    assert_int_equal(poll_recv(lab).status, WEFT_SIW_WC_LOCAL);
    assert_int_equal(lab_at(lab, LAB_LOCAL)[0], LAB_FILL);
    peer_free(&p);
    lab_free(lab);
}

static void test_a_send_that_invalidates_what_it_may_not_completes_nothing(void **state)
{
    struct terms t = {.crc = false};
    struct lab *lab = lab_new(&t);
    struct weft_siw_wc wc;
    struct peer p;

    (void)state;
    lab_recv(lab, 1, lab_at(lab, LAB_LOCAL), 64);
    peer_init(&p, false);
    peer_untagged(&p, 4, true, LAB_STAG(LAB_READ), 0, 1, 0, "data", 4);
    peer_feed(&p, lab);
    wc = poll_recv(lab);
    assert_int_equal(wc.status, WEFT_SIW_WC_FLUSHED);
    assert_true(weft_siw_region_valid(&lab->s, LAB_STAG(LAB_READ)));
    peer_free(&p);
    lab_free(lab);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_offsets_and_room),
        cmocka_unit_test(test_what_a_peer_may_invalidate),
        cmocka_unit_test(test_what_a_completion_says_by_kind),
        cmocka_unit_test(test_a_receive_ends_by_its_own_error),
        cmocka_unit_test(test_one_wrong_piece_and_nothing_is_placed),
        cmocka_unit_test(test_a_send_that_invalidates_what_it_may_not_completes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
