/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Memory for a hundred thousand engines: taken in large pieces, given back all at once.
 */
#ifndef WEFT_STORM_ARENA_H
#define WEFT_STORM_ARENA_H

#include <weft/base.h>

struct storm_arena_piece;

/** An arena. Members are private to arena.c. */
struct storm_arena {
    struct weft_alloc from;
    struct storm_arena_piece *pieces; /* the newest first */
    char *next;                       /* free bytes of the newest */
    size_t left;
};

/** Starts empty.
 * @param from  where the pieces come from; copied */
void storm_arena_init(struct storm_arena *a, const struct weft_alloc *from);

/** The arena as an allocator: what is put back is kept until storm_arena_done().
 * @param a  must stay where it is while the allocator is in use */
struct weft_alloc storm_arena_alloc(struct storm_arena *a);

/** Gives all memory back. */
void storm_arena_done(struct storm_arena *a);

#endif
