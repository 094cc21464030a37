/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Texts of nodes, one behind the other. */
#include "cli/node_texts.h"

#include <stdlib.h>

/* What is enough for the names of a small fabric. */
#define SPACE_FIRST (16 * NODE_TEXT_BYTES)

bool node_texts_init(struct node_texts *ret, const struct weft_sweep *s, node_text_make *make)
{
    *ret = (struct node_texts){.sweep = s, .make = make};
    ret->of = calloc(weft_sweep_node_count(s) + 1u, sizeof(ret->of[0]));
    return ret->of != NULL;
}

void node_texts_free(struct node_texts *t)
{
    free(t->of);
    free(t->text);
    *t = (struct node_texts){.sweep = NULL};
}

bool node_texts_make(struct node_texts *t, uint32_t node)
{
    if (t->space - t->length < NODE_TEXT_BYTES) {
        uint32_t space = t->space == 0 ? SPACE_FIRST : 2 * t->space;
        char *text = realloc(t->text, space);

        if (!text)
            return false;
        t->text = text;
        t->space = space;
    }
    t->of[node].begin = t->length;
    t->of[node].length = (uint32_t)t->make(t->sweep, node, t->text + t->length);
    t->length += t->of[node].length + 1;
    return t->of[node].length > 0;
}
