/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Problems in words. */
#include "iwarp_story.h"

static void test_every_problem_has_a_name_and_a_sentence_that_fits(void **state)
{
    char text[WEFT_IWARP_TEXT_BYTES];

    (void)state;
    for (uint32_t kind = 0; kind < WEFT_IWARP_PROBLEMS; kind++) {
        struct weft_iwarp_problem p = {(enum weft_iwarp_problem_kind)kind, UINT64_MAX, UINT64_MAX};
        size_t bytes = weft_iwarp_problem_text(&p, text, sizeof(text));

        assert_true(bytes > 10 && bytes < sizeof(text));
        assert_int_equal(strlen(text), bytes);
        assert_null(strchr(text, '$'));
        assert_int_not_equal(text[bytes - 1], '.');
        assert_true(strlen(weft_iwarp_problem_name(p.kind)) > 0);
        assert_string_not_equal(weft_iwarp_problem_name(p.kind), "unknown");
    }
    assert_string_equal(weft_iwarp_problem_name(WEFT_IWARP_PROBLEMS), "unknown");
}

static void test_sentences_hold_the_numbers(void **state)
{
    static const struct {
        struct weft_iwarp_problem problem;
        const char *text;
    } rows[] = {
        {{WEFT_IWARP_CRC_WRONG, 0x12, 0x266CD70B},
         "the CRC is 0x00000012, it should be 0x266cd70b"},
        {{WEFT_IWARP_MSN, 4, 3}, "MSN 4, but the next one of this queue is 3"},
        {{WEFT_IWARP_TAGGED, RDMAP_SEND, 0},
         "Send in a tagged segment: it belongs into an untagged one"},
        {{WEFT_IWARP_INTERRUPTED, RDMAP_SEND_SE, RDMAP_SEND},
         "Send with SE, but the last segment of a Send has not come yet"},
        {{WEFT_IWARP_READ_TO, 0x7F75BC000E00, 16},
         "a Read Response to TO 0x00007f75bc000e00, but the next byte that was asked for goes to "
         "0x00000010"},
        {{WEFT_IWARP_TERMINATED, 0x2002, 0}, "Terminate: MPA: CRC does not match"},
        {{WEFT_IWARP_TERMINATED_SWAPPED, 0x1101, 0},
         "Terminate: DDP, tagged buffer: base or bounds (nibbles swapped, as Linux siw writes "
         "them)"},
        {{WEFT_IWARP_WRONG_FRAME, I, 0},
         "this MPA frame is the other side's: the initiator may not send it"},
        {{WEFT_IWARP_WRONG_FRAME, R, 0},
         "this MPA frame is the other side's: the responder may not send it"},
    };
    char text[WEFT_IWARP_TEXT_BYTES];

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(weft_iwarp_problem_text(&rows[i].problem, text, sizeof(text)),
                         strlen(rows[i].text));
        assert_string_equal(text, rows[i].text);
    }
}

static void test_a_sentence_is_cut_where_the_buffer_ends(void **state)
{
    struct weft_iwarp_problem p = {WEFT_IWARP_OPCODE, 9, 0};
    const char *whole = "opcode 9 is reserved";
    char text[8];

    (void)state;
    assert_int_equal(weft_iwarp_problem_text(&p, NULL, 0), strlen(whole));
    assert_int_equal(weft_iwarp_problem_text(&p, text, sizeof(text)), strlen(whole));
    assert_string_equal(text, "opcode ");
}

static void test_opcodes_by_name(void **state)
{
    (void)state;
    assert_string_equal(weft_iwarp_opcode_name(RDMAP_READ_RESPONSE), "Read Response");
    assert_string_equal(weft_iwarp_opcode_name(8), "reserved");
    assert_string_equal(weft_iwarp_opcode_name(255), "reserved");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_problem_has_a_name_and_a_sentence_that_fits),
        cmocka_unit_test(test_sentences_hold_the_numbers),
        cmocka_unit_test(test_a_sentence_is_cut_where_the_buffer_ends),
        cmocka_unit_test(test_opcodes_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
