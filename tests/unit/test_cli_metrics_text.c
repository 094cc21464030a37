/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Both text formats, and labels of doubtful origin. */
#include "cli/metrics_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct metrics_family data = {"x_bytes", "bytes", METRICS_COUNTER, "Some bytes."};
static const struct metrics_family state = {"x_state", "", METRICS_GAUGE, "A state."};

/* What has arrived. */
struct heap {
    char *text;
    size_t length;
    size_t pieces, pieces_max; /* no more than so many are taken */
};

static bool take(void *to, const char *text, size_t bytes)
{
    struct heap *h = to;

    assert_in_range(bytes, 1, METRICS_PIECE_BYTES);
    if (h->pieces == h->pieces_max)
        return false;
    h->pieces++;
    h->text = realloc(h->text, h->length + bytes + 1);
    assert_non_null(h->text);
    memcpy(h->text + h->length, text, bytes);
    h->length += bytes;
    h->text[h->length] = '\0';
    return true;
}

static void expect_text(enum metrics_format format, const char *wanted)
{
    struct heap h = {.pieces_max = 1};
    struct metrics_text t = {.format = format, .sink = take, .to = &h};

    metrics_begin(&t, &data);
    metrics_sample(&t, "a=\"1\"", UINT64_MAX);
    metrics_begin(&t, &state);
    metrics_sample(&t, "", 0);
    metrics_sample_time(&t, "", 1234567890123);
    metrics_sample_time(&t, "", 7);
    assert_int_equal(h.pieces, 0);
    metrics_end(&t);
    assert_false(t.failed);
    assert_string_equal(h.text, wanted);
    free(h.text);
}

static void test_openmetrics_names_families_and_ends(void **unused)
{
    (void)unused;
    expect_text(METRICS_OPEN, "# HELP x_bytes Some bytes.\n# TYPE x_bytes counter\n"
                              "# UNIT x_bytes bytes\nx_bytes_total{a=\"1\"} 18446744073709551615\n"
                              "# HELP x_state A state.\n# TYPE x_state gauge\nx_state 0\n"
                              "x_state 1234.567890123\nx_state 0.000000007\n# EOF\n");
}

static void test_the_older_format_names_samples(void **unused)
{
    (void)unused;
    expect_text(METRICS_PROMETHEUS,
                "# HELP x_bytes_total Some bytes.\n# TYPE x_bytes_total counter\n"
                "x_bytes_total{a=\"1\"} 18446744073709551615\n"
                "# HELP x_state A state.\n# TYPE x_state gauge\nx_state 0\n"
                "x_state 1234.567890123\nx_state 0.000000007\n");
}

static void test_a_long_text_goes_in_pieces_and_is_whole(void **unused)
{
    struct heap h = {.pieces_max = SIZE_MAX};
    struct metrics_text t = {.sink = take, .to = &h};
    char line[64];
    char *at;

    (void)unused;
    metrics_begin(&t, &state);
    for (unsigned i = 0; i < 100000; i++)
        metrics_sample(&t, "", i);
    metrics_end(&t);
    assert_false(t.failed);
    assert_int_equal(h.pieces, h.length / METRICS_PIECE_BYTES + 1);
    at = strstr(h.text, "x_state 0\n");
    for (unsigned i = 0; i < 100000; i++) {
        int length = snprintf(line, sizeof(line), "x_state %u\n", i);

        assert_non_null(at);
        assert_memory_equal(at, line, (size_t)length);
        at += length;
    }
    assert_ptr_equal(at, h.text + h.length);
    free(h.text);
}

static void test_a_sink_that_is_full_gets_no_more(void **unused)
{
    struct heap h = {.pieces_max = 1};
    struct metrics_text t = {.sink = take, .to = &h};

    (void)unused;
    metrics_begin(&t, &state);
    for (unsigned i = 0; i < 10000; i++)
        metrics_sample(&t, "", i);
    assert_true(t.failed);
    /* It would take more now, but not what follows a gap. */
    h.pieces_max = SIZE_MAX;
    metrics_sample(&t, "", 1);
    metrics_end(&t);
    assert_true(t.failed);
    assert_int_equal(h.pieces, 1);
    free(h.text);
}

static void test_labels_of_doubtful_origin(void **unused)
{
    static const struct {
        const char *value, *label;
    } rows[] = {
        {"host-1 HCA-1", "n=\"host-1 HCA-1\""},
        {"", "n=\"\""},
        {"a\"b", "n=\"a\\\"b\""},
        {"a\\b", "n=\"a\\\\\\\\b\""},
        {"a\nb", "n=\"a\\\\x0ab\""},
        {"\x1b[31m", "n=\"\\\\x1b[31m\""},
        {"\xff\xc3(", "n=\"\\\\xff\\\\xc3(\""},
        {"gr\xc3\xbc\xc3\x9f", "n=\"gr\xc3\xbc\xc3\x9f\""},
        {"\"} 1\nx_state 7\n{n=\"", "n=\"\\\"} 1\\\\x0ax_state 7\\\\x0a{n=\\\"\""},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char labels[256] = "";

        metrics_label(labels, sizeof(labels), "n", rows[i].value);
        assert_string_equal(labels, rows[i].label);
    }
}

static void test_a_label_that_does_not_fit_is_left_out_whole(void **unused)
{
    static const char whole[] = "a=\"1\",b=\"\\\"\\\"\"";

    (void)unused;
    for (size_t size = sizeof("a=\"1\""); size <= sizeof(whole); size++) {
        char labels[64] = "a=\"1\"";

        memset(labels + size, '?', sizeof(labels) - size);
        metrics_label(labels, size, "b", "\"\"");
        assert_string_equal(labels, size == sizeof(whole) ? whole : "a=\"1\"");
        assert_int_equal(labels[size], '?');
    }
}

static void test_the_format_is_that_which_is_asked_for(void **unused)
{
    (void)unused;
    assert_int_equal(metrics_format_of(NULL), METRICS_PROMETHEUS);
    assert_int_equal(metrics_format_of(""), METRICS_PROMETHEUS);
    assert_int_equal(metrics_format_of("text/plain;version=0.0.4"), METRICS_PROMETHEUS);
    assert_int_equal(metrics_format_of("application/openmetrics-text; version=1.0.0,*/*;q=0.1"),
                     METRICS_OPEN);
    assert_int_equal(metrics_format_of("Application/OpenMetrics-Text"), METRICS_OPEN);
    assert_non_null(strstr(metrics_content_type(METRICS_OPEN), "openmetrics-text"));
    assert_non_null(strstr(metrics_content_type(METRICS_PROMETHEUS), "version=0.0.4"));
}

static void test_gzip_is_for_who_names_it(void **unused)
{
    static const struct {
        const char *accept;
        bool gzip;
    } rows[] = {
        {NULL, false},          {"", false},
        {"gzip", true},         {"GZip", true},
        {"x-gzip", true},       {"*", true},
        {"identity", false},    {"deflate, gzip;q=1.0, *;q=0.5", true},
        {"gzip;q=0", false},    {"gzip; q=0.000", false},
        {"gzip;q=0.001", true}, {"br ,\tgzip\t;q=0.5", true},
        {"*, gzip;q=0", false}, {"gzip;q=0, *", false},
        {"br, *;q=0", false},   {"gzipped, xgzip, zip", false},
        {",,, ,gzip", true},    {" , ", false},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(metrics_gzip_of(rows[i].accept), rows[i].gzip);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_openmetrics_names_families_and_ends),
        cmocka_unit_test(test_the_older_format_names_samples),
        cmocka_unit_test(test_a_long_text_goes_in_pieces_and_is_whole),
        cmocka_unit_test(test_a_sink_that_is_full_gets_no_more),
        cmocka_unit_test(test_labels_of_doubtful_origin),
        cmocka_unit_test(test_a_label_that_does_not_fit_is_left_out_whole),
        cmocka_unit_test(test_the_format_is_that_which_is_asked_for),
        cmocka_unit_test(test_gzip_is_for_who_names_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
