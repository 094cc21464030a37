/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* CRC32C by libisal, which has it for every processor. */
#include "core/iwarp/crc.h"

#include "core/base/check.h"

#include <isa-l/crc.h>
#include <limits.h>

uint32_t crc_add(uint32_t crc, const void *data, size_t bytes)
{
    WEFT_ASSERT(bytes <= INT_MAX);
    /* libisal only reads, but does not say so. */
    return crc32_iscsi((unsigned char *)(uintptr_t)data, (int)bytes, crc);
}
