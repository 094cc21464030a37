/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/storm/query.c: the MADs of a storm are SA MADs, field by field as the wire tables say. */
#include "core/wire/mad_header.h"
#include "storm/query.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void write_whole(uint8_t mad[WEFT_MAD_BYTES], uint32_t client, uint32_t query, bool is_join)
{
    memset(mad, 0, WEFT_MAD_BYTES);
    storm_query_write(mad, client, query, is_join, 0x01020304);
}

static void test_a_path_query_is_a_get_of_one_reversible_path(void **state)
{
    uint8_t mad[WEFT_MAD_BYTES];

    (void)state;
    write_whole(mad, 0x1111, 0x2222, false);
    assert_int_equal(mad_class(mad), WEFT_CLASS_SUBN_ADM);
    assert_int_equal(mad_class_version(mad), 2);
    assert_int_equal(mad_method(mad), WEFT_METHOD_GET);
    assert_int_equal(mad_attr_id(mad), WEFT_ATTR_SA_PATH_RECORD);
    assert_int_equal(mad_tid(mad), 0x01020304);
    assert_int_equal(wire_be64(mad + 48), 0x180c); /* DGID, SGID, reversible, number of paths */
    assert_int_equal(wire_be64(mad + 64), UINT64_C(0xfe80000000000000));
    assert_int_equal(wire_be64(mad + 72), 0x2222);
    assert_int_equal(wire_be64(mad + 88), 0x1111);
    assert_int_equal(mad[105], 0x81);
}

static void test_a_join_is_a_set_of_a_full_member(void **state)
{
    uint8_t mad[WEFT_MAD_BYTES];

    (void)state;
    write_whole(mad, 0x1111, 3, true);
    assert_int_equal(mad_method(mad), WEFT_METHOD_SET);
    assert_int_equal(mad_attr_id(mad), WEFT_ATTR_SA_MC_MEMBER_RECORD);
    assert_int_equal(wire_be64(mad + 48), 0x10003); /* MGID, port GID, join state */
    assert_int_equal(mad[56], 0xff);
    assert_int_equal(wire_be32(mad + 68), 3);
    assert_int_equal(wire_be32(mad + 84), 0x1111);
    assert_int_equal(mad[104], 1);
}

static void test_the_SA_reads_what_was_asked(void **state)
{
    uint8_t mad[WEFT_MAD_BYTES];
    uint32_t query = 77;

    (void)state;
    write_whole(mad, 1, UINT32_MAX, false);
    assert_int_equal(storm_query_read(mad, &query), 0);
    assert_int_equal(query, UINT32_MAX);
    write_whole(mad, 1, 5, true);
    assert_int_equal(storm_query_read(mad, &query), 0);
    assert_int_equal(query, 5);
}

static void test_the_SA_refuses_what_it_does_not_know(void **state)
{
    static const uint8_t wrong_at[] = {0, 1, 2, 3, 16, 17};
    uint8_t mad[WEFT_MAD_BYTES];
    uint32_t query = 77;

    (void)state;
    for (size_t i = 0; i < sizeof(wrong_at); i++) {
        write_whole(mad, 1, 2, i % 2 == 0);
        mad[wrong_at[i]] ^= 0x40;
        assert_int_equal(storm_query_read(mad, &query), WEFT_ERR_FORMAT);
        assert_int_equal(query, 77);
    }
}

/* A record that is used again keeps nothing of what it was before. */
static void test_a_buffer_may_change_from_join_to_path(void **state)
{
    uint8_t fresh[WEFT_MAD_BYTES];
    uint8_t used[WEFT_MAD_BYTES];

    (void)state;
    write_whole(fresh, 9, 8, false);
    write_whole(used, 1, 2, true);
    storm_query_write(used, 9, 8, false, 0x01020304);
    assert_memory_equal(fresh, used, WEFT_MAD_BYTES);
}

static void test_answers_carry_question_and_status(void **state)
{
    struct storm_query_answers a;
    const uint8_t *mad;

    (void)state;
    storm_query_answers_init(&a);
    mad = storm_query_answer(&a, 0x1111, 0x2222, false, UINT64_C(0x0000000500000007),
                             WEFT_STATUS_BUSY);
    assert_int_equal(mad_method(mad), WEFT_METHOD_GET_RESP);
    assert_int_equal(mad_attr_id(mad), WEFT_ATTR_SA_PATH_RECORD);
    assert_int_equal(mad_status(mad), WEFT_STATUS_BUSY);
    assert_int_equal(mad_tid(mad), UINT64_C(0x0000000500000007));
    assert_int_equal(wire_be32(mad + 76), 0x2222);
    assert_int_equal(wire_be32(mad + 92), 0x1111);
    mad = storm_query_answer(&a, 4, 1, true, 6, WEFT_STATUS_OK);
    assert_int_equal(mad_attr_id(mad), WEFT_ATTR_SA_MC_MEMBER_RECORD);
    assert_int_equal(mad_status(mad), WEFT_STATUS_OK);
    assert_int_equal(wire_be16(mad + 92), 0xc000); /* the group's LID */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_path_query_is_a_get_of_one_reversible_path),
        cmocka_unit_test(test_a_join_is_a_set_of_a_full_member),
        cmocka_unit_test(test_the_SA_reads_what_was_asked),
        cmocka_unit_test(test_the_SA_refuses_what_it_does_not_know),
        cmocka_unit_test(test_a_buffer_may_change_from_join_to_path),
        cmocka_unit_test(test_answers_carry_question_and_status),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
