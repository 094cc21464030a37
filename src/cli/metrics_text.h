/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Text that monitoring systems scrape: OpenMetrics 1.0, or the text format 0.0.4 of Prometheus. It
 * is written piece by piece to where it goes, so that it is nowhere as a whole.
 */
#ifndef WEFT_CLI_METRICS_TEXT_H
#define WEFT_CLI_METRICS_TEXT_H

#include <weft/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes that are given away at a time. */
#define METRICS_PIECE_BYTES 16384

/** Which of the two. */
enum metrics_format {
    METRICS_PROMETHEUS,
    METRICS_OPEN,
    METRICS_FORMATS
};

/** What a metric is. */
enum metrics_type {
    METRICS_COUNTER,
    METRICS_GAUGE
};

/** A metric: samples of one follow each other. */
struct metrics_family {
    const char *name; /**< without `_total`; ends in the unit if there is one */
    const char *unit; /**< "" if there is none */
    enum metrics_type type;
    const char *help; /**< a sentence without quotes and backslashes */
};

/** Takes a piece of text.
 * @return false: it cannot, and gets no more */
typedef bool metrics_sink(void *to, const char *text, size_t bytes);

/** A text that is being written. Start from zeroes, but for the first three. */
struct metrics_text {
    enum metrics_format format;
    metrics_sink *sink;
    void *to;
    bool failed; /**< the sink could not take it: the text is not whole */
    /* private to metrics_text.c */
    const struct metrics_family *family;
    size_t length;
    char piece[METRICS_PIECE_BYTES];
};

/** Which format somebody wants who sends this header field.
 * @param accept  NULL: he sends none */
enum metrics_format metrics_format_of(const char *accept);

/** Whether somebody takes gzip who sends this Accept-Encoding.
 * @param accept  NULL: he sends none */
bool metrics_gzip_of(const char *accept);

/** The value of Content-Type. */
const char *metrics_content_type(enum metrics_format f);

/** Begins a metric.
 * @param f  outlives its samples */
void metrics_begin(struct metrics_text *t, const struct metrics_family *f);

/** Adds a sample.
 * @param labels  as metrics_label() has made them; "" for none */
void metrics_sample(struct metrics_text *t, const char *labels, uint64_t value);

/** The same of a duration, in seconds. */
void metrics_sample_time(struct metrics_text *t, const char *labels, weft_time value);

/** Ends the text and gives away what is left of it. */
void metrics_end(struct metrics_text *t);

/** Space for the longest label value with each byte escaped twice. */
#define METRICS_VALUE_BYTES(length) (8 * (length) + 1)

/** Adds a label to others. What does not fit is left out whole.
 * @param value   anything: what is no UTF-8 and control characters become \xNN
 * @param labels  NUL-terminated
 * @param size    bytes there */
void metrics_label(char *labels, size_t size, const char *name, const char *value);

#endif
