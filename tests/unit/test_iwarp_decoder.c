/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The decoder's streams: any segmentation, holes, beginnings in the middle, ends, and hostile
 * bytes. */
#include "core/base/prng.h"
#include "iwarp_story.h"

#define STREAM_MAX 4096

/* One side's whole stream. */
struct stream {
    uint8_t bytes[STREAM_MAX];
    uint32_t count;
};

static void add(struct stream *s, const char *hex)
{
    s->count += from_hex(hex, s->bytes + s->count);
}

static struct stream rping_client(void)
{
    struct stream s = {.count = 0};

    add(&s, SIW_REQUEST);
    add(&s, FPDU_SEND);
    s.count += make_fpdu("c142 4bc39600 00007f75bc000e00"
                         "00000000000000000000000000000000 00000000000000000000000000000000"
                         "00000000000000000000000000000000 00000000000000000000000000000000",
                         true, s.bytes + s.count);
    s.count +=
        make_fpdu("4143 00000000 00000000 00000002 00000000 6162636465", true, s.bytes + s.count);
    return s;
}

static struct stream rping_server(void)
{
    struct stream s = {.count = 0};

    add(&s, CRC_REPLY);
    add(&s, FPDU_READ_REQUEST);
    add(&s, FPDU_SEND_ZEROS);
    return s;
}

static void feed_part(struct story *s, enum weft_iwarp_side from, const struct stream *stream,
                      uint32_t begin, uint32_t end)
{
    s->offset[from] = begin;
    say_bytes(s, from, stream->bytes + begin, end - begin);
}

static void assert_rping(const struct story *s)
{
    uint32_t types[WEFT_IWARP_TYPES] = {0};

    assert_fine(s);
    for (uint32_t i = 0; i < s->count; i++)
        types[s->records[i].type]++;
    assert_int_equal(types[WEFT_IWARP_FRAME], 2);
    assert_int_equal(types[WEFT_IWARP_TERMS], 1);
    assert_int_equal(types[WEFT_IWARP_FPDU], 5);
    assert_int_equal(types[WEFT_IWARP_NOTE], 0);
}

/* The frames first, then what the server says, then the client. */
static void test_two_streams_cut_anywhere_say_the_same(void **state)
{
    struct stream client = rping_client(), server = rping_server();

    (void)state;
    for (uint32_t step = 1; step <= client.count; step++) {
        struct story *s = story_new();

        for (uint32_t at = 0; at < 24; at += step)
            feed_part(s, I, &client, at, at + step < 24 ? at + step : 24);
        for (uint32_t at = 0; at < server.count; at += step)
            feed_part(s, R, &server, at, at + step < server.count ? at + step : server.count);
        for (uint32_t at = 24; at < client.count; at += step)
            feed_part(s, I, &client, at, at + step < client.count ? at + step : client.count);
        assert_rping(s);
        story_free(s);
    }
}

static void test_what_was_fed_before_is_skipped(void **state)
{
    struct stream client = rping_client(), server = rping_server();
    struct story *s = story_new();

    (void)state;
    feed_part(s, I, &client, 0, 24);
    feed_part(s, R, &server, 0, server.count);
    feed_part(s, R, &server, 0, server.count);
    for (uint32_t at = 24; at + 7 < client.count; at += 7)
        feed_part(s, I, &client, at - 20, at + 7);
    feed_part(s, I, &client, 0, client.count);
    assert_rping(s);
    story_free(s);
}

static void test_a_whole_stream_before_the_other_is_judged_as_far_as_possible(void **state)
{
    struct stream client = rping_client(), server = rping_server();

    (void)state;
    for (uint32_t first = 0; first < 2; first++) {
        struct story *s = story_new();

        feed_part(s, first ? R : I, first ? &server : &client, 0,
                  first ? server.count : client.count);
        s->now = 0;
        feed_part(s, first ? I : R, first ? &client : &server, 0,
                  first ? client.count : server.count);
        assert_int_equal(s->count, 8);
        for (uint32_t i = 0; i < s->count; i++) {
            if (s->records[i].problem_count)
                assert_problem(&s->records[i], WEFT_IWARP_TERMS_UNKNOWN, 0, 0);
        }
        story_free(s);
    }
}

static void test_offsets_times_and_lengths(void **state)
{
    struct stream client = rping_client();
    struct story *s = story_new();

    (void)state;
    feed_part(s, I, &client, 0, 24);
    feed_part(s, I, &client, 24, 30);
    feed_part(s, I, &client, 30, 64);
    assert_int_equal(s->count, 2);
    assert_int_equal(s->records[0].offset, 0);
    assert_int_equal(s->records[1].offset, 24);
    assert_int_equal(s->records[1].bytes, 40);
    assert_int_equal(s->records[1].time, 2 * WEFT_US); /* its first byte came then */
    story_free(s);
}

/* A connection on which the server's Read Request was seen, and `seen` bytes of the client. */
static struct story *story_seen(const struct stream *client, uint32_t seen)
{
    struct story *s = story_up(true);

    say(s, R, FPDU_READ_REQUEST);
    feed_part(s, I, client, 24, seen);
    s->count = 0;
    return s;
}

#define SEND_END     (24u + 40)
#define RESPONSE_END (SEND_END + 84)

static void test_a_hole_in_the_payload_leaves_the_FPDU_s_headers(void **state)
{
    struct stream client = rping_client();

    (void)state;
    for (uint32_t begin = SEND_END + 16; begin < RESPONSE_END; begin++) {
        for (uint32_t end = begin + 1; end <= RESPONSE_END; end++) {
            struct story *s = story_seen(&client, begin);

            feed_part(s, I, &client, end, client.count);
            assert_int_equal(s->count, 2);
            assert_problem(&s->records[0], WEFT_IWARP_GAP, end - begin, 0);
            assert_int_equal(s->records[0].fpdu.missing, end - begin);
            assert_int_equal(s->records[0].fpdu.opcode, RDMAP_READ_RESPONSE);
            assert_int_equal(s->records[0].fpdu.crc, WEFT_IWARP_CRC_UNKNOWN);
            assert_int_equal(s->records[1].problem_count, 0);
            assert_int_equal(s->records[1].fpdu.msn, 2);
            story_free(s);
        }
    }
}

static void test_a_hole_in_the_headers_leaves_where_the_FPDU_ends(void **state)
{
    struct stream client = rping_client();

    (void)state;
    for (uint32_t begin = SEND_END + 2; begin < SEND_END + 16; begin++) {
        struct story *s = story_seen(&client, begin);

        feed_part(s, I, &client, SEND_END + 20, client.count);
        assert_int_equal(s->count, 2);
        assert_problem(&s->records[0], WEFT_IWARP_GAP, SEND_END + 20 - begin, 0);
        assert_false(s->records[0].fpdu.headers);
        assert_int_equal(s->records[1].fpdu.opcode, RDMAP_SEND);
        assert_int_equal(s->records[1].problem_count, 0);
        story_free(s);
    }
}

static void
test_after_a_hole_of_unknown_bounds_a_piece_that_begins_with_an_FPDU_goes_on(void **state)
{
    struct stream client = rping_client();
    struct story *s = story_seen(&client, SEND_END);

    (void)state;
    feed_part(s, I, &client, SEND_END + 30, RESPONSE_END);
    assert_int_equal(s->count, 2);
    assert_problem(&s->records[0], WEFT_IWARP_GAP, 30, 0);
    assert_problem(&s->records[1], WEFT_IWARP_LOST, 0, 0);
    assert_int_equal(s->records[1].type, WEFT_IWARP_NOTE);
    feed_part(s, I, &client, RESPONSE_END, client.count);
    assert_int_equal(s->count, 3);
    assert_int_equal(s->records[2].fpdu.opcode, RDMAP_SEND);
    assert_int_equal(s->records[2].problem_count, 0);
    story_free(s);
}

static void test_a_hole_in_the_MPA_frame_and_a_stream_that_begins_in_the_middle(void **state)
{
    struct stream client = rping_client();
    struct story *s = story_new();

    (void)state;
    feed_part(s, I, &client, 0, 10);
    feed_part(s, I, &client, 24, SEND_END);
    assert_int_equal(s->count, 2);
    assert_problem(&s->records[0], WEFT_IWARP_GAP, 14, 0);
    assert_problem(&s->records[1], WEFT_IWARP_TERMS_UNKNOWN, 0, 0);
    story_free(s);

    s = story_new();
    feed_part(s, I, &client, 30, SEND_END);
    assert_problem(&s->records[0], WEFT_IWARP_LATE, 0, 0);
    assert_problem(&s->records[1], WEFT_IWARP_LOST, 0, 0);
    feed_part(s, I, &client, SEND_END, client.count);
    assert_int_equal(s->count, 4);
    assert_problem(&s->records[2], WEFT_IWARP_TERMS_UNKNOWN, 0, 0);
    story_free(s);
}

static void test_a_second_MPA_frame(void **state)
{
    struct story *s = story_up(true);

    (void)state;
    say(s, I, SIW_REQUEST);
    assert_int_equal(s->count, 1);
    assert_problem(last(s), WEFT_IWARP_SECOND_FRAME, 0, 0);
    assert_int_equal(last(s)->type, WEFT_IWARP_NOTE);
    story_free(s);
}

static void test_an_end_within_an_FPDU_or_a_frame(void **state)
{
    struct stream client = rping_client();

    (void)state;
    for (uint32_t end = 0; end <= SEND_END; end++) {
        struct story *s = story_new();
        bool whole = end == 0 || end == 24 || end == SEND_END;

        feed_part(s, I, &client, 0, end);
        s->count = 0;
        assert_int_equal(weft_iwarp_end(s->decoder, I, s->now), 0);
        story_poll(s);
        assert_int_equal(s->count, whole ? 0 : 1);
        if (!whole && end > 26)
            assert_problem(last(s), WEFT_IWARP_CUT, end - 24, 40);
        if (!whole && end < 20)
            assert_problem(last(s), WEFT_IWARP_CUT, end, 20);
        assert_int_equal(weft_iwarp_feed(s->decoder, I, end, "x", 1, 0), WEFT_ERR_STATE);
        assert_int_equal(weft_iwarp_end(s->decoder, I, 0), WEFT_ERR_STATE);
        story_free(s);
    }
}

static void test_calls_that_are_refused(void **state)
{
    struct story *s = story_new();
    struct weft_iwarp_record r;
    uint8_t bytes[HEX_MAX];
    uint32_t count = from_hex(SIW_REQUEST FPDU_SEND, bytes);

    (void)state;
    assert_int_equal(weft_iwarp_feed(s->decoder, WEFT_IWARP_SIDES, 0, "x", 1, 0), WEFT_ERR_INVALID);
    assert_int_equal(weft_iwarp_end(s->decoder, WEFT_IWARP_SIDES, 0), WEFT_ERR_INVALID);
    assert_int_equal(weft_iwarp_feed(s->decoder, I, UINT64_MAX, "xy", 2, 0), WEFT_ERR_INVALID);
    assert_int_equal(weft_iwarp_feed(s->decoder, I, 0, NULL, 0, 0), 0);
    assert_false(weft_iwarp_poll(s->decoder, &r));
    assert_int_equal(weft_iwarp_feed(s->decoder, I, 0, bytes, count, 0), 0);
    assert_true(weft_iwarp_poll(s->decoder, &r));
    assert_int_equal(weft_iwarp_feed(s->decoder, R, 0, bytes, count, 0), WEFT_ERR_STATE);
    assert_int_equal(weft_iwarp_end(s->decoder, R, 0), WEFT_ERR_STATE);
    while (weft_iwarp_poll(s->decoder, &r))
        ;
    assert_int_equal(weft_iwarp_end(s->decoder, R, 0), 0);
    story_free(s);
}

static void *nothing(void *ctx, size_t size, size_t align)
{
    (void)ctx;
    (void)size;
    (void)align;
    return NULL;
}

static void put_nothing(void *ctx, void *p, size_t size)
{
    (void)ctx;
    (void)p;
    (void)size;
}

static void test_an_allocator_without_memory(void **state)
{
    struct weft_alloc a = {nothing, put_nothing, NULL};
    struct weft_iwarp *d = NULL;

    (void)state;
    assert_int_equal(weft_iwarp_new(&a, &d), WEFT_ERR_NOMEM);
    assert_null(d);
    assert_null(weft_iwarp_free(NULL));
}

static void test_what_a_piece_looks_like(void **state)
{
    static const struct {
        const char *bytes;
        enum weft_iwarp_look look;
    } rows[] = {
        {"", WEFT_IWARP_LOOK_SHORT},
        {"4d5041204944205265", WEFT_IWARP_LOOK_SHORT},
        {KEY_REQUEST, WEFT_IWARP_LOOK_REQUEST},
        {CRC_REPLY, WEFT_IWARP_LOOK_REPLY},
        {FPDU_SEND, WEFT_IWARP_LOOK_FPDU},
        {FPDU_RTR_WRITE "00", WEFT_IWARP_LOOK_FPDU},
        {"000e c140 00000001 0000000000000000 00000000", WEFT_IWARP_LOOK_FPDU},
        {"000e c140 00000001 0000000000000000 00000001", WEFT_IWARP_LOOK_OTHER},
        {"000e c140 00000001 0000000000000000 000000", WEFT_IWARP_LOOK_SHORT},
        {"0012 c140 00000001 0000000000000000 00000000", WEFT_IWARP_LOOK_OTHER},
        {"000e c240 00000001 0000000000000000 00000000", WEFT_IWARP_LOOK_OTHER},
        {"000e c180 00000001 0000000000000000 00000000", WEFT_IWARP_LOOK_OTHER},
        {"000e c148 00000001 0000000000000000 00000000", WEFT_IWARP_LOOK_OTHER},
        {"0000000000000000 0000000000000000 00000000", WEFT_IWARP_LOOK_OTHER},
        {"474554202f20485454502f312e310d0a486f73743a", WEFT_IWARP_LOOK_OTHER},
    };
    uint8_t bytes[HEX_MAX];

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        uint32_t count = from_hex(rows[i].bytes, bytes);
        uint8_t *copy = exact_copy(bytes, count);

        if (weft_iwarp_look(copy, count) != rows[i].look)
            fail_msg("row %u", i);
        free(copy);
    }
    assert_int_equal(weft_iwarp_look(NULL, 0), WEFT_IWARP_LOOK_SHORT);
}

/* Whatever the bytes and holes: it ends, records stay within what was fed, and a sanitizer has
 * nothing to say. */
static void test_damaged_streams_with_holes_and_overlaps(void **state)
{
    struct stream streams[2] = {rping_client(), rping_server()};
    struct prng g = {5};
    uint64_t fed = 0, told = 0;

    (void)state;
    for (uint32_t run = 0; run < 3000; run++) {
        struct story *s = story_new();

        for (uint32_t piece = 0; piece < 12; piece++) {
            enum weft_iwarp_side from = prng_up_to(&g, 1) ? R : I;
            struct stream *stream = &streams[from];
            uint32_t begin = (uint32_t)prng_up_to(&g, stream->count);
            uint32_t end = begin + (uint32_t)prng_up_to(&g, stream->count - begin);
            struct stream damaged = *stream;

            if (prng_up_to(&g, 2) == 0)
                begin = (uint32_t)(s->offset[from] < end ? s->offset[from] : 0);
            damaged.bytes[prng_up_to(&g, stream->count - 1)] ^= (uint8_t)prng_next(&g);
            feed_part(s, from, &damaged, begin, end > begin ? end : begin);
            fed += end > begin ? end - begin : 0;
        }
        for (uint32_t i = 0; i < s->count; i++)
            told += s->records[i].bytes;
        story_free(s);
    }
    assert_true(told > 0 && told <= 2 * fed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_streams_cut_anywhere_say_the_same),
        cmocka_unit_test(test_what_was_fed_before_is_skipped),
        cmocka_unit_test(test_a_whole_stream_before_the_other_is_judged_as_far_as_possible),
        cmocka_unit_test(test_offsets_times_and_lengths),
        cmocka_unit_test(test_a_hole_in_the_payload_leaves_the_FPDU_s_headers),
        cmocka_unit_test(test_a_hole_in_the_headers_leaves_where_the_FPDU_ends),
        cmocka_unit_test(
            test_after_a_hole_of_unknown_bounds_a_piece_that_begins_with_an_FPDU_goes_on),
        cmocka_unit_test(test_a_hole_in_the_MPA_frame_and_a_stream_that_begins_in_the_middle),
        cmocka_unit_test(test_a_second_MPA_frame),
        cmocka_unit_test(test_an_end_within_an_FPDU_or_a_frame),
        cmocka_unit_test(test_calls_that_are_refused),
        cmocka_unit_test(test_an_allocator_without_memory),
        cmocka_unit_test(test_what_a_piece_looks_like),
        cmocka_unit_test(test_damaged_streams_with_holes_and_overlaps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
