/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages for people, on stderr, each in one piece so that lines of several writers never mix. */
#include "cli/message.h"

#include "cli/verb.h"

#include <stdarg.h>
#include <stdio.h>

static void print_line(const char *prefix, const char *format, va_list ap)
    __attribute__((format(printf, 2, 0)));

static void print_line(const char *prefix, const char *format, va_list ap)
{
    flockfile(stderr);
    fputs(prefix, stderr);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
    funlockfile(stderr);
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
