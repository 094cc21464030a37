/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* "Did you mean": what is near enough to be meant, and what is not. */
#include "core/base/suggest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *nearest(const char *wrong)
{
    static const char *const known[] = {"topology", "storm", "seed", "sa-queue"};
    struct suggest near;

    suggest_start(&near, wrong);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        suggest_offer(&near, known[i]);
    return suggest_best(&near);
}

static void test_the_nearest_word_is_suggested(void **state)
{
    (void)state;
    assert_string_equal(nearest("strom"), "storm");
    assert_string_equal(nearest("topolgy"), "topology");
    assert_string_equal(nearest("sed"), "seed");
    assert_string_equal(nearest("esed"), "seed");
    assert_string_equal(nearest("sa_queue"), "sa-queue");
    assert_null(nearest(""));
    assert_null(nearest("x"));
    assert_null(nearest("fabric"));
    assert_null(nearest("foed")); /* half of the letters are wrong */
    assert_null(nearest("topologytopologytopologytopologytopology"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_nearest_word_is_suggested),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
