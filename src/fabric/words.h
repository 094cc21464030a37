/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A line of the fault vocabulary as words: blanks between them, quotes around those that have some.
 */
#ifndef WEFT_FABRIC_WORDS_H
#define WEFT_FABRIC_WORDS_H

#include "core/wire/text.h"
#include "fabric/fabric.h"

/** The longest line and the most words in it. */
#define WORDS_LINE_BYTES 255
#define WORDS_MAX        20
#define WORDS_NO_SLASH   UINT16_MAX

/** A word. */
struct word {
    uint16_t at;    /* in words.text, where it ends with a NUL */
    uint16_t slash; /* the last "/" outside quotes, counted from the word's first byte */
};

/** The words of a line. */
struct words {
    char text[WORDS_LINE_BYTES + 2];
    struct word word[WORDS_MAX];
    uint8_t count;
};

/** Takes a line apart. Blanks, tabs and carriage returns separate words. Between double quotes they
 * belong to the word, and \" \\ \xHH stand for a quote, a backslash and a byte. A "#" where a word
 * would begin ends the line.
 * @param line   the line, without newline
 * @param ret    its words; perhaps none
 * @param error  why not
 * @return 0 or WEFT_ERR_FORMAT */
int words_split(const char *line, size_t length, struct words *ret, struct fabric_error *error);

/** The text of a word. */
static inline const char *words_text(const struct words *w, uint8_t i)
{
    return w->text + w->word[i].at;
}

/** Writes a text as a word that words_split() reads as this text; always in quotes. */
void words_quote(struct wire_text *to, const char *text);

#endif
