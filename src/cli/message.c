/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages for people, on stderr, each in one piece so that lines of several writers never mix. */
#include "cli/message.h"

#include "cli/printable.h"
#include "cli/verb.h"

#include <stdarg.h>
#include <stdio.h>

/* A message names two paths at most; a longer one is cut. */
#define MESSAGE_BYTES 10240

static void print_line(const char *prefix, const char *format, va_list ap)
    __attribute__((format(printf, 2, 0)));

static void print_line(const char *prefix, const char *format, va_list ap)
{
    char text[MESSAGE_BYTES];
    char safe[4 * MESSAGE_BYTES];

    vsnprintf(text, sizeof(text), format, ap);
    fprintf(stderr, "%s%s\n", prefix, printable(text, safe, sizeof(safe)));
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
