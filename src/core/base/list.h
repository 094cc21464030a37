/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Intrusive doubly linked list. A node that is on no list points to itself, so taking it off twice
 * is harmless, and putting it on two lists is caught.
 */
#ifndef WEFT_CORE_BASE_LIST_H
#define WEFT_CORE_BASE_LIST_H

#include "core/base/check.h"

#include <stdbool.h>

struct list_node {
    struct list_node *next, *prev;
};

/** Makes a node that is on no list, or an empty list: the head is a node too. */
static inline void list_init(struct list_node *n)
{
    n->next = n;
    n->prev = n;
}

/** Whether a head has no nodes, or a node is on no list. */
static inline bool list_empty(const struct list_node *n)
{
    return n->next == n;
}

static inline void list_push_back(struct list_node *head, struct list_node *n)
{
    WEFT_ASSERT(list_empty(n));
    n->next = head;
    n->prev = head->prev;
    head->prev->next = n;
    head->prev = n;
}

static inline void list_remove(struct list_node *n)
{
    n->prev->next = n->next;
    n->next->prev = n->prev;
    list_init(n);
}

/** The first node, or NULL. */
static inline struct list_node *list_first(const struct list_node *head)
{
    return list_empty(head) ? NULL : head->next;
}

/** Takes the first node off; NULL if there is none. */
static inline struct list_node *list_pop_front(struct list_node *head)
{
    struct list_node *n = list_first(head);

    if (n) {
        list_remove(n);
        WEFT_ASSERT(head->next != n);
    }
    return n;
}

#endif
