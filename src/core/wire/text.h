/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Text into a buffer of the caller: what does not fit is counted, not written.
 */
#ifndef WEFT_CORE_WIRE_TEXT_H
#define WEFT_CORE_WIRE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A text being written. Start with {.out = out, .cap = cap}. */
struct wire_text {
    char *out;  /**< may be NULL when cap is 0 */
    size_t cap; /**< bytes at out */
    size_t len; /**< the length the whole text has so far */
};

void wire_text_char(struct wire_text *text, char c);
void wire_text_string(struct wire_text *text, const char *string);
void wire_text_decimal(struct wire_text *text, uint64_t value);

/** Exactly `digits` lower-case hexadecimal digits, without a prefix. */
void wire_text_hex(struct wire_text *text, uint64_t value, size_t digits);

/** Bytes of doubtful origin as text that is safe to print: UTF-8 passes, everything else and
 * control characters become escapes: those of a JSON string if `json`, else a backslash, x and two
 * digits. */
void wire_text_escaped(struct wire_text *text, const uint8_t *bytes, size_t count, bool json);

/** Ends the text with a NUL, cutting it where the buffer ends, and returns its whole length. */
size_t wire_text_end(struct wire_text *text);

#endif
