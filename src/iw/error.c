/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The core's errors and statuses as errnos. */
#include "iw/error.h"

#include <errno.h>

#define ERRORS (1 - WEFT_ERR_FORMAT)

int error_of(enum error_call call, int err)
{
    static const int table[ERROR_CALLS][ERRORS] = {
        /* OK, INVALID, FULL, STALE, STATE, NOMEM, CONFLICT, CLOCK, NOTFOUND, FORMAT */
        [ERROR_OPEN] = {0, EINVAL, ENOMEM, ESTALE, EBUSY, ENOMEM, EBUSY, EINVAL, ENOENT, EINVAL},
        [ERROR_BEGIN] = {0, EINVAL, ENOMEM, ESTALE, EISCONN, ENOMEM, EBUSY, EINVAL, ENOENT, EINVAL},
        [ERROR_CARRY_ON] = {0, EINVAL, ENOMEM, ESTALE, ENOTCONN, ENOMEM, EBUSY, EINVAL, ENOENT,
                            EINVAL},
        [ERROR_POST] = {0, EINVAL, EAGAIN, ESTALE, ENOTCONN, ENOMEM, EBUSY, EINVAL, ENOENT, EINVAL},
        [ERROR_OTHER] = {0, EINVAL, ENOMEM, ESTALE, EBUSY, ENOMEM, EBUSY, EINVAL, ENOENT, EINVAL},
    };

    return -err >= 0 && -err < ERRORS ? -table[call][-err] : -EIO;
}

int error_of_status(enum weft_iwcm_status status)
{
    static const int table[WEFT_IWCM_STATUSES] = {
        [WEFT_IWCM_OK] = 0,
        [WEFT_IWCM_REJECTED] = ECONNREFUSED,
        [WEFT_IWCM_RESET] = ECONNRESET,
        [WEFT_IWCM_REFUSED] = ECONNREFUSED,
        [WEFT_IWCM_TIMEOUT] = ETIMEDOUT,
        [WEFT_IWCM_PROTOCOL] = EPROTO,
        [WEFT_IWCM_UNREACHABLE] = EHOSTUNREACH,
        [WEFT_IWCM_ADDRESS] = EADDRNOTAVAIL,
        [WEFT_IWCM_NO_RESOURCES] = ENOMEM,
        [WEFT_IWCM_BAD_PARAM] = EINVAL,
        [WEFT_IWCM_CANCELED] = ECANCELED,
        [WEFT_IWCM_FAILED] = EIO,
    };

    return (unsigned)status < WEFT_IWCM_STATUSES ? -table[status] : -EIO;
}
