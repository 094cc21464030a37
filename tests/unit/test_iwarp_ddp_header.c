/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* DDP and RDMAP headers: those of Linux siw, and every bit of a header both ways. */
#include "core/iwarp/ddp_header.h"
#include "iwarp_frames.h"

static const struct row {
    const char *wire; /* an FPDU */
    struct ddp_header header;
} rows[] = {
    {FPDU_RTR_WRITE, {true, true, 1, 1, RDMAP_WRITE, .stag = 1}},
    {FPDU_RTR_READ_RESPONSE, {true, true, 1, 1, RDMAP_READ_RESPONSE, .stag = 1}},
    {FPDU_SEND, {false, true, 1, 1, RDMAP_SEND, .queue = DDP_QUEUE_SEND, .msn = 1}},
    {FPDU_READ_REQUEST, {false, true, 1, 1, RDMAP_READ_REQUEST, .queue = DDP_QUEUE_READ, .msn = 1}},
    {FPDU_TERMINATE_CRC,
     {false, true, 1, 1, RDMAP_TERMINATE, .queue = DDP_QUEUE_TERMINATE, .msn = 1}},
    {"0012 0145 89abcdef 01020304 05060708 090a0b0c",
     {false, false, 1, 1, RDMAP_SEND_SE, .stag = 0x89ABCDEF, .queue = 0x01020304, .msn = 0x05060708,
      .mo = 0x090A0B0C}},
    {"000e 8142 01020304 05060708090a0b0c",
     {true, false, 1, 1, RDMAP_READ_RESPONSE, .stag = 0x01020304, .to = 0x05060708090A0B0C}},
    /* Nothing is judged. */
    {"000e c3cf 00000000 0000000000000000", {true, true, 3, 3, 15, .stag = 0}},
};

static void assert_headers_equal(const struct ddp_header *a, const struct ddp_header *b)
{
    assert_int_equal(a->tagged, b->tagged);
    assert_int_equal(a->last, b->last);
    assert_int_equal(a->ddp_version, b->ddp_version);
    assert_int_equal(a->rdmap_version, b->rdmap_version);
    assert_int_equal(a->opcode, b->opcode);
    assert_int_equal(a->stag, b->stag);
    assert_int_equal(a->to, b->to);
    assert_int_equal(a->queue, b->queue);
    assert_int_equal(a->msn, b->msn);
    assert_int_equal(a->mo, b->mo);
}

static void test_headers_of_siw_and_others_both_ways(void **state)
{
    uint8_t wire[HEX_MAX], again[DDP_UNTAGGED_BYTES];
    struct ddp_header h;

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        uint32_t bytes, fpdu = from_hex(rows[i].wire, wire);
        uint8_t *copy;

        bytes = ddp_header_bytes(wire[2]);
        assert_true(fpdu >= 2 + bytes);
        copy = exact_copy(wire + 2, bytes);
        ddp_header_read(copy, &h);
        free(copy);
        assert_headers_equal(&h, &rows[i].header);
        assert_int_equal(ddp_header_write(&rows[i].header, again), bytes);
        assert_memory_equal(again, wire + 2, bytes);
    }
}

/* Each bit has one place: a header with one bit set is written as it was read, and two headers of
 * different bits are different. Reserved bits are read as if they were not there. */
static void test_every_bit_of_both_headers(void **state)
{
    (void)state;
    for (uint32_t tagged = 0; tagged < 2; tagged++) {
        uint32_t bytes = tagged ? DDP_TAGGED_BYTES : DDP_UNTAGGED_BYTES;

        for (uint32_t bit = 1; bit < 8 * bytes; bit++) {
            uint8_t wire[DDP_UNTAGGED_BYTES] = {tagged ? 0x80 : 0}, again[DDP_UNTAGGED_BYTES];
            bool reserved = (bit >= 2 && bit < 6) || bit == 10 || bit == 11;
            struct ddp_header h;

            wire[bit / 8] = (uint8_t)(wire[bit / 8] | 0x80 >> bit % 8);
            ddp_header_read(wire, &h);
            assert_int_equal(h.tagged, tagged);
            assert_int_equal(ddp_header_write(&h, again), bytes);
            if (reserved)
                wire[bit / 8] = (uint8_t)(wire[bit / 8] & ~(0x80 >> bit % 8));
            assert_memory_equal(again, wire, bytes);
        }
    }
}

static void test_the_Read_Request_of_siw_both_ways(void **state)
{
    uint8_t wire[HEX_MAX], again[RDMAP_READ_BYTES];
    struct rdmap_read r;

    (void)state;
    from_hex(FPDU_READ_REQUEST, wire);
    rdmap_read_read(wire + 2 + DDP_UNTAGGED_BYTES, &r);
    assert_int_equal(r.sink_stag, 0x4BC39600);
    assert_int_equal(r.sink_to, 0x00007F75BC000E00);
    assert_int_equal(r.bytes, 64);
    assert_int_equal(r.source_stag, 0x11223300);
    assert_int_equal(r.source_to, 0x0000007000000000);
    rdmap_read_write(&r, again);
    assert_memory_equal(again, wire + 2 + DDP_UNTAGGED_BYTES, RDMAP_READ_BYTES);
}

static void test_the_pad_fills_length_and_ULPDU_to_four_bytes(void **state)
{
    (void)state;
    for (uint32_t bytes = 0; bytes <= FPDU_ULPDU_MAX; bytes++) {
        assert_true(fpdu_pad(bytes) < 4);
        assert_int_equal((2 + bytes + fpdu_pad(bytes)) % 4, 0);
    }
}

static void test_every_opcode_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (uint8_t a = 0; a < 8; a++) {
        assert_string_not_equal(rdmap_opcode_name(a), "reserved");
        for (uint8_t b = 0; b < a; b++)
            assert_string_not_equal(rdmap_opcode_name(a), rdmap_opcode_name(b));
    }
    for (uint8_t a = 8; a < 16; a++)
        assert_string_equal(rdmap_opcode_name(a), "reserved");
    assert_string_equal(rdmap_opcode_name(RDMAP_READ_REQUEST), "Read Request");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers_of_siw_and_others_both_ways),
        cmocka_unit_test(test_every_bit_of_both_headers),
        cmocka_unit_test(test_the_Read_Request_of_siw_both_ways),
        cmocka_unit_test(test_the_pad_fills_length_and_ULPDU_to_four_bytes),
        cmocka_unit_test(test_every_opcode_has_a_name_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
