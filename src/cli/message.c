/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages for people, on stderr, each in one piece so that lines of several writers never mix. */
#include "cli/message.h"

#include "cli/verb.h"
#include "core/wire/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A message names two paths at most; a longer one is cut. */
#define MESSAGE_BYTES 10240

static void print_line(const char *prefix, const char *format, va_list ap)
    __attribute__((format(printf, 2, 0)));

/* As printable(), but backslashes stay: errors may quote words with escapes already, and these
 * would be escaped twice. */
static const char *printable_message(const char *text, char *ret, size_t size)
{
    struct wire_text safe = {.out = ret, .cap = size};
    size_t length;

    for (; *text != '\0'; text += length) {
        length = strcspn(text, "\\");
        wire_text_escaped(&safe, (const uint8_t *)text, length, false);
        for (; text[length] == '\\'; length++)
            wire_text_char(&safe, '\\');
    }
    wire_text_end(&safe);
    return ret;
}

static void print_line(const char *prefix, const char *format, va_list ap)
{
    char text[MESSAGE_BYTES];
    char safe[4 * MESSAGE_BYTES];

    vsnprintf(text, sizeof(text), format, ap);
    fprintf(stderr, "%s%s\n", prefix, printable_message(text, safe, sizeof(safe)));
}

void message(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    print_line("weft: ", format, ap);
    va_end(ap);
}

void message_try(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    print_line("weft: try ", format, ap);
    va_end(ap);
}

int message_usage(const char *verb, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    print_line("weft: ", format, ap);
    va_end(ap);
    if (!verb)
        message_try("weft --help");
    else
        message_try("weft %s --help", verb);
    return CLI_USAGE;
}

int message_failed(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    print_line("weft: ", format, ap);
    va_end(ap);
    return CLI_FAILED;
}
