/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The two text formats: they differ in what stands in front of samples, and at the end. */
#include "cli/metrics_text.h"

#include "cli/printable.h"
#include "core/base/digits.h"

#include <stdio.h>
#include <string.h>

enum metrics_format metrics_format_of(const char *accept)
{
    return accept && strcasestr(accept, "application/openmetrics-text") ? METRICS_OPEN
                                                                        : METRICS_PROMETHEUS;
}

/* Whether an element of the list has q=0. */
static bool is_refused(const char *element, size_t length)
{
    const char *q = memmem(element, length, "q=", 2);

    return q && strspn(q + 2, "0.") == strcspn(q + 2, ";, \t");
}

bool metrics_gzip_of(const char *accept)
{
    bool others = false;

    for (const char *c = accept ? accept : ""; *c != '\0';) {
        size_t length, name;

        c += strspn(c, ", \t");
        length = strcspn(c, ",");
        name = strcspn(c, ";, \t");
        if ((name == 4 && strncasecmp(c, "gzip", name) == 0) ||
            (name == 6 && strncasecmp(c, "x-gzip", name) == 0))
            return !is_refused(c, length);
        if (name == 1 && *c == '*')
            others = !is_refused(c, length);
        c += length;
    }
    return others;
}

const char *metrics_content_type(enum metrics_format f)
{
    return f == METRICS_OPEN ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                             : "text/plain; version=0.0.4; charset=utf-8";
}

static void give(struct metrics_text *t)
{
    t->failed = t->failed || (t->length > 0 && !t->sink(t->to, t->piece, t->length));
    t->length = 0;
}

static void add(struct metrics_text *t, const char *text, size_t bytes)
{
    while (bytes > 0 && !t->failed) {
        size_t space = sizeof(t->piece) - t->length;
        size_t part = bytes < space ? bytes : space;

        memcpy(t->piece + t->length, text, part);
        t->length += part;
        text += part;
        bytes -= part;
        if (t->length == sizeof(t->piece))
            give(t);
    }
}

static void add_text(struct metrics_text *t, const char *text)
{
    add(t, text, strlen(text));
}

/* Of a text of two million lines most is numbers. */
static void add_number(struct metrics_text *t, uint64_t value, size_t digits_min)
{
    char digits[DIGITS_MAX];
    size_t first = digits_decimal(value, digits_min, digits);

    add(t, digits + first, sizeof(digits) - first);
}

static const char *suffix(const struct metrics_family *f)
{
    return f->type == METRICS_COUNTER ? "_total" : "";
}

/* A line about the metric: what it is, its name, the text. */
static void add_about(struct metrics_text *t, const char *what, const char *text)
{
    add_text(t, what);
    add_text(t, t->family->name);
    if (t->format == METRICS_PROMETHEUS)
        add_text(t, suffix(t->family));
    add_text(t, " ");
    add_text(t, text);
    add_text(t, "\n");
}

void metrics_begin(struct metrics_text *t, const struct metrics_family *f)
{
    t->family = f;
    add_about(t, "# HELP ", f->help);
    add_about(t, "# TYPE ", f->type == METRICS_COUNTER ? "counter" : "gauge");
    if (t->format == METRICS_OPEN && f->unit[0] != '\0')
        add_about(t, "# UNIT ", f->unit);
}

static void begin_sample(struct metrics_text *t, const char *labels)
{
    add_text(t, t->family->name);
    add_text(t, suffix(t->family));
    if (labels[0] != '\0') {
        add_text(t, "{");
        add_text(t, labels);
        add_text(t, "}");
    }
    add_text(t, " ");
}

void metrics_sample(struct metrics_text *t, const char *labels, uint64_t value)
{
    begin_sample(t, labels);
    add_number(t, value, 1);
    add_text(t, "\n");
}

void metrics_sample_time(struct metrics_text *t, const char *labels, weft_time value)
{
    begin_sample(t, labels);
    add_number(t, value / WEFT_S, 1);
    add_text(t, ".");
    add_number(t, value % WEFT_S, 9);
    add_text(t, "\n");
}

void metrics_end(struct metrics_text *t)
{
    if (t->format == METRICS_OPEN)
        add_text(t, "# EOF\n");
    give(t);
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
