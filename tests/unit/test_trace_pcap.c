/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The pcap writer: every byte of a record, times, padding, limits and refused packets. */
#include "core/trace/packet_crc.h"

#include <weft/pcap.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEADERS 32 /* pcap record header and ERF header */

static uint32_t le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static const struct weft_mad_grh grh = {
    .sgid = {0xFE, 0x80, [15] = 1},
    .dgid = {0xFE, 0x80, [15] = 2},
    .flow_label = 0xABCDE,
    .traffic_class = 0x12,
    .hop_limit = 64,
};

static struct weft_pcap_packet make_packet(const uint8_t *mad)
{
    return (struct weft_pcap_packet){
        .time = 5 * WEFT_S + 250 * WEFT_MS,
        .slid = 0x0102,
        .dlid = 0x0304,
        .pkey = 0xFFFF,
        .sl = 9,
        .src_qp = 0x000001,
        .dst_qp = 0xABCDEF,
        .qkey = 0x80010000,
        .psn = 0x123456,
        .mad = mad,
        .len = 256,
    };
}

static void test_file_header(void **state)
{
    (void)state;
    static const uint8_t expected[WEFT_PCAP_FILE_HEADER_BYTES] = {
        0x4D, 0x3C, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x6A, 0x01, 0, 0, 197, 0, 0, 0,
    };
    uint8_t out[WEFT_PCAP_FILE_HEADER_BYTES] = {0};

    assert_int_equal(weft_pcap_file_header(out, sizeof(out) - 1), WEFT_ERR_INVALID);
    assert_int_equal(out[0], 0);
    assert_int_equal(weft_pcap_file_header(NULL, 100), WEFT_ERR_INVALID);
    assert_int_equal(weft_pcap_file_header(out, sizeof(out)), sizeof(out));
    assert_memory_equal(out, expected, sizeof(out));
}

static void test_record_without_grh_byte_by_byte(void **state)
{
    (void)state;
    static const uint8_t headers[HEADERS + 28] = {
        /* pcap: 5 s, 250,000,000 ns, 306 bytes captured, 306 on the wire */
        5, 0, 0, 0, 0x80, 0xB2, 0xE6, 0x0E, 0x32, 0x01, 0, 0, 0x32, 0x01, 0, 0,
        /* ERF: a quarter, 5 s, InfiniBand, variable length, 306, nothing lost, 290 */
        0, 0, 0, 0x40, 5, 0, 0, 0, 21, 4, 0x01, 0x32, 0, 0, 0x01, 0x22,
        /* LRH: VL 0, version 0, SL 9, BTH next, DLID, 72 words, SLID */
        0x00, 0x92, 0x03, 0x04, 0x00, 0x48, 0x01, 0x02,
        /* BTH: UD send only, P_Key, QP, PSN */
        0x64, 0x00, 0xFF, 0xFF, 0x00, 0xAB, 0xCD, 0xEF, 0x00, 0x12, 0x34, 0x56,
        /* DETH: Q_Key, QP */
        0x80, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01};
    uint8_t mad[256];
    uint8_t out[WEFT_PCAP_RECORD_BYTES_MAX];

    for (size_t i = 0; i < sizeof(mad); i++)
        mad[i] = (uint8_t)i;
    struct weft_pcap_packet packet = make_packet(mad);
    assert_int_equal(weft_pcap_record(out, sizeof(out), &packet), HEADERS + 290);
    assert_memory_equal(out, headers, sizeof(headers));
    assert_memory_equal(out + sizeof(headers), mad, sizeof(mad));
    assert_int_equal(le32(out + HEADERS + 284), packet_icrc(out + HEADERS, 284, false));
    assert_int_equal(le32(out + HEADERS + 286) >> 16, packet_vcrc(out + HEADERS, 288));
}

static void test_record_with_grh_byte_by_byte(void **state)
{
    (void)state;
    static const uint8_t lrh_and_grh[16] = {0x00, 0x93, 0x03, 0x04, 0x00, 0x52, 0x01, 0x02,
                                            0x61, 0x2A, 0xBC, 0xDE, 0x01, 0x18, 0x1B, 64};
    const uint8_t mad[256] = {1};
    uint8_t out[WEFT_PCAP_RECORD_BYTES_MAX];
    struct weft_pcap_packet packet = make_packet(mad);

    packet.grh = &grh;
    assert_int_equal(weft_pcap_record(out, sizeof(out), &packet), WEFT_PCAP_RECORD_BYTES_MAX);
    assert_int_equal(le32(out + 8), WEFT_PCAP_RECORD_BYTES_MAX - 16);
    assert_memory_equal(out + HEADERS, lrh_and_grh, sizeof(lrh_and_grh));
    assert_memory_equal(out + HEADERS + 16, grh.sgid, 16);
    assert_memory_equal(out + HEADERS + 32, grh.dgid, 16);
    assert_int_equal(out[HEADERS + 48], 0x64);
    assert_int_equal(le32(out + HEADERS + 324), packet_icrc(out + HEADERS, 324, true));
}

static void test_packets_to_qp0_go_on_virtual_lane_15(void **state)
{
    (void)state;
    const uint8_t mad[256] = {1};
    uint8_t out[WEFT_PCAP_RECORD_BYTES_MAX];
    struct weft_pcap_packet packet = make_packet(mad);

    packet.dst_qp = 0;
    assert_true(weft_pcap_record(out, sizeof(out), &packet) > 0);
    assert_int_equal(out[HEADERS], 0xF0);
}

/* A reader that truncates the fixed point finds each nanosecond again. */
static void test_times_keep_every_nanosecond(void **state)
{
    (void)state;
    static const weft_time times[] = {0,
                                      1,
                                      2,
                                      3,
                                      999999999,
                                      WEFT_S,
                                      WEFT_S + 1,
                                      123456789 * WEFT_US + 7,
                                      UINT32_MAX * WEFT_S + 999999999};
    const uint8_t mad[256] = {1};
    uint8_t out[WEFT_PCAP_RECORD_BYTES_MAX];
    struct weft_pcap_packet packet = make_packet(mad);

    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        packet.time = times[i];
        assert_true(weft_pcap_record(out, sizeof(out), &packet) > 0);
        uint64_t part_ns = (uint64_t)le32(out + 16) * 1000000000 >> 32;
        assert_true(le32(out + 20) * WEFT_S + part_ns == times[i]);
        assert_true(le32(out) * WEFT_S + le32(out + 4) == times[i]);
    }
    packet.time = (UINT64_C(1) << 32) * WEFT_S + 5; /* the seconds begin again */
    assert_true(weft_pcap_record(out, sizeof(out), &packet) > 0);
    assert_int_equal(le32(out), 0);
    assert_int_equal(le32(out + 4), 5);
}

static void test_short_mads_are_filled_with_zeros(void **state)
{
    (void)state;
    uint8_t *mad = malloc(24);
    uint8_t out[WEFT_PCAP_RECORD_BYTES_MAX];

    assert_non_null(mad);
    memset(mad, 0xAA, 24);
    memset(out, 0xFF, sizeof(out));
    struct weft_pcap_packet packet = make_packet(mad);
    packet.len = 24;
    assert_int_equal(weft_pcap_record(out, sizeof(out), &packet), HEADERS + 290);
    assert_int_equal(out[HEADERS + 28 + 23], 0xAA);
    for (size_t i = 24; i < 256; i++)
        assert_int_equal(out[HEADERS + 28 + i], 0);
    free(mad);
}

static void test_records_need_their_room(void **state)
{
    (void)state;
    const uint8_t mad[256] = {1};
    uint8_t *out = calloc(1, HEADERS + 290);
    struct weft_pcap_packet packet = make_packet(mad);

    assert_non_null(out);
    assert_int_equal(weft_pcap_record(out, HEADERS + 289, &packet), WEFT_ERR_FULL);
    for (size_t i = 0; i < HEADERS + 290; i++)
        assert_int_equal(out[i], 0);
    assert_int_equal(weft_pcap_record(out, HEADERS + 290, &packet), HEADERS + 290);
    free(out);
}

static void check_refused(const struct weft_pcap_packet *packet)
{
    uint8_t out[WEFT_PCAP_RECORD_BYTES_MAX] = {0};

    assert_int_equal(weft_pcap_record(out, sizeof(out), packet), WEFT_ERR_INVALID);
    for (size_t i = 0; i < sizeof(out); i++)
        assert_int_equal(out[i], 0);
}

static void test_packets_that_cannot_exist_are_refused(void **state)
{
    (void)state;
    const uint8_t mad[257] = {1};
    const struct weft_pcap_packet good = make_packet(mad);
    struct weft_mad_grh wide = grh;
    struct weft_pcap_packet packet;

    wide.flow_label = 0x100000;
    check_refused(NULL);
    assert_int_equal(weft_pcap_record(NULL, 1000, &good), WEFT_ERR_INVALID);
    packet = good, packet.mad = NULL, check_refused(&packet);
    packet = good, packet.len = 23, check_refused(&packet);
    packet = good, packet.len = 257, check_refused(&packet);
    packet = good, packet.sl = 16, check_refused(&packet);
    packet = good, packet.src_qp = 0x1000000, check_refused(&packet);
    packet = good, packet.dst_qp = 0x1000000, check_refused(&packet);
    packet = good, packet.psn = 0x1000000, check_refused(&packet);
    packet = good, packet.grh = &wide, check_refused(&packet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file_header),
        cmocka_unit_test(test_record_without_grh_byte_by_byte),
        cmocka_unit_test(test_record_with_grh_byte_by_byte),
        cmocka_unit_test(test_packets_to_qp0_go_on_virtual_lane_15),
        cmocka_unit_test(test_times_keep_every_nanosecond),
        cmocka_unit_test(test_short_mads_are_filled_with_zeros),
        cmocka_unit_test(test_records_need_their_room),
        cmocka_unit_test(test_packets_that_cannot_exist_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
