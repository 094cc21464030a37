/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Text and numbers inside an HTML page.
 */
#ifndef WEFT_CLI_HTML_H
#define WEFT_CLI_HTML_H

#include <stdint.h>
#include <stdio.h>

/** Space for a number with its commas. */
#define HTML_NUMBER_BYTES 32

/** Writes text that may contain anything: markup in it shows as it is. */
void html_text(FILE *out, const char *text);

/** Writes text as html_text(), marked as something that is typed. */
void html_code(FILE *out, const char *text);

/** Makes a number with a comma every three digits.
 * @return ret */
const char *html_number(uint64_t value, char ret[HTML_NUMBER_BYTES]);

/** Writes how many there are of something: "1 client", "2,000 clients".
 * @param thing  the word for one, whose plural ends in s */
void html_counted(FILE *out, uint64_t count, const char *thing);

#endif
