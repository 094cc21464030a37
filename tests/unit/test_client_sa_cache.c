/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Paths that are kept: found by the question, until they expire or are the oldest. */
#include "client/sa_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint8_t wanted[3][SA_PATH_BYTES], path[3][SA_PATH_BYTES];

static int setup(void **state)
{
    (void)state;
    for (uint8_t i = 0; i < 3; i++) {
        wanted[i][5] = i;
        path[i][40] = (uint8_t)(i + 1);
    }
    return 0;
}

static void put(struct sa_cache *c, weft_time now, uint64_t mask, int i)
{
    sa_cache_put(c, now, mask, wanted[i], path[i]);
}

static bool knows(const struct sa_cache *c, weft_time now, uint64_t mask, int i)
{
    const uint8_t *found = sa_cache_find(c, now, mask, wanted[i]);

    if (found)
        assert_int_equal(found[40], i + 1);
    return found != NULL;
}

static void test_an_answer_is_found_by_its_question(void **state)
{
    struct sa_cache *c = sa_cache_new(10, 100, NULL);

    (void)state;
    assert_false(knows(c, 0, 1, 0));
    put(c, 0, 1, 0);
    put(c, 0, 1, 1);
    assert_true(knows(c, 0, 1, 0));
    assert_true(knows(c, 0, 1, 1));
    assert_false(knows(c, 0, 1, 2));
    assert_false(knows(c, 0, 2, 0)); /* the same record with another mask is another question */
    sa_cache_clear(c);
    assert_false(knows(c, 0, 1, 0));
    assert_null(sa_cache_free(c));
    assert_null(sa_cache_free(NULL));
}

static void test_it_expires_and_a_new_answer_counts_anew(void **state)
{
    struct sa_cache *c = sa_cache_new(10, 100, NULL);

    (void)state;
    put(c, 50, 1, 0);
    assert_true(knows(c, 149, 1, 0));
    assert_false(knows(c, 150, 1, 0));
    put(c, 150, 1, 0);
    assert_true(knows(c, 249, 1, 0));
    (void)sa_cache_free(c);
    c = sa_cache_new(10, WEFT_TIME_NEVER, NULL);
    put(c, 50, 1, 0);
    assert_true(knows(c, WEFT_TIME_NEVER - 1, 1, 0));
    (void)sa_cache_free(c);
}

static void test_the_oldest_goes_when_it_is_full(void **state)
{
    struct sa_cache *c = sa_cache_new(2, 1000, NULL);

    (void)state;
    for (int round = 0; round < 5; round++) {
        put(c, 0, 1, 0);
        put(c, 0, 1, 1);
        put(c, 0, 1, 2);
        assert_true(knows(c, 0, 1, 2));
        assert_int_equal(knows(c, 0, 1, 0) + knows(c, 0, 1, 1), 1);
    }
    (void)sa_cache_free(c);
}

static void test_one_without_room_keeps_nothing(void **state)
{
    struct sa_cache *c = sa_cache_new(0, 1000, NULL);

    (void)state;
    put(c, 0, 1, 0);
    assert_false(knows(c, 0, 1, 0));
    (void)sa_cache_free(c);
}

/* However many there were, the last ones are known, also where several share a chain. */
static void test_those_put_last_are_known_in_every_order(void **state)
{
    enum {
        SPACE = 8
    };
    struct sa_cache *c = sa_cache_new(SPACE, 1000, NULL);
    uint8_t question[SA_PATH_BYTES] = {0}, answer[SA_PATH_BYTES] = {0};

    (void)state;
    for (unsigned i = 0; i < 300; i++) {
        question[0] = (uint8_t)i;
        question[1] = (uint8_t)(i >> 8);
        answer[7] = (uint8_t)i;
        sa_cache_put(c, 0, 1, question, answer);
        for (unsigned k = i < SPACE ? 0 : i - SPACE; k <= i; k++) {
            const uint8_t *found;

            question[0] = (uint8_t)k;
            question[1] = (uint8_t)(k >> 8);
            found = sa_cache_find(c, 0, 1, question);
            assert_int_equal(found != NULL, k + SPACE > i);
            if (found)
                assert_int_equal(found[7], (uint8_t)k);
        }
    }
    (void)sa_cache_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_answer_is_found_by_its_question),
        cmocka_unit_test(test_it_expires_and_a_new_answer_counts_anew),
        cmocka_unit_test(test_the_oldest_goes_when_it_is_full),
        cmocka_unit_test(test_one_without_room_keeps_nothing),
        cmocka_unit_test(test_those_put_last_are_known_in_every_order),
    };

    return cmocka_run_group_tests(tests, setup, NULL);
}
