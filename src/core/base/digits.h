/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Digits of numbers, for texts so long that reading a format for each number takes longer than all
 * the rest.
 */
#ifndef WEFT_CORE_BASE_DIGITS_H
#define WEFT_CORE_BASE_DIGITS_H

#include <stddef.h>
#include <stdint.h>

/** The most digits of a number, in base 10 and in base 16. */
#define DIGITS_MAX     20
#define DIGITS_HEX_MAX 16

/** Writes a number's digits to the end of a text, without a final 0.
 * @param least  with zeros in front until there are so many; at most DIGITS_MAX
 * @return where they begin */
static inline size_t digits_decimal(uint64_t number, size_t least, char text[DIGITS_MAX])
{
    size_t at = DIGITS_MAX;

    for (; number != 0 || DIGITS_MAX - at < least; number /= 10)
        text[--at] = (char)('0' + number % 10);
    return at;
}

/** The same in base 16.
 * @param least  at most DIGITS_HEX_MAX */
static inline size_t digits_hex(uint64_t number, size_t least, char text[DIGITS_HEX_MAX])
{
    size_t at = DIGITS_HEX_MAX;

    for (; number != 0 || DIGITS_HEX_MAX - at < least; number >>= 4)
        text[--at] = "0123456789abcdef"[number & 0xF];
    return at;
}

#endif
