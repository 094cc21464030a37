/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Escapes what a terminal would obey. */
#include "cli/printable.h"

#include "core/wire/text.h"

#include <string.h>

/* Nearly every text. */
static bool is_plain(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] < ' ' || text[i] > '~' || text[i] == '\\')
            return false;
    return true;
}

const char *printable(const char *text, char *ret, size_t size)
{
    struct wire_text safe = {.out = ret, .cap = size};
    size_t length = strlen(text);

    if (length < size && is_plain(text, length))
        return memcpy(ret, text, length + 1);
    wire_text_escaped(&safe, (const uint8_t *)text, length, false);
    wire_text_end(&safe);
    return ret;
}
