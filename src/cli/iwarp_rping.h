/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What rping(1) says on a connection: its messages and its test pattern.
 */
#ifndef WEFT_CLI_IWARP_RPING_H
#define WEFT_CLI_IWARP_RPING_H

#include <stddef.h>
#include <stdint.h>

/** Every Send, in both directions. */
#define RPING_MESSAGE_BYTES 16
#define RPING_SIZE_MIN      26
#define RPING_SIZE_MAX      65535

/** Memory that the sender offers. */
struct rping_advert {
    uint64_t to;
    uint32_t stag;
    uint32_t bytes;
};

void rping_advert_write(const struct rping_advert *a, uint8_t out[RPING_MESSAGE_BYTES]);
void rping_advert_read(const uint8_t data[RPING_MESSAGE_BYTES], struct rping_advert *ret);

/** Fills the data of the ping of that number, from 0. */
void rping_fill(uint64_t number, uint8_t *out, size_t bytes);

/** The first byte that differs from the data of that ping; `bytes` when none does. */
size_t rping_compare(uint64_t number, const uint8_t *data, size_t bytes);

#endif
