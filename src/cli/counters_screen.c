/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The screen of `weft counters --watch`: each line as long as the terminal is wide. */
#include "cli/counters_screen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Lines of a screen that are no ports: title, headings, where the cursor stays. */
#define SCREEN_FRAME    3
#define SCREEN_ROWS_MIN 11

/* Of what the first column holds. */
#define LABEL_COLUMNS 28

#define CLEAR "\033[H\033[2J"

/* Whether two lines say that the same counters of the same port have grown. */
static bool is_again(const char *line, const char *other)
{
    size_t length = strcspn(line, "+");

    return line[length] == '+' && strncmp(line, other, length + 1) == 0;
}

static void drop(struct counters_screen *s, size_t i)
{
    free(s->lines[i]);
    s->count--;
    memmove(&s->lines[i], &s->lines[i + 1], (s->count - i) * sizeof(s->lines[0]));
}

void counters_screen_keep(struct counters_screen *s, char *text)
{
    if (!text)
        return;
    for (size_t i = 0; i < s->count; i++) {
        if (!is_again(text + strcspn(text, " "), s->lines[i] + strcspn(s->lines[i], " ")))
            continue;
        drop(s, i);
        break;
    }
    if (s->count == COUNTERS_SCREEN_KEPT)
        drop(s, 0);
    s->lines[s->count++] = text;
}

void counters_screen_free(struct counters_screen *s)
{
    while (s->count > 0)
        drop(s, s->count - 1);
}

void counters_print_errors(const struct counters_change *c, FILE *to)
{
    const char *comma = "";

    for (unsigned i = 0; i < WEFT_PMA_ERRORS; i++) {
        if (!weft_pma_has(c->errors, i))
            continue;
        fprintf(to, "%s%s +%" PRIu64 "%s", comma, weft_pma_name((enum weft_pma_counter)i),
                c->delta.value[i], weft_pma_has(c->delta.at_least, i) ? " or more" : "");
        comma = ", ";
    }
    if (c->delta.reset != 0)
        fprintf(to, "%ssomebody has reset counters", comma);
}

static uint64_t rate(uint64_t count, weft_time between)
{
    return between == 0 ? 0 : (uint64_t)((double)count * 1e9 / (double)between);
}

/* Of a long label the number of the port stays. */
static void print_label(const char *label, FILE *to)
{
    const char *number = strrchr(label, '/');
    size_t length = strlen(label), tail = number ? strlen(number) : 0;

    if (length > LABEL_COLUMNS && tail < LABEL_COLUMNS)
        fprintf(to, "%.*s%s", (int)(LABEL_COLUMNS - tail), label, number ? number : "");
    else
        fprintf(to, "%-*.*s", LABEL_COLUMNS, LABEL_COLUMNS, label);
}

static void print_row(const struct counters_changes *all, const struct counters_change *c, FILE *to)
{
    char label[COUNTERS_LABEL_BYTES];
    char sent[COUNTERS_BYTES_TEXT], received[COUNTERS_BYTES_TEXT];

    (void)counters_bytes(rate(c->delta.value[WEFT_PMA_XMIT_DATA], all->between), sent);
    (void)counters_bytes(rate(c->delta.value[WEFT_PMA_RCV_DATA], all->between), received);
    print_label(counters_label(all->sweep, c->port, label), to);
    fprintf(to, " %8s/s %8s/s %12" PRIu64 "/s", sent, received,
            rate(c->delta.value[WEFT_PMA_XMIT_WAIT], all->between));
    if (c->has_errors) {
        fputs("  ", to);
        counters_print_errors(c, to);
    }
    fputc('\n', to);
}

static void print_whole(const struct counters_screen *s, const struct counters_changes *all,
                        const char *title, uint32_t rows, FILE *to)
{
    size_t kept = s->count < rows / 3 ? s->count : rows / 3;

    rows -= (uint32_t)kept;
    fprintf(to, "%s\n", title);
    for (size_t i = s->count - kept; i < s->count; i++)
        fprintf(to, "%s\n", s->lines[i]);
    fprintf(to, "%-*s %10s %10s %14s  %s\n", LABEL_COLUMNS, "PORT", "SENT", "RECEIVED", "WAIT",
            "NEW");
    for (uint32_t i = 0; i < all->count && i < rows; i++)
        print_row(all, &all->ports[i], to);
}

void counters_screen_print(const struct counters_screen *s, const struct counters_changes *all,
                           const char *title, unsigned rows, unsigned columns, FILE *to)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *whole = open_memstream(&text, &bytes);

    if (!whole)
        return;
    print_whole(s, all, title, (rows < SCREEN_ROWS_MIN ? SCREEN_ROWS_MIN : rows) - SCREEN_FRAME,
                whole);
    if (fclose(whole) == 0) {
        fputs(CLEAR, to);
        for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
            fprintf(to, "%.*s\n",
                    (int)(strcspn(line, "\n") < columns ? strcspn(line, "\n") : columns), line);
        (void)fflush(to);
    }
    free(text);
}
