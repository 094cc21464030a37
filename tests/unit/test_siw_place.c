/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where payload goes: over the pieces of a receive, into regions, and when a registration ends
 * while it arrives. */
#include "siw_receive_rows.h"

static uint8_t text[256];

static void fill_text(void)
{
    for (uint32_t i = 0; i < sizeof(text); i++)
        text[i] = (uint8_t)(i ^ 0x5A);
}

/* Sends 100 bytes in segments of `segment` into pieces of those lengths, and so many bytes at a
 * time. */
static void check_scatter(const uint32_t *lengths, uint32_t pieces, uint32_t segment, size_t part)
{
    struct terms t = {.crc = false};
    struct lab *lab = lab_new(&t);
    struct weft_siw_sge sge[WEFT_SIW_SGE_MAX] = {{0}};
    struct weft_siw_recv wr = {.wr_id = 1, .sge = sge, .sge_count = pieces};
    uint32_t sent = 0, found = 0;
    struct weft_siw_wc wc;
    struct peer p;

    for (uint32_t i = 0; i < pieces; i++)
        sge[i] = (struct weft_siw_sge){.addr = lab_at(lab, LAB_LOCAL) + (size_t)1000 * i,
                                       .bytes = lengths[i],
                                       .stag = i % 2 ? LAB_STAG(LAB_LOCAL) : 0};
    assert_int_equal(weft_siw_post_recv(&lab->s, lab->qpn, &wr), 0);
    peer_init(&p, false);
    do {
        uint32_t n = 100 - sent < segment ? 100 - sent : segment;

        peer_untagged(&p, 3, sent + n == 100, 0, 0, 1, sent, text + sent, n);
        sent += n;
    } while (sent < 100);
    feed_in_parts(lab, p.bytes, p.count, part);
    assert_true(weft_siw_cq_poll(&lab->s, lab->recv_cqn, &wc));
    assert_int_equal(wc.bytes, 100);
    for (uint32_t i = 0; i < pieces; i++) {
        const uint8_t *at = lab_at(lab, LAB_LOCAL) + (size_t)1000 * i;

        for (uint32_t b = 0; b < 1000; b++) {
            if (b < lengths[i] && found < 100)
                assert_int_equal(at[b], text[found++]);
            else
                assert_int_equal(at[b], LAB_FILL);
        }
    }
    assert_int_equal(found, 100);
    assert_true(lab_guards_whole(lab));
    peer_free(&p);
    lab_free(lab);
}

static void test_a_send_fills_the_pieces_of_a_receive_in_order(void **state)
{
    static const uint32_t lengths[][WEFT_SIW_SGE_MAX] = {
        {100},         {1, 99},        {33, 33, 34}, {0, 50, 0, 50}, {25, 25, 25, 25},
        {99, 0, 1, 7}, {1, 1, 1, 900},
    };
    static const uint32_t counts[] = {1, 2, 3, 4, 4, 4, 4};
    static const uint32_t segments[] = {100, 50, 33, 7, 1};
    static const size_t parts[] = {SIZE_MAX, 13, 1};

    (void)state;
    fill_text();
    for (uint32_t l = 0; l < COUNT(lengths); l++) {
        for (uint32_t i = 0; i < COUNT(segments); i++) {
            for (uint32_t c = 0; c < COUNT(parts); c++)
                check_scatter(lengths[l], counts[l], segments[i], parts[c]);
        }
    }
}

/* Without CRC bytes are placed as they come: what came before the end of a registration is there,
 * what comes after it ends the connection. */
static void test_a_registration_that_ends_while_a_write_arrives(void **state)
{
    struct terms t = {.crc = false};
    struct lab *lab = lab_new(&t);
    struct peer p;
    size_t bytes;

    (void)state;
    peer_init(&p, false);
    peer_tagged(&p, 0, true, LAB_STAG(LAB_WRITE), LAB_TO, "before after", 12);
    qp_rx(&lab->s, lab->qp, p.bytes, 2 + 14 + 6);
    assert_non_null(qp_rx_window(&lab->s, lab->qp, &bytes));
    assert_int_equal(weft_siw_region_deregister(&lab->s, LAB_STAG(LAB_WRITE)), 0);
    assert_null(qp_rx_window(&lab->s, lab->qp, &bytes));
    assert_int_equal(lab->failed, 0);
    qp_rx(&lab->s, lab->qp, p.bytes + 22, p.count - 22);
    assert_int_equal(lab->failed, 1);
    assert_int_equal(lab->qp->terminate_error, TERMINATE_TAGGED_STAG);
    assert_memory_equal(lab_at(lab, LAB_WRITE), "before", 6);
    assert_int_equal(lab_at(lab, LAB_WRITE)[6], LAB_FILL);
    peer_free(&p);
    lab_free(lab);
}

static void test_a_registration_that_ends_while_a_send_arrives(void **state)
{
    struct terms t = {.crc = false};
    struct lab *lab = lab_new(&t);
    struct weft_siw_sge sge = {
        .addr = lab_at(lab, LAB_LOCAL), .bytes = 64, .stag = LAB_STAG(LAB_LOCAL)};
    struct weft_siw_recv wr = {.wr_id = 1, .sge = &sge, .sge_count = 1};
    struct weft_siw_wc wc;
    struct peer p;

    (void)state;
    assert_int_equal(weft_siw_post_recv(&lab->s, lab->qpn, &wr), 0);
    peer_init(&p, false);
    peer_send(&p, 1, "before after", 12);
    qp_rx(&lab->s, lab->qp, p.bytes, 2 + 18 + 6);
    assert_int_equal(weft_siw_region_deregister(&lab->s, LAB_STAG(LAB_LOCAL)), 0);
    qp_rx(&lab->s, lab->qp, p.bytes + 26, p.count - 26);
    assert_int_equal(lab->qp->terminate_error, TERMINATE_DDP_LOCAL);
    assert_true(weft_siw_cq_poll(&lab->s, lab->recv_cqn, &wc));
    assert_int_equal(wc.status, WEFT_SIW_WC_LOCAL);
    assert_int_equal(lab_at(lab, LAB_LOCAL)[6], LAB_FILL);
    peer_free(&p);
    lab_free(lab);
}

static void test_a_sink_that_goes_while_a_response_arrives(void **state)
{
    struct terms t = {.initiator = true, .crc = false, .ird = 1, .ord = 1};
    struct lab *lab = lab_new(&t);
    struct region *sink;
    struct peer p;

    (void)state;
    lab_read(lab, 1, LAB_LOCAL, 0, 12);
    peer_init(&p, false);
    peer_tagged(&p, 2, true, LAB_STAG(LAB_LOCAL), LAB_TO, "before after", 12);
    qp_rx(&lab->s, lab->qp, p.bytes, 2 + 14 + 6);
    sink = region_find(&lab->s, LAB_STAG(LAB_LOCAL));
    sink->valid = false;
    qp_rx(&lab->s, lab->qp, p.bytes + 22, p.count - 22);
    assert_int_equal(lab->qp->terminate_error, TERMINATE_TAGGED_STAG);
    assert_memory_equal(lab_at(lab, LAB_LOCAL), "before", 6);
    assert_int_equal(lab_at(lab, LAB_LOCAL)[6], LAB_FILL);
    peer_free(&p);
    lab_free(lab);
}

static void test_a_source_that_goes_before_the_request_is_whole(void **state)
{
    struct terms t = {.crc = false, .ird = 1};
    struct lab *lab = lab_new(&t);
    struct peer p;

    (void)state;
    peer_init(&p, false);
    peer_read_request(&p, 1, 0x999, 0, 4, LAB_STAG(LAB_READ), LAB_TO);
    qp_rx(&lab->s, lab->qp, p.bytes, p.count - 1);
    assert_int_equal(weft_siw_region_deregister(&lab->s, LAB_STAG(LAB_READ)), 0);
    qp_rx(&lab->s, lab->qp, p.bytes + p.count - 1, 1);
    assert_int_equal(lab->qp->terminate_error, TERMINATE_READ_STAG);
    peer_free(&p);
    lab_free(lab);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_send_fills_the_pieces_of_a_receive_in_order),
        cmocka_unit_test(test_a_registration_that_ends_while_a_write_arrives),
        cmocka_unit_test(test_a_registration_that_ends_while_a_send_arrives),
        cmocka_unit_test(test_a_sink_that_goes_while_a_response_arrives),
        cmocka_unit_test(test_a_source_that_goes_before_the_request_is_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
