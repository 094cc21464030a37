/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* CRC32C against the well-known vectors and against frames of Linux siw. */
#include "core/iwarp/crc.h"
#include "iwarp_frames.h"

static uint32_t crc_of(const void *data, size_t bytes)
{
    return crc_end(crc_add(CRC_BEGIN, data, bytes));
}

static uint32_t little_endian(const uint8_t *p)
{
    return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static void test_the_vectors_of_CRC32C(void **state)
{
    uint8_t zeros[32] = {0}, ones[32], up[32], down[32];

    (void)state;
    memset(ones, 0xFF, sizeof(ones));
    for (uint8_t i = 0; i < 32; i++) {
        up[i] = i;
        down[i] = (uint8_t)(31 - i);
    }
    assert_int_equal(crc_of(zeros, 32), 0x8A9136AA);
    assert_int_equal(crc_of(ones, 32), 0x62A8AB43);
    assert_int_equal(crc_of(up, 32), 0x46DD794E);
    assert_int_equal(crc_of(down, 32), 0x113FDB5C);
    assert_int_equal(crc_of("123456789", 9), 0xE3069283);
    assert_int_equal(crc_of("", 0), 0);
}

/* Bit by bit, straight from the polynomial. */
static uint32_t slow_crc(const uint8_t *p, size_t bytes)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < bytes; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78 : 0);
    }
    return ~crc;
}

static void test_any_length_at_any_address_and_in_any_two_pieces(void **state)
{
    uint8_t data[128];

    (void)state;
    for (uint32_t i = 0; i < sizeof(data); i++)
        data[i] = (uint8_t)(i * 37 + 11);
    for (uint32_t at = 0; at < 9; at++) {
        for (uint32_t bytes = 0; at + bytes <= sizeof(data); bytes++)
            assert_int_equal(crc_of(data + at, bytes), slow_crc(data + at, bytes));
    }
    for (uint32_t cut = 0; cut <= sizeof(data); cut++)
        assert_int_equal(
            crc_end(crc_add(crc_add(CRC_BEGIN, data, cut), data + cut, sizeof(data) - cut)),
            slow_crc(data, sizeof(data)));
}

static void test_the_CRCs_of_siw_s_frames_stand_least_significant_byte_first(void **state)
{
    static const char send[] = FPDU_SEND, zeros[] = FPDU_SEND_ZEROS, read[] = FPDU_READ_REQUEST,
                      response[] = FPDU_RTR_READ_RESPONSE, write[] = FPDU_RTR_WRITE,
                      terminate[] = FPDU_TERMINATE_CRC;
    static const char *const frames[] = {send, zeros, read, response, write, terminate};
    uint8_t frame[HEX_MAX];

    (void)state;
    for (uint32_t i = 0; i < COUNT(frames); i++) {
        uint32_t bytes = from_hex(frames[i], frame);

        assert_int_equal(crc_of(frame, bytes - 4), little_endian(frame + bytes - 4));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_vectors_of_CRC32C),
        cmocka_unit_test(test_any_length_at_any_address_and_in_any_two_pieces),
        cmocka_unit_test(test_the_CRCs_of_siw_s_frames_stand_least_significant_byte_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
