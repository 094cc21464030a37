/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Single FPDUs as the decoder tells them: headers, payload, CRC. */
#include "iwarp_story.h"

static void test_the_rping_exchange_of_siw(void **state)
{
    struct story *s = story_up(true);
    const struct weft_iwarp_fpdu *f;

    (void)state;
    say(s, I, FPDU_SEND);
    f = &last(s)->fpdu;
    assert_int_equal(last(s)->bytes, 40);
    assert_true(f->headers && !f->tagged && f->last && !f->read && !f->terminate);
    assert_int_equal(f->opcode, RDMAP_SEND);
    assert_int_equal(f->ulpdu_bytes, 34);
    assert_int_equal(f->payload_bytes, 16);
    assert_int_equal(f->msn, 1);
    assert_int_equal(f->crc, WEFT_IWARP_CRC_OK);
    assert_int_equal(f->crc_value, 0x0BD76C26);
    say(s, R, FPDU_READ_REQUEST);
    f = &last(s)->fpdu;
    assert_true(f->read);
    assert_int_equal(f->read_sink_stag, 0x4BC39600);
    assert_int_equal(f->read_sink_to, 0x00007F75BC000E00);
    assert_int_equal(f->read_bytes, 64);
    assert_int_equal(f->read_source_stag, 0x11223300);
    assert_int_equal(f->read_source_to, 0x0000007000000000);
    assert_int_equal(f->payload_bytes, 0);
    fpdu(s, I,
         "c142 4bc39600 00007f75bc000e00 "
         "00000000000000000000000000000000 00000000000000000000000000000000"
         "00000000000000000000000000000000 00000000000000000000000000000000");
    assert_int_equal(last(s)->fpdu.to, 0x00007F75BC000E00);
    assert_int_equal(last(s)->fpdu.payload_bytes, 64);
    say(s, R, FPDU_SEND_ZEROS);
    assert_int_equal(s->count, 4);
    assert_fine(s);
    story_free(s);
}

static void test_payload_bytes_are_there_while_the_record_is(void **state)
{
    struct story *s = story_up(true);
    struct weft_iwarp_record r;
    uint8_t bytes[HEX_MAX];
    uint32_t count = from_hex(FPDU_SEND, bytes);

    (void)state;
    assert_int_equal(weft_iwarp_feed(s->decoder, I, s->offset[I], bytes, count, s->now), 0);
    assert_true(weft_iwarp_poll(s->decoder, &r));
    assert_memory_equal(r.fpdu.payload, bytes + 20, 16);
    story_free(s);
}

static void test_a_CRC_is_right_wrong_off_or_not_known(void **state)
{
    struct story *s = story_up(true);
    uint8_t bytes[HEX_MAX + 16];
    uint32_t count;

    (void)state;
    count = from_hex(FPDU_SEND, bytes);
    bytes[36] ^= 1; /* its least significant byte */
    say_bytes(s, I, bytes, count);
    assert_int_equal(last(s)->fpdu.crc, WEFT_IWARP_CRC_BAD);
    assert_problem(last(s), WEFT_IWARP_CRC_WRONG, 0x0BD76C27, 0x0BD76C26);
    /* Zero is no CRC where one was agreed on. */
    s->crc = false;
    fpdu(s, R, "c140 00000001 0000000000000000");
    assert_problem(last(s), WEFT_IWARP_CRC_WRONG, 0, 0x5F4CD3EB);
    story_free(s);

    s = story_up(false);
    fpdu(s, I, "c140 00000001 0000000000000000");
    assert_int_equal(last(s)->fpdu.crc, WEFT_IWARP_CRC_OFF);
    /* Without CRC the field is not looked at. */
    count = make_fpdu("c140 00000001 0000000000000000", false, bytes);
    bytes[count - 1] = 0x55;
    say_bytes(s, I, bytes, count);
    assert_int_equal(last(s)->fpdu.crc, WEFT_IWARP_CRC_OFF);
    assert_fine(s);
    story_free(s);
}

static void test_without_the_MPA_frames_a_zero_is_taken_for_no_CRC_and_that_is_said(void **state)
{
    struct story *s = story_new();

    (void)state;
    s->offset[I] = s->offset[R] = 1000;
    fpdu(s, I, "c140 00000001 0000000000000000");
    assert_problem(&s->records[0], WEFT_IWARP_LATE, 0, 0);
    assert_problem(&s->records[1], WEFT_IWARP_TERMS_UNKNOWN, 0, 0);
    assert_int_equal(last(s)->fpdu.crc, WEFT_IWARP_CRC_OFF);
    s->crc = true;
    fpdu(s, I, "c140 00000001 0000000000000000");
    assert_int_equal(last(s)->fpdu.crc, WEFT_IWARP_CRC_OK);
    assert_int_equal(last(s)->problem_count, 0);
    story_free(s);
}

static void test_a_ULPDU_shorter_than_its_header(void **state)
{
    static const struct {
        const char *ulpdu;
        uint32_t found, expected;
    } rows[] = {
        {"", 0, 14},
        {"c1", 1, 14},
        {"41", 1, 18},
        {"c140 00000001 00000000000000", 13, 14},
        {"4143 00000000 00000000 00000001 000000", 17, 18},
        {"4141 00000000 00000001 00000001 00000000 4bc39600", 22, 46},
    };

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        struct story *s = story_up(true);

        fpdu(s, I, rows[i].ulpdu);
        assert_int_equal(s->count, 1);
        assert_problem(last(s), WEFT_IWARP_SHORT, rows[i].found, rows[i].expected);
        assert_false(last(s)->fpdu.read);
        story_free(s);
    }
}

static void test_a_Terminate_in_either_order(void **state)
{
    struct story *s = story_up(true);

    (void)state;
    say(s, R, FPDU_TERMINATE_CRC);
    assert_problem(last(s), WEFT_IWARP_TERMINATED_SWAPPED, 0x2002, 0);
    assert_true(last(s)->fpdu.terminate && last(s)->fpdu.terminate_swapped);
    fpdu(s, I,
         "4147 00000000 00000002 00000001 00000000 1101c000 0040 c140 11223301"
         "0000007000100000");
    assert_problem(last(s), WEFT_IWARP_TERMINATED, 0x1101, 0);
    assert_int_equal(last(s)->fpdu.terminate_error, 0x1101);
    assert_false(last(s)->fpdu.terminate_swapped);
    story_free(s);

    s = story_up(true);
    fpdu(s, I, "4147 00000000 00000002 00000001 00000000 1101c0");
    assert_false(last(s)->fpdu.terminate);
    story_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_rping_exchange_of_siw),
        cmocka_unit_test(test_payload_bytes_are_there_while_the_record_is),
        cmocka_unit_test(test_a_CRC_is_right_wrong_off_or_not_known),
        cmocka_unit_test(test_without_the_MPA_frames_a_zero_is_taken_for_no_CRC_and_that_is_said),
        cmocka_unit_test(test_a_ULPDU_shorter_than_its_header),
        cmocka_unit_test(test_a_Terminate_in_either_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
