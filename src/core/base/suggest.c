/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The known word nearest to a mistyped one, by edit distance. */
#include "core/base/suggest.h"

#include <string.h>

/* Longer words are never verbs or options. */
#define WORD_LENGTH_MAX 32

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Letters to insert, leave out or change, or neighbours to swap: how far one word is from another.
 */
static unsigned edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned d[WORD_LENGTH_MAX + 1][WORD_LENGTH_MAX + 1];

    for (size_t j = 0; j <= b_length; j++)
        d[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a_length; i++) {
        d[i][0] = (unsigned)i;
        for (size_t j = 1; j <= b_length; j++) {
            d[i][j] = smaller(smaller(d[i - 1][j], d[i][j - 1]) + 1,
                              d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = smaller(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[a_length][b_length];
}

void suggest_start(struct suggest *s, const char *wrong)
{
    s->wrong = wrong;
    s->best = NULL;
    s->wrong_length = strlen(wrong);
    /* A third of the letters may be wrong, at least one: with more of them any short word would be
     * near any other. */
    s->best_distance = s->wrong_length < 3 ? 2 : s->wrong_length / 3 + 1;
}

void suggest_offer(struct suggest *s, const char *word)
{
    size_t word_length = strlen(word);
    size_t longer = s->wrong_length > word_length ? s->wrong_length - word_length
                                                  : word_length - s->wrong_length;
    unsigned distance;

    /* So many letters are to be inserted or left out at least. */
    if (s->wrong_length > WORD_LENGTH_MAX || word_length > WORD_LENGTH_MAX ||
        longer >= s->best_distance)
        return;
    distance = edit_distance(s->wrong, s->wrong_length, word, word_length);
    if (distance < s->best_distance) {
        s->best = word;
        s->best_distance = distance;
    }
}

const char *suggest_best(const struct suggest *s)
{
    return s->best;
}
