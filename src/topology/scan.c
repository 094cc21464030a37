/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Cuts a stream of bytes into lines. */
#include "topology/scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int fail(const struct topo_scan *s, struct topo_error *error, int err, const char *text)
{
    error->line = s->number;
    snprintf(error->text, sizeof(error->text), "%s", text);
    return err;
}

static void begin_line(struct topo_scan *s)
{
    if (s->number != 0 && !s->complete)
        return;
    s->number++;
    s->length = 0;
    s->complete = false;
}

int topo_scan_line(struct topo_scan *s, const char **bytes, size_t *count, struct topo_error *error)
{
    const char *end;
    size_t length;

    if (*count == 0)
        return 0;
    begin_line(s);
    end = memchr(*bytes, '\n', *count);
    length = end ? (size_t)(end - *bytes) : *count;
    if (memchr(*bytes, '\0', length))
        return fail(s, error, WEFT_ERR_FORMAT,
                    "the line has a 0 byte, so this is no text; try the text that ibnetdiscover "
                    "prints, not compressed and not in UTF-16");
    if (length > TOPO_LINE_BYTES_MAX - s->length)
        return fail(s, error, WEFT_ERR_FULL,
                    "the line is longer than 64 KiB; no line of a topology is, try without it");
    s->bytes += length + (end != NULL);
    if (s->bytes > TOPO_INPUT_BYTES_MAX)
        return fail(s, error, WEFT_ERR_FULL,
                    "the input is larger than 128 MiB, more than a topology of 200,000 nodes "
                    "needs; try the output of one ibnetdiscover run");
    memcpy(s->text + s->length, *bytes, length);
    s->length += length;
    s->text[s->length] = '\0';
    *bytes += length + (end != NULL);
    *count -= length + (end != NULL);
    s->complete = end != NULL;
    return s->complete ? 1 : 0;
}

bool topo_scan_end(struct topo_scan *s)
{
    if (s->number == 0 || s->complete)
        return false;
    s->complete = true;
    return true;
}

/* The length of the escape sequence at `text`: ESC [ parameters final, ESC ] text BEL or ESC \, or
 * ESC and one character (ECMA-48 5.4, 5.6). */
static size_t escape_length(const char *text, size_t length)
{
    size_t i = 2;

    if (length < 2)
        return length;
    if (text[1] == '[') {
        while (i < length && (unsigned char)text[i] >= 0x20 && (unsigned char)text[i] < 0x40)
            i++;
        return i < length ? i + 1 : length;
    }
    if (text[1] != ']')
        return 2;
    while (i < length && text[i] != '\a' && text[i] != '\033')
        i++;
    if (i < length && text[i] == '\033')
        i++;
    return i < length ? i + 1 : length;
}

size_t topo_scan_clean(char *text, size_t length)
{
    size_t from = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    size_t to = 0;

    if (from == 0 && !memchr(text, '\033', length))
        return length;
    while (from < length) {
        if (text[from] == '\033')
            from += escape_length(text + from, length - from);
        else
            text[to++] = text[from++];
    }
    text[to] = '\0';
    return to;
}
