/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The screen of `weft counters --watch`: rates of ports, and what has happened lately.
 */
#ifndef WEFT_CLI_COUNTERS_SCREEN_H
#define WEFT_CLI_COUNTERS_SCREEN_H

#include "cli/counters_changes.h"

/** What has happened is kept for the screens to come: so many lines. */
#define COUNTERS_SCREEN_KEPT 64

/** Start from zeroes. */
struct counters_screen {
    char *lines[COUNTERS_SCREEN_KEPT]; /**< the latest is the last */
    size_t count;
};

/** Keeps a line, in place of one that says the same, but for time and number, of the same counters.
 * @param text  time, a blank, what has happened; from malloc(), belongs to the screen now; NULL:
 * there was no memory, nothing is kept
 */
void counters_screen_keep(struct counters_screen *s, char *text);

/** Prints a screen: title, the latest of what was kept, the worst and the busiest ports.
 * @param title    a line without its end
 * @param rows     of the terminal
 * @param columns  of the terminal: longer lines are cut, for where they wrap the title is lost */
void counters_screen_print(const struct counters_screen *s, const struct counters_changes *all,
                           const char *title, unsigned rows, unsigned columns, FILE *to);

void counters_screen_free(struct counters_screen *s);

/** Prints which errors a port has counted, or that somebody has reset it; nothing where neither. */
void counters_print_errors(const struct counters_change *c, FILE *to);

#endif
