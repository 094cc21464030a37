/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text put together without formats. */
#include "topology/output.h"

#include <string.h>

/* Of a number of 64 bits in base 10. */
#define DIGITS_MAX 20

void output_flush(struct output *o)
{
    (void)fwrite(o->text, 1, o->length, o->out);
    o->length = 0;
}

static void add(struct output *o, const char *text, size_t length)
{
    if (length > OUTPUT_BYTES - o->length)
        output_flush(o);
    if (length > OUTPUT_BYTES) {
        (void)fwrite(text, 1, length, o->out);
        return;
    }
    memcpy(o->text + o->length, text, length);
    o->length += length;
}

void output_text(struct output *o, const char *text)
{
    add(o, text, strlen(text));
}

void output_number(struct output *o, uint64_t number)
{
    char digits[DIGITS_MAX];
    size_t at = DIGITS_MAX;

    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    add(o, digits + at, DIGITS_MAX - at);
}

void output_hex(struct output *o, uint64_t number, unsigned digits)
{
    char text[16];
    size_t at = sizeof(text);

    while (at > 0 && (number != 0 || sizeof(text) - at < digits)) {
        text[--at] = "0123456789abcdef"[number & 0xF];
        number >>= 4;
    }
    add(o, text + at, sizeof(text) - at);
}
