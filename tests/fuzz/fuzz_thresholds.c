/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fuzz target: any bytes read as a thresholds file give thresholds, or a line and what is wrong
 * with it, and nothing that a terminal obeys. */
#include "client/thresholds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_thresholds: %s\n", what);
    abort();
}

static void check_notes(const struct thresholds_notes *n, uint32_t lines)
{
    for (uint32_t i = 0; i < n->count && i < THRESHOLDS_NOTES; i++) {
        const char *text = n->notes[i].text;

        require(n->notes[i].line >= 1 && n->notes[i].line <= lines, "a line that is not there");
        require(text[0] != '\0' && memchr(text, '\0', THRESHOLDS_NOTE_TEXT), "no text");
        for (const char *c = text; *c != '\0'; c++)
            require(*c >= ' ' && *c < 0x7f, "a text that a terminal obeys");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct thresholds before, after;
    struct thresholds_notes notes;
    uint32_t lines = 1;
    int err;

    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    thresholds_init(&before);
    for (unsigned c = 0; c < WEFT_PMA_ERRORS; c++)
        before.above[c] = c + 1;
    after = before;
    err = thresholds_parse((const char *)data, size, &after, &notes);
    require(!err || notes.count > 0, "an error without a reason");
    require(!err || memcmp(&before, &after, sizeof(before)) == 0, "an error has changed something");
    check_notes(&notes, lines);
    return 0;
}
