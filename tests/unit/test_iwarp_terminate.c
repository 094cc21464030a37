/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Terminate messages: every error in both orders, what each brings along, and cut messages. */
#include "core/iwarp/terminate.h"
#include "iwarp_frames.h"

enum brings {
    NOTHING,
    HEADER,        /* M, D */
    HEADER_OF_READ /* M, D, and of a Read Request R */
};

static const struct row {
    uint16_t error;
    const char *text; /* how its sentence begins and ends */
    enum brings brings;
} rows[] = {
    {0x0000, "RDMAP: local catastrophic error", NOTHING},
    {0x0100, "RDMAP, remote protection: invalid STag", HEADER_OF_READ},
    {0x0101, "RDMAP, remote protection: base or bounds", HEADER_OF_READ},
    {0x0102, "RDMAP, remote protection: access rights", HEADER_OF_READ},
    {0x0103, "RDMAP, remote protection: STag not associated with the stream", HEADER_OF_READ},
    {0x0104, "RDMAP, remote protection: TO wrap", HEADER_OF_READ},
    {0x0109, "RDMAP, remote protection: STag cannot be invalidated", HEADER_OF_READ},
    {0x01FF, "RDMAP, remote protection: unspecified", HEADER_OF_READ},
    {0x0205, "RDMAP, remote operation: invalid RDMAP version", NOTHING},
    {0x0206, "RDMAP, remote operation: unexpected opcode", NOTHING},
    {0x0207, "RDMAP, remote operation: catastrophic error of the stream", HEADER},
    {0x0208, "RDMAP, remote operation: catastrophic error of the device", HEADER},
    {0x0209, "RDMAP, remote operation: STag cannot be invalidated", HEADER},
    {0x02FF, "RDMAP, remote operation: unspecified", HEADER},
    {0x1000, "DDP: local catastrophic error", NOTHING},
    {0x1100, "DDP, tagged buffer: invalid STag", HEADER},
    {0x1101, "DDP, tagged buffer: base or bounds", HEADER},
    {0x1102, "DDP, tagged buffer: STag not associated with the stream", HEADER},
    {0x1103, "DDP, tagged buffer: TO wrap", HEADER},
    {0x1104, "DDP, tagged buffer: invalid DDP version", NOTHING},
    {0x1201, "DDP, untagged buffer: invalid queue number", HEADER},
    {0x1202, "DDP, untagged buffer: no buffer for the message", HEADER},
    {0x1203, "DDP, untagged buffer: MSN out of range", HEADER},
    {0x1204, "DDP, untagged buffer: invalid MO", HEADER},
    {0x1205, "DDP, untagged buffer: message too long for the buffer", HEADER},
    {0x1206, "DDP, untagged buffer: invalid DDP version", NOTHING},
    {0x2001, "MPA: TCP connection lost", NOTHING},
    {0x2002, "MPA: CRC does not match", NOTHING},
    {0x2003, "MPA: marker and ULPDU length do not match", NOTHING},
    {0x2004, "MPA: invalid request or reply frame", NOTHING},
    {0x2005, "MPA: local catastrophic error", NOTHING},
    {0x2006, "MPA: insufficient IRD", NOTHING},
    {0x2007, "MPA: no matching RTR", NOTHING},
};

/* Beginnings of segments. */
#define SEGMENT_WRITE "c140 11223301 0000007000100000"
#define SEGMENT_SEND  "4143 00000000 00000000 00000007 00000100"
#define SEGMENT_READ_REQUEST                                                                       \
    "4141 00000000 00000001 00000001 00000000 4bc39600 00007f75bc000e00 00000040 11223300"         \
    "0000007000000000"

static const struct {
    const char *wire;
    bool read;
} segments[] = {{SEGMENT_WRITE, false}, {SEGMENT_SEND, false}, {SEGMENT_READ_REQUEST, true}};

/* The order of Linux siw on little-endian machines: the nibbles of the first byte are swapped, and
 * the header control bits stand at the other end. */
static void swap_order(uint8_t *p)
{
    p[0] = (uint8_t)(p[0] << 4 | p[0] >> 4);
    p[2] = (uint8_t)((p[2] & 0x80 ? 1 : 0) | (p[2] & 0x40 ? 2 : 0) | (p[2] & 0x20 ? 4 : 0));
}

static void assert_same(const struct terminate *a, const struct terminate *b)
{
    assert_int_equal(a->error, b->error);
    assert_int_equal(a->has_length, b->has_length);
    assert_int_equal(a->has_header, b->has_header);
    assert_int_equal(a->has_read, b->has_read);
    assert_int_equal(a->ulpdu_bytes, b->ulpdu_bytes);
    assert_int_equal(a->header_bytes, b->header_bytes);
    assert_memory_equal(a->header, b->header, a->header_bytes);
    assert_memory_equal(a->read, b->read, sizeof(a->read));
}

static void test_what_each_error_brings_along(void **state)
{
    uint8_t segment[HEX_MAX];
    struct terminate t;

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        for (uint32_t s = 0; s < COUNT(segments); s++) {
            uint32_t bytes = from_hex(segments[s].wire, segment);
            bool header = rows[i].brings != NOTHING;

            terminate_make(rows[i].error, segment, bytes, 1234, &t);
            assert_int_equal(t.error, rows[i].error);
            assert_int_equal(t.has_length, header);
            assert_int_equal(t.has_header, header);
            assert_int_equal(t.has_read, rows[i].brings == HEADER_OF_READ && segments[s].read);
            assert_int_equal(t.ulpdu_bytes, header ? 1234 : 0);
            assert_int_equal(t.header_bytes, header ? ddp_header_bytes(segment[0]) : 0);
            assert_memory_equal(t.header, segment, t.header_bytes);
            if (t.has_read)
                assert_memory_equal(t.read, segment + DDP_UNTAGGED_BYTES, RDMAP_READ_BYTES);
        }
    }
}

static void test_a_segment_that_is_not_there_or_cut_brings_what_there_is(void **state)
{
    uint8_t segment[HEX_MAX];
    uint32_t bytes = from_hex(SEGMENT_READ_REQUEST, segment);
    struct terminate t;

    (void)state;
    terminate_make(TERMINATE_READ_BOUNDS, NULL, 0, 46, &t);
    assert_false(t.has_length || t.has_header || t.has_read);
    for (uint32_t part = 0; part <= bytes; part++) {
        uint8_t *copy = exact_copy(segment, part);

        terminate_make(TERMINATE_READ_BOUNDS, copy, part, 46, &t);
        assert_int_equal(t.has_length, part >= DDP_UNTAGGED_BYTES);
        assert_int_equal(t.has_header, part >= DDP_UNTAGGED_BYTES);
        assert_int_equal(t.has_read, part == bytes);
        free(copy);
    }
}

/* These are other errors when their nibbles change places, and bring nothing by which their order
 * could be told. RFC 5040's order is believed. */
static bool reads_as_another(uint16_t error)
{
    return error == TERMINATE_RDMAP_VERSION || error == TERMINATE_OPCODE ||
           error == TERMINATE_DDP_LOCAL || error == TERMINATE_MPA_LOCAL || error == TERMINATE_IRD ||
           error == TERMINATE_RTR;
}

static void test_every_error_in_both_orders(void **state)
{
    uint8_t segment[HEX_MAX], wire[TERMINATE_MAX];
    struct terminate t, again;

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        for (uint32_t s = 0; s < COUNT(segments); s++) {
            uint32_t bytes = from_hex(segments[s].wire, segment);

            terminate_make(rows[i].error, segment, bytes, 99, &t);
            bytes = terminate_write(&t, wire);
            assert_int_equal(bytes, 4 + (t.has_length ? 2u : 0) + t.header_bytes +
                                        (t.has_read ? RDMAP_READ_BYTES : 0u));
            assert_true(terminate_read(wire, bytes, &again));
            assert_false(again.swapped);
            assert_same(&again, &t);
            if (reads_as_another(rows[i].error))
                continue;
            swap_order(wire);
            assert_true(terminate_read(wire, bytes, &again));
            /* What is the same both ways is taken for RFC 5040's. */
            assert_int_equal(again.swapped,
                             rows[i].error >> 12 != (rows[i].error >> 8 & 15) || t.has_length);
            assert_same(&again, &t);
        }
    }
}

static void test_errors_that_nothing_tells_apart_are_read_in_RFC_5040_s_order(void **state)
{
    static const struct {
        uint8_t wire[4];
        uint16_t error;
    } pairs[] = {{{0x20, 5, 0, 0}, TERMINATE_MPA_LOCAL},
                 {{0x02, 5, 0, 0}, TERMINATE_RDMAP_VERSION},
                 {{0x20, 6, 0, 0}, TERMINATE_IRD},
                 {{0x02, 6, 0, 0}, TERMINATE_OPCODE},
                 {{0x20, 7, 0, 0}, TERMINATE_RTR},
                 {{0x02, 7, 0, 0}, TERMINATE_STREAM},
                 {{0x10, 0, 0, 0}, TERMINATE_DDP_LOCAL},
                 {{0x01, 0, 0, 0}, TERMINATE_READ_STAG},
                 /* its header control says that this is siw's */
                 {{0x20, 7, 3, 0}, TERMINATE_STREAM}};
    struct terminate t;

    (void)state;
    for (uint32_t i = 0; i < COUNT(pairs); i++) {
        assert_true(terminate_read(pairs[i].wire, 4, &t));
        assert_int_equal(t.error, pairs[i].error);
        assert_int_equal(t.swapped, pairs[i].wire[2] != 0);
    }
}

static void test_the_Terminate_of_siw_for_a_bad_CRC(void **state)
{
    uint8_t wire[HEX_MAX];
    struct terminate t;

    (void)state;
    from_hex(FPDU_TERMINATE_CRC, wire);
    assert_true(terminate_read(wire + 2 + DDP_UNTAGGED_BYTES, 4, &t));
    assert_int_equal(t.error, TERMINATE_CRC);
    assert_true(t.swapped);
    assert_string_equal(terminate_text(t.error), "MPA: CRC does not match");
}

/* siw says R for a Send, too, and has no Read Request behind it. */
static void test_announced_headers_count_only_where_bytes_bear_them_out(void **state)
{
    uint8_t wire[HEX_MAX];
    uint32_t bytes = from_hex("01010700 0010" SEGMENT_SEND, wire);
    struct terminate t;

    (void)state;
    wire[0] = 0x10; /* remote protection as siw writes it: 0/1 with its nibbles swapped */
    assert_true(terminate_read(wire, bytes, &t));
    assert_int_equal(t.error, TERMINATE_READ_BOUNDS);
    assert_true(t.swapped && t.has_header && !t.has_read);
    assert_int_equal(t.ulpdu_bytes, 16);
    assert_int_equal(t.header_bytes, DDP_UNTAGGED_BYTES);
}

static void test_a_message_cut_anywhere(void **state)
{
    uint8_t segment[HEX_MAX], wire[TERMINATE_MAX];
    struct terminate t, cut;
    uint32_t bytes;

    (void)state;
    terminate_make(TERMINATE_READ_BOUNDS, segment, from_hex(SEGMENT_READ_REQUEST, segment), 46, &t);
    bytes = terminate_write(&t, wire);
    assert_int_equal(bytes, TERMINATE_MAX);
    for (uint32_t part = 0; part <= bytes; part++) {
        uint8_t *copy = exact_copy(wire, part);
        bool read = terminate_read(copy, part, &cut);

        assert_int_equal(read, part >= 4);
        if (read) {
            assert_int_equal(cut.error, t.error);
            assert_int_equal(cut.has_length, part >= 6);
            assert_int_equal(cut.has_header, part >= 6 + DDP_UNTAGGED_BYTES);
            assert_int_equal(cut.has_read, part == bytes);
        }
        free(copy);
    }
}

static void test_every_error_in_words(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++)
        assert_string_equal(terminate_text(rows[i].error), rows[i].text);
    assert_string_equal(terminate_text(0x0142), "RDMAP, remote protection: unknown code");
    assert_string_equal(terminate_text(0x1207), "DDP, untagged buffer: unknown code");
    assert_string_equal(terminate_text(0x2042), "MPA: unknown code");
    assert_string_equal(terminate_text(0x0F00), "RDMAP: unknown type");
    assert_string_equal(terminate_text(0x1300), "DDP: unknown type");
    assert_string_equal(terminate_text(0x2100), "MPA: unknown type");
    assert_string_equal(terminate_text(0x3000), "unknown layer");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_each_error_brings_along),
        cmocka_unit_test(test_a_segment_that_is_not_there_or_cut_brings_what_there_is),
        cmocka_unit_test(test_every_error_in_both_orders),
        cmocka_unit_test(test_errors_that_nothing_tells_apart_are_read_in_RFC_5040_s_order),
        cmocka_unit_test(test_the_Terminate_of_siw_for_a_bad_CRC),
        cmocka_unit_test(test_announced_headers_count_only_where_bytes_bear_them_out),
        cmocka_unit_test(test_a_message_cut_anywhere),
        cmocka_unit_test(test_every_error_in_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
