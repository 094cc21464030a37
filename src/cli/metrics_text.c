/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The two text formats: they differ in what stands in front of samples, and at the end. */
#include "cli/metrics_text.h"

#include "cli/printable.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPACE_FIRST 65536
#define SAMPLE_MAX  4096

enum metrics_format metrics_format_of(const char *accept)
{
    return accept && strcasestr(accept, "application/openmetrics-text") ? METRICS_OPEN
                                                                        : METRICS_PROMETHEUS;
}

const char *metrics_content_type(enum metrics_format f)
{
    return f == METRICS_OPEN ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                             : "text/plain; version=0.0.4; charset=utf-8";
}

static void add(struct metrics_text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A line at most. */
static void add(struct metrics_text *t, const char *format, ...)
{
    va_list args;
    int length;

    if (!t->failed && t->space - t->length < SAMPLE_MAX) {
        size_t space = t->space ? 2 * t->space : SPACE_FIRST;
        char *text = realloc(t->text, space);

        t->failed = !text;
        if (text) {
            t->text = text;
            t->space = space;
        }
    }
    if (t->failed)
        return;
    va_start(args, format);
    length = vsnprintf(t->text + t->length, SAMPLE_MAX, format, args);
    va_end(args);
    t->failed = length < 0 || length >= SAMPLE_MAX;
    if (!t->failed)
        t->length += (size_t)length;
}

static const char *suffix(const struct metrics_family *f)
{
    return f->type == METRICS_COUNTER ? "_total" : "";
}

void metrics_begin(struct metrics_text *t, const struct metrics_family *f)
{
    const char *type = f->type == METRICS_COUNTER ? "counter" : "gauge";
    const char *end = t->format == METRICS_OPEN ? "" : suffix(f);

    t->family = f;
    add(t, "# HELP %s%s %s\n", f->name, end, f->help);
    add(t, "# TYPE %s%s %s\n", f->name, end, type);
    if (t->format == METRICS_OPEN && f->unit[0] != '\0')
        add(t, "# UNIT %s %s\n", f->name, f->unit);
}

static void begin_sample(struct metrics_text *t, const char *labels)
{
    const struct metrics_family *f = t->family;

    if (labels[0] != '\0')
        add(t, "%s%s{%s} ", f->name, suffix(f), labels);
    else
        add(t, "%s%s ", f->name, suffix(f));
}

void metrics_sample(struct metrics_text *t, const char *labels, uint64_t value)
{
    begin_sample(t, labels);
    add(t, "%" PRIu64 "\n", value);
}

void metrics_sample_time(struct metrics_text *t, const char *labels, weft_time value)
{
    begin_sample(t, labels);
    add(t, "%" PRIu64 ".%09" PRIu64 "\n", value / WEFT_S, value % WEFT_S);
}

void metrics_end(struct metrics_text *t)
{
    if (t->format == METRICS_OPEN)
        add(t, "# EOF\n");
}

void metrics_free(struct metrics_text *t)
{
    free(t->text);
    t->text = NULL;
    t->length = t->space = 0;
}

void metrics_label(char *labels, size_t size, const char *name, const char *value)
{
    size_t start = strlen(labels);
    char clean[METRICS_VALUE_BYTES(128)];
    size_t at;
    int length = snprintf(labels + start, size - start, "%s%s=\"", start > 0 ? "," : "", name);

    (void)printable(value, clean, sizeof(clean));
    at = length < 0 ? size : start + (size_t)length;
    for (const char *c = clean; *c != '\0' && at < size; c++) {
        if (*c == '\\' || *c == '"')
            labels[at++] = '\\';
        if (at < size)
            labels[at++] = *c;
    }
    if (at + 2 <= size) {
        labels[at] = '"';
        labels[at + 1] = '\0';
    } else {
        labels[start] = '\0';
    }
}
