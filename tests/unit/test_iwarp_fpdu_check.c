/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Segments against the rules and against what came before: each row is a short conversation whose
 * last segment is right or has one problem. */
#include "iwarp_story.h"

#include <stdio.h>

#define NONE (-1)

/* Segments: what is not in the name is as it should be. */
#define SEND(control, msn, mo) control "43 00000000 00000000" msn mo "616263"
#define SEND_1                 SEND("41", "00000001", "00000000")
#define SEND_2                 SEND("41", "00000002", "00000000")
#define FIRST_OF_SEND          SEND("01", "00000001", "00000000")
#define WRITE(control)         control "40 11223301 0000007000100000 616263"
#define READ_4                                                                                     \
    "4141 00000000 00000001 00000001 00000000 0000000a 0000000000001000 00000004 0000000b"         \
    "0000000000002000"
#define READ_0_AGAIN                                                                               \
    "4141 00000000 00000001 00000002 00000000 0000000a 0000000000001000 00000000 0000000b"         \
    "0000000000002000"
#define RESPONSE(control, stag, to, data) control "42" stag to data
#define ANSWER                            RESPONSE("c1", "0000000a", "0000000000001000", "61626364")

struct line {
    enum weft_iwarp_side from;
    const char *ulpdu; /* NULL: the conversation has ended */
};

static const struct row {
    struct line lines[5];
    int problem;
    uint64_t found, expected;
} rows[] = {
    /* versions, opcodes, queues */
    {{{I, SEND_1}}, NONE, 0, 0},
    {{{I, SEND("40", "00000001", "00000000")}}, WEFT_IWARP_DDP_VERSION, 0, 1},
    {{{I, "4103 00000000 00000000 00000001 00000000"}}, WEFT_IWARP_RDMAP_VERSION, 0, 1},
    {{{I, "41c3 00000000 00000000 00000001 00000000"}}, WEFT_IWARP_RDMAP_VERSION, 3, 1},
    {{{I, "4148 00000000 00000000 00000001 00000000"}}, WEFT_IWARP_OPCODE, 8, 0},
    {{{I, "c14f 00000000 0000000000000000"}}, WEFT_IWARP_OPCODE, 15, 0},
    {{{I, "c143 00000000 0000000000000000"}}, WEFT_IWARP_TAGGED, RDMAP_SEND, 0},
    {{{I, "4140 00000000 00000000 00000001 00000000"}}, WEFT_IWARP_NOT_TAGGED, RDMAP_WRITE, 0},
    {{{I, "4143 00000000 00000001 00000001 00000000"}}, WEFT_IWARP_QUEUE, 1, 0},
    {{{I, "4146 00000000 00000003 00000001 00000000"}}, WEFT_IWARP_QUEUE, 3, 0},
    {{{I, "4147 00000000 00000000 00000001 00000000"}}, WEFT_IWARP_QUEUE, 0, 2},
    {{{I, "0147 00000000 00000002 00000001 00000000"}}, WEFT_IWARP_NOT_LAST, RDMAP_TERMINATE, 0},
    /* MSN and MO */
    {{{I, SEND_1}, {I, SEND_2}}, NONE, 0, 0},
    {{{I, SEND_1}, {R, SEND_1}, {I, SEND_2}, {R, SEND_2}}, NONE, 0, 0},
    {{{I, SEND_2}}, WEFT_IWARP_MSN, 2, 1},
    {{{I, SEND_1}, {I, SEND_1}}, WEFT_IWARP_MSN, 1, 2},
    {{{I, SEND_1}, {I, SEND("41", "00000009", "00000000")}}, WEFT_IWARP_MSN, 9, 2},
    {{{I, FIRST_OF_SEND}, {I, SEND("41", "00000001", "00000003")}}, NONE, 0, 0},
    {{{I, FIRST_OF_SEND}, {I, SEND("41", "00000001", "00000003")}, {I, SEND_2}}, NONE, 0, 0},
    {{{I, FIRST_OF_SEND}, {I, SEND("41", "00000001", "00000004")}}, WEFT_IWARP_MO, 4, 3},
    {{{I, FIRST_OF_SEND}, {I, SEND_1}}, WEFT_IWARP_MO, 0, 3},
    {{{I, SEND("41", "00000001", "00000003")}}, WEFT_IWARP_MO, 3, 0},
    {{{I, FIRST_OF_SEND}, {I, SEND_2}}, WEFT_IWARP_MSN, 2, 1},
    /* messages within messages: one unfinished of each buffer model */
    {{{I, FIRST_OF_SEND}, {I, WRITE("c1")}, {I, SEND("41", "00000001", "00000003")}}, NONE, 0, 0},
    {{{I, WRITE("81")}, {I, SEND_1}, {I, WRITE("c1")}}, NONE, 0, 0},
    {{{I, FIRST_OF_SEND}, {I, "4145 00000000 00000000 00000001 00000000"}},
     WEFT_IWARP_INTERRUPTED,
     RDMAP_SEND_SE,
     RDMAP_SEND},
    {{{R, READ_4}, {I, WRITE("81")}, {I, ANSWER}},
     WEFT_IWARP_INTERRUPTED,
     RDMAP_READ_RESPONSE,
     RDMAP_WRITE},
    /* reads */
    {{{R, READ_4}, {I, ANSWER}}, NONE, 0, 0},
    {{{I, READ_4}, {R, ANSWER}}, NONE, 0, 0},
    {{{R, READ_4},
      {I, RESPONSE("81", "0000000a", "0000000000001000", "61")},
      {I, RESPONSE("c1", "0000000a", "0000000000001001", "626364")}},
     NONE,
     0,
     0},
    {{{R, READ_4}, {I, ANSWER}, {R, READ_0_AGAIN}, {I, "c142 00000000 0000000000000000"}},
     NONE,
     0,
     0},
    {{{I, ANSWER}}, WEFT_IWARP_NO_READ, 0, 0},
    {{{R, READ_4}, {I, ANSWER}, {I, ANSWER}}, WEFT_IWARP_NO_READ, 0, 0},
    {{{R, READ_4}, {R, ANSWER}}, WEFT_IWARP_NO_READ, 0, 0},
    {{{R, READ_4}, {I, RESPONSE("c1", "0000000b", "0000000000001000", "61626364")}},
     WEFT_IWARP_READ_STAG,
     11,
     10},
    {{{R, READ_4}, {I, RESPONSE("c1", "0000000a", "0000000000001008", "61626364")}},
     WEFT_IWARP_READ_TO,
     0x1008,
     0x1000},
    {{{R, READ_4}, {I, RESPONSE("c1", "0000000a", "0000000000001000", "616263")}},
     WEFT_IWARP_READ_LENGTH,
     3,
     4},
    {{{R, READ_4}, {I, RESPONSE("81", "0000000a", "0000000000001000", "6162636465")}},
     WEFT_IWARP_READ_LENGTH,
     5,
     4},
    {{{R, READ_4}, {R, READ_0_AGAIN}}, WEFT_IWARP_TOO_MANY_READS, 2, 1},
    /* the end */
    {{{I, "4147 00000000 00000002 00000001 00000000"}, {I, SEND_1}},
     WEFT_IWARP_AFTER_TERMINATE,
     0,
     0},
    {{{R, "4147 00000000 00000002 00000001 00000000"}, {I, SEND_1}}, NONE, 0, 0},
};

static void tell(struct story *s, const struct row *r)
{
    for (uint32_t i = 0; i < COUNT(r->lines) && r->lines[i].ulpdu; i++)
        fpdu(s, r->lines[i].from, r->lines[i].ulpdu);
}

static void test_each_conversation(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        struct story *s = story_up(i % 2);
        const struct weft_iwarp_record *end;

        tell(s, &rows[i]);
        end = last(s);
        if (end->problem_count != (rows[i].problem != NONE) ||
            (end->problem_count && ((int)end->problems[0].kind != rows[i].problem ||
                                    end->problems[0].found != rows[i].found ||
                                    end->problems[0].expected != rows[i].expected)))
            fail_msg("row %u: %u problems, first %s", i, end->problem_count,
                     end->problem_count ? weft_iwarp_problem_name(end->problems[0].kind) : "none");
        s->count--;
        assert_fine(s);
        s->count++;
        story_free(s);
    }
}

static void test_after_a_wrong_CRC_nothing_is_compared_with_what_may_be_lost(void **state)
{
    struct story *s = story_up(true);
    uint8_t bytes[HEX_MAX + 16];
    uint32_t count = make_fpdu(SEND_1, true, bytes);

    (void)state;
    bytes[12] ^= 0xFF;
    say_bytes(s, I, bytes, count);
    assert_int_equal(last(s)->problem_count, 1);
    fpdu(s, I, SEND("41", "00000007", "00000000"));
    assert_int_equal(last(s)->problem_count, 0);
    fpdu(s, I, SEND("41", "00000007", "00000000"));
    assert_problem(last(s), WEFT_IWARP_MSN, 7, 8);
    story_free(s);
}

static struct story *story_rtr(const char *reply)
{
    struct story *s = story_new();

    say(s, I, SIW_RTR_REQUEST);
    say(s, R, reply);
    assert_fine(s);
    s->crc = true;
    return s;
}

static void test_the_ready_to_receive_frame_that_was_agreed_on(void **state)
{
    static const char *const with_write = KEY_REPLY "50 02 0004 8001 8001";
    static const char *const with_read = KEY_REPLY "50 02 0004 8001 4001";
    struct story *s = story_rtr(with_write);

    (void)state;
    say(s, I, FPDU_RTR_WRITE);
    assert_true(last(s)->fpdu.rtr);
    say(s, I, FPDU_RTR_WRITE);
    assert_false(last(s)->fpdu.rtr);
    assert_fine(s);
    story_free(s);

    s = story_rtr(with_read);
    fpdu(s, I,
         "4141 00000000 00000001 00000001 00000000 00000001 0000000000000000 00000000 00000001"
         "0000000000000000");
    assert_true(last(s)->fpdu.rtr);
    say(s, R, FPDU_RTR_READ_RESPONSE);
    assert_fine(s);
    story_free(s);

    s = story_rtr(with_read);
    say(s, I, FPDU_RTR_WRITE);
    assert_problem(last(s), WEFT_IWARP_WRONG_RTR, 0, 0);
    story_free(s);
}

static void test_more_reads_than_are_remembered_are_not_compared(void **state)
{
    struct story *s = story_new();

    (void)state;
    say(s, I, SIW_V1_REQUEST);
    say(s, R, KEY_REPLY "00 01 0000");
    for (uint32_t i = 0; i < 1100; i++) {
        char ulpdu[HEX_MAX];

        s->count = 0;
        (void)snprintf(ulpdu, sizeof(ulpdu),
                       "4141 00000000 00000001 %08x 00000000 0000000a 0000000000001000 00000004"
                       "0000000b 0000000000002000",
                       i + 1);
        fpdu(s, I, ulpdu);
        assert_fine(s);
    }
    fpdu(s, R, RESPONSE("c1", "0000000c", "0000000000001000", "61"));
    assert_fine(s);
    story_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_conversation),
        cmocka_unit_test(test_after_a_wrong_CRC_nothing_is_compared_with_what_may_be_lost),
        cmocka_unit_test(test_the_ready_to_receive_frame_that_was_agreed_on),
        cmocka_unit_test(test_more_reads_than_are_remembered_are_not_compared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
