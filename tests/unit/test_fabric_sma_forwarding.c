/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/fabric/sma_forwarding.c: LFT and MFT, block by block. */
#include "sma_lab.h"

#define MFT(position, block) ((uint32_t)(position) << 28 | (block))

static void refuses(struct sma_lab *lab, uint16_t attr_id, uint32_t attr_mod)
{
    static const uint8_t data[64];

    assert_int_equal(sma_lab_status(lab, SMA_LAB_SWITCH, WEFT_METHOD_GET, attr_id, attr_mod, data),
                     WEFT_STATUS_BAD_VALUE);
    assert_int_equal(sma_lab_status(lab, SMA_LAB_SWITCH, WEFT_METHOD_SET, attr_id, attr_mod, data),
                     WEFT_STATUS_BAD_VALUE);
}

static void test_lft_blocks_begin_empty_and_are_kept(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    uint8_t data[64];

    for (uint32_t block = 0; block < 768; block++) {
        struct packet p = ff_get(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_LINEAR_FORWARDING, block);

        for (size_t i = 0; i < 64; i++)
            assert_int_equal(ff_data(&p)[i], 255);
    }
    for (uint32_t block = 0; block < 767; block += 13) {
        struct packet p;

        for (size_t i = 0; i < 64; i++)
            data[i] = (uint8_t)(block + i);
        p = ff_set(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_LINEAR_FORWARDING, block, data);
        assert_memory_equal(ff_data(&p), data, 64);
        p = ff_get(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_LINEAR_FORWARDING, block);
        assert_memory_equal(ff_data(&p), data, 64);
    }
    refuses(&lab, WEFT_ATTR_LINEAR_FORWARDING, 768);
    refuses(&lab, WEFT_ATTR_LINEAR_FORWARDING, UINT32_MAX);
    sma_lab_free(&lab);
}

static void test_an_lft_may_end_within_a_block(void **state)
{
    (void)state;
    struct fabric_config c;
    struct sma_lab lab;
    uint8_t data[64] = {0};
    struct packet p;

    fabric_config_init(&c);
    c.lft_cap = 65;
    lab = sma_lab_new(&c);
    data[0] = 7;
    p = ff_set(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_LINEAR_FORWARDING, 1, data);
    assert_int_equal(ff_data(&p)[0], 7);
    for (size_t i = 1; i < 64; i++)
        assert_int_equal(ff_data(&p)[i], 255);
    refuses(&lab, WEFT_ATTR_LINEAR_FORWARDING, 2);
    /* The neighbour's table begins where this one ends. */
    p = ff_get(lab.a, SMA_LAB_BASE, WEFT_ATTR_LINEAR_FORWARDING, 0);
    assert_int_equal(ff_data(&p)[0], 255);
    sma_lab_free(&lab);
}

static void test_mft_blocks_keep_each_position(void **state)
{
    (void)state;
    struct sma_lab lab = sma_lab_new(NULL);
    uint8_t data[64], expected[64];

    for (uint32_t block = 0; block < 128; block += 127)
        for (uint32_t position = 0; position < 2; position++) {
            struct packet p =
                ff_get(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_MULTICAST_FORWARDING, MFT(position, block));

            for (size_t i = 0; i < 64; i++)
                assert_int_equal(ff_data(&p)[i], 0);
            for (size_t i = 0; i < 64; i++)
                data[i] = (uint8_t)(block + position * 3 + i);
            p = ff_set(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_MULTICAST_FORWARDING, MFT(position, block),
                       data);
        }
    for (uint32_t block = 0; block < 128; block += 127)
        for (uint32_t position = 0; position < 2; position++) {
            struct packet p =
                ff_get(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_MULTICAST_FORWARDING, MFT(position, block));

            /* Position 1 has ports 16 to 18 only. */
            for (size_t i = 0; i < 64; i++) {
                expected[i] = (uint8_t)(block + position * 3 + i);
                if (position == 1)
                    expected[i] = i % 2 == 0 ? 0 : expected[i] & 0x07;
            }
            assert_memory_equal(ff_data(&p), expected, 64);
        }
    refuses(&lab, WEFT_ATTR_MULTICAST_FORWARDING, MFT(0, 128));
    refuses(&lab, WEFT_ATTR_MULTICAST_FORWARDING, MFT(2, 0));
    refuses(&lab, WEFT_ATTR_MULTICAST_FORWARDING, MFT(15, 0));
    refuses(&lab, WEFT_ATTR_MULTICAST_FORWARDING, 0x200);
    sma_lab_free(&lab);
}

static void test_an_mft_may_end_within_a_block(void **state)
{
    (void)state;
    struct fabric_config c;
    struct sma_lab lab;
    uint8_t data[64];
    struct packet p;

    fabric_config_init(&c);
    c.mft_cap = 33;
    lab = sma_lab_new(&c);
    memset(data, 0xFF, sizeof(data));
    p = ff_set(lab.a, SMA_LAB_SWITCH, WEFT_ATTR_MULTICAST_FORWARDING, MFT(0, 1), data);
    assert_int_equal(wire_be16(ff_data(&p)), 0xFFFF);
    for (size_t i = 2; i < 64; i++)
        assert_int_equal(ff_data(&p)[i], 0);
    refuses(&lab, WEFT_ATTR_MULTICAST_FORWARDING, MFT(0, 2));
    sma_lab_free(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lft_blocks_begin_empty_and_are_kept),
        cmocka_unit_test(test_an_lft_may_end_within_a_block),
        cmocka_unit_test(test_mft_blocks_keep_each_position),
        cmocka_unit_test(test_an_mft_may_end_within_a_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
