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

/** Bytes that are kept before they are written. */
#define OUTPUT_BYTES 512

/** Text on its way to a file. Start with `out`, end with output_flush(). */
struct output {
    FILE *out;
    size_t length;
    char text[OUTPUT_BYTES];
};

/** Adds text of any length. */
void output_text(struct output *o, const char *text);
/** Adds a number. */
void output_number(struct output *o, uint64_t number);
/** Adds a number in base 16, with at least so many digits, at most 16. */
void output_hex(struct output *o, uint64_t number, unsigned digits);

/** Writes what is kept. Whether all could be written ferror() tells. */
void output_flush(struct output *o);

#endif
