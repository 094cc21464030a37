/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Thresholds of error counters, in files as ibqueryerrors reads them: a line NAME=NUMBER each, with
 * the names of perfquery; lines that begin with # are comments.
 */
#ifndef WEFT_CLIENT_THRESHOLDS_H
#define WEFT_CLIENT_THRESHOLDS_H

#include "client/pma.h"

/** Notes that are kept. */
#define THRESHOLDS_NOTES     8
#define THRESHOLDS_NOTE_TEXT 160

/** A counter that is above its threshold is a problem. */
struct thresholds {
    uint64_t above[WEFT_PMA_ERRORS];
};

/** What is strange about a file, for people. */
struct thresholds_notes {
    uint32_t count; /**< all; the first THRESHOLDS_NOTES are here */
    struct {
        uint32_t line;
        char text[THRESHOLDS_NOTE_TEXT]; /**< safe to print */
    } notes[THRESHOLDS_NOTES];
};

/** Without a file all are 0, as ibqueryerrors has them. */
void thresholds_init(struct thresholds *ret);

/** Reads a file's text. What it says of a counter takes the place of what was there before.
 * @param notes  names that no counter has, which ibqueryerrors passes over without a word; when
 *               this fails the last note is about the line where it has
 * @return 0; WEFT_ERR_INVALID: a line is no NAME=NUMBER; `ret` is as it was */
int thresholds_parse(const char *text, size_t len, struct thresholds *ret,
                     struct thresholds_notes *notes);

#endif
