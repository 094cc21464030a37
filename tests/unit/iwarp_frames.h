/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Frames as Linux siw and a peer of it exchanged them, byte for byte, and reading hexadecimal.
 */
#ifndef WEFT_TESTS_IWARP_FRAMES_H
#define WEFT_TESTS_IWARP_FRAMES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

#define HEX_MAX 256

#define KEY_REQUEST "4d504120494420526571204672616d65"
#define KEY_REPLY   "4d504120494420526570204672616d65"

/* Stock siw's request: revision 2, enhanced, one read each way. */
#define SIW_REQUEST     KEY_REQUEST "10 02 0004 0001 0001"
#define CRC_REPLY       KEY_REPLY "50 02 0004 0001 0001"
/* siw made to want CRC and the peer-to-peer model: offers Write and Read. */
#define SIW_RTR_REQUEST KEY_REQUEST "50 02 0004 8001 c001"
#define SIW_V1_REQUEST  KEY_REQUEST "00 01 0000"
#define SIW_NO_MARKERS  KEY_REPLY "30 02 0004 0000 0000"

/* FPDUs with their CRC. */
#define FPDU_RTR_WRITE         "000e c140 00000001 0000000000000000 ebd34c5f"
#define FPDU_RTR_READ_RESPONSE "000e c142 00000001 0000000000000000 21a3e83e"
#define FPDU_SEND                                                                                  \
    "0022 4143 00000000 00000000 00000001 00000000 0000007000000000 11223300 00000040 266cd70b"
#define FPDU_READ_REQUEST                                                                          \
    "002e 4141 00000000 00000001 00000001 00000000 4bc39600 00007f75bc000e00 00000040 11223300"    \
    "0000007000000000 4f9f0023"
#define FPDU_SEND_ZEROS                                                                            \
    "0022 4143 00000000 00000000 00000001 00000000 00000000000000000000000000000000 84609a12"
#define FPDU_TERMINATE_CRC "0016 4147 00000000 00000002 00000001 00000000 02020000 75d367ed"

/** A digit's value; 16 if it is none. */
static inline uint32_t hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0');
    return c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10 : 16;
}

/** Reads hexadecimal with blanks; returns the bytes. */
static inline uint32_t from_hex(const char *text, uint8_t out[HEX_MAX])
{
    uint32_t digits = 0;

    for (; *text; text++) {
        uint32_t d = hex_digit(*text);

        if (*text == ' ')
            continue;
        assert_true(d < 16 && digits < 2 * HEX_MAX);
        out[digits / 2] = (uint8_t)(digits % 2 ? out[digits / 2] | d : d << 4);
        digits++;
    }
    assert_int_equal(digits % 2, 0);
    return digits / 2;
}

/** A copy of exactly these bytes on the heap, so that a sanitizer sees a read beyond them. */
static inline uint8_t *exact_copy(const void *bytes, size_t count)
{
    uint8_t *p = malloc(count ? count : 1);

    assert_non_null(p);
    if (count)
        memcpy(p, bytes, count);
    return p;
}

#endif
