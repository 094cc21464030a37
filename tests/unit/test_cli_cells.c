/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows of tables: what cells say, how wide columns become, where cells stand, what is cut. */
#include "cli/cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What is printed of a row, to be freed. */
static char *printed(const struct cells *c, const size_t *widths, size_t left)
{
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);

    assert_non_null(to);
    cells_print(c, widths, left, to);
    assert_int_equal(fclose(to), 0);
    return text;
}

static void add(struct cells *c, const char *text)
{
    cells_text(c, text);
    cells_end(c);
}

static void test_cells_of_all_kinds_left_and_right(void **state)
{
    struct cells c;
    size_t widths[4] = {0, 20, 0, 21};
    char *text;

    (void)state;
    cells_clear(&c);
    cells_text(&c, "leaf-");
    cells_number(&c, 40);
    cells_end(&c);
    cells_guid(&c, 0xFEDCBA9876543210);
    cells_end(&c);
    cells_number(&c, 0);
    cells_end(&c);
    cells_number(&c, UINT64_MAX);
    cells_end(&c);
    cells_widen(&c, widths);
    assert_int_equal(widths[0], 7);
    assert_int_equal(widths[1], 20);
    assert_int_equal(widths[2], 1);
    text = printed(&c, widths, 2);
    assert_string_equal(text, "leaf-40  0xfedcba9876543210    0   18446744073709551615  ");
    free(text);
}

static void test_the_widest_cell_counts_and_an_empty_one_is_blank(void **state)
{
    static const size_t wide[] = {0, 1, 31, 32, 33, 64, 100};
    struct cells c;
    char *text;

    (void)state;
    for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++) {
        size_t widths[2] = {wide[i], 0};

        cells_clear(&c);
        add(&c, "");
        add(&c, "x");
        cells_widen(&c, widths);
        assert_int_equal(widths[0], wide[i]);
        text = printed(&c, widths, i % 2);
        assert_int_equal(strlen(text), wide[i] + 2 + 1 + 2);
        assert_int_equal(strspn(text, " "), wide[i] + 2);
        free(text);
    }
}

static void test_what_does_not_fit_is_cut(void **state)
{
    struct cells c;
    size_t widths[2] = {0};

    (void)state;
    cells_clear(&c);
    for (size_t i = 0; i < CELLS_BYTES / 4 - 1; i++)
        cells_text(&c, "abcd");
    cells_end(&c);
    cells_number(&c, 1234567);
    cells_text(&c, "more");
    cells_end(&c);
    cells_widen(&c, widths);
    assert_int_equal(widths[0], CELLS_BYTES - 4);
    assert_int_equal(widths[1], 4);
    assert_memory_equal(c.text + CELLS_BYTES - 4, "1234", 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells_of_all_kinds_left_and_right),
        cmocka_unit_test(test_the_widest_cell_counts_and_an_empty_one_is_blank),
        cmocka_unit_test(test_what_does_not_fit_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
