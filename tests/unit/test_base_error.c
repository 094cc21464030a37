/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/core/base/error.c: every error has its own sentence. */
#include <weft/base.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_every_error_has_its_own_sentence(void **state)
{
    (void)state;
    for (int err = 0; err >= WEFT_ERR_FORMAT; err--) {
        assert_string_not_equal(weft_strerror(err), "unknown error");
        for (int other = 0; other > err; other--)
            assert_string_not_equal(weft_strerror(err), weft_strerror(other));
    }
}

static void test_sentences_have_no_full_stop(void **state)
{
    (void)state;
    for (int err = 0; err >= WEFT_ERR_FORMAT; err--) {
        const char *sentence = weft_strerror(err);

        assert_int_not_equal(sentence[strlen(sentence) - 1], '.');
    }
}

static void test_unknown_errors_are_said_to_be_unknown(void **state)
{
    static const int unknown[] = {1, WEFT_ERR_FORMAT - 1, INT32_MAX, INT32_MIN};

    (void)state;
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
        assert_string_equal(weft_strerror(unknown[i]), "unknown error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_error_has_its_own_sentence),
        cmocka_unit_test(test_sentences_have_no_full_stop),
        cmocka_unit_test(test_unknown_errors_are_said_to_be_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
