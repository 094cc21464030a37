/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The cached P_Key table: lookups row by row and against a slow model, staging, replacing. */
#include "pkey_fixture.h"

#define NONE WEFT_ERR_NOTFOUND
#define BAD  WEFT_ERR_INVALID

/* A = partition 0x0001, B = 0x1234; a plain name is the limited member. */
static const struct row {
    weft_pkey table[5], key;
    int find, exact; /* an index or an error */
} rows[] = {
    /* both forms of a key */
    {{KEY_A, KEY_A_FULL, 0, 0, 0}, KEY_A_FULL, 1, 1},
    {{KEY_A, KEY_A_FULL, 0, 0, 0}, KEY_A, 1, 0},
    {{KEY_A_FULL, KEY_A, 0, 0, 0}, KEY_A_FULL, 0, 0},
    {{KEY_A_FULL, KEY_A, 0, 0, 0}, KEY_A, 0, 1},
    {{0, KEY_A, KEY_B_FULL, KEY_A_FULL, 0}, KEY_A, 3, 1},
    {{KEY_B, KEY_A, KEY_B_FULL, KEY_A_FULL, 0}, KEY_B, 2, 0},
    {{KEY_A, KEY_A, KEY_A, KEY_A, KEY_A_FULL}, KEY_A, 4, 0},
    {{0x7FFF, 0xFFFF, 0, 0, 0}, 0x7FFF, 1, 0},
    /* one form */
    {{KEY_A, 0, 0, 0, 0}, KEY_A_FULL, 0, NONE},
    {{KEY_A_FULL, 0, 0, 0, 0}, KEY_A, 0, NONE},
    {{0, 0, KEY_A, 0, 0}, KEY_A, 2, 2},
    {{0, 0, KEY_A_FULL, 0, 0}, KEY_A_FULL, 2, 2},
    {{0xFFFF, 0, 0, 0, 0}, 0xFFFF, 0, 0},
    {{0xFFFF, 0, 0, 0, 0}, 0x7FFF, 0, NONE},
    /* ties: the first */
    {{0, KEY_A_FULL, KEY_A_FULL, 0, 0}, KEY_A_FULL, 1, 1},
    {{0, KEY_A, 0, KEY_A, KEY_A}, KEY_A, 1, 1},
    {{0, KEY_A, 0, KEY_A, KEY_A}, KEY_A_FULL, 1, NONE},
    {{KEY_A, KEY_A_FULL, KEY_A, KEY_A_FULL, 0}, KEY_A, 1, 0},
    /* the last entry */
    {{0, 0, 0, 0, KEY_B}, KEY_B, 4, 4},
    /* absent */
    {{KEY_A, KEY_A_FULL, 0, 0, 0}, KEY_B, NONE, NONE},
    {{KEY_A, KEY_A_FULL, 0, 0, 0}, KEY_B_FULL, NONE, NONE},
    {{0, 0, 0, 0, 0}, 0xFFFF, NONE, NONE},
    /* keys that differ in one bit */
    {{0x8003, 0x8000, 0xC001, 0x0002, 0x4001}, 0x8001, NONE, NONE},
    /* empty entries are never found */
    {{0, 0x8000, 0, 0, 0}, 0x0000, BAD, BAD},
    {{0, 0x8000, 0, 0, 0}, 0x8000, BAD, BAD},
};

static void test_R137_R138_R139_R140_R141_R155_each_lookup(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        const struct row *r = &rows[i];
        struct weft_pkey_cache *c = pkey_cache(r->table, COUNT(r->table));

        if (model_ask(c, WEFT_PKEY_FIND, r->key) != r->find ||
            model_ask(c, WEFT_PKEY_FIND_EXACT, r->key) != r->exact)
            fail_msg("row %u: find %d, exact %d", i, model_ask(c, WEFT_PKEY_FIND, r->key),
                     model_ask(c, WEFT_PKEY_FIND_EXACT, r->key));
        weft_pkey_cache_free(c);
    }
}

static void test_R138_a_full_member_in_another_block_wins(void **state)
{
    weft_pkey keys[128] = {0xFFFF};
    struct weft_pkey_cache *c;

    (void)state;
    keys[3] = KEY_A;
    keys[100] = KEY_A_FULL;
    c = pkey_cache(keys, 128);
    assert_int_equal(model_ask(c, WEFT_PKEY_FIND, KEY_A), 100);
    assert_int_equal(model_ask(c, WEFT_PKEY_FIND_EXACT, KEY_A), 3);
    weft_pkey_cache_free(c);
}

/* As long as no port had both forms, the first entry of the 15 bits was the answer. */
static void test_R146_with_one_form_of_each_key_the_first_of_15_bits_is_found(void **state)
{
    struct prng g = {146};
    weft_pkey keys[64];

    (void)state;
    for (int round = 0; round < 200; round++) {
        struct weft_pkey_cache *c;

        for (uint32_t i = 0; i < 64; i++)
            keys[i] = (weft_pkey)((i * 7 % 64 + 1) | (prng_up_to(&g, 1) ? 0x8000 : 0));
        c = pkey_cache(keys, 64);
        for (weft_pkey key = 1; key <= 70; key++) {
            int first = NONE;

            for (int i = 63; i >= 0; i--)
                first = (keys[i] & 0x7FFF) == key ? i : first;
            assert_int_equal(model_ask(c, WEFT_PKEY_FIND, key), first);
            assert_int_equal(model_ask(c, WEFT_PKEY_FIND, key | 0x8000), first);
        }
        weft_pkey_cache_free(c);
    }
}

static void compare_with_model(const struct weft_pkey_cache *c, const weft_pkey *keys,
                               uint32_t count, weft_pkey key)
{
    for (int form = 0; form < 2; form++, key ^= WEFT_PKEY_FULL) {
        assert_int_equal(model_ask(c, WEFT_PKEY_FIND, key),
                         model_find(keys, count, WEFT_PKEY_FIND, key));
        assert_int_equal(model_ask(c, WEFT_PKEY_FIND_EXACT, key),
                         model_find(keys, count, WEFT_PKEY_FIND_EXACT, key));
    }
}

static void test_R137_R155_random_tables_after_each_other_answer_as_the_model(void **state)
{
    static const uint32_t lengths[] = {1, 2, 31, 32, 33, 63, 65, 128, 200};
    struct prng g = {137};
    weft_pkey keys[200];

    (void)state;
    for (uint32_t n = 0; n < COUNT(lengths); n++) {
        uint32_t count = lengths[n], partitions = count / 2 + 1;
        struct weft_pkey_cache *c;

        assert_int_equal(weft_pkey_cache_new(count, NULL, &c), 0);
        for (int round = 0; round < 60; round++) {
            for (uint32_t i = 0; i < count; i++)
                keys[i] = model_key(&g, partitions);
            assert_int_equal(model_commit(c, keys, model_key(&g, partitions), NULL), 0);
            for (uint32_t key = 0; key <= partitions + 1; key++)
                compare_with_model(c, keys, count, (weft_pkey)key);
        }
        weft_pkey_cache_free(c);
    }
}

static void test_the_longest_table_has_all_its_entries(void **state)
{
    weft_pkey *keys = test_calloc(65536, sizeof(*keys));
    struct weft_pkey_cache *c;
    struct prng g = {65536};

    (void)state;
    for (uint32_t i = 0; i < 65536; i++)
        keys[i] = (weft_pkey)i;
    c = pkey_cache(keys, 65536);
    for (uint32_t i = 1; i < 65536; i++) {
        if ((i & 0x7FFF) == 0)
            continue;
        assert_int_equal(model_ask(c, WEFT_PKEY_FIND_EXACT, (weft_pkey)i), (int)i);
        assert_int_equal(model_ask(c, WEFT_PKEY_FIND, (weft_pkey)i), (int)(i | 0x8000));
    }
    for (uint32_t i = 0; i < 65536; i++)
        keys[i] = model_key(&g, 32767);
    assert_int_equal(model_commit(c, keys, 0, NULL), 0);
    for (int i = 0; i < 300; i++)
        compare_with_model(c, keys, 65536, (weft_pkey)(1 + prng_up_to(&g, 32766)));
    weft_pkey_cache_free(c);
    test_free(keys);
}

static void test_the_tail_of_the_last_block_is_ignored(void **state)
{
    weft_pkey keys[40] = {0xFFFF};
    struct weft_pkey_change change;
    struct weft_pkey_cache *c;
    weft_pkey block[WEFT_PKEY_BLOCK], key = 0x5555;

    (void)state;
    keys[39] = KEY_A;
    assert_int_equal(weft_pkey_cache_new(40, NULL, &c), 0);
    assert_int_equal(model_commit(c, keys, KEY_B_FULL, &change), 0);
    assert_int_equal(change.entries, 2);
    assert_int_equal(model_ask(c, WEFT_PKEY_FIND, KEY_B), NONE);
    assert_int_equal(model_ask(c, WEFT_PKEY_FIND, KEY_A), 39);
    assert_int_equal(weft_pkey_cache_get(c, 40, &key), WEFT_ERR_INVALID);
    assert_int_equal(key, 0x5555);
    model_block(keys, 40, 1, KEY_A_FULL, block);
    assert_int_equal(weft_pkey_cache_set(c, 1, block, &change), 0);
    assert_int_equal(change.entries, 0);
    assert_int_equal(model_ask(c, WEFT_PKEY_FIND, KEY_A), 39);
    weft_pkey_cache_free(c);
}

static void test_before_the_first_commit_there_is_no_table(void **state)
{
    weft_pkey block[WEFT_PKEY_BLOCK] = {0xFFFF}, key = 7;
    struct weft_pkey_change change = {.entries = 99};
    struct weft_pkey_cache *c;

    (void)state;
    assert_int_equal(weft_pkey_cache_new(33, NULL, &c), 0);
    assert_int_equal(weft_pkey_cache_entries(c), 33);
    assert_int_equal(weft_pkey_cache_generation(c), 0);
    assert_int_equal(model_ask(c, WEFT_PKEY_FIND, 0xFFFF), WEFT_ERR_STATE);
    assert_int_equal(model_ask(c, WEFT_PKEY_FIND_EXACT, 0xFFFF), WEFT_ERR_STATE);
    assert_int_equal(model_ask(c, WEFT_PKEY_FIND, 0), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_cache_get(c, 0, &key), WEFT_ERR_STATE);
    assert_int_equal(key, 7);
    assert_int_equal(weft_pkey_cache_set(c, 0, block, &change), WEFT_ERR_STATE);
    assert_int_equal(weft_pkey_cache_commit(c, &change), WEFT_ERR_STATE);
    assert_int_equal(weft_pkey_cache_stage(c, 1, block), 0);
    assert_int_equal(weft_pkey_cache_stage(c, 1, block), 0);
    assert_int_equal(weft_pkey_cache_commit(c, &change), WEFT_ERR_STATE);
    assert_int_equal(change.entries, 99);
    weft_pkey_cache_free(c);
}

static void test_R137_nobody_ever_sees_half_a_table(void **state)
{
    weft_pkey old[96], new[96], block[WEFT_PKEY_BLOCK];
    struct weft_pkey_cache *c;

    (void)state;
    for (uint32_t i = 0; i < 96; i++) {
        old[i] = (weft_pkey)(i + 1);
        new[i] = (weft_pkey)((95 - i + 1) | WEFT_PKEY_FULL);
    }
    c = pkey_cache(old, 96);
    for (int round = 0; round < 2; round++) {
        for (uint32_t b = 0; b < 3; b++) {
            model_block(new, 96, b, 0, block);
            assert_int_equal(weft_pkey_cache_stage(c, (uint16_t)b, block), 0);
            for (weft_pkey key = 1; key <= 96; key++)
                compare_with_model(c, old, 96, key);
            if (b < 2)
                assert_int_equal(weft_pkey_cache_commit(c, NULL), WEFT_ERR_STATE);
        }
        /* thrown away the first time, so that nothing of it counts */
        if (round == 0) {
            weft_pkey_cache_discard(c);
            assert_int_equal(weft_pkey_cache_commit(c, NULL), WEFT_ERR_STATE);
        }
    }
    assert_int_equal(weft_pkey_cache_commit(c, NULL), 0);
    for (weft_pkey key = 1; key <= 96; key++)
        compare_with_model(c, new, 96, key);
    /* the next one begins from nothing */
    assert_int_equal(weft_pkey_cache_commit(c, NULL), WEFT_ERR_STATE);
    weft_pkey_cache_free(c);
}

static void test_a_change_names_its_blocks_and_counts_its_entries(void **state)
{
    weft_pkey keys[200] = {0xFFFF};
    struct weft_pkey_change change;
    struct weft_pkey_cache *c;

    (void)state;
    assert_int_equal(weft_pkey_cache_new(200, NULL, &c), 0);
    assert_int_equal(model_commit(c, keys, 0, &change), 0);
    assert_int_equal(change.generation, 1);
    assert_int_equal(change.entries, 1);
    assert_int_equal(change.blocks[0], 0x01);
    keys[5] = KEY_A;
    keys[31] = KEY_B;
    keys[199] = KEY_B_FULL;
    assert_int_equal(model_commit(c, keys, 0, &change), 0);
    assert_int_equal(change.generation, 2);
    assert_int_equal(change.entries, 3);
    assert_int_equal(change.blocks[0], 0x41);
    /* the same again */
    assert_int_equal(model_commit(c, keys, 0, &change), 0);
    assert_int_equal(change.generation, 3);
    assert_int_equal(change.entries, 0);
    assert_int_equal(change.blocks[0], 0);
    /* membership alone is a change */
    keys[5] = KEY_A_FULL;
    assert_int_equal(model_commit(c, keys, 0, &change), 0);
    assert_int_equal(change.entries, 1);
    weft_pkey_cache_free(c);
}

static void test_changes_since_any_generation(void **state)
{
    weft_pkey keys[96] = {0};
    struct weft_pkey_change change = {.entries = 99};
    struct weft_pkey_cache *c = pkey_cache(keys, 96);

    (void)state;
    pkey_write(c, 0, 0xFFFF);  /* generation 2 */
    pkey_write(c, 40, KEY_A);  /* 3 */
    pkey_write(c, 95, KEY_B);  /* 4 */
    pkey_write(c, 40, 0x0000); /* 5 */
    assert_int_equal(weft_pkey_cache_generation(c), 5);
    assert_int_equal(weft_pkey_cache_changes(c, 6, &change), WEFT_ERR_INVALID);
    assert_int_equal(change.entries, 99);
    assert_int_equal(weft_pkey_cache_changes(c, 5, &change), 0);
    assert_int_equal(change.entries, 0);
    assert_int_equal(weft_pkey_cache_changes(c, 4, &change), 0);
    assert_int_equal(change.blocks[0], 0x02);
    assert_int_equal(weft_pkey_cache_changes(c, 3, &change), 0);
    assert_int_equal(change.blocks[0], 0x06);
    assert_int_equal(weft_pkey_cache_changes(c, 0, &change), 0);
    assert_int_equal(change.entries, 3);
    assert_int_equal(change.blocks[0], 0x07);
    assert_int_equal(change.generation, 5);
    weft_pkey_cache_free(c);
}

static void test_a_block_that_is_set_replaces_the_table_at_once(void **state)
{
    weft_pkey keys[64] = {KEY_A_FULL}, block[WEFT_PKEY_BLOCK] = {0, KEY_A};
    struct weft_pkey_change change;
    struct weft_pkey_cache *c;

    (void)state;
    keys[63] = KEY_A;
    c = pkey_cache(keys, 64);
    assert_int_equal(weft_pkey_cache_set(c, 2, block, &change), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_cache_set(c, 0, block, &change), 0);
    assert_int_equal(change.entries, 2);
    assert_int_equal(change.generation, 2);
    /* the full form is gone; of the limited ones the first counts */
    assert_int_equal(model_ask(c, WEFT_PKEY_FIND, KEY_A_FULL), 1);
    assert_int_equal(model_ask(c, WEFT_PKEY_FIND_EXACT, KEY_A_FULL), NONE);
    weft_pkey_cache_free(c);
}

static void test_a_set_reaches_the_staged_table_too(void **state)
{
    weft_pkey keys[64] = {0}, set[WEFT_PKEY_BLOCK] = {KEY_B}, read[WEFT_PKEY_BLOCK] = {KEY_A};
    struct weft_pkey_cache *c = pkey_cache(keys, 64);

    (void)state;
    /* block 0 was read before it was set, block 1 is read afterwards */
    assert_int_equal(weft_pkey_cache_stage(c, 0, read), 0);
    assert_int_equal(weft_pkey_cache_set(c, 0, set, NULL), 0);
    assert_int_equal(weft_pkey_cache_set(c, 1, set, NULL), 0);
    assert_int_equal(weft_pkey_cache_commit(c, NULL), WEFT_ERR_STATE);
    assert_int_equal(weft_pkey_cache_stage(c, 1, read), 0);
    assert_int_equal(weft_pkey_cache_commit(c, NULL), 0);
    assert_int_equal(model_ask(c, WEFT_PKEY_FIND, KEY_B), 0);
    assert_int_equal(model_ask(c, WEFT_PKEY_FIND, KEY_A), 32);
    weft_pkey_cache_free(c);
}

static void test_random_stages_sets_and_discards_keep_to_the_model(void **state)
{
    struct prng g = {4};
    weft_pkey now[70] = {0}, next[96], block[WEFT_PKEY_BLOCK];
    bool staged[3] = {false};
    struct weft_pkey_cache *c = pkey_cache(now, 70);

    (void)state;
    for (int i = 0; i < 20000; i++) {
        uint32_t op = (uint32_t)prng_up_to(&g, 9), b = (uint32_t)prng_up_to(&g, 3);
        bool all = staged[0] && staged[1] && staged[2];

        for (uint32_t k = 0; k < WEFT_PKEY_BLOCK; k++)
            block[k] = model_key(&g, 5);
        if (op < 5) {
            assert_int_equal(weft_pkey_cache_stage(c, (uint16_t)b, block), b < 3 ? 0 : BAD);
            if (b < 3)
                memcpy(next + 32 * b, block, sizeof(block));
            staged[b % 3] = staged[b % 3] || b < 3;
        } else if (op < 8) {
            assert_int_equal(weft_pkey_cache_commit(c, NULL), all ? 0 : WEFT_ERR_STATE);
            if (all)
                memcpy(now, next, sizeof(now));
            memset(staged, 0, all ? sizeof(staged) : 0);
        } else if (op == 8 && b < 3) {
            assert_int_equal(weft_pkey_cache_set(c, (uint16_t)b, block, NULL), 0);
            memcpy(now + 32 * b, block, b < 2 ? sizeof(block) : 6 * sizeof(*now));
            memcpy(next + 32 * b, block, sizeof(block));
        } else if (op == 9) {
            weft_pkey_cache_discard(c);
            memset(staged, 0, sizeof(staged));
        }
        compare_with_model(c, now, 70, (weft_pkey)prng_up_to(&g, 6));
    }
    weft_pkey_cache_free(c);
}

static void test_lengths_that_no_table_has_are_refused(void **state)
{
    struct weft_pkey_cache *c = (struct weft_pkey_cache *)state;

    assert_int_equal(weft_pkey_cache_new(0, NULL, &c), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_cache_new(65537, NULL, &c), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_cache_new(UINT32_MAX, NULL, &c), WEFT_ERR_INVALID);
    assert_ptr_equal(c, state);
    assert_null(weft_pkey_cache_free(NULL));
}

static void test_memory_is_taken_once_and_given_back(void **state)
{
    struct pkey_memory memory = {0};
    struct weft_alloc a = pkey_memory_alloc(&memory);
    struct weft_pkey_cache *c = (struct weft_pkey_cache *)state;
    weft_pkey keys[64] = {0xFFFF};

    memory.empty = true;
    assert_int_equal(weft_pkey_cache_new(64, &a, &c), WEFT_ERR_NOMEM);
    assert_ptr_equal(c, state);
    memory.empty = false;
    assert_int_equal(weft_pkey_cache_new(64, &a, &c), 0);
    assert_in_range(memory.given, 131072, 131072 + 64 * 12 + 512);
    assert_int_equal(model_commit(c, keys, 0, NULL), 0);
    assert_int_equal(model_ask(c, WEFT_PKEY_FIND, 0xFFFF), 0);
    assert_int_equal(memory.gets, 2);
    assert_null(weft_pkey_cache_free(c));
    assert_int_equal(memory.given, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_R137_R138_R139_R140_R141_R155_each_lookup),
        cmocka_unit_test(test_R138_a_full_member_in_another_block_wins),
        cmocka_unit_test(test_R146_with_one_form_of_each_key_the_first_of_15_bits_is_found),
        cmocka_unit_test(test_R137_R155_random_tables_after_each_other_answer_as_the_model),
        cmocka_unit_test(test_the_longest_table_has_all_its_entries),
        cmocka_unit_test(test_the_tail_of_the_last_block_is_ignored),
        cmocka_unit_test(test_before_the_first_commit_there_is_no_table),
        cmocka_unit_test(test_R137_nobody_ever_sees_half_a_table),
        cmocka_unit_test(test_a_change_names_its_blocks_and_counts_its_entries),
        cmocka_unit_test(test_changes_since_any_generation),
        cmocka_unit_test(test_a_block_that_is_set_replaces_the_table_at_once),
        cmocka_unit_test(test_a_set_reaches_the_staged_table_too),
        cmocka_unit_test(test_random_stages_sets_and_discards_keep_to_the_model),
        cmocka_unit_test(test_lengths_that_no_table_has_are_refused),
        cmocka_unit_test(test_memory_is_taken_once_and_given_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
