/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A library that is there, one that is not, and one that lacks a function. */
#include "library/library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

/* In another order than the library has them. */
#define ZLIB_FUNCTIONS(F)                                                                          \
    F(zlibVersion)                                                                                 \
    F(adler32)                                                                                     \
    F(crc32)

static const char *const names[] = {ZLIB_FUNCTIONS(LIBRARY_NAME)};

struct functions {
    ZLIB_FUNCTIONS(LIBRARY_POINTER)
};
LIBRARY_CHECK(struct functions, names);

static const Bytef sample[] = "123456789";

static void test_each_pointer_is_the_function_of_its_name(void **state)
{
    const struct library zlib = {"libz.so.1", "zlib1g", names, 3};
    char text[LIBRARY_TEXT_BYTES] = "";
    struct functions libz;

    (void)state;
    assert_true(library_load(&zlib, &libz, text));
    assert_string_equal(text, "");
    assert_string_equal(libz.zlibVersion(), ZLIB_VERSION);
    assert_int_equal(libz.crc32(0, sample, 9), 0xcbf43926);
    assert_int_equal(libz.adler32(1, sample, 9), 0x091e01de);
}

static void test_a_library_that_is_not_there_is_named_with_its_package(void **state)
{
    const struct library none = {"libweft-none.so.7", "libweft-none7", names, 3};
    char text[LIBRARY_TEXT_BYTES] = "";
    struct functions libz;

    (void)state;
    assert_false(library_load(&none, &libz, text));
    assert_non_null(strstr(text, "libweft-none.so.7 cannot be loaded"));
    assert_non_null(strstr(text, "package libweft-none7"));
}

static void test_a_function_that_is_not_there_is_named(void **state)
{
    static const char *const others[] = {"crc32", "weft_none"};
    const struct library zlib = {"libz.so.1", "zlib1g", others, 2};
    char text[LIBRARY_TEXT_BYTES] = "";
    void (*pointers[2])(void);

    (void)state;
    assert_false(library_load(&zlib, pointers, text));
    assert_non_null(strstr(text, "libz.so.1 cannot be loaded"));
    assert_non_null(strstr(text, "weft_none"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_pointer_is_the_function_of_its_name),
        cmocka_unit_test(test_a_library_that_is_not_there_is_named_with_its_package),
        cmocka_unit_test(test_a_function_that_is_not_there_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
