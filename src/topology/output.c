/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text put together without formats. */
#include "topology/output.h"

#include "core/base/digits.h"

void output_flush(struct output *o)
{
    (void)fwrite(o->text, 1, o->length, o->out);
    o->length = 0;
}

void output_bytes_beyond(struct output *o, const char *bytes, size_t length)
{
    output_flush(o);
    if (length > OUTPUT_BYTES) {
        (void)fwrite(bytes, 1, length, o->out);
        return;
    }
    memcpy(o->text, bytes, length);
    o->length = length;
}

void output_number(struct output *o, uint64_t number)
{
    char digits[DIGITS_MAX];
    size_t first = digits_decimal(number, 1, digits);

    output_bytes(o, digits + first, sizeof(digits) - first);
}

void output_hex(struct output *o, uint64_t number, unsigned digits)
{
    char text[DIGITS_HEX_MAX];
    size_t first = digits_hex(number, digits, text);

    output_bytes(o, text + first, sizeof(text) - first);
}
