/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The in-line accessors against the field tables, and the response test. */
#include "core/wire/field.h"
#include "core/wire/mad_header.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Calls an accessor through one signature. */
#define ACCESSOR(name, type, setter)                                                               \
    static uint64_t get_##name(const uint8_t *p)                                                   \
    {                                                                                              \
        return name(p);                                                                            \
    }                                                                                              \
    static void set_##name(uint8_t *p, uint64_t value)                                             \
    {                                                                                              \
        setter(p, (type)value);                                                                    \
    }

ACCESSOR(mad_base_version, uint8_t, mad_set_base_version)
ACCESSOR(mad_class, uint8_t, mad_set_class)
ACCESSOR(mad_class_version, uint8_t, mad_set_class_version)
ACCESSOR(mad_method, uint8_t, mad_set_method)
ACCESSOR(mad_status, uint16_t, mad_set_status)
ACCESSOR(mad_tid, uint64_t, mad_set_tid)
ACCESSOR(mad_attr_id, uint16_t, mad_set_attr_id)
ACCESSOR(mad_attr_mod, uint32_t, mad_set_attr_mod)
ACCESSOR(mad_oui, uint32_t, mad_set_oui)
ACCESSOR(rmpp_version, uint8_t, rmpp_set_version)
ACCESSOR(rmpp_type, uint8_t, rmpp_set_type)
ACCESSOR(rmpp_resp_time, uint8_t, rmpp_set_resp_time)
ACCESSOR(rmpp_flags, uint8_t, rmpp_set_flags)
ACCESSOR(rmpp_status, uint8_t, rmpp_set_status)
ACCESSOR(rmpp_segment, uint32_t, rmpp_set_segment)
ACCESSOR(rmpp_length, uint32_t, rmpp_set_length)
ACCESSOR(rmpp_new_window, uint32_t, rmpp_set_new_window)

#define CASE(id, name)                                                                             \
    {                                                                                              \
        WIRE_##id, get_##name, set_##name                                                          \
    }

static const struct accessor_case {
    enum wire_field_id id;
    uint64_t (*get)(const uint8_t *p);
    void (*set)(uint8_t *p, uint64_t value);
} accessors[] = {
    CASE(MAD_BASE_VERSION, mad_base_version),
    CASE(MAD_CLASS, mad_class),
    CASE(MAD_CLASS_VERSION, mad_class_version),
    CASE(MAD_METHOD, mad_method),
    CASE(MAD_STATUS, mad_status),
    CASE(MAD_TID, mad_tid),
    CASE(MAD_ATTR_ID, mad_attr_id),
    CASE(MAD_ATTR_MOD, mad_attr_mod),
    CASE(VENDOR_OUI, mad_oui),
    CASE(RMPP_VERSION, rmpp_version),
    CASE(RMPP_TYPE, rmpp_type),
    CASE(RMPP_RESP_TIME, rmpp_resp_time),
    CASE(RMPP_FLAGS, rmpp_flags),
    CASE(RMPP_STATUS, rmpp_status),
    CASE(RMPP_SEGMENT, rmpp_segment),
    CASE(RMPP_LENGTH, rmpp_length),
    CASE(RMPP_LENGTH, rmpp_new_window),
};

static uint8_t next_byte(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return (uint8_t)(*state >> 24);
}

static void test_accessors_agree_with_the_tables(void **state)
{
    (void)state;
    uint32_t random = 1;

    for (size_t i = 0; i < sizeof(accessors) / sizeof(accessors[0]); i++) {
        const struct accessor_case *c = &accessors[i];

        for (int round = 0; round < 64; round++) {
            /* One byte in: the accessors must work at any alignment. */
            uint8_t ours[257];
            uint8_t table[257];
            uint64_t value = 0;

            for (size_t b = 0; b < sizeof(ours); b++)
                ours[b] = next_byte(&random);
            for (size_t b = 0; b < 8; b++)
                value = value << 8 | next_byte(&random);
            memcpy(table, ours, sizeof(table));
            assert_true(c->get(ours + 1) == wire_get(c->id, table + 1));
            c->set(ours + 1, value);
            wire_set(c->id, table + 1, value);
            /* Bits above the field went nowhere. */
            assert_memory_equal(ours, table, sizeof(ours));
            assert_true(c->get(ours + 1) == (value & UINT64_MAX >> (64 - wire_fields[c->id].bits)));
        }
    }
}

static void test_accessors_need_no_more_than_the_header(void **state)
{
    (void)state;
    uint8_t *mad = calloc(1, WEFT_MAD_HEADER_BYTES);
    uint8_t *rmpp = calloc(1, WEFT_RMPP_DATA_OFFSET);

    assert_non_null(mad);
    assert_non_null(rmpp);
    for (size_t i = 0; i < sizeof(accessors) / sizeof(accessors[0]); i++) {
        unsigned int header = wire_fields[accessors[i].id].header;

        if (header == WEFT_WIRE_MAD)
            assert_int_equal(accessors[i].get(mad), 0);
        if (header == WEFT_WIRE_RMPP)
            assert_int_equal(accessors[i].get(rmpp), 0);
    }
    assert_false(mad_is_response(mad));
    free(mad);
    free(rmpp);
}

static void test_response_test_for_every_method(void **state)
{
    (void)state;
    uint8_t mad[WEFT_MAD_BYTES] = {0};

    mad_set_class(mad, WEFT_CLASS_SUBN_ADM);
    for (unsigned int method = 0; method < 256; method++) {
        mad_set_method(mad, (uint8_t)method);
        assert_int_equal(mad_is_response(mad), method >= 0x80 || method == 0x07);
    }
}

static void test_response_test_for_board_management_looks_at_the_modifier(void **state)
{
    (void)state;
    uint8_t mad[WEFT_MAD_BYTES] = {0};

    mad_set_method(mad, WEFT_METHOD_SEND);
    for (unsigned int mgmt_class = 0; mgmt_class < 256; mgmt_class++) {
        mad_set_class(mad, (uint8_t)mgmt_class);
        mad_set_attr_mod(mad, 0x00000001);
        assert_int_equal(mad_is_response(mad), mgmt_class == WEFT_CLASS_BOARD);
        mad_set_attr_mod(mad, 0xFFFFFFFE);
        assert_false(mad_is_response(mad));
    }
}

static void test_rmpp_is_active_only_in_classes_that_have_it(void **state)
{
    (void)state;
    uint8_t mad[WEFT_MAD_BYTES] = {0};

    for (unsigned int mgmt_class = 0; mgmt_class < 256; mgmt_class++) {
        mad_set_class(mad, (uint8_t)mgmt_class);
        rmpp_set_flags(mad, WEFT_RMPP_FLAG_ACTIVE);
        assert_int_equal(rmpp_is_active(mad), mad_class_has_rmpp((uint8_t)mgmt_class));
        rmpp_set_flags(mad, WEFT_RMPP_FLAG_FIRST | WEFT_RMPP_FLAG_LAST);
        assert_false(rmpp_is_active(mad));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accessors_agree_with_the_tables),
        cmocka_unit_test(test_accessors_need_no_more_than_the_header),
        cmocka_unit_test(test_response_test_for_every_method),
        cmocka_unit_test(test_response_test_for_board_management_looks_at_the_modifier),
        cmocka_unit_test(test_rmpp_is_active_only_in_classes_that_have_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
