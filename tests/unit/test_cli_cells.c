/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows of tables: what cells say, how wide columns become, where cells stand, what is cut. */
#include "cli/cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* A table, and what is printed of it. */
struct page {
    struct cells c;
    char *text;
    size_t length;
};

static void page_start(struct page *p, const size_t *widths, size_t count)
{
    FILE *to = open_memstream(&p->text, &p->length);

    assert_non_null(to);
    cells_start(&p->c, widths, count, to);
}

static void page_end(struct page *p)
{
    cells_flush(&p->c);
    assert_int_equal(fclose(p->c.to), 0);
}

static void page_expect(struct page *p, const char *text)
{
    page_end(p);
    assert_string_equal(p->text, text);
    free(p->text);
}

static void test_cells_of_all_kinds_left_and_right(void **state)
{
    static const size_t widths[] = {8, 18, 3, 21, 4};
    char guid[CELLS_GUID_BYTES];
    struct page p;

    (void)state;
    page_start(&p, widths, 5);
    cells_row(&p.c);
    cells_string(&p.c, "leaf-");
    cells_number(&p.c, 40);
    cells_end(&p.c);
    cells_guid(0xFEDCBA9876543210, guid);
    cells_text(&p.c, guid, sizeof(guid));
    cells_end(&p.c);
    cells_number_right(&p.c, 0, false);
    cells_number_right(&p.c, UINT64_MAX, true);
    cells_text_right(&p.c, "1 B", 3, true);
    cells_string(&p.c, "behind\n");
    page_expect(&p, "leaf-40   0xfedcba9876543210    0  18446744073709551615+  1 B+  behind\n");
}

static void test_an_empty_cell_is_blank(void **state)
{
    static const size_t widths[] = {2, 3};
    struct page p;

    (void)state;
    page_start(&p, widths, 2);
    cells_row(&p.c);
    cells_end(&p.c);
    cells_end(&p.c);
    cells_string(&p.c, "\n");
    cells_row(&p.c);
    cells_string(&p.c, "a");
    cells_end(&p.c);
    cells_text_right(&p.c, "", 0, false);
    page_expect(&p, "         \na        ");
}

static void test_a_number_of_all_digits_may_stand_first(void **state)
{
    static const size_t width = 21;
    struct page p;

    (void)state;
    page_start(&p, &width, 1);
    cells_row(&p.c);
    cells_number_right(&p.c, UINT64_MAX, true);
    page_expect(&p, "18446744073709551615+  ");
}

static void test_the_widest_cell_counts(void **state)
{
    static const struct {
        uint64_t number;
        size_t digits;
    } rows[] = {{0, 1}, {9, 1}, {10, 2}, {999, 3}, {1000, 4}, {UINT64_MAX, DIGITS_MAX}};
    size_t width = 2;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(cells_digits(rows[i].number), rows[i].digits);
        cells_widen(&width, rows[i].digits);
        assert_int_equal(width, rows[i].digits < 2 ? 2 : rows[i].digits);
    }
    cells_widen(&width, 3);
    assert_int_equal(width, DIGITS_MAX);
}

static void test_what_is_longer_than_its_column_is_cut(void **state)
{
    static const size_t widths[] = {4, 3, 2};
    struct page p;

    (void)state;
    page_start(&p, widths, 3);
    cells_row(&p.c);
    cells_string(&p.c, "leaf-");
    cells_number(&p.c, 40);
    cells_end(&p.c);
    cells_text_right(&p.c, "12345", 5, true);
    cells_text_right(&p.c, "67", 2, false);
    page_expect(&p, "leaf  12+  67  ");
}

static void test_columns_end_where_a_row_does(void **state)
{
    static const size_t widths[] = {CELLS_ROW_BYTES, 7};
    struct page p;

    (void)state;
    page_start(&p, widths, 2);
    cells_row(&p.c);
    cells_end(&p.c);
    cells_text_right(&p.c, "lost", 4, true);
    page_end(&p);
    assert_int_equal(p.length, CELLS_ROW_BYTES);
    assert_int_equal(strspn(p.text, " "), CELLS_ROW_BYTES);
    free(p.text);
}

/* More than is kept, and behind the last column in the middle of a row, too. */
static void test_many_rows_come_out_whole(void **state)
{
    static const size_t widths[] = {4, 5};
    const uint32_t rows = 3 * CELLS_BYTES / 8;
    struct page p;
    const char *line;

    (void)state;
    page_start(&p, widths, 2);
    for (uint32_t i = 0; i < rows; i++) {
        cells_row(&p.c);
        cells_string(&p.c, "row");
        cells_end(&p.c);
        cells_number_right(&p.c, i, false);
        for (uint32_t k = 0; k < i % 97; k++)
            cells_string(&p.c, "x");
        cells_string(&p.c, "\n");
    }
    page_end(&p);
    line = p.text;
    for (uint32_t i = 0; i < rows; i++) {
        char expected[32];
        int length = snprintf(expected, sizeof(expected), "row   %5u  ", i);

        assert_memory_equal(line, expected, (size_t)length);
        line += length;
        assert_int_equal(strspn(line, "x"), i % 97);
        line += i % 97;
        assert_int_equal(*line++, '\n');
    }
    assert_int_equal(*line, '\0');
    free(p.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells_of_all_kinds_left_and_right),
        cmocka_unit_test(test_an_empty_cell_is_blank),
        cmocka_unit_test(test_a_number_of_all_digits_may_stand_first),
        cmocka_unit_test(test_the_widest_cell_counts),
        cmocka_unit_test(test_what_is_longer_than_its_column_is_cut),
        cmocka_unit_test(test_columns_end_where_a_row_does),
        cmocka_unit_test(test_many_rows_come_out_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
