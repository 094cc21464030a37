/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The known word nearest to a mistyped one, by edit distance. */
#include "cli/suggest.h"

#include <string.h>

/* Longer words are never verbs or options. */
#define WORD_LENGTH_MAX 32

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;

    return least < c ? least : c;
}

/* Levenshtein distance, one row at a time. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t row[WORD_LENGTH_MAX + 1];

    for (size_t j = 0; j <= b_length; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t above = row[j];

            row[j] = smallest(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[b_length];
}

void suggest_start(struct suggest *s, const char *wrong)
{
    s->wrong = wrong;
    s->best = NULL;
    /* A third of the letters may be wrong, at least one. */
    s->best_distance = strlen(wrong) / 3 + 2;
}

void suggest_offer(struct suggest *s, const char *word)
{
    size_t wrong_length = strlen(s->wrong);
    size_t word_length = strlen(word);
    size_t distance;

    if (wrong_length > WORD_LENGTH_MAX || word_length > WORD_LENGTH_MAX)
        return;
    distance = edit_distance(s->wrong, wrong_length, word, word_length);
    if (distance < s->best_distance) {
        s->best = word;
        s->best_distance = distance;
    }
}

const char *suggest_best(const struct suggest *s)
{
    return s->best;
}
