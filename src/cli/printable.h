/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Text of doubtful origin on its way to a terminal, which obeys control characters.
 */
#ifndef WEFT_CLI_PRINTABLE_H
#define WEFT_CLI_PRINTABLE_H

#include <stddef.h>

/** Space for the longest path with every byte escaped. */
#define PRINTABLE_PATH_BYTES 16384

/** Makes a text safe to print: control characters and what is no UTF-8 become a backslash, x and
 * two digits, and a backslash becomes two.
 * @param ret   the text, cut where it does not fit
 * @param size  bytes at ret, at least 1
 * @return ret */
const char *printable(const char *text, char *ret, size_t size);

#endif
