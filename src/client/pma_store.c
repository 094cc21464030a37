/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters in a row of words: which there are, then those that are not 0. */
#include "client/pma_store.h"

#include "core/base/alloc.h"

#include <string.h>

#define CHUNK_WORDS 8192

/* What stands before the values. */
struct head {
    weft_pma_set present, stuck, wide;
    weft_pma_set counting; /* those that are not 0 */
};

#define HEAD_WORDS (sizeof(struct head) / sizeof(uint64_t))

void pma_store_init(struct pma_store *s, const struct weft_alloc *a)
{
    *s = (struct pma_store){.alloc = *a};
}

void pma_store_free(struct pma_store *s)
{
    for (uint32_t i = 0; i < s->chunk_count; i++)
        alloc_put(&s->alloc, s->chunks[i], CHUNK_WORDS, sizeof(*s->chunks[i]));
    alloc_put(&s->alloc, s->chunks, s->chunk_space, sizeof(s->chunks[0]));
    s->chunks = NULL;
    s->chunk_count = s->chunk_space = 0;
}

static uint64_t *words_at(const struct pma_store *s, uint32_t place)
{
    return s->chunks[place / CHUNK_WORDS] + place % CHUNK_WORDS;
}

static int chunk_add(struct pma_store *s)
{
    uint32_t space = s->chunk_space ? 2 * s->chunk_space : 16;
    uint64_t **chunks = s->chunks;
    uint64_t *words;

    if (s->chunk_count == s->chunk_space) {
        chunks = alloc_grow(&s->alloc, s->chunks, s->chunk_space, space, sizeof(*chunks));
        if (!chunks)
            return WEFT_ERR_NOMEM;
        s->chunks = chunks;
        s->chunk_space = space;
    }
    words = alloc_grow(&s->alloc, NULL, 0, CHUNK_WORDS, sizeof(*words));
    if (!words)
        return WEFT_ERR_NOMEM;
    s->chunks[s->chunk_count++] = words;
    s->used = 0;
    return 0;
}

/* Room for so many words, in one chunk. */
static int room_take(struct pma_store *s, uint32_t words, uint32_t *ret_place)
{
    int err = s->chunk_count == 0 || s->used + words > CHUNK_WORDS ? chunk_add(s) : 0;

    if (err)
        return err;
    *ret_place = (s->chunk_count - 1) * CHUNK_WORDS + s->used;
    s->used += words;
    return 0;
}

static struct head head_at(const struct pma_store *s, uint32_t place)
{
    struct head h;

    memcpy(&h, words_at(s, place), sizeof(h));
    return h;
}

static uint32_t set_count(weft_pma_set set)
{
    uint32_t count = 0;

    for (; set != 0; set &= set - 1)
        count++;
    return count;
}

int pma_store_put(struct pma_store *s, uint32_t *place, const struct weft_pma_values *v)
{
    struct head h = {.present = v->present, .stuck = v->stuck, .wide = v->wide};
    uint64_t *to;
    int err = 0;

    for (unsigned c = 0; c < WEFT_PMA_COUNTERS; c++)
        h.counting |= (weft_pma_set)(v->value[c] != 0) << c;
    /* What has become longer gets another place. */
    if (*place == PMA_STORE_NONE || set_count(head_at(s, *place).counting) < set_count(h.counting))
        err = room_take(s, HEAD_WORDS + set_count(h.counting), place);
    if (err)
        return err;
    to = words_at(s, *place);
    memcpy(to, &h, sizeof(h));
    to += HEAD_WORDS;
    for (weft_pma_set left = h.counting; left != 0; left &= left - 1)
        *to++ = v->value[__builtin_ctz(left)];
    return 0;
}

void pma_store_get(const struct pma_store *s, uint32_t place, struct weft_pma_values *ret)
{
    const uint64_t *from;
    struct head h;

    *ret = (struct weft_pma_values){.present = 0};
    if (place == PMA_STORE_NONE)
        return;
    h = head_at(s, place);
    ret->present = h.present;
    ret->stuck = h.stuck;
    ret->wide = h.wide;
    from = words_at(s, place) + HEAD_WORDS;
    for (weft_pma_set left = h.counting; left != 0; left &= left - 1)
        ret->value[__builtin_ctz(left)] = *from++;
}
