/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What lists of findings have in common, whatever kinds of findings they hold: room for one more,
 * and texts that may quote anything.
 */
#ifndef WEFT_FINDINGS_LIST_H
#define WEFT_FINDINGS_LIST_H

#include <stdarg.h>
#include <stddef.h>

/** Makes room for one more item.
 * @param items  the array, or NULL; stays as it is where there is no memory
 * @param count  items in it
 * @param space  items that fit, changed with the array
 * @param size   bytes of an item
 * @return the array, perhaps elsewhere; NULL without memory */
void *findings_grow(void *items, size_t count, size_t *space, size_t size);

/** Makes a text that may go to a terminal, whatever names it quotes: bytes that are not safe to
 * print are escaped.
 * @return to be freed; NULL without memory */
char *findings_text(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

#endif
