/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* src/core/mad/names.c: every value of a public enumeration has a name of its own. */
#include <weft/mad.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *state_name(int value)
{
    return weft_mad_state_name((enum weft_mad_state)value);
}

static const char *verdict_name(int value)
{
    return weft_mad_verdict_name((enum weft_mad_verdict)value);
}

static const char *status_name(int value)
{
    return weft_mad_status_name((enum weft_mad_status)value);
}

/* The values below count have names, all different, and no other value has one. */
static void assert_names(const char *(*name)(int), int count)
{
    for (int value = 0; value < count; value++) {
        assert_true(strspn(name(value), "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == strlen(name(value)));
        assert_true(strlen(name(value)) > 1);
        for (int other = 0; other < value; other++)
            assert_string_not_equal(name(value), name(other));
    }
    assert_string_equal(name(count), "?");
    assert_string_equal(name(INT32_MAX), "?");
    assert_string_equal(name(-1), "?");
}

static void test_every_value_has_a_name_of_its_own(void **state)
{
    (void)state;
    assert_names(state_name, WEFT_MAD_STATES);
    assert_names(verdict_name, WEFT_MAD_VERDICTS);
    assert_names(status_name, WEFT_MAD_QUEUE_TIMEOUT + 1);
}

static void test_names_are_those_of_the_header(void **state)
{
    (void)state;
    assert_string_equal(weft_mad_state_name(WEFT_MAD_INIT), "INIT");
    assert_string_equal(weft_mad_state_name(WEFT_MAD_EARLY_RESP), "EARLY_RESP");
    assert_string_equal(weft_mad_state_name(WEFT_MAD_DONE), "DONE");
    assert_string_equal(weft_mad_verdict_name(WEFT_MAD_ACCEPTED), "ACCEPTED");
    assert_string_equal(weft_mad_verdict_name(WEFT_MAD_DROP_UNMATCHED), "DROP_UNMATCHED");
    assert_string_equal(weft_mad_verdict_name(WEFT_MAD_DROP_NO_BUFFER), "DROP_NO_BUFFER");
    assert_string_equal(weft_mad_status_name(WEFT_MAD_OK), "OK");
    assert_string_equal(weft_mad_status_name(WEFT_MAD_QUEUE_TIMEOUT), "QUEUE_TIMEOUT");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_value_has_a_name_of_its_own),
        cmocka_unit_test(test_names_are_those_of_the_header),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
