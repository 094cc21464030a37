/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Texts that are kept compressed: whoever reads gets all, whatever happens to the pack meanwhile.
 */
#include "cli/metrics_pack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#define LINES      40000
#define LINE_BYTES 64

/* A text like metrics, of which a compressor needs more than one of its windows. */
static char *make_text(size_t *ret_bytes)
{
    char *text = malloc(LINES * (size_t)LINE_BYTES);
    size_t length = 0;

    assert_non_null(text);
    for (unsigned i = 0; i < LINES; i++)
        length +=
            (size_t)snprintf(text + length, LINE_BYTES, "weft_x{guid=\"0x%016x\",port=\"%u\"} %u\n",
                             i * 2654435761U, i % 40, i * i);
    *ret_bytes = length;
    return text;
}

static struct metrics_pack *pack(const char *text, size_t bytes, size_t piece)
{
    struct metrics_pack *p = metrics_pack_new();

    assert_non_null(p);
    for (size_t at = 0; at < bytes; at += piece)
        assert_true(metrics_pack_add(p, text + at, piece < bytes - at ? piece : bytes - at));
    assert_true(metrics_pack_end(p));
    return p;
}

/* Reads to the end in pieces of a size. */
static char *read_all(struct metrics_reader *r, size_t piece, size_t bytes)
{
    char *text = malloc(bytes + piece);
    size_t length = 0;
    ssize_t got;

    assert_non_null(text);
    while ((got = metrics_reader_read(r, text + length, piece)) > 0) {
        length += (size_t)got;
        assert_in_range(length, 1, bytes);
    }
    assert_int_equal(got, 0);
    assert_int_equal(length, bytes);
    return text;
}

static void test_the_text_comes_back_in_pieces_of_any_size(void **unused)
{
    static const size_t pieces[] = {1, 17, 16384, 1 << 22};
    size_t bytes;
    char *text = make_text(&bytes);

    (void)unused;
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        struct metrics_pack *p = pack(text, bytes, pieces[i]);
        struct metrics_reader *r = metrics_reader_new(p, false);
        char *got;

        assert_int_equal(metrics_pack_bytes(p, false), bytes);
        assert_in_range(metrics_pack_bytes(p, true), 1, bytes / 2);
        got = read_all(r, pieces[i], bytes);
        assert_memory_equal(got, text, bytes);
        free(got);
        assert_null(metrics_reader_free(r));
        assert_null(metrics_pack_free(p));
    }
    free(text);
}

static void test_what_is_packed_is_gzip(void **unused)
{
    size_t bytes;
    char *text = make_text(&bytes);
    struct metrics_pack *p = pack(text, bytes, 16384);
    size_t packed = metrics_pack_bytes(p, true);
    struct metrics_reader *r = metrics_reader_new(p, true);
    char *got = read_all(r, 1000, packed);
    char *back = malloc(bytes);
    z_stream z = {.next_in = (Bytef *)got,
                  .avail_in = (uInt)packed,
                  .next_out = (Bytef *)back,
                  .avail_out = (uInt)bytes};

    (void)unused;
    assert_non_null(back);
    assert_memory_equal(got, "\x1f\x8b", 2);
    assert_int_equal(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.avail_in, 0);
    assert_int_equal(z.avail_out, 0);
    assert_memory_equal(back, text, bytes);
    (void)inflateEnd(&z);
    (void)metrics_reader_free(r);
    (void)metrics_pack_free(p);
    free(back);
    free(got);
    free(text);
}

static void test_readers_are_apart_and_outlive_the_pack(void **unused)
{
    size_t bytes;
    char *text = make_text(&bytes);
    struct metrics_pack *p = pack(text, bytes, 4096);
    size_t packed = metrics_pack_bytes(p, true);
    struct metrics_reader *one = metrics_reader_new(p, false);
    struct metrics_reader *two = metrics_reader_new(p, false);
    struct metrics_reader *zip = metrics_reader_new(p, true);
    char begun[100];
    char *got;

    (void)unused;
    assert_int_equal(metrics_reader_read(one, begun, sizeof(begun)), sizeof(begun));
    assert_memory_equal(begun, text, sizeof(begun));
    assert_null(metrics_pack_free(p));
    got = read_all(two, 5000, bytes);
    assert_memory_equal(got, text, bytes);
    free(got);
    (void)metrics_reader_free(two);
    got = read_all(one, 5000, bytes - sizeof(begun));
    assert_memory_equal(got, text + sizeof(begun), bytes - sizeof(begun));
    free(got);
    (void)metrics_reader_free(one);
    free(read_all(zip, 5000, packed));
    (void)metrics_reader_free(zip);
    free(text);
}

static void test_an_empty_text_and_one_that_was_given_up(void **unused)
{
    struct metrics_pack *p = pack("", 0, 1);
    struct metrics_reader *r = metrics_reader_new(p, false);

    (void)unused;
    assert_int_equal(metrics_pack_bytes(p, false), 0);
    free(read_all(r, 10, 0));
    (void)metrics_reader_free(r);
    (void)metrics_pack_free(p);
    p = metrics_pack_new();
    assert_non_null(p);
    assert_true(metrics_pack_add(p, "x", 1));
    assert_null(metrics_pack_free(p));
    assert_null(metrics_pack_free(NULL));
    assert_null(metrics_reader_free(NULL));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_text_comes_back_in_pieces_of_any_size),
        cmocka_unit_test(test_what_is_packed_is_gzip),
        cmocka_unit_test(test_readers_are_apart_and_outlive_the_pack),
        cmocka_unit_test(test_an_empty_text_and_one_that_was_given_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
