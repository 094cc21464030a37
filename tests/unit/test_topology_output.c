/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text that is put together without formats. */
#include "topology/output.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *written;
static size_t length;

static struct output begin(void)
{
    struct output o;

    output_start(&o, open_memstream(&written, &length));
    assert_non_null(o.out);
    return o;
}

static void assert_ends_as(struct output *o, const char *wanted)
{
    output_flush(o);
    assert_int_equal(fclose(o->out), 0);
    assert_string_equal(written, wanted);
    free(written);
}

static void test_numbers_are_those_of_printf(void **state)
{
    static const uint64_t numbers[] = {0, 1, 9, 10, 15, 16, 255, UINT64_C(1) << 32, UINT64_MAX};
    char wanted[1024] = "";
    struct output o = begin();

    (void)state;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        size_t at = strlen(wanted);

        (void)snprintf(wanted + at, sizeof(wanted) - at, "%" PRIu64 " %" PRIx64 " %016" PRIx64 ";",
                       numbers[i], numbers[i], numbers[i]);
        output_number(&o, numbers[i]);
        output_text(&o, " ");
        output_hex(&o, numbers[i], 1);
        output_text(&o, " ");
        output_hex(&o, numbers[i], 16);
        output_text(&o, ";");
    }
    assert_ends_as(&o, wanted);
}

/* Of every length around what is kept, behind every rest. */
static void test_no_text_is_too_long(void **state)
{
    char text[OUTPUT_BYTES + 3], wanted[2 * OUTPUT_BYTES + 8];

    (void)state;
    for (size_t before = 0; before <= OUTPUT_BYTES; before += OUTPUT_BYTES / 4)
        for (size_t bytes = OUTPUT_BYTES - 2; bytes < sizeof(text); bytes++) {
            struct output o = begin();

            memset(text, 'a', before);
            text[before] = '\0';
            memcpy(wanted, text, before);
            output_text(&o, text);
            memset(text, 'b', bytes);
            text[bytes] = '\0';
            memcpy(wanted + before, text, bytes);
            output_text(&o, text);
            output_text(&o, "c");
            memcpy(wanted + before + bytes, "c", 2);
            assert_ends_as(&o, wanted);
        }
}

static void test_nothing_is_nothing(void **state)
{
    struct output o = begin();

    (void)state;
    output_text(&o, "");
    assert_ends_as(&o, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_those_of_printf),
        cmocka_unit_test(test_no_text_is_too_long),
        cmocka_unit_test(test_nothing_is_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
