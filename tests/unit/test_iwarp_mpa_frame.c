/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* MPA frames: those of Linux siw, every bit, every length, and what is no frame. */
#include "core/iwarp/mpa_frame.h"
#include "iwarp_frames.h"

static const struct row {
    const char *wire;
    struct mpa_frame frame;
} rows[] = {
    {SIW_REQUEST, {.enhanced = true, .revision = 2, .ird = 1, .ord = 1}},
    {CRC_REPLY, {.reply = true, .crc = true, .enhanced = true, .revision = 2, .ird = 1, .ord = 1}},
    {SIW_RTR_REQUEST,
     {.crc = true,
      .enhanced = true,
      .revision = 2,
      .peer_to_peer = true,
      .rtr = MPA_RTR_WRITE | MPA_RTR_READ,
      .ird = 1,
      .ord = 1}},
    {SIW_V1_REQUEST, {.revision = 1}},
    {SIW_NO_MARKERS, {.reply = true, .rejected = true, .enhanced = true, .revision = 2}},
    /* S in another revision is a reserved bit, and what follows is the user's */
    {KEY_REQUEST "10 01 0004 8001c001",
     {.revision = 1, .reserved = 0x10, .private_data = "\x80\x01\xc0\x01", .private_bytes = 4}},
    {KEY_REQUEST "1f 02 0006 7fff3fff4142",
     {.enhanced = true,
      .revision = 2,
      .reserved = 0x0F,
      .rtr = MPA_RTR_SEND,
      .ird = 0x3FFF,
      .ord = 0x3FFF,
      .private_data = "AB",
      .private_bytes = 2}},
    {KEY_REPLY "e0 ff 0003 616263",
     {.reply = true,
      .markers = true,
      .crc = true,
      .rejected = true,
      .revision = 255,
      .private_data = "abc",
      .private_bytes = 3}},
};

static void assert_frames_equal(const struct mpa_frame *a, const struct mpa_frame *b)
{
    assert_int_equal(a->reply, b->reply);
    assert_int_equal(a->markers, b->markers);
    assert_int_equal(a->crc, b->crc);
    assert_int_equal(a->rejected, b->rejected);
    assert_int_equal(a->enhanced, b->enhanced);
    assert_int_equal(a->reserved, b->reserved);
    assert_int_equal(a->revision, b->revision);
    assert_int_equal(a->peer_to_peer, b->peer_to_peer);
    assert_int_equal(a->rtr, b->rtr);
    assert_int_equal(a->ird, b->ird);
    assert_int_equal(a->ord, b->ord);
    assert_int_equal(a->private_bytes, b->private_bytes);
    if (a->private_bytes)
        assert_memory_equal(a->private_data, b->private_data, a->private_bytes);
}

static void test_frames_of_siw_and_others_both_ways(void **state)
{
    uint8_t wire[HEX_MAX], again[MPA_FRAME_MAX];
    struct mpa_frame f;
    size_t used;

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        uint32_t bytes = from_hex(rows[i].wire, wire);

        assert_int_equal(mpa_frame_parse(wire, bytes, &f, &used), MPA_WHOLE);
        assert_int_equal(used, bytes);
        assert_frames_equal(&f, &rows[i].frame);
        assert_int_equal(mpa_frame_build(&rows[i].frame, again), bytes);
        assert_memory_equal(again, wire, bytes);
    }
}

static void test_a_beginning_of_any_length_is_told_from_a_frame(void **state)
{
    uint8_t wire[HEX_MAX];
    struct mpa_frame f;
    size_t used;

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        uint32_t bytes = from_hex(rows[i].wire, wire);

        for (uint32_t part = 0; part < bytes; part++) {
            uint8_t *p = exact_copy(wire, part);

            assert_int_equal(mpa_frame_parse(p, part, &f, &used), MPA_MORE);
            free(p);
        }
        wire[bytes] = 0x55; /* what follows is not the frame's */
        assert_int_equal(mpa_frame_parse(wire, bytes + 1, &f, &used), MPA_WHOLE);
        assert_int_equal(used, bytes);
    }
}

static void test_every_bit_of_flags_and_enhanced_data(void **state)
{
    uint8_t wire[HEX_MAX], again[MPA_FRAME_MAX];
    struct mpa_frame f;
    size_t used;

    (void)state;
    for (uint32_t bit = 0; bit < 40; bit++) {
        uint32_t bytes = from_hex(KEY_REQUEST "10 02 0004 0000 0000", wire);
        uint32_t byte = bit < 8 ? 16 : 20 + (bit - 8) / 8;

        wire[byte] = (uint8_t)(wire[byte] | 0x80 >> bit % 8);
        assert_int_equal(mpa_frame_parse(wire, bytes, &f, &used), MPA_WHOLE);
        assert_int_equal(f.markers, bit == 0);
        assert_int_equal(f.crc, bit == 1);
        assert_int_equal(f.rejected, bit == 2);
        assert_int_equal(f.reserved, bit >= 4 && bit < 8 ? 0x80 >> bit : 0);
        assert_int_equal(f.peer_to_peer, bit == 8);
        assert_int_equal(f.rtr, bit == 9    ? MPA_RTR_SEND
                                : bit == 24 ? MPA_RTR_WRITE
                                : bit == 25 ? MPA_RTR_READ
                                            : MPA_RTR_NONE);
        assert_int_equal(f.ird, bit >= 10 && bit < 24 ? 1 << (23 - bit) : 0);
        assert_int_equal(f.ord, bit >= 26 ? 1 << (39 - bit) : 0);
        assert_int_equal(mpa_frame_build(&f, again), bytes);
        assert_memory_equal(again, wire, bytes);
    }
}

static void test_a_wrong_key_is_told_by_its_first_wrong_byte(void **state)
{
    uint8_t wire[HEX_MAX];
    struct mpa_frame f;
    size_t used;

    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t wrong = 0; wrong < 16; wrong++) {
            from_hex(i ? CRC_REPLY : SIW_REQUEST, wire);
            wire[wrong] ^= 0x20;
            assert_int_equal(mpa_frame_parse(wire, wrong, &f, &used), MPA_MORE);
            assert_int_equal(mpa_frame_parse(wire, wrong + 1, &f, &used), MPA_BAD_KEY);
            assert_int_equal(mpa_frame_parse(wire, 24, &f, &used), MPA_BAD_KEY);
        }
    }
    assert_int_equal(mpa_frame_parse("GET / HTTP/1.1\r\n", 16, &f, &used), MPA_BAD_KEY);
}

static void test_wrong_lengths_are_told_as_soon_as_they_are_there(void **state)
{
    uint8_t wire[HEX_MAX];
    struct mpa_frame f = {0};
    size_t used = 0;

    (void)state;
    from_hex(KEY_REQUEST "00 02 0201", wire);
    assert_int_equal(mpa_frame_parse(wire, 19, &f, &used), MPA_MORE);
    assert_int_equal(mpa_frame_parse(wire, 20, &f, &used), MPA_TOO_LONG);
    from_hex(KEY_REQUEST "00 02 0200", wire);
    assert_int_equal(mpa_frame_parse(wire, 20, &f, &used), MPA_MORE);
    assert_int_equal(used, 0);
    for (uint8_t length = 0; length < 4; length++) {
        from_hex(KEY_REPLY "50 02 0000", wire);
        wire[19] = length;
        assert_int_equal(mpa_frame_parse(wire, 20, &f, &used), MPA_BAD_LENGTH);
        assert_int_equal(used, 20 + length);
        assert_true(f.reply && f.crc && f.enhanced);
        assert_int_equal(f.private_bytes, 0);
    }
}

static void test_private_data_up_to_512_bytes_of_which_four_are_enhanced(void **state)
{
    uint8_t data[MPA_PRIVATE_MAX + 1], wire[MPA_FRAME_MAX];
    struct mpa_frame f = {.revision = 1, .private_data = data}, again;
    size_t used;

    (void)state;
    for (uint32_t i = 0; i < sizeof(data); i++)
        data[i] = (uint8_t)(i * 7);
    for (uint16_t bytes = 0; bytes <= MPA_PRIVATE_MAX; bytes++) {
        f.private_bytes = bytes;
        assert_int_equal(mpa_frame_build(&f, wire), MPA_FRAME_HEAD + bytes);
        assert_int_equal(mpa_frame_parse(wire, sizeof(wire), &again, &used), MPA_WHOLE);
        assert_frames_equal(&again, &f);
    }
    f.private_bytes = MPA_PRIVATE_MAX + 1;
    assert_int_equal(mpa_frame_build(&f, wire), 0);
    f.enhanced = true;
    f.revision = 2;
    f.private_bytes = MPA_PRIVATE_MAX - MPA_ENHANCED_BYTES;
    assert_int_equal(mpa_frame_build(&f, wire), MPA_FRAME_MAX);
    f.private_bytes++;
    assert_int_equal(mpa_frame_build(&f, wire), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_of_siw_and_others_both_ways),
        cmocka_unit_test(test_a_beginning_of_any_length_is_told_from_a_frame),
        cmocka_unit_test(test_every_bit_of_flags_and_enhanced_data),
        cmocka_unit_test(test_a_wrong_key_is_told_by_its_first_wrong_byte),
        cmocka_unit_test(test_wrong_lengths_are_told_as_soon_as_they_are_there),
        cmocka_unit_test(test_private_data_up_to_512_bytes_of_which_four_are_enhanced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
