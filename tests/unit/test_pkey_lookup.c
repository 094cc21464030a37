/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lookups in a table that is read block by block: the cache's answers, in whatever order blocks
 * arrive, and no block more than needed. */
#include "pkey_fixture.h"

#define NONE  WEFT_ERR_NOTFOUND
#define STATE WEFT_ERR_STATE
#define LOST  WEFT_ERR_FORMAT

static void feed(struct weft_pkey_lookup *l, uint16_t block, const weft_pkey *keys, uint32_t count)
{
    weft_pkey entries[WEFT_PKEY_BLOCK];

    model_block(keys, count, block, 0, entries);
    assert_int_equal(weft_pkey_lookup_feed(l, block, entries), 0);
}

static int result(const struct weft_pkey_lookup *l)
{
    uint16_t index = 0xBEEF;
    int err = weft_pkey_lookup_result(l, &index);

    if (err < 0)
        assert_int_equal(index, 0xBEEF);
    return err < 0 ? err : index;
}

static void test_R137_R155_cached_and_not_cached_answer_alike(void **state)
{
    static const uint32_t lengths[] = {1, 31, 32, 33, 64, 100, 128};
    struct prng g = {137};
    weft_pkey keys[128];

    (void)state;
    for (uint32_t n = 0; n < COUNT(lengths); n++) {
        uint32_t count = lengths[n], partitions = count / 2 + 1;

        for (int round = 0; round < 30; round++) {
            struct weft_pkey_cache *c;

            for (uint32_t i = 0; i < count; i++)
                keys[i] = model_key(&g, partitions);
            c = pkey_cache(keys, count);
            for (uint32_t key = 0; key <= partitions + 1; key++) {
                for (int form = 0; form < 4; form++) {
                    weft_pkey asked = (weft_pkey)(form & 1 ? key | WEFT_PKEY_FULL : key);
                    enum weft_pkey_find find = form & 2 ? WEFT_PKEY_FIND : WEFT_PKEY_FIND_EXACT;
                    int answer = model_find(keys, count, find, asked);

                    assert_int_equal(model_ask(c, find, asked), answer);
                    assert_int_equal(model_read(find, asked, keys, count, asked), answer);
                }
            }
            weft_pkey_cache_free(c);
        }
    }
}

/* What one block after the other would answer when some cannot be read. */
static int model_failing(enum weft_pkey_find find, weft_pkey key, const weft_pkey *keys,
                         uint32_t count, const bool *failing)
{
    weft_pkey sure = find == WEFT_PKEY_FIND ? key | WEFT_PKEY_FULL : key;

    for (uint32_t i = 0; i < count; i++) {
        if (failing[i / WEFT_PKEY_BLOCK])
            return LOST;
        if (keys[i] == sure)
            return (int)i;
    }
    return model_find(keys, count, find, key);
}

static void test_R137_the_order_of_arrival_and_failures_does_not_matter(void **state)
{
    struct prng g = {155};
    weft_pkey keys[300];

    (void)state;
    for (int round = 0; round < 20000; round++) {
        enum weft_pkey_find find = prng_up_to(&g, 1) ? WEFT_PKEY_FIND : WEFT_PKEY_FIND_EXACT;
        uint32_t count = (uint32_t)(1 + prng_up_to(&g, COUNT(keys) - 1)), waiting = 0;
        weft_pkey key = (weft_pkey)(1 + prng_up_to(&g, 99));
        bool failing[10];
        uint16_t asked[10], block;
        struct weft_pkey_lookup l;

        for (uint32_t i = 0; i < count; i++)
            keys[i] = prng_up_to(&g, 3) ? 0 : model_key(&g, 100);
        for (uint32_t i = 0; i < 10; i++)
            failing[i] = prng_up_to(&g, 9) == 0;
        key = prng_up_to(&g, 1) ? key : key | WEFT_PKEY_FULL;
        assert_int_equal(
            weft_pkey_lookup_init(&l, find, key, count, (uint32_t)(1 + prng_up_to(&g, 9))), 0);
        for (;;) {
            uint32_t pick;

            while (weft_pkey_lookup_poll(&l, &block))
                asked[waiting++] = block;
            if (waiting == 0)
                break;
            pick = (uint32_t)prng_up_to(&g, waiting - 1);
            block = asked[pick];
            asked[pick] = asked[--waiting];
            if (failing[block])
                assert_int_equal(weft_pkey_lookup_fail(&l, block, LOST), 0);
            else
                feed(&l, block, keys, count);
        }
        assert_int_equal(result(&l), model_failing(find, key, keys, count, failing));
    }
}

static void test_R138_a_full_member_ends_the_reading_a_limited_one_does_not(void **state)
{
    weft_pkey keys[128] = {0};
    struct weft_pkey_lookup l;
    uint16_t block;

    (void)state;
    keys[1] = KEY_A;
    keys[70] = KEY_A_FULL;
    assert_int_equal(weft_pkey_lookup_init(&l, WEFT_PKEY_FIND, KEY_A, 128, 1), 0);
    for (uint16_t b = 0; b < 3; b++) {
        assert_int_equal(result(&l), STATE);
        assert_true(weft_pkey_lookup_poll(&l, &block));
        assert_int_equal(block, b);
        /* one at a time, as configured */
        assert_false(weft_pkey_lookup_poll(&l, &block));
        feed(&l, b, keys, 128);
    }
    assert_false(weft_pkey_lookup_poll(&l, &block));
    assert_int_equal(result(&l), 70);
}

static void test_R141_an_exact_lookup_ends_at_its_key(void **state)
{
    weft_pkey keys[128] = {0};
    struct weft_pkey_lookup l;
    uint16_t block;

    (void)state;
    keys[1] = KEY_A_FULL;
    keys[40] = KEY_A;
    assert_int_equal(weft_pkey_lookup_init(&l, WEFT_PKEY_FIND_EXACT, KEY_A, 128, 1), 0);
    for (uint16_t b = 0; b < 2; b++) {
        assert_true(weft_pkey_lookup_poll(&l, &block));
        feed(&l, b, keys, 128);
    }
    assert_false(weft_pkey_lookup_poll(&l, &block));
    assert_int_equal(result(&l), 40);
}

static void test_what_lies_behind_the_answer_is_not_waited_for(void **state)
{
    weft_pkey keys[128] = {0};
    struct weft_pkey_lookup l;
    uint16_t block;

    (void)state;
    keys[40] = KEY_A_FULL;
    keys[100] = KEY_A_FULL;
    assert_int_equal(weft_pkey_lookup_init(&l, WEFT_PKEY_FIND, KEY_A, 128, 4), 0);
    for (uint16_t b = 0; b < 4; b++)
        assert_true(weft_pkey_lookup_poll(&l, &block));
    feed(&l, 3, keys, 128);
    assert_int_equal(result(&l), STATE);
    feed(&l, 1, keys, 128);
    assert_int_equal(result(&l), STATE);
    feed(&l, 0, keys, 128);
    assert_int_equal(result(&l), 40);
    /* the last one comes late, and changes nothing */
    feed(&l, 2, keys, 128);
    assert_int_equal(result(&l), 40);
}

static void test_a_failure_ends_the_lookup_unless_an_earlier_block_decides(void **state)
{
    weft_pkey keys[96] = {0};
    struct weft_pkey_lookup l;
    uint16_t block;

    (void)state;
    keys[0] = KEY_A;
    keys[1] = KEY_B_FULL;
    for (int round = 0; round < 2; round++) {
        assert_int_equal(weft_pkey_lookup_init(&l, WEFT_PKEY_FIND, round ? KEY_B : KEY_A, 96, 3),
                         0);
        for (int i = 0; i < 3; i++)
            assert_true(weft_pkey_lookup_poll(&l, &block));
        assert_int_equal(weft_pkey_lookup_fail(&l, 1, LOST), 0);
        assert_int_equal(result(&l), STATE);
        feed(&l, 0, keys, 96);
        /* a limited member is no answer as long as a full one might stand in what failed */
        assert_int_equal(result(&l), round ? 1 : LOST);
        assert_int_equal(weft_pkey_lookup_fail(&l, 2, WEFT_ERR_FULL), 0);
        assert_int_equal(result(&l), round ? 1 : LOST);
    }
}

/* Whatever the error is called, it is no answer to the question. */
static void test_a_failure_named_NOTFOUND_hides_a_limited_member_too(void **state)
{
    weft_pkey keys[64] = {KEY_A};
    struct weft_pkey_lookup l;
    uint16_t block;

    (void)state;
    assert_int_equal(weft_pkey_lookup_init(&l, WEFT_PKEY_FIND, KEY_A, 64, 1), 0);
    assert_true(weft_pkey_lookup_poll(&l, &block));
    feed(&l, 0, keys, 64);
    assert_true(weft_pkey_lookup_poll(&l, &block));
    assert_int_equal(weft_pkey_lookup_fail(&l, 1, NONE), 0);
    assert_int_equal(result(&l), NONE);
}

static void test_a_block_that_is_not_waited_for_is_refused(void **state)
{
    weft_pkey keys[WEFT_PKEY_BLOCK] = {KEY_A_FULL};
    struct weft_pkey_lookup l;
    uint16_t block;

    (void)state;
    assert_int_equal(weft_pkey_lookup_init(&l, WEFT_PKEY_FIND, KEY_A, 64, 1), 0);
    assert_int_equal(weft_pkey_lookup_feed(&l, 0, keys), STATE);
    assert_true(weft_pkey_lookup_poll(&l, &block));
    assert_int_equal(weft_pkey_lookup_feed(&l, 1, keys), STATE);
    assert_int_equal(weft_pkey_lookup_feed(&l, UINT16_MAX, keys), STATE);
    assert_int_equal(weft_pkey_lookup_fail(&l, 1, LOST), STATE);
    assert_int_equal(weft_pkey_lookup_fail(&l, 0, 0), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_lookup_fail(&l, 0, STATE), WEFT_ERR_INVALID);
    assert_int_equal(result(&l), STATE);
    assert_int_equal(weft_pkey_lookup_feed(&l, 0, keys), 0);
    assert_int_equal(weft_pkey_lookup_feed(&l, 0, keys), STATE);
    assert_int_equal(result(&l), 0);
}

static void test_the_longest_table_is_read_to_its_end(void **state)
{
    weft_pkey *keys = test_calloc(65536, sizeof(*keys));

    (void)state;
    keys[65535] = KEY_B;
    assert_int_equal(model_read(WEFT_PKEY_FIND, KEY_B_FULL, keys, 65536, 0), 65535);
    assert_int_equal(model_read(WEFT_PKEY_FIND_EXACT, KEY_B_FULL, keys, 65536, 0), NONE);
    /* shorter by one, the entry is in the tail */
    assert_int_equal(model_read(WEFT_PKEY_FIND, KEY_B, keys, 65535, KEY_B), NONE);
    test_free(keys);
}

static void test_a_lookup_that_makes_no_sense_is_refused(void **state)
{
    struct weft_pkey_lookup l = {.window = 77};

    (void)state;
    assert_int_equal(weft_pkey_lookup_init(&l, WEFT_PKEY_FIND, 0x0000, 32, 1), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_lookup_init(&l, WEFT_PKEY_FIND, 0x8000, 32, 1), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_lookup_init(&l, WEFT_PKEY_FIND, KEY_A, 0, 1), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_lookup_init(&l, WEFT_PKEY_FIND, KEY_A, 65537, 1), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_lookup_init(&l, WEFT_PKEY_FIND, KEY_A, 32, 0), WEFT_ERR_INVALID);
    assert_int_equal(weft_pkey_lookup_init(&l, (enum weft_pkey_find)2, KEY_A, 32, 1),
                     WEFT_ERR_INVALID);
    assert_int_equal(l.window, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_R137_R155_cached_and_not_cached_answer_alike),
        cmocka_unit_test(test_R137_the_order_of_arrival_and_failures_does_not_matter),
        cmocka_unit_test(test_R138_a_full_member_ends_the_reading_a_limited_one_does_not),
        cmocka_unit_test(test_R141_an_exact_lookup_ends_at_its_key),
        cmocka_unit_test(test_what_lies_behind_the_answer_is_not_waited_for),
        cmocka_unit_test(test_a_failure_ends_the_lookup_unless_an_earlier_block_decides),
        cmocka_unit_test(test_a_failure_named_NOTFOUND_hides_a_limited_member_too),
        cmocka_unit_test(test_a_block_that_is_not_waited_for_is_refused),
        cmocka_unit_test(test_the_longest_table_is_read_to_its_end),
        cmocka_unit_test(test_a_lookup_that_makes_no_sense_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
