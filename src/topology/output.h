/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Text that is put together piece by piece: of a large fabric, reading a format for each port takes
 * longer than all the rest.
 */
#ifndef WEFT_TOPOLOGY_OUTPUT_H
#define WEFT_TOPOLOGY_OUTPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/** Bytes that are kept before they are written. */
#define OUTPUT_BYTES 4096

/** Text on its way to a file. Start with output_start(), end with output_flush(). */
struct output {
    FILE *out;
    size_t length;
    char text[OUTPUT_BYTES];
};

static inline void output_start(struct output *o, FILE *out)
{
    o->out = out;
    o->length = 0;
}

/** Writes what is kept. Whether all could be written ferror() tells. */
void output_flush(struct output *o);

/** Adds bytes for which there may be no room. */
void output_bytes_beyond(struct output *o, const char *bytes, size_t length);

/** Adds bytes. */
static inline void output_bytes(struct output *o, const char *bytes, size_t length)
{
    if (length > OUTPUT_BYTES - o->length) {
        output_bytes_beyond(o, bytes, length);
        return;
    }
    memcpy(o->text + o->length, bytes, length);
    o->length += length;
}

/** Adds text of any length. The length of one that is written here is known to the compiler. */
static inline void output_text(struct output *o, const char *text)
{
    output_bytes(o, text, strlen(text));
}

/** Adds a number. */
void output_number(struct output *o, uint64_t number);
/** Adds a number in base 16, with at least so many digits, at most 16. */
void output_hex(struct output *o, uint64_t number, unsigned digits);

#endif
