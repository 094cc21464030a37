/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lookups in a table that is read block by block, with the answers of the cache.
 *
 * One number carries the answer's independence of the order of arrival: `end`. A full member or a
 * failure in a block makes what lies behind it irrelevant, so `end` comes down to that block, with
 * the verdict that holds if nothing before it says otherwise. When all blocks before `end` are
 * there, the verdict stands. */
#include "core/pkey/cache.h"

#include <string.h>

int weft_pkey_lookup_init(struct weft_pkey_lookup *l, enum weft_pkey_find find, weft_pkey key,
                          uint32_t entries, uint32_t window)
{
    if (!weft_pkey_valid(key) || entries == 0 || entries > WEFT_PKEY_ENTRIES_MAX || window == 0 ||
        (unsigned)find > WEFT_PKEY_FIND_EXACT)
        return WEFT_ERR_INVALID;
    memset(l, 0, sizeof(*l));
    l->key = key;
    l->find = find;
    l->entries = entries;
    l->end = pkey_blocks(entries);
    l->window = window;
    l->verdict = WEFT_ERR_NOTFOUND;
    return 0;
}

bool weft_pkey_lookup_poll(struct weft_pkey_lookup *l, uint16_t *ret_block)
{
    if (l->next >= l->end || l->waiting >= l->window)
        return false;
    l->waiting++;
    *ret_block = (uint16_t)l->next++;
    return true;
}

/* Notes that an answer has come for a block; false: it is not waited for. */
static bool arrived(struct weft_pkey_lookup *l, uint16_t block)
{
    if (block >= l->next || pkey_bit(l->there, block))
        return false;
    pkey_set_bit(l->there, block);
    l->waiting--;
    return true;
}

static void decide(struct weft_pkey_lookup *l, uint32_t end, int verdict, uint16_t index)
{
    l->end = end;
    l->verdict = verdict;
    l->index = index;
}

static void advance_front(struct weft_pkey_lookup *l)
{
    while (l->front < l->end && pkey_bit(l->there, l->front))
        l->front++;
}

/* Whether a key ends the search where it stands. */
static bool decides(const struct weft_pkey_lookup *l, weft_pkey key)
{
    return l->find == WEFT_PKEY_FIND_EXACT
               ? key == l->key
               : weft_pkey_same_partition(key, l->key) && weft_pkey_is_full(key);
}

static void look_into(struct weft_pkey_lookup *l, uint16_t block, const weft_pkey *keys)
{
    uint32_t count = pkey_block_entries(l->entries, block);

    for (uint32_t i = 0; i < count; i++) {
        uint16_t index = (uint16_t)(block * WEFT_PKEY_BLOCK + i);

        if (decides(l, keys[i])) {
            decide(l, block, 0, index);
            return;
        }
        if (l->find == WEFT_PKEY_FIND && weft_pkey_same_partition(keys[i], l->key) &&
            (!l->has_limited || index < l->limited)) {
            l->has_limited = true;
            l->limited = index;
        }
    }
}

int weft_pkey_lookup_feed(struct weft_pkey_lookup *l, uint16_t block,
                          const weft_pkey keys[WEFT_PKEY_BLOCK])
{
    if (!arrived(l, block))
        return WEFT_ERR_STATE;
    if (block < l->end) {
        look_into(l, block, keys);
        advance_front(l);
    }
    return 0;
}

int weft_pkey_lookup_fail(struct weft_pkey_lookup *l, uint16_t block, int err)
{
    if (err >= 0 || err == WEFT_ERR_STATE)
        return WEFT_ERR_INVALID;
    if (!arrived(l, block))
        return WEFT_ERR_STATE;
    if (block < l->end) {
        decide(l, block, err, 0);
        advance_front(l);
    }
    return 0;
}

int weft_pkey_lookup_result(const struct weft_pkey_lookup *l, uint16_t *ret)
{
    if (l->front < l->end)
        return WEFT_ERR_STATE;
    if (l->verdict == 0)
        *ret = l->index;
    else if (l->verdict == WEFT_ERR_NOTFOUND && l->end == pkey_blocks(l->entries) && l->has_limited)
        *ret = l->limited;
    else
        return l->verdict;
    return 0;
}
