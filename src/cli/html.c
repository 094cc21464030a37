/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text and numbers inside an HTML page. */
#include "cli/html.h"

#include <inttypes.h>

void html_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
            break;
        }
    }
}

void html_code(FILE *out, const char *text)
{
    fputs("<code>", out);
    html_text(out, text);
    fputs("</code>", out);
}

const char *html_number(uint64_t value, char ret[HTML_NUMBER_BYTES])
{
    char digits[HTML_NUMBER_BYTES];
    int count = snprintf(digits, sizeof(digits), "%" PRIu64, value);
    char *to = ret;

    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return ret;
}

void html_counted(FILE *out, uint64_t count, const char *thing)
{
    char text[HTML_NUMBER_BYTES];

    fprintf(out, "%s %s%s", html_number(count, text), thing, count == 1 ? "" : "s");
}
