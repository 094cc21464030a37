/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Our field tables against libibmad's: the same bits under both names, read and written. */
#include "../fuzz/ibmad_compare.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* A fixed sequence is enough: 64 rounds give each bit both values on both sides of every write. */
static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 16;
}

static void fill(uint8_t *bytes, size_t count, uint32_t *state)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)next_random(state);
}

static void test_fields_agree_with_libibmad(void **state)
{
    (void)state;
    uint8_t data[256] __attribute__((aligned(8)));
    uint8_t value[64];
    uint32_t random = 1;

    for (size_t i = 0; i < IBMAD_FIELD_COUNT; i++) {
        for (int round = 0; round < 64; round++) {
            fill(data, sizeof(data), &random);
            fill(value, sizeof(value), &random);
            assert_true(ibmad_compare(&ibmad_fields[i], data, value));
        }
    }
}

/* libibmad splits R from the method. */
static void test_method_is_libibmads_response_bit_and_method(void **state)
{
    (void)state;
    uint8_t data[256] __attribute__((aligned(8))) = {0};

    for (unsigned int method = 0; method < 256; method++) {
        wire_set(WIRE_MAD_METHOD, data, method);
        assert_int_equal(mad_get_field(data, 0, IB_MAD_METHOD_F), method & 0x7F);
        assert_int_equal(mad_get_field(data, 0, IB_MAD_RESPONSE_F), method >> 7);
    }
}

/* Its NewWindowLast is the field that our table names for both meanings. */
static void test_new_window_last_is_the_length_field(void **state)
{
    (void)state;
    uint8_t data[256] __attribute__((aligned(8))) = {0};

    wire_set(WIRE_RMPP_LENGTH, data, 0x12345678);
    assert_int_equal(mad_get_field(data, 0, IB_SA_RMPP_NEWWIN_F), 0x12345678);
}

/* The comparison itself must be able to fail. */
static void test_comparison_notices_a_wrong_row(void **state)
{
    (void)state;
    uint8_t data[256] __attribute__((aligned(8)));
    uint8_t value[64];
    uint32_t random = 7;
    const struct ibmad_field wrong = {WIRE_PORT_INFO_LMC, IB_PORT_SMSL_F};

    fill(data, sizeof(data), &random);
    fill(value, sizeof(value), &random);
    assert_false(ibmad_compare(&wrong, data, value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields_agree_with_libibmad),
        cmocka_unit_test(test_method_is_libibmads_response_bit_and_method),
        cmocka_unit_test(test_new_window_last_is_the_length_field),
        cmocka_unit_test(test_comparison_notices_a_wrong_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
