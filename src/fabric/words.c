/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines as words, and texts as quoted words. */
#include "fabric/words.h"

#include <stdio.h>
#include <string.h>

/* A line being read. Every word is followed by a blank or the line's end, so that text and NULs
 * need no more room than the line and one byte. */
struct reader {
    const char *at, *end;
    char *to;
    struct fabric_error *error;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static int refuse(struct reader *r, const char *why)
{
    snprintf(r->error->text, sizeof(r->error->text), "%s", why);
    return WEFT_ERR_FORMAT;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Behind the backslash. */
static int read_escape(struct reader *r)
{
    int high, low;

    if (r->at < r->end && (*r->at == '"' || *r->at == '\\')) {
        *r->to++ = *r->at++;
        return 0;
    }
    if (r->end - r->at < 3 || *r->at != 'x')
        return refuse(r, "within quotes a backslash begins \\\", \\\\ or \\xHH");
    high = hex_digit(r->at[1]);
    low = hex_digit(r->at[2]);
    if (high < 0 || low < 0 || (high == 0 && low == 0))
        return refuse(r, "\\x wants two hexadecimal digits, and not 00");
    *r->to++ = (char)(high << 4 | low);
    r->at += 3;
    return 0;
}

/* Behind the first quote. */
static int read_quoted(struct reader *r)
{
    int err = 0;

    while (r->at < r->end && *r->at != '"' && err == 0) {
        if (*r->at == '\\') {
            r->at++;
            err = read_escape(r);
        } else {
            *r->to++ = *r->at++;
        }
    }
    if (err != 0)
        return err;
    if (r->at == r->end)
        return refuse(r, "a quote is not closed");
    r->at++;
    return 0;
}

static int read_word(struct reader *r, struct words *w)
{
    struct word *word = &w->word[w->count];
    int err = 0;

    if (w->count == WORDS_MAX)
        return refuse(r, "the line has too many words");
    word->at = (uint16_t)(r->to - w->text);
    word->slash = WORDS_NO_SLASH;
    while (r->at < r->end && !is_blank(*r->at) && err == 0) {
        if (*r->at == '"') {
            r->at++;
            err = read_quoted(r);
            continue;
        }
        if (*r->at == '/')
            word->slash = (uint16_t)(r->to - w->text - word->at);
        *r->to++ = *r->at++;
    }
    *r->to++ = '\0';
    w->count++;
    return err;
}

int words_split(const char *line, size_t length, struct words *ret, struct fabric_error *error)
{
    struct reader r = {.at = line, .end = line + length, .to = ret->text, .error = error};
    int err = 0;

    ret->count = 0;
    if (length > WORDS_LINE_BYTES)
        return refuse(&r, "the line is longer than 255 bytes");
    if (memchr(line, '\0', length) || memchr(line, '\n', length))
        return refuse(&r, "the line contains a NUL or a newline");
    while (err == 0) {
        while (r.at < r.end && is_blank(*r.at))
            r.at++;
        if (r.at == r.end || *r.at == '#')
            break;
        err = read_word(&r, ret);
    }
    return err;
}

void words_quote(struct wire_text *to, const char *text)
{
    size_t length;

    wire_text_char(to, '"');
    for (; *text != '\0'; text += length) {
        length = strcspn(text, "\"");
        wire_text_escaped(to, (const uint8_t *)text, length, false);
        if (text[length] == '"') {
            wire_text_string(to, "\\\"");
            length++;
        }
    }
    wire_text_char(to, '"');
}
