/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Capture files: whole, cut anywhere, empty, something else, of a link that is not known. */
#include "capture/capture.h"
#include "iwarp_frames.h"

#define FILE_MAX 4096

struct seen {
    uint32_t connections, records, problems;
};

static void take_connection(void *ctx, const struct capture_connection *c)
{
    struct seen *seen = ctx;

    assert_true(c->number > 0);
    seen->connections++;
}

static void take_record(void *ctx, const struct capture_connection *c,
                        const struct weft_iwarp_record *r)
{
    struct seen *seen = ctx;

    assert_true(c->number > 0);
    seen->records++;
    seen->problems += r->problem_count;
}

/* The example of the manual: one ping of rping. */
static uint32_t load_example(uint8_t out[FILE_MAX])
{
    const char *source = getenv("WEFT_SOURCE");
    char path[1024];
    uint32_t bytes;
    FILE *in;

    assert_non_null(source);
    (void)snprintf(path, sizeof(path), "%s/examples/rping.pcap", source);
    in = fopen(path, "rb");
    assert_non_null(in);
    bytes = (uint32_t)fread(out, 1, FILE_MAX, in);
    assert_true(bytes > 24 && bytes < FILE_MAX);
    fclose(in);
    return bytes;
}

static enum capture_file_end read_bytes(void *bytes, uint32_t count, struct seen *seen,
                                        struct capture_stats *ret, char error[CAPTURE_ERROR_BYTES])
{
    struct capture_sink sink = {seen, take_connection, take_record};
    struct capture *c = capture_new(0, &sink);
    FILE *in = count ? fmemopen(bytes, count, "rb") : fopen("/dev/null", "rb");
    enum capture_file_end end;

    assert_non_null(c);
    assert_non_null(in);
    *seen = (struct seen){0};
    end = capture_file(c, in, error);
    *ret = *capture_stats(c);
    capture_free(c);
    return end;
}

static void test_the_example(void **state)
{
    uint8_t bytes[FILE_MAX];
    char error[CAPTURE_ERROR_BYTES];
    struct capture_stats stats;
    struct seen seen = {0};

    (void)state;
    assert_int_equal(read_bytes(bytes, load_example(bytes), &seen, &stats, error),
                     CAPTURE_FILE_READ);
    assert_int_equal(seen.connections, 1);
    assert_int_equal(seen.records, 10);
    assert_int_equal(seen.problems, 0);
    assert_int_equal(stats.packets, 15);
    /* Its times have nanoseconds. */
    assert_int_equal(stats.first_time, 1000 * WEFT_S);
}

static void test_a_file_cut_anywhere(void **state)
{
    uint8_t bytes[FILE_MAX];
    char error[CAPTURE_ERROR_BYTES];
    uint32_t count = load_example(bytes), whole = 0;
    struct capture_stats stats;
    struct seen seen = {0};

    (void)state;
    for (uint32_t cut = 0; cut < count; cut++) {
        enum capture_file_end end = read_bytes(bytes, cut, &seen, &stats, error);

        if (cut < 24) {
            assert_int_equal(end, CAPTURE_FILE_UNREADABLE);
            assert_non_null(strstr(error, cut ? "no capture file" : "empty"));
            continue;
        }
        assert_int_equal(seen.problems, 0);
        if (end == CAPTURE_FILE_READ)
            whole++;
        else
            assert_int_equal(end, CAPTURE_FILE_CUT);
    }
    assert_int_equal(whole, 15); /* before each packet */
}

static void test_what_is_no_capture_file(void **state)
{
    char text[] = "this is a letter, and it is longer than the header of a file of packets is";
    char error[CAPTURE_ERROR_BYTES];
    struct capture_stats stats;
    struct seen seen = {0};

    (void)state;
    assert_int_equal(read_bytes(text, sizeof(text), &seen, &stats, error), CAPTURE_FILE_UNREADABLE);
    assert_non_null(strstr(error, "this is no capture file"));
}

static void test_a_link_type_that_is_not_known(void **state)
{
    uint8_t bytes[FILE_MAX];
    char error[CAPTURE_ERROR_BYTES];
    uint32_t count = load_example(bytes);
    struct capture_stats stats;
    struct seen seen = {0};

    (void)state;
    bytes[20] = 105; /* IEEE 802.11 */
    assert_int_equal(read_bytes(bytes, count, &seen, &stats, error), CAPTURE_FILE_UNREADABLE);
    assert_non_null(strstr(error, "link type 105 (IEEE802_11)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_example),
        cmocka_unit_test(test_a_file_cut_anywhere),
        cmocka_unit_test(test_what_is_no_capture_file),
        cmocka_unit_test(test_a_link_type_that_is_not_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
