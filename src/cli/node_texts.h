/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A text for each node of a sweep, made when it is asked for first, and kept: a switch is named
 * once for each of its ports, and again by each peer.
 */
#ifndef WEFT_CLI_NODE_TEXTS_H
#define WEFT_CLI_NODE_TEXTS_H

#include <weft/sweep.h>

/** Bytes of a text at most, with its final 0. */
#define NODE_TEXT_BYTES 512

/** Makes a node's text.
 * @param ret  of NODE_TEXT_BYTES
 * @return its length, without the final 0; 0: there was no memory */
typedef size_t node_text_make(const struct weft_sweep *s, uint32_t node, char *ret);

/** Where a text is. */
struct node_text {
    uint32_t begin, length; /**< of length 0: it has not been made yet */
};

/** Texts of a sweep's nodes. */
struct node_texts {
    const struct weft_sweep *sweep;
    node_text_make *make;
    struct node_text *of; /**< by node */
    char *text;           /**< all of them, in the order in which they were asked for */
    uint32_t length, space;
};

/** Begins without any.
 * @return whether there was memory; give it to node_texts_free() in any case */
bool node_texts_init(struct node_texts *ret, const struct weft_sweep *s, node_text_make *make);
void node_texts_free(struct node_texts *t);

/** Makes a text that has not been asked for before.
 * @return false: there was no memory */
bool node_texts_make(struct node_texts *t, uint32_t node);

/** A node's text that has been asked for before.
 * @param ret_length  of it, without the final 0
 * @return the text, until the next one is made */
static inline const char *node_texts_made(const struct node_texts *t, uint32_t node,
                                          size_t *ret_length)
{
    *ret_length = t->of[node].length;
    return t->text + t->of[node].begin;
}

/** A node's text.
 * @return NULL: there was no memory */
static inline const char *node_texts_get(struct node_texts *t, uint32_t node, size_t *ret_length)
{
    if (t->of[node].length == 0 && !node_texts_make(t, node))
        return NULL;
    return node_texts_made(t, node, ret_length);
}

#endif
