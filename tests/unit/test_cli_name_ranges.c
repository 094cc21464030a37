/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names as ranges. */
#include "cli/name_ranges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NAMES_MAX 16

struct row {
    const char *names[NAMES_MAX];
    size_t items_max;
    const char *text;
    size_t left;
};

static const struct row rows[] = {
    {{NULL}, 0, "", 0},
    {{"a"}, 0, "a", 0},
    {{"host-1"}, 0, "host-1", 0},
    {{"host-3", "host-1", "host-2"}, 0, "host-[1-3]", 0},
    {{"host-3", "host-1"}, 0, "host-[1,3]", 0},
    {{"h-00001", "h-00002", "h-00004", "h-00005", "h-00009"},
     0,
     "h-[00001-00002,00004-00005,00009]",
     0},
    {{"h9", "h10", "h11"}, 0, "h9, h[10-11]", 0},
    {{"n1 HCA-1", "n2 HCA-1"}, 0, "n1 HCA-1, n2 HCA-1", 0},
    {{"n1-ib", "n2-ib", "n3"}, 0, "n3, n[1-2]-ib", 0},
    {{"leaf-1/1", "leaf-1/2", "leaf-2/1"}, 0, "leaf-1/[1-2], leaf-2/1", 0},
    {{"b", "a", "1"}, 0, "1, a, b", 0},
    {{"7", "8"}, 0, "[7-8]", 0},
    {{"h001", "h01", "h1"}, 0, "h1, h01, h001", 0},
    /* Numbers of more than 18 digits are words. */
    {{"x1234567890123456789", "x1234567890123456788"},
     0,
     "x1234567890123456788, x1234567890123456789",
     0},
    {{"x999999999999999999", "x999999999999999998"},
     0,
     "x[999999999999999998-999999999999999999]",
     0},
    {{"0x0000000000000002", "0x0000000000000003"}, 0, "0x0000000000000002, 0x0000000000000003", 0},
    {{"a", "b", "c", "d"}, 2, "a, b", 2},
    {{"h1", "h3", "h5", "h7", "h8"}, 4, "h[1,3,5,7-8]", 0},
    {{"h1", "h3", "h5", "h7", "h8", "i"}, 3, "h[1,3,5]", 3},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *names[NAMES_MAX];
        size_t count = 0;
        size_t left = 99;
        char *text;

        while (count < NAMES_MAX && rows[i].names[count]) {
            names[count] = rows[i].names[count];
            count++;
        }
        text = name_ranges(names, count, rows[i].items_max, &left);
        assert_non_null(text);
        assert_string_equal(text, rows[i].text);
        assert_int_equal(left, rows[i].left);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
