/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Memory for a hundred thousand engines: taken in large pieces, given back all at once.
 */
#ifndef WEFT_STORM_ARENA_H
#define WEFT_STORM_ARENA_H

#include <weft/base.h>

struct arena_piece;

/** An arena. Members are private to arena.c. */
struct arena {
    struct weft_alloc from;
    struct arena_piece *pieces; /* the newest first */
    char *next;                 /* free bytes of the newest */
    size_t left;
};

/** Starts empty.
 * @param from  where the pieces come from; copied */
void arena_init(struct arena *a, const struct weft_alloc *from);

/** The arena as an allocator: what is put back is kept until arena_done().
 * @param a  must stay where it is while the allocator is in use */
struct weft_alloc arena_alloc(struct arena *a);

/** Gives all memory back. */
void arena_done(struct arena *a);

#endif
