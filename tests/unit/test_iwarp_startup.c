/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* MPA startup as the decoder tells it: frames, terms, and what is wrong with them. */
#include "iwarp_story.h"

#define ENHANCED_REPLY(data) KEY_REPLY "10 02 0004" data

static void test_the_frames_of_siw_and_what_they_agree_on(void **state)
{
    struct story *s = story_new();
    const struct weft_iwarp_frame *f = &s->records[0].frame;

    (void)state;
    say(s, I, SIW_RTR_REQUEST);
    assert_int_equal(s->count, 1);
    assert_int_equal(s->records[0].type, WEFT_IWARP_FRAME);
    assert_int_equal(s->records[0].bytes, 24);
    assert_true(!f->reply && f->crc && !f->markers && !f->rejected && f->enhanced);
    assert_true(f->peer_to_peer && f->revision == 2 && f->ird == 1 && f->ord == 1);
    assert_int_equal(f->rtr, WEFT_IWARP_RTR_WRITE | WEFT_IWARP_RTR_READ);
    say(s, R, ENHANCED_REPLY("8003 8007"));
    assert_int_equal(s->count, 3);
    assert_true(s->records[1].frame.reply);
    assert_int_equal(s->records[2].type, WEFT_IWARP_TERMS);
    assert_true(s->records[2].terms.crc && s->records[2].terms.enhanced);
    assert_int_equal(s->records[2].terms.reads[I], 1);
    assert_int_equal(s->records[2].terms.reads[R], 1);
    assert_int_equal(s->records[2].terms.rtr, WEFT_IWARP_RTR_WRITE);
    assert_problem(&s->records[2], WEFT_IWARP_READS_TOO_MANY, 7, 1);
    story_free(s);
}

static void test_private_data_is_the_user_s(void **state)
{
    struct story *s = story_new();
    uint8_t bytes[HEX_MAX];
    struct weft_iwarp_record r;
    uint32_t count = from_hex(KEY_REQUEST "10 02 0007 0001 0002 616263", bytes);

    (void)state;
    assert_int_equal(weft_iwarp_feed(s->decoder, I, 0, bytes, count, 1), 0);
    assert_true(weft_iwarp_poll(s->decoder, &r));
    assert_int_equal(r.frame.private_bytes, 3);
    assert_memory_equal(r.frame.private_data, "abc", 3);
    assert_false(weft_iwarp_poll(s->decoder, &r));
    story_free(s);
}

static void test_each_pair_of_frames(void **state)
{
    static const struct {
        const char *request, *reply;
        uint32_t records;
        uint32_t at; /* the record with the problem */
        int problem; /* or -1 */
    } rows[] = {
        {SIW_REQUEST, CRC_REPLY, 3, 0, -1},
        {SIW_V1_REQUEST, KEY_REPLY "00 01 0000", 3, 0, -1},
        {SIW_REQUEST, KEY_REPLY "00 01 0000", 3, 0, -1},
        {SIW_V1_REQUEST, ENHANCED_REPLY("0001 0001"), 3, 1, WEFT_IWARP_REVISION},
        {KEY_REQUEST "00 00 0000", KEY_REPLY "00 00 0000", 3, 0, WEFT_IWARP_REVISION},
        {KEY_REQUEST "20 01 0000", KEY_REPLY "00 01 0000", 3, 0, WEFT_IWARP_REQUEST_REJECTS},
        {SIW_REQUEST, KEY_REPLY "00 02 0000", 3, 1, WEFT_IWARP_NOT_ENHANCED},
        {SIW_REQUEST, ENHANCED_REPLY("0001 0002"), 3, 2, WEFT_IWARP_READS_TOO_MANY},
        {SIW_REQUEST, ENHANCED_REPLY("0001 3fff"), 3, 0, -1},
        {SIW_RTR_REQUEST, ENHANCED_REPLY("c001 0001"), 3, 2, WEFT_IWARP_NO_RTR},
        {SIW_RTR_REQUEST, ENHANCED_REPLY("8001 4001"), 3, 0, -1},
        /* siw has no markers, and says so */
        {KEY_REQUEST "90 02 0004 0001 0001", SIW_NO_MARKERS, 2, 0, -1},
        {KEY_REQUEST "90 02 0004 0001 0001", CRC_REPLY, 3, 1, WEFT_IWARP_MARKERS},
        {CRC_REPLY, SIW_REQUEST, 2, 0, WEFT_IWARP_WRONG_FRAME},
    };

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        struct story *s = story_new();

        say(s, I, rows[i].request);
        say(s, R, rows[i].reply);
        assert_int_equal(s->count, rows[i].records);
        if (rows[i].problem < 0)
            assert_fine(s);
        else if (s->records[rows[i].at].problem_count != 1 ||
                 (int)s->records[rows[i].at].problems[0].kind != rows[i].problem)
            fail_msg("row %u", i);
        story_free(s);
    }
}

static void test_no_negotiation_of_reads_leaves_the_other_side_s_number(void **state)
{
    struct story *s = story_new();

    (void)state;
    say(s, I, KEY_REQUEST "10 02 0004 3fff 3fff");
    say(s, R, ENHANCED_REPLY("0005 0009"));
    assert_fine(s);
    assert_int_equal(last(s)->terms.reads[I], 5);
    assert_int_equal(last(s)->terms.reads[R], 9);
    story_free(s);
}

static void test_what_is_no_frame_ends_a_direction(void **state)
{
    static const struct {
        const char *bytes;
        enum weft_iwarp_problem_kind kind;
        uint64_t found, expected;
    } rows[] = {
        {"474554202f20", WEFT_IWARP_BAD_KEY, 0, 0},
        {"4d50412049442052657871", WEFT_IWARP_BAD_KEY, 9, 0},
        {KEY_REQUEST "00 02 0201 00", WEFT_IWARP_PRIVATE_LENGTH, 513, 512},
        {KEY_REQUEST "10 02 0003 000000", WEFT_IWARP_ENHANCED_LENGTH, 3, 4},
    };

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        struct story *s = story_new();

        say(s, I, rows[i].bytes);
        assert_int_equal(s->count, 1);
        assert_problem(last(s), rows[i].kind, rows[i].found, rows[i].expected);
        say(s, I, FPDU_SEND);
        assert_int_equal(s->count, 1);
        story_free(s);
    }
}

static void test_an_FPDU_before_the_Reply_is_told_in_either_order_of_feeding(void **state)
{
    struct story *s = story_new();
    uint8_t bytes[HEX_MAX];

    (void)state;
    say(s, I, SIW_REQUEST);
    say(s, I, FPDU_SEND);
    say(s, R, CRC_REPLY);
    assert_int_equal(s->count, 4);
    assert_problem(&s->records[2], WEFT_IWARP_BEFORE_REPLY, 0, 0);
    story_free(s);

    s = story_new();
    s->now = WEFT_S;
    say(s, R, CRC_REPLY);
    s->now = 0;
    say(s, I, SIW_REQUEST);
    s->count = 0;
    assert_int_equal(
        weft_iwarp_feed(s->decoder, I, s->offset[I], bytes, from_hex(FPDU_SEND, bytes), WEFT_MS),
        0);
    story_poll(s);
    assert_problem(last(s), WEFT_IWARP_BEFORE_REPLY, 0, 0);
    story_free(s);
}

static void test_after_a_reject_there_is_nothing(void **state)
{
    struct story *s = story_new();

    (void)state;
    say(s, I, SIW_REQUEST);
    say(s, R, KEY_REPLY "30 02 0004 0000 0000");
    assert_int_equal(s->count, 2);
    assert_fine(s);
    assert_true(last(s)->frame.rejected);
    say(s, I, FPDU_SEND);
    assert_problem(last(s), WEFT_IWARP_AFTER_REJECT, 0, 0);
    story_free(s);
}

static void test_with_markers_a_direction_is_not_decoded(void **state)
{
    struct story *s = story_new();

    (void)state;
    say(s, I, SIW_REQUEST);
    say(s, R, KEY_REPLY "90 02 0004 0001 0001"); /* the responder wants them in what it receives */
    assert_fine(s);
    say(s, I, FPDU_SEND);
    assert_problem(last(s), WEFT_IWARP_MARKERS, 0, 0);
    s->count = 0;
    say(s, I, FPDU_SEND);
    assert_int_equal(s->count, 0);
    say(s, R, FPDU_RTR_WRITE);
    assert_int_equal(last(s)->type, WEFT_IWARP_FPDU);
    assert_fine(s);
    story_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_frames_of_siw_and_what_they_agree_on),
        cmocka_unit_test(test_private_data_is_the_user_s),
        cmocka_unit_test(test_each_pair_of_frames),
        cmocka_unit_test(test_no_negotiation_of_reads_leaves_the_other_side_s_number),
        cmocka_unit_test(test_what_is_no_frame_ends_a_direction),
        cmocka_unit_test(test_an_FPDU_before_the_Reply_is_told_in_either_order_of_feeding),
        cmocka_unit_test(test_after_a_reject_there_is_nothing),
        cmocka_unit_test(test_with_markers_a_direction_is_not_decoded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
