/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The generator: the same numbers on every machine, and no value of a range likelier than another.
 */
#include "core/base/prng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define DRAWS 60000

static void test_the_sequence_is_that_of_splitmix64(void **state)
{
    /* The first outputs for seed 1234567, as published with the algorithm. */
    static const uint64_t wanted[] = {6457827717110365317u, 3203168211198807973u,
                                      9817491932198370423u, 4593380528125082431u,
                                      16408922859458223821u};
    struct prng g = {1234567};

    (void)state;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        assert_true(prng_next(&g) == wanted[i]);
}

static void test_both_ends_of_a_range_are_drawn_and_nothing_beyond(void **state)
{
    static const uint64_t tops[] = {0, 1, 2, 6, 510, 511};

    (void)state;
    for (size_t i = 0; i < sizeof(tops) / sizeof(tops[0]); i++) {
        struct prng g = {i};
        int low = 0, high = 0;

        for (int n = 0; n < DRAWS; n++) {
            uint64_t v = prng_up_to(&g, tops[i]);

            assert_true(v <= tops[i]);
            low += v == 0;
            high += v == tops[i];
        }
        assert_true(low > 0 && high > 0);
    }
}

static void test_a_range_that_does_not_divide_the_word_is_even(void **state)
{
    struct prng g = {9};
    int count[3] = {0};

    (void)state;
    for (int n = 0; n < DRAWS; n++)
        count[prng_up_to(&g, 2)]++;
    for (int i = 0; i < 3; i++)
        assert_in_range(count[i], DRAWS / 3 - DRAWS / 60, DRAWS / 3 + DRAWS / 60);
}

static void test_the_largest_range_is_every_word(void **state)
{
    struct prng g = {5}, same = {5};

    (void)state;
    assert_true(prng_up_to(&g, UINT64_MAX) == prng_next(&same));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_sequence_is_that_of_splitmix64),
        cmocka_unit_test(test_both_ends_of_a_range_are_drawn_and_nothing_beyond),
        cmocka_unit_test(test_a_range_that_does_not_divide_the_word_is_even),
        cmocka_unit_test(test_the_largest_range_is_every_word),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
