/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Escapes what a terminal would obey. */
#include "cli/printable.h"

#include "core/wire/text.h"

#include <string.h>

const char *printable(const char *text, char *ret, size_t size)
{
    struct wire_text safe = {.out = ret, .cap = size};

    wire_text_escaped(&safe, (const uint8_t *)text, strlen(text), false);
    wire_text_end(&safe);
    return ret;
}
