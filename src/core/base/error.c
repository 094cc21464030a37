/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sentences for enum weft_err. */
#include <weft/base.h>

const char *weft_strerror(int err)
{
    switch (err) {
    case 0:
        return "no error";
    case WEFT_ERR_INVALID:
        return "an argument is outside its range";
    case WEFT_ERR_FULL:
        return "a configured limit is reached";
    case WEFT_ERR_STALE:
        return "the handle names something that is gone";
    case WEFT_ERR_STATE:
        return "the object is in a state that does not allow the call";
    case WEFT_ERR_NOMEM:
        return "out of memory";
    case WEFT_ERR_CONFLICT:
        return "somebody else owns what was asked for";
    case WEFT_ERR_CLOCK:
        return "the time lies before an earlier one";
    case WEFT_ERR_NOTFOUND:
        return "no such thing";
    case WEFT_ERR_FORMAT:
        return "the input does not have the expected form";
    default:
        return "unknown error";
    }
}
