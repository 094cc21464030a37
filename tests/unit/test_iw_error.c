/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The core's errors and statuses as errnos: what weft/iw.h says about each call. */
#include "iw/error.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_one_refusal_has_the_name_of_its_call(void **state)
{
    static const struct {
        enum error_call call;
        int err, number;
    } rows[] = {
        {ERROR_OPEN, WEFT_ERR_FULL, ENOMEM},        {ERROR_POST, WEFT_ERR_FULL, EAGAIN},
        {ERROR_POST, WEFT_ERR_STATE, ENOTCONN},     {ERROR_BEGIN, WEFT_ERR_STATE, EISCONN},
        {ERROR_CARRY_ON, WEFT_ERR_STATE, ENOTCONN}, {ERROR_OTHER, WEFT_ERR_STATE, EBUSY},
        {ERROR_OTHER, WEFT_ERR_CONFLICT, EBUSY},    {ERROR_BEGIN, WEFT_ERR_CONFLICT, EBUSY},
        {ERROR_OTHER, WEFT_ERR_NOTFOUND, ENOENT},   {ERROR_POST, WEFT_ERR_NOTFOUND, ENOENT},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(error_of(rows[i].call, rows[i].err), -rows[i].number);
}

static void test_what_is_the_same_for_all_calls(void **state)
{
    (void)state;
    for (int call = 0; call < ERROR_CALLS; call++) {
        assert_int_equal(error_of((enum error_call)call, 0), 0);
        assert_int_equal(error_of((enum error_call)call, WEFT_ERR_INVALID), -EINVAL);
        assert_int_equal(error_of((enum error_call)call, WEFT_ERR_STALE), -ESTALE);
        assert_int_equal(error_of((enum error_call)call, WEFT_ERR_NOMEM), -ENOMEM);
        for (int err = WEFT_ERR_FORMAT; err < 0; err++)
            assert_true(error_of((enum error_call)call, err) < 0);
        assert_int_equal(error_of((enum error_call)call, WEFT_ERR_FORMAT - 1), -EIO);
        assert_int_equal(error_of((enum error_call)call, 1), -EIO);
    }
}

static void test_every_status_but_ok_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(error_of_status(WEFT_IWCM_OK), 0);
    for (int status = WEFT_IWCM_OK + 1; status < WEFT_IWCM_STATUSES; status++)
        assert_true(error_of_status((enum weft_iwcm_status)status) < 0);
    assert_int_equal(error_of_status(WEFT_IWCM_REJECTED), -ECONNREFUSED);
    assert_int_equal(error_of_status(WEFT_IWCM_PROTOCOL), -EPROTO);
    assert_int_equal(error_of_status(WEFT_IWCM_UNREACHABLE), -EHOSTUNREACH);
    assert_int_equal(error_of_status(WEFT_IWCM_STATUSES), -EIO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_refusal_has_the_name_of_its_call),
        cmocka_unit_test(test_what_is_the_same_for_all_calls),
        cmocka_unit_test(test_every_status_but_ok_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
