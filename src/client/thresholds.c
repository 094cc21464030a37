/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Thresholds files, line by line. */
#include "client/thresholds.h"

#include "core/base/suggest.h"

#include <weft/base.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 256

/* Blanks as in lines. */
#define BLANK " \t\r"

static void note(struct thresholds_notes *notes, uint32_t line, const char *text)
{
    uint32_t at = notes->count < THRESHOLDS_NOTES ? notes->count : THRESHOLDS_NOTES - 1;

    notes->count++;
    notes->notes[at].line = line;
    (void)snprintf(notes->notes[at].text, sizeof(notes->notes[at].text), "%s", text);
}

void thresholds_init(struct thresholds *ret)
{
    *ret = (struct thresholds){.above = {0}};
}

static char *trimmed(char *text)
{
    size_t len;

    text += strspn(text, BLANK);
    len = strlen(text);
    while (len > 0 && strchr(BLANK, text[len - 1]))
        len--;
    text[len] = '\0';
    return text;
}

/* Decimal, 0x and hexadecimal, or 0 and octal, as ibqueryerrors takes it. */
static bool number_read(const char *text, uint64_t *ret)
{
    unsigned long long value;
    char *end;

    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    value = strtoull(text, &end, 0);
    *ret = value;
    return errno == 0 && *end == '\0';
}

static bool is_word(const char *text)
{
    size_t len = strlen(text);

    return len > 0 && len <= 40 &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == len;
}

static void unknown_name(const char *name, uint32_t line, struct thresholds_notes *notes)
{
    char text[THRESHOLDS_NOTE_TEXT];
    struct suggest near;

    suggest_start(&near, name);
    for (unsigned c = 0; c < WEFT_PMA_ERRORS; c++)
        suggest_offer(&near, weft_pma_name((enum weft_pma_counter)c));
    if (suggest_best(&near))
        (void)snprintf(text, sizeof(text), "there is no counter %s; did you mean %s?", name,
                       suggest_best(&near));
    else
        (void)snprintf(text, sizeof(text), "there is no counter %s", name);
    note(notes, line, text);
}

static int line_read(char *text, uint32_t line, struct thresholds *t,
                     struct thresholds_notes *notes)
{
    char *equals;
    const char *name;
    uint64_t value;

    text = trimmed(text);
    if (text[0] == '\0' || text[0] == '#')
        return 0;
    equals = strchr(text, '=');
    if (!equals) {
        note(notes, line, "a line is NAME=NUMBER, or a comment that begins with #");
        return WEFT_ERR_INVALID;
    }
    *equals = '\0';
    name = trimmed(text);
    if (!is_word(name)) {
        note(notes, line, "what stands before = is no counter's name");
        return WEFT_ERR_INVALID;
    }
    if (!number_read(trimmed(equals + 1), &value)) {
        note(notes, line, "what stands behind = is no number from 0 to 18446744073709551615");
        return WEFT_ERR_INVALID;
    }
    for (unsigned c = 0; c < WEFT_PMA_ERRORS; c++) {
        if (strcmp(weft_pma_name((enum weft_pma_counter)c), name) == 0) {
            t->above[c] = value;
            return 0;
        }
    }
    unknown_name(name, line, notes);
    return 0;
}

int thresholds_parse(const char *text, size_t len, struct thresholds *ret,
                     struct thresholds_notes *notes)
{
    struct thresholds t = *ret;
    uint32_t line = 0;

    *notes = (struct thresholds_notes){.count = 0};
    while (len > 0) {
        const char *end = memchr(text, '\n', len);
        size_t count = end ? (size_t)(end - text) : len;
        char buffer[LINE_BYTES];
        int err;

        line++;
        if (count >= sizeof(buffer) || memchr(text, '\0', count)) {
            note(notes, line, "the line has 256 bytes or more, or a byte 0: this is no such file");
            return WEFT_ERR_INVALID;
        }
        memcpy(buffer, text, count);
        buffer[count] = '\0';
        err = line_read(buffer, line, &t, notes);
        if (err)
            return err;
        count += end != NULL;
        text += count;
        len -= count;
    }
    *ret = t;
    return 0;
}
