/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What lists of findings have in common. */
#include "findings/list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_there_is_always_room_and_nothing_moves_within(void **state)
{
    uint32_t *items = NULL;
    size_t space = 0;

    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        items = findings_grow(items, i, &space, sizeof(*items));
        assert_non_null(items);
        assert_true(space > i);
        items[i] = i;
    }
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
    assert_true(space < 2048);
    free(items);
}

static void test_a_list_with_room_stays_where_it_is(void **state)
{
    char items[4];
    size_t space = sizeof(items);

    (void)state;
    assert_ptr_equal(findings_grow(items, 3, &space, 1), items);
    assert_int_equal(space, sizeof(items));
}

static char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

static char *text_of(const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = findings_text(format, args);
    va_end(args);
    assert_non_null(text);
    return text;
}

static void test_texts_are_safe_to_print(void **state)
{
    char *text = text_of("line %d says \"%s\"", 3, "\x1b[2J\xff");

    (void)state;
    assert_string_equal(text, "line 3 says \"\\x1b[2J\\xff\"");
    free(text);
    text = text_of("%s", "");
    assert_string_equal(text, "");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_is_always_room_and_nothing_moves_within),
        cmocka_unit_test(test_a_list_with_room_stays_where_it_is),
        cmocka_unit_test(test_texts_are_safe_to_print),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
