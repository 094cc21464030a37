/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Digits of numbers, for texts so long that reading a format for each number takes longer than all
 * the rest.
 */
#ifndef WEFT_CORE_BASE_DIGITS_H
#define WEFT_CORE_BASE_DIGITS_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/** Writes the 8 digits of a number in base 16. */
static inline void digits_hex_all(uint32_t number, char text[8])
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t v = number;

    /* Halves move apart until each byte has the value of one digit, the first the highest. */
    v = (v << 16 | v) & UINT64_C(0x0000FFFF0000FFFF);
    v = (v << 8 | v) & UINT64_C(0x00FF00FF00FF00FF);
    v = (v << 4 | v) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    /* From ten on six more go beyond four bits: a letter. */
    v += each * '0' + ((v + each * 6) >> 4 & each) * ('a' - '0' - 10);
    v = htobe64(v);
    memcpy(text, &v, sizeof(v));
}

/** The same in base 16; the bytes before the digits are zeros.
 * @param least  at most DIGITS_HEX_MAX */
static inline size_t digits_hex(uint64_t number, size_t least, char text[DIGITS_HEX_MAX])
{
    size_t have = number == 0 ? 0 : DIGITS_HEX_MAX - (size_t)__builtin_clzll(number) / 4;

    digits_hex_all((uint32_t)(number >> 32), text);
    digits_hex_all((uint32_t)number, text + 8);
    return DIGITS_HEX_MAX - (have > least ? have : least);
}

#endif
