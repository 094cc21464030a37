/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One direction of TCP: any order, repeats, overlaps, holes, wrapping numbers, and its bound. */
#include "capture/stream.h"
#include "core/base/prng.h"
#include "iwarp_frames.h"

#define SEQ 0xFFFFFFF0u /* numbers wrap after 16 bytes */

static const char text[] = "the quick brown fox jumps over the lazy dog";

static void add(struct stream *s, uint32_t begin, uint32_t end)
{
    assert_true(stream_add(s, SEQ + begin, text + begin, end - begin, end - begin, begin));
}

/* Takes what there is; its bytes must be those of the text at their offsets. */
static uint32_t take_all(struct stream *s)
{
    struct stream_piece *piece;
    uint32_t bytes = 0;

    while ((piece = stream_take(s))) {
        assert_memory_equal(piece->data + piece->skipped, text + piece->offset, piece->bytes);
        bytes += piece->bytes;
        free(piece);
    }
    return bytes;
}

static void test_in_order(void **state)
{
    struct stream s = {0};

    (void)state;
    stream_begin(&s, SEQ, 0);
    assert_null(stream_take(&s));
    add(&s, 0, 10);
    assert_int_equal(take_all(&s), 10);
    add(&s, 10, 43);
    assert_int_equal(take_all(&s), 33);
    assert_int_equal(s.held, 0);
}

static void test_any_order_any_overlap(void **state)
{
    struct prng g = {11};

    (void)state;
    for (uint32_t run = 0; run < 2000; run++) {
        struct stream s = {0};
        uint32_t bytes = 0;

        stream_begin(&s, SEQ, 0);
        for (uint32_t i = 0; i < 20; i++) {
            uint32_t begin = (uint32_t)prng_up_to(&g, 42);

            add(&s, begin, begin + 1 + (uint32_t)prng_up_to(&g, 42 - begin));
            bytes += take_all(&s);
            assert_int_equal(bytes, s.next);
        }
        add(&s, 0, 43);
        bytes += take_all(&s);
        assert_int_equal(bytes, 43);
        assert_int_equal(s.held, 0);
        assert_null(s.first);
    }
}

static void test_a_hole_waits_until_it_is_acknowledged(void **state)
{
    struct stream s = {0};
    struct stream_piece *piece;

    (void)state;
    stream_begin(&s, SEQ, 0);
    add(&s, 0, 4);
    add(&s, 10, 20);
    assert_int_equal(take_all(&s), 4);
    stream_ack(&s, SEQ + 9);
    assert_null(stream_take(&s));
    stream_ack(&s, SEQ + 10);
    piece = stream_take(&s);
    assert_non_null(piece);
    assert_int_equal(piece->offset, 10);
    free(piece);
    add(&s, 4, 10); /* too late */
    assert_null(stream_take(&s));
    assert_int_equal(s.next, 20);
}

static void test_in_a_hurry_holes_are_passed(void **state)
{
    struct stream s = {0};

    (void)state;
    stream_begin(&s, SEQ, 0);
    add(&s, 30, 43);
    add(&s, 10, 20);
    assert_null(stream_take(&s));
    s.hurries = true;
    assert_int_equal(take_all(&s), 23);
}

static void test_what_waits_is_bounded(void **state)
{
    static const uint8_t zeros[1460];
    struct stream s = {0};
    uint32_t seq = 1000, pieces = 0;
    struct stream_piece *piece;

    (void)state;
    stream_begin(&s, 0, 0);
    while (!(piece = stream_take(&s))) {
        assert_true(stream_add(&s, seq, zeros, sizeof(zeros), sizeof(zeros), 0));
        seq += sizeof(zeros);
        pieces++;
        assert_true(pieces <= STREAM_HELD_MAX / sizeof(zeros));
    }
    assert_int_equal(piece->offset, 1000);
    assert_true(s.held <= STREAM_HELD_MAX);
    free(piece);
    stream_clear(&s);
    assert_int_equal(s.held, 0);
    assert_null(s.first);
}

static void test_how_many_wait_is_bounded(void **state)
{
    struct stream s = {0};
    struct stream_piece *piece = NULL;
    uint32_t pieces = 0;

    (void)state;
    stream_begin(&s, 0, 0);
    while (!piece) {
        /* every other byte, from the end on */
        assert_true(stream_add(&s, 100000 - 2 * pieces, "x", 1, 1, 0));
        piece = stream_take(&s);
        assert_true(++pieces <= STREAM_PIECES_MAX + 1);
    }
    assert_int_equal(pieces, STREAM_PIECES_MAX + 1);
    assert_int_equal(s.pieces, STREAM_PIECES_MAX);
    free(piece);
    stream_clear(&s);
    assert_int_equal(s.pieces, 0);
}

static void test_segments_captured_in_part_count_whole(void **state)
{
    struct stream s = {0};
    struct stream_piece *piece;

    (void)state;
    stream_begin(&s, SEQ, 0);
    assert_true(stream_add(&s, SEQ, text, 4, 10, 0));
    assert_true(stream_add(&s, SEQ + 8, text + 8, 1, 10, 0));
    piece = stream_take(&s);
    assert_int_equal(piece->bytes, 4);
    assert_int_equal(s.next, 10);
    free(piece);
    piece = stream_take(&s); /* what was captured of it is known already */
    assert_int_equal(piece->offset, 10);
    assert_int_equal(piece->bytes, 0);
    assert_int_equal(s.next, 18);
    free(piece);
}

static void test_the_end_and_what_is_before_the_beginning(void **state)
{
    struct stream s = {0};

    (void)state;
    stream_begin(&s, SEQ, 0);
    assert_true(stream_add(&s, SEQ - 1, "x", 1, 1, 0)); /* a keep-alive */
    assert_null(stream_take(&s));
    stream_fin(&s, SEQ + 43);
    add(&s, 10, 43);
    assert_false(stream_ended(&s));
    add(&s, 0, 10);
    assert_int_equal(take_all(&s), 43);
    assert_true(stream_ended(&s));
}

static void test_a_stream_that_begins_late(void **state)
{
    struct stream s = {0};
    struct stream_piece *piece;

    (void)state;
    stream_begin(&s, 77, STREAM_LATE);
    assert_true(stream_add(&s, 77, "abc", 3, 3, 5));
    piece = stream_take(&s);
    assert_true(piece->offset == STREAM_LATE);
    assert_int_equal(piece->time, 5);
    free(piece);
    assert_true(stream_add(&s, 70, "abc", 3, 3, 5));
    assert_null(stream_take(&s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_order),
        cmocka_unit_test(test_any_order_any_overlap),
        cmocka_unit_test(test_a_hole_waits_until_it_is_acknowledged),
        cmocka_unit_test(test_in_a_hurry_holes_are_passed),
        cmocka_unit_test(test_what_waits_is_bounded),
        cmocka_unit_test(test_how_many_wait_is_bounded),
        cmocka_unit_test(test_segments_captured_in_part_count_whole),
        cmocka_unit_test(test_the_end_and_what_is_before_the_beginning),
        cmocka_unit_test(test_a_stream_that_begins_late),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
