/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A bump allocator over pieces of some megabytes. */
#include "storm/arena.h"

#include <stdint.h>

struct storm_arena_piece {
    struct storm_arena_piece *older;
    size_t size;
};

static const size_t piece_size = (size_t)32 << 20;

void storm_arena_init(struct storm_arena *a, const struct weft_alloc *from)
{
    *a = (struct storm_arena){.from = *from};
}

static bool add_piece(struct storm_arena *a, size_t size)
{
    struct storm_arena_piece *piece = a->from.get(a->from.ctx, size, _Alignof(max_align_t));

    if (!piece)
        return false;
    *piece = (struct storm_arena_piece){a->pieces, size};
    a->pieces = piece;
    a->next = (char *)(piece + 1);
    a->left = size - sizeof(*piece);
    return true;
}

static void *arena_get(void *ctx, size_t size, size_t align)
{
    struct storm_arena *a = ctx;
    size_t need, gap;
    char *p;

    if (__builtin_add_overflow(size, sizeof(struct storm_arena_piece) + align, &need))
        return NULL;
    gap = -(uintptr_t)a->next & (align - 1);
    if (a->left < gap || a->left - gap < size) {
        if (!add_piece(a, need > piece_size ? need : piece_size))
            return NULL;
        gap = -(uintptr_t)a->next & (align - 1);
    }
    p = a->next + gap;
    a->next = p + size;
    a->left -= gap + size;
    return p;
}

static void arena_put(void *ctx, void *p, size_t size)
{
    (void)ctx;
    (void)p;
    (void)size;
}

struct weft_alloc storm_arena_alloc(struct storm_arena *a)
{
    return (struct weft_alloc){arena_get, arena_put, a};
}

void storm_arena_done(struct storm_arena *a)
{
    while (a->pieces) {
        struct storm_arena_piece *piece = a->pieces;

        a->pieces = piece->older;
        a->from.put(a->from.ctx, piece, piece->size);
    }
    a->next = NULL;
    a->left = 0;
}
