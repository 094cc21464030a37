/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words of a command line. */
#include "words.h"

#include "cli/quantity.h"

#include <stdlib.h>
#include <string.h>

bool words_split(struct words *w, const char *line)
{
    char *at = w->text;

    memset(w, 0, sizeof(*w));
    if (strlen(line) >= sizeof(w->text))
        return false;
    memcpy(w->text, line, strlen(line) + 1);
    for (;;) {
        at += strspn(at, " ");
        if (*at == '\0')
            return true;
        if (w->count == WORDS_MAX)
            return false;
        w->word[w->count++] = at;
        at += strcspn(at, " ");
        if (*at != '\0')
            *at++ = '\0';
    }
}

const char *words_at(struct words *w, int i)
{
    if (i >= w->count)
        return "";
    w->used |= 1u << i;
    return w->word[i];
}

bool words_flag(struct words *w, const char *name)
{
    for (int i = 1; i < w->count; i++) {
        if (strcmp(w->word[i], name) == 0) {
            w->used |= 1u << i;
            return true;
        }
    }
    return false;
}

/* The place of the word `name=...`, or -1. */
static int find(const struct words *w, const char *name)
{
    size_t len = strlen(name);

    for (int i = 1; i < w->count; i++) {
        if (strncmp(w->word[i], name, len) == 0 && w->word[i][len] == '=')
            return i;
    }
    return -1;
}

const char *words_text(struct words *w, const char *name, const char *otherwise)
{
    int i = find(w, name);

    if (i < 0)
        return otherwise;
    w->used |= 1u << i;
    return w->word[i] + strlen(name) + 1;
}

uint64_t words_number(struct words *w, const char *name, uint64_t otherwise)
{
    int i = find(w, name);
    const char *text = i < 0 ? NULL : w->word[i] + strlen(name) + 1;
    unsigned long long value;
    char *end;

    if (!text)
        return otherwise;
    value = strtoull(text, &end, 0);
    if (end != text && *end == '\0')
        w->used |= 1u << i;
    return value;
}

weft_time words_time(struct words *w, const char *name, weft_time otherwise)
{
    int i = find(w, name);
    weft_time value = otherwise;

    if (i >= 0 && quantity_parse_duration(w->word[i] + strlen(name) + 1, &value))
        w->used |= 1u << i;
    return value;
}

const char *words_unused(const struct words *w)
{
    for (int i = 1; i < w->count; i++) {
        if ((w->used >> i & 1) == 0)
            return w->word[i];
    }
    return NULL;
}
