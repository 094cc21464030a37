/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A command line of a scenario, split into words: `verb subject key=value flag`.
 */
#ifndef WEFT_TESTS_TIMELINE_WORDS_H
#define WEFT_TESTS_TIMELINE_WORDS_H

#include <weft/base.h>

enum {
    WORDS_MAX = 24,
    WORDS_TEXT_MAX = 200
};

struct words {
    char text[WORDS_TEXT_MAX];
    const char *word[WORDS_MAX];
    unsigned used; /**< bit i: word i was asked for */
    int count;
};

/** Splits a line.
 * @return false: it has too many words, or is too long */
bool words_split(struct words *w, const char *line);

/** The i-th word, or "" if there are not so many. */
const char *words_at(struct words *w, int i);

/** Whether the line has this word behind its verb. */
bool words_flag(struct words *w, const char *name);

/** The number after `name=`, decimal or 0x; `otherwise` without it. */
uint64_t words_number(struct words *w, const char *name, uint64_t otherwise);

/** The duration after `name=`. */
weft_time words_time(struct words *w, const char *name, weft_time otherwise);

/** The text after `name=`. */
const char *words_text(struct words *w, const char *name, const char *otherwise);

/** A word that no question asked for, or that could not be read; NULL if there is none. */
const char *words_unused(const struct words *w);

#endif
