/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The errors of the facade: negative errnos for what the core says.
 */
#ifndef WEFT_IW_ERROR_H
#define WEFT_IW_ERROR_H

#include <weft/iwcm.h>

/** What kind of call it was: the same refusal has another name for each. */
enum error_call {
    ERROR_OPEN,     /* create, register, ... */
    ERROR_BEGIN,    /* connect, listen */
    ERROR_CARRY_ON, /* accept, reject, disconnect */
    ERROR_POST,     /* to a queue */
    ERROR_OTHER,
    ERROR_CALLS
};

/** @param err  0 or one of enum weft_err */
int error_of(enum error_call call, int err);
/** How a connection attempt or a call at the provider ended. */
int error_of_status(enum weft_iwcm_status status);

#endif
