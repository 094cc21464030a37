/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Dumps of headers and MADs: exact text, JSON that a JSON parser reads back, every length and
 * capacity. */
#include "core/wire/field.h"
#include "core/wire/mad_header.h"

#include <weft/wire.h>

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void make_path_query(uint8_t mad[WEFT_MAD_BYTES])
{
    static const uint8_t gid[16] = {0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 2, 0xC9, 3, 0, 0, 0x12, 0x34};

    memset(mad, 0, WEFT_MAD_BYTES);
    mad_set_base_version(mad, 1);
    mad_set_class(mad, WEFT_CLASS_SUBN_ADM);
    mad_set_class_version(mad, 2);
    mad_set_method(mad, WEFT_METHOD_GET);
    mad_set_tid(mad, UINT64_C(0x0000000100000ABC));
    mad_set_attr_id(mad, WEFT_ATTR_SA_PATH_RECORD);
    wire_set(WIRE_SA_COMPONENT_MASK, mad, 0x181C);
    memcpy(mad + WEFT_SA_DATA_OFFSET + 8, gid, sizeof(gid));
    wire_set(WIRE_PATH_RECORD_DLID, mad + WEFT_SA_DATA_OFFSET, 7);
    wire_set(WIRE_PATH_RECORD_SERVICE_ID, mad + WEFT_SA_DATA_OFFSET, 0x1FFF);
}

static void test_text_of_a_header(void **state)
{
    (void)state;
    uint8_t mad[WEFT_MAD_BYTES];
    char out[512];

    make_path_query(mad);
    size_t len = weft_wire_text(WEFT_WIRE_MAD, mad, sizeof(mad), out, sizeof(out));
    assert_string_equal(out, "base_version: 1\n"
                             "class: 0x03\n"
                             "class_version: 2\n"
                             "method: 0x01\n"
                             "status: 0x0000\n"
                             "class_specific: 0x0000\n"
                             "tid: 0x0000000100000abc\n"
                             "attr_id: 0x0035\n"
                             "attr_mod: 0x00000000\n");
    assert_int_equal(len, strlen(out));
}

static void test_json_of_a_header(void **state)
{
    (void)state;
    uint8_t mad[WEFT_MAD_BYTES];
    char out[512];

    make_path_query(mad);
    size_t len = weft_wire_json(WEFT_WIRE_SA, mad, sizeof(mad), out, sizeof(out));
    assert_string_equal(out, "{\"sm_key\":\"0x0000000000000000\",\"attr_offset\":0,"
                             "\"component_mask\":\"0x000000000000181c\"}");
    assert_int_equal(len, strlen(out));
}

static void test_text_of_a_mad_names_each_header(void **state)
{
    (void)state;
    uint8_t mad[WEFT_MAD_BYTES];
    char out[4096];

    make_path_query(mad);
    size_t len = weft_wire_mad_text(mad, sizeof(mad), out, sizeof(out));
    assert_int_equal(len, strlen(out));
    assert_non_null(strstr(out, "mad.class: 0x03\n"));
    assert_non_null(strstr(out, "\nrmpp.version: 0\n"));
    assert_non_null(strstr(out, "\nsa.component_mask: 0x000000000000181c\n"));
    assert_non_null(strstr(out, "\npath_record.dgid: fe80:0000:0000:0000:0002:c903:0000:1234\n"));
    assert_non_null(strstr(out, "\npath_record.dlid: 7\n"));
    assert_null(strstr(out, "truncated"));
}

static void test_json_of_a_mad_has_an_object_for_each_header(void **state)
{
    (void)state;
    uint8_t mad[WEFT_MAD_BYTES];
    char out[4096];

    make_path_query(mad);
    weft_wire_mad_json(mad, sizeof(mad), out, sizeof(out));
    json_t *root = json_loads(out, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    assert_int_equal(json_object_size(root), 4);
    json_t *path = json_object_get(root, "path_record");
    assert_int_equal(json_integer_value(json_object_get(path, "dlid")), 7);
    assert_string_equal(json_string_value(json_object_get(path, "service_id")),
                        "0x0000000000001fff");
    assert_string_equal(json_string_value(json_object_get(json_object_get(root, "mad"), "tid")),
                        "0x0000000100000abc");
    json_decref(root);
}

static void test_fields_that_are_no_whole_digits_have_all_their_digits(void **state)
{
    (void)state;
    uint8_t mad[WEFT_MAD_BYTES];
    char out[512];

    make_path_query(mad);
    rmpp_set_flags(mad, WEFT_RMPP_FLAG_ACTIVE | WEFT_RMPP_FLAG_LAST);
    weft_wire_text(WEFT_WIRE_RMPP, mad, sizeof(mad), out, sizeof(out));
    assert_non_null(strstr(out, "\nflags: 0x5\n"));
    wire_set(WIRE_CLASS_PORT_INFO_CAPABILITY_MASK2, mad, 0x7654321);
    weft_wire_json(WEFT_WIRE_CLASS_PORT_INFO, mad, 8, out, sizeof(out));
    assert_non_null(strstr(out, "\"capability_mask2\":\"0x7654321\""));
}

static void test_numbers_that_json_readers_would_round_are_strings(void **state)
{
    (void)state;
    uint8_t counters[184] = {0};
    char out[2048];

    wire_set(WIRE_PORT_COUNTERS_EXT_XMIT_DATA, counters, UINT64_MAX);
    wire_set(WIRE_PORT_COUNTERS_EXT_PORT_SELECT, counters, 255);
    weft_wire_json(WEFT_WIRE_PORT_COUNTERS_EXT, counters, sizeof(counters), out, sizeof(out));
    assert_non_null(strstr(out, "\"xmit_data\":\"18446744073709551615\""));
    assert_non_null(strstr(out, "\"port_select\":255,"));
}

static void test_strings_end_at_a_nul_or_at_the_end_of_the_field(void **state)
{
    (void)state;
    uint8_t record[108] = {0};
    char out[2048];

    memcpy(record + 44, "leaf \"7\"\x1b", 9);
    weft_wire_json(WEFT_WIRE_NODE_RECORD, record, sizeof(record), out, sizeof(out));
    assert_non_null(strstr(out, "\"description\":\"leaf \\\"7\\\"\\u001b\"}"));
    weft_wire_text(WEFT_WIRE_NODE_RECORD, record, sizeof(record), out, sizeof(out));
    assert_non_null(strstr(out, "\ndescription: leaf \"7\"\\x1b\n"));

    memset(record + 44, 'x', 64);
    weft_wire_text(WEFT_WIRE_NODE_RECORD, record, sizeof(record), out, sizeof(out));
    const char *description = strstr(out, "\ndescription: x");
    assert_non_null(description);
    assert_int_equal(strspn(description + strlen("\ndescription: "), "x"), 64);
}

static void test_truncated_headers_say_so(void **state)
{
    (void)state;
    uint8_t mad[WEFT_MAD_BYTES];
    char out[512];

    make_path_query(mad);
    weft_wire_text(WEFT_WIRE_MAD, mad, 3, out, sizeof(out));
    assert_string_equal(out, "base_version: 1\nclass: 0x03\nclass_version: 2\ntruncated: true\n");
    weft_wire_json(WEFT_WIRE_MAD, mad, 1, out, sizeof(out));
    assert_string_equal(out, "{\"base_version\":1,\"truncated\":true}");
    weft_wire_json(WEFT_WIRE_MAD, mad, 0, out, sizeof(out));
    assert_string_equal(out, "{\"truncated\":true}");
    weft_wire_json(WEFT_WIRE_MAD, NULL, 24, out, sizeof(out));
    assert_string_equal(out, "{\"truncated\":true}");
    weft_wire_text(WEFT_WIRE_MAD, NULL, 24, out, sizeof(out));
    assert_string_equal(out, "truncated: true\n");
}

static void test_mads_without_a_header_are_empty(void **state)
{
    (void)state;
    uint8_t mad[WEFT_MAD_BYTES];
    char out[16] = "old";

    make_path_query(mad);
    assert_int_equal(weft_wire_mad_text(mad, 23, out, sizeof(out)), 0);
    assert_string_equal(out, "");
    assert_int_equal(weft_wire_mad_json(mad, 23, out, sizeof(out)), 0);
    assert_int_equal(weft_wire_mad_json(NULL, 256, out, sizeof(out)), 0);
}

/* Whatever the bytes and however few, the JSON has each field of each layer or says "truncated". */
static void test_random_mads_of_every_length_are_valid_json(void **state)
{
    (void)state;
    static const uint8_t classes[] = {0x01, 0x81, 0x03, 0x04, 0x07, 0x32};
    static const uint8_t attributes[] = {0x01, 0x02, 0x11, 0x12, 0x15, 0x1D, 0x35};
    uint32_t random = 1;

    for (size_t len = WEFT_MAD_HEADER_BYTES; len <= WEFT_MAD_BYTES; len++) {
        uint8_t *mad = malloc(len);
        char out[8192];

        assert_non_null(mad);
        for (size_t i = 0; i < len; i++) {
            random = random * 1664525U + 1013904223U;
            mad[i] = (uint8_t)(random >> 24);
        }
        mad_set_class(mad, classes[len % sizeof(classes)]);
        mad_set_attr_id(mad, attributes[len % sizeof(attributes)]);
        size_t needed = weft_wire_mad_json(mad, len, out, sizeof(out));
        assert_in_range(needed, 2, sizeof(out) - 1);
        json_t *root = json_loads(out, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(root);
        json_decref(root);
        assert_int_equal(weft_wire_mad_text(mad, len, NULL, 0),
                         weft_wire_mad_text(mad, len, out, sizeof(out)));
        free(mad);
    }
}

static void test_every_capacity_gives_the_beginning_and_the_same_length(void **state)
{
    (void)state;
    uint8_t mad[WEFT_MAD_BYTES];
    char whole[4096];

    make_path_query(mad);
    size_t needed = weft_wire_mad_json(mad, sizeof(mad), whole, sizeof(whole));
    for (size_t cap = 0; cap <= needed + 1; cap++) {
        char *out = malloc(cap > 0 ? cap : 1);

        assert_non_null(out);
        assert_int_equal(weft_wire_mad_json(mad, sizeof(mad), cap > 0 ? out : NULL, cap), needed);
        if (cap > 0) {
            assert_int_equal(strlen(out), cap - 1 < needed ? cap - 1 : needed);
            assert_memory_equal(out, whole, strlen(out));
        }
        free(out);
    }
}

static void test_unknown_headers_have_no_fields(void **state)
{
    (void)state;
    uint8_t mad[WEFT_MAD_BYTES] = {0};
    char out[16];

    assert_int_equal(weft_wire_text(WEFT_WIRE_HEADER_COUNT, mad, 256, out, sizeof(out)), 0);
    weft_wire_json(WEFT_WIRE_HEADER_COUNT, mad, 256, out, sizeof(out));
    assert_string_equal(out, "{}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_of_a_header),
        cmocka_unit_test(test_json_of_a_header),
        cmocka_unit_test(test_text_of_a_mad_names_each_header),
        cmocka_unit_test(test_json_of_a_mad_has_an_object_for_each_header),
        cmocka_unit_test(test_fields_that_are_no_whole_digits_have_all_their_digits),
        cmocka_unit_test(test_numbers_that_json_readers_would_round_are_strings),
        cmocka_unit_test(test_strings_end_at_a_nul_or_at_the_end_of_the_field),
        cmocka_unit_test(test_truncated_headers_say_so),
        cmocka_unit_test(test_mads_without_a_header_are_empty),
        cmocka_unit_test(test_random_mads_of_every_length_are_valid_json),
        cmocka_unit_test(test_every_capacity_gives_the_beginning_and_the_same_length),
        cmocka_unit_test(test_unknown_headers_have_no_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
