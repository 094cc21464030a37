/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Host lists as Slurm reads them. */
#include "topology/hostlist.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_list(const char *words, const char *wanted)
{
    char copy[512];
    const char *names[32];
    size_t count = 0;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    assert_non_null(out);
    assert_in_range(strlen(words), 0, sizeof(copy) - 1);
    memcpy(copy, words, strlen(words) + 1);
    for (char *word = copy; *word != '\0'; word += strspn(word, " ")) {
        names[count++] = word;
        word += strcspn(word, " ");
        if (*word == ' ')
            *word++ = '\0';
    }
    topo_write_hostlist(names, count, out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, wanted);
    free(text);
}

static void test_numbers_become_ranges(void **state)
{
    (void)state;
    assert_list("", "");
    assert_list("node1", "node1");
    assert_list("node003 node001 node002", "node[001-003]");
    assert_list("node001 node003 node004 node007", "node[001,003-004,007]");
    assert_list("b1 a1 a2 b2", "a[1-2],b[1-2]");
    assert_list("login node1 node2", "login,node[1-2]");
}

static void test_a_range_grows_digits_as_its_reader_does(void **state)
{
    (void)state;
    assert_list("n8 n9 n10 n11", "n[8-11]");
    assert_list("n08 n09 n10 n11", "n[08-11]");
    assert_list("n99 n100", "n[99-100]");
    assert_list("n099 n100", "n[099-100]");
    assert_list("n099 n0100", "n[099,0100]");
    assert_list("n1 n01 n2 n02", "n[01-02,1-2]");
}

static void test_brackets_stand_at_the_end_only(void **state)
{
    (void)state;
    assert_list("n1-ib n2-ib", "n1-ib,n2-ib");
    assert_list("r1n1 r1n2 r2n1", "r1n[1-2],r2n1");
}

static void test_what_is_no_number_stays_a_word(void **state)
{
    (void)state;
    assert_list("1 2 3", "1,2,3");
    assert_list("n1234567890 n1234567891", "n1234567890,n1234567891");
    assert_list("n999999998 n999999999", "n[999999998-999999999]");
    assert_list("n n0", "n,n0");
}

static void test_a_name_is_written_once(void **state)
{
    (void)state;
    assert_list("a1 a1 a2 b b", "a[1-2],b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_become_ranges),
        cmocka_unit_test(test_a_range_grows_digits_as_its_reader_does),
        cmocka_unit_test(test_brackets_stand_at_the_end_only),
        cmocka_unit_test(test_what_is_no_number_stays_a_word),
        cmocka_unit_test(test_a_name_is_written_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
