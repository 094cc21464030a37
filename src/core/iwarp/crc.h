/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * CRC32C, as MPA uses it (RFC 5044 4.4): the one place that knows libisal.
 */
#ifndef WEFT_CORE_IWARP_CRC_H
#define WEFT_CORE_IWARP_CRC_H

#include <stddef.h>
#include <stdint.h>

#define CRC_BEGIN UINT32_MAX

/** Goes on with a CRC; begin with CRC_BEGIN. */
uint32_t crc_add(uint32_t crc, const void *data, size_t bytes);

/** The value of the CRC, as a number; on the wire its least significant byte comes first. */
static inline uint32_t crc_end(uint32_t crc)
{
    return ~crc;
}

#endif
