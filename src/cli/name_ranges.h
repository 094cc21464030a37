/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Many names as few words: numbered ones as ranges, such as host-[00001-00018,00020].
 */
#ifndef WEFT_CLI_NAME_RANGES_H
#define WEFT_CLI_NAME_RANGES_H

#include <stddef.h>

/** Writes names with commas between them. Names that differ only in their last number, written with
 * equally many digits, are put together; those that begin with 0x are not.
 * @param names      different ones; their order is changed
 * @param items_max  single names and ranges at most; 0: any number
 * @param ret_left   how many names that leaves out
 * @return the text, to be freed; NULL when there is no memory */
char *name_ranges(const char **names, size_t count, size_t items_max, size_t *ret_left);

#endif
