/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A text of metrics that is kept compressed (gzip), a twentieth or less of its size: made once, and
 * read by many, as it is or as text, none of whom needs the whole text in memory.
 */
#ifndef WEFT_CLI_METRICS_PACK_H
#define WEFT_CLI_METRICS_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** A compressed text, which readers share across threads. */
struct metrics_pack;

/** Somebody who reads one from its beginning to its end. */
struct metrics_reader;

/** Begins one, empty.
 * @return NULL: there is no memory */
struct metrics_pack *metrics_pack_new(void);

/** Adds text: a metrics_sink of a pack.
 * @return false: there is no memory */
bool metrics_pack_add(void *pack, const char *text, size_t bytes);

/** Ends the text; from now on it can be read.
 * @return false: there is no memory */
bool metrics_pack_end(struct metrics_pack *p);

/** Drops it; it lives on while somebody reads it. NULL is fine.
 * @return NULL */
struct metrics_pack *metrics_pack_free(struct metrics_pack *p);

/** Bytes that a reader gets.
 * @param packed  of one who wants gzip; else of the text */
uint64_t metrics_pack_bytes(const struct metrics_pack *p, bool packed);

/** Begins to read.
 * @param packed  he wants gzip; else the text
 * @return NULL: there is no memory */
struct metrics_reader *metrics_reader_new(struct metrics_pack *p, bool packed);

/** The next bytes.
 * @return how many, at most `bytes`; 0: that was all; -1: there is no memory */
ssize_t metrics_reader_read(struct metrics_reader *r, char *ret, size_t bytes);

/** Ends it. NULL is fine.
 * @return NULL */
struct metrics_reader *metrics_reader_free(struct metrics_reader *r);

#endif
