/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Room for findings, and their texts. */
#include "findings/list.h"

#include "core/wire/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Items of the first array. */
#define SPACE_MIN 16

void *findings_grow(void *items, size_t count, size_t *space, size_t size)
{
    size_t wanted = *space == 0 ? SPACE_MIN : *space * 2;
    void *grown;

    if (count < *space)
        return items;
    grown = reallocarray(items, wanted, size);
    if (grown)
        *space = wanted;
    return grown;
}

/* A copy with what is not safe to print escaped; NULL without memory. */
static char *escape(const char *text)
{
    size_t length = strlen(text);
    struct wire_text safe = {0};

    wire_text_escaped(&safe, (const uint8_t *)text, length, false);
    safe = (struct wire_text){.out = malloc(safe.len + 1), .cap = safe.len + 1};
    if (!safe.out)
        return NULL;
    wire_text_escaped(&safe, (const uint8_t *)text, length, false);
    wire_text_end(&safe);
    return safe.out;
}

char *findings_text(const char *format, va_list args)
{
    char *plain;
    char *text;

    if (vasprintf(&plain, format, args) < 0)
        return NULL;
    text = escape(plain);
    free(plain);
    return text;
}
