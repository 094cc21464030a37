/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Blocks of a P_Key table on the wire. */
#include <weft/pkey.h>

void weft_pkey_block_read(const uint8_t wire[WEFT_PKEY_BLOCK_BYTES], weft_pkey ret[WEFT_PKEY_BLOCK])
{
    for (uint32_t i = 0; i < WEFT_PKEY_BLOCK; i++)
        ret[i] = (weft_pkey)(wire[2 * i] << 8 | wire[2 * i + 1]);
}

void weft_pkey_block_write(const weft_pkey keys[WEFT_PKEY_BLOCK],
                           uint8_t ret[WEFT_PKEY_BLOCK_BYTES])
{
    for (uint32_t i = 0; i < WEFT_PKEY_BLOCK; i++) {
        ret[2 * i] = (uint8_t)(keys[i] >> 8);
        ret[2 * i + 1] = (uint8_t)keys[i];
    }
}
