/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* P_Keys one by one: what they mean, who matches whom, and how they stand on the wire. */
#include "pkey_fixture.h"

static void test_R155_a_key_is_valid_by_its_15_bits(void **state)
{
    (void)state;
    for (uint32_t key = 0; key < 65536; key++) {
        weft_pkey k = (weft_pkey)key;

        assert_int_equal(weft_pkey_valid(k), k != 0x0000 && k != 0x8000);
        assert_int_equal(weft_pkey_is_full(k), k >= 0x8000);
    }
}

static void test_R137_who_matches_whom(void **state)
{
    static const struct {
        weft_pkey a, b;
        bool partition, match;
    } rows[] = {
        {0x8001, 0x8001, true, true},   /* full, full */
        {0x8001, 0x0001, true, true},   /* full, limited */
        {0x0001, 0x0001, true, false},  /* limited, limited */
        {0xFFFF, 0x7FFF, true, true},   /* the default partition */
        {0x7FFF, 0x7FFF, true, false},  /* its limited members */
        {0x8001, 0x8002, false, false}, /* two partitions */
        {0x8001, 0x0002, false, false}, {0x0001, 0x0002, false, false},
        {0x0000, 0x0000, false, false}, /* empty entries match nothing, nor each other */
        {0x8000, 0x8000, false, false}, {0x8000, 0x0000, false, false},
        {0x8000, 0x8001, false, false}, {0x0000, 0xFFFF, false, false},
    };

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(weft_pkey_same_partition(rows[i].a, rows[i].b), rows[i].partition);
        assert_int_equal(weft_pkey_same_partition(rows[i].b, rows[i].a), rows[i].partition);
        assert_int_equal(weft_pkey_match(rows[i].a, rows[i].b), rows[i].match);
        assert_int_equal(weft_pkey_match(rows[i].b, rows[i].a), rows[i].match);
    }
}

static void test_a_block_is_big_endian_on_the_wire(void **state)
{
    uint8_t wire[WEFT_PKEY_BLOCK_BYTES], again[WEFT_PKEY_BLOCK_BYTES];
    weft_pkey keys[WEFT_PKEY_BLOCK];

    (void)state;
    for (uint32_t i = 0; i < sizeof(wire); i++)
        wire[i] = (uint8_t)(0x80 + 3 * i);
    weft_pkey_block_read(wire, keys);
    assert_int_equal(keys[0], 0x8083);
    assert_int_equal(keys[1], 0x8689);
    assert_int_equal(keys[31], wire[62] << 8 | wire[63]);
    weft_pkey_block_write(keys, again);
    assert_memory_equal(again, wire, sizeof(wire));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_R155_a_key_is_valid_by_its_15_bits),
        cmocka_unit_test(test_R137_who_matches_whom),
        cmocka_unit_test(test_a_block_is_big_endian_on_the_wire),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
