/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rping's messages and pattern, in bytes. */
#include "cli/iwarp_rping.h"

#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FIRST_LETTER 'A'
#define LAST_LETTER  'z'
#define LETTERS      (LAST_LETTER - FIRST_LETTER + 1)

void rping_advert_write(const struct rping_advert *a, uint8_t out[RPING_MESSAGE_BYTES])
{
    uint64_t to = htobe64(a->to);
    uint32_t stag = htobe32(a->stag);
    uint32_t bytes = htobe32(a->bytes);

    memcpy(out, &to, sizeof(to));
    memcpy(out + 8, &stag, sizeof(stag));
    memcpy(out + 12, &bytes, sizeof(bytes));
}

void rping_advert_read(const uint8_t data[RPING_MESSAGE_BYTES], struct rping_advert *ret)
{
    uint64_t to;
    uint32_t stag;
    uint32_t bytes;

    memcpy(&to, data, sizeof(to));
    memcpy(&stag, data + 8, sizeof(stag));
    memcpy(&bytes, data + 12, sizeof(bytes));
    ret->to = be64toh(to);
    ret->stag = be32toh(stag);
    ret->bytes = be32toh(bytes);
}

/* The text in front, and how long it is. */
static size_t heading(uint64_t number, char ret[RPING_SIZE_MIN])
{
    int length = snprintf(ret, RPING_SIZE_MIN, "rdma-ping-%" PRIu64 ": ", number);

    return length < RPING_SIZE_MIN ? (size_t)length : RPING_SIZE_MIN - 1;
}

static uint8_t byte_at(uint64_t number, const char *front, size_t front_bytes, size_t i,
                       size_t bytes)
{
    if (i == bytes - 1)
        return 0;
    if (i < front_bytes)
        return (uint8_t)front[i];
    return (uint8_t)(FIRST_LETTER + (number + i - front_bytes) % LETTERS);
}

void rping_fill(uint64_t number, uint8_t *out, size_t bytes)
{
    char front[RPING_SIZE_MIN];
    size_t front_bytes = heading(number, front);

    for (size_t i = 0; i < bytes; i++)
        out[i] = byte_at(number, front, front_bytes, i, bytes);
}

size_t rping_compare(uint64_t number, const uint8_t *data, size_t bytes)
{
    char front[RPING_SIZE_MIN];
    size_t front_bytes = heading(number, front);

    for (size_t i = 0; i < bytes; i++)
        if (data[i] != byte_at(number, front, front_bytes, i, bytes))
            return i;
    return bytes;
}
