/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The packet checksums: a known packet, the bits that must not count, and plain definitions. */
#include "core/trace/packet_crc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* An RC packet without a GRH whose ICRC, sent as 96 25 B7 5A, is known (IBA 7.8.3). */
static const uint8_t sample[] = {
    0x70, 0x12, 0x37, 0x5C, 0x00, 0x0E, 0x17, 0xD2, 0x0A, 0x20, 0x24, 0x87, 0x00,
    0x87, 0xB1, 0xB3, 0x00, 0x0D, 0xEC, 0x2A, 0x01, 0x71, 0x0A, 0x1C, 0x01, 0x5D,
    0x40, 0x02, 0x38, 0xF2, 0x7A, 0x05, 0x00, 0x00, 0x00, 0x0E, 0xBB, 0x88, 0x4D,
    0x85, 0xFD, 0x5C, 0xFB, 0xA4, 0x72, 0x8B, 0xC0, 0x69, 0x0E, 0xD4, 0x00, 0x00,
};

static void test_icrc_of_the_known_packet(void **state)
{
    (void)state;
    assert_int_equal(packet_icrc(sample, sizeof(sample), false), 0x5AB72596);
}

/* Both checksums bit by bit, as their polynomials say. */
static uint32_t crc_by_definition(const uint8_t *bytes, size_t len, uint32_t crc,
                                  uint32_t reflected)
{
    for (size_t i = 0; i < len * 8; i++) {
        uint32_t bit = ((uint32_t)bytes[i / 8] >> i % 8 & 1) ^ (crc & 1);

        crc = crc >> 1 ^ (bit != 0 ? reflected : 0);
    }
    return crc;
}

static void test_vcrc_is_the_crc_of_its_polynomial(void **state)
{
    (void)state;
    /* x^16 + x^12 + x^3 + x + 1, reflected */
    uint32_t expected = crc_by_definition(sample, sizeof(sample), 0xFFFF, 0xD008) ^ 0xFFFF;

    assert_int_equal(packet_vcrc(sample, sizeof(sample)), expected);
    assert_int_equal(packet_vcrc(sample, 0), 0);
}

static void test_icrc_with_grh_is_the_crc_of_the_masked_packet(void **state)
{
    (void)state;
    uint8_t packet[100];
    uint8_t masked[100];

    for (size_t i = 0; i < sizeof(packet); i++)
        packet[i] = (uint8_t)(i * 7 + 1);
    memcpy(masked, packet, sizeof(masked));
    memset(masked, 0xFF, 8);
    masked[8] |= 0x0F;
    masked[9] = masked[10] = masked[11] = masked[15] = masked[52] = 0xFF;
    uint32_t expected = ~crc_by_definition(masked, sizeof(masked), UINT32_MAX, 0xEDB88320);
    assert_int_equal(packet_icrc(packet, sizeof(packet), true), expected);
}

/* The invariant checksum stays when a bit changes that switches or routers may change, and only
 * then. */
static void test_icrc_ignores_variant_bits_only(void **state)
{
    (void)state;

    for (int has_grh = 0; has_grh < 2; has_grh++) {
        uint8_t packet[80] = {0};
        uint32_t icrc = packet_icrc(packet, sizeof(packet), has_grh != 0);
        size_t ignored = 0;

        for (size_t bit = 0; bit < sizeof(packet) * 8; bit++) {
            packet[bit / 8] ^= (uint8_t)(1U << bit % 8);
            ignored += packet_icrc(packet, sizeof(packet), has_grh != 0) == icrc;
            packet[bit / 8] ^= (uint8_t)(1U << bit % 8);
        }
        /* VL and Resv8a; or LRH, TClass, FlowLabel, HopLmt and Resv8a */
        assert_int_equal(ignored, has_grh ? 64 + 8 + 20 + 8 + 8 : 4 + 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_icrc_of_the_known_packet),
        cmocka_unit_test(test_vcrc_is_the_crc_of_its_polynomial),
        cmocka_unit_test(test_icrc_with_grh_is_the_crc_of_the_masked_packet),
        cmocka_unit_test(test_icrc_ignores_variant_bits_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
