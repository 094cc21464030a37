/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text into a buffer of the caller, without the C library's formatted output. */
#include "core/wire/text.h"

void wire_text_char(struct wire_text *text, char c)
{
    if (text->len < text->cap)
        text->out[text->len] = c;
    text->len++;
}

void wire_text_string(struct wire_text *text, const char *string)
{
    for (; *string != '\0'; string++)
        wire_text_char(text, *string);
}

void wire_text_decimal(struct wire_text *text, uint64_t value)
{
    char digits[20];
    size_t count = 0;

    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    while (count > 0)
        wire_text_char(text, digits[--count]);
}

void wire_text_hex(struct wire_text *text, uint64_t value, size_t digits)
{
    while (digits-- > 0)
        wire_text_char(text, "0123456789abcdef"[value >> (digits * 4) & 0xF]);
}

/* Length of the UTF-8 sequence of two to four bytes at p, or 0 if there is none: shortest forms
 * only, no surrogates, nothing above U+10FFFF (RFC 3629 section 4). */
static size_t utf8_sequence_bytes(const uint8_t *p, size_t count)
{
    uint8_t low = 0x80;
    uint8_t high = 0xBF;
    size_t bytes;

    if (p[0] >= 0xC2 && p[0] <= 0xDF)
        bytes = 2;
    else if (p[0] >= 0xE0 && p[0] <= 0xEF)
        bytes = 3;
    else if (p[0] >= 0xF0 && p[0] <= 0xF4)
        bytes = 4;
    else
        return 0;
    if (bytes > count)
        return 0;
    if (p[0] == 0xE0)
        low = 0xA0;
    else if (p[0] == 0xF0)
        low = 0x90;
    else if (p[0] == 0xED)
        high = 0x9F;
    else if (p[0] == 0xF4)
        high = 0x8F;
    if (p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < bytes; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    }
    return bytes;
}

void wire_text_escaped(struct wire_text *text, const uint8_t *bytes, size_t count, bool json)
{
    for (size_t i = 0; i < count; i++) {
        size_t sequence = utf8_sequence_bytes(bytes + i, count - i);

        /* U+0080 to U+009F are control characters too: terminals obey them. */
        if (sequence > 0 && !(bytes[i] == 0xC2 && bytes[i + 1] < 0xA0)) {
            for (size_t end = i + sequence; i < end; i++)
                wire_text_char(text, (char)bytes[i]);
            i--;
        } else if (bytes[i] == '\\' || (json && bytes[i] == '"')) {
            wire_text_char(text, '\\');
            wire_text_char(text, (char)bytes[i]);
        } else if (bytes[i] >= 0x20 && bytes[i] < 0x7F) {
            wire_text_char(text, (char)bytes[i]);
        } else {
            wire_text_string(text, json ? "\\u00" : "\\x");
            wire_text_hex(text, bytes[i], 2);
        }
    }
}

size_t wire_text_end(struct wire_text *text)
{
    if (text->cap > 0)
        text->out[text->len < text->cap ? text->len : text->cap - 1] = '\0';
    return text->len;
}
