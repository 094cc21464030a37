/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Both text formats, and labels of doubtful origin. */
#include "cli/metrics_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct metrics_family bytes = {"x_bytes", "bytes", METRICS_COUNTER, "Some bytes."};
static const struct metrics_family state = {"x_state", "", METRICS_GAUGE, "A state."};

static void write_all(struct metrics_text *t)
{
    metrics_begin(t, &bytes);
    metrics_sample(t, "a=\"1\"", UINT64_MAX);
    metrics_begin(t, &state);
    metrics_sample(t, "", 0);
    metrics_sample_time(t, "", 1234567890123);
    metrics_end(t);
    assert_false(t->failed);
}

static void expect_text(const struct metrics_text *t, const char *wanted)
{
    char got[1024];

    assert_true(t->length < sizeof(got));
    memcpy(got, t->text, t->length);
    got[t->length] = '\0';
    assert_string_equal(got, wanted);
}

static void test_openmetrics_names_families_and_ends(void **unused)
{
    struct metrics_text t = {.format = METRICS_OPEN};

    (void)unused;
    write_all(&t);
    expect_text(&t, "# HELP x_bytes Some bytes.\n# TYPE x_bytes counter\n"
                    "# UNIT x_bytes bytes\nx_bytes_total{a=\"1\"} 18446744073709551615\n"
                    "# HELP x_state A state.\n# TYPE x_state gauge\nx_state 0\n"
                    "x_state 1234.567890123\n# EOF\n");
    metrics_free(&t);
}

static void test_the_older_format_names_samples(void **unused)
{
    struct metrics_text t = {.format = METRICS_PROMETHEUS};

    (void)unused;
    write_all(&t);
    expect_text(&t, "# HELP x_bytes_total Some bytes.\n# TYPE x_bytes_total counter\n"
                    "x_bytes_total{a=\"1\"} 18446744073709551615\n"
                    "# HELP x_state A state.\n# TYPE x_state gauge\nx_state 0\n"
                    "x_state 1234.567890123\n");
    metrics_free(&t);
}

static void test_a_long_text_is_whole(void **unused)
{
    struct metrics_text t = {.format = METRICS_PROMETHEUS};
    char line[64];

    (void)unused;
    metrics_begin(&t, &state);
    for (unsigned i = 0; i < 100000; i++)
        metrics_sample(&t, "", i);
    assert_false(t.failed);
    (void)snprintf(line, sizeof(line), "x_state %u\n", 99999U);
    assert_memory_equal(t.text + t.length - strlen(line), line, strlen(line));
    metrics_free(&t);
    assert_null(t.text);
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

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_openmetrics_names_families_and_ends),
        cmocka_unit_test(test_the_older_format_names_samples),
        cmocka_unit_test(test_a_long_text_is_whole),
        cmocka_unit_test(test_labels_of_doubtful_origin),
        cmocka_unit_test(test_a_label_that_does_not_fit_is_left_out_whole),
        cmocka_unit_test(test_the_format_is_that_which_is_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
