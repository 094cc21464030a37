/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/core/base/version.c: the library tells the version it was built as. */
#include <weft/base.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_the_version_is_that_of_the_build(void **state)
{
    const char *wanted = getenv("WEFT_VERSION");

    (void)state;
    assert_non_null(wanted);
    assert_string_equal(weft_version(), wanted);
}

static void test_the_version_has_three_numbers(void **state)
{
    const char *version = weft_version();
    size_t dots = 0;

    (void)state;
    assert_int_equal(strspn(version, "0123456789."), strlen(version));
    for (const char *c = version; *c != '\0'; c++)
        dots += *c == '.';
    assert_int_equal(dots, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_version_is_that_of_the_build),
        cmocka_unit_test(test_the_version_has_three_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
